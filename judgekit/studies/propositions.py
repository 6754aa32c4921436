"""What becomes of each proposition on the judges of a benchmark cell."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from judgekit.axes import Probs, Scores, Support, Target
from judgekit.benchmark import BenchmarkCell
from judgekit.errors import InvalidInput
from judgekit.metrics import residual_correlation
from judgekit.pooling import pool_linear, pool_log
from judgekit.regression import fit_ridge
from judgekit.scaling import fit_scaling
from judgekit.scores import nearest_bucket
from judgekit.splits import group_folds
from judgekit.studies.theory import error_variance

FOLDS = 5
_LOG_TEMPERATURES = (-4.0, 4.0)


@dataclass(frozen=True)
class CompleteRows:
    """Items of a cell that every judge answered.

    Attributes
    ----------
    probs : float64 [items, judges, buckets]
    scores : float64 [items, judges]
        Expected scores.
    target : float64 [items]
    support : float64 [buckets]
    groups : int64 [items]
        Code of each item's group.
    left_out : int
        Items without an answer from some judge.
    """

    probs: Probs
    scores: Scores
    target: Target
    support: Support
    groups: np.ndarray
    left_out: int


def complete_rows(cell: BenchmarkCell) -> CompleteRows:
    """The items of `cell` that every judge answered.

    Raises
    ------
    InvalidInput
        There are none, or they come from fewer groups than there are folds.
    """
    scores = cell.soft
    keep = ~np.isnan(scores).any(axis=1)
    groups = np.unique(cell.groups[keep], return_inverse=True)[1]
    if len(np.unique(groups)) < FOLDS:
        raise InvalidInput(
            f"{cell.name}: items that every judge answered", f"from {FOLDS} groups or more", keep.sum()
        )
    return CompleteRows(
        cell.probabilities[keep],
        scores[keep],
        np.asarray(cell.judgments.target, dtype=np.float64)[keep],
        np.asarray(cell.judgments.support, dtype=np.float64),
        groups,
        int((~keep).sum()),
    )


def equal_means(rows: CompleteRows) -> dict[str, float]:
    """Same mean, different shape: what the pools make of an exchange of two answers of (nearly) one mean.

    Each judge's answers are put in the order of their means and exchanged two by two with their neighbours,
    one judge at a time; the other judges stay as they are.

    Returns
    -------
    dict
        `mean_apart` and `deviation_apart`, mean distances of the means and of the standard deviations of two
        neighbours; `log_moves` and `linear_moves`, mean distance that the exchange moves a pool's score.
    """
    deviation = np.sqrt(np.maximum(rows.probs @ rows.support**2 - rows.scores**2, 0))
    whole = {"log": pool_log(rows.probs, rows.support), "linear": pool_linear(rows.probs, rows.support)}
    found: dict[str, list[float]] = {
        name: [] for name in ("mean_apart", "deviation_apart", "log_moves", "linear_moves")
    }
    for judge, means in enumerate(rows.scores.T):
        order = np.argsort(means, kind="stable")
        order = order[: len(order) // 2 * 2]
        left, right = order[0::2], order[1::2]
        exchanged = rows.probs.copy()
        exchanged[left, judge], exchanged[right, judge] = rows.probs[right, judge], rows.probs[left, judge]
        found["mean_apart"].append(float(np.abs(means[left] - means[right]).mean()))
        apart = np.abs(deviation[left, judge] - deviation[right, judge])
        found["deviation_apart"].append(float(apart.mean()))
        for name, pool in (("log", pool_log), ("linear", pool_linear)):
            moved = np.abs(pool(exchanged, rows.support).score - whole[name].score)
            found[f"{name}_moves"].append(float(moved[order].mean()))
    return {name: float(np.mean(values)) for name, values in found.items()}


def lost_information(rows: CompleteRows, *, rng: np.random.Generator) -> dict[str, float]:
    """How much better the label is foretold from a judge's distribution than from its mean alone.

    Ridge regression on a cubic of the mean, and on the same with all but two of the probabilities beside it
    (with the mean they fix the distribution); cross-fitted over folds of groups, averaged over judges.

    Returns
    -------
    dict
        `given_mean` and `given_distribution`, squared errors of the label in held-out groups; `gap`, their
        difference; `gap_error`, its standard error over groups.
    """
    fold = group_folds(rows.groups, FOLDS, rng=rng)
    losses = np.zeros((2, len(rows.target)))
    for judge, means in enumerate(rows.scores.T):
        centred = means - rows.support.mean()
        mean_only = np.stack([centred, centred**2, centred**3], axis=1)
        whole = np.concatenate([mean_only, rows.probs[:, judge, :-2]], axis=1)
        for kind, inputs in enumerate((mean_only, whole)):
            losses[kind] += _held_out_losses(inputs, rows.target, fold) / rows.scores.shape[1]
    gaps = np.bincount(rows.groups, weights=losses[0] - losses[1])
    count = len(gaps)
    return {
        "given_mean": float(losses[0].mean()),
        "given_distribution": float(losses[1].mean()),
        "gap": float((losses[0] - losses[1]).mean()),
        "gap_error": float(gaps.std(ddof=1) * np.sqrt(count) / len(rows.target)),
    }


def shared_errors(rows: CompleteRows) -> dict[str, float]:
    """Variance of the mean error of m judges, and the formula, in units of one judge's variance.

    Returns
    -------
    dict
        `correlation`, mean residual correlation, which is also the floor; per number m of judges `m_judges`
        (mean over all subsets) and `m_formula` (Eq. 13).
    """
    errors = rows.scores - rows.target[:, None]
    errors = errors - errors.mean(axis=0)
    count = errors.shape[1]
    one = float(errors.var(axis=0).mean())
    correlation = residual_correlation(rows.scores, rows.target)
    found = {"correlation": correlation}
    for size in range(1, count + 1):
        subsets = combinations(range(count), size)
        variances = [errors[:, list(subset)].mean(axis=1).var() for subset in subsets]
        found[f"{size}_judges"] = float(np.mean(variances)) / one
        found[f"{size}_formula"] = error_variance(1.0, correlation, size)
    return found


def pool_temperatures(rows: CompleteRows) -> dict[str, float]:
    """T* from the judges' own temperatures, beside the temperatures that are best for the pool.

    A judge `p ~ pi^(1/tau)` is calibrated by the temperature 1/tau, so `T* = sum_j w_j / tau_j` is the mean
    of the judges' calibrating temperatures. All are fitted on the same rows: this describes, it does not
    choose. Beyond e^4 = 54.6 no temperature is sought; a value there says that the likeliest is larger still.

    Returns
    -------
    dict
        `T_star`; `T_likelihood` and `T_squared`, best for the label's likelihood and for squared error;
        `excess`, squared error at T = 1 above that at T*, and `excess_formula`, what Eq. 22 makes of it.
    """
    judges = fit_scaling(rows.probs, rows.target, rows.support)
    star = float(judges.judge_temperature.mean())
    pooled = pool_log(rows.probs, rows.support).probs[:, None, :]
    likelihood = float(fit_scaling(pooled, rows.target, rows.support).judge_temperature[0])

    def error_at(log_temperature: float) -> float:
        return squared_error(rows, float(np.exp(log_temperature)))

    best = minimize_scalar(error_at, bounds=_LOG_TEMPERATURES, method="bounded", options={"xatol": 1e-6})
    at_one, at_star = (pool_log(rows.probs, rows.support, pool_temperature=t).score for t in (1.0, star))
    return {
        "T_star": star,
        "T_likelihood": likelihood,
        "T_squared": float(np.exp(best.x)),
        "excess": squared_error(rows, 1.0) - squared_error(rows, star),
        "excess_formula": float(np.mean((at_one - at_star) ** 2)),
    }


def squared_error(rows: CompleteRows, pool_temperature: float) -> float:
    """Mean squared error of the log pool's score at one temperature."""
    score = pool_log(rows.probs, rows.support, pool_temperature=pool_temperature).score
    return float(np.mean((score - rows.target) ** 2))


