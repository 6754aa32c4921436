"""Pool the judges' distributions: linear and log pools, fixed, per-item and covariance-aware weights."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64

from judgekit.axes import Pooled, Probs, Scores, Support, Target, Weights
from judgekit.errors import InvalidInput

FLOOR = 1e-4

# Probabilities of one block: its megabyte (float32) stays in a core's cache, and threads seldom meet.
_BLOCK = 1 << 18
# Below this many probabilities a second thread costs more than it saves.
_THREADED = 1 << 21


@dataclass(frozen=True)
class Pool:
    """One pooled distribution an item, and its expected score.

    Attributes
    ----------
    probs : array [items, buckets]
        Pooled distribution, in the precision of the judges' probabilities; NaN where no weighted judge is
        present.
    score : array [items]
        Expected score, in the unit of the support; NaN in the same rows.
    kind : str
        "log" or "linear".
    pool_temperature : float
        T.
    floor : float
        Smallest probability let into the log; NaN for the linear pool.
    partial, empty : int
        Items pooled from some of the judges only, and items without any.
    """

    probs: Pooled
    score: Float[np.ndarray, " items"]
    kind: str
    pool_temperature: float
    floor: float
    partial: int
    empty: int


@dataclass(frozen=True)
class CovarianceWeights:
    """Fixed weights `Sigma^-1 1`, clipped to the simplex.

    Attributes
    ----------
    weights : array [judges]
        Non-negative, sum 1.
    covariance : array [judges, judges]
        Ledoit-Wolf estimate of the covariance of the judges' errors.
    shrinkage : float
        Ledoit-Wolf's share of the scaled identity, 0..1.
    clipped : int
        Judges whose unconstrained weight was negative.
    kept, dropped : int
        Rows used, and rows left out because a score or the target is missing.
    """

    weights: Float64[np.ndarray, " judges"]
    covariance: Float64[np.ndarray, "judges judges"]
    shrinkage: float
    clipped: int
    kept: int
    dropped: int


def pool_log(
    probs: Probs,
    support: Support,
    *,
    weights: Weights | None = None,
    pool_temperature: float | int = 1.0,
    floor: float = FLOOR,
    threads: int = 2,
) -> Pool:
    """Log pool `q_k ~ exp((1/T) sum_j w_j log p_jk)` and its expected score `sum_k s_k q_k`.

    Probabilities are clipped from below at `floor` and renormalised before the log; the renormalising
    constant is the same for all buckets of a judge and cancels in q. A judge whose row is NaN leaves the
    pool of that item and the other weights are renormalised. Float32 results lie within 1e-6 of float64.

    Parameters
    ----------
    probs : array [items, judges, buckets]
        NaN rows are missing judges.
    support : array [buckets]
        Score of each bucket.
    weights : array [judges] or [items, judges], optional
        Non-negative; scaled to sum 1. Uniform if left out.
    pool_temperature : float
        T > 0; below 1 sharpens.
    floor : float
        In (0, 1/buckets]. One bucket at the floor is close to a veto, so show how results depend on it.
    threads : int
        Used from 2 million probabilities on.

    Raises
    ------
    InvalidInput
        On weights, a temperature or a floor out of range.

    Examples
    --------
    >>> probs = np.array([[[0.8, 0.2], [0.5, 0.5]]])
    >>> pool_log(probs, np.array([0.0, 1.0])).probs.round(4).tolist()
    [[0.6667, 0.3333]]
    """
    buckets = probs.shape[2]
    if not 0 < floor <= 1 / buckets:
        raise InvalidInput("floor", f"a number in (0, 1/{buckets}]", floor)
    sharpness = 1 / _temperature(pool_temperature)
    # Every pooled log lies above log(floor) * sharpness: only where that could underflow is the maximum
    # taken out.
    centre = np.log(floor) * sharpness < (-80 if probs.dtype == np.float32 else -700)

    def transform(values: np.ndarray, buffer: np.ndarray, floors: np.ndarray) -> np.ndarray:
        np.maximum(values, floors, out=buffer)
        return np.log(buffer, out=buffer)

    def finish(pooled: np.ndarray) -> np.ndarray:
        if centre:
            pooled -= pooled.max(axis=1, keepdims=True)
        return np.exp(pooled, out=pooled)

    kind = _Kind(transform, finish, floor, sharpness)
    return _pool(probs, support, weights, threads, kind, ("log", float(pool_temperature), floor))


def pool_linear(
    probs: Probs,
    support: Support,
    *,
    weights: Weights | None = None,
    pool_temperature: float | int = 1.0,
    threads: int = 2,
) -> Pool:
    """Linear pool `q_k ~ (sum_j w_j p_jk)^(1/T)` and its expected score.

    Parameters are those of `pool_log`, without a floor.

    Examples
    --------
    >>> probs = np.array([[[0.8, 0.2], [0.5, 0.5]]])
    >>> pool_linear(probs, np.array([0.0, 1.0])).probs.round(4).tolist()
    [[0.65, 0.35]]
    """
    sharpness = 1 / _temperature(pool_temperature)

    def transform(values: np.ndarray, buffer: np.ndarray, floors: np.ndarray) -> np.ndarray:
        return values

    def finish(pooled: np.ndarray) -> np.ndarray:
        if sharpness == 1:
            return pooled
        pooled /= pooled.max(axis=1, keepdims=True)
        return np.power(pooled, probs.dtype.type(sharpness), out=pooled)

    kind = _Kind(transform, finish, 0.0, 1.0)
    return _pool(probs, support, weights, threads, kind, ("linear", float(pool_temperature), float("nan")))


def covariance_weights(scores: Scores, target: Target) -> CovarianceWeights:
    """Weights `Sigma^-1 1` from the judges' errors on training rows, clipped at zero and scaled to sum 1.

    Sigma is scikit-learn's Ledoit-Wolf estimate over the rows with a target and every judge. Without any
    spread in the errors the weights are uniform. Raises InvalidInput on fewer than 2 complete rows.

    Parameters
    ----------
    scores : array [items, judges]
        Expected scores of the training rows.
    target : array [items]
        On the same scale.
    """
    from sklearn.covariance import ledoit_wolf

    errors = scores.astype(np.float64) - target[:, None]
    complete = ~np.isnan(errors).any(axis=1)
    kept = int(complete.sum())
    if kept < 2:
        raise InvalidInput("scores", "at least 2 rows with a target and every judge", kept)
    covariance, shrinkage = ledoit_wolf(errors[complete])
    judges = scores.shape[1]
    raw = np.ones(judges)
    if np.trace(covariance) > 0:
        raw = np.linalg.lstsq(covariance, raw, rcond=None)[0]
    weights = np.clip(raw, 0, None)
    weights /= weights.sum()
    return CovarianceWeights(
        weights, covariance, float(shrinkage), int((raw < 0).sum()), kept, len(errors) - kept
    )


@dataclass(frozen=True)
class _Kind:
    """What tells one kind of pool from another: before the weighted sum, and after it."""

    transform: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    finish: Callable[[np.ndarray], np.ndarray]
    floor: float
    scale: float


def _pool(
    probs: np.ndarray,
    support: np.ndarray,
    weights: np.ndarray | None,
    threads: int,
    kind: _Kind,
    settings: tuple[str, float, float],
) -> Pool:
    if threads < 1:
        raise InvalidInput("threads", "a whole number >= 1", threads)
    worker = _Worker(probs, support, _checked(weights, probs.shape[1]), kind)
    starts = range(0, len(probs), worker.block)
    threads = min(threads, os.cpu_count() or 1)
    if threads > 1 and probs.size >= _THREADED:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

        # BLAS would start threads of its own inside each of ours.
        with ThreadpoolController().limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            counts = list(pool.map(worker.run, (starts[part::threads] for part in range(threads))))
    else:
        counts = [worker.run(starts)]
    partial, empty = (sum(column) for column in zip(*counts, strict=True))
    return Pool(worker.pooled, worker.score, *settings, partial, empty)


class _Worker:
    """Pools blocks of items into shared outputs; one call of `run` is one thread's share."""

    def __init__(self, probs: np.ndarray, support: np.ndarray, weights: np.ndarray, kind: _Kind) -> None:
        items, judges, self.buckets = probs.shape
        self.values = np.ascontiguousarray(probs).reshape(items, -1)
        self.kind, self.weights, dtype = kind, weights, probs.dtype
        self.block = max(1, _BLOCK // (judges * self.buckets))
        self.pooled = np.empty((items, self.buckets), dtype)
        self.score = np.empty(items, dtype)
        # A score counted from the middle of the support loses fewer digits.
        self.middle = dtype.type((support.min() + support.max()) / 2)
        self.readout = np.stack([np.ones(self.buckets), support - self.middle], axis=1).astype(dtype)
        # Products with these are the sums over judges and the repetition of a weight over a judge's buckets.
        self.sum = np.kron(np.full((judges, 1), kind.scale), np.eye(self.buckets)).astype(dtype)
        self.repeat = np.kron(np.eye(judges), np.ones(self.buckets)).astype(dtype)
        if weights.ndim == 1:
            shares = np.repeat(weights / weights.sum(), self.buckets)
            self.fixed_sum = (self.sum * shares[:, None]).astype(dtype)

    def run(self, starts: range) -> tuple[int, int]:
        """Pool the blocks that begin at these rows; returns how many items lack some judges, and all."""
        shape = (self.block, self.values.shape[1])
        buffer, floors = (
            np.empty(shape, self.values.dtype),
            np.full(shape, self.kind.floor, self.values.dtype),
        )
        totals = np.empty((self.block, 2), self.values.dtype)
        partial = empty = 0
        with np.errstate(invalid="ignore"):
            for start in starts:
                rows = slice(start, min(start + self.block, len(self.values)))
                size = rows.stop - rows.start
                pooled, score, total = self.pooled[rows], self.score[rows], totals[:size]
                values = self.kind.transform(self.values[rows], buffer[:size], floors[:size])
                if self.weights.ndim == 1:
                    np.matmul(values, self.fixed_sum, out=pooled)
                else:
                    self._weighted_sum(values, self.weights[rows], pooled, buffer[:size])
                lacking = np.flatnonzero(np.isnan(pooled[:, 0]))
                if lacking.size:
                    pooled[lacking] = self._without_missing(lacking + start)
                self.kind.finish(pooled)
                np.matmul(pooled, self.readout, out=total)
                pooled /= total[:, :1]
                np.divide(total[:, 1], total[:, 0], out=score)
                score += self.middle
                gone = int(np.isnan(score[lacking]).sum())
                partial, empty = partial + lacking.size - gone, empty + gone
        return partial, empty

    def _weighted_sum(
        self, values: np.ndarray, weights: np.ndarray, out: np.ndarray, buffer: np.ndarray
    ) -> np.ndarray:
        total = weights @ np.ones(weights.shape[1])
        shares = np.divide(
            weights, total[:, None], out=np.full(weights.shape, np.nan), where=total[:, None] > 0
        )
        np.multiply(values, shares.astype(values.dtype) @ self.repeat, out=buffer)
        return np.matmul(buffer, self.sum, out=out)

    def _without_missing(self, rows: np.ndarray) -> np.ndarray:
        values = self.values[rows]
        present = ~np.isnan(values[:, :: self.buckets])
        np.nan_to_num(values, copy=False)
        values = self.kind.transform(values, values, np.full_like(values, self.kind.floor))
        weights = present * (self.weights if self.weights.ndim == 1 else self.weights[rows])
        return self._weighted_sum(values, weights, np.empty((len(rows), self.buckets), values.dtype), values)


def _checked(weights: np.ndarray | None, judges: int) -> np.ndarray:
    if weights is None:
        return np.full(judges, 1 / judges)
    total = weights @ np.ones(judges)
    if not (weights.min(initial=0) >= 0 and np.all((total > 0) & np.isfinite(total))):
        raise InvalidInput("weights", "finite numbers >= 0, not all zero for any item", weights.ravel())
    return weights


def _temperature(pool_temperature: float | int) -> float:
    if not 0 < pool_temperature < float("inf"):
        raise InvalidInput("pool_temperature", "a finite number > 0", pool_temperature)
    return float(pool_temperature)
