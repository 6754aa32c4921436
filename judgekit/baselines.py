"""Policies that are no call plans: stacks, juries, the cascade and the exhaustive subset."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from judgekit.audit import AuditSet
from judgekit.axes import Codes
from judgekit.calibration import PatternTable, fit_pattern_table
from judgekit.errors import InvalidInput
from judgekit.panel import NO_GAIN, Fold
from judgekit.plan import CallPlan, Outcome, PlanSettings, audit_fold, plan_panel

MAX_SUBSET_JUDGES = 12
CONFIDENCES = np.linspace(0.5, 1.0, 51)


@dataclass(frozen=True)
class Stack:
    """Linear model on one-hot verdicts of every judge, optionally with every coefficient by slice.

    Attributes
    ----------
    coefficients : float64 [features]
    intercept : float
    levels : int
    slices : int
        Number of slices with coefficients of their own; 0 = none.
    logistic : bool
        Whether a logistic link is applied; else the prediction is clipped to 0..1.
    """

    coefficients: np.ndarray
    intercept: float
    levels: int
    slices: int
    logistic: bool

    def apply(self, codes: Codes, slices: np.ndarray) -> Outcome:
        """Answer rows; a missing verdict counts as none of the buckets."""
        score = _verdict_features(codes, slices, self.levels, self.slices) @ self.coefficients + self.intercept
        probability = 1 / (1 + np.exp(-score)) if self.logistic else np.clip(score, 0, 1)
        return _full_call(codes, probability)


def logistic_stack(audit: AuditSet, *, by_slice: bool) -> Stack:
    """L2-regularised logistic regression (C = 1) on one-hot verdicts; ridge (alpha = 1) for scalar labels."""
    from sklearn.linear_model import LogisticRegression, Ridge

    pool = audit.pool
    slices = len(pool.slice_names) if by_slice and pool.signal.routes else 0
    features = _verdict_features(pool.codes, pool.slices, pool.levels, slices)
    if _binary(pool.target):
        model = LogisticRegression(C=1.0, max_iter=2000, tol=1e-6).fit(features, pool.target.astype(int))
        return Stack(model.coef_[0], float(model.intercept_[0]), pool.levels, slices, True)
    model = Ridge(alpha=1.0).fit(features, pool.target)
    return Stack(model.coef_, float(model.intercept_), pool.levels, slices, False)


@dataclass(frozen=True)
class Jury:
    """Every judge weighed by its confusion matrix, as if errors were independent (naive Bayes).

    Attributes
    ----------
    log_prior : float64 [classes]
    log_confusion : float64 [judges, classes, levels]
        Log probability of a verdict given the class.
    values : float64 [classes]
        Scaled label each class stands for.
    """

    log_prior: np.ndarray
    log_confusion: np.ndarray
    values: np.ndarray

    def apply(self, codes: Codes, slices: np.ndarray) -> Outcome:
        """Posterior mean of the label; a missing verdict says nothing."""
        score = np.tile(self.log_prior, (len(codes), 1))
        for judge, table in enumerate(self.log_confusion):
            given = codes[:, judge] >= 0
            score[given] += table.T[codes[given, judge]]
        weight = np.exp(score - score.max(axis=1, keepdims=True))
        return _full_call(codes, weight @ self.values / weight.sum(axis=1))


def reliability_jury(audit: AuditSet, settings: PlanSettings) -> Jury:
    """Confusion matrices counted on the audit labels with add-one smoothing (Table 5)."""
    pool = audit.pool
    values = np.array([0.0, 1.0]) if _binary(pool.target) else np.linspace(0, 1, pool.levels)
    label = np.abs(pool.target[:, None] - values).argmin(axis=1)
    confusion = np.ones((len(pool.judges), len(values), pool.levels))
    for judge in range(len(pool.judges)):
        np.add.at(confusion[judge], (label, pool.codes[:, judge]), 1)
    prior = np.bincount(label, minlength=len(values)) + 1.0
    return Jury(np.log(prior / prior.sum()), np.log(confusion / confusion.sum(axis=2, keepdims=True)), values)


def dawid_skene(audit: AuditSet, settings: PlanSettings) -> Jury:
    """Confusion matrices from verdicts alone, by EM over the audit rows (crowd-kit); classes are the buckets."""
    from crowdkit.aggregation import DawidSkene

    pool = audit.pool
    rows, judges = pool.codes.shape
    votes = pd.DataFrame(
        {
            "task": np.repeat(np.arange(rows), judges),
            "worker": np.tile(np.arange(judges), rows),
            "label": pool.codes.ravel().astype(int),
        }
    )
    model = DawidSkene(n_iter=100, tol=1e-6).fit(votes)
    classes = range(pool.levels)
    # crowd-kit indexes errors_ by (worker, verdict), one column a true class
    confusion = np.full((judges, pool.levels, pool.levels), NO_GAIN)
    for judge in range(judges):
        errors = model.errors_.loc[judge].reindex(index=classes, columns=classes).fillna(0.0)
        confusion[judge] += errors.to_numpy().T
    confusion /= confusion.sum(axis=2, keepdims=True)
    prior = model.priors_.reindex(classes).fillna(0.0).to_numpy() + NO_GAIN
    return Jury(np.log(prior), np.log(confusion), np.linspace(0, 1, pool.levels))


@dataclass(frozen=True)
class Cascade:
    """Judges asked in order of quality until the calibrated probability is confident.

    Attributes
    ----------
    table : PatternTable
        Over all judges, best first.
    confidence : float
        Stop once max(p, 1 - p) reaches this.
    """

    table: PatternTable
    confidence: float

    def apply(self, codes: Codes, slices: np.ndarray) -> Outcome:
        """Answer rows, each with as many judges as it takes."""
        path = np.stack([self.table.predict(codes, depth=d).probability for d in range(1, codes.shape[1] + 1)], axis=1)
        return self.stop(path, codes.shape)

    def stop(self, path: np.ndarray, shape: tuple[int, ...]) -> Outcome:
        """Cut each row's path of predictions [items, judges] where it becomes confident."""
        confident = np.maximum(path, 1 - path) >= self.confidence
        confident[:, -1] = True
        used = confident.argmax(axis=1)
        called = np.zeros(shape, dtype=bool)
        called[:, list(self.table.judges)] = np.arange(shape[1]) <= used[:, None]
        return Outcome(path[np.arange(len(path)), used], called, np.zeros(len(path), dtype=bool))


