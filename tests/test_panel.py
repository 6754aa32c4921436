import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.calibration import fit_pattern_table
from judgekit.errors import InvalidInput
from judgekit.panel import Fold, first_best, grow, start
from judgekit.plan import PlanSettings, audit_fold
from tests.obvious import panel_risk
from tests.strategies import audited, cases, make_pool

SMOOTHING = st.sampled_from([1.0, 0.0, 0.37])


def fold_of(case, smoothing=1.0) -> Fold:
    return audit_fold(case.audit, PlanSettings(smoothing=smoothing))


def risk_of(case, panel, smoothing=1.0) -> float:
    audit = case.audit
    return panel_risk(audit.pool.codes, audit.pool.target, audit.fit, audit.validation, panel, smoothing)


def test_risk_of_one_judge_by_hand():
    # fit: base rate 1/2, a says 1 on both ones and one zero; smoothed cells 2.5/4 and 0.5/2
    fit = np.array([[1, 1, 1, 0]])
    fold = Fold(fit, np.array([1.0, 1.0, 0.0, 0.0]), np.array([[1, 0]]), np.array([1.0, 0.0]), levels=2)
    assert fold.risk == 0.25
    assert fold.risk_with(0) == pytest.approx(((1 - 0.625) ** 2 + 0.25**2) / 2, abs=1e-15)


@given(cases(), SMOOTHING, st.data())
def test_risks_agree_with_refitting_and_predicting(case, smoothing, data):
    order = data.draw(st.permutations(range(len(case.noise))))
    fold = fold_of(case, smoothing)
    assert fold.risk == pytest.approx(risk_of(case, [], smoothing), abs=1e-12)
    for place, judge in enumerate(order):
        for candidate in order[place:]:
            expected = risk_of(case, [*order[:place], candidate], smoothing)
            assert fold.risk_with(candidate) == pytest.approx(expected, abs=1e-12)
        fold.add(judge)
        assert fold.risk == pytest.approx(risk_of(case, order[: place + 1], smoothing), abs=1e-12)
        table = fit_pattern_table(
            case.audit.pool.codes[case.audit.fit],
            case.audit.pool.target[case.audit.fit],
            judges=tuple(order[: place + 1]),
            levels=case.levels,
            smoothing=smoothing,
        )
        assert fold.patterns == table.patterns


@given(cases())
def test_a_copy_of_a_fold_grows_on_its_own(case):
    fold = fold_of(case)
    fold.add(0)
    before = fold.risk, fold.risk_with(1)
    twin = fold.copy()
    twin.add(1)
    assert (fold.risk, fold.risk_with(1)) == before
    assert twin.risk == before[1]


@given(cases())
def test_a_copy_of_a_panel_member_is_worth_nothing(case):
    fold = fold_of(case)
    for judge in range(len(case.noise)):
        fold.add(judge)
        assert fold.risk_with(0) == pytest.approx(fold.risk, abs=1e-12)


def test_ties_go_to_pool_order():
    assert first_best(np.array([0.1, 0.3, 0.3 + 1e-13, 0.2])) == 1
    assert first_best(np.array([-np.inf, -np.inf])) == 0


@given(cases(), st.sampled_from([0.0, 0.0171]))
def test_the_first_judge_has_the_lowest_risk_plus_weighted_cost(case, cost_weight):
    pool = case.pool
    step = start(
        [fold_of(case)], candidates=range(len(case.noise)), costs=pool.costs, cost_weight=cost_weight
    )
    risks = np.array([risk_of(case, [judge]) for judge in range(len(case.noise))])
    total = risks + cost_weight * pool.costs
    assert step.judge == np.flatnonzero(total <= total.min() + 1e-12)[0]
    assert step.gain == pytest.approx(risk_of(case, []) - risks[step.judge], abs=1e-12)


@given(cases())
def test_gains_are_means_over_folds(case):
    folds = [fold_of(case), fold_of(case, smoothing=0.37)]
    start(folds, candidates=[0], costs=case.pool.costs, cost_weight=0.0)
    steps = grow(
        folds,
        candidates=range(1, len(case.noise)),
        costs=case.pool.costs,
        cost_weight=0.0,
        gain_threshold=0.0031,
    )
    panel = [0]
    for step in steps:
        gains = [
            risk_of(case, panel, smoothing) - risk_of(case, [*panel, step.judge], smoothing)
            for smoothing in (1.0, 0.37)
        ]
        np.testing.assert_allclose(step.fold_gains, gains, atol=1e-12)
        assert step.gain == pytest.approx(np.mean(gains), abs=1e-12)
        assert step.gain >= 0.0031
        panel.append(step.judge)


def test_a_reference_risk_does_not_pay_for_a_copy():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 200)
    good = np.where(rng.random(200) < 0.9, target, 1 - target)
    audit = audited(make_pool(np.column_stack([good, good]), target))
    fold = audit_fold(audit, PlanSettings())
    fold.add(0)
    options = {"candidates": [1], "costs": audit.pool.costs, "cost_weight": 0.0, "gain_threshold": 0.005}
    assert grow([fold], reference=[1.0], **options) == []


@pytest.mark.parametrize("empty", ["fit", "validation"])
def test_empty_halves_are_refused(empty):
    some, none = (np.array([[1, 0]]), np.array([1.0, 0.0])), (np.empty((1, 0), dtype=int), np.empty(0))
    halves = [none, some] if empty == "fit" else [some, none]
    with pytest.raises(InvalidInput, match=r"^audit set: allowed is fit and validation rows"):
        Fold(*halves[0], *halves[1], levels=2)
