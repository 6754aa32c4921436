"""The propositions of the JudgeMoE paper, computed exactly or simulated."""

from itertools import product

import numpy as np
import pandas as pd
from scipy.special import softmax

from judgekit.errors import InvalidInput
from judgekit.pooling import pool_linear, pool_log


def same_mean(doubt: float, second: np.ndarray) -> pd.DataFrame:
    """Two judges of mean 2 on scores 1, 2, 3, one of them in doubt, each beside the same second judge.

    Parameters
    ----------
    doubt : float
        Mass that the torn judge moves from the middle to the two ends, half to each, 0..0.9.
    second : float64 [3]
        What the second judge says.

    Returns
    -------
    DataFrame
        Rows sure, torn, second, and the log pools "sure + second" and "torn + second"; columns the scores.

    Examples
    --------
    >>> same_mean(0.8, np.array([0.1, 0.3, 0.6])).round(3).loc["torn"].tolist()
    [0.45, 0.1, 0.45]
    """
    support = np.arange(1.0, 4.0)
    sure = np.array([0.05, 0.9, 0.05])
    torn = sure + doubt * np.array([0.5, -1.0, 0.5])
    pooled = {
        f"{name} + second": pool_log(np.array([[vector, second]]), support).probs[0]
        for name, vector in (("sure", sure), ("torn", torn))
    }
    return pd.DataFrame({"sure": sure, "torn": torn, "second": second, **pooled}, index=support).T


def simplex_grid(buckets: int, steps: int) -> np.ndarray:
    """Every distribution whose entries are multiples of 1/steps: float64 [points, buckets]."""
    if buckets < 2 or steps < 1:
        raise InvalidInput("simplex grid", "at least 2 buckets and 1 step", (buckets, steps))
    points = [point for point in product(range(steps + 1), repeat=buckets) if sum(point) == steps]
    return np.array(points, dtype=np.float64) / steps


def information_gap(buckets: int, steps: int) -> float:
    """Squared error lost by seeing only the mean of a judge's distribution, `E[(E[y|P] - E[y|mu])^2]`.

    The distributions are those of `simplex_grid`, equally likely, and the label depends on the judge's
    doubt: `E[y|P]` is the variance of P. With two buckets the mean fixes the distribution and nothing is
    lost; with three or more, distributions of equal mean differ in variance.

    Examples
    --------
    >>> information_gap(2, 12) < 1e-30, information_gap(3, 12) > 0.01
    (True, True)
    """
    points = simplex_grid(buckets, steps)
    support = np.arange(buckets)
    # whole numbers: equal means are equal exactly
    mean = np.rint(points * steps) @ support
    label = points @ support**2.0 - (points @ support) ** 2
    _, code = np.unique(mean, return_inverse=True)
    given_mean = (np.bincount(code, weights=label) / np.bincount(code))[code]
    return float(np.mean((label - given_mean) ** 2))


def error_variance(sigma: float, correlation: float, judges: int) -> float:
    """Variance of the mean of equally correlated errors, `sigma^2 (rho + (1 - rho) / m)` (Eqs. 13 and 14).

    Examples
    --------
    >>> round(error_variance(1.0, 0.7775, 6), 3), round(error_variance(1.0, 0.7071, 3), 3)
    (0.815, 0.805)
    """
    if judges < 1 or not -1 / max(judges - 1, 1) <= correlation <= 1:
        raise InvalidInput("correlation", "a number that m judges can share, up to 1", (correlation, judges))
    return sigma**2 * (correlation + (1 - correlation) / judges)


def simulated_error_variance(
    sigma: float, correlation: float, judges: int, *, draws: int, rng: np.random.Generator
) -> tuple[float, float]:
    """The same by simulation: estimate and its standard error."""
    shared = np.sqrt(correlation) * rng.standard_normal((draws, 1))
    errors = sigma * (shared + np.sqrt(1 - correlation) * rng.standard_normal((draws, judges)))
    squared = errors.mean(axis=1) ** 2
    return float(squared.mean()), float(squared.std(ddof=1) / np.sqrt(draws))


