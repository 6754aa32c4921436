from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from judgekit.audit import AuditSet
from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings, plan_calls, plan_panel
from judgekit.roles import assign_roles, roles_frame
from judgekit.signals import Signal
from judgekit.stats import corrected_interval
from tests.obvious import panel_risk
from tests.strategies import audited, cases, good_judges, make_pool


def assigned(audit, plan, repeats=3):
    return assign_roles(audit, plan, rng=np.random.default_rng(1), repeats=repeats)


def specialists():
    """a is good everywhere, b only on s0 where a fails, c repeats a, d is noise."""
    rng = np.random.default_rng(3)
    rows = 1200
    target = rng.integers(0, 2, rows)
    slices = np.arange(rows) % 3
    a = np.where(rng.random(rows) < np.where(slices == 0, 0.5, 0.85), target, 1 - target)
    b = np.where(rng.random(rows) < np.where(slices == 0, 0.95, 0.5), target, 1 - target)
    return make_pool(np.column_stack([a, b, a, rng.integers(0, 2, rows)]), target, slices=slices)


def test_the_four_names_where_the_truth_is_known():
    audit = audited(specialists())
    settings_ = PlanSettings(gain_threshold=0.01)
    roles = assigned(audit, plan_panel(audit, (0,), replace(settings_, route_rule="strict")))
    by_name = {each.judge: each for each in roles.judges}
    assert by_name["a"].role == "both"
    assert by_name["b"].role in ("specialist", "both")
    assert by_name["b"].acts_on == ("s0",)
    assert by_name["b"].called == "routed"
    assert by_name["c"].role == "copy"
    assert (by_name["c"].most_like, by_name["c"].agreement) == ("a", 1.0)
    assert by_name["d"].role == "copy"


def test_a_complement_acts_on_every_row_and_on_no_slice():
    audit = audited(good_judges(600, [0.9, 0.8]))
    roles = assigned(audit, plan_panel(audit, (0, 1), PlanSettings(gain_threshold=0.001)))
    assert [each.role for each in roles.judges] == ["complement", "complement"]


def test_gains_and_intervals_agree_with_refitting_every_half():
    pool = specialists()
    audit = audited(pool)
    plan = plan_panel(audit, (0, 1), PlanSettings(route_rule="none"))
    roles = assigned(audit, plan, repeats=2)
    rng = np.random.default_rng(1)
    rows = len(audit.pool.target)
    gains: dict[str, list[float]] = {"b": [], "d": []}
    for _ in range(2):
        first = np.isin(np.arange(rows), rng.permutation(rows)[: rows // 2])
        for fit, validation in ((np.flatnonzero(first), np.flatnonzero(~first)),
                                (np.flatnonzero(~first), np.flatnonzero(first))):  # fmt: skip
            risk = [
                panel_risk(audit.pool.codes, audit.pool.target, fit, validation, panel, 1.0)
                for panel in ((0, 1), (0,), (0, 1, 3))
            ]
            gains["b"].append(risk[1] - risk[0])
            gains["d"].append(risk[0] - risk[2])
    for name, expected in gains.items():
        overall = next(each.overall for each in roles.judges if each.judge == name)
        interval = corrected_interval(np.array(expected), test_fraction=0.5)
        assert overall.estimate == pytest.approx(interval.estimate, abs=1e-12)
        assert (overall.low, overall.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


@settings(max_examples=10)
@given(cases())
def test_exact_copies_of_called_judges_are_copies(case):
    audit = case.audit
    pool = audit.pool
    doubled = replace(audit, pool=pool.with_copies(np.arange(len(pool.judges))))
    plan = plan_calls(doubled, PlanSettings(gain_threshold=0.003))
    roles = assigned(doubled, plan, repeats=1)
    called = set(plan.panel)
    assert all(judge < len(pool.judges) for judge in called)
    for judge, each in enumerate(roles.judges[len(pool.judges) :]):
        if judge in called:
            assert each.role == "copy"
            assert each.agreement == 1
            assert each.overall.estimate == pytest.approx(0, abs=1e-12)


@settings(max_examples=10)
@given(cases())
def test_copies_change_no_other_judges_gain(case):
    audit = case.audit
    doubled = replace(audit, pool=audit.pool.with_copies(np.array([0])))
    before = assigned(audit, plan_calls(audit), repeats=1)
    after = assigned(doubled, plan_calls(doubled), repeats=1)
    for one, other in zip(before.judges, after.judges, strict=False):
        assert repr(one) == repr(other)


def test_a_weighed_cost_turns_a_complement_into_a_copy():
    audit = audited(good_judges(600, [0.9, 0.8]))
    panel = plan_panel(audit, (0, 1), PlanSettings(gain_threshold=0.001, cost_weight=0.5))
    frame = roles_frame(assigned(audit, panel))
    assert frame["role"].tolist() == ["copy", "copy"]
    assert frame["charge"].tolist() == [0.5, 0.5]
    assert not frame["reached"].any()


def test_a_slice_known_only_by_label_makes_no_specialist():
    pool = replace(specialists(), signal=Signal("label"))
    audit = audited(pool)
    roles = assigned(audit, plan_panel(audit, (0,), PlanSettings()))
    assert all(each.acts_on == () for each in roles.judges)
    assert roles.judges[1].slices["s0"].estimate > 0.05


def test_the_signals_judge_is_free_within_a_slice():
    pool = replace(specialists(), signal=Signal("judge", ("b",)))
    audit = audited(pool)
    frame = roles_frame(assigned(audit, plan_panel(audit, (0,), PlanSettings(cost_weight=0.01))))
    charge = frame[frame["judge"] == "b"].set_index("slice")["charge"]
    assert charge["all"] == 0.01
    assert charge["s0"] == 0


def test_a_half_without_the_slice_is_counted_as_dropped():
    pool = good_judges(80, [0.9, 0.8])
    slices = np.zeros(80, dtype=np.int64)
    slices[0] = 1
    pool = make_pool(pool.codes, pool.target, slices=slices)
    rows = np.arange(80)
    audit = AuditSet(pool, rows[:40], rows[40:])
    gain = assigned(audit, plan_panel(audit, (0,), PlanSettings()), repeats=4).judges[0].slices["s1"]
    assert (gain.kept, gain.dropped) == (0, 8)
    assert np.isnan(gain.estimate)


def test_the_frame_has_a_row_for_every_judge_and_slice():
    audit = audited(specialists())
    frame = roles_frame(assigned(audit, plan_calls(audit)))
    assert len(frame) == 4 * 4
    assert frame["slice"].tolist()[:4] == ["all", "s0", "s1", "s2"]
    assert (frame["low"] <= frame["gain"]).all()


def test_a_plan_of_another_pool_is_refused():
    audit = audited(specialists())
    plan = replace(plan_calls(audit), judges=("x", "y", "z", "w"))
    with pytest.raises(InvalidInput, match="judges: allowed is a plan for"):
        assigned(audit, plan)
