"""Scalar experts: bins, histograms and the vetting rule, by hand and by property."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.experts import fit_expert, vet
from judgekit.scores import soft_score

SUPPORT = np.arange(1.0, 6.0)


def test_two_bins_by_hand_with_smoothing():
    values = np.array([0.0, 1.0, 2.0, 3.0])
    target = np.array([1.0, 2.0, 2.0, 2.0])
    expert = fit_expert(values, target, np.array([1.0, 2.0]), bins=2, smoothing=1.0)
    assert expert.edges.tolist() == [1.5]
    # overall 1/4, 3/4; low bin one of each, high bin two 2s
    np.testing.assert_allclose(expert.histograms, [[(1 + 0.25) / 3, (1 + 0.75) / 3], [0.25 / 3, 2.75 / 3]])
    assert expert.rows.tolist() == [2, 2]


@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_bins_hold_every_row_and_histograms_are_distributions(seed, bins):
    rng = np.random.default_rng(seed)
    values = np.round(rng.standard_normal(60), 1)
    target = rng.integers(1, 6, 60).astype(float)
    expert = fit_expert(values, target, SUPPORT, bins=bins)
    assert expert.rows.sum() == 60
    assert (expert.rows > 0).all()
    np.testing.assert_allclose(expert.histograms.sum(axis=1), 1)


@given(st.integers(0, 2**32 - 1))
def test_any_increasing_map_of_the_metric_gives_the_same_distributions(seed):
    rng = np.random.default_rng(seed)
    values, target = rng.permutation(np.arange(50.0)), rng.integers(1, 6, 50).astype(float)
    plain = fit_expert(values, target, SUPPORT, bins=5).distribution(values)
    # quantiles of a curved metric fall elsewhere between two values, but between the same two
    curved = fit_expert(values**3, target, SUPPORT, bins=5).distribution(values**3)
    np.testing.assert_allclose(plain, curved)


def test_a_metric_that_follows_the_label_gives_increasing_scores():
    values = np.linspace(0, 1, 200)
    expert = fit_expert(values, 1 + np.floor(4.99 * values), SUPPORT, bins=10)
    scores = soft_score(expert.distribution(np.array([0.05, 0.5, 0.95])), SUPPORT)
    assert scores[0] < scores[1] < scores[2]


def test_missing_values_give_missing_distributions_and_are_left_out_of_the_fit():
    values = np.array([np.nan, 0.0, 1.0, 2.0, 3.0])
    expert = fit_expert(values, np.array([1.0, 1, 1, 2, 2]), np.array([1.0, 2.0]), bins=2)
    assert np.isnan(expert.distribution(values)[0]).all()
    assert expert.rows.sum() == 4


def test_values_outside_the_training_range_take_the_outer_bins():
    expert = fit_expert(np.arange(20.0), np.repeat([1.0, 5.0], 10), SUPPORT, bins=4)
    outer = expert.distribution(np.array([-100.0, 100.0]))
    np.testing.assert_array_equal(outer, expert.histograms[[0, -1]])


@pytest.mark.parametrize(
    ("values", "bins", "field"),
    [(np.zeros(30), 5, "values"), (np.arange(3.0), 5, "values"), (np.arange(30.0), 1, "bins")],
)
def test_a_metric_that_cannot_be_binned_is_refused(values, bins, field):
    with pytest.raises(InvalidInput, match=field):
        fit_expert(values, np.ones(len(values)), SUPPORT, bins=bins)


def test_vetting_wants_a_gain_in_mean_and_in_most_folds():
    assert vet(np.array([0.1, 0.1, -0.05])).admitted
    assert not vet(np.array([0.5, -0.1, -0.1])).admitted
    assert not vet(np.array([0.1, np.nan, np.nan])).admitted
    assert not vet(np.array([np.nan])).admitted
