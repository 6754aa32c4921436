from dataclasses import replace

import numpy as np
import pytest

from judgekit.plan import PlanSettings, plan_panel
from judgekit.plan_file import record_plan
from judgekit.plan_view import explain, explain_frame
from judgekit.roles import assign_roles
from judgekit.signals import Signal
from judgekit.steady import SteadySettings, crossfit
from tests.strategies import audited
from tests.test_plan_apply import routed  # noqa: F401
from tests.test_roles import specialists


def test_prose_says_whom_to_call_where_and_what_it_costs(routed):  # noqa: F811
    text = explain(routed)
    assert "Made on 600 labelled rows of made up (600 groups)." in text
    assert "On every row call a." in text
    assert "On slice s0 add b." in text
    assert "Never call c and d." in text
    assert "The slice of a row is told by metadata (slice)." in text
    assert "Cost of a row: 1 to 2, by slice." in text


def test_prose_charges_the_signal():
    pool = replace(specialists(), signal=Signal("judge", ("d",)), signal_cost=0.5)
    audit = audited(pool)
    plan = plan_panel(audit, (0,), PlanSettings(route_rule="strict", gain_threshold=0.03, cost_weight=0.001))
    text = explain(record_plan(audit, plan))
    assert "That takes d on every row as well" in text
    assert "The signal costs 0.5 a row" in text
    assert "Cost of a row: 2.5 to 3.5, by slice." in text
    assert "net of 0.001 times its cost" in text


def test_the_table_has_a_row_for_every_call_with_its_interval():
    audit = audited(specialists())
    plan = crossfit(audit, PlanSettings(route_rule="strict", gain_threshold=0.03), SteadySettings(repeats=2))
    roles = assign_roles(audit, plan, rng=np.random.default_rng(0), repeats=2)
    frame = explain_frame(record_plan(audit, plan, slice_column="slice", roles=roles))
    assert {(row.slice, row.judge) for row in frame.itertuples()} == plan.calls()
    assert frame["gain"].tolist()[0] == pytest.approx(plan.panel_steps[0].gain)
    assert (frame["low"] < frame["gain"]).all()
    assert set(frame["role"]) <= {"copy", "complement", "specialist", "both"}


def test_a_given_panel_has_no_gains(routed):  # noqa: F811
    frame = explain_frame(routed)
    assert np.isnan(frame["gain"].iloc[0])
    assert frame["gain"].iloc[1] >= 0.03
    assert np.isnan(frame["low"]).all()
    assert (frame["role"] == "").all()