def turned_pools(rows: CompleteRows) -> dict[str, float]:
    """How often one judge turns the pool of all others round, in either pool, and whether for the better.

    A pool is turned round where its most probable bucket is another one with the judge than without.

    Returns
    -------
    dict
        Per pool `turned`, the share of items and judges; `better`, the share of those in which the new bucket
        is nearer to the label; `worse`, in which it is farther. NaN where nothing was turned.
    """
    if rows.scores.shape[1] < 2:
        raise InvalidInput("judges", "two or more", rows.scores.shape[1])
    found = {}
    for name, pool in (("log", pool_log), ("linear", pool_linear)):
        whole = pool(rows.probs, rows.support).probs.argmax(axis=1)
        modes = [
            pool(np.delete(rows.probs, judge, axis=1), rows.support).probs.argmax(axis=1)
            for judge in range(rows.scores.shape[1])
        ]
        without = np.stack(modes, axis=1)
        turned = without != whole[:, None]
        missed = np.abs(rows.support[whole] - rows.target)[:, None]
        nearer = np.abs(rows.support[without] - rows.target[:, None]) - missed
        found[f"{name}_turned"] = float(turned.mean())
        for word, ours in (("better", nearer > 0), ("worse", nearer < 0)):
            found[f"{name}_{word}"] = float(ours[turned].mean()) if turned.any() else float("nan")
    return found


