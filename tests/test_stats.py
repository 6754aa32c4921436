from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from judgekit import stats
from judgekit.errors import InvalidInput


def enumerated(differences):
    """Tail probabilities of the positive rank sum over all sign changes of the non-zero differences."""
    kept = differences[differences != 0]
    ranks = scipy_stats.rankdata(np.abs(kept))
    sums = np.array([ranks[np.array(signs, dtype=bool)].sum() for signs in product([0, 1], repeat=len(kept))])
    observed = ranks[kept > 0].sum()
    return np.mean(sums >= observed), np.mean(sums <= observed)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=10).filter(any))
def test_signed_rank_agrees_with_enumeration_with_ties_and_zeros(values):
    differences = np.array(values, dtype=float)
    found = stats.signed_rank_test(differences, np.zeros(len(values)))
    greater, less = enumerated(differences)
    assert found.p_greater == pytest.approx(greater, abs=1e-12)
    assert found.p_two_sided == pytest.approx(min(1, 2 * min(greater, less)), abs=1e-12)


def test_signed_rank_agrees_with_scipy_at_sixteen_cells():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.3, 1, 16), rng.normal(size=16)
    found = stats.signed_rank_test(first, second)
    assert found.p_greater == scipy_stats.wilcoxon(first, second, alternative="greater").pvalue
    assert found.p_two_sided == pytest.approx(scipy_stats.wilcoxon(first, second).pvalue, abs=1e-12)


def from_negative_ranks(ranks, count):
    return np.array([-rank if rank in ranks else rank for rank in range(1, count + 1)], dtype=float)


@pytest.mark.parametrize(
    ("negative_ranks", "count", "published"),
    [
        ({1, 3}, 10, 0.0068),
        ({1, 2, 10}, 10, 0.0801),
        ({3}, 10, 0.005),
        ({1, 3, 4, 15}, 16, 0.0091),
        ({1, 2, 4, 7}, 16, 0.0017),
    ],
)
def test_published_p_values_are_exact_signed_rank_probabilities(negative_ranks, count, published):
    found = stats.signed_rank_test(from_negative_ranks(negative_ranks, count), np.zeros(count))
    assert found.negative_rank_sum == sum(negative_ranks)
    assert round(found.p_greater, len(str(published)) - 2) == published


def test_rounding_noise_makes_no_order():
    # 0.3 - 0.2 and 0.2 - 0.1 differ in the last digit only.
    noisy = stats.signed_rank_test(np.array([0.3, 0.2, 0.0]), np.array([0.2, 0.1, 0.1]))
    clean = stats.signed_rank_test(np.array([1.0, 1.0, -1.0]), np.zeros(3))
    assert (noisy.p_greater, noisy.p_two_sided) == (clean.p_greater, clean.p_two_sided)


def test_equal_pairs_give_no_probability():
    found = stats.signed_rank_test(np.ones(3), np.array([1.0, 1.0, np.nan]))
    assert np.isnan(found.p_two_sided)
    assert (found.zero, found.kept, found.dropped) == (2, 2, 1)


def test_t_interval_agrees_with_scipy():
    values = np.random.default_rng(1).normal(size=10)
    expected = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = stats.t_interval(values)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.kept == 10


def test_corrected_interval_widens_by_the_overlap_of_splits():
    values = np.random.default_rng(2).normal(size=10)
    plain = stats.t_interval(values)
    corrected = stats.corrected_interval(values, test_fraction=0.5)
    assert corrected.estimate == plain.estimate
    assert corrected.half_width / plain.half_width == pytest.approx(np.sqrt(11))


def test_missing_splits_are_counted_and_one_value_has_no_interval():
    found = stats.t_interval(np.array([2.0, np.nan]))
    assert (found.estimate, found.kept, found.dropped) == (2.0, 1, 1)
    assert np.isnan(found.low)


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.5, float("nan")])
def test_impossible_test_fractions_are_refused(fraction):
    with pytest.raises(InvalidInput, match="test_fraction: allowed is a number between 0 and 1"):
        stats.corrected_interval(np.arange(3.0), test_fraction=fraction)


def test_t_interval_covers_as_stated_on_independent_values():
    rng = np.random.default_rng(3)
    intervals = [stats.t_interval(values) for values in rng.normal(1.0, 2.0, size=(4000, 10))]
    covered = np.mean([interval.low <= 1.0 <= interval.high for interval in intervals])
    assert covered == pytest.approx(0.95, abs=0.0125)


def test_correction_restores_coverage_over_overlapping_splits():
    # Ten random halves of the same 60 rows: their means are nearly as correlated as the correction assumes.
    rng = np.random.default_rng(4)
    plain = corrected = 0
    for _ in range(600):
        rows = rng.normal(size=60)
        halves = np.array([rows[rng.permutation(60)[:30]].mean() for _ in range(10)])
        one, other = stats.t_interval(halves), stats.corrected_interval(halves, test_fraction=0.5)
        plain += one.low <= 0 <= one.high
        corrected += other.low <= 0 <= other.high
    assert plain / 600 < 0.75
    assert corrected / 600 > 0.93


def test_comparison_agrees_with_scipy_and_keeps_both_intervals():
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=10), rng.normal(size=10)
    found = stats.paired_comparison(first, second, test_fraction=0.5)
    assert found.p_t == pytest.approx(scipy_stats.ttest_rel(first, second).pvalue, abs=1e-12)
    assert found.p_corrected > found.p_t
    assert found.corrected.half_width > found.difference.half_width
    assert stats.paired_comparison(first, second).corrected is None


def test_p_values_and_intervals_say_the_same():
    rng = np.random.default_rng(6)
    for first in rng.normal(0.5, 1.0, size=(50, 10)):
        found = stats.paired_comparison(first, np.zeros(10), test_fraction=0.5)
        assert (found.p_corrected < 0.05) == (found.corrected.low > 0 or found.corrected.high < 0)


def test_unequal_lengths_are_refused():
    with pytest.raises((InvalidInput, TypeError)):
        stats.paired_comparison(np.arange(3.0), np.arange(2.0))


def test_holm_by_hand_with_an_undefined_test():
    adjusted = stats.holm(np.array([0.04, np.nan, 0.01, 0.03]))
    np.testing.assert_allclose(adjusted, [0.06, np.nan, 0.03, 0.06])


def test_holm_lies_between_the_p_value_and_bonferroni_and_keeps_the_order():
    p_values = np.random.default_rng(7).random(12)
    adjusted = stats.holm(p_values)
    assert np.all(adjusted >= p_values)
    assert np.all(adjusted <= np.minimum(1, 12 * p_values))
    assert np.all(np.diff(adjusted[np.argsort(p_values)]) >= 0)
    assert adjusted.min() == pytest.approx(min(1, 12 * p_values.min()))


def test_probabilities_above_one_are_refused():
    with pytest.raises(InvalidInput, match="p_values"):
        stats.holm(np.array([0.1, 1.2]))


def test_plans_agree_by_shared_members():
    assert stats.jaccard({"a", ("b", 1)}, {("b", 1), "c"}) == pytest.approx(1 / 3)
    assert stats.jaccard(set(), set()) == 1.0
    assert stats.mean_jaccard([{1}, {1}, {2}]) == pytest.approx(1 / 3)
    assert np.isnan(stats.mean_jaccard([{1}]))
