"""From a reader's rows to advice: which plan, on which rows, by which slice."""

from dataclasses import replace

import numpy as np
import pytest

from judgekit.audit import role_pool
from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.regime import Evidence
from judgekit.report.tables.own_panel import audit_size, is_large_enough, saving
from judgekit.roles import roles_frame
from judgekit.signals import Signal
from judgekit.sources.panel_sample import SCENARIO
from judgekit.sources.simulator import simulate
from judgekit.studies import own_panel
from judgekit.studies.own_panel import COMPARED, PanelSettings, study_own_panel

SMALL = PanelSettings(splits=3, repeats=2)


def pools(groups=208, *signals):
    judgments = simulate(replace(SCENARIO, groups=groups), rng=np.random.default_rng(5))
    judgments.items["other"] = np.where(np.arange(len(judgments.items)) % 2, "odd", "even")
    declared = signals or (("slice", Signal("metadata")),)
    return [role_pool("x", judgments, slice_column=column, signal=signal) for column, signal in declared]


def studied(given, settings=SMALL, columns=("slice",)):
    prices = np.array([5.0, 1.0, 1.0, 2.0, 0.05, 1.0])
    return study_own_panel(given, columns=columns, support=(0.0, 1.0), prices=prices, settings=settings)


@pytest.fixture(scope="module")
def sample():
    return studied(pools())


def test_every_policy_is_scored_on_every_split(sample):
    assert sample.scores.groupby("policy")["split"].nunique().to_dict() == dict.fromkeys(COMPARED, 3)
    every = sample.scores[sample.scores["policy"] == "flat_all"]
    assert every["price"].to_numpy() == pytest.approx(10.05)
    assert every["calls"].to_numpy() == pytest.approx(6)


def test_the_plan_is_made_on_all_rows(sample):
    assert sample.record.audit.rows == len(sample.pool.target)
    assert sample.measured == len(sample.pool.target)


def test_many_rows_are_measured_on_whole_groups_and_planned_on_all():
    given = pools(400)
    few = studied(given, replace(SMALL, measured_rows=100))
    assert 100 <= few.measured < 110
    assert few.record.audit.rows == len(given[0].target)


def test_the_slice_that_helps_is_used():
    given = pools(300, ("other", Signal("metadata")), ("slice", Signal("metadata")))
    study = studied(given, columns=("other", "slice"))
    assert study.signals["used"].tolist() == [False, True]
    assert study.record.slice_column == "slice"


def test_a_slice_known_by_label_alone_never_routes():
    given = pools(300, ("slice", Signal("label")), ("other", Signal("metadata")))
    study = studied(given, columns=("slice", "other"))
    assert study.signals["may_route"].tolist() == [False, True]
    assert study.signals["used"].tolist() == [False, True]
    alone = studied(given[:1], columns=("slice",))
    assert alone.record.plan.slice_tables == {}


def test_saving_is_the_difference_of_means(sample):
    table = saving(sample, priced=True).set_index("measure")
    means = sample.scores.groupby("policy")[["calls", "price", "risk"]].mean()
    row = table.loc["money per 1,000 rows"]
    assert row["saved"] == pytest.approx(1000 * (10.05 - means.loc[sample.policy, "price"]))
    risk = table.loc["risk, a slice-aware stack over every judge"]
    assert risk["saved"] == pytest.approx(means.loc["slice_stack", "risk"] - means.loc[sample.policy, "risk"])
    assert "money per 1,000 rows" not in set(saving(sample, priced=False)["measure"])


def test_audit_size_sets_width_against_threshold(sample):
    roles = roles_frame(sample.record.roles)
    size = audit_size(sample, roles).set_index("slice")
    overall = roles[roles["slice"] == "all"]
    halves = (overall["high"] - overall["low"]) / 2
    half = halves[halves > 1e-12].median()
    assert size.loc["all", "half_width"] == pytest.approx(half)
    assert size.loc["all", "ratio"] == pytest.approx(half / 0.005)
    assert (
        size.loc["all", "rows_needed"] == np.ceil(206 * (half / 0.005) ** 2) or size.loc["all", "rows"] != 206
    )
    assert not is_large_enough(audit_size(sample, roles))


def test_a_stack_that_is_advised_gives_the_best_plan_a_file_can_hold(sample):
    evidence = (
        Evidence("single_best", 0.2, 1.0, 1.0),
        Evidence("routed", 0.1, 2.0, 2.0),
        Evidence("flat_all", 0.15, 6.0, 5.1),
        Evidence("full_stack", 0.05, 6.0, 5.1),
    )
    regime = replace(sample.regime, policy="full_stack", name="call everything", evidence=evidence)
    audit = own_panel._audit(sample.pool, np.random.default_rng(0))
    name, plan = own_panel._plan(audit, regime, PlanSettings())
    assert name == "role_routed"
    assert "no plan file can hold" in plan.notes[-1]


def test_splits_with_one_label_are_left_out_and_none_left_is_an_error():
    pool = pools(60)[0]
    rare = replace(pool, target=np.where(np.arange(len(pool.target)) == 3, 1.0, 0.0))
    trial = own_panel._try(rare, np.ones(6), replace(SMALL, splits=12))
    assert 0 < trial.skipped < 11
    assert trial.scores["split"].nunique() == 12 - trial.skipped
    constant = replace(pool, target=np.zeros(len(pool.target)))
    with pytest.raises(InvalidInput, match="label: allowed is two distinct values in the audit half"):
        own_panel._try(constant, np.ones(6), SMALL)


def test_the_same_seed_gives_the_same_study_and_copies_change_no_risk(sample):
    copied = [pool.with_copies(np.array([0])) for pool in pools()]
    prices = np.array([5.0, 1.0, 1.0, 2.0, 0.05, 1.0, 5.0])
    again = study_own_panel(copied, columns=("slice",), support=(0.0, 1.0), prices=prices, settings=SMALL)
    for policy in ("single_best", "global_panel_sliced", "role_routed"):
        first, second = (
            each.scores.loc[each.scores["policy"] == policy, "risk"].to_numpy() for each in (sample, again)
        )
        assert np.array_equal(first, second), policy


@pytest.mark.parametrize("field", ["splits", "repeats", "measured_rows", "seed"])
def test_settings_out_of_range_are_refused(field):
    with pytest.raises(InvalidInput, match=field):
        PanelSettings(**{field: -1})
