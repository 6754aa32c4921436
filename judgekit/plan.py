"""The call plan: whom to call on every row, whom on which slice, and what each pattern then means."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from judgekit.audit import AuditSet, RolePool
from judgekit.axes import Codes
from judgekit.calibration import PatternTable, fit_pattern_table
from judgekit.errors import InvalidInput
from judgekit.panel import Step, find_panel, find_panels
from judgekit.plan_settings import PlanSettings
from judgekit.routes import find_routes
from judgekit.signals import Signal


@dataclass(frozen=True)
class Outcome:
    """What a policy says of some rows, and what it called for it.

    Attributes
    ----------
    probability : float64 [items]
        Calibrated prediction of the scaled label.
    called : bool [items, judges]
    fallback : bool [items]
        Rows whose pattern was unseen or incomplete, so that a shorter one answered.
    extra_cost : float
        Cost a row beyond the pool's calls: a signal made outside the pool.
    """

    probability: np.ndarray
    called: np.ndarray
    fallback: np.ndarray
    extra_cost: float = 0.0


@dataclass(frozen=True)
class CallPlan:
    """Panel, routes and tables, ready for new rows.

    Attributes
    ----------
    judges : tuple of str
        The pool, in order; numbers below are positions in it.
    panel : tuple of int
        Judges called on every row, in the order in which they were added.
    routes : dict of str to tuple of int
        Judges added on the rows of a slice.
    table : PatternTable
        Over the panel.
    slice_tables : dict of str to PatternTable
        Over the panel and the slice's routed judges.
    panel_steps, route_steps
        Validation gains behind each call.
    slice_names : tuple of str
    signal : Signal
    signal_cost : float
    costs : float64 [judges]
    settings : PlanSettings
    validation_fallback : float
        Share of validation rows whose pattern the fit rows lack.
    notes : tuple of str
        What a reader should know, such as slices too empty to plan for.
    """

    judges: tuple[str, ...]
    panel: tuple[int, ...]
    routes: dict[str, tuple[int, ...]]
    table: PatternTable
    slice_tables: dict[str, PatternTable]
    panel_steps: tuple[Step, ...]
    route_steps: dict[str, tuple[Step, ...]]
    slice_names: tuple[str, ...]
    signal: Signal
    signal_cost: float
    costs: np.ndarray
    settings: PlanSettings
    validation_fallback: float = np.nan
    notes: tuple[str, ...] = field(default=())

    @property
    def signal_judges(self) -> tuple[int, ...]:
        """Judges that must be called on every row because the slices are read from them."""
        if not self.slice_tables:
            return ()
        return tuple(self.judges.index(name) for name in self.signal.judges)

    def calls(self) -> set[tuple[str, str]]:
        """The plan as a set of (slice or "all", judge): what Jaccard stability compares."""
        everywhere = {("all", self.judges[judge]) for judge in (*self.panel, *self.signal_judges)}
        return everywhere | {(name, self.judges[j]) for name, added in self.routes.items() for j in added}

    def apply(self, codes: Codes, slices: np.ndarray) -> Outcome:
        """Answer new rows; a missing verdict of a called judge is answered by the shorter pattern.

        Parameters
        ----------
        codes : int [items, judges of the pool]
            -1 = missing. Only the columns the plan calls are read.
        slices : int64 [items]
            Number of the slice in `slice_names`; -1 or an unplanned slice gets the global plan.
        """
        looked_up = self.table.predict(codes)
        probability, depth = looked_up.probability, looked_up.depth
        wanted = np.full(len(codes), len(self.panel))
        called = np.zeros((len(codes), len(self.judges)), dtype=bool)
        called[:, list(self.panel + self.signal_judges)] = True
        for name, table in self.slice_tables.items():
            rows = np.flatnonzero(slices == self.slice_names.index(name))
            routed = table.predict(codes[rows])
            probability[rows], depth[rows], wanted[rows] = routed.probability, routed.depth, len(table.judges)
            called[np.ix_(rows, np.array(self.routes.get(name, ()), dtype=np.intp))] = True
        extra_cost = self.signal_cost if self.slice_tables else 0.0
        return Outcome(probability, called, depth < wanted, extra_cost)


def plan_calls(
    audit: AuditSet, settings: PlanSettings | None = None, *, resplits: Sequence[AuditSet] = ()
) -> CallPlan:
    """Choose panel and routes on validation rows, then refit every table on all audit rows.

    Parameters
    ----------
    audit : AuditSet
        Construction rows; the planner never sees others.
    settings : PlanSettings, optional
    resplits : sequence of AuditSet
        Other halvings of the same rows into fit and validation, over which gains are averaged
        (cross-fitting); none = the audit set's own halves, as in the paper.

    Raises
    ------
    InvalidInput
        A signal that names no judge of the pool.

    Examples
    --------
    >>> from judgekit.audit import RolePool
    >>> from judgekit.splits import split_by_group
    >>> label = np.tile([0.0, 1.0], 40)
    >>> codes = np.column_stack([label, label, np.tile([0, 0, 1, 1], 20)]).astype(np.int8)
    >>> none = np.full(80, -1)
    >>> names = ("a", "b", "c")
    >>> pool = RolePool("toy", codes, label, np.arange(80), none, (), names, ("x",) * 3, np.ones(3), 2)
    >>> plan = plan_calls(pool.audit(split_by_group(pool.groups, rng=np.random.default_rng(0))))
    >>> [plan.judges[judge] for judge in plan.panel]
    ['a']
    """
    settings = settings or PlanSettings()
    steps = find_panels(resplits, settings, panels=1)[0] if resplits else find_panel(audit, settings)
    panel = tuple(step.judge for step in steps)
    return plan_panel(audit, panel, settings, steps=steps, resplits=resplits)


def plan_panel(
    audit: AuditSet,
    panel: tuple[int, ...],
    settings: PlanSettings,
    *,
    steps: tuple[Step, ...] = (),
    resplits: Sequence[AuditSet] = (),
) -> CallPlan:
    """Plan with a given panel: routes as the settings say, tables refitted on all audit rows."""
    pool = audit.pool
    unknown = [name for name in pool.signal.judges if name not in pool.judges]
    if unknown:
        raise InvalidInput("signal", f"judges among {list(pool.judges)}", unknown)
    plan = CallPlan(
        judges=pool.judges,
        panel=panel,
        routes={},
        table=panel_table(pool, audit.fit, panel, settings),
        slice_tables={},
        panel_steps=steps,
        route_steps={},
        slice_names=pool.slice_names,
        signal=pool.signal,
        signal_cost=pool.signal_cost,
        costs=pool.costs,
        settings=settings,
    )
    if pool.signal.routes and (settings.route_rule, settings.slice_tables) != ("none", "routed"):
        plan = _route(plan, audit, resplits or (audit,))
    answered = plan.apply(pool.codes[audit.validation], pool.slices[audit.validation])
    return replace(
        refit(plan, pool, np.arange(len(pool.target))), validation_fallback=float(answered.fallback.mean())
    )


def refit(plan: CallPlan, pool: RolePool, rows: np.ndarray) -> CallPlan:
    """The same calls with every table fitted on other labelled rows of the pool."""
    table = panel_table(pool, rows, plan.panel, plan.settings)
    return _with_slice_tables(replace(plan, table=table), plan.slice_tables, pool, rows)


def _route(plan: CallPlan, audit: AuditSet, halves: Sequence[AuditSet]) -> CallPlan:
    """Add slice tables and routed judges, slice by slice."""
    pool, settings = audit.pool, plan.settings
    tables = [
        plan.table if half is audit else panel_table(pool, half.fit, plan.panel, settings) for half in halves
    ]
    found = find_routes([audit], halves, tables, settings)[0]
    routed = replace(plan, routes=found.routes, route_steps=found.steps, notes=found.notes)
    sliced = found.planned if settings.slice_tables == "all" else tuple(found.routes)
    return _with_slice_tables(routed, sliced, pool, audit.fit)


def panel_table(
    pool: RolePool,
    rows: np.ndarray,
    judges: tuple[int, ...],
    settings: PlanSettings,
    prior: PatternTable | None = None,
) -> PatternTable:
    """Pattern table of a panel on some rows of a pool."""
    # only the panel's columns are copied: a pool can be wide
    place = tuple(range(len(judges)))
    table = fit_pattern_table(
        pool.codes[np.ix_(rows, np.array(judges, dtype=np.int64))],
        pool.target[rows],
        judges=place,
        levels=pool.levels,
        smoothing=settings.smoothing,
        prior=prior and replace(prior, judges=place[: len(prior.judges)]),
    )
    return replace(table, judges=judges)


def _with_slice_tables(plan: CallPlan, names: Iterable[str], pool: RolePool, rows: np.ndarray) -> CallPlan:
    """The plan with a table for each of these slices, fitted on its share of the rows."""
    settings, prior = plan.settings, None
    if settings.slice_shrinkage:
        settings, prior = replace(settings, smoothing=settings.slice_shrinkage), plan.table
    tables = {}
    for name in names:
        inside = rows[pool.slices[rows] == pool.slice_names.index(name)]
        tables[name] = panel_table(pool, inside, plan.panel + plan.routes.get(name, ()), settings, prior)
    return replace(plan, slice_tables=tables)
