from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.plan import CallPlan, PlanSettings, plan_calls
from judgekit.policies import POLICIES, FittedPolicy
from judgekit.sources.settings import load_role_pool
from tests.obvious import panel_risk
from tests.strategies import cases, good_judges, halves

DEFAULT = PlanSettings()
NO_PLANS = {"full_stack", "slice_stack", "reliability_jury", "dawid_skene", "frugal_cascade"}
MATCHED = {"top_k", "low_correlation_k", "family_spread_k", "matched_non_role"}
ROLE_PLANS = sorted(POLICIES.keys() - NO_PLANS - MATCHED - {"flat_all"})


def single_risks(case, smoothing=1.0) -> np.ndarray:
    audit = case.audit
    codes, target = audit.pool.codes, audit.pool.target
    judges = range(codes.shape[1])
    return np.array([panel_risk(codes, target, audit.fit, audit.validation, [j], smoothing) for j in judges])


def answers(pool, split, name, chosen=DEFAULT):
    fitted = POLICIES[name](pool.audit(split), chosen)
    return fitted.apply(pool.codes[split.test], pool.slices[split.test])


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_answers_with_probabilities_and_calls(name):
    pool = load_role_pool("simulated", "sim_llmbar7")
    split = halves(pool)
    fitted = POLICIES[name](pool.audit(split), DEFAULT)
    assert isinstance(fitted, FittedPolicy)
    outcome = fitted.apply(pool.codes[split.test], pool.slices[split.test])
    assert outcome.probability.shape == (len(split.test),)
    assert np.all((outcome.probability >= 0) & (outcome.probability <= 1))
    assert outcome.called.shape == (len(split.test), len(pool.judges))
    assert outcome.called.any(axis=1).all()


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_beats_a_guess_on_good_judges(name):
    pool = good_judges(400, [0.9, 0.85, 0.8, 0.75], slices=2)
    split = halves(pool)
    risk = np.mean((answers(pool, split, name).probability - pool.target[split.test]) ** 2)
    assert risk < 0.12


@pytest.mark.parametrize("name", POLICIES)
def test_permuted_test_labels_change_no_policy(name):
    pool = load_role_pool("simulated", "sim_llmbar7")
    split = halves(pool)
    target = pool.target.copy()
    target[split.test] = np.random.default_rng(1).permutation(target[split.test])
    assert not np.array_equal(target, pool.target)
    straight, permuted = answers(pool, split, name), answers(replace(pool, target=target), split, name)
    np.testing.assert_array_equal(permuted.probability, straight.probability)
    np.testing.assert_array_equal(permuted.called, straight.called)


@pytest.mark.parametrize("name", POLICIES)
def test_test_verdicts_of_other_rows_change_no_answer(name):
    pool = load_role_pool("simulated", "sim_llmbar7")
    split = halves(pool)
    fitted = POLICIES[name](pool.audit(split), DEFAULT)
    rows = split.test[:50]
    alone = fitted.apply(pool.codes[rows], pool.slices[rows])
    together = fitted.apply(pool.codes[split.test], pool.slices[split.test])
    np.testing.assert_allclose(alone.probability, together.probability[:50], atol=1e-12)


@given(cases())
@settings(max_examples=40)
def test_single_best_is_the_judge_of_lowest_validation_risk(case):
    risks = single_risks(case)
    best = int(np.flatnonzero(risks <= risks.min() + 1e-12)[0])
    for name in ("single_best", "single_best_sliced"):
        assert POLICIES[name](case.audit, DEFAULT).panel == (best,)


@given(cases())
@settings(max_examples=40)
def test_top_k_takes_the_lowest_risks_and_as_many_as_the_panel(case):
    plan = POLICIES["top_k"](case.audit, DEFAULT)
    size = len(plan_calls(case.audit).panel)
    risks = np.round(single_risks(case), 12)
    order = sorted(range(len(case.noise)), key=lambda judge: (risks[judge], judge))
    assert list(plan.panel) == order[:size]
    assert plan.routes == {}


@given(cases())
@settings(max_examples=40)
def test_matched_panels_have_the_size_of_the_global_panel(case):
    size = len(POLICIES["global_panel"](case.audit, DEFAULT).panel)
    found = {}
    for name in ("top_k", "low_correlation_k", "family_spread_k", "matched_non_role"):
        found[name] = POLICIES[name](case.audit, DEFAULT).panel
        assert len(set(found[name])) == len(found[name]) == size
    audit = case.audit
    risks = {
        name: panel_risk(audit.pool.codes, audit.pool.target, audit.fit, audit.validation, panel, 1.0)
        for name, panel in found.items()
    }
    assert risks["matched_non_role"] == pytest.approx(min(risks.values()), abs=1e-12)