def mean_or_mode(rows: CompleteRows) -> dict[str, float]:
    """Both read-outs of each judge under both losses, averaged over judges.

    Returns
    -------
    dict
        `squared_mean` and `squared_mode`, squared errors; `match_mean` and `match_mode`, shares of items in
        which the bucket nearest to the mean, or the mode, is the one nearest to the label; `as_supposed`, the
        share of judges for which the mean is better under squared loss and the mode no worse at matching.
    """
    mode = rows.support[rows.probs.argmax(axis=2)]
    truth = nearest_bucket(rows.target, rows.support)[:, None]
    squared = [((score - rows.target[:, None]) ** 2).mean(axis=0) for score in (rows.scores, mode)]
    match = [(nearest_bucket(score, rows.support) == truth).mean(axis=0) for score in (rows.scores, mode)]
    return {
        "squared_mean": float(squared[0].mean()),
        "squared_mode": float(squared[1].mean()),
        "match_mean": float(match[0].mean()),
        "match_mode": float(match[1].mean()),
        "as_supposed": float(((squared[0] < squared[1]) & (match[1] >= match[0])).mean()),
    }


def temperature_curves(cells: Mapping[str, BenchmarkCell], grid: np.ndarray) -> pd.DataFrame:
    """Squared error of each cell's log pool over pool temperatures: index the grid, one column a cell."""
    curves = {}
    for name, cell in cells.items():
        rows = complete_rows(cell)
        curves[name] = [squared_error(rows, float(value)) for value in grid]
    return pd.DataFrame(curves, index=pd.Index(grid, name="pool_temperature"))


PROPOSITIONS: Mapping[str, Callable[[CompleteRows, np.random.Generator], dict[str, float]]] = {
    "same mean": lambda rows, rng: equal_means(rows),
    "information": lambda rows, rng: lost_information(rows, rng=rng),
    "errors in common": lambda rows, rng: shared_errors(rows),
    "temperature": lambda rows, rng: pool_temperatures(rows),
    "veto": lambda rows, rng: turned_pools(rows),
    "mean or mode": lambda rows, rng: mean_or_mode(rows),
}


def study_propositions(cells: Mapping[str, BenchmarkCell], *, seed: int) -> pd.DataFrame:
    """Every proposition on every cell.

    Parameters
    ----------
    cells : mapping of str to BenchmarkCell
    seed : int
        Of the folds.

    Returns
    -------
    DataFrame
        Columns benchmark_cell, proposition, quantity and value, in the order of the propositions.
    """
    records = []
    for name, cell in cells.items():
        rows = complete_rows(cell)
        for title, measure in PROPOSITIONS.items():
            found = measure(rows, np.random.default_rng(seed))
            records += [(name, title, quantity, value) for quantity, value in found.items()]
    return pd.DataFrame(records, columns=["benchmark_cell", "proposition", "quantity", "value"])


def _held_out_losses(inputs: np.ndarray, target: Target, fold: np.ndarray) -> np.ndarray:
    """Squared error of each row under a regression on the rows of the other folds."""
    losses = np.empty(len(target))
    for number in range(FOLDS):
        held = fold == number
        fitted = fit_ridge(inputs, target, np.flatnonzero(~held))
        losses[held] = (fitted[held] - target[held]) ** 2
    return losses
