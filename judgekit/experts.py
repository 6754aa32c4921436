"""Scalar metrics as judges: binned at training quantiles, each bin speaks with its training labels."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int

from judgekit.axes import Support, Target
from judgekit.errors import InvalidInput
from judgekit.scores import nearest_bucket

Values = Float[np.ndarray, " items"]


@dataclass(frozen=True)
class ScalarExpert:
    """A scalar metric that joins a pool of judges.

    Attributes
    ----------
    edges : float64 [bins - 1]
        Inner bin edges, increasing: training quantiles; repeated ones are merged.
    histograms : float64 [bins, buckets]
        Distribution of the nearest bucket of the human score in each bin, over the training rows.
    rows : int64 [bins]
        Training rows in each bin.
    smoothing : float
        Pseudo-counts of a bin at the distribution over all training rows.
    """

    edges: Float64[np.ndarray, " edges"]
    histograms: Float64[np.ndarray, "bins buckets"]
    rows: Int[np.ndarray, " bins"]
    smoothing: float

    def distribution(self, values: Values) -> Float[np.ndarray, "items buckets"]:
        """Distribution of each value's bin; NaN where the value is missing."""
        found = self.histograms[np.searchsorted(self.edges, values, side="right")]
        found[np.isnan(values)] = np.nan
        return found


def fit_expert(
    values: Values, target: Target, support: Support, *, bins: int = 10, smoothing: float = 1.0
) -> ScalarExpert:
    """Learn a scalar expert's bins and histograms on training rows (facts, section 11).

    Parameters
    ----------
    values : array [items]
        The metric on the training rows; NaN rows are left out, as are those without a target.
    target : float64 [items]
    support : array [buckets]
    bins : int
        Bins of equal count, before repeated edges are merged.
    smoothing : float

    Raises
    ------
    InvalidInput
        Fewer rows than bins, a constant metric, or a bad number of bins or pseudo-counts.

    Examples
    --------
    >>> values = np.arange(8.0)
    >>> expert = fit_expert(values, (values >= 4).astype(float), np.array([0.0, 1.0]), bins=2, smoothing=0.0)
    >>> expert.distribution(np.array([1.0, 6.0])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if bins < 2:
        raise InvalidInput("bins", "at least 2", bins)
    if not (np.isfinite(smoothing) and smoothing >= 0):
        raise InvalidInput("smoothing", "a finite number >= 0", smoothing)
    kept = np.isfinite(values) & ~np.isnan(target)
    if kept.sum() < bins:
        raise InvalidInput(
            "values", f"at least {bins} training rows with a value and a target", int(kept.sum())
        )
    values, bucket = values[kept].astype(np.float64), nearest_bucket(target[kept], support)
    edges = np.unique(np.quantile(values, np.arange(1, bins) / bins))
    # an edge with no training value between it and the one before would leave an empty bin
    below = np.searchsorted(np.sort(values), edges, side="left")
    edges = edges[np.diff(below, prepend=0) > 0]
    if not len(edges):
        raise InvalidInput("values", "a metric that differs between rows", f"{values[0]:g} throughout")
    place = np.searchsorted(edges, values, side="right")
    counts = np.zeros((len(edges) + 1, len(support)))
    np.add.at(counts, (place, bucket), 1)
    overall = counts.sum(axis=0) / counts.sum()
    rows = counts.sum(axis=1)
    histograms = (counts + smoothing * overall) / (rows + smoothing)[:, None]
    return ScalarExpert(edges, histograms, rows.astype(np.int64), smoothing)


@dataclass(frozen=True)
class Vetting:
    """Whether an expert should join, from training rows alone.

    Attributes
    ----------
    gain : float
        Mean gain of the pool's Spearman when the expert joins, over folds of training groups.
    fold_gains : float64 [folds]
    admitted : bool
        Whether the gain is positive in mean and in most folds.
    """

    gain: float
    fold_gains: Float64[np.ndarray, " folds"]
    admitted: bool


def vet(fold_gains: Float64[np.ndarray, " folds"]) -> Vetting:
    """The vetting rule: admit an expert whose gain is positive in mean and in more than half of the folds.

    Parameters
    ----------
    fold_gains : float64 [folds]
        Spearman with the expert minus without, each on training groups left out when its bins were learnt;
        undefined ones (NaN) count against it.

    Examples
    --------
    >>> vet(np.array([0.02, -0.01, 0.03])).admitted, vet(np.array([0.05, -0.01, -0.01])).admitted
    (True, False)
    """
    known = fold_gains[~np.isnan(fold_gains)]
    gain = float(known.mean()) if len(known) else float("nan")
    return Vetting(gain, fold_gains, bool(gain > 0 and (fold_gains > 0).sum() * 2 > len(fold_gains)))
