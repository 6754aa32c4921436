"""Plans made on less of the audit set: risk, cost, and how much of the full plan is left (Table 15)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.errors import InvalidInput
from judgekit.plan import CallPlan, PlanSettings
from judgekit.policies import POLICIES, FittedPolicy
from judgekit.splits import Split, audit_subsample
from judgekit.stats import jaccard
from judgekit.studies.role_policies import draw_splits, score_policy

KEPT, ANEW = "kept", "anew"


def study_audit_sizes(
    pool: RolePool,
    policies: Sequence[str],
    settings: PlanSettings,
    *,
    percents: Sequence[int],
    splits: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Fit each policy on parts of the construction rows of each split, and score all on its test rows.

    Parameters
    ----------
    pool : RolePool
    policies : sequence of str
        Names in `judgekit.policies.POLICIES`.
    settings : PlanSettings
    percents : sequence of int
        Parts of the audit set, in percent of its groups; 100 is always studied.
    splits : int
    rng : numpy Generator
        Gives the splits of `study_policies` with the same generator, then the parts.

    Returns
    -------
    DataFrame
        One row per (setting, split, audit_percent, halves, policy): risk, accuracy, cost, calls,
        `audit_rows`, `test_fraction` (test rows over audit and test rows), and `plan_jaccard` with the plan
        of the full audit set (NaN for policies that are no plans). `halves` is "kept" but in one row more
        at 100 percent, "anew", where the same rows were halved into fit and validation once more: what that
        plan shares with the first is what no amount of labels of this size would better. A part whose
        labels are all alike cannot be planned on; its measures are NaN.

    Raises
    ------
    InvalidInput
        An unknown policy, or a percentage outside 1 to 100.
    """
    unknown = [name for name in policies if name not in POLICIES]
    if unknown:
        raise InvalidInput("policies", f"among {', '.join(POLICIES)}", unknown)
    if not all(1 <= percent <= 100 for percent in percents):
        raise InvalidInput("percents", "whole numbers from 1 to 100", list(percents))
    rows = []
    drawn = draw_splits(pool, splits=splits, rng=rng)
    for number, (split, child) in enumerate(zip(drawn, rng.spawn(splits), strict=True)):
        whole = pool.audit(split)
        full = {policy: POLICIES[policy](whole, settings) for policy in policies}
        parts = {(100, KEPT): split, (100, ANEW): halve_anew(split, pool.groups, rng=child)}
        for percent in sorted(set(percents) - {100}):
            parts[percent, KEPT] = audit_subsample(split, pool.groups, fraction=percent / 100, rng=child)
        for (percent, halves), part in sorted(parts.items()):
            usable = float(np.ptp(pool.target[part.construction])) > 0
            audit = pool.audit(part) if usable and part is not split else None
            for policy in policies:
                row = {"setting": pool.name, "split": number, "audit_percent": percent, "halves": halves}
                row |= {"policy": policy, "audit_rows": len(part.construction)}
                row["test_fraction"] = len(split.test) / (len(split.test) + len(split.construction))
                if usable:
                    fitted = full[policy] if audit is None else POLICIES[policy](audit, settings)
                    scores = score_policy(pool, fitted, part)
                    row |= {name: scores[name] for name in ("risk", "accuracy", "cost", "calls")}
                    row["plan_jaccard"] = plan_overlap(fitted, full[policy])
                rows.append(row)
    return pd.DataFrame(rows)


def halve_anew(split: Split, groups: np.ndarray, *, rng: np.random.Generator) -> Split:
    """The same construction and test rows, with construction groups halved into fit and validation again."""
    rows = split.construction
    values, code = np.unique(groups[rows], return_inverse=True)
    validated = rng.permutation(len(values))[: -(-len(values) // 2)]
    inside = np.isin(code, validated)
    return Split(fit=rows[~inside], validation=rows[inside], test=split.test)


def plan_overlap(first: FittedPolicy, second: FittedPolicy) -> float:
    """Jaccard index of the calls of two plans on the panel and on each slice; NaN where one is no plan."""
    if not isinstance(first, CallPlan) or not isinstance(second, CallPlan):
        return float("nan")
    return jaccard(first.calls(), second.calls())
