"""A call plan as plain content: names for numbers, patterns spelled as verdicts, gains with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judgekit.calibration import PatternTable
from judgekit.panel import Step
from judgekit.plan import CallPlan, PlanSettings
from judgekit.regime import Evidence, Regime
from judgekit.roles import JudgeRole, Roles
from judgekit.signals import parse_signal
from judgekit.stats import Interval, corrected_interval

Content = dict[str, Any]


@dataclass(frozen=True)
class AuditDigest:
    """Which labelled rows a plan was made on.

    Attributes
    ----------
    setting : str
        Name of the pool.
    rows, groups : int
    sha256 : str
        Over judges, verdicts, labels, slices, groups and the fit and validation halves.
    """

    setting: str
    rows: int
    groups: int
    sha256: str


@dataclass(frozen=True)
class PlanRecord:
    """A call plan with all that an auditor needs beside it.

    Attributes
    ----------
    plan : CallPlan
    support : tuple of float
        Score of each bucket, in the order of the buckets.
    slice_column : str or None
        Column of the items frame that a metadata signal reads.
    audit : AuditDigest
    roles : Roles or None
    regime : Regime or None
    """

    plan: CallPlan
    support: tuple[float, ...]
    slice_column: str | None
    audit: AuditDigest
    roles: Roles | None = None
    regime: Regime | None = None


def to_content(record: PlanRecord) -> Content:
    """The record as JSON values, in the order in which a person reads it."""
    plan = record.plan
    return {
        "support": list(record.support),
        "judges": {name: {"cost": float(cost)} for name, cost in zip(plan.judges, plan.costs, strict=True)},
        "signal": {"kind": str(plan.signal), "column": record.slice_column, "cost": plan.signal_cost},
        "slices": list(plan.slice_names),
        "panel": _calls(plan, plan.panel, plan.panel_steps),
        "routes": {
            name: _calls(plan, plan.routes[name], plan.route_steps.get(name, ())) for name in plan.routes
        },
        "settings": asdict(plan.settings),
        "tables": {
            "panel": _table_content(plan.table, plan, record.support),
            "slices": {
                name: _table_content(table, plan, record.support) for name, table in plan.slice_tables.items()
            },
        },
        "roles": record.roles and _roles_content(record.roles),
        "regime": record.regime and _without_nan(asdict(record.regime)),
        "validation_fallback": _number(plan.validation_fallback),
        "notes": list(plan.notes),
        "audit": asdict(record.audit),
    }


def from_content(content: Mapping[str, Any]) -> PlanRecord:
    """The record that `to_content` wrote; a KeyError, TypeError or ValueError says that it did not."""
    support = tuple(float(score) for score in content["support"])
    judges = tuple(content["judges"])
    settings = PlanSettings(**content["settings"])
    panel, panel_steps = _steps(content["panel"], judges)
    routed = {name: _steps(calls, judges) for name, calls in content["routes"].items()}
    plan = CallPlan(
        judges=judges,
        panel=panel,
        routes={name: called for name, (called, _) in routed.items()},
        table=_table(content["tables"]["panel"], judges, support),
        slice_tables={
            name: _table(table, judges, support) for name, table in content["tables"]["slices"].items()
        },
        panel_steps=panel_steps,
        route_steps={name: steps for name, (_, steps) in routed.items() if steps},
        slice_names=tuple(content["slices"]),
        signal=parse_signal(content["signal"]["kind"]),
        signal_cost=content["signal"]["cost"],
        costs=np.array([judge["cost"] for judge in content["judges"].values()], dtype=np.float64),
        settings=settings,
        validation_fallback=_float(content["validation_fallback"]),
        notes=tuple(content["notes"]),
    )
    return PlanRecord(
        plan=plan,
        support=support,
        slice_column=content["signal"]["column"],
        audit=AuditDigest(**content["audit"]),
        roles=content["roles"] and _roles(content["roles"], plan),
        regime=content["regime"] and _regime(content["regime"]),
    )


def step_interval(step: Step) -> Interval:
    """Interval of a step's gain over the halves that it was averaged over; none from a single half."""
    return corrected_interval(step.fold_gains, test_fraction=0.5)


