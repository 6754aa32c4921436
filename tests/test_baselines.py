import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import CategoricalNB

from judgekit.baselines import (
    Cascade,
    best_subset,
    dawid_skene,
    frugal_cascade,
    logistic_stack,
    reliability_jury,
)
from judgekit.calibration import fit_pattern_table
from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.signals import Signal
from tests.obvious import DictTable, panel_risk
from tests.strategies import audited, cases, good_judges, halves, make_pool

DEFAULT = PlanSettings()


@given(cases(max_levels=2, scalar=False))
@settings(max_examples=40)
def test_the_stack_is_a_logistic_regression_on_verdicts(case):
    audit = case.audit
    stack = logistic_stack(audit, by_slice=False)
    trusted = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(audit.pool.codes, audit.pool.target)
    expected = trusted.predict_proba(case.pool.codes)[:, 1]
    outcome = stack.apply(case.pool.codes, case.pool.slices)
    np.testing.assert_allclose(outcome.probability, expected, atol=1e-5)
    assert outcome.called.all()


@pytest.mark.parametrize("by_slice", [False, True])
def test_a_stack_of_verdicts_that_never_vary_answers_the_base_rate(by_slice):
    codes, target = np.ones((12, 3), dtype=int), np.array([1.0] * 9 + [0.0] * 3)
    pool = make_pool(codes, target, slices=np.zeros(12, dtype=int) if by_slice else None)
    audit = audited(pool)
    stack = logistic_stack(audit, by_slice=by_slice)
    expected = audit.pool.target.mean()
    np.testing.assert_allclose(stack.apply(pool.codes, pool.slices).probability, expected, atol=1e-9)


def test_verdicts_of_more_levels_are_one_hot_without_the_lowest():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (90, 2))
    pool = make_pool(codes, (codes.sum(axis=1) + rng.integers(0, 2, 90) > 2).astype(float), levels=3)
    audit = audited(pool)
    hot = np.stack([audit.pool.codes[:, j] == level for j in (0, 1) for level in (1, 2)], axis=1)
    trusted = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(hot, audit.pool.target)
    stack = logistic_stack(audit, by_slice=False)
    np.testing.assert_allclose(stack.coefficients, trusted.coef_[0], atol=1e-4)


def test_the_slice_stack_has_coefficients_of_its_own_in_every_slice():
    pool = good_judges(400, [0.8, 0.7], slices=2)
    audit = audited(pool)
    codes = audit.pool.codes.astype(float)
    inside = [audit.pool.slices == number for number in (0, 1)]
    columns = [codes] + [part for mask in inside for part in (mask[:, None], mask[:, None] * codes)]
    trusted = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(np.hstack(columns), audit.pool.target)
    stack = logistic_stack(audit, by_slice=True)
    expected = trusted.predict_proba(np.hstack(columns))[:, 1]
    outcome = stack.apply(audit.pool.codes, audit.pool.slices)
    np.testing.assert_allclose(outcome.probability, expected, atol=1e-5)


def test_a_slice_known_from_the_label_gets_no_coefficients():
    pool = replace(good_judges(200, [0.8, 0.7], slices=2), signal=Signal("label"))
    assert logistic_stack(audited(pool), by_slice=True).slices == 0


def test_scalar_labels_get_a_clipped_ridge():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (200, 2))
    target = np.clip(codes.mean(axis=1) / 2 + rng.normal(0, 0.05, 200), 0, 1)
    pool = make_pool(codes, target, levels=3)
    audit = audited(pool)
    hot = np.stack([audit.pool.codes[:, j] == level for j in (0, 1) for level in (1, 2)], axis=1).astype(
        float
    )
    expected = np.clip(Ridge(alpha=1.0).fit(hot, audit.pool.target).predict(hot), 0, 1)
    outcome = logistic_stack(audit, by_slice=False).apply(audit.pool.codes, audit.pool.slices)
    np.testing.assert_allclose(outcome.probability, expected, atol=1e-10)


def test_a_missing_verdict_lies_between_the_two_it_could_be():
    pool = good_judges(300, [0.85, 0.8])
    stack = logistic_stack(audited(pool), by_slice=False)
    codes = np.array([[0, 1], [1, 1], [-1, 1]])
    outcome = stack.apply(codes, np.full(3, -1))
    low, high, between = outcome.probability
    assert low < between < high
    assert outcome.fallback.tolist() == [False, False, True]
    # nothing is known of a row whose judges all fail but the usual verdicts
    usual = stack.apply(np.array([[-1, -1]]), np.array([-1])).probability[0]
    assert usual == pytest.approx(pool.target.mean(), abs=0.1)


@given(cases(max_levels=4, scalar=False))
@settings(max_examples=40)
def test_the_jury_is_naive_bayes_with_add_one_counts(case):
    audit = case.audit
    label = audit.pool.target.astype(int)
    counts = np.bincount(label) + 1.0
    trusted = CategoricalNB(alpha=1.0, min_categories=case.levels, class_prior=counts / counts.sum())
    trusted.fit(audit.pool.codes, label)
    outcome = reliability_jury(audit, DEFAULT).apply(case.pool.codes, case.pool.slices)
    np.testing.assert_allclose(outcome.probability, trusted.predict_proba(case.pool.codes)[:, 1], atol=1e-9)
    assert outcome.called.all()


def test_a_juror_who_fails_says_nothing():
    pool = good_judges(300, [0.85, 0.8, 0.7])
    jury = reliability_jury(audited(pool), DEFAULT)
    two = reliability_jury(audited(make_pool(pool.codes[:, :2], pool.target)), DEFAULT)
    codes = pool.codes[:20].copy()
    codes[:, 2] = -1
    silent, pair = jury.apply(codes, pool.slices[:20]), two.apply(codes[:, :2], pool.slices[:20])
    np.testing.assert_allclose(silent.probability, pair.probability, atol=1e-12)
    assert silent.fallback.all()


