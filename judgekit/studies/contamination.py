"""One bad judge joins a pool of good ones: how sure must it be before a log or a linear pool gives in."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.axes import Probs, Support, Target
from judgekit.errors import InvalidInput
from judgekit.metrics import spearman, spearman_columns
from judgekit.pooling import FLOOR, pool_linear, pool_log
from judgekit.scores import soft_score

# Mass that the bad judge leaves to all buckets but its own, from none of a bias to next to nothing.
LEFT_OVER = np.logspace(np.log10(0.8), -6, 48)


def bad_judge(items: int, buckets: int, left_over: float, *, rng: np.random.Generator) -> Probs:
    """A judge that puts `1 - left_over` on a bucket drawn blindly and the rest evenly on the others.

    Returns
    -------
    float64 [items, 1, buckets]

    Raises
    ------
    InvalidInput
        `left_over` outside [0, 1], or fewer than 2 buckets.

    Examples
    --------
    >>> sorted(bad_judge(1, 3, 0.2, rng=np.random.default_rng(0))[0, 0].round(2).tolist())
    [0.1, 0.1, 0.8]
    """
    if not 0 <= left_over <= 1:
        raise InvalidInput("left_over", "a number in [0, 1]", left_over)
    if buckets < 2:
        raise InvalidInput("buckets", "at least 2", buckets)
    probs = np.full((items, 1, buckets), left_over / (buckets - 1))
    probs[np.arange(items), 0, rng.integers(buckets, size=items)] = 1 - left_over
    return probs


def contaminate(
    good: Probs,
    target: Target,
    support: Support,
    *,
    rng: np.random.Generator,
    left_over: Sequence[float] | np.ndarray = LEFT_OVER,
    floor: float = FLOOR,
) -> pd.DataFrame:
    """Spearman of both pools over the mass that a bad judge leaves to the buckets it did not pick.

    Parameters
    ----------
    good : array [items, judges, buckets]
    target : array [items]
    support : array [buckets]
    rng : Generator
        The bad judge picks the same buckets whatever its confidence.
    left_over : sequence of float
    floor : float
        Of the log pool.

    Returns
    -------
    DataFrame
        left_over, `log` and `linear` with the bad judge, `clean_log` and `clean_linear` without it, `alone`
        (mean over the good judges of their own Spearman).
    """
    probs = np.asarray(good, dtype=np.float64)
    items, _, buckets = probs.shape
    clean_log = spearman(pool_log(probs, support, floor=floor).score, target)
    clean_linear = spearman(pool_linear(probs, support).score, target)
    alone = float(np.mean(spearman_columns(soft_score(probs, support), target)))
    seed = int(rng.integers(2**62))
    rows = []
    for mass in left_over:
        bad = bad_judge(items, buckets, float(mass), rng=np.random.default_rng(seed))
        pool = np.concatenate([probs, bad], axis=1)
        rows.append(
            {
                "left_over": float(mass),
                "log": spearman(pool_log(pool, support, floor=floor).score, target),
                "linear": spearman(pool_linear(pool, support).score, target),
                "clean_log": clean_log,
                "clean_linear": clean_linear,
                "alone": alone,
            }
        )
    return pd.DataFrame(rows)


def breaking_points(curves: dict[int, pd.DataFrame]) -> pd.DataFrame:
    """Where each pool falls below a good judge on its own, by number of good judges.

    Parameters
    ----------
    curves : dict of int to DataFrame
        From `contaminate`, by number of good judges.

    Returns
    -------
    DataFrame
        good_judges, alone, clean_log, clean_linear, `log_breaks_at` and `linear_breaks_at` (mass left over
        where the pool first lies below `alone`; NaN if it never does), `log_lowest`, `linear_lowest`.
    """
    rows = []
    for judges, curve in curves.items():
        entry = {"good_judges": judges, **curve.iloc[0][["alone", "clean_log", "clean_linear"]].to_dict()}
        for pool in ("log", "linear"):
            entry[f"{pool}_breaks_at"] = float(curve.loc[curve[pool] < curve["alone"], "left_over"].max())
        for pool in ("log", "linear"):
            entry[f"{pool}_lowest"] = float(curve[pool].min())
        rows.append(entry)
    return pd.DataFrame(rows)
