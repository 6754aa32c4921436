"""Bootstrap over benchmark cells and over groups inside one, and the power of the signed-rank test."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int, Real
from scipy import stats

from judgekit.errors import InvalidInput
from judgekit.metrics import merge_ties
from judgekit.stats import Interval

# Resampled counts of one block: small enough to stay in cache, large enough to hide the loop.
_BLOCK = 1 << 18


@dataclass(frozen=True)
class GroupBootstrap:
    """Estimates of several methods on the same resampled groups of one benchmark cell.

    Attributes
    ----------
    estimate : array [methods]
        On the rows as they are.
    draws : array [draws, methods]
        On each resample; NaN where a resample leaves the estimate undefined.
    level : float
        Coverage of the intervals.
    groups, kept, dropped : int
        Groups drawn from, rows used, and rows left out because a score or the target is NaN.
    """

    estimate: Float64[np.ndarray, " methods"]
    draws: Float64[np.ndarray, "draws methods"]
    level: float
    groups: int
    kept: int
    dropped: int

    def interval(self, method: int) -> Interval:
        """Percentile interval of one method."""
        return self._interval(float(self.estimate[method]), self.draws[:, method])

    def difference(self, first: int, second: int) -> Interval:
        """Percentile interval of first - second, paired: both are taken on the same resamples."""
        estimate = float(self.estimate[first] - self.estimate[second])
        return self._interval(estimate, self.draws[:, first] - self.draws[:, second])

    def _interval(self, estimate: float, draws: np.ndarray) -> Interval:
        low, high = _percentiles(draws, self.level)
        return Interval(estimate, low, high, self.level, "bootstrap over groups", self.kept, self.dropped)


@dataclass(frozen=True)
class Power:
    """Share of simulated studies in which the exact signed-rank test rejects.

    Attributes
    ----------
    estimate, low, high : float
        Power with the 95% interval of the simulation itself.
    cells : int
        Benchmark cells a study has.
    mean, standard_deviation : float
        Of the normal differences drawn.
    alternative : str
        "greater" (one-sided) or "two-sided".
    alpha : float
        Level of the test.
    simulations : int
        Studies drawn.
    """

    estimate: float
    low: float
    high: float
    cells: int
    mean: float
    standard_deviation: float
    alternative: str
    alpha: float
    simulations: int


def bootstrap_cells(
    values: Real[np.ndarray, " cells"],
    *,
    rng: np.random.Generator,
    weights: Real[np.ndarray, " cells"] | None = None,
    draws: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap of the mean over benchmark cells, or of the mean weighted by `weights`.

    Cells are drawn with their weights (rows of the cell, for the sample-weighted mean). Cells with a NaN are
    counted and left out; fewer than 2 give NaN bounds. Raises InvalidInput on a weight that is not positive.
    """
    kept = ~np.isnan(values)
    dropped = int((~kept).sum())
    weights = np.ones(len(values)) if weights is None else weights
    if not np.all(weights > 0):
        raise InvalidInput("weights", "positive numbers", weights)
    values, weights = values[kept].astype(float), weights[kept].astype(float)
    estimate = float(np.average(values, weights=weights)) if len(values) else float("nan")
    if len(values) < 2:
        return Interval(
            estimate, float("nan"), float("nan"), level, "bootstrap over cells", len(values), dropped
        )
    drawn = rng.integers(len(values), size=(draws, len(values)))
    means = (weights * values)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    low, high = _percentiles(means, level)
    return Interval(estimate, low, high, level, "bootstrap over cells", len(values), dropped)


def bootstrap_spearman(
    scores: Float[np.ndarray, "items methods"],
    target: Real[np.ndarray, " items"],
    groups: Int[np.ndarray, " items"],
    *,
    rng: np.random.Generator,
    draws: int = 2_000,
    level: float = 0.95,
) -> GroupBootstrap:
    """Spearman's correlation of several methods on resampled groups (documents) of one benchmark cell.

    A resample is a count per row; its mid-ranks follow from running sums of the counts in the order of the
    rows as they are, so nothing is sorted again. Rows where any method or the target is NaN are counted and
    left out, so that all methods are compared on the same rows.

    Parameters
    ----------
    scores : array [items, methods]
    target : array [items]
    groups : int array [items]
        Group codes; whole groups are drawn.
    rng : Generator
    draws : int
        Resamples.
    level : float
        Coverage of the intervals.
    """
    rows = ~(np.isnan(scores).any(axis=1) | np.isnan(target))
    codes = _group_codes(groups[rows])
    rankings = [_Ranking.of(column, codes) for column in merge_ties(scores[rows]).T]
    truth = _Ranking.of(np.round(target[rows], 12), codes)

    def estimates(counts: np.ndarray) -> np.ndarray:
        truth_ranks, truth_norm = truth.ranks(counts)
        weighted = counts[codes] * truth_ranks[truth.level_of]
        return np.stack([ranking.correlation(counts, weighted, truth_norm) for ranking in rankings])

    return _bootstrap(estimates, codes, rows, scores.shape[1], (rng, draws, level))


