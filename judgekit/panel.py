"""Conditional gain: how far a judge lowers a panel's validation risk, and the greedy search by it."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from judgekit.audit import AuditSet
from judgekit.axes import Costs, Target
from judgekit.calibration import PatternTable
from judgekit.errors import InvalidInput

if TYPE_CHECKING:
    from judgekit.plan import PlanSettings

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


class Fold:
    """One pair of fit and validation rows, and the pattern table of the panel grown on it so far.

    Tables are fitted on the fit rows; the validation risk of the panel with one more judge is read from
    counts per cell, so that a candidate costs two passes over integers. A validation row whose pattern the
    fit rows lack keeps the prediction of the shorter pattern from then on.

    Parameters
    ----------
    fit_codes, validation_codes : int [judges, items], contiguous
        Verdicts, judges first: a candidate reads one row.
    fit_target, validation_target : float64 [items]
        Labels scaled to 0..1.
    levels : int
        Number of distinct verdicts.
    smoothing : float
        Pseudo-counts at the base rate of the fit rows, or at the prediction of a table that is followed.
    """

    def __init__(
        self,
        fit_codes: np.ndarray,
        fit_target: np.ndarray,
        validation_codes: np.ndarray,
        validation_target: np.ndarray,
        *,
        levels: int,
        smoothing: float = 1.0,
    ) -> None:
        if not len(fit_target) or not len(validation_target):
            given = f"{len(fit_target)}, {len(validation_target)}"
            raise InvalidInput("audit set", "fit and validation rows", given)
        self.levels, self.smoothing = levels, smoothing
        base_rate = float(fit_target.mean())
        self._fit = _Cells(fit_codes, fit_target, levels)
        self._validation = _Cells(validation_codes, validation_target, levels)
        self._value = self._toward = np.array([base_rate])
        self._settled = 0.0
        self.risk = float(np.mean((base_rate - validation_target) ** 2))

    @property
    def patterns(self) -> int:
        """Patterns of the panel that the fit rows show."""
        return len(self._value)

    def copy(self) -> "Fold":
        """A fold with the same panel that can grow on its own."""
        twin = copy.copy(self)
        twin._fit, twin._validation = copy.copy(self._fit), copy.copy(self._validation)
        return twin

    def risk_with(self, judge: int) -> float:
        """Validation risk of the panel with one more judge."""
        value = self._extended(judge)
        rows, mass = self._validation.sums(judge, self.patterns + 1)
        loss = _squared_error(rows[: len(value)], mass[: len(value)], value)
        return (loss + self._settled + self._validation.excess) / self._validation.rows

    def add(self, judge: int) -> None:
        """Extend the panel by one judge."""
        rows, _ = self._fit.sums(judge, self.patterns)
        seen = np.flatnonzero(rows)
        self._advance(judge, seen, np.repeat(self._toward, self.levels)[seen])

    def follow(self, table: PatternTable) -> None:
        """Take over a table's panel and patterns, shrinking each pattern toward what that table says of it.

        Judges added later are shrunk toward the same predictions. The table's patterns stay where no fit row
        shows them.
        """
        for judge, keys, values in zip(table.judges, table.keys, table.values, strict=True):
            self._advance(judge, keys, values)

    def _advance(self, judge: int, kept: np.ndarray, toward: np.ndarray) -> None:
        """Move the rows to the kept patterns; rows of others keep the shorter pattern's value for good."""
        fit_rows, fit_mass = self._fit.sums(judge, self.patterns)
        value = np.repeat(self._value, self.levels)
        weight = fit_rows[kept] + self.smoothing
        value[kept] = (fit_mass[kept] + self.smoothing * toward) / weight
        rows, mass = self._validation.sums(judge, self.patterns + 1)
        rows, mass = rows[: len(value)], mass[: len(value)]
        excess = self._validation.excess
        self.risk = (_squared_error(rows, mass, value) + self._settled + excess) / self._validation.rows
        renumber = np.full((self.patterns + 1) * self.levels, len(kept), dtype=np.int64)
        renumber[kept] = np.arange(len(kept))
        lost = renumber[: len(value)] == len(kept)
        self._settled += _squared_error(rows[lost], mass[lost], value[lost])
        self._fit.move(judge, renumber)
        self._validation.move(judge, renumber)
        self._value, self._toward = value[kept], toward

    def _extended(self, judge: int) -> np.ndarray:
        rows, mass = self._fit.sums(judge, self.patterns)
        value = np.repeat(self._value, self.levels)
        toward = np.repeat(self._toward, self.levels)
        np.divide(mass + self.smoothing * toward, rows + self.smoothing, out=value, where=rows > 0)
        return value


class _Cells:
    """Rows and summed labels per (pattern, verdict) of one set of rows.

    The row's pattern is kept as an offset to which a candidate's verdict is added; binary labels are part of
    the offset, so that one count gives both sums.
    """

    def __init__(self, codes: np.ndarray, target: Target, levels: int) -> None:
        self.binary = bool(np.all((target == 0) | (target == 1)))
        self.excess = 0.0 if self.binary else float(np.sum(target**2 - target))
        self.rows = len(target)
        self._codes, self._levels = codes, levels
        self._target = target.astype(np.int64) if self.binary else target
        self._stride = 2 if self.binary else 1
        self._node = np.zeros(len(target), dtype=np.int64)
        self._offset = self._offsets()

    def _offsets(self) -> np.ndarray:
        start = self._node * (self._stride * self._levels)
        return start + self._target if self.binary else start

    def sums(self, judge: int, patterns: int) -> tuple[np.ndarray, np.ndarray]:
        cells = patterns * self._levels
        key = self._offset + self._stride * self._codes[judge]
        if not self.binary:
            return np.bincount(key, minlength=cells), np.bincount(key, weights=self._target, minlength=cells)
        split = np.bincount(key, minlength=2 * cells).reshape(-1, 2)
        return split.sum(axis=1), split[:, 1]

    def move(self, judge: int, renumber: np.ndarray) -> None:
        self._node = renumber[self._node * self._levels + self._codes[judge]]
        self._offset = self._offsets()