def _calls(plan: CallPlan, called: Sequence[int], steps: Sequence[Step]) -> list[Content]:
    calls: list[Content] = [{"judge": plan.judges[judge]} for judge in called]
    for call, step in zip(calls, steps, strict=False):
        interval = step_interval(step)
        call |= {"gain": step.gain, "low": _number(interval.low), "high": _number(interval.high)}
        call["gain_per_half"] = step.fold_gains.tolist()
    return calls


def _steps(calls: Sequence[Content], judges: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[Step, ...]]:
    called = tuple(judges.index(call["judge"]) for call in calls)
    steps = tuple(
        Step(judge, float(call["gain"]), np.array(call["gain_per_half"], dtype=np.float64))
        for judge, call in zip(called, calls, strict=True)
        if "gain" in call
    )
    return called, steps


def _table_content(table: PatternTable, plan: CallPlan, support: Sequence[float]) -> Content:
    """A table as its judges and, for each number of verdicts, the patterns with probability and rows."""
    spelled: list[str] = [""]
    patterns: list[Content] = []
    for keys, values, counts in zip(table.keys, table.values, table.counts, strict=True):
        parents, verdicts = np.divmod(keys, table.levels)
        spelled = [
            f"{spelled[parent]} {support[verdict]:.17g}".strip()
            for parent, verdict in zip(parents, verdicts, strict=True)
        ]
        patterns += [
            {"verdicts": text, "probability": value, "rows": count}
            for text, value, count in zip(spelled, values.tolist(), counts.tolist(), strict=True)
        ]
    return {
        "judges": [plan.judges[judge] for judge in table.judges],
        "base_rate": table.base_rate,
        "patterns": patterns,
    }


def _table(content: Content, judges: tuple[str, ...], support: tuple[float, ...]) -> PatternTable:
    order = tuple(judges.index(name) for name in content["judges"])
    code = {score: number for number, score in enumerate(support)}
    depths: list[list[tuple[int, float, int]]] = [[] for _ in order]
    place: list[dict[tuple[int, ...], int]] = [{(): 0}, *({} for _ in order)]
    for pattern in content["patterns"]:
        verdicts = tuple(code[float(text)] for text in pattern["verdicts"].split())
        depth = len(verdicts)
        key = place[depth - 1][verdicts[:-1]] * len(support) + verdicts[-1]
        place[depth][verdicts] = len(depths[depth - 1])
        depths[depth - 1].append((key, pattern["probability"], pattern["rows"]))
    columns = [tuple(zip(*rows, strict=True)) for rows in depths]
    return PatternTable(
        judges=order,
        levels=len(support),
        base_rate=content["base_rate"],
        keys=tuple(np.array(keys, dtype=np.int64) for keys, _, _ in columns),
        values=tuple(np.array(values, dtype=np.float64) for _, values, _ in columns),
        counts=tuple(np.array(counts, dtype=np.int64) for _, _, counts in columns),
    )


def _roles_content(roles: Roles) -> Content:
    return {
        "halvings": roles.halvings,
        "judges": {each.judge: _without_nan(asdict(each)) for each in roles.judges},
    }


def _roles(content: Content, plan: CallPlan) -> Roles:
    judges = tuple(
        JudgeRole(
            **{
                **each,
                "overall": _interval(each["overall"]),
                "slices": {name: _interval(gain) for name, gain in each["slices"].items()},
                "acts_on": tuple(each["acts_on"]),
                "agreement": _float(each["agreement"]),
            }
        )
        for each in content["judges"].values()
    )
    costs = tuple(float(cost) for cost in plan.costs)
    return Roles(judges, plan.settings, costs, plan.signal.judges, content["halvings"])


def _regime(content: Content) -> Regime:
    return Regime(
        **{
            **content,
            "evidence": tuple(Evidence(**each) for each in content["evidence"]),
            "full_drop": _interval(content["full_drop"]),
            "alike": tuple(content["alike"]),
            "settings": PlanSettings(**content["settings"]),
        }
    )


def _interval(content: Content) -> Interval:
    return Interval(**{**content, **{key: _float(content[key]) for key in ("estimate", "low", "high")}})


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(each) for each in value]
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _float(value: float | None) -> float:
    return float("nan") if value is None else value
