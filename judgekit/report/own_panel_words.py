"""What a reader's data, plan and audit come to, in plain sentences."""

import math
import re
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from judgekit.plan import CallPlan
from judgekit.plan_view import explain
from judgekit.report.format import ABSENT, shown
from judgekit.report.own_panel_evidence import evidence_lines, unsupported
from judgekit.report.plots.palette import POLICY_NAMES
from judgekit.report.tables.own_panel import SHARE_SETTLED, is_large_enough
from judgekit.roles import roles_frame
from judgekit.studies.own_panel import PanelStudy
from judgekit.studies.panel_check import PanelCheck

RARE = 0.1
CONSTANT = 0.99
# Two mean numbers of calls that differ by less are told as one.
SAME_CALLS = 0.02
REGIMES = {
    "route": "Route: call a few judges on every row, and others only on the slices where they help.",
    "stop": "Stop early: a few judges on every row do as well as any more calls.",
    "drop copies": "Drop copies: judges repeat each other, so that some need never be called.",
    "call everything": "Call everything: on these rows every judge earns its call.",
}


def check_lines(check: PanelCheck) -> list[str]:
    """The data check: rows, losses, repeats, balance, ties and copies."""
    lines = [
        f"{check.items:,} items, each asked of up to {len(check.judges)} judges; "
        f"{check.kept:,} ({check.kept / check.items:.0%}) have a label and an output of every judge and are "
        f"used, in {check.groups:,} groups that are never split."
    ]
    lines += dropped_lines(check) or ["No item is dropped."]
    lines.append("No (item, judge) pair stands twice; a file in which one does is refused.")
    commonest = check.labels.iloc[int(check.labels["share"].to_numpy().argmax())]
    balance = f"The commonest label is {commonest['label']:g}, on {commonest['share']:.0%} of the items"
    rarest = check.labels.iloc[int(check.labels["share"].to_numpy().argmin())]
    if len(check.labels) == 2 and rarest["share"] < RARE:
        balance += f"; only {int(rarest['items']):,} have the other, so gains rest on few rows"
    lines.append(f"{balance}.")
    lines += _verdict_lines(check)
    return lines


def dropped_lines(check: PanelCheck) -> list[str]:
    """How many items are dropped and why, in one line; none where all are used."""
    judges, dropped = check.judges, check.items - check.kept
    if not dropped:
        return []
    lost = judges["unparsed"] + judges["off_support"] + judges["absent"]
    worst = int(lost.to_numpy().argmax())
    reasons = [f"{check.unlabelled:,} without a label"] if check.unlabelled else []
    if lost.iloc[worst]:
        row = judges.iloc[worst]
        reasons.append(
            f"most outputs were lost by {row['judge']} ({row['unparsed']:,} empty or unread, "
            f"{row['off_support']:,} off the support, {row['absent']:,} absent)"
        )
    are = "item is" if dropped == 1 else "items are"
    return [f"{dropped:,} {are} dropped: {'; '.join(reasons)}."]


def _verdict_lines(check: PanelCheck) -> list[str]:
    lines = [f"On {check.split_votes:.0%} of the items the most voted verdicts tie."]
    tied = check.judges[check.judges["top_ties"] > 0]
    lines += [
        f"{row['judge']} gives its two likeliest buckets the same probability on "
        f"{row['top_ties']:.1%} of its outputs; the lower one is read."
        for _, row in tied.iterrows()
    ]
    constant = check.judges[check.judges["share"] >= CONSTANT]
    lines += [
        f"{row['judge']} says {row['commonest']:g} on {row['share']:.1%} of the items: it tells them apart "
        "hardly ever."
        for _, row in constant.iterrows()
    ]
    if check.copies.empty:
        top = check.pairs.iloc[0]
        lines.append(
            f"No two judges agree on 95% of the items; the nearest are {top['first']} and {top['second']} "
            f"({top['agreement']:.1%})."
        )
    lines += [
        f"{row['first']} and {row['second']} agree on {row['agreement']:.1%} of the items: copies, to a plan."
        for _, row in check.copies.head(10).iterrows()
    ]
    small = check.slices[(check.slices["items"] < 30) & (check.slices["slice"] != "all")]
    lines += [
        f"Slice {row['slice']} has {row['items']} items: too few for a gain of its own to be seen."
        for _, row in small.iterrows()
    ]
    return lines


