"""How good a score or a probability is: rank correlation, Brier score, accuracy, calibration error."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Real
from scipy.stats import rankdata

from judgekit.axes import Mask, Scores
from judgekit.errors import InvalidInput

Values = Real[np.ndarray, " items"]

# How far a probability may lie outside 0..1 by float32 sums alone.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's correlation and the rows it rests on.

    Attributes
    ----------
    estimate : float
        Spearman's rho; NaN where it is undefined.
    kept, dropped : int
        Rows used, and rows left out because score or target is NaN.
    undefined : str
        Why the estimate is NaN, "" where it is not: "constant scores",
        "constant target" or "fewer than 2 rows".
    """

    estimate: float
    kept: int
    dropped: int
    undefined: str = ""


def merge_ties(scores: Float[np.ndarray, "*rows"]) -> Float[np.ndarray, "*rows"]:
    """Scores whose differences are below rounding made equal, so that ranks do not order noise.

    Equal distributions can come out of a matrix product with another last digit. Rounds to 12 decimals,
    float32 to 5: pool in float64 where many items share a distribution (hard-only judges).
    """
    return np.round(scores, 5 if scores.dtype == np.float32 else 12)


def rank_correlation(score: Values, target: Values) -> RankCorrelation:
    """Spearman's correlation of one score with the target; rows with a NaN are counted and left out.

    Differences below rounding are ties, see `merge_ties`.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, np.nan, 3.0]), np.array([1.0, 3.0, 2.0, 5.0]))
    RankCorrelation(estimate=1.0, kept=3, dropped=1, undefined='')
    """
    rows = complete_rows(score, target)
    kept, dropped = int(rows.sum()), int((~rows).sum())
    if kept < 2:
        return RankCorrelation(float("nan"), kept, dropped, "fewer than 2 rows")
    ranks = {"scores": _centred_ranks(score[rows, None]), "target": _centred_ranks(target[rows, None])}
    for name, rank in ranks.items():
        if not rank.any():
            return RankCorrelation(float("nan"), kept, dropped, f"constant {name}")
    estimate = _correlate(ranks["scores"], ranks["target"])[0]
    return RankCorrelation(float(estimate), kept, dropped)


def spearman(score: Values, target: Values) -> float:
    """Spearman's correlation as a bare number: NaN where undefined, never 0; see `rank_correlation`."""
    return rank_correlation(score, target).estimate


def spearman_columns(
    scores: Float[np.ndarray, "items columns"], target: Values
) -> Float64[np.ndarray, " columns"]:
    """Spearman's correlation of many score columns with one target at once; NaN where undefined.

    Rows with a NaN are left out column by column; columns lacking the same rows share one ranking of the
    target.
    """
    _same_length("scores", scores, target)
    found = np.full(scores.shape[1], np.nan)
    present = ~np.isnan(scores) & ~np.isnan(target)[:, None]
    patterns, pattern_of = np.unique(np.packbits(present, axis=0), axis=1, return_inverse=True)
    for pattern in range(patterns.shape[1]):
        columns = np.flatnonzero(pattern_of == pattern)
        rows = present[:, columns[0]]
        if rows.sum() >= 2:
            ranks = _centred_ranks(scores[np.ix_(rows, columns)])
            found[columns] = _correlate(ranks, _centred_ranks(target[rows, None]))
    return found


def complete_rows(score: Values, target: Values) -> Mask:
    """Rows on which both score and target are there."""
    _same_length("score", score, target)
    return ~(np.isnan(score) | np.isnan(target))


def brier(probability: Values, target: Values) -> float:
    """Mean squared error of a probability against a 0/1 label (or of a score and a target scaled to 0..1).

    A mean over rows. Raises InvalidInput on NaN, on a probability outside 0..1, on no rows and on lengths
    that differ.

    Examples
    --------
    >>> brier(np.array([0.5, 1.0]), np.array([0.0, 1.0]))
    0.125
    """
    _complete(probability, target)
    worst = np.abs(probability - 0.5).argmax()
    if not -_ROUNDING <= probability[worst] <= 1 + _ROUNDING:
        raise InvalidInput("probability", "numbers from 0 to 1", probability[worst])
    return float(np.mean(np.square(probability - target, dtype=np.float64)))


def accuracy(probability: Values, target: Values) -> float:
    """Share of rows on which the probability and the label lie on the same side of 0.5; 0.5 itself says 1.

    Raises InvalidInput on NaN, on no rows and on lengths that differ.

    Examples
    --------
    >>> accuracy(np.array([0.5, 0.2]), np.array([1.0, 1.0]))
    0.5
    """
    _complete(probability, target)
    return float(np.mean((probability >= 0.5) == (target >= 0.5)))


