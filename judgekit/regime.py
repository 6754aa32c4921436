"""The regime of a pool: whether to route, stop, drop copies or call everything, from audit rows alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judgekit.audit import AuditSet, halve_again
from judgekit.errors import InvalidInput
from judgekit.panel import NO_GAIN, first_best
from judgekit.plan import PlanSettings, plan_calls
from judgekit.policies import POLICIES, FittedPolicy, Policy
from judgekit.stats import Interval, corrected_interval

STOPPED = ("single_best", "global_panel", "global_panel_sliced")
FULL = ("flat_all", "full_stack", "slice_stack")
NEAR_COPY = 0.95


@dataclass(frozen=True)
class Evidence:
    """What a policy scored on audit rows it had not seen.

    Attributes
    ----------
    policy : str
    risk : float
        Mean Brier score.
    calls, cost : float
        Mean a row.
    """

    policy: str
    risk: float
    calls: float
    cost: float


@dataclass(frozen=True)
class Regime:
    """What a pool's audit rows advise, with the numbers that led there.

    Attributes
    ----------
    name : {"route", "stop", "drop copies", "call everything"}
    policy : str
        Name of the policy to run: "routed" is the plan under the settings, the others stand in POLICIES.
    reason : str
        The numbers that decided, in one line.
    evidence : tuple of Evidence
        All policies compared.
    full_drop : Interval
        How far the best full-call policy lies below the best plan, in risk + lambda * cost.
    alike : tuple of str
        The two judges of the pool that agree most often.
    agreement : float
        Share of audit rows on which those two agree.
    settings : PlanSettings
    halvings : int
        Halves of the audit rows on which each policy was fitted, and scored on the other half.
    """

    name: str
    policy: str
    reason: str
    evidence: tuple[Evidence, ...]
    full_drop: Interval
    alike: tuple[str, str]
    agreement: float
    settings: PlanSettings
    halvings: int

    def execute(self, audit: AuditSet) -> FittedPolicy:
        """Fit the advised policy on all audit rows."""
        return _policy(self.policy)(audit, self.settings)


def advise(
    audit: AuditSet, settings: PlanSettings | None = None, *, rng: np.random.Generator, repeats: int = 5
) -> Regime:
    """Name the regime from policies fitted on one half of the audit rows and scored on the other.

    1. *Call everything* if the best full-call policy has a risk + lambda * cost below the best plan's by tau
       or more, and the difference is above zero at 90% one-sided (Nadeau and Bengio, over the halves).
    2. Else *route* if the routed plan is lower in risk + lambda * cost + tau * calls a row than every stopped
       plan: each call it adds must earn tau, as the planner asks.
    3. Else *drop copies* if two judges of the pool agree on at least 95% of the rows, so that one can be left
       out for good.
    4. Else *stop*.

    A stopped plan is the single best judge or the global panel, the latter also with a table for every slice:
    a gain that recalibration alone brings is not put down to routing.

    Parameters
    ----------
    audit : AuditSet
    settings : PlanSettings, optional
        Of the plans compared.
    rng : numpy Generator
    repeats : int
        Random halvings by group, each used both ways; the half that fits is halved once more. Halves with a
        single label cannot be fitted on and are left out.

    Raises
    ------
    InvalidInput
        Labels so rare that no half has two, or fewer than four groups.
    """
    settings = settings or PlanSettings()
    names = (*STOPPED, "routed", *FULL)
    target = audit.pool.target
    halves = [half for half in halve_again(audit, repeats=repeats, rng=rng) if np.ptp(target[half.fit]) > 0]
    if not halves:
        raise InvalidInput("label", "two distinct values in some half of the audit set", "one")
    scores = np.zeros((len(halves), len(names), 3))
    for place, half in enumerate(halves):
        inner = _inner(half, rng)
        for column, name in enumerate(names):
            scores[place, column] = _score(half, inner, _policy(name), settings)
    mean = scores.mean(axis=0)
    found = tuple(Evidence(name, *map(float, row)) for name, row in zip(names, mean, strict=True))
    net = scores[:, :, 0] + settings.cost_weight * scores[:, :, 2]
    average = dict(zip(names, net.mean(axis=0), strict=True))
    priced = dict(zip(names, net.mean(axis=0) + settings.gain_threshold * mean[:, 1], strict=True))
    stopped, full = _lowest(priced, STOPPED), _lowest(average, FULL)
    planned = _lowest(priced, (stopped, "routed"))
    drop = corrected_interval(
        net[:, names.index(planned)] - net[:, names.index(full)], test_fraction=0.5, level=0.8
    )
    alike, agreement = most_alike(audit)
    reason = "; ".join(
        f"{each.policy}: validation risk {each.risk:.4f} at {each.calls:.2f} calls a row"
        for each in found
        if each.policy in (stopped, "routed", full)
    )
    reason += f"; {full} is lower than {planned} by {drop.estimate:.4f} ({drop.low:.4f} to {drop.high:.4f})"
    if drop.estimate >= max(settings.gain_threshold, NO_GAIN) and drop.low > 0:
        name, policy = "call everything", full
    elif planned == "routed":
        name, policy = "route", planned
    elif agreement >= NEAR_COPY:
        name, policy = "drop copies", planned
        reason += f"; {alike[0]} and {alike[1]} agree on {agreement:.1%} of the rows"
    else:
        name, policy = "stop", planned
    return Regime(name, policy, reason, found, drop, alike, agreement, settings, len(halves))


def most_alike(audit: AuditSet) -> tuple[tuple[str, str], float]:
    """The two judges whose verdicts agree most often on the audit rows, and the share of them."""
    codes, judges = audit.pool.codes, audit.pool.judges
    first, second = np.triu_indices(len(judges), k=1)
    shares = np.array([np.mean(codes[:, a] == codes[:, b]) for a, b in zip(first, second, strict=True)])
    best = int(np.argmax(shares))
    return (judges[first[best]], judges[second[best]]), float(shares[best])


def _lowest(score: dict[str, float], names: Sequence[str]) -> str:
    return names[int(first_best(-np.array([score[name] for name in names])))]


def _policy(name: str) -> Policy:
    return plan_calls if name == "routed" else POLICIES[name]


def _inner(half: AuditSet, rng: np.random.Generator) -> AuditSet:
    """The fit rows of a half as an audit set of their own."""
    pool = half.pool.rows(half.fit)
    everything = np.arange(len(pool.target))
    return halve_again(AuditSet(pool, everything, everything), repeats=1, rng=rng)[0]


def _score(
    half: AuditSet, inner: AuditSet, policy: Policy, settings: PlanSettings
) -> tuple[float, float, float]:
    """Risk, calls and cost a row on the validation rows of a half."""
    pool, rows = half.pool, half.validation
    outcome = policy(inner, settings).apply(pool.codes[rows], pool.slices[rows])
    risk = float(np.mean((outcome.probability - pool.target[rows]) ** 2))
    cost = float((outcome.called @ pool.costs).mean()) + outcome.extra_cost
    return risk, float(outcome.called.sum(axis=1).mean()), cost
