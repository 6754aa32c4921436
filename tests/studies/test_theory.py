"""Propositions against their formulas."""

import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.studies import theory


def test_two_buckets_lose_nothing_and_three_lose_something():
    assert theory.information_gap(2, 10) == 0
    assert theory.information_gap(3, 10) > 0.01


def test_information_gap_of_a_grid_worked_by_hand():
    # K = 3 in halves gives six points; only (0,1,0) and (.5,0,.5) share a mean,
    # with variances 0 and 1, so each misses by 0.5
    assert theory.information_gap(3, 2) == pytest.approx(2 * 0.25 / 6)


@pytest.mark.parametrize(("correlation", "judges"), [(0.0, 3), (0.5, 4), (0.9, 2), (1.0, 5)])
def test_error_variance_agrees_with_simulation(correlation, judges):
    rng = np.random.default_rng(3)
    estimate, error = theory.simulated_error_variance(1.5, correlation, judges, draws=50_000, rng=rng)
    assert abs(estimate - theory.error_variance(1.5, correlation, judges)) < 4 * error


def test_error_variance_never_falls_below_its_floor():
    values = [theory.error_variance(1.0, 0.4, judges) for judges in range(1, 200)]
    assert min(values) > 0.4
    assert values == sorted(values, reverse=True)


def test_error_variance_refuses_a_correlation_that_cannot_be_shared():
    with pytest.raises(InvalidInput, match="correlation"):
        theory.error_variance(1.0, -0.9, 3)


def test_the_best_temperature_gives_the_truth_back_and_others_cost_the_squared_shift():
    truth, support = np.array([0.1, 0.2, 0.3, 0.4]), np.arange(1.0, 5.0)
    taus = np.array([0.6, 1.0, 1.7])
    star = theory.best_pool_temperature(np.full(3, 1 / 3), taus)
    excess = theory.temperature_excess(truth, support, taus, np.array([0.5, star, 2.0]))
    np.testing.assert_allclose(excess["squared_error"], excess["predicted"], atol=1e-9)
    assert excess["score"][1] == pytest.approx(truth @ support, abs=1e-9)
    assert excess["squared_error"].idxmin() == 1


@pytest.mark.parametrize("judges", [1, 2, 3, 6])
def test_pools_flip_exactly_where_the_conditions_say(judges):
    turned = theory.flips(0.55, 0.35, np.logspace(-8, -0.4, 60), 0.5, judges)
    assert (turned["log"] == turned["log_condition"]).all()
    assert (turned["linear"] == turned["linear_condition"]).all()
    assert turned["log"].iloc[0], "a veto of a hundred-millionth turns the log pool round"


def test_mean_and_mode_are_the_best_answers_to_their_losses():
    truth, support = np.array([0.5, 0.1, 0.4]), np.array([1.0, 2.0, 3.0])
    losses = theory.bayes_actions(truth, support)
    assert losses.loc[losses["squared_loss"].idxmin(), "action"] == pytest.approx(1.9)
    assert losses.loc[losses["exact_match_loss"].idxmin(), "action"] == 1.0
    assert losses["squared_loss"].min() == pytest.approx(truth @ (support - 1.9) ** 2)


def test_equal_means_pool_apart_where_one_judge_is_torn():
    second = np.array([0.1, 0.3, 0.6])
    support = np.arange(1.0, 4.0)
    shapes = theory.same_mean(0.85, second)
    assert (shapes.loc[["sure", "torn"]] @ support).tolist() == pytest.approx([2.0, 2.0], abs=1e-9)
    by_hand = np.sqrt(np.array([0.475, 0.05, 0.475]) * second)
    np.testing.assert_allclose(shapes.loc["torn + second"], by_hand / by_hand.sum(), atol=1e-9)
    level = theory.same_mean(0.0, second)
    np.testing.assert_allclose(level.loc["sure + second"], level.loc["torn + second"])
