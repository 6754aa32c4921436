import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.audit import halve_again
from judgekit.folds import folds_of
from judgekit.panel import find_panel, find_panels, first_best, grow, quality_order, start
from judgekit.plan import PlanSettings
from tests.obvious import panel_risk
from tests.strategies import audited, cases, good_judges, make_pool


def risk_of(half, panel) -> float:
    return panel_risk(half.pool.codes, half.pool.target, half.fit, half.validation, panel, 1.0)


def halvings(case, repeats: int = 1):
    return halve_again(case.audit, repeats=repeats, rng=np.random.default_rng(case.seed))


def test_ties_go_to_pool_order():
    assert first_best(np.array([0.1, 0.3, 0.3 + 1e-13, 0.2])) == 1
    assert first_best(np.array([-np.inf, -np.inf])) == 0


@given(cases(), st.sampled_from([0.0, 0.0171]))
def test_the_first_judge_has_the_lowest_risk_plus_weighted_cost(case, cost_weight):
    half, costs = case.audit, case.pool.costs
    step = start(folds_of([half], smoothing=1.0), 1, costs=costs, cost_weight=cost_weight)[0]
    risks = np.array([risk_of(half, [judge]) for judge in range(len(case.noise))])
    total = risks + cost_weight * costs
    assert step.judge == np.flatnonzero(total <= total.min() + 1e-12)[0]
    assert step.gain == pytest.approx(risk_of(half, []) - risks[step.judge], abs=1e-12)


@given(cases())
def test_gains_are_means_over_a_panels_folds(case):
    halves, costs = halvings(case), case.pool.costs
    folds = folds_of(halves, smoothing=1.0)
    panel = [start(folds, 1, costs=costs, cost_weight=0.0)[0].judge]
    for step in grow(folds, [panel], costs=costs, cost_weight=0.0, gain_threshold=0.0031)[0]:
        gains = [risk_of(half, panel) - risk_of(half, [*panel, step.judge]) for half in halves]
        np.testing.assert_allclose(step.fold_gains, gains, atol=1e-12)
        assert step.gain == pytest.approx(np.mean(gains), abs=1e-12)
        assert step.gain >= 0.0031
        panel.append(step.judge)


@given(cases(), st.sampled_from([0.0, 0.0031, 0.02]), st.sampled_from([0.0, 0.5]))
def test_panels_grown_side_by_side_are_those_grown_alone(case, gain_threshold, tie_errors):
    halves = halvings(case, repeats=3)
    settings = PlanSettings(gain_threshold=gain_threshold, tie_errors=tie_errors)
    together = find_panels(halves, settings, panels=3)
    for panel, steps in enumerate(together):
        (alone,) = find_panels(halves[2 * panel : 2 * panel + 2], settings, panels=1)
        assert [step.judge for step in steps] == [step.judge for step in alone]
        for first, second in zip(steps, alone, strict=True):
            np.testing.assert_allclose(first.fold_gains, second.fold_gains, atol=1e-12)


def test_a_panel_is_searched_once_for_all_policies_on_an_audit_set():
    audit = audited(good_judges(200, [0.8, 0.75, 0.7]))
    steps = find_panel(audit, PlanSettings(route_rule="none"))
    assert find_panel(audit, PlanSettings(route_rule="strict", slice_shrinkage=4.0)) is steps
    dear = find_panel(audit, PlanSettings(cost_weight=1.0))
    assert [step.judge for step in dear] == [steps[0].judge]
    assert find_panel(audited(good_judges(200, [0.6, 0.75, 0.9])), PlanSettings())[0].judge == 2


def test_judges_are_ordered_by_their_risk_alone():
    audit = audited(good_judges(400, [0.6, 0.9, 0.75]))
    assert quality_order(audit, PlanSettings()).tolist() == [1, 2, 0]


def test_a_reference_risk_does_not_pay_for_a_copy():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 200)
    good = np.where(rng.random(200) < 0.9, target, 1 - target)
    audit = audited(make_pool(np.column_stack([good, good]), target))
    folds = folds_of([audit], smoothing=1.0)
    folds.add(0)
    options = {"costs": audit.pool.costs, "cost_weight": 0.0, "gain_threshold": 0.005}
    assert grow(folds, [[0]], reference=np.array([1.0]), **options) == [[]]
