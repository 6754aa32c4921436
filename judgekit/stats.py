"""Paired tests, intervals over splits, and agreement of plans; resampling stands in `judgekit.resampling`."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Float64, Real
from scipy import stats

from judgekit.errors import InvalidInput

Values = Real[np.ndarray, " values"]

_SIDES = ("greater", "less")
_TIE_DECIMALS = 12


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval.

    Attributes
    ----------
    estimate, low, high : float
        NaN bounds where the values are too few for an interval.
    level : float
        Nominal coverage, 0..1.
    method : str
        How the bounds were found, e.g. "t over splits".
    kept, dropped : int
        Values used, and values left out because they were NaN.
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    kept: int
    dropped: int = 0

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds, in the unit of the estimate."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class SignedRank:
    """Wilcoxon's paired signed-rank test of first - second.

    Attributes
    ----------
    mean_difference : float
        Mean of first - second over the pairs kept.
    positive, negative, zero : int
        Pairs by the sign of their difference; zeros leave the ranking (Wilcoxon's rule).
    negative_rank_sum : float
        Sum of the ranks of the negative differences.
    p_greater, p_two_sided : float
        Exact probabilities under symmetry about zero, of "first is greater" and of either direction, given
        the ranks with their ties; NaN if all differences are zero.
    kept, dropped : int
        Pairs used, and pairs left out because one side is NaN.
    """

    mean_difference: float
    positive: int
    negative: int
    zero: int
    negative_rank_sum: float
    p_greater: float
    p_two_sided: float
    kept: int
    dropped: int


@dataclass(frozen=True)
class PairedComparison:
    """Two policies compared over the same splits or benchmark cells.

    Attributes
    ----------
    difference : Interval
        Mean of first - second with its t interval.
    corrected : Interval or None
        The same with Nadeau and Bengio's variance; None where the values are not from overlapping splits.
    p_t, p_corrected : float
        Two-sided p values belonging to the two intervals; NaN where undefined.
    signed_rank : SignedRank
        The rank test on the same pairs.
    """

    difference: Interval
    corrected: Interval | None
    p_t: float
    p_corrected: float
    signed_rank: SignedRank


def t_interval(values: Values, *, level: float = 0.95) -> Interval:
    """Student's t interval of the mean over splits, n - 1 degrees of freedom.

    Splits overlap, so it covers less than its level says: show `corrected_interval` beside it.

    Examples
    --------
    >>> interval = t_interval(np.array([1.0, 2.0, 3.0]))
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.4841, 4.4841)
    """
    return _mean_interval(values, level, lambda count: 1 / count, "t over splits")


def corrected_interval(values: Values, *, test_fraction: float, level: float = 0.95) -> Interval:
    """Interval of the mean over random splits with the variance of Nadeau and Bengio (2003).

    The variance of the mean is `(1/J + n_test/n_train) s^2` for J splits, with `n_test/n_train = f/(1 - f)`
    at `test_fraction` f. Raises InvalidInput unless 0 < f < 1.
    """
    ratio = _test_ratio(test_fraction)
    return _mean_interval(values, level, lambda count: 1 / count + ratio, "Nadeau-Bengio over splits")


def signed_rank_test(first: Values, second: Values) -> SignedRank:
    """Wilcoxon's exact paired signed-rank test, one- and two-sided, over benchmark cells.

    Differences equal to within 1e-12 are ties, so that rounding in the last digit does not order them.

    Examples
    --------
    >>> test = signed_rank_test(np.arange(1.0, 6.0), np.zeros(5))
    >>> test.p_greater, test.p_two_sided, test.negative_rank_sum
    (0.03125, 0.0625, 0.0)
    """
    differences, dropped = _differences(first, second)
    ranked = np.round(differences, _TIE_DECIMALS)
    ranked = ranked[ranked != 0]
    counts = int((ranked > 0).sum()), int((ranked < 0).sum()), len(differences) - len(ranked)
    mean = float(differences.mean()) if len(differences) else float("nan")
    if not len(ranked):
        return SignedRank(mean, *counts, 0.0, float("nan"), float("nan"), len(differences), dropped)
    ranks = stats.rankdata(np.abs(ranked))
    if len(np.unique(ranks)) == len(ranks):
        greater, less = (float(stats.wilcoxon(ranked, alternative=s, method="exact").pvalue) for s in _SIDES)
    else:
        greater, less = _tied_tails(ranks, ranked > 0)
    rank_sum = float(ranks[ranked < 0].sum())
    two_sided = min(1.0, 2 * min(greater, less))
    return SignedRank(mean, *counts, rank_sum, greater, two_sided, len(differences), dropped)


def paired_comparison(
    first: Values, second: Values, *, test_fraction: float | None = None, level: float = 0.95
) -> PairedComparison:
    """Compare two policies over the same splits (give `test_fraction`) or benchmark cells (leave it out).

    Parameters
    ----------
    first, second : array [splits]
        One value a split; pairs with a NaN are counted and left out.
    test_fraction : float, optional
        Share of rows in the test half, for Nadeau and Bengio's correction.
    level : float
        Coverage of the intervals.
    """
    differences, dropped = _differences(first, second)
    padded = np.append(differences, np.full(dropped, np.nan))
    plain = t_interval(padded, level=level)
    count = len(differences)
    corrected = None
    p_corrected = float("nan")
    if test_fraction is not None:
        corrected = corrected_interval(padded, test_fraction=test_fraction, level=level)
        p_corrected = _t_probability(differences, 1 / max(count, 1) + _test_ratio(test_fraction))
    p_t = _t_probability(differences, 1 / max(count, 1))
    return PairedComparison(plain, corrected, p_t, p_corrected, signed_rank_test(first, second))


def holm(p_values: Values) -> Float64[np.ndarray, " values"]:
    """Holm's adjusted p values of a family of tests, in the order given; NaN tests stay NaN and do not count.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    from statsmodels.stats.multitest import multipletests

    adjusted = np.full(len(p_values), np.nan)
    defined = ~np.isnan(p_values)
    if np.any((p_values[defined] < 0) | (p_values[defined] > 1)):
        raise InvalidInput("p_values", "numbers from 0 to 1 or NaN", p_values)
    if defined.any():
        adjusted[defined] = multipletests(p_values[defined], method="holm")[1]
    return adjusted


