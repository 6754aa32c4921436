"""Calibrate each judge's distribution before pooling: temperature and vector scaling."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, softmax

from judgekit.axes import Probs, Support, Target
from judgekit.errors import InvalidInput
from judgekit.pooling import FLOOR
from judgekit.scores import nearest_bucket

KINDS = ("temperature", "vector")

_LOG_TEMPERATURES = (-4.0, 4.0)


@dataclass(frozen=True)
class JudgeScaling:
    """A calibrated map of each judge's distribution: `q_k ~ exp(scale_k log p_k + bias_k)`.

    Attributes
    ----------
    scale, bias : array [judges, buckets]
        Temperature scaling has `scale = 1 / judge_temperature` in every bucket and no bias. Judges with too
        few rows keep their distribution (scale 1, bias 0).
    kind : str
        "temperature" or "vector".
    floor : float
        Smallest probability let into the log.
    ridge : float
        Weight of the squared distance from the identity in the vector fit.
    loss_before, loss_after : array [judges]
        Mean cross-entropy to the nearest bucket on the rows of the fit; NaN without rows.
    rows : int array [judges]
        Rows with a target and this judge.
    """

    scale: Float64[np.ndarray, "judges buckets"]
    bias: Float64[np.ndarray, "judges buckets"]
    kind: str
    floor: float
    ridge: float
    loss_before: Float64[np.ndarray, " judges"]
    loss_after: Float64[np.ndarray, " judges"]
    rows: Int[np.ndarray, " judges"]

    @property
    def judge_temperature(self) -> Float64[np.ndarray, " judges"]:
        """Temperature of each judge, above 1 for an overconfident one; NaN for vector scaling."""
        return 1 / self.scale[:, 0] if self.kind == "temperature" else np.full(len(self.scale), np.nan)

    def apply(self, probs: Probs) -> Probs:
        """Calibrated distributions of the same shape and precision; missing judges stay missing."""
        logs = np.log(np.maximum(probs, self.floor))
        return softmax(logs * self.scale + self.bias, axis=2).astype(probs.dtype)


def fit_scaling(
    probs: Probs,
    target: Target,
    support: Support,
    *,
    kind: str = "temperature",
    floor: float = FLOOR,
    ridge: float = 1e-3,
) -> JudgeScaling:
    """Fit each judge's scaling on training rows by cross-entropy to the bucket nearest to the target.

    Parameters
    ----------
    probs : array [items, judges, buckets]
        NaN rows are missing judges.
    target : array [items]
        Rows with NaN are left out.
    support : array [buckets]
    kind : str
        "temperature" (one number a judge) or "vector" (a scale and a bias a bucket; Guo et al. 2017).
    floor : float
        Smallest probability let into the log.
    ridge : float
        Penalty `ridge * (|scale - 1|^2 + |bias|^2)` on the mean loss of vector scaling.

    Raises
    ------
    InvalidInput
        On an unknown kind, or a floor or ridge out of range.
    """
    if kind not in KINDS:
        raise InvalidInput("kind", " or ".join(KINDS), kind)
    if not 0 < floor < 1:
        raise InvalidInput("floor", "a number between 0 and 1", floor)
    if not ridge >= 0:
        raise InvalidInput("ridge", "a number >= 0", ridge)
    _, judges, buckets = probs.shape
    scale, bias = np.ones((judges, buckets)), np.zeros((judges, buckets))
    before, after = np.full((2, judges), np.nan)
    rows = np.zeros(judges, dtype=np.int64)
    bucket = nearest_bucket(target, support)
    for judge in range(judges):
        usable = (bucket >= 0) & ~np.isnan(probs[:, judge]).any(axis=1)
        rows[judge] = usable.sum()
        if not rows[judge]:
            continue
        logs = np.log(np.maximum(probs[usable, judge].astype(np.float64), floor))
        truth = bucket[usable]
        before[judge] = after[judge] = _cross_entropy(logs, truth)
        if rows[judge] < 2:
            continue
        if kind == "temperature":
            scale[judge] = _fit_temperature(logs, truth)
        else:
            scale[judge], bias[judge] = _fit_vector(logs, truth, ridge)
        after[judge] = _cross_entropy(logs * scale[judge] + bias[judge], truth)
    return JudgeScaling(scale, bias, kind, floor, ridge, before, after, rows)


def _cross_entropy(logits: np.ndarray, truth: np.ndarray) -> float:
    return float(-log_softmax(logits, axis=1)[np.arange(len(truth)), truth].mean())


def _fit_temperature(logs: np.ndarray, truth: np.ndarray) -> float:
    found = minimize_scalar(
        lambda value: _cross_entropy(logs * np.exp(-value), truth),
        bounds=_LOG_TEMPERATURES,
        method="bounded",
        options={"xatol": 1e-8},
    )
    return float(np.exp(-found.x))


def _fit_vector(logs: np.ndarray, truth: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    rows, buckets = logs.shape
    hit = np.eye(buckets)[truth]
    identity = np.concatenate([np.ones(buckets), np.zeros(buckets)])

    def log_probabilities(parameters: np.ndarray) -> np.ndarray:
        return np.asarray(log_softmax(logs * parameters[:buckets] + parameters[buckets:], axis=1))

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        fitted = log_probabilities(parameters)
        error = (np.exp(fitted) - hit) / rows
        away = parameters - identity
        gradient = np.concatenate([(error * logs).sum(axis=0), error.sum(axis=0)]) + 2 * ridge * away
        return float(-fitted[np.arange(rows), truth].mean() + ridge * (away @ away)), gradient

    def curvature(parameters: np.ndarray) -> np.ndarray:
        p = np.exp(log_probabilities(parameters))
        slopes = np.concatenate([p * logs, p], axis=1)
        within = (p * logs).sum(axis=0)
        own = np.block(
            [[np.diag((p * logs**2).sum(axis=0)), np.diag(within)], [np.diag(within), np.diag(p.sum(axis=0))]]
        )
        return (own - slopes.T @ slopes) / rows + 2 * ridge * np.eye(2 * buckets)

    # Convex with few parameters: Newton's steps need a tenth of the passes that a quasi-Newton method takes.
    found = minimize(
        loss, identity, jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-9, "maxiter": 200}
    )
    return found.x[:buckets], found.x[buckets:]
