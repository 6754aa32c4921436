from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from judgekit.audit import halve_again
from judgekit.calibration import fit_pattern_table
from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings, plan_calls
from judgekit.policies import POLICIES
from judgekit.steady import STEADY_POLICIES, SteadySettings, crossfit, recurring_calls, steadied
from tests.obvious import panel_risk
from tests.strategies import audited, cases, good_judges
from tests.test_roles import specialists

FEW = SteadySettings(repeats=2, resamples=4)


def test_the_policies_stand_beside_the_others():
    assert set(STEADY_POLICIES) <= set(POLICIES)


def test_a_cross_fitted_gain_is_the_mean_over_both_ways_of_every_halving():
    audit = audited(good_judges(60, [0.9, 0.7]))
    step = crossfit(audit, PlanSettings(gain_threshold=0.0), FEW).panel_steps[0]
    pool = audit.pool
    halves = halve_again(audit, repeats=2, rng=np.random.default_rng(FEW.seed))
    gains = [
        panel_risk(pool.codes, pool.target, half.fit, half.validation, (), 1.0)
        - panel_risk(pool.codes, pool.target, half.fit, half.validation, (0,), 1.0)
        for half in halves
    ]
    assert step.judge == 0
    assert step.fold_gains == pytest.approx(gains, abs=1e-12)
    assert step.gain == pytest.approx(np.mean(gains), abs=1e-12)


def test_halvings_keep_groups_whole_and_use_every_row_both_ways():
    pool = replace(good_judges(40, [0.9, 0.7]), groups=np.arange(40) // 3)
    audit = audited(pool)
    halves = halve_again(audit, repeats=3, rng=np.random.default_rng(0))
    assert len(halves) == 6
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        assert sorted([*one.fit, *one.validation]) == list(range(len(audit.pool.target)))
        assert (one.fit == other.validation).all()
        assert not set(audit.pool.groups[one.fit]) & set(audit.pool.groups[one.validation])


@settings(max_examples=4)
@given(cases())
def test_exact_copies_change_neither_calls_nor_answers(case):
    pool, split = case.pool, case.split
    doubled = pool.with_copies(np.array([0, 1]))
    for name, policy in STEADY_POLICIES.items():
        plain, copied = (policy(each.audit(split), PlanSettings()) for each in (pool, doubled))
        assert plain.calls() == copied.calls(), name
        answers = [
            plan.apply(each.codes[split.test], each.slices[split.test]).probability
            for plan, each in ((plain, pool), (copied, doubled))
        ]
        assert np.array_equal(*answers), name


def test_near_ties_go_to_the_first_judge_of_the_pool():
    pool = good_judges(400, [0.8, 0.8, 0.8], seed=5)
    audit = audited(pool)
    tied = PlanSettings(gain_threshold=0.2, tie_errors=20.0)
    assert crossfit(audit, tied, FEW).panel == (0,)
    best = crossfit(audit, replace(tied, tie_errors=0.0), FEW).panel
    halves = halve_again(audit, repeats=2, rng=np.random.default_rng(FEW.seed))
    risks = [
        np.mean([
            panel_risk(audit.pool.codes, audit.pool.target, half.fit, half.validation, (judge,), 1.0)
            for half in halves
        ])
        for judge in range(3)
    ]  # fmt: skip
    assert best == (int(np.argmin(risks)),)


def test_recurring_calls_are_those_of_at_least_the_share_of_plans():
    audit = audited(specialists())
    settings_ = PlanSettings(gain_threshold=0.002)
    rng = np.random.default_rng(FEW.seed)
    plans = [plan_calls(halve_again(audit, repeats=1, rng=rng)[0], settings_) for _ in range(4)]
    for share in (0.25, 0.5, 1.0):
        plan = recurring_calls(audit, settings_, replace(FEW, share=share))
        often = {judge for judge in range(4) if sum(judge in each.panel for each in plans) >= 4 * share}
        assert set(plan.panel) == often
        for name in audit.pool.slice_names:
            there = {
                judge
                for judge in range(4)
                if sum(judge in each.panel + each.routes.get(name, ()) for each in plans) >= 4 * share
            }
            assert set(plan.routes.get(name, ())) == there - often


def test_some_judge_is_called_even_if_none_recurs():
    audit = audited(good_judges(24, [0.6] * 6, seed=2))
    plan = recurring_calls(audit, PlanSettings(), SteadySettings(resamples=9, share=1.0))
    assert len(plan.panel) == 1


def test_a_shrunk_slice_table_keeps_the_global_answer_where_the_slice_has_no_row():
    audit = audited(specialists())
    plan = STEADY_POLICIES["role_strict_shrunk"](audit, PlanSettings())
    for table in plan.slice_tables.values():
        shared = len(plan.panel)
        assert all((table.keys[d] == plan.table.keys[d]).all() for d in range(shared))
        unseen = table.counts[shared - 1] == 0
        assert (table.values[shared - 1][unseen] == plan.table.values[shared - 1][unseen]).all()


def test_strong_shrinkage_reads_every_slice_as_the_global_table():
    pool = specialists()
    audit = audited(pool)
    strong = PlanSettings(route_rule="none", slice_tables="all", slice_shrinkage=1e12)
    shrunk, plain = plan_calls(audit, strong), plan_calls(audit, replace(strong, slice_tables="routed"))
    answers = [plan.apply(pool.codes, pool.slices).probability for plan in (shrunk, plain)]
    assert answers[0] == pytest.approx(answers[1], abs=1e-8)


def test_the_steadied_bar_for_routes_is_a_multiple_of_the_slice_threshold():
    assert steadied(PlanSettings(), FEW).route_threshold == 0.02
    assert steadied(PlanSettings(slice_gain_threshold=0.01), FEW).route_threshold == 0.04


@pytest.mark.parametrize(("field", "value"), [("share", 0.0), ("share", 1.1), ("resamples", 0)])
def test_wrong_settings_are_refused(field, value):
    with pytest.raises(InvalidInput, match=field):
        replace(FEW, **{field: value})


def test_a_single_group_cannot_be_halved():
    audit = audited(good_judges(40, [0.9, 0.7]))
    alone = replace(audit, pool=replace(audit.pool, groups=np.zeros(len(audit.pool.target))))
    with pytest.raises(InvalidInput, match="group: allowed is at least 2"):
        halve_again(alone, repeats=1, rng=np.random.default_rng(0))


def test_a_prior_over_other_judges_or_rows_is_refused():
    pool = good_judges(40, [0.9, 0.7])
    rows = np.flatnonzero(pool.codes[:, 0] == 1)
    narrow = fit_pattern_table(pool.codes[rows], pool.target[rows], judges=(0,), levels=2)
    with pytest.raises(InvalidInput, match="a pattern it lacks"):
        fit_pattern_table(pool.codes, pool.target, judges=(0, 1), levels=2, prior=narrow)
    with pytest.raises(InvalidInput, match="prior: allowed is a table over the first of"):
        fit_pattern_table(pool.codes, pool.target, judges=(1, 0), levels=2, prior=narrow)
