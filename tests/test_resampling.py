import numpy as np
import pytest
from scipy import stats as scipy_stats

from judgekit import metrics, resampling
from judgekit.errors import InvalidInput


def test_cell_bootstrap_agrees_with_scipy():
    values = np.random.default_rng(0).normal(0.05, 0.08, size=10)
    found = resampling.bootstrap_cells(values, rng=np.random.default_rng(1), draws=40_000)
    trusted = scipy_stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=40_000, rng=np.random.default_rng(2)
    ).confidence_interval
    assert found.estimate == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((trusted.low, trusted.high), abs=0.002)


def test_weighted_cell_bootstrap_draws_cells_with_their_weights():
    values, weights = np.array([0.0, 1.0]), np.array([1.0, 3.0])
    found = resampling.bootstrap_cells(values, weights=weights, rng=np.random.default_rng(0), draws=4_000)
    # Two cells: both first (1/4), one of each (1/2, mean 0.75), both second (1/4).
    assert (found.estimate, found.low, found.high) == (0.75, 0.0, 1.0)
    inner = resampling.bootstrap_cells(
        values, weights=weights, rng=np.random.default_rng(0), draws=4_000, level=0.4
    )
    assert (inner.low, inner.high) == (0.75, 0.75)


def test_undefined_cells_are_counted():
    found = resampling.bootstrap_cells(np.array([0.1, np.nan]), rng=np.random.default_rng(0))
    assert (found.estimate, found.kept, found.dropped) == (0.1, 1, 1)
    assert np.isnan(found.low)


def test_weights_that_are_not_positive_are_refused():
    with pytest.raises(InvalidInput, match="weights: allowed is positive numbers"):
        resampling.bootstrap_cells(
            np.arange(2.0), weights=np.array([1.0, 0.0]), rng=np.random.default_rng(0), draws=10
        )


def grouped_cell(rng, groups=30, size=5):
    codes = np.repeat(np.arange(groups), size)
    quality = rng.normal(size=groups)[codes] + rng.normal(size=len(codes))
    scores = np.stack([quality + rng.normal(scale=s, size=len(codes)) for s in (0.5, 1.0, 2.0)], axis=1)
    return np.round(scores, 1), np.round(quality), codes


def test_spearman_bootstrap_equals_ranking_every_resample():
    rng = np.random.default_rng(3)
    scores, target, codes = grouped_cell(rng)
    scores[7, 1] = np.nan
    found = resampling.bootstrap_spearman(scores, target, codes, rng=np.random.default_rng(4), draws=20)
    rows = ~np.isnan(scores).any(axis=1)
    assert (found.groups, found.kept, found.dropped) == (30, 149, 1)
    again = np.random.default_rng(4)
    # The fast form draws its counts in one block at this size.
    counts = again.multinomial(30, np.full(30, 1 / 30), size=20)
    for draw, count in enumerate(counts):
        repeated = np.repeat(np.arange(150)[rows], count[codes[rows]])
        slow = metrics.spearman_columns(scores[repeated], target[repeated])
        np.testing.assert_allclose(found.draws[draw], slow, atol=1e-12)
    np.testing.assert_allclose(
        found.estimate, metrics.spearman_columns(scores[rows], target[rows]), atol=1e-12
    )


def test_paired_difference_is_narrower_than_the_intervals_apart():
    rng = np.random.default_rng(5)
    scores, target, codes = grouped_cell(rng, groups=60)
    found = resampling.bootstrap_spearman(scores[:, :2], target, codes, rng=rng, draws=500)
    difference = found.difference(0, 1)
    assert difference.estimate == pytest.approx(found.estimate[0] - found.estimate[1])
    assert difference.half_width < found.interval(0).half_width + found.interval(1).half_width


def test_a_constant_method_stays_undefined():
    scores, target, codes = grouped_cell(np.random.default_rng(6))
    scores[:, 0] = 3.0
    found = resampling.bootstrap_spearman(scores, target, codes, rng=np.random.default_rng(0), draws=5)
    assert np.isnan(found.estimate[0])
    assert np.isnan(found.interval(0).low)
    assert np.isfinite(found.interval(1).low)


def test_blocks_do_not_change_the_number_of_draws(monkeypatch):
    monkeypatch.setattr(resampling, "_BLOCK", 300)
    scores, target, codes = grouped_cell(np.random.default_rng(7))
    found = resampling.bootstrap_spearman(scores, target, codes, rng=np.random.default_rng(0), draws=7)
    assert found.draws.shape == (7, 3)
    assert np.isfinite(found.draws).all()


def test_group_bootstrap_of_a_mean_covers_as_stated():
    rng = np.random.default_rng(8)
    codes = np.repeat(np.arange(40), 4)
    plain = grouped = 0
    for _ in range(300):
        values = (rng.normal(size=40)[codes] + 0.3 * rng.normal(size=160))[:, None]
        found = resampling.bootstrap_mean(values, codes, rng=rng, draws=400).interval(0)
        by_row = resampling.bootstrap_mean(values, np.arange(160), rng=rng, draws=400).interval(0)
        grouped += found.low <= 0 <= found.high
        plain += by_row.low <= 0 <= by_row.high
    assert grouped / 300 == pytest.approx(0.94, abs=0.045)
    assert plain / 300 < 0.75


def test_no_complete_row_is_refused():
    with pytest.raises(InvalidInput, match="at least one complete row; given none of 3"):
        resampling.bootstrap_mean(np.full((3, 1), np.nan), np.arange(3), rng=np.random.default_rng(0))


def test_power_without_an_effect_is_the_exact_size_of_the_test():
    found = resampling.signed_rank_power(
        mean=0.0, standard_deviation=1.0, cells=10, rng=np.random.default_rng(9), simulations=20_000
    )
    # The largest attainable level at n = 10: rank sum <= 10 has probability 43/1024.
    assert found.low <= 43 / 1024 <= found.high


def test_power_grows_with_cells_and_effect():
    def power(mean, cells):
        return resampling.signed_rank_power(
            mean=mean,
            standard_deviation=0.08,
            cells=cells,
            rng=np.random.default_rng(10),
            simulations=4_000,
        ).estimate

    assert power(0.03, 10) < power(0.03, 16) < power(0.079, 16)
    assert power(0.079, 10) > 0.8


@pytest.mark.parametrize(
    ("field", "value"), [("cells", 0), ("standard_deviation", 0.0), ("alternative", "less")]
)
def test_impossible_power_settings_are_refused(field, value):
    settings = {"mean": 0.1, "standard_deviation": 1.0, "cells": 10, field: value}
    with pytest.raises(InvalidInput, match=field):
        resampling.signed_rank_power(**settings, rng=np.random.default_rng(0))