def plan_lines(study: PanelStudy) -> list[str]:
    """The call plan explained, without its regime, and where the measured gains disagree with it."""
    told = [line for line in explain(study.record).splitlines() if not line.startswith("Regime:")]
    roles = study.record.roles
    return told + (evidence_lines(study, roles_frame(roles)) if roles else [])


def kept_lines(study: PanelStudy) -> list[str]:
    """Where the plan that is kept is not what its regime and the mean savings lead to expect."""
    plan, pool = study.record.plan, study.pool
    lines = []
    declared = study.signals[study.signals["slice"] != "none"]
    lines += [
        f"No complete row has a value in {name}: nothing can route on it."
        for name in declared.loc[declared["values"] == 0, "slice"]
    ]
    if study.regime.name == "route" and not plan.routes:
        lines.append("Made on all rows, the plan has no route left: it calls the same judges on every row.")
    mine = float(plan.apply(pool.codes, pool.slices).called.sum(axis=1).mean())
    halves = study.scores.loc[study.scores["policy"] == study.policy, "calls"].mean()
    if abs(mine - halves) > SAME_CALLS * halves:
        lines.append(
            f"On the rows given it makes {1000 * mine:,.0f} calls per 1,000; plans made on halves of them, "
            f"which the saving is measured on, {1000 * halves:,.0f}."
        )
    return lines


def regime_lines(study: PanelStudy) -> list[str]:
    """The regime and the numbers that decided it."""
    regime = study.regime
    lines = [REGIMES[regime.name], *(f"{_named(part)}." for part in regime.reason.split("; "))]
    lines.append(
        f"Each number is a mean over {regime.halvings} halves of the rows, fitted on one and scored on the "
        "other."
    )
    if regime.policy not in ("routed", study.policy):
        lines.append(
            f"A plan file cannot hold {policy_name(regime.policy)}; the plan is the best it can hold, "
            f"{policy_name(study.policy)}."
        )
    return lines


def policy_name(policy: str) -> str:
    """A policy as a reader knows it; "routed" is the regime's word for the routed plan."""
    return POLICY_NAMES.get("role_routed" if policy == "routed" else policy, policy)


def saving_lines(saving: pd.DataFrame) -> list[str]:
    """What the plan saves against calling every judge, each with its 95% interval."""
    return [_saving_line(row) for row in saving.to_dict("records")]


def _saving_line(row: Mapping[Hashable, Any]) -> str:
    name = str(row["measure"])
    if name.startswith("risk"):
        move = "lower" if row["saved"] >= 0 else "higher"
        return (
            f"Risk {shown(row['plan'], 4)}, {shown(abs(row['saved']), 4)} {move} than with "
            f"{name.partition(', ')[2]} (drop, 95% interval: {_range(row, 4)})."
        )
    digits = 0 if row["every_judge"] >= 100 else 2
    share = f" ({row['saved'] / row['every_judge']:.0%})" if row["every_judge"] else ""
    plan, every, saved = (shown(row[key], digits) for key in ("plan", "every_judge", "saved"))
    return (
        f"{name[:1].upper()}{name[1:]}: {plan} instead of {every}, {saved}{share} saved "
        f"(95% interval: {_range(row, digits)})."
    )


def _range(row: Mapping[Hashable, Any], digits: int) -> str:
    return f"{shown(row['low'], digits)} to {shown(row['high'], digits)}"


def _named(text: str) -> str:
    """A sentence with policies by their readable names, and a capital."""
    names = sorted([*POLICY_NAMES, "routed"], key=len, reverse=True)
    named = re.sub(rf"\b({'|'.join(names)})\b", lambda found: policy_name(found[0]), text)
    return named[:1].upper() + named[1:]