def _squared_error(rows: np.ndarray, mass: np.ndarray, value: np.ndarray) -> float:
    """Summed squared error of `value` in cells of 0/1 labels with `mass` ones among `rows`."""
    return float(np.sum((rows - mass) * value**2) + np.sum(mass * (1 - value) ** 2))


def audit_fold(audit: AuditSet, settings: "PlanSettings") -> Fold:
    """The audit set's fit and validation rows as a fold with an empty panel."""
    pool = audit.pool
    return Fold(
        np.ascontiguousarray(pool.codes[audit.fit].T),
        pool.target[audit.fit],
        np.ascontiguousarray(pool.codes[audit.validation].T),
        pool.target[audit.validation],
        levels=pool.levels,
        smoothing=settings.smoothing,
    )


def quality_order(audit: AuditSet, settings: "PlanSettings") -> np.ndarray:
    """Judges from lowest to highest validation risk alone, ties in pool order: int64 [judges]."""
    fold = audit_fold(audit, settings)
    risks = np.array([fold.risk_with(judge) for judge in range(len(audit.pool.judges))])
    return np.argsort(np.round(risks / NO_GAIN), kind="stable")


def grow(
    folds: Sequence[Fold],
    *,
    candidates: Sequence[int],
    costs: Costs,
    cost_weight: float,
    gain_threshold: float,
    reference: Sequence[float] | None = None,
    tie_errors: float = 0.0,
) -> list[Step]:
    """Add judges to the folds' panel, the largest net gain first, while it reaches the threshold.

    Parameters
    ----------
    folds : sequence of Fold
        Extended in place; gains are means over the folds. The paper's rule has one.
    candidates : sequence of int
        Judges that may be added, in pool order, which settles ties.
    costs : float64 [judges]
        Mean added cost of a call per row.
    cost_weight : float
        lambda of Table 18: a gain is net of `cost_weight * cost`.
    gain_threshold : float
        tau: the smallest net gain worth a call.
    reference : sequence of float, optional
        Risk per fold that the first addition must lower, instead of the folds' own (the paper's route rule).
        A judge that leaves the folds' own risk where it is, such as a copy of a panel member, is not added
        even then: the refitted table would earn the gain, not the call.
    tie_errors : float
        Judges whose gain reaches the threshold and lies within so many standard errors of the largest tie.

    Returns
    -------
    list of Step
    """
    steps: list[Step] = []
    left = list(candidates)
    before = np.array([fold.risk for fold in folds] if reference is None else reference)
    while left:
        risks = np.array([[fold.risk_with(judge) for fold in folds] for judge in left])
        gains = before - risks
        mean = gains.mean(axis=1)
        idle = np.all(np.abs(risks - [fold.risk for fold in folds]) <= NO_GAIN, axis=1)
        net = np.where(idle, -np.inf, mean - cost_weight * costs[left])
        net = np.where((net < gain_threshold) | (mean <= NO_GAIN), -np.inf, net)
        if np.all(net == -np.inf):
            break
        best = first_best(net, _tolerance(gains, net, tie_errors))
        judge = left.pop(best)
        for fold in folds:
            fold.add(judge)
        steps.append(Step(judge, float(mean[best]), gains[best]))
        before = np.array([fold.risk for fold in folds])
    return steps


def start(
    folds: Sequence[Fold],
    *,
    candidates: Sequence[int],
    costs: Costs,
    cost_weight: float,
    tie_errors: float = 0.0,
) -> Step:
    """Put the judge of lowest mean validation risk plus weighted cost into the empty panel."""
    before = np.array([fold.risk for fold in folds])
    gains = before - np.array([[fold.risk_with(judge) for fold in folds] for judge in candidates])
    net = gains.mean(axis=1) - cost_weight * costs[list(candidates)]
    best = first_best(net, _tolerance(gains, net, tie_errors))
    for fold in folds:
        fold.add(candidates[best])
    return Step(candidates[best], float(gains[best].mean()), gains[best])


def first_best(score: np.ndarray, tolerance: np.ndarray | float = 0.0) -> int:
    """Position of the largest score; scores within 1e-12 or the tolerance of it tie, and the first wins."""
    return int(np.argmax(score >= score.max() - np.maximum(tolerance, NO_GAIN)))


def _tolerance(gains: np.ndarray, net: np.ndarray, tie_errors: float) -> np.ndarray | float:
    """So many Nadeau-Bengio standard errors of each judge's distance from the best: float64 [judges]."""
    folds = gains.shape[1]
    if not tie_errors or folds < 2:
        return 0.0
    distance = gains[int(np.argmax(net))] - gains
    return tie_errors * distance.std(axis=1, ddof=1) * float(np.sqrt(1 / folds + 1))
