"""Roles: what each judge adds to the panel a plan settled on, and the name of what it does there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgekit.audit import AuditSet, halve_again
from judgekit.errors import InvalidInput
from judgekit.folds import Folds, folds_of, folds_within
from judgekit.panel import NO_GAIN
from judgekit.plan import CallPlan, PlanSettings
from judgekit.routes import slice_sizes
from judgekit.stats import Interval, corrected_interval

ACTIONS = {
    "copy": "do not call",
    "complement": "call on every row",
    "specialist": "call on its slices",
    "both": "call on every row, first on its slices",
}
HALF = 0.5


@dataclass(frozen=True)
class JudgeRole:
    """The role of one judge relative to the target and the final panel (role paper, Table 1).

    Attributes
    ----------
    judge : str
    role : {"copy", "complement", "specialist", "both"}
    called : {"panel", "routed", "no"}
        What the plan does with it, which a cross-fitted gain can disagree with.
    overall : Interval
        Drop of the mean validation risk on all rows that the judge brings.
    slices : dict of str to Interval
        The same within each slice, between tables refitted on its rows.
    acts_on : tuple of str
        Slices whose net gain reaches the slice threshold.
    most_like : str
        The called judge whose verdicts it repeats most often; "" where no other is called.
    agreement : float
        Share of audit rows on which the two agree.
    """

    judge: str
    role: str
    called: str
    overall: Interval
    slices: dict[str, Interval]
    acts_on: tuple[str, ...]
    most_like: str
    agreement: float


@dataclass(frozen=True)
class Roles:
    """Roles of a whole pool.

    Attributes
    ----------
    judges : tuple of JudgeRole
        In pool order.
    settings : PlanSettings
        Thresholds and lambda that the names rest on.
    costs : tuple of float
        Cost of a call of each judge, weighed by lambda.
    signal_judges : tuple of str
        Judges that cost nothing more within a slice: the route signal calls them already.
    halvings : int
        Fit-validation pairs behind each interval.
    """

    judges: tuple[JudgeRole, ...]
    settings: PlanSettings
    costs: tuple[float, ...]
    signal_judges: tuple[str, ...]
    halvings: int


def assign_roles(
    audit: AuditSet, plan: CallPlan, *, rng: np.random.Generator, repeats: int = 10, level: float = 0.95
) -> Roles:
    """Roles from gains cross-fitted over repeated halvings of the audit rows (facts section 1).

    A called judge's gain is what the risk loses when it is left out, another's what it would add to all that
    is called; within a slice, the routed judges count as called. A gain is net of lambda times the cost, as
    in the planner, and reaches tau or not: copy = nowhere, complement = overall, specialist = on a slice.
    Slices known only by label are measured and never make a specialist.

    Parameters
    ----------
    audit : AuditSet
        The rows that the plan was made on.
    plan : CallPlan
    rng : numpy Generator
    repeats : int
        Random halvings, each used both ways.
    level : float
        Coverage of the Nadeau-Bengio intervals over the halvings.

    Raises
    ------
    InvalidInput
        A plan for other judges.
    """
    pool, settings = audit.pool, plan.settings
    if plan.judges != pool.judges:
        raise InvalidInput("judges", f"a plan for {list(pool.judges)}", list(plan.judges))
    halves = halve_again(audit, repeats=repeats, rng=rng)

    def interval(gains: np.ndarray) -> Interval:
        return corrected_interval(gains, test_fraction=HALF, level=level)

    overall = _gains(folds_of(halves, smoothing=settings.smoothing), plan.panel)
    inside = {name: _slice_gains(halves, number, plan) for number, name in enumerate(pool.slice_names)}
    cost_inside = np.where(np.isin(pool.judges, plan.signal.judges), 0.0, pool.costs)
    roles = []
    for judge, name in enumerate(pool.judges):
        everywhere = interval(overall[judge])
        by_slice = {key: interval(gains[judge]) for key, gains in inside.items()}
        acts_on = tuple(
            key
            for key, gain in by_slice.items()
            if plan.signal.routes
            and _reaches(gain, settings.cost_weight * cost_inside[judge], settings.route_threshold)
        )
        wanted = _reaches(everywhere, settings.cost_weight * pool.costs[judge], settings.gain_threshold)
        role = ("both" if acts_on else "complement") if wanted else ("specialist" if acts_on else "copy")
        routed = any(judge in added for added in plan.routes.values())
        called = "panel" if judge in plan.panel else "routed" if routed else "no"
        like = _most_like(audit, judge, plan)
        roles.append(JudgeRole(name, role, called, everywhere, by_slice, acts_on, *like))
    return Roles(
        tuple(roles), settings, tuple(float(cost) for cost in pool.costs), plan.signal.judges, len(halves)
    )


def roles_frame(roles: Roles) -> pd.DataFrame:
    """One row per (judge, slice), "all" first: role, gain with its interval, threshold and what it is net of.

    Columns: judge, role, action, called, slice, gain, low, high, charge (lambda times cost), threshold,
    reached, settled (the whole interval lies on one side of threshold + charge), halvings, most_like,
    agreement.
    """
    settings, rows = roles.settings, []
    for cost, each in zip(roles.costs, roles.judges, strict=True):
        for name, gain in {"all": each.overall, **each.slices}.items():
            free = name != "all" and each.judge in roles.signal_judges
            charge = 0.0 if free else settings.cost_weight * cost
            threshold = settings.gain_threshold if name == "all" else settings.route_threshold
            bar = threshold + charge
            rows.append(
                {
                    "judge": each.judge,
                    "role": each.role,
                    "action": ACTIONS[each.role],
                    "called": each.called,
                    "slice": name,
                    "gain": gain.estimate,
                    "low": gain.low,
                    "high": gain.high,
                    "charge": charge,
                    "threshold": threshold,
                    "reached": _reaches(gain, charge, threshold),
                    "settled": gain.low >= bar or gain.high < bar,
                    "halvings": gain.kept,
                    "most_like": each.most_like,
                    "agreement": each.agreement,
                }
            )
    return pd.DataFrame(rows)


def _reaches(gain: Interval, charge: float, threshold: float) -> bool:
    return bool(gain.estimate > NO_GAIN and gain.estimate - charge >= threshold)


def _slice_gains(halves: Sequence[AuditSet], number: int, plan: CallPlan) -> np.ndarray:
    """Gains within a slice: float64 [judges, halves], NaN where a half has no row of it."""
    pool, gains = halves[0].pool, np.full((len(plan.judges), len(halves)), np.nan)
    filled = np.flatnonzero([slice_sizes(half)[:, number].all() for half in halves])
    if len(filled):
        numbers = np.full((len(halves), len(pool.slice_names)), -1)
        numbers[filled, number] = np.arange(len(filled))
        folds = folds_within(halves, numbers, smoothing=plan.settings.smoothing)
        gains[:, filled] = _gains(folds, plan.panel + plan.routes.get(pool.slice_names[number], ()))
    return gains


def _gains(empty: Folds, called: Sequence[int]) -> np.ndarray:
    """Leave-one-out gain of called judges, added gain of others: float64 [judges, folds]."""
    grown = _extend(empty, called)
    gains = grown.risks - grown.risks_with(range(empty.judges))
    for judge in called:
        gains[judge] = _extend(empty, [other for other in called if other != judge]).risks - grown.risks
    return gains


def _extend(empty: Folds, judges: Sequence[int]) -> Folds:
    longer = empty.copy()
    for judge in judges:
        longer.add(judge)
    return longer


def _most_like(audit: AuditSet, judge: int, plan: CallPlan) -> tuple[str, float]:
    codes = audit.pool.codes
    called = {*plan.panel, *plan.signal_judges, *(each for added in plan.routes.values() for each in added)}
    others = sorted(called - {judge})
    if not others:
        return "", float("nan")
    agreement = (codes[:, others] == codes[:, [judge]]).mean(axis=0)
    best = int(np.argmax(agreement))
    return plan.judges[others[best]], float(agreement[best])
