"""A reader's own pool from labelled rows to advice: plan, roles, regime, frontier, saving, audit size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from judgekit.audit import AuditSet, RolePool, halve_again
from judgekit.errors import InvalidInput
from judgekit.plan import CallPlan, PlanSettings, plan_calls
from judgekit.plan_content import PlanRecord
from judgekit.plan_file import record_plan
from judgekit.policies import POLICIES
from judgekit.regime import Regime, advise
from judgekit.roles import assign_roles
from judgekit.stats import mean_jaccard
from judgekit.studies.role_policies import draw_splits, score_outcome

COMPARED = (
    "single_best", "single_best_sliced", "global_panel", "global_panel_sliced", "role_routed",
    "frugal_cascade", "flat_all", "full_stack", "slice_stack",
)  # fmt: skip
_ROUTABLE = ("global_panel_sliced", "role_routed")


@dataclass(frozen=True)
class PanelSettings:
    """How a reader's pool is studied.

    Attributes
    ----------
    plan : PlanSettings
        Thresholds and lambda of the planner.
    splits : int
        Random halvings into audit and test rows on which policies are compared.
    repeats : int
        Halvings behind the interval of each role; half as many behind the regime.
    measured_rows : int
        Comparisons, roles and regime use at most about so many rows, drawn by group; the plan uses all.
    seed : int
    """

    plan: PlanSettings = field(default_factory=PlanSettings)
    splits: int = 10
    repeats: int = 10
    measured_rows: int = 20_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("splits", 2), ("repeats", 2), ("measured_rows", 8), ("seed", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise InvalidInput(name, f"a whole number >= {least}", value)


@dataclass(frozen=True)
class PanelStudy:
    """What a reader's rows advise.

    Attributes
    ----------
    pool : RolePool
        All complete rows, with the slices that the plan uses.
    record : PlanRecord
        The plan, fitted on all of them, with its roles and regime.
    policy : str
        Name in POLICIES of what the plan is; it differs from the advice only where that is a stack.
    scores : DataFrame
        One row per (split, policy): `risk`, `accuracy`, `cost`, `calls`, `price` a row on rows not seen.
    signals : DataFrame
        One row per declared slice: the risk and calls that its best plan reaches, and whether it is `used`.
    overlap : float
        Mean Jaccard overlap of the calls of the routed plans made on different splits.
    measured : int
        Rows behind scores, roles and regime.
    skipped : int
        Splits left out because their audit half has a single label.
    settings : PanelSettings
    """

    pool: RolePool
    record: PlanRecord
    policy: str
    scores: pd.DataFrame
    signals: pd.DataFrame
    overlap: float
    measured: int
    skipped: int
    settings: PanelSettings

    @property
    def regime(self) -> Regime:
        """The regime of the pool."""
        assert self.record.regime is not None
        return self.record.regime


@dataclass(frozen=True)
class _Trial:
    """Policies of one pool on rows that they had not seen."""

    scores: pd.DataFrame
    overlap: float
    skipped: int


def study_own_panel(
    pools: Sequence[RolePool],
    *,
    columns: Sequence[str | None],
    support: Sequence[float],
    prices: np.ndarray,
    settings: PanelSettings,
    say: Callable[[str], None] = lambda line: None,
) -> PanelStudy:
    """Compare policies, name regime and roles, and fit the advised plan.

    With several pools, one a slice declared, the plan uses the slice whose plans have the lowest risk +
    lambda * cost + tau * calls on unseen rows; slices known only by label are never used unless alone.

    Parameters
    ----------
    pools : sequence of RolePool
        The same rows under each slice.
    columns : sequence of str or None
        Column of the items frame behind each pool's slices.
    support : sequence of float
        Score of each bucket.
    prices : float64 [judges]
        Money for a call of each judge.
    settings : PanelSettings
    say : callable
        Told each stage as it begins.

    Raises
    ------
    InvalidInput
        Labels too rare or rows too few to halve twice.
    """
    rows = _measured_rows(pools[0], settings)
    trials = []
    for pool in pools:
        by = f", by {pool.signal}" if len(pools) > 1 else ""
        say(f"comparing {len(COMPARED)} policies on {settings.splits} splits of {len(rows)} rows{by}")
        trials.append(_try(pool.rows(rows), prices, settings))
    chosen, signals = _choose(pools, columns, trials, settings.plan)
    pool = pools[chosen]
    rng = np.random.default_rng([settings.seed, 1])
    sample = _audit(pool.rows(rows), rng)
    say("naming the regime")
    regime = advise(sample, settings.plan, rng=rng, repeats=max(1, settings.repeats // 2))
    say(f"planning on {len(pool.target)} rows")
    audit = _audit(pool, rng) if len(rows) < len(pool.target) else sample
    policy, plan = _plan(audit, regime, settings.plan)
    say("measuring roles")
    roles = assign_roles(sample, plan, rng=rng, repeats=settings.repeats)
    record = record_plan(
        audit, plan, support=support, slice_column=columns[chosen], roles=roles, regime=regime
    )
    trial = trials[chosen]
    return PanelStudy(
        pool, record, policy, trial.scores, signals, trial.overlap, len(rows), trial.skipped, settings
    )


def _measured_rows(pool: RolePool, settings: PanelSettings) -> np.ndarray:
    """Rows of whole groups drawn at random, about `measured_rows` of them, or all: int64, increasing."""
    if len(pool.target) <= settings.measured_rows:
        return np.arange(len(pool.target))
    _, code, sizes = np.unique(pool.groups, return_inverse=True, return_counts=True)
    order = np.random.default_rng([settings.seed, 0]).permutation(len(sizes))
    enough = int(np.searchsorted(np.cumsum(sizes[order]), settings.measured_rows)) + 1
    drawn = np.zeros(len(sizes), dtype=bool)
    drawn[order[:enough]] = True
    return np.flatnonzero(drawn[code])


def _audit(pool: RolePool, rng: np.random.Generator) -> AuditSet:
    """All rows of a pool as an audit set, halved once into fit and validation."""
    everything = np.arange(len(pool.target))
    return halve_again(AuditSet(pool, everything, everything), repeats=1, rng=rng)[0]


def _try(pool: RolePool, prices: np.ndarray, settings: PanelSettings) -> _Trial:
    rows, calls, skipped = [], [], 0
    splits = draw_splits(pool, splits=settings.splits, rng=np.random.default_rng([settings.seed, 2]))
    for number, split in enumerate(splits):
        if np.ptp(pool.target[split.construction]) == 0:
            skipped += 1
            continue
        audit = pool.audit(split)
        for name in COMPARED:
            fitted = POLICIES[name](audit, settings.plan)
            if name == "role_routed" and isinstance(fitted, CallPlan):
                calls.append(fitted.calls())
            outcome = fitted.apply(pool.codes[split.test], pool.slices[split.test])
            key = {"setting": pool.name, "split": number, "policy": name}
            money = {"price": float((outcome.called @ prices).mean())}
            rows.append(key | score_outcome(pool, outcome, split) | money)
    if len(calls) < 2:
        given = f"{settings.splits - skipped} of {settings.splits} splits"
        raise InvalidInput("label", "two distinct values in the audit half of at least 2 splits", given)
    return _Trial(pd.DataFrame(rows), mean_jaccard(calls), skipped)


def _choose(
    pools: Sequence[RolePool],
    columns: Sequence[str | None],
    trials: Sequence[_Trial],
    settings: PlanSettings,
) -> tuple[int, pd.DataFrame]:
    """Number of the pool whose slices a plan uses, and what every slice reached."""
    rows, priced = [], []
    for pool, column, trial in zip(pools, columns, trials, strict=True):
        means = trial.scores.groupby("policy")[["risk", "cost", "calls"]].mean().loc[list(_ROUTABLE)]
        net = means["risk"] + settings.cost_weight * means["cost"] + settings.gain_threshold * means["calls"]
        best = str(net.idxmin())
        priced.append(float(net[best]) if pool.signal.routes else np.inf)
        rows.append(
            {
                "slice": column or (str(pool.signal) if pool.slice_names else "none"),
                "signal": str(pool.signal) if pool.slice_names else "none",
                "values": len(pool.slice_names),
                "may_route": pool.signal.routes,
                "policy": best,
                "risk": float(means["risk"][best]),
                "calls": float(means["calls"][best]),
            }
        )
    chosen = int(np.argmin(priced))
    frame = pd.DataFrame(rows)
    return chosen, frame.assign(used=[place == chosen for place in range(len(rows))])


def _plan(audit: AuditSet, regime: Regime, settings: PlanSettings) -> tuple[str, CallPlan]:
    """The advised plan; where a stack is advised, which no plan file holds, the plan of lowest net risk."""
    name = "role_routed" if regime.policy == "routed" else regime.policy
    note = ""
    if name in ("full_stack", "slice_stack"):
        plans = [each for each in regime.evidence if each.policy not in ("full_stack", "slice_stack")]
        best = min(plans, key=lambda each: each.risk + settings.cost_weight * each.cost)
        name = "role_routed" if best.policy == "routed" else best.policy
        note = f"the advice is {regime.policy}, which no plan file can hold; the best it can is {name}"
    fitted = plan_calls(audit, settings) if name == "role_routed" else POLICIES[name](audit, settings)
    assert isinstance(fitted, CallPlan)
    return name, replace(fitted, notes=(*fitted.notes, note)) if note else fitted
