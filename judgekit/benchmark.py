"""A benchmark cell: one data set (and aspect) at one score range, its pools of judges and what was lost."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float64

from judgekit.axes import Probs, Scores, Target
from judgekit.judgments import Judgments

ROLES = ("choose", "confirm", "extra")
POOLS = ("full", "compact", "family_diverse")


@dataclass(frozen=True)
class CellCounts:
    """What a cell was built from, and what it lost.

    Attributes
    ----------
    rows : int
        Items of the data set that the cell is about.
    unlabelled : int
        Items left out because they have no trustworthy label.
    missing, off_support : Series
        Per judge: outputs missing for any reason, and those of them that are a score off the support.
    """

    rows: int
    unlabelled: int
    missing: pd.Series
    off_support: pd.Series


@dataclass(frozen=True)
class ScoreTruth:
    """What a simulated cell knows beyond the judgments.

    Attributes
    ----------
    quality : float64 [items]
        Latent quality, standard normal.
    calibrated : float64 [items, judges, buckets]
        What each judge would say of the human score if it drew the right conclusion from what it saw.
    best_pool : float64 [items]
        Expected human score given what all judges saw together: no pool of these judges can have a lower
        squared error.
    """

    quality: Target
    calibrated: Float64[np.ndarray, "items judges buckets"]
    best_pool: Target


@dataclass(frozen=True)
class BenchmarkCell:
    """One benchmark cell, ready for pooling.

    Attributes
    ----------
    name, dataset : str
    role : {"choose", "confirm", "extra"}
        The configuration is chosen on it, or confirmed on it, or it stands beside them (hard-only judges).
    judgments : Judgments
        The full pool; NaN rows are missing outputs, every item has a label.
    pools : dict of str to list of str
        Judge names by pool: full, compact, family_diverse; empty where the data set offers no such pool.
    hard_only : list of str
        Judges without probabilities: one-hot rows, smoothed.
    smoothing : float
        Mass those rows spread evenly over the buckets.
    counts : CellCounts
    truth : ScoreTruth or None
        Of a simulated cell.
    """

    name: str
    dataset: str
    role: str
    judgments: Judgments
    pools: dict[str, list[str]]
    hard_only: list[str]
    smoothing: float
    counts: CellCounts
    truth: ScoreTruth | None = None

    @property
    def score_range(self) -> str:
        """First and last score, such as "1-5"."""
        return f"{self.judgments.support[0]:g}-{self.judgments.support[-1]:g}"

    @property
    def groups(self) -> np.ndarray:
        """Code of each item's group, in the order of the sorted group names: int64 [items]."""
        return np.unique(self.judgments.items["group"].to_numpy(str), return_inverse=True)[1]

    @property
    def probabilities(self) -> Probs:
        """Distributions renormalised in float64: [items, judges, buckets]."""
        return renormalise(self.judgments.probs)

    @property
    def soft(self) -> Scores:
        """Expected score of each judge, NaN where missing: float64 [items, judges]."""
        return expected_scores(self.judgments.probs, self.judgments.support)


def renormalise(probs: Probs) -> Probs:
    """Distributions in float64 whose rows sum to one as closely as float64 allows.

    Stored rows are float32: their sums differ from one by up to 6e-8, more than what separates the expected
    scores of a judge that is sure of almost every row.
    """
    wide = np.asarray(probs, dtype=np.float64)
    return wide / wide.sum(axis=-1, keepdims=True)


def expected_scores(probs: Probs, support: Float64[np.ndarray, " buckets"]) -> Scores:
    """Expected score of every row, bit for bit equal for equal rows: float64 [items, judges].

    Summed bucket by bucket: a matrix product may round the last rows of a block otherwise and so break ties.

    Examples
    --------
    >>> expected_scores(np.array([[[0.25, 0.25, 0.5]]]), np.array([1.0, 2.0, 3.0])).tolist()
    [[2.25]]
    """
    exact = renormalise(probs)
    total = np.zeros(exact.shape[:-1])
    for bucket, score in enumerate(support):
        total += score * exact[..., bucket]
    return total