def tempered_judges(truth: np.ndarray, temperatures: np.ndarray) -> np.ndarray:
    """Judges `p_j ~ pi^(1/tau_j)` of one item: float64 [1, judges, buckets] (Prop. 6)."""
    return softmax(np.log(truth)[None] / np.asarray(temperatures)[:, None], axis=1)[None]


def best_pool_temperature(weights: np.ndarray, temperatures: np.ndarray) -> float:
    """`T* = sum_j w_j / tau_j`, at which the log pool of tempered judges gives the truth back."""
    return float(np.sum(np.asarray(weights) / np.asarray(temperatures)))


def temperature_excess(
    truth: np.ndarray, support: np.ndarray, temperatures: np.ndarray, grid: np.ndarray
) -> pd.DataFrame:
    """Squared error of the log pool over pool temperatures, and Eq. 22 beside it.

    Returns
    -------
    DataFrame
        pool_temperature, score, squared_error `E[(yhat_T - y)^2]` under the truth, and `predicted`: variance
        of y plus `(yhat_T - yhat_T*)^2`.
    """
    judges = tempered_judges(truth, temperatures)
    count = len(temperatures)
    star = best_pool_temperature(np.full(count, 1 / count), temperatures)
    best = float(_log_score(judges, support, star))
    mean = float(truth @ support)
    variance = float(truth @ support**2 - mean**2)
    rows = []
    for value in grid:
        score = _log_score(judges, support, float(value))
        rows.append(
            {
                "pool_temperature": float(value),
                "score": score,
                "squared_error": float(truth @ (score - support) ** 2),
                "predicted": variance + (score - best) ** 2,
            }
        )
    return pd.DataFrame(rows)


def _log_score(judges: np.ndarray, support: np.ndarray, temperature: float) -> float:
    return float(pool_log(judges, support, pool_temperature=temperature, floor=1e-12).score[0])


def flips(right: float, wrong: float, veto: np.ndarray, doubt: float, judges: int) -> pd.DataFrame:
    """Whether one weak judge turns m good ones round, in either pool, computed and by the paper's conditions.

    Parameters
    ----------
    right, wrong : float
        Mass of each good judge on the right and on the wrong bucket; the rest lies on a third.
    veto : float64 [values]
        Mass d that the weak judge leaves on the right bucket.
    doubt : float
        Mass d' that it puts on the wrong one.
    judges : int
        m.

    Returns
    -------
    DataFrame
        veto, `log` and `linear` (the pool prefers the wrong bucket), `log_condition` `log(d'/d) > m
        log(p/p')` and `linear_condition` `d' - d > m (p - p')`.
    """
    rows = []
    support = np.array([0.0, 1.0, 2.0])
    good = np.array([right, wrong, 1 - right - wrong])
    for value in veto:
        weak = np.array([value, doubt, 1 - value - doubt])
        pool = np.vstack([np.tile(good, (judges, 1)), weak])[None]
        log = pool_log(pool, support, floor=1e-300).probs[0]
        linear = pool_linear(pool, support).probs[0]
        rows.append(
            {
                "veto": float(value),
                "log": bool(log[1] > log[0]),
                "linear": bool(linear[1] > linear[0]),
                "log_condition": bool(np.log(doubt / value) > judges * np.log(right / wrong)),
                "linear_condition": bool(doubt - value > judges * (right - wrong)),
            }
        )
    return pd.DataFrame(rows)


def bayes_actions(truth: np.ndarray, support: np.ndarray) -> pd.DataFrame:
    """Expected squared and exact-match loss of every answer; the mean and the mode are the best ones.

    Returns
    -------
    DataFrame
        action (the support and, between its ends, a fine grid), squared_loss, exact_match_loss.
    """
    actions = np.unique(
        np.concatenate([np.linspace(support[0], support[-1], 401), support, [truth @ support]])
    )
    squared = ((actions[:, None] - support) ** 2) @ truth
    exact = 1 - (actions[:, None] == support) @ truth
    return pd.DataFrame({"action": actions, "squared_loss": squared, "exact_match_loss": exact})
