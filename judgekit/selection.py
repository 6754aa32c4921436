"""Which judges to pool: all subsets by validation Spearman, leave-one-judge-out diagnosis, sparse repair."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from jaxtyping import Bool, Float64

from judgekit.axes import Probs, Support, Target
from judgekit.errors import InvalidInput
from judgekit.gate import GateEnsemble, GateRows, GateSettings, fit_gate
from judgekit.metrics import spearman_columns
from judgekit.pooling import FLOOR
from judgekit.scores import features

# Pooled probabilities of one block of subsets.
_BLOCK = 1 << 22
_TIE_DECIMALS = 12


@dataclass(frozen=True)
class SubsetSettings:
    """How subsets are pooled and searched.

    Attributes
    ----------
    pool : str
        "log" or "linear", uniform weights within a subset.
    pool_temperature, floor : float
        As in `judgekit.pooling`.
    exhaustive_up_to : int
        Judges up to which all non-empty subsets are tried; above, judges are added greedily.
    smallest, largest : int
        Sizes allowed; `largest` 0 means all judges.
    """

    pool: str = "log"
    pool_temperature: float = 1.0
    floor: float = FLOOR
    exhaustive_up_to: int = 12
    smallest: int = 1
    largest: int = 0

    def __post_init__(self) -> None:
        if self.pool not in ("log", "linear"):
            raise InvalidInput("pool", "log or linear", self.pool)
        if not 0 < self.pool_temperature < float("inf"):
            raise InvalidInput("pool_temperature", "a finite number > 0", self.pool_temperature)
        if not 0 < self.floor < 1:
            raise InvalidInput("floor", "a number between 0 and 1", self.floor)
        if self.smallest < 1 or (self.largest and self.largest < self.smallest):
            raise InvalidInput("smallest", "1 <= smallest <= largest", (self.smallest, self.largest))


@dataclass(frozen=True)
class SubsetSearch:
    """Subsets of a pool by validation Spearman.

    Attributes
    ----------
    best : tuple of int
        Judges of the best subset, in pool order; the smaller one on a tie, then the first in pool order.
    spearman : float
        Of the best subset.
    subsets : bool array [subsets, judges]
        All subsets tried.
    values : array [subsets]
        Their validation Spearman; NaN where undefined.
    exhaustive : bool
        Whether every allowed subset was tried.
    settings : SubsetSettings
    kept, dropped : int
        Rows with a target and every judge, on which all subsets are compared, and the others.
    """

    best: tuple[int, ...]
    spearman: float
    subsets: Bool[np.ndarray, "subsets judges"]
    values: Float64[np.ndarray, " subsets"]
    exhaustive: bool
    settings: SubsetSettings
    kept: int
    dropped: int

    @property
    def best_by_size(self) -> dict[int, float]:
        """Highest Spearman of each subset size; NaN where none is defined."""
        sizes = self.subsets.sum(axis=1)
        best = {int(size): float("nan") for size in np.unique(sizes)}
        for size, value in zip(sizes, self.values, strict=True):
            if not np.isnan(value):
                best[int(size)] = float(np.fmax(best[int(size)], value))
        return best


@dataclass(frozen=True)
class LeaveOneOut:
    """What dropping each judge does to the full pool, on validation rows.

    Attributes
    ----------
    full : float
        Spearman of the pool of all judges.
    without : array [judges]
        Spearman without each judge.
    gain : array [judges]
        `without - full`; positive for a judge that harms the pool.
    worst : int
        Judge whose removal gains most.
    kept, dropped : int
        Rows with a target and every judge, and the others.
    """

    full: float
    without: Float64[np.ndarray, " judges"]
    gain: Float64[np.ndarray, " judges"]
    worst: int
    kept: int
    dropped: int

    @property
    def best_gain(self) -> float:
        """Gain of dropping the worst judge: the contamination statistic of the selector."""
        return float(self.gain[self.worst])


@dataclass(frozen=True)
class SparseRepair:
    """A gate retrained on the best subset.

    Attributes
    ----------
    search : SubsetSearch
        Where the subset comes from.
    diagnosis : LeaveOneOut
        Of the full pool.
    gates : GateEnsemble
        Trained on the subset's judges, features recomputed among them.
    feature_set : str
        Key of `judgekit.scores.FEATURE_SETS`.
    """

    search: SubsetSearch
    diagnosis: LeaveOneOut
    gates: GateEnsemble
    feature_set: str

    def scores(self, probs: Probs, support: Support) -> np.ndarray:
        """Predicted scores [items, seeds] from the full pool's distributions [items, judges, buckets]."""
        chosen = probs[:, list(self.search.best)]
        return self.gates.scores(features(chosen, support, feature_set=self.feature_set).values, chosen)


