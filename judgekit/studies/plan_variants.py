"""The paper's plans beside steadier ones: risk, calls, and agreement of the plan at half the audit rows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.errors import InvalidInput
from judgekit.plan import CallPlan, PlanSettings
from judgekit.policies import POLICIES
from judgekit.splits import audit_subsample, split_by_group
from judgekit.stats import corrected_interval, jaccard
from judgekit.studies.role_policies import pool_rng, score_policy

VARIANTS = (
    "role_routed",
    "role_strict",
    "role_strict_sliced",
    "role_shrunk",
    "role_strict_shrunk",
    "role_crossfit",
    "role_steady",
    "role_stable",
)
TEST_FRACTION = 0.5


def study_plan_variants(
    pool: RolePool,
    settings: PlanSettings,
    *,
    splits: int,
    seed: int,
    fraction: float = 0.5,
    variants: Sequence[str] = VARIANTS,
) -> pd.DataFrame:
    """Plan on all construction rows and on a part of them, and score both on the same test half (Table 15).

    Parameters
    ----------
    pool : RolePool
    settings : PlanSettings
    splits : int
        Random splits by group.
    seed : int
        With the pool's name, settles splits and subsamples, the same for every variant.
    fraction : float
        Share of the construction groups kept.
    variants : sequence of str
        Policies of `judgekit.policies.POLICIES` that are call plans.

    Returns
    -------
    DataFrame
        One row per (setting, split, policy): risk, calls, cost and planned_calls (size of the plan as a set
        of (slice, judge)) of the full plan, the same of the other with the prefix `part_`, and jaccard.

    Raises
    ------
    InvalidInput
        Unknown policy, one that is no plan, or fewer than one split.
    """
    unknown = [name for name in variants if name not in POLICIES]
    if unknown:
        raise InvalidInput("variants", f"among {', '.join(POLICIES)}", unknown)
    if splits < 1:
        raise InvalidInput("splits", "at least 1", splits)
    rows = []
    for number, child in enumerate(pool_rng(seed, pool.name).spawn(splits)):
        split_rng, part_rng = child.spawn(2)
        whole = split_by_group(pool.groups, rng=split_rng)
        part = audit_subsample(whole, pool.groups, fraction=fraction, rng=part_rng)
        audits = [pool.audit(split) for split in (whole, part)]
        for name in variants:
            plans = [POLICIES[name](audit, settings) for audit in audits]
            row: dict[str, object] = {"setting": pool.name, "split": number, "policy": name}
            calls = []
            for prefix, plan in zip(("", "part_"), plans, strict=True):
                if not isinstance(plan, CallPlan):
                    raise InvalidInput("variants", "policies that are call plans", name)
                scored = score_policy(pool, plan, whole)
                calls.append(plan.calls())
                row |= {f"{prefix}{key}": scored[key] for key in ("risk", "calls", "cost")}
                row[f"{prefix}planned_calls"] = len(calls[-1])
            rows.append(row | {"jaccard": jaccard(*calls)})
    return pd.DataFrame(rows)


def plan_variants_table(study: pd.DataFrame, *, reference: str = "role_routed") -> pd.DataFrame:
    """Means over splits, one row per (setting, policy), with the risk difference from a reference.

    Columns: setting, policy, the means of the study's columns, `risk_minus_reference` with `low` and `high`
    (Nadeau-Bengio, 95%), splits.

    Raises
    ------
    InvalidInput
        A study without the reference.
    """
    if reference not in set(study["policy"]):
        raise InvalidInput("reference", f"one of {sorted(set(study['policy']))}", reference)
    measured = [column for column in study.columns if column not in ("setting", "split", "policy")]
    rows = []
    for setting, group in study.groupby("setting", sort=False):
        base = group[group["policy"] == reference].set_index("split")["risk"]
        for policy, own in group.groupby("policy", sort=False):
            difference = (own.set_index("split")["risk"] - base).to_numpy(np.float64)
            interval = corrected_interval(difference, test_fraction=TEST_FRACTION)
            rows.append(
                {"setting": setting, "policy": policy}
                | own[measured].mean().to_dict()
                | {
                    "risk_minus_reference": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "splits": interval.kept,
                }
            )
    return pd.DataFrame(rows)
