"""Dawid and Skene's model: what each judge says given the truth, learnt by EM from verdicts alone."""

from dataclasses import dataclass

import numpy as np

from judgekit.axes import Codes
from judgekit.errors import InvalidInput

# Smallest share of a verdict that was given at least once, and of a class.
_LEAST = 1e-10


@dataclass(frozen=True)
class DawidSkene:
    """Fitted model; a class is a bucket, and a bucket that nobody used has no probability.

    Attributes
    ----------
    prior : float64 [classes]
        Share of the items in each class.
    confusion : float64 [judges, classes, levels]
        Probability of a verdict given the class.
    iterations : int
        EM steps taken.
    converged : bool
        Whether the last step raised the bound by less than the tolerance.
    """

    prior: np.ndarray
    confusion: np.ndarray
    iterations: int
    converged: bool


def fit_dawid_skene(
    codes: Codes, *, levels: int, iterations: int = 100, tolerance: float = 1e-6
) -> DawidSkene:
    """Confusion matrices and class shares by EM, started from each item's share of votes.

    Items with the same verdicts are counted once. Bounds and stopping rule are those of crowd-kit 1.4, with
    which a test compares it: its lower bound weighs the prior once a verdict.

    Parameters
    ----------
    codes : int [items, judges]
        Complete verdicts.
    levels : int
        Number of distinct verdicts.
    iterations : int
        At most so many EM steps.
    tolerance : float
        Stop when a step raises the bound by less, per verdict.

    Raises
    ------
    InvalidInput
        No items, or a verdict that is missing or too high.

    Examples
    --------
    >>> codes = np.array([[1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]] * 5)
    >>> fit_dawid_skene(codes, levels=2).confusion[:, 1, 1].round(2).tolist()
    [1.0, 1.0, 0.5]
    """
    if not len(codes) or codes.min() < 0 or codes.max() >= levels:
        raise InvalidInput("codes", f"complete rows, verdicts from 0 to {levels - 1}", codes.shape)
    patterns, counts = np.unique(codes, axis=0, return_counts=True)
    said = patterns[:, :, None] == np.arange(levels)
    used = said.any(axis=0)
    classes = np.flatnonzero(used.any(axis=0))
    votes = said.reshape(len(patterns), -1).astype(np.float64)
    truth = said[:, :, classes].mean(axis=1)
    bound, converged, step = -np.inf, False, 0
    prior, confusion = _maximised(truth, votes, counts, used)
    while step < iterations and not converged:
        step += 1
        log_verdicts = votes @ np.log(confusion).reshape(-1, len(classes))
        score = log_verdicts + np.log(np.maximum(prior, _LEAST))
        weight = np.exp(score - score.max(axis=1, keepdims=True))
        truth = weight / weight.sum(axis=1, keepdims=True)
        prior, confusion = _maximised(truth, votes, counts, used)
        before, bound = bound, _bound(truth, votes, counts, prior, confusion) / codes.size
        converged = bool(bound - before < tolerance)
    shares, by_class = np.zeros(levels), np.zeros((codes.shape[1], levels, levels))
    shares[classes] = prior
    by_class[:, classes] = np.where(used[:, :, None], confusion, 0.0).transpose(0, 2, 1)
    return DawidSkene(shares, by_class, step, converged)


def _maximised(
    truth: np.ndarray, votes: np.ndarray, counts: np.ndarray, used: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Class shares, and confusion [judges, verdicts, classes] where a verdict never given counts as 1."""
    weighted = counts[:, None] * truth
    given = np.maximum((votes.T @ weighted).reshape(*used.shape, -1), _LEAST)
    given[~used] = 0.0
    confusion = given / given.sum(axis=1, keepdims=True)
    confusion[~used] = 1.0
    return weighted.sum(axis=0) / counts.sum(), confusion


def _bound(
    truth: np.ndarray, votes: np.ndarray, counts: np.ndarray, prior: np.ndarray, confusion: np.ndarray
) -> float:
    """Evidence lower bound, with the prior counted once a verdict."""
    score = votes @ np.log(confusion).reshape(-1, len(prior))
    score += len(confusion) * np.log(np.maximum(prior, _LEAST))
    clipped = np.maximum(truth, _LEAST)
    return float(counts @ (truth * score - clipped * np.log(clipped)).sum(axis=1))
