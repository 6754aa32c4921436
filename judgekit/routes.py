"""Routes: which judges to add on the rows of a slice, by their gain there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from judgekit.audit import AuditSet
from judgekit.calibration import PatternTable
from judgekit.panel import Fold, Step, audit_fold, grow

if TYPE_CHECKING:
    from judgekit.plan import PlanSettings


@dataclass(frozen=True)
class Routes:
    """Routed calls of a plan.

    Attributes
    ----------
    steps : dict of str to tuple of Step
        Judges added on each routed slice, with their gains there.
    planned : tuple of str
        Slices with fit and validation rows, routed or not.
    notes : tuple of str
        The others, for the reader.
    """

    steps: dict[str, tuple[Step, ...]]
    planned: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def routes(self) -> dict[str, tuple[int, ...]]:
        """Judges added on each routed slice."""
        return {name: tuple(step.judge for step in steps) for name, steps in self.steps.items()}


def find_routes(
    audit: AuditSet, halves: Sequence[AuditSet], tables: Sequence[PatternTable], settings: "PlanSettings"
) -> Routes:
    """Grow the panel on each slice's rows by the route rule; gains are means over the halves.

    Parameters
    ----------
    audit : AuditSet
    halves : sequence of AuditSet
        Fit and validation rows that gains are measured on.
    tables : sequence of PatternTable
        Global table of the panel fitted on the fit rows of each half.
    settings : PlanSettings
    """
    pool = audit.pool
    costs = pool.costs.copy()
    costs[[pool.judges.index(name) for name in pool.signal.judges]] = 0.0
    steps: dict[str, tuple[Step, ...]] = {}
    planned, notes = [], []
    for number, name in enumerate(pool.slice_names):
        parts = [slice_rows(half, number) for half in halves]
        sizes = np.min([[len(rows) for rows in part] for part in (slice_rows(audit, number), *parts)], axis=0)
        if not sizes.all():
            notes.append(
                f"slice {name}: {sizes[0]} fit and {sizes[1]} validation rows; the global plan answers"
            )
            continue
        planned.append(name)
        if settings.route_rule == "none":
            continue
        folds = [
            slice_fold(AuditSet(pool, *part), table, settings)
            for part, table in zip(parts, tables, strict=True)
        ]
        reference = None
        if settings.route_rule == "paper":
            reference = [
                global_risk(AuditSet(pool, *part), table) for part, table in zip(parts, tables, strict=True)
            ]
        found = grow(
            folds,
            candidates=[judge for judge in range(len(pool.judges)) if judge not in tables[0].judges],
            costs=costs,
            cost_weight=settings.cost_weight,
            gain_threshold=settings.route_threshold,
            reference=reference,
            tie_errors=settings.tie_errors,
        )
        if found:
            steps[name] = tuple(found)
    return Routes(steps, tuple(planned), tuple(notes))


def slice_rows(audit: AuditSet, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Fit and validation rows of one slice."""
    slices = audit.pool.slices
    return audit.fit[slices[audit.fit] == number], audit.validation[slices[audit.validation] == number]


def slice_fold(part: AuditSet, table: PatternTable, settings: "PlanSettings") -> Fold:
    """The table's panel refitted on the rows of a slice, shrunk toward the table if the settings say so."""
    if settings.slice_shrinkage:
        fold = audit_fold(part, replace(settings, smoothing=settings.slice_shrinkage))
        fold.follow(table)
        return fold
    fold = audit_fold(part, settings)
    for judge in table.judges:
        fold.add(judge)
    return fold


def global_risk(part: AuditSet, table: PatternTable) -> float:
    """Risk of a global table on the validation rows of a slice."""
    answered = table.predict(part.pool.codes[part.validation]).probability
    return float(np.mean((answered - part.pool.target[part.validation]) ** 2))