def bootstrap_mean(
    values: Float[np.ndarray, "items methods"],
    groups: Int[np.ndarray, " items"],
    *,
    rng: np.random.Generator,
    draws: int = 2_000,
    level: float = 0.95,
) -> GroupBootstrap:
    """Mean over rows (squared errors, hits) of several methods on resampled groups of one benchmark cell.

    Rows where any method is NaN are counted and left out.
    """
    rows = ~np.isnan(values).any(axis=1)
    codes = _group_codes(groups[rows])
    kept = values[rows].astype(float)
    sums = np.stack([np.bincount(codes, weights=column) for column in kept.T], axis=1)
    sizes = np.bincount(codes).astype(float)

    def estimates(counts: np.ndarray) -> np.ndarray:
        return (sums.T @ counts) / (sizes @ counts)

    return _bootstrap(estimates, codes, rows, values.shape[1], (rng, draws, level))


def signed_rank_power(
    mean: float,
    standard_deviation: float,
    *,
    cells: int,
    rng: np.random.Generator,
    alternative: str = "greater",
    alpha: float = 0.05,
    simulations: int = 10_000,
) -> Power:
    """Power of the exact paired signed-rank test with normal differences of the given mean and spread.

    For the table on power: the observed mean and standard deviation of the differences, at 10 and 16 cells.
    Raises InvalidInput on cells < 1, a spread that is not positive and an unknown alternative.
    """
    if alternative not in ("greater", "two-sided"):
        raise InvalidInput("alternative", "'greater' or 'two-sided'", alternative)
    if cells < 1:
        raise InvalidInput("cells", "a whole number >= 1", cells)
    if not standard_deviation > 0:
        raise InvalidInput("standard_deviation", "a number > 0", standard_deviation)
    differences = rng.normal(mean, standard_deviation, size=(simulations, cells))
    test = stats.wilcoxon(differences, axis=1, alternative=alternative, method="exact")
    hits = int((test.pvalue <= alpha).sum())
    noise = stats.binomtest(hits, simulations).proportion_ci(0.95)
    settings = (cells, mean, standard_deviation, alternative, alpha, simulations)
    return Power(hits / simulations, float(noise.low), float(noise.high), *settings)


@dataclass(frozen=True)
class _Ranking:
    """The order of the rows by one score, from which the mid-ranks of any resample follow."""

    order: Int[np.ndarray, " rows"]
    starts: Int[np.ndarray, " levels"]
    level_of: Int[np.ndarray, " rows"]
    groups: Int[np.ndarray, " rows"]

    @classmethod
    def of(cls, column: np.ndarray, codes: np.ndarray) -> "_Ranking":
        level_of = np.unique(column, return_inverse=True)[1]
        order = np.argsort(level_of, kind="stable")
        return cls(order, np.flatnonzero(np.diff(level_of[order], prepend=-1)), level_of, codes[order])

    def ranks(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centred mid-rank of each level and their squared norm, a column a resample."""
        mass = self._by_level(counts[self.groups])
        ranks = np.cumsum(mass, axis=0)
        # Mid-ranks are centred at half the rows of the resample, whatever the ties.
        ranks -= mass / 2 + ranks[-1] / 2
        return ranks, np.einsum("ld,ld,ld->d", mass, ranks, ranks)

    def correlation(self, counts: np.ndarray, weighted: np.ndarray, norm: np.ndarray) -> np.ndarray:
        """Correlation with a target, given as counts times its ranks [rows, resamples] and its norm."""
        ranks, own_norm = self.ranks(counts)
        product = np.einsum("ld,ld->d", ranks, self._by_level(weighted[self.order]))
        scale = np.sqrt(own_norm * norm)
        return np.divide(product, scale, out=np.full(len(scale), np.nan), where=scale > 0)

    def _by_level(self, values: np.ndarray) -> np.ndarray:
        alone = len(self.starts) == len(values)
        return values if alone else np.add.reduceat(values, self.starts, axis=0)


def _bootstrap(
    estimates: Callable[[np.ndarray], np.ndarray],
    codes: np.ndarray,
    rows: np.ndarray,
    methods: int,
    options: tuple[np.random.Generator, int, float],
) -> GroupBootstrap:
    rng, draws, level = options
    kept, dropped = len(codes), int((~rows).sum())
    if not kept:
        raise InvalidInput("scores", "at least one complete row", f"none of {len(rows)}")
    groups = int(codes.max()) + 1
    block = max(1, _BLOCK // kept)
    found = np.empty((draws, methods))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        counts = rng.multinomial(groups, np.full(groups, 1 / groups), size=size)
        # One column a resample: picking rows then copies whole runs.
        found[start : start + size] = estimates(np.ascontiguousarray(counts.T, dtype=float)).T
    return GroupBootstrap(estimates(np.ones((groups, 1)))[:, 0], found, level, groups, kept, dropped)


def _group_codes(groups: np.ndarray) -> np.ndarray:
    return np.unique(groups, return_inverse=True)[1]


def _percentiles(draws: np.ndarray, level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise InvalidInput("level", "a number between 0 and 1", level)
    defined = draws[~np.isnan(draws)]
    if not defined.size:
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