def test_scalar_juries_answer_with_the_mean_of_the_buckets():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 300) / 2
    codes = np.clip(np.round(target[:, None] * 2 + rng.normal(0, 0.4, (300, 3))), 0, 2)
    pool = make_pool(codes, target, levels=3)
    probability = reliability_jury(audited(pool), DEFAULT).apply(pool.codes, pool.slices).probability
    assert np.corrcoef(probability, target)[0, 1] > 0.9


def test_dawid_skene_finds_who_is_good_without_labels_and_the_right_way_round():
    pool = good_judges(1500, [0.95, 0.9, 0.8, 0.7, 0.55])
    audit = audited(pool)
    jury = dawid_skene(audit, DEFAULT)
    confusion = np.exp(jury.log_confusion)
    np.testing.assert_allclose(confusion.sum(axis=2), 1.0, atol=1e-9)
    accuracy = confusion[:, [0, 1], [0, 1]].mean(axis=1)
    np.testing.assert_allclose(accuracy, [0.95, 0.9, 0.8, 0.7, 0.55], atol=0.06)
    split = halves(pool)
    outcome = jury.apply(pool.codes[split.test], pool.slices[split.test])
    assert np.mean((outcome.probability > 0.5) == (pool.target[split.test] == 1)) > 0.93
    other_labels = replace(audit, pool=replace(audit.pool, target=1 - audit.pool.target))
    np.testing.assert_array_equal(dawid_skene(other_labels, DEFAULT).log_confusion, jury.log_confusion)


def test_dawid_skene_bears_a_bucket_that_nobody_used():
    pool = replace(good_judges(200, [0.9, 0.85, 0.8]), levels=3)
    outcome = dawid_skene(audited(pool), DEFAULT).apply(pool.codes, pool.slices)
    assert np.isfinite(outcome.probability).all()


def test_a_cascade_by_hand():
    codes = np.array([[1, 1], [1, 1], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]])
    target = np.array([1.0, 1, 1, 0, 0, 0, 0, 0])
    table = fit_pattern_table(codes, target, judges=(1, 0), levels=2, smoothing=0.0)
    # b alone: says 1 -> 2/4, says 0 -> 1/4; then a: (1, 1) -> 1, (1, 0) -> 0, (0, 1) -> 1/2, (0, 0) -> 0
    outcome = Cascade(table, 0.75).apply(np.array([[1, 1], [0, 1], [1, 0], [0, 0]]), np.full(4, -1))
    assert outcome.probability.tolist() == [1.0, 0.0, 0.25, 0.25]
    assert outcome.called.tolist() == [[True, True], [True, True], [False, True], [False, True]]
    strict = Cascade(table, 0.76).apply(np.array([[1, 0]]), np.array([-1]))
    assert strict.probability.tolist() == [0.5]
    assert strict.called.tolist() == [[True, True]]


def test_a_cascade_says_where_a_verdict_was_missing():
    pool = good_judges(200, [0.8, 0.7])
    cascade = frugal_cascade(audited(pool), DEFAULT)
    codes = np.array([[-1, -1], [1, 1]])
    outcome = replace(cascade, confidence=1.0).apply(codes, np.full(2, -1))
    assert outcome.fallback.tolist() == [True, False]
    assert outcome.probability[0] == cascade.table.base_rate


@given(cases())
@settings(max_examples=30)
def test_the_cascade_asks_in_order_of_quality_and_stops_at_the_best_confidence(case):
    audit = case.audit
    pool, fit, validation = audit.pool, audit.fit, audit.validation
    judges = range(len(pool.judges))
    risks = [panel_risk(pool.codes, pool.target, fit, validation, [j], 1.0) for j in judges]
    order = sorted(judges, key=lambda judge: (round(risks[judge], 12), judge))
    cascade = frugal_cascade(audit, DEFAULT)
    assert list(cascade.table.judges) == order
    tables = [DictTable(pool.codes[fit], pool.target[fit], order[: d + 1], 1.0) for d in judges]
    losses = []
    for confidence in np.linspace(0.5, 1.0, 51):
        loss = 0.0
        for row in validation:
            for depth, table in enumerate(tables):
                value = table.answer(pool.codes[row])[0]
                if max(value, 1 - value) >= confidence or depth == len(tables) - 1:
                    loss += (value - pool.target[row]) ** 2
                    break
        losses.append(loss / len(validation))
    best = np.linspace(0.5, 1.0, 51)[np.array(losses) <= min(losses) + 1e-9]
    assert any(cascade.confidence == pytest.approx(confidence) for confidence in best)


@given(cases())
@settings(max_examples=40)
def test_the_best_subset_is_that_of_brute_force(case):
    audit = case.audit
    pool = audit.pool
    found = best_subset(audit, DEFAULT)
    subsets = [
        panel
        for size in range(1, len(pool.judges) + 1)
        for panel in itertools.combinations(range(len(pool.judges)), size)
    ]
    risks = [
        panel_risk(pool.codes, pool.target, audit.fit, audit.validation, panel, 1.0) for panel in subsets
    ]
    first = next(panel for panel, risk in zip(subsets, risks, strict=True) if risk <= min(risks) + 1e-12)
    assert found.panel == first
    assert found.routes == {}


def test_too_many_judges_for_an_exhaustive_search_are_refused():
    pool = good_judges(60, [0.8] * 13)
    with pytest.raises(
        InvalidInput, match=r"^judges: allowed is at most 12 for an exhaustive search; given 13"
    ):
        best_subset(audited(pool), DEFAULT)