def expected_calibration_error(prediction: Values, target: Values, *, bins: int = 10) -> float:
    """Mean absolute gap between prediction and target over equal-count bins, weighted by the rows in each.

    In the unit of the prediction: probabilities give the usual ECE; a score on 1-5 gives a gap on 1-5. Bins
    follow the prediction's mid-rank, so equal predictions share a bin and the order of rows does not matter.
    Raises InvalidInput on NaN, on no rows, on lengths that differ and on bins < 1.

    Examples
    --------
    >>> expected_calibration_error(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0.0, 0.0, 1.0, 1.0]), bins=2)
    0.15
    """
    _complete(prediction, target)
    if bins < 1:
        raise InvalidInput("bins", "a whole number >= 1", bins)
    rows = len(prediction)
    ranks = rankdata(np.asarray(prediction, dtype=np.float64))
    bin_of = ((ranks - 0.5) * bins / rows).astype(int)
    gaps = np.bincount(bin_of, weights=np.asarray(prediction - target, dtype=np.float64), minlength=bins)
    return float(np.abs(gaps).sum() / rows)


def residual_correlation_matrix(scores: Scores, target: Values) -> Float64[np.ndarray, "judges judges"]:
    """Correlation between judges' errors (score - target); each pair over the rows that both judges have.

    NaN where a pair shares fewer than 2 rows or one of the two has a constant error on them.
    """
    _same_length("scores", scores, target)
    errors = scores - np.asarray(target, dtype=np.float64)[:, None]
    judges = errors.shape[1]
    if not np.isnan(errors).any() and len(errors):
        return _correlation_matrix(errors)
    found = np.full((judges, judges), np.nan)
    for first in range(judges):
        for second in range(first, judges):
            pair = errors[:, [first, second]]
            pair = pair[~np.isnan(pair).any(axis=1)]
            if len(pair) >= 2:
                found[first, second] = found[second, first] = _correlation_matrix(pair)[0, 1]
    return found


def residual_correlation(scores: Scores, target: Values) -> float:
    """Mean off-diagonal correlation of the judges' errors, the rho of JudgeMoE's Eq. 13; NaN where undefined.

    Pairs whose correlation is undefined are left out; a single judge gives NaN.
    """
    matrix = residual_correlation_matrix(scores, target)
    pairs = matrix[np.triu_indices(len(matrix), 1)]
    pairs = pairs[~np.isnan(pairs)]
    return float(pairs.mean()) if pairs.size else float("nan")


def _correlation_matrix(errors: Float64[np.ndarray, "items judges"]) -> Float64[np.ndarray, "judges judges"]:
    constant = errors.max(axis=0) == errors.min(axis=0)
    centred = errors - errors.mean(axis=0)
    norm = np.sqrt(np.square(centred).sum(axis=0))
    norm[constant] = np.nan
    return np.clip((centred / norm).T @ (centred / norm), -1.0, 1.0)


def _centred_ranks(values: Real[np.ndarray, "items columns"]) -> Float64[np.ndarray, "items columns"]:
    merged = merge_ties(values) if np.issubdtype(values.dtype, np.floating) else values
    # In float64, whatever the values are: some releases of SciPy rank float32 values in float32.
    return rankdata(np.asarray(merged, dtype=np.float64), axis=0) - (len(values) + 1) / 2


def _correlate(
    ranks: Float64[np.ndarray, "items columns"], target: Float64[np.ndarray, "items 1"]
) -> Float64[np.ndarray, " columns"]:
    # Mid-ranks are halves, so these sums are exact and a constant column has a norm of exactly zero.
    norm = np.sqrt(np.square(ranks).sum(axis=0) * np.square(target).sum())
    return np.divide(ranks.T @ target[:, 0], norm, out=np.full(ranks.shape[1], np.nan), where=norm > 0)


def _same_length(name: str, values: np.ndarray, target: np.ndarray) -> None:
    if len(values) != len(target):
        raise InvalidInput(name, f"as many rows as the target ({len(target)})", len(values))


def _complete(prediction: np.ndarray, target: np.ndarray) -> None:
    _same_length("prediction", prediction, target)
    if not len(target):
        raise InvalidInput("target", "at least one row", "none")
    for name, values in (("prediction", prediction), ("target", target)):
        if np.isnan(values).any():
            raise InvalidInput(name, "numbers without NaN", f"{int(np.isnan(values).sum())} NaN")
