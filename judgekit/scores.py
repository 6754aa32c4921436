"""Score supports, hard and soft read-outs, and the scalar summaries of a distribution that feed the gate."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real
from scipy.special import entr

from judgekit.axes import Probs, Scores, Support
from judgekit.errors import InvalidInput

SUMMARIES = ("soft", "hard", "confidence", "entropy", "margin", "variance", "agreement")
FEATURE_SETS = {
    "hard": ("hard",),
    "soft": ("soft",),
    "both": ("hard", "soft"),
    "summaries": SUMMARIES,
    "distribution": (*SUMMARIES, "bucket"),
}

_ON_SUPPORT = 1e-6

Distributions = Float[np.ndarray, "*rows buckets"]
PerRow = Float[np.ndarray, "*rows"]


@dataclass(frozen=True)
class SmoothedScores:
    """Hard scores as distributions.

    Attributes
    ----------
    probs : float32 [items, judges, buckets]
        `(1 - smoothing)` on the score's bucket and `smoothing / buckets` on each; NaN rows are missing.
    smoothing : float
        Mass spread evenly over all buckets.
    missing, off_support : int
        Scores that are NaN, and scores that are no bucket of the support: both become NaN rows.
    """

    probs: Probs
    smoothing: float
    missing: int
    off_support: int


@dataclass(frozen=True)
class MappedScores:
    """Scores moved to another range.

    Attributes
    ----------
    scores : float64, any shape
        On the new range; NaN where missing or off the old range.
    missing, off_support : int
        Scores that were NaN, and scores outside the old range: counted, then missing.
    """

    scores: Float[np.ndarray, "*rows"]
    missing: int
    off_support: int


@dataclass(frozen=True)
class Features:
    """What the gate sees of each judge on each item.

    Attributes
    ----------
    values : array [items, judges, features]
        NaN rows are missing judges. Scores are scaled by the support's range to 0..1, variance to 0..1/4.
    names : tuple of str
        One name a feature.
    feature_set : str
        Key of `FEATURE_SETS`.
    """

    values: Float[np.ndarray, "items judges features"]
    names: tuple[str, ...]
    feature_set: str


def hard_score(probs: Distributions, support: Support) -> PerRow:
    """Score of the most probable bucket, the lowest one on a tie; NaN where the distribution is NaN.

    Works on pools [items, buckets] and on judges [items, judges, buckets].

    Examples
    --------
    >>> hard_score(np.array([[0.4, 0.2, 0.4]]), np.array([1.0, 2.0, 3.0])).tolist()
    [1.0]
    """
    score = support.astype(probs.dtype)[np.argmax(probs, axis=-1)]
    return np.where(np.isnan(probs[..., 0]), probs.dtype.type(np.nan), score)


def soft_score(probs: Distributions, support: Support) -> PerRow:
    """Expected score `sum_k s_k p_k`; NaN where the distribution is NaN.

    Examples
    --------
    >>> soft_score(np.array([[0.5, 0.0, 0.5]]), np.array([1.0, 2.0, 3.0])).tolist()
    [2.0]
    """
    return probs @ support.astype(probs.dtype)


def summarise(probs: Distributions, support: Support) -> dict[str, PerRow]:
    """Scalar summaries of each distribution: confidence, entropy, top-two margin and variance.

    Confidence is the largest probability; entropy is divided by log(buckets), so 1 is uniform; the margin
    is the distance between the two largest probabilities (0 is a tie); variance is in squared units of the
    support.
    """
    top_two = np.partition(probs, -2, axis=-1)[..., -2:]
    middle = support.dtype.type((support.min() + support.max()) / 2)
    centred = (support - middle).astype(probs.dtype)
    mean = probs @ centred
    return {
        "confidence": top_two[..., 1],
        "entropy": entr(probs).sum(axis=-1) / probs.dtype.type(np.log(probs.shape[-1])),
        "margin": top_two[..., 1] - top_two[..., 0],
        "variance": np.maximum(probs @ centred**2 - mean**2, 0),
    }


def agreement(probs: Probs) -> Scores:
    """Mean overlap `sum_k min(p_jk, p_lk)` of each judge with the other judges present on the item.

    1 is the same distribution, 0 none in common; NaN for a missing judge and for a judge that is alone.
    """
    items, judges, _ = probs.shape
    total = np.zeros((items, judges), probs.dtype)
    partners = np.zeros((items, judges), probs.dtype)
    for first in range(judges):
        for second in range(first + 1, judges):
            overlap = np.minimum(probs[:, first], probs[:, second]).sum(axis=1)
            present = ~np.isnan(overlap)
            for judge in (first, second):
                total[present, judge] += overlap[present]
                partners[present, judge] += 1
    return np.divide(total, partners, out=np.full_like(total, np.nan), where=partners > 0)


def features(probs: Probs, support: Support, *, feature_set: str = "summaries") -> Features:
    """The gate's inputs per judge: hard, soft, both, summaries, or distribution (summaries and raw buckets).

    A judge alone on an item agrees with itself (agreement 1), so that only missing judges have NaN. Raises
    InvalidInput on an unknown feature set.
    """
    if feature_set not in FEATURE_SETS:
        raise InvalidInput("feature_set", f"one of {', '.join(FEATURE_SETS)}", feature_set)
    low, span = support.min(), support.max() - support.min()
    names = FEATURE_SETS[feature_set]
    columns = {
        "soft": (soft_score(probs, support) - probs.dtype.type(low)) / probs.dtype.type(span),
        "hard": (hard_score(probs, support) - probs.dtype.type(low)) / probs.dtype.type(span),
    }
    if "agreement" in names:
        columns |= summarise(probs, support)
        columns["variance"] = columns["variance"] / probs.dtype.type(span**2)
        shared = agreement(probs)
        alone = np.isnan(shared) & ~np.isnan(columns["soft"])
        columns["agreement"] = np.where(alone, probs.dtype.type(1), shared)
    values = np.stack([columns[name] for name in names if name != "bucket"], axis=2)
    if "bucket" in names:
        values = np.concatenate([values, probs], axis=2)
        names = (*SUMMARIES, *(f"bucket_{bucket}" for bucket in range(probs.shape[2])))
    return Features(values, names, feature_set)


def nearest_bucket(target: Real[np.ndarray, "*rows"], support: Support) -> Int[np.ndarray, "*rows"]:
    """Index of the bucket whose score is nearest to the target, the lower one on a tie; -1 where NaN.

    Examples
    --------
    >>> nearest_bucket(np.array([1.0, 2.5, 9.0, np.nan]), np.array([1.0, 2.0, 3.0])).tolist()
    [0, 1, 2, -1]
    """
    nearest = np.argmin(np.abs(target[..., None] - support), axis=-1)
    return np.where(np.isnan(target), -1, nearest)


def smooth_one_hot(scores: Scores, support: Support, *, smoothing: float = 0.0) -> SmoothedScores:
    """Distributions of judges that give one score: one-hot, mixed with the uniform distribution.

    Parameters
    ----------
    scores : array [items, judges]
        Hard scores; NaN is missing, a value within 1e-6 of no bucket is off the support.
    support : array [buckets]
    smoothing : float
        In [0, 1). A log pool's own floor already keeps a one-hot row from being an absolute veto.
    """
    if not 0 <= smoothing < 1:
        raise InvalidInput("smoothing", "a number in [0, 1)", smoothing)
    distance = np.abs(scores[..., None] - support)
    on_bucket = distance <= _ON_SUPPORT
    missing = np.isnan(scores)
    off_support = ~on_bucket.any(axis=2) & ~missing
    probs = on_bucket * np.float32(1 - smoothing) + np.float32(smoothing / len(support))
    probs[missing | off_support] = np.nan
    return SmoothedScores(probs.astype(np.float32), smoothing, int(missing.sum()), int(off_support.sum()))


def hundred_to_ten(scores: Real[np.ndarray, "*rows"]) -> MappedScores:
    """Scores on 0-100 as scores on 1-10: `min(10, 1 + floor(x / 10))`; values outside 0-100 are counted.

    Examples
    --------
    >>> mapped = hundred_to_ten(np.array([0.0, 9.9, 10.0, 100.0, 250.0]))
    >>> mapped.scores.tolist(), mapped.off_support
    ([1.0, 1.0, 2.0, 10.0, nan], 1)
    """
    missing = np.isnan(scores)
    outside = ~missing & ((scores < 0) | (scores > 100))
    mapped = np.minimum(10, 1 + np.floor(np.asarray(scores, dtype=np.float64) / 10))
    mapped = np.where(outside, np.nan, mapped)
    return MappedScores(mapped, int(missing.sum()), int(outside.sum()))