def audit_lines(study: PanelStudy, roles: pd.DataFrame, size: pd.DataFrame) -> list[str]:
    """Whether the audit set is large enough: interval width, names settled, calls that recur."""
    overall = size[size["slice"] == "all"].iloc[0]
    verdict = "large enough" if is_large_enough(size) else "too small to be sure"
    ratio = overall["ratio"]
    times = f"{ratio:.1f} times" if math.isfinite(ratio) else "infinitely wider than"
    lines = [
        f"For the names on all rows, this audit set is {verdict}: a gain is known to within "
        f"{shown(overall['half_width'], 4)}, {times} the threshold of {overall['threshold']:g}, and "
        f"{overall['settled']:.0%} of the judges lie clearly on one side of it (wanted: at most 1.0 times, "
        f"and {SHARE_SETTLED:.0%})."
    ]
    if math.isfinite(ratio) and ratio > 1:
        lines.append(
            f"About {_rounded(overall['rows_needed'])} labelled rows would bring it within the threshold; "
            f"{overall['rows']:,.0f} are here."
        )
    inside = roles[roles["slice"] != "all"]
    if len(inside):
        lines.append(f"Within slices, {inside['settled'].mean():.0%} of the route names are settled.")
    lines.append(
        f"Plans made on different halves of the rows share {study.overlap:.0%} of their calls (mean Jaccard "
        "overlap): the lower, the more the calls rest on which rows were drawn."
    )
    return lines


def method_lines(study: PanelStudy) -> list[str]:
    """How the numbers were made, and what they cannot say."""
    settings, rows = study.settings, len(study.pool.target)
    lines = [
        f"Risk is the mean squared distance between a calibrated prediction and the label scaled to 0..1. "
        f"Policies are compared on {settings.splits - study.skipped} random halvings by group: planned on "
        f"one half, scored on the other. Intervals allow for the rows that halvings share. "
        f"Seed {settings.seed}."
    ]
    if study.measured < rows:
        lines.append(
            f"Comparisons, roles and regime were measured on {study.measured:,} of {rows:,} rows, drawn by "
            "group; the plan's calls and tables rest on all of them."
        )
    if study.skipped:
        lines.append(f"{study.skipped} halvings were left out: their audit half has a single label.")
    lines += [
        "The plan that is kept is made on all rows, the plans compared on half of them: what is shown here "
        "is, if anything, pessimistic about the plan.",
        "The regime was chosen on the rows that the saving was measured on: what is shown is, if anything, "
        "optimistic about the choice.",
        "All of it holds for rows like these. Where the mix of slices or the judges change, label again.",
    ]
    return lines


def summary_lines(
    study: PanelStudy, saving: pd.DataFrame, size: pd.DataFrame, plan_frame: pd.DataFrame
) -> list[str]:
    """The report in a few lines; `plan_frame` has the planned calls `with_evidence`."""
    plan: CallPlan = study.record.plan
    panel = ", ".join(plan.judges[judge] for judge in plan.panel)
    routed = "; ".join(
        f"{name}: {', '.join(plan.judges[judge] for judge in added)}" for name, added in plan.routes.items()
    )
    told = saving_lines(saving)
    risks = saving["measure"].str.startswith("risk")
    hardest = saving[risks].sort_values("every_judge", kind="stable").head(1)
    money = [line for line in told if line.startswith("Money")]
    enough = "large enough" if is_large_enough(size) else "too small to be sure of every name"
    overall = size[size["slice"] == "all"].iloc[0]
    doubtful = unsupported(plan_frame)
    doubts = [f"Planned, though the evidence does not support it: {doubtful}."] if doubtful else []
    needs = f"; about {_rounded(overall['rows_needed'])} would be needed" if overall["ratio"] > 1 else ""
    return [
        REGIMES[study.regime.name],
        f"On every row call {panel}" + (f"; by slice add {routed}." if routed else "."),
        *kept_lines(study),
        *doubts,
        " ".join([told[0], *money]),
        *saving_lines(hardest),
        f"The audit set is {enough} ({overall['rows']:,.0f} rows{needs}).",
    ]


def _rounded(rows: float) -> str:
    """A number of rows to two digits: more would be false precision."""
    if not math.isfinite(rows) or rows <= 0:
        return ABSENT
    power = 10 ** max(0, math.floor(math.log10(rows)) - 1)
    return f"{math.ceil(rows / power) * power:,}"
