"""A call plan explained: in prose for its reader, as a table for its auditor."""

import numpy as np
import pandas as pd

from judgekit.panel import Step
from judgekit.plan_content import PlanRecord, step_interval


def explain(record: PlanRecord) -> str:
    """The plan in a few sentences: whom to call where, why, what it costs, and what to beware of."""
    plan, settings, audit = record.plan, record.plan.settings, record.audit
    lines = [
        f"Made on {audit.rows} labelled rows of {audit.setting} ({audit.groups} groups).",
        f"On every row call {_listed([plan.judges[judge] for judge in plan.panel])}.",
    ]
    if plan.slice_tables:
        lines.append(f"The slice of a row is told by {plan.signal}{_column(record)}.")
        first = [plan.judges[judge] for judge in plan.signal_judges if judge not in plan.panel]
        if first:
            lines.append(f"That takes {_listed(first)} on every row as well, before the routed calls.")
        if plan.signal_cost:
            lines.append(f"The signal costs {plan.signal_cost:g} a row beside the calls.")
    for name, added in plan.routes.items():
        lines.append(f"On slice {name} add {_listed([plan.judges[judge] for judge in added])}.")
    recalibrated = [name for name in plan.slice_tables if name not in plan.routes]
    if recalibrated:
        lines.append(
            f"Slices read through a table of their own, without an extra call: {_listed(recalibrated)}."
        )
    never = sorted(set(range(len(plan.judges))) - _called(record))
    if never:
        lines.append(f"Never call {_listed([plan.judges[judge] for judge in never])}.")
    threshold = f"a call must lower the risk by {settings.gain_threshold:g} on all rows"
    if plan.routes or settings.route_rule != "none":
        threshold += f", by {settings.route_threshold:g} within a slice"
    if settings.cost_weight:
        threshold += f", net of {settings.cost_weight:g} times its cost"
    lines.append(f"Rule: {threshold}.")
    low, high = _cost_range(record)
    cost = f"{low:g}" if low == high else f"{low:g} to {high:g}, by slice"
    lines.append(f"Cost of a row: {cost}.")
    if record.regime is not None:
        lines.append(f"Regime: {record.regime.name}. {record.regime.reason}.")
    lines += [f"Note: {note}." for note in plan.notes]
    return "\n".join(lines)


def explain_frame(record: PlanRecord) -> pd.DataFrame:
    """One row per planned call, in the order of calling.

    Columns: slice ("all" or a slice), judge, order, cost, gain (drop of validation risk when added; NaN for
    the route signal's judges and for given panels), low, high (NaN from a single half), role ("" where
    none were assigned), patterns (of the table that reads the slice).
    """
    plan = record.plan
    roles = {each.judge: each.role for each in record.roles.judges} if record.roles else {}
    signal = tuple(judge for judge in plan.signal_judges if judge not in plan.panel)
    rows = []
    for name, judges, steps in (
        ("all", plan.panel + signal, plan.panel_steps),
        *((name, added, plan.route_steps.get(name, ())) for name, added in plan.routes.items()),
    ):
        table = plan.slice_tables.get(name, plan.table)
        for order, judge in enumerate(judges):
            gain, low, high = _gain(steps[order] if order < len(steps) else None)
            rows.append(
                {
                    "slice": name,
                    "judge": plan.judges[judge],
                    "order": order,
                    "cost": float(plan.costs[judge]),
                    "gain": gain,
                    "low": low,
                    "high": high,
                    "role": roles.get(plan.judges[judge], ""),
                    "patterns": table.patterns,
                }
            )
    return pd.DataFrame(rows)


def _gain(step: Step | None) -> tuple[float, float, float]:
    if step is None:
        return float("nan"), float("nan"), float("nan")
    interval = step_interval(step)
    return step.gain, interval.low, interval.high


def _called(record: PlanRecord) -> set[int]:
    plan = record.plan
    return {*plan.panel, *plan.signal_judges, *(judge for added in plan.routes.values() for judge in added)}


def _cost_range(record: PlanRecord) -> tuple[float, float]:
    plan = record.plan
    everywhere = {*plan.panel, *plan.signal_judges}
    fixed = plan.signal_cost if plan.slice_tables else 0.0
    totals = [
        fixed + float(np.sum(plan.costs[sorted(everywhere | set(plan.routes.get(name, ())))]))
        for name in (*plan.slice_names, "")
    ]
    return min(totals), max(totals)


def _column(record: PlanRecord) -> str:
    return f" ({record.slice_column})" if record.slice_column else ""


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
