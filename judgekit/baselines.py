"""Policies that are no call plans: stacks, juries, the cascade and the exhaustive subset."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logit

from judgekit.audit import AuditSet
from judgekit.axes import Codes
from judgekit.calibration import PatternTable, fit_pattern_table
from judgekit.dawid_skene import fit_dawid_skene
from judgekit.errors import InvalidInput
from judgekit.folds import Folds, folds_of
from judgekit.panel import NO_GAIN, quality_order
from judgekit.plan import CallPlan, Outcome, PlanSettings, plan_panel

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
    usual : float64 [judges, levels - 1]
        Share of each verdict but the lowest among the audit rows, which stands in for a missing one.
    """

    coefficients: np.ndarray
    intercept: float
    levels: int
    slices: int
    logistic: bool
    usual: np.ndarray

    def apply(self, codes: Codes, slices: np.ndarray) -> Outcome:
        """Answer rows; a missing verdict counts as the judge's usual one."""
        hot = np.where(codes[:, :, None] < 0, self.usual, _one_hot(codes, self.levels))
        score = _by_slice(hot, slices, self.slices) @ self.coefficients + self.intercept
        probability = 1 / (1 + np.exp(-score)) if self.logistic else np.clip(score, 0, 1)
        return _full_call(codes, probability)


def logistic_stack(audit: AuditSet, *, by_slice: bool) -> Stack:
    """L2-regularised logistic regression (C = 1) on one-hot verdicts; ridge (alpha = 1) for scalar labels."""
    from sklearn import config_context
    from sklearn.linear_model import LogisticRegression, Ridge

    pool = audit.pool
    slices = len(pool.slice_names) if by_slice and pool.signal.routes else 0
    hot = _one_hot(pool.codes, pool.levels)
    features, usual = _by_slice(hot, pool.slices, slices), hot.mean(axis=0)
    if _binary(pool.target):
        # A feature that never varies has the coefficient 0, and a fit of such features alone fails.
        varies = features.min(axis=0) < features.max(axis=0)
        coefficients = np.zeros(features.shape[1])
        if not varies.any():
            return Stack(coefficients, float(logit(pool.target.mean())), pool.levels, slices, True, usual)
        # the checks of a fit take a sixth of its time, and nothing here is a user's
        with config_context(assume_finite=True, skip_parameter_validation=True):
            model = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-8).fit(
                features[:, varies], pool.target.astype(int)
            )
        coefficients[varies] = model.coef_[0]
        return Stack(coefficients, float(model.intercept_[0]), pool.levels, slices, True, usual)
    model = Ridge(alpha=1.0).fit(features, pool.target)
    return Stack(model.coef_, float(model.intercept_), pool.levels, slices, False, usual)


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
    """Confusion matrices from verdicts alone, by EM over the audit rows; a class is a bucket."""
    pool = audit.pool
    model = fit_dawid_skene(pool.codes, levels=pool.levels)
    confusion = model.confusion + NO_GAIN
    confusion /= confusion.sum(axis=2, keepdims=True)
    return Jury(np.log(model.prior + NO_GAIN), np.log(confusion), np.linspace(0, 1, pool.levels))


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
        path = self.table.path(codes)
        last = _stops(path.probability, self.confidence)
        rows = np.arange(len(last))
        called = np.zeros(path.depth.shape, dtype=bool)
        called[:, list(self.table.judges)] = np.arange(len(self.table.judges)) <= last[:, None]
        return Outcome(path.probability[rows, last], called, path.depth[rows, last] <= last)


def frugal_cascade(audit: AuditSet, settings: PlanSettings) -> Cascade:
    """Cascade in order of single validation risk; it stops at the confidence of lowest such risk (Table 5).

    The paper leaves the threshold open. Its cascade keeps its risk and pays more when copies join the pool
    (Table 9), which a threshold bounded by a cost would not do; one chosen by risk does.
    """
    pool = audit.pool
    order = tuple(int(judge) for judge in quality_order(audit, settings))
    fitted = _ordered_table(audit, audit.fit, order, settings)
    target = pool.target[audit.validation]
    probability = fitted.path(pool.codes[audit.validation]).probability
    rows = np.arange(len(target))
    losses = [
        float(np.mean((probability[rows, _stops(probability, confidence)] - target) ** 2))
        for confidence in CONFIDENCES
    ]
    best = int(np.argmax(np.array(losses) <= min(losses) + NO_GAIN))
    everything = np.arange(len(pool.target))
    return Cascade(_ordered_table(audit, everything, order, settings), float(CONFIDENCES[best]))


def best_subset(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The panel of lowest validation risk of all non-empty subsets; on a tie the smallest, then pool order.

    Raises
    ------
    InvalidInput
        More than 12 judges.
    """
    judges = len(audit.pool.judges)
    if judges > MAX_SUBSET_JUDGES:
        raise InvalidInput("judges", f"at most {MAX_SUBSET_JUDGES} for an exhaustive search", judges)
    lowest, best = np.inf, tuple(range(judges))
    waiting: list[tuple[Folds, tuple[int, ...]]] = [(folds_of([audit], smoothing=settings.smoothing), ())]
    while waiting:
        fold, panel = waiting.pop()
        for judge in range(panel[-1] + 1 if panel else 0, judges):
            longer = fold.copy()
            longer.add(judge)
            found, risk = (*panel, judge), longer.risks[0]
            tied = risk <= lowest + NO_GAIN and (len(found), found) < (len(best), best)
            if risk < lowest - NO_GAIN or tied:
                lowest, best = risk, found
            waiting.append((longer, found))
    return plan_panel(audit, best, replace(settings, route_rule="none", slice_tables="routed"))


def _stops(probability: np.ndarray, confidence: float) -> np.ndarray:
    """Place of the judge at whom each row's path becomes confident, else of the last: int64 [items]."""
    confident = np.maximum(probability, 1 - probability) >= confidence
    confident[:, -1] = True
    return np.asarray(confident.argmax(axis=1))


def _ordered_table(
    audit: AuditSet, rows: np.ndarray, order: tuple[int, ...], settings: PlanSettings
) -> PatternTable:
    pool = audit.pool
    return fit_pattern_table(
        pool.codes[rows], pool.target[rows], judges=order, levels=pool.levels, smoothing=settings.smoothing
    )


def _one_hot(codes: Codes, levels: int) -> np.ndarray:
    """Verdicts without the lowest bucket: float64 [items, judges, levels - 1]."""
    return (codes[:, :, None] == np.arange(1, levels)).astype(np.float64)


def _by_slice(hot: np.ndarray, slices: np.ndarray, groups: int) -> np.ndarray:
    """One feature a verdict, then the same and an intercept within each slice: float64 [items, features]."""
    hot = hot.reshape(len(hot), -1)
    if not groups:
        return hot
    inside = (slices[:, None] == np.arange(groups)).astype(np.float64)
    within = np.concatenate([inside[:, :, None], inside[:, :, None] * hot[:, None, :]], axis=2)
    return np.concatenate([hot, within.reshape(len(hot), -1)], axis=1)


def _full_call(codes: Codes, probability: np.ndarray) -> Outcome:
    return Outcome(probability, np.ones(codes.shape, dtype=bool), np.any(codes < 0, axis=1))


def _binary(target: np.ndarray) -> bool:
    return bool(np.all((target == 0) | (target == 1)))