def jaccard(first: Collection[object], second: Collection[object]) -> float:
    """Shared members of two plans over all their members; two empty plans agree (1.0).

    Examples
    --------
    >>> jaccard({"a", "b"}, {"b", "c"})
    0.3333333333333333
    """
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one | other else 1.0


def mean_jaccard(plans: Sequence[Collection[object]]) -> float:
    """Mean Jaccard over all pairs of plans, e.g. from resampled audit sets; NaN for fewer than two plans."""
    pairs = [jaccard(first, second) for first, second in combinations(plans, 2)]
    return float(np.mean(pairs)) if pairs else float("nan")


def _tied_tails(ranks: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    # scipy's exact null knows no ties, and its enumeration takes seconds at 14 pairs. Doubled mid-ranks are
    # whole numbers, so the null of their sum over random signs is a product of polynomials.
    doubled = np.rint(2 * ranks).astype(int)
    null: np.ndarray = np.ones(1)
    for rank in doubled:
        step = np.zeros(rank + 1)
        step[[0, rank]] = 0.5
        null = np.convolve(null, step)
    observed = int(doubled[positive].sum())
    return float(null[observed:].sum()), float(null[: observed + 1].sum())


def _mean_interval(
    values: np.ndarray, level: float, variance_factor: Callable[[int], float], method: str
) -> Interval:
    if not 0 < level < 1:
        raise InvalidInput("level", "a number between 0 and 1", level)
    kept = values[~np.isnan(values)]
    dropped = len(values) - len(kept)
    estimate = float(kept.mean()) if len(kept) else float("nan")
    if len(kept) < 2:
        return Interval(estimate, float("nan"), float("nan"), level, method, len(kept), dropped)
    spread = float(kept.std(ddof=1)) * float(np.sqrt(variance_factor(len(kept))))
    half_width = spread * float(stats.t.ppf((1 + level) / 2, len(kept) - 1))
    return Interval(estimate, estimate - half_width, estimate + half_width, level, method, len(kept), dropped)


def _t_probability(differences: np.ndarray, variance_factor: float) -> float:
    if len(differences) < 2 or differences.min() == differences.max():
        return float("nan")
    statistic = differences.mean() / (differences.std(ddof=1) * np.sqrt(variance_factor))
    return float(2 * stats.t.sf(abs(statistic), len(differences) - 1))


def _test_ratio(test_fraction: float) -> float:
    if not 0 < test_fraction < 1:
        raise InvalidInput("test_fraction", "a number between 0 and 1", test_fraction)
    return test_fraction / (1 - test_fraction)


def _differences(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, int]:
    if len(first) != len(second):
        raise InvalidInput("second", f"as many values as first ({len(first)})", len(second))
    differences = np.asarray(first, dtype=np.float64) - second
    missing = np.isnan(differences)
    return differences[~missing], int(missing.sum())