def test_family_spread_takes_one_judge_of_each_family_first():
    pool = replace(good_judges(600, [0.9, 0.88, 0.86, 0.7, 0.6]), families=("x", "x", "y", "y", "z"))
    wide = POLICIES["family_spread_k"](pool.audit(halves(pool)), PlanSettings(gain_threshold=0.0))
    panel = wide.panel
    order = POLICIES["top_k"](pool.audit(halves(pool)), PlanSettings(gain_threshold=0.0)).panel
    assert len(panel) >= 3
    assert len({pool.families[judge] for judge in panel[:3]}) == 3
    assert panel[0] == order[0]


def test_low_correlation_avoids_whoever_errs_alike():
    pool = good_judges(600, [0.8, 0.78, 0.75])
    twin = pool.codes[:, :1].copy()
    twin[::29] = 1 - twin[::29]
    pool = pool.with_copies(np.array([0]), twin)
    split = halves(pool)
    plan = POLICIES["low_correlation_k"](pool.audit(split), PlanSettings(gain_threshold=0.001))
    assert len(plan.panel) in (2, 3)
    assert not {0, 3} <= set(plan.panel)
    audit = pool.audit(split)
    errors = np.abs(audit.pool.codes - audit.pool.target[:, None])[audit.fit]
    signed = (audit.pool.codes - audit.pool.target[:, None])[audit.fit]
    alike = np.abs(np.corrcoef(signed.T))
    first = plan.panel[0]
    assert errors[:, first].mean() < 0.3
    others = [judge for judge in range(4) if judge != first]
    assert plan.panel[1] == min(others, key=lambda judge: alike[judge, first])


def test_flat_all_calls_everybody_through_one_table():
    pool = load_role_pool("simulated", "sim_llmbar7")
    split = halves(pool)
    outcome = answers(pool, split, "flat_all")
    assert outcome.called.all()
    assert outcome.fallback.any()


@given(cases(), st.data())
@settings(max_examples=30)
def test_exact_copies_leave_flat_all_to_the_last_digit_and_cost_more(case, data):
    originals = data.draw(st.lists(st.integers(0, len(case.noise) - 1), min_size=1, max_size=3))
    copied = case.pool.with_copies(np.array(originals))
    without = answers(case.pool, case.split, "flat_all")
    with_copies = answers(copied, case.split, "flat_all")
    np.testing.assert_array_equal(with_copies.probability, without.probability)
    assert with_copies.called.sum() > without.called.sum()


@pytest.mark.parametrize("name", ROLE_PLANS)
def test_exact_copies_change_no_plan(name):
    pool = load_role_pool("simulated", "sim_llmbar7")
    copied = pool.with_copies(np.array([0, 0, 1, 4]))
    for seed in range(3):
        split = halves(pool, seed)
        without, with_copies = answers(pool, split, name), answers(copied, split, name)
        np.testing.assert_array_equal(with_copies.probability, without.probability)
        np.testing.assert_array_equal(with_copies.called[:, : len(pool.judges)], without.called)


def test_copies_leave_the_cascade_its_risk_and_move_the_jury():
    pool = load_role_pool("simulated", "sim_llmbar7")
    copied = pool.with_copies(np.array([0, 0, 0, 0]))
    split = halves(pool)
    cascade, longer = answers(pool, split, "frugal_cascade"), answers(copied, split, "frugal_cascade")
    np.testing.assert_array_equal(longer.probability, cascade.probability)
    assert longer.called.sum() >= cascade.called.sum()
    jury, crowded = answers(pool, split, "reliability_jury"), answers(copied, split, "reliability_jury")
    assert np.abs(crowded.probability - jury.probability).max() > 0.1


@given(cases())
@settings(max_examples=40)
def test_sliced_policies_call_whom_their_plain_ones_call(case):
    for name in ("single_best", "global_panel"):
        plain = POLICIES[name](case.audit, DEFAULT)
        sliced = POLICIES[f"{name}_sliced"](case.audit, DEFAULT)
        assert isinstance(sliced, CallPlan)
        assert plain.panel == sliced.panel
        assert plain.slice_tables == {}
        assert sliced.routes == {}


@pytest.mark.parametrize("name", sorted(POLICIES.keys() - NO_PLANS))
def test_plans_name_their_settings(name):
    pool = good_judges(200, [0.8, 0.75, 0.7], slices=2)
    fitted = POLICIES[name](pool.audit(halves(pool)), PlanSettings(gain_threshold=0.011, cost_weight=0.002))
    assert isinstance(fitted, CallPlan)
    assert (fitted.settings.gain_threshold, fitted.settings.cost_weight) == (0.011, 0.002)
