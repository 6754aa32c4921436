"""Whether the gains of many halvings support what a plan, made on one halving, calls."""

import math
from collections.abc import Sequence

import pandas as pd

from judgekit.panel import Step
from judgekit.report.format import rounded, shown, signed
from judgekit.roles import ACTIONS
from judgekit.studies.own_panel import PanelStudy

_DIGITS = 4
_SIGNAL = "called to tell the slice"
_NOT_FOR, _AGAINST = "does not support the call", "speaks against the call"
_FITTING = {("copy", "no"), ("complement", "panel"), ("specialist", "routed"), ("both", "panel")}
_DOES = {
    "panel": "the plan calls it on every row",
    "routed": "the plan routes it",
    "no": "the plan leaves it out",
}
_SAYS = {
    "copy": "the evidence does not support it",
    "complement": "its mean gain would call it on every row",
    "specialist": "its mean gain would call it on its slices alone",
    "both": "its mean gain would call it on every row",
}


def action_words(role: str, called: str) -> str:
    """What to do with a judge, where the plan and its role agree; else what each of them says.

    Examples
    --------
    >>> action_words("complement", "panel"), action_words("copy", "panel")
    ('call on every row', 'the plan calls it on every row; the evidence does not support it')
    """
    return ACTIONS[role] if (role, called) in _FITTING else f"{_DOES[called]}; {_SAYS[role]}"


def with_evidence(plan: pd.DataFrame, roles: pd.DataFrame) -> pd.DataFrame:
    """Planned calls with a column `evidence`: what the cross-fitted gain of the same judge and slice says.

    Parameters
    ----------
    plan : DataFrame
        `plan_view.explain_frame`: slice, judge.
    roles : DataFrame
        `roles_frame`: judge, slice, called, reached, settled.
    """
    found = roles.set_index(["judge", "slice"])[["called", "reached", "settled"]]
    words = []
    for judge, name in zip(plan["judge"], plan["slice"], strict=True):
        called, reached, settled = found.loc[(judge, name)]
        if name == "all" and called != "panel":
            words.append(_SIGNAL)
        elif reached:
            words.append("supports the call" if settled else "leans to the call, unsettled")
        else:
            words.append(_AGAINST if settled else _NOT_FOR)
    return plan.assign(evidence=words)


def evidence_lines(study: PanelStudy, roles: pd.DataFrame) -> list[str]:
    """Why plan and evidence can disagree, then every call on which they do; empty where they never do."""
    plan = study.record.plan
    gains = {(str(row["judge"]), str(row["slice"])): row for row in roles.to_dict("records")}
    lines = []
    planned: list[tuple[str, tuple[int, ...], Sequence[Step]]] = [("all", plan.panel, plan.panel_steps)]
    planned += [(name, added, plan.route_steps.get(name, ())) for name, added in plan.routes.items()]
    for name, judges, steps in planned:
        where = "on every row" if name == "all" else f"on {name}"
        for order, judge in enumerate(judges):
            row = gains[plan.judges[judge], name]
            if not row["reached"]:
                once = steps[order].gain if order < len(steps) else math.nan
                seen = f", where one halving saw a gain of {_signed(once)}" if math.isfinite(once) else ""
                lines.append(
                    f"{plan.judges[judge]} {where}: the plan calls it{seen}; "
                    f"the evidence does not support it ({_gain(row)})."
                )
    signal = {plan.judges[judge] for judge in plan.signal_judges}
    for each in plan.judges:
        row = gains[each, "all"]
        if row["reached"] and row["called"] != "panel" and each not in signal:
            sure = "" if row["settled"] else ", unsettled"
            does = "routes it only" if row["called"] == "routed" else "leaves it out"
            lines.append(
                f"{each} on every row: the plan {does}; its mean gain would call it ({_gain(row)}{sure})."
            )
    if not lines:
        return []
    halvings = int(roles["halvings"].iloc[0])
    return [
        f"The plan is made on one halving of the rows into a fit and a validation part; gains and roles are "
        f"means over {halvings} halvings, with what the plan calls held fixed. The two disagree here:",
        *lines,
    ]


def unsupported(plan: pd.DataFrame) -> str:
    """Planned calls that the evidence does not support, as "small (all), tests (chat)"; "" without any.

    `plan` is what `with_evidence` gives.
    """
    rows = plan[plan["evidence"].isin([_NOT_FOR, _AGAINST])]
    return ", ".join(f"{judge} ({name})" for judge, name in zip(rows["judge"], rows["slice"], strict=True))


def _gain(row: dict) -> str:
    span = f"{shown(row['low'], _DIGITS)} to {shown(row['high'], _DIGITS)}"
    bar = row["threshold"] + row["charge"]
    return f"gain {_signed(row['gain'])}, 95% interval {span}, wanted {bar:g}"


def _signed(value: float) -> str:
    return signed(rounded(value, _DIGITS))
