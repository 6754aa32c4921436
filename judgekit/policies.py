"""Policies behind one interface: fit on an audit set, answer new rows, say what was called."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from judgekit.audit import AuditSet
from judgekit.axes import Codes
from judgekit.baselines import (
    best_subset,
    dawid_skene,
    frugal_cascade,
    logistic_stack,
    reliability_jury,
)
from judgekit.folds import folds_of
from judgekit.panel import find_panel, first_best, quality_order
from judgekit.plan import CallPlan, Outcome, PlanSettings, plan_calls, plan_panel
from judgekit.steady import STEADY_POLICIES


@runtime_checkable
class FittedPolicy(Protocol):
    """A policy that has seen its audit set."""

    def apply(self, codes: Codes, slices: np.ndarray) -> Outcome:
        """Answer rows: codes [items, judges of the pool], slice numbers [items]."""
        ...


Policy = Callable[[AuditSet, PlanSettings], FittedPolicy]


def single_best(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """One judge, of lowest validation risk, read through its own table."""
    return plan_panel(audit, _best_judge(audit, settings), _unrouted(settings, "routed"))


def single_best_sliced(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The single best judge with a table of its own in every slice: recalibration without an extra call."""
    return plan_panel(audit, _best_judge(audit, settings), _unrouted(settings, "all"))


def flat_all(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """Every judge on every row, read through one joint pattern table."""
    return plan_panel(audit, tuple(range(len(audit.pool.judges))), _unrouted(settings, "routed"))


def global_panel(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The role paper's global stop: greedy complements, no routes."""
    return plan_calls(audit, _unrouted(settings, "routed"))


def global_panel_sliced(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The global panel with a table of its own in every slice: recalibration without an extra call."""
    return plan_calls(audit, _unrouted(settings, "all"))


def role_routed(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """The role paper's routed stop: gains of a route count over the global table."""
    return plan_calls(audit, replace(settings, route_rule="paper"))


def role_strict(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """Routes whose gain counts over the same panel's table refitted on the slice."""
    return plan_calls(audit, replace(settings, route_rule="strict"))


def role_strict_sliced(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """Strict routes, and a table of its own in every slice whether routed or not."""
    return plan_calls(audit, replace(settings, route_rule="strict", slice_tables="all"))


def top_k(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """As many judges as the global panel has, by single validation risk."""
    order = quality_order(audit, settings)
    return _matched(audit, settings, order)


def low_correlation_k(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """As many judges as the global panel has: the best one, then whichever errs least alike."""
    pool = audit.pool
    error = pool.codes[audit.fit] / (pool.levels - 1) - pool.target[audit.fit, None]
    spread = error.std(axis=0)
    centred = (error - error.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    alike = np.abs(centred.T @ centred) / len(error)
    chosen = [int(quality_order(audit, settings)[0])]
    left = [judge for judge in range(len(pool.judges)) if judge != chosen[0]]
    while left:
        chosen.append(left.pop(int(first_best(-alike[np.ix_(left, chosen)].mean(axis=1)))))
    return _matched(audit, settings, np.array(chosen))


def family_spread_k(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """As many judges as the global panel has, by single risk: the best of each family, then the rest."""
    order = quality_order(audit, settings)
    families = [audit.pool.families[judge] for judge in order]
    repeated = np.array([family in families[:place] for place, family in enumerate(families)])
    return _matched(audit, settings, np.concatenate([order[~repeated], order[repeated]]))


def matched_non_role(audit: AuditSet, settings: PlanSettings) -> CallPlan:
    """Of the three matched panels above, the one of lowest validation risk (Table 4)."""
    plans = [policy(audit, settings) for policy in (top_k, low_correlation_k, family_spread_k)]
    risks = []
    for plan in plans:
        fold = folds_of([audit], smoothing=settings.smoothing)
        for judge in plan.panel:
            fold.add(judge)
        risks.append(fold.risks[0])
    return plans[int(first_best(-np.array(risks)))]


def full_stack(audit: AuditSet, settings: PlanSettings) -> FittedPolicy:
    """Logistic stack over every judge's verdict (Table 19); ridge where the label is not binary."""
    return logistic_stack(audit, by_slice=False)


def slice_stack(audit: AuditSet, settings: PlanSettings) -> FittedPolicy:
    """The stack with an intercept and coefficients for every slice: a stronger bar than the paper has."""
    return logistic_stack(audit, by_slice=True)


POLICIES: dict[str, Policy] = {
    "single_best": single_best,
    "single_best_sliced": single_best_sliced,
    "flat_all": flat_all,
    "global_panel": global_panel,
    "global_panel_sliced": global_panel_sliced,
    "role_routed": role_routed,
    "role_strict": role_strict,
    "role_strict_sliced": role_strict_sliced,
    "top_k": top_k,
    "low_correlation_k": low_correlation_k,
    "family_spread_k": family_spread_k,
    "matched_non_role": matched_non_role,
    "full_stack": full_stack,
    "slice_stack": slice_stack,
    "reliability_jury": reliability_jury,
    "dawid_skene": dawid_skene,
    "frugal_cascade": frugal_cascade,
    "best_subset": best_subset,
    **STEADY_POLICIES,
}


def _unrouted(settings: PlanSettings, slice_tables: Literal["routed", "all"]) -> PlanSettings:
    return replace(settings, route_rule="none", slice_tables=slice_tables)


def _best_judge(audit: AuditSet, settings: PlanSettings) -> tuple[int, ...]:
    return (find_panel(audit, settings)[0].judge,)


def _matched(audit: AuditSet, settings: PlanSettings, order: np.ndarray) -> CallPlan:
    size = len(find_panel(audit, settings))
    panel = tuple(int(judge) for judge in order[:size])
    return plan_panel(audit, panel, _unrouted(settings, "routed"))