def frugal_cascade(audit: AuditSet, settings: PlanSettings) -> Cascade:
    """Cascade in order of single validation risk, stopping at the confidence of lowest validation risk (Table 5).

    The paper leaves the threshold open. Its cascade keeps its risk and pays more when copies join the pool (Table 9),
    which a threshold bounded by a cost would not do; one chosen by risk does.
    """
    pool = audit.pool
    fold = audit_fold(audit, settings)
    risks = np.array([fold.risk_with(judge) for judge in range(len(pool.judges))])
    order = tuple(int(judge) for judge in np.argsort(np.round(risks / NO_GAIN), kind="stable"))
    fitted = _ordered_table(audit, audit.fit, order, settings)
    codes, target = pool.codes[audit.validation], pool.target[audit.validation]
    path = np.stack([fitted.predict(codes, depth=d).probability for d in range(1, len(order) + 1)], axis=1)
    losses = []
    for confidence in CONFIDENCES:
        outcome = Cascade(fitted, confidence).stop(path, codes.shape)
        losses.append(np.mean((outcome.probability - target) ** 2))
    best = int(np.argmax(np.array(losses) <= min(losses) + NO_GAIN))
    everything = np.arange(len(pool.target))
    return Cascade(_ordered_table(audit, everything, order, settings), float(CONFIDENCES[best]))


def best_subset(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The panel of lowest validation risk among all non-empty subsets; the first in pool order on a tie.

    Raises
    ------
    InvalidInput
        More than 12 judges.
    """
    judges = len(audit.pool.judges)
    if judges > MAX_SUBSET_JUDGES:
        raise InvalidInput("judges", f"at most {MAX_SUBSET_JUDGES} for an exhaustive search", judges)
    best: tuple[float, tuple[int, ...]] = (np.inf, ())
    waiting: list[tuple[Fold, tuple[int, ...]]] = [(audit_fold(audit, settings), ())]
    while waiting:
        fold, panel = waiting.pop()
        for judge in range(panel[-1] + 1 if panel else 0, judges):
            longer = fold.copy()
            longer.add(judge)
            if longer.risk < best[0] - NO_GAIN:
                best = (longer.risk, (*panel, judge))
            waiting.append((longer, (*panel, judge)))
    return plan_panel(audit, best[1], replace(settings, route_rule="none", slice_tables="routed"))


def _ordered_table(
    audit: AuditSet, rows: np.ndarray, order: tuple[int, ...], settings: PlanSettings
) -> PatternTable:
    pool = audit.pool
    return fit_pattern_table(
        pool.codes[rows], pool.target[rows], judges=order, levels=pool.levels, smoothing=settings.smoothing
    )


def _verdict_features(codes: Codes, slices: np.ndarray, levels: int, groups: int) -> np.ndarray:
    """One-hot verdicts without the lowest bucket, then the same and an intercept within each slice."""
    hot = (codes[:, :, None] == np.arange(1, levels)).reshape(len(codes), -1).astype(np.float64)
    if not groups:
        return hot
    inside = (slices[:, None] == np.arange(groups)).astype(np.float64)
    within = np.concatenate([inside[:, :, None], inside[:, :, None] * hot[:, None, :]], axis=2)
    return np.concatenate([hot, within.reshape(len(codes), -1)], axis=1)


def _full_call(codes: Codes, probability: np.ndarray) -> Outcome:
    return Outcome(probability, np.ones(codes.shape, dtype=bool), np.zeros(len(codes), dtype=bool))


def _binary(target: np.ndarray) -> bool:
    return bool(np.all((target == 0) | (target == 1)))
