"""Steadier plans: gains cross-fitted over halvings, calls that recur in resampled plans, shrunk tables.

The strengths here were chosen on simulated settings alone (lowest risk first, then agreement of plans).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from judgekit.audit import AuditSet, halve_again
from judgekit.errors import InvalidInput
from judgekit.panel import find_panels
from judgekit.plan import CallPlan, PlanSettings, panel_table, plan_calls, plan_panel, refit
from judgekit.routes import find_routes


@dataclass(frozen=True)
class SteadySettings:
    """How plans are steadied.

    Attributes
    ----------
    repeats : int
        Random halvings over which gains are averaged, each used both ways.
    route_factor : float
        A routed call must gain this many times the slice threshold of the plan settings: slices are small.
    tie_errors : float
        Judges within so many standard errors of the best tie; the first in pool order is taken.
    shrinkage : float
        Pseudo-counts of a slice table at the global table's prediction.
    resamples : int
        Plans, each on a new halving, among which calls must recur.
    share : float
        Smallest share of those plans that a call must appear in.
    seed : int
        Of the halvings; a policy is then a function of its audit set.
    """

    repeats: int = 10
    route_factor: float = 4.0
    tie_errors: float = 0.5
    shrinkage: float = 4.0
    resamples: int = 20
    share: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InvalidInput("share", "a number above 0, at most 1", self.share)
        if self.resamples < 1:
            raise InvalidInput("resamples", "at least 1", self.resamples)


DEFAULT = SteadySettings()


def role_shrunk(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The paper's routed stop with slice tables shrunk toward the global table."""
    return plan_calls(audit, replace(settings, route_rule="paper", slice_shrinkage=DEFAULT.shrinkage))


def role_strict_shrunk(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """Strict routes and a shrunk table in every slice, routed or not."""
    return plan_calls(
        audit,
        replace(settings, route_rule="strict", slice_tables="all", slice_shrinkage=DEFAULT.shrinkage),
    )


def role_crossfit(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The paper's routed stop with gains averaged over repeated halvings, all else as it was."""
    return crossfit(audit, replace(settings, route_rule="paper"), DEFAULT)


def role_steady(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """Cross-fitted gains, a higher bar for routes, near ties to pool order, shrunk slice tables."""
    return crossfit(audit, steadied(replace(settings, route_rule="paper"), DEFAULT), DEFAULT)


def role_stable(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The calls that recur in resampled plans, fitted once."""
    steady = replace(steadied(replace(settings, route_rule="paper"), DEFAULT), tie_errors=0.0)
    return recurring_calls(audit, steady, DEFAULT)


def steadied(settings: PlanSettings, steady: SteadySettings) -> PlanSettings:
    """Plan settings with the higher bar for routes, the near ties and the shrinkage of the steady ones."""
    return replace(
        settings,
        slice_gain_threshold=steady.route_factor * settings.route_threshold,
        slice_shrinkage=steady.shrinkage,
        tie_errors=steady.tie_errors,
    )


def crossfit(audit: AuditSet, settings: PlanSettings, steady: SteadySettings) -> CallPlan:
    """Plan by gains averaged over repeated halvings of the audit rows; each step keeps its gain per half."""
    rng = np.random.default_rng(steady.seed)
    return plan_calls(audit, settings, resplits=halve_again(audit, repeats=steady.repeats, rng=rng))


def recurring_calls(audit: AuditSet, settings: PlanSettings, steady: SteadySettings) -> CallPlan:
    """The calls that at least `share` of the plans on new halvings make, in their mean order, fitted once.

    A call on every row counts as a call on each slice. If no judge recurs on every row, the one that does so
    most often is called, the first in pool order on a tie.
    """
    pool, rng = audit.pool, np.random.default_rng(steady.seed)
    halves = halve_again(audit, repeats=steady.resamples, rng=rng)[::2]
    found = find_panels(halves, settings, panels=len(halves))
    everywhere = [tuple(step.judge for step in steps) for steps in found]
    resampled: list[dict[str, tuple[int, ...]]] = [{} for _ in halves]
    if pool.signal.routes and settings.route_rule != "none":
        global_tables = [
            panel_table(pool, half.fit, calls, settings)
            for half, calls in zip(halves, everywhere, strict=True)
        ]
        resampled = [each.routes for each in find_routes(halves, halves, global_tables, settings)]
    needed = steady.share * len(halves)
    panel = _recurring(everywhere, needed) or _recurring(everywhere, _most_votes(everywhere))[:1]
    routes = {}
    for name in pool.slice_names:
        there = [calls + more.get(name, ()) for calls, more in zip(everywhere, resampled, strict=True)]
        added = tuple(judge for judge in _recurring(there, needed) if judge not in panel)
        if added and np.any(pool.slices == pool.slice_names.index(name)):
            routes[name] = added
    unrouted = plan_panel(audit, panel, replace(settings, route_rule="none"))
    tables = {**dict.fromkeys(routes, unrouted.table), **unrouted.slice_tables}
    chosen = replace(unrouted, routes=routes, slice_tables=tables, settings=settings)
    return refit(chosen, pool, np.arange(len(pool.target)))


def _recurring(calls: Sequence[tuple[int, ...]], needed: float) -> tuple[int, ...]:
    """Judges in at least `needed` of the tuples, by mean place, then pool order."""
    places = _places(calls)
    often = [judge for judge, seen in places.items() if len(seen) >= needed]
    return tuple(sorted(often, key=lambda judge: (float(np.mean(places[judge])), judge)))


def _most_votes(calls: Sequence[tuple[int, ...]]) -> float:
    return float(max(len(seen) for seen in _places(calls).values()))


def _places(calls: Sequence[tuple[int, ...]]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = defaultdict(list)
    for judges in calls:
        for place, judge in enumerate(judges):
            places[judge].append(place)
    return places


STEADY_POLICIES = {
    "role_shrunk": role_shrunk,
    "role_strict_shrunk": role_strict_shrunk,
    "role_crossfit": role_crossfit,
    "role_steady": role_steady,
    "role_stable": role_stable,
}
