from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from judgekit.errors import InvalidInput
from judgekit.plan import CallPlan, PlanSettings
from judgekit.policies import POLICIES
from judgekit.regime import FULL, STOPPED, advise, most_alike
from tests.strategies import audited, cases, good_judges, halves, make_pool
from tests.test_roles import specialists


def advised(audit, **changes):
    return advise(audit, PlanSettings(**changes), rng=np.random.default_rng(0), repeats=2)


def test_one_good_judge_among_noise_stops():
    regime = advised(audited(good_judges(800, [0.95, 0.5, 0.5])))
    assert (regime.name, regime.policy) == ("stop", "single_best")


def test_a_near_copy_of_the_best_judge_is_dropped():
    pool = good_judges(800, [0.95, 0.5])
    regime = advised(audited(pool.with_copies(np.array([0]))))
    assert regime.name == "drop copies"
    assert (regime.alike, regime.agreement) == (("a", "a copy 1"), 1.0)


def test_a_judge_right_only_where_the_other_fails_is_routed():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 2000)
    slices = np.arange(2000) % 5
    a = np.where((slices > 0) | (rng.random(2000) < 0.5), target, 1 - target)
    b = np.where((slices == 0) | (rng.random(2000) < 0.5), target, 1 - target)
    regime = advised(audited(make_pool(np.column_stack([a, b]), target, slices=slices)), gain_threshold=0.04)
    assert (regime.name, regime.policy) == ("route", "routed")
    assert regime.evidence[3].calls == pytest.approx(1.2, abs=0.05)


def test_many_weak_independent_judges_are_all_called():
    regime = advised(audited(good_judges(1200, [0.65] * 7)), gain_threshold=0.02)
    assert regime.name == "call everything"
    assert regime.policy in FULL
    assert regime.full_drop.estimate > 0.02


def test_a_price_on_calls_ends_calling_everything():
    audit = audited(good_judges(1200, [0.65] * 7))
    assert advised(audit, gain_threshold=0.02, cost_weight=0.05).name == "stop"


@pytest.mark.parametrize("policy", [*STOPPED, *FULL, "routed"])
def test_what_is_advised_can_be_run(policy):
    pool = specialists()
    audit = audited(pool)
    fitted = replace(advised(audit), policy=policy).execute(audit)
    test = halves(pool).test
    outcome = fitted.apply(pool.codes[test], pool.slices[test])
    assert np.isfinite(outcome.probability).all()
    if policy == "routed":
        assert isinstance(fitted, CallPlan)
        assert fitted.calls() == POLICIES["role_routed"](audit, PlanSettings()).calls()


def test_nothing_comes_from_test_rows():
    pool = specialists()
    split = halves(pool)
    target = pool.target.copy()
    target[split.test] = 1 - target[split.test]
    codes = pool.codes.copy()
    codes[split.test] = 0
    altered = replace(pool, target=target, codes=codes)
    assert advised(pool.audit(split)) == advised(altered.audit(split))


@settings(max_examples=10)
@given(cases())
def test_risks_lie_between_0_and_1_and_calls_within_the_pool(case):
    audit = case.audit
    try:
        regime = advised(audit)
    except InvalidInput:
        assume(False)
    assert regime.name in ("route", "stop", "drop copies", "call everything")
    for each in regime.evidence:
        assert 0 <= each.risk <= 1
        assert 1 <= each.calls <= len(audit.pool.judges)


def test_most_alike_names_the_first_pair_on_a_tie():
    codes = np.array([[0, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]] * 2)
    audit = audited(make_pool(codes[:, [1, 0, 2]], np.tile([0.0, 1.0], 4)))
    assert most_alike(audit) == (("a", "c"), 1.0)
