"""Conditional gain: how far a judge lowers a panel's validation risk, and the greedy search by it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from judgekit.audit import AuditSet
from judgekit.axes import Costs
from judgekit.folds import Folds, folds_of
from judgekit.plan_settings import PlanSettings

NO_GAIN = 1e-12


@dataclass(frozen=True)
class Step:
    """One judge added to a panel.

    Attributes
    ----------
    judge : int
        Column of the pool.
    gain : float
        Drop of the mean validation risk.
    fold_gains : float64 [folds]
        The same in each fold.
    """

    judge: int
    gain: float
    fold_gains: np.ndarray = field(repr=False)


def find_panel(audit: AuditSet, settings: PlanSettings) -> tuple[Step, ...]:
    """The panel by gains on the audit set's own halves, searched once for all policies that start from it."""
    key = ("panel", settings.gain_threshold, settings.cost_weight, settings.smoothing)
    if key not in audit.found:
        audit.found[key] = find_panels([audit], settings, panels=1)[0]
    steps: tuple[Step, ...] = audit.found[key]
    return steps


def find_panels(halves: Sequence[AuditSet], settings: PlanSettings, *, panels: int) -> list[tuple[Step, ...]]:
    """Several panels side by side: the judge of lowest risk plus weighted cost, then those that gain enough.

    Parameters
    ----------
    halves : sequence of AuditSet
        Fit and validation rows of one pool, as many consecutive ones a panel; gains are means over them.
    settings : PlanSettings
    panels : int
    """
    folds, costs = folds_of(halves, smoothing=settings.smoothing), halves[0].pool.costs
    first = start(
        folds, panels, costs=costs, cost_weight=settings.cost_weight, tie_errors=settings.tie_errors
    )
    more = grow(
        folds,
        [(step.judge,) for step in first],
        costs=costs,
        cost_weight=settings.cost_weight,
        gain_threshold=settings.gain_threshold,
        tie_errors=settings.tie_errors,
    )
    return [(step, *added) for step, added in zip(first, more, strict=True)]


def quality_order(audit: AuditSet, settings: PlanSettings) -> np.ndarray:
    """Judges from lowest to highest validation risk alone, ties in pool order: int64 [judges]."""
    key = ("quality", settings.smoothing)
    if key not in audit.found:
        risks = folds_of([audit], smoothing=settings.smoothing).risks_with(range(len(audit.pool.judges)))
        audit.found[key] = np.argsort(np.round(risks[:, 0] / NO_GAIN), kind="stable")
    order: np.ndarray = audit.found[key]
    return order


def grow(
    folds: Folds,
    called: Sequence[Sequence[int]],
    *,
    costs: Costs,
    cost_weight: float,
    gain_threshold: float,
    reference: np.ndarray | None = None,
    tie_errors: float = 0.0,
) -> list[list[Step]]:
    """Add judges to each of several panels, the largest net gain first, while it reaches the threshold.

    Parameters
    ----------
    folds : Folds
        As many consecutive folds a panel, over which its gains are means; the paper's rule has one. They are
        used up.
    called : sequence of sequences of int
        Judges that each panel has and may not add. The others are candidates; pool order settles their ties.
    costs : float64 [judges]
        Mean added cost of a call per row.
    cost_weight : float
        lambda of Table 18: a gain is net of `cost_weight * cost`.
    gain_threshold : float
        tau: the smallest net gain worth a call.
    reference : float64 [folds], optional
        Risk that the first addition must lower, instead of the folds' own (the paper's route rule). A judge
        that leaves the folds' own risk where it is, such as a copy of a panel member, is not added even then:
        the refitted table would earn the gain, not the call.
    tie_errors : float
        Judges whose gain reaches the threshold and lies within so many standard errors of the largest tie.

    Returns
    -------
    list of list of Step
        One list a panel.
    """
    steps: list[list[Step]] = [[] for _ in called]
    growing = np.arange(len(called))
    free = np.ones((len(called), len(costs)), dtype=bool)
    for panel, judges in enumerate(called):
        free[panel, list(judges)] = False
    before = folds.risks if reference is None else reference
    while free[growing].any():
        left = np.flatnonzero(free[growing].any(axis=0))
        shape = (len(left), len(growing), -1)
        risks = folds.risks_with(left)
        idle = np.all(np.abs(risks - folds.risks).reshape(shape) <= NO_GAIN, axis=2)
        gains = (before - risks).reshape(shape)
        mean = gains.mean(axis=2)
        net = mean - cost_weight * costs[left, None]
        refused = idle | ~free[np.ix_(growing, left)].T | (net < gain_threshold) | (mean <= NO_GAIN)
        net[refused] = -np.inf
        more = np.flatnonzero(~refused.all(axis=0))
        if not len(more):
            break
        best = first_best(net[:, more], _tolerance(gains[:, more], net[:, more], tie_errors))
        for column, choice in zip(more, best, strict=True):
            chosen = Step(int(left[choice]), float(mean[choice, column]), gains[choice, column])
            steps[growing[column]].append(chosen)
        per_panel = gains.shape[2]
        if len(more) < len(growing):
            folds = folds.only((more[:, None] * per_panel + np.arange(per_panel)).ravel())
            growing = growing[more]
        folds.add(left[best].repeat(per_panel) if len(growing) > 1 else int(left[best[0]]))
        free[growing, left[best]] = False
        before = folds.risks
    return steps


def start(
    folds: Folds, panels: int, *, costs: Costs, cost_weight: float, tie_errors: float = 0.0
) -> list[Step]:
    """Put the judge of lowest mean validation risk plus weighted cost into each of several empty panels.

    Parameters
    ----------
    folds : Folds
        As many consecutive folds a panel; extended in place.
    panels : int
    costs, cost_weight, tie_errors
        As in `grow`.
    """
    gains = (folds.risks - folds.risks_with(range(len(costs)))).reshape(len(costs), panels, -1)
    net = gains.mean(axis=2) - cost_weight * costs[:, None]
    best = first_best(net, _tolerance(gains, net, tie_errors))
    folds.add(best.repeat(gains.shape[2]) if panels > 1 else int(best[0]))
    return [
        Step(int(judge), float(gains[judge, panel].mean()), gains[judge, panel])
        for panel, judge in enumerate(best)
    ]


def first_best(score: np.ndarray, tolerance: np.ndarray | float = 0.0) -> np.ndarray:
    """Row of each column's largest score; scores within 1e-12 or the tolerance of it tie, the first wins.

    A single column may be given as a vector.
    """
    return np.asarray(np.argmax(score >= score.max(axis=0) - np.maximum(tolerance, NO_GAIN), axis=0))


def _tolerance(gains: np.ndarray, net: np.ndarray, tie_errors: float) -> np.ndarray | float:
    """So many Nadeau-Bengio standard errors of each judge's distance from the best: [candidates, panels]."""
    folds = gains.shape[2]
    if not tie_errors or folds < 2:
        return 0.0
    distance = gains[np.argmax(net, axis=0), np.arange(gains.shape[1])] - gains
    return np.asarray(tie_errors * distance.std(axis=2, ddof=1) * np.sqrt(1 / folds + 1))
