import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.metrics import brier_score_loss

from judgekit import metrics
from judgekit.errors import InvalidInput

few_levels = st.integers(0, 4).map(float)
pairs = st.integers(2, 30).flatmap(
    lambda n: st.tuples(arrays(float, n, elements=few_levels), arrays(float, n, elements=few_levels))
)


@given(pairs)
def test_spearman_agrees_with_scipy_where_defined(pair):
    score, target = pair
    if np.ptp(score) == 0 or np.ptp(target) == 0:
        assert np.isnan(metrics.spearman(score, target))
    else:
        assert metrics.spearman(score, target) == pytest.approx(stats.spearmanr(score, target)[0], abs=1e-12)


def test_constant_scores_are_undefined_and_say_so():
    found = metrics.rank_correlation(np.full(5, 0.1 + 0.2), np.arange(5.0))
    assert np.isnan(found.estimate)
    assert found.undefined == "constant scores"
    assert metrics.rank_correlation(np.arange(5.0), np.ones(5)).undefined == "constant target"


def test_noise_in_the_last_digits_makes_no_order():
    rng = np.random.default_rng(5)
    levels = rng.integers(0, 4, 200) / 3
    target = rng.normal(size=200)
    clean = metrics.spearman(levels, target)
    assert metrics.spearman(levels + 1e-15 * rng.normal(size=200), target) == pytest.approx(clean, abs=1e-12)
    noisy = (levels * (1 + 2e-7 * rng.normal(size=200))).astype(np.float32)
    assert metrics.spearman(noisy, target) == pytest.approx(clean, abs=1e-12)
    assert metrics.rank_correlation(1 + 1e-15 * rng.normal(size=200), target).undefined == "constant scores"


def test_too_few_rows_are_undefined_and_counted():
    found = metrics.rank_correlation(np.array([1.0, np.nan, np.nan]), np.array([1.0, 2.0, 3.0]))
    assert (found.undefined, found.kept, found.dropped) == ("fewer than 2 rows", 1, 2)


def test_columns_with_holes_equal_one_at_a_time():
    rng = np.random.default_rng(0)
    scores = np.round(rng.normal(size=(60, 7)), 1)
    scores[rng.random(scores.shape) < 0.2] = np.nan
    scores[:, 1] = scores[:, 0]
    scores[:, 5] = 2.5
    scores[:, 6] = np.nan
    target = np.round(rng.normal(size=60), 1)
    target[:3] = np.nan
    one_by_one = [metrics.spearman(column, target) for column in scores.T]
    np.testing.assert_allclose(metrics.spearman_columns(scores, target), one_by_one, atol=1e-14)
    assert np.isnan(one_by_one[5:]).all()
    assert np.isfinite(one_by_one[:5]).all()


def test_lengths_that_differ_are_refused():
    with pytest.raises((InvalidInput, TypeError)):
        metrics.spearman(np.arange(3.0), np.arange(2.0))


def test_brier_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    probability, label = rng.random(200), (rng.random(200) < 0.3).astype(float)
    assert metrics.brier(probability, label) == pytest.approx(brier_score_loss(label, probability), abs=1e-15)


def test_accuracy_cuts_at_one_half_which_says_one():
    probability = np.array([0.5, 0.49, 0.9, 0.1])
    assert metrics.accuracy(probability, np.array([1.0, 1.0, 0.0, 0.0])) == 0.5


@pytest.mark.parametrize("measure", [metrics.brier, metrics.accuracy, metrics.expected_calibration_error])
def test_missing_predictions_are_refused_not_skipped(measure):
    with pytest.raises(InvalidInput, match="prediction: allowed is numbers without NaN; given 1 NaN"):
        measure(np.array([0.5, np.nan]), np.array([1.0, 0.0]))
    with pytest.raises(InvalidInput, match="at least one row"):
        measure(np.array([]), np.array([]))


def test_calibration_error_by_hand():
    # Two bins of three: gaps |0.2 - 1/3| and |0.8 - 2/3|, each with half of the rows.
    prediction = np.array([0.9, 0.1, 0.2, 0.7, 0.3, 0.8])
    target = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 1.0])
    expected = (abs(0.2 - 1 / 3) + abs(0.8 - 2 / 3)) / 2
    assert metrics.expected_calibration_error(prediction, target, bins=2) == pytest.approx(expected)


def test_calibration_error_equals_equal_count_bins_without_ties():
    rng = np.random.default_rng(2)
    prediction, target = rng.random(200), (rng.random(200) < 0.5).astype(float)
    order = np.argsort(prediction)
    slow = sum(
        len(rows) / 200 * abs(prediction[rows].mean() - target[rows].mean()) for rows in np.split(order, 10)
    )
    assert metrics.expected_calibration_error(prediction, target) == pytest.approx(slow, abs=1e-14)


@given(pairs, st.randoms(use_true_random=False))
def test_calibration_error_ignores_row_order(pair, random):
    prediction, target = pair
    order = list(range(len(target)))
    random.shuffle(order)
    shuffled = metrics.expected_calibration_error(prediction[order], target[order])
    assert shuffled == pytest.approx(metrics.expected_calibration_error(prediction, target), abs=1e-12)


def test_residual_correlation_agrees_with_numpy():
    rng = np.random.default_rng(3)
    target = rng.normal(size=80)
    scores = target[:, None] + rng.normal(size=(80, 1)) + rng.normal(size=(80, 4))
    matrix = np.corrcoef(scores - target[:, None], rowvar=False)
    np.testing.assert_allclose(metrics.residual_correlation_matrix(scores, target), matrix, atol=1e-12)
    mean = matrix[~np.eye(4, dtype=bool)].mean()
    assert metrics.residual_correlation(scores, target) == pytest.approx(mean, abs=1e-12)


def test_residual_correlation_uses_the_rows_each_pair_shares():
    rng = np.random.default_rng(4)
    scores, target = rng.normal(size=(50, 3)), rng.normal(size=50)
    scores[:20, 0] = np.nan
    found = metrics.residual_correlation_matrix(scores, target)
    errors = scores - target[:, None]
    assert found[0, 1] == pytest.approx(np.corrcoef(errors[20:, 0], errors[20:, 1])[0, 1])
    assert found[1, 2] == pytest.approx(np.corrcoef(errors[:, 1], errors[:, 2])[0, 1])


def test_residual_correlation_of_one_judge_is_undefined():
    assert np.isnan(metrics.residual_correlation(np.arange(4.0)[:, None], np.zeros(4)))


def test_brier_refuses_what_is_no_probability():
    with pytest.raises(InvalidInput, match=r"probability: allowed is numbers from 0 to 1; given 1\.2"):
        metrics.brier(np.array([0.5, 1.2]), np.array([0.0, 1.0]))
    assert metrics.brier(np.array([1.0 + 1e-8]), np.array([1.0])) < 1e-12


def test_float32_scores_rank_and_bin_as_float64_ones_do():
    rng = np.random.default_rng(8)
    scores = rng.random((60, 3)).astype(np.float32)
    target = rng.random(60)
    wide = scores.astype(np.float64)
    found, expected = metrics.spearman_columns(scores, target), metrics.spearman_columns(wide, target)
    np.testing.assert_array_equal(found, expected)
    narrow, full = (
        metrics.expected_calibration_error(each[:, 0], each[:, 1], bins=7) for each in (scores, wide)
    )
    assert narrow == pytest.approx(full, abs=1e-7)
