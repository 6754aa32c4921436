"""Routes: which judges to add on the rows of a slice, by their gain there."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from judgekit.audit import AuditSet
from judgekit.calibration import PatternTable
from judgekit.folds import STAY, folds_within, rows_within
from judgekit.panel import Step, grow
from judgekit.plan_settings import PlanSettings


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
    audits: Sequence[AuditSet],
    halves: Sequence[AuditSet],
    tables: Sequence[PatternTable],
    settings: PlanSettings,
) -> list[Routes]:
    """Grow each plan's panel on each slice's rows by the route rule, all plans and slices side by side.

    Parameters
    ----------
    audits : sequence of AuditSet
        One a plan, all on one pool.
    halves : sequence of AuditSet
        Fit and validation rows that gains are measured on, as many consecutive ones a plan; gains are means
        over them.
    tables : sequence of PatternTable
        Global table of the plan's panel, fitted on the fit rows of each half.
    settings : PlanSettings
    """
    names, per_plan = audits[0].pool.slice_names, len(halves) // len(audits)
    sizes = np.stack([slice_sizes(half) for half in halves]).reshape(len(audits), per_plan, 2, -1)
    sizes = np.minimum(sizes.min(axis=1), [slice_sizes(audit) for audit in audits])
    plans, slices = np.nonzero(sizes.all(axis=1))
    steps: list[dict[str, tuple[Step, ...]]] = [{} for _ in audits]
    if settings.route_rule != "none" and len(plans):
        numbers = np.full((len(audits), per_plan, len(names)), -1)
        numbers[plans, :, slices] = np.arange(len(plans) * per_plan).reshape(-1, per_plan)
        grown = _grow_slices(halves, tables, numbers.reshape(len(halves), -1), settings, panels=len(plans))
        for plan, number, added in zip(plans, slices, grown, strict=True):
            if added:
                steps[plan][names[number]] = tuple(added)
    routes = []
    for found, rows in zip(steps, sizes.tolist(), strict=True):
        counted = dict(zip(names, zip(*rows, strict=True), strict=True))
        notes = [
            f"slice {name}: {fit} fit and {validation} validation rows; the global plan answers"
            for name, (fit, validation) in counted.items()
            if not (fit and validation)
        ]
        planned = tuple(name for name, each in counted.items() if all(each))
        routes.append(Routes(found, planned, tuple(notes)))
    return routes


def slice_sizes(audit: AuditSet) -> np.ndarray:
    """Fit and validation rows in each slice: int64 [2, slices]."""
    count = len(audit.pool.slice_names)
    slices = [audit.pool.slices[rows] for rows in (audit.fit, audit.validation)]
    return np.stack([np.bincount(part[part >= 0], minlength=count) for part in slices])


def _grow_slices(
    halves: Sequence[AuditSet],
    tables: Sequence[PatternTable],
    numbers: np.ndarray,
    settings: PlanSettings,
    *,
    panels: int,
) -> list[list[Step]]:
    """Judges added to each panel; `numbers` [halves, slices] tells their folds, as in `folds_within`."""
    pool = halves[0].pool
    half_of = np.empty(numbers.max() + 1, dtype=np.int64)
    half_of[numbers[numbers >= 0]] = np.nonzero(numbers >= 0)[0]
    global_tables = [tables[half] for half in half_of]
    folds = folds_within(halves, numbers, smoothing=settings.slice_shrinkage or settings.smoothing)
    if settings.slice_shrinkage:
        folds.follow(global_tables)
    else:
        for judges in zip_longest(*(table.judges for table in global_tables), fillvalue=STAY):
            folds.add(np.array(judges))
    costs = pool.costs.copy()
    costs[[pool.judges.index(name) for name in pool.signal.judges]] = 0.0
    return grow(
        folds,
        [table.judges for table in global_tables[:: len(half_of) // panels]],
        costs=costs,
        cost_weight=settings.cost_weight,
        gain_threshold=settings.route_threshold,
        reference=_global_risks(halves, tables, numbers) if settings.route_rule == "paper" else None,
        tie_errors=settings.tie_errors,
    )


def _global_risks(
    halves: Sequence[AuditSet], tables: Sequence[PatternTable], numbers: np.ndarray
) -> np.ndarray:
    """Risk of each half's global table on the validation rows of each fold: float64 [folds]."""
    pool = halves[0].pool
    rows, fold = rows_within(pool, [half.validation for half in halves], numbers)
    answers = [
        table.predict(pool.codes[half.validation]).probability
        for half, table in zip(halves, tables, strict=True)
    ]
    missed = (np.concatenate(answers) - pool.target[rows]) ** 2
    inside = fold >= 0
    return np.asarray(np.bincount(fold[inside], missed[inside]) / np.bincount(fold[inside]))