def subset_scores(
    probs: Probs,
    support: Support,
    subsets: Bool[np.ndarray, "subsets judges"],
    *,
    settings: SubsetSettings | None = None,
) -> Float64[np.ndarray, "items subsets"]:
    """Expected score of the uniform pool of each subset: one product over judges for all subsets at once.

    A missing judge leaves the pool of that item; an item without any judge of the subset is NaN.
    """
    settings = settings or SubsetSettings()
    items, judges, buckets = probs.shape
    missing = np.isnan(probs).any(axis=2)
    values = np.where(missing[..., None], 1, probs).astype(np.float64)
    if settings.pool == "log":
        values = np.log(np.maximum(values, settings.floor))
    by_judge = np.where(missing[..., None], 0, values).transpose(0, 2, 1).reshape(items * buckets, judges)
    members = subsets.T.astype(np.float64)
    present = (~missing).astype(np.float64) @ members
    found = np.empty((items, len(subsets)))
    block = max(1, _BLOCK // max(1, items * buckets))
    for start in range(0, len(subsets), block):
        chosen = slice(start, start + block)
        count = np.where(present[:, chosen] > 0, present[:, chosen], np.nan)[:, None]
        pooled = (by_judge @ members[:, chosen]).reshape(items, buckets, -1) / count
        if settings.pool == "log":
            pooled = np.exp((pooled - pooled.max(axis=1, keepdims=True)) / settings.pool_temperature)
        else:
            pooled = (pooled / pooled.max(axis=1, keepdims=True)) ** (1 / settings.pool_temperature)
        found[:, chosen] = np.einsum("iks,k->is", pooled, support) / pooled.sum(axis=1)
    return found


def search_subsets(
    probs: Probs, target: Target, support: Support, *, settings: SubsetSettings | None = None
) -> SubsetSearch:
    """Find the subset whose uniform pool has the highest Spearman on validation rows.

    All subsets are compared on the rows with a target and every judge. Raises InvalidInput if there are
    fewer than 2 such rows or no subset has a defined correlation.

    Parameters
    ----------
    probs : array [items, judges, buckets]
        Of the validation rows.
    target : array [items]
    support : array [buckets]
    settings : SubsetSettings, optional
    """
    settings = settings or SubsetSettings()
    judges = probs.shape[1]
    rows = _shared_rows(probs, target)
    largest = min(settings.largest or judges, judges)
    if settings.smallest > largest:
        raise InvalidInput("smallest", f"at most the pool's {largest} judges", settings.smallest)
    exhaustive = judges <= settings.exhaustive_up_to
    if exhaustive:
        subsets = np.array(list(product([True, False], repeat=judges)))
        sizes = subsets.sum(axis=1)
        subsets = subsets[(sizes >= settings.smallest) & (sizes <= largest)]
        values = _spearman(probs[rows], target[rows], support, subsets, settings)
    else:
        subsets, values = _greedy(probs[rows], target[rows], support, largest, settings)
    allowed = ~np.isnan(values) & (subsets.sum(axis=1) >= settings.smallest)
    if not allowed.any():
        raise InvalidInput(
            "probs", "a subset whose pooled scores differ between items", "constant scores only"
        )
    best = _best(subsets, np.where(allowed, values, -np.inf))
    chosen = tuple(int(judge) for judge in np.flatnonzero(subsets[best]))
    counts = int(rows.sum()), int((~rows).sum())
    return SubsetSearch(chosen, float(values[best]), subsets, values, exhaustive, settings, *counts)


def leave_one_out(
    probs: Probs, target: Target, support: Support, *, settings: SubsetSettings | None = None
) -> LeaveOneOut:
    """Spearman of the full pool without each judge in turn, on validation rows that have every judge.

    Raises InvalidInput for a single judge and for fewer than 2 such rows.
    """
    judges = probs.shape[1]
    if judges < 2:
        raise InvalidInput("probs", "at least 2 judges", judges)
    rows = _shared_rows(probs, target)
    subsets = np.vstack([np.ones(judges, dtype=bool), ~np.eye(judges, dtype=bool)])
    values = _spearman(probs[rows], target[rows], support, subsets, settings or SubsetSettings())
    gain = values[1:] - values[0]
    worst = int(np.argmax(np.where(np.isnan(gain), -np.inf, gain)))
    return LeaveOneOut(float(values[0]), values[1:], gain, worst, int(rows.sum()), int((~rows).sum()))


def sparse_repair(
    train: GateRows,
    validation: GateRows,
    support: Support,
    *,
    rng: np.random.Generator,
    subsets: SubsetSettings | None = None,
    gate: GateSettings | None = None,
    feature_set: str = "summaries",
    seeds: int = 3,
) -> SparseRepair:
    """Diagnose the pool, keep its best subset by validation Spearman, and retrain the gate on that subset.

    The subset and the gate's best epoch rest on validation rows only; the features given are replaced by
    those of the subset, since agreement depends on the pool. Raises InvalidInput as the searches do.

    Parameters
    ----------
    train, validation : GateRows
        Of the full pool.
    support : array [buckets]
    rng : Generator
        For the gate.
    subsets : SubsetSettings, optional
        `smallest=2, largest=2` is the published top-2 repair.
    gate : GateSettings, optional
    feature_set : str
        Key of `judgekit.scores.FEATURE_SETS`.
    seeds : int
        Gates trained.
    """
    search = search_subsets(validation.probs, validation.target, support, settings=subsets)
    diagnosis = leave_one_out(validation.probs, validation.target, support, settings=subsets)

    def among(rows: GateRows) -> GateRows:
        chosen = rows.probs[:, list(search.best)]
        values = features(chosen, support, feature_set=feature_set).values
        return replace(rows, features=values, probs=chosen)

    gates = fit_gate(among(train), among(validation), support, rng=rng, settings=gate, seeds=seeds)
    return SparseRepair(search, diagnosis, gates, feature_set)


def _shared_rows(probs: np.ndarray, target: np.ndarray) -> np.ndarray:
    rows = ~np.isnan(probs).any(axis=(1, 2)) & ~np.isnan(target)
    if rows.sum() < 2:
        raise InvalidInput("probs", "at least 2 rows with a target and every judge", int(rows.sum()))
    return rows


def _spearman(
    probs: np.ndarray, target: np.ndarray, support: np.ndarray, subsets: np.ndarray, settings: SubsetSettings
) -> np.ndarray:
    return spearman_columns(subset_scores(probs, support, subsets, settings=settings), target)


def _best(subsets: np.ndarray, values: np.ndarray) -> int:
    order = np.lexsort([subsets.sum(axis=1), -np.round(values, _TIE_DECIMALS)])
    return int(order[0])


def _greedy(
    probs: np.ndarray, target: np.ndarray, support: np.ndarray, largest: int, settings: SubsetSettings
) -> tuple[np.ndarray, np.ndarray]:
    judges = probs.shape[1]
    current, reached = np.zeros(judges, dtype=bool), -np.inf
    tried, found = [], []
    while current.sum() < largest:
        candidates = current | np.eye(judges, dtype=bool)[~current]
        values = _spearman(probs, target, support, candidates, settings)
        tried.append(candidates)
        found.append(values)
        best = int(np.argmax(np.where(np.isnan(values), -np.inf, np.round(values, _TIE_DECIMALS))))
        if not values[best] > reached + 10.0**-_TIE_DECIMALS and current.sum() >= settings.smallest:
            break
        current, reached = candidates[best], values[best]
    return np.concatenate(tried), np.concatenate(found)
