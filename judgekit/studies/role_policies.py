"""Every policy on every split of a pool: the one study behind Tables 3 to 5, 8 to 10, 13, 14 and 17 to 19."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.errors import InvalidInput
from judgekit.metrics import accuracy, brier
from judgekit.plan import CallPlan, Outcome, PlanSettings
from judgekit.policies import POLICIES, FittedPolicy
from judgekit.splits import Split, split_by_group


@dataclass(frozen=True)
class PolicyStudy:
    """What each policy scored and called.

    Attributes
    ----------
    scores : DataFrame
        One row per (setting, split, policy): `risk` (Brier), `accuracy` (NaN for scalar labels), `cost` and
        `calls` a row, `test_fallback`; for call plans also `validation_fallback`, `global_patterns`,
        `max_route_patterns`; and the size of the pool in `judges` and `rows`, and the rows in `fit`,
        `validation`, `test`.
    plans : DataFrame
        One row per call of each plan: setting, split, policy, slice ("all" or a slice), judge, order, gain.
    """

    scores: pd.DataFrame
    plans: pd.DataFrame


def study_policies(
    pool: RolePool,
    policies: Sequence[str],
    settings: PlanSettings,
    *,
    splits: int,
    rng: np.random.Generator,
    split_by: Literal["group", "row"] = "group",
) -> PolicyStudy:
    """Fit each policy on the construction rows of each split and score its test half once.

    Parameters
    ----------
    pool : RolePool
    policies : sequence of str
        Names in `judgekit.policies.POLICIES`.
    settings : PlanSettings
    splits : int
        Number of random splits.
    rng : numpy Generator
        One child a split, so that a split does not depend on the policies.
    split_by : {"group", "row"}
        Whole groups to one side, or rows on their own as the paper did.

    Raises
    ------
    InvalidInput
        Unknown policy; fewer than one split.
    """
    unknown = [name for name in policies if name not in POLICIES]
    if unknown:
        raise InvalidInput("policies", f"among {', '.join(POLICIES)}", unknown)
    scores, plans = [], []
    for number, split in enumerate(draw_splits(pool, splits=splits, rng=rng, split_by=split_by)):
        audit = pool.audit(split)
        for name in policies:
            fitted = POLICIES[name](audit, settings)
            key = {"setting": pool.name, "split": number, "policy": name}
            scores.append(key | score_policy(pool, fitted, split))
            plans += [key | call for call in planned_calls(fitted)]
    columns = ["setting", "split", "policy", "slice", "judge", "order", "gain"]
    return PolicyStudy(pd.DataFrame(scores), pd.DataFrame(plans, columns=columns))


def draw_splits(
    pool: RolePool, *, splits: int, rng: np.random.Generator, split_by: Literal["group", "row"] = "group"
) -> list[Split]:
    """Independent random splits of a pool, one child generator each."""
    if splits < 1:
        raise InvalidInput("splits", "at least 1", splits)
    if split_by not in ("group", "row"):
        raise InvalidInput("split_by", "group or row", split_by)
    groups = pool.groups if split_by == "group" else np.arange(len(pool.target))
    return [split_by_group(groups, rng=child) for child in rng.spawn(splits)]


def score_policy(pool: RolePool, fitted: FittedPolicy, split: Split) -> dict[str, float]:
    """Risk, accuracy, cost and calls of a fitted policy on the test rows of a split."""
    row = score_outcome(pool, fitted.apply(pool.codes[split.test], pool.slices[split.test]), split)
    if isinstance(fitted, CallPlan):
        row |= {
            "validation_fallback": fitted.validation_fallback,
            "global_patterns": fitted.table.patterns,
            "max_route_patterns": max((table.patterns for table in fitted.slice_tables.values()), default=0),
        }
    return row


def score_outcome(pool: RolePool, outcome: Outcome, split: Split) -> dict[str, float]:
    """Risk, accuracy, cost and calls of what a policy said of the test rows of a split."""
    target = pool.target[split.test]
    binary = bool(np.all((pool.target == 0) | (pool.target == 1)))
    return {
        "risk": brier(outcome.probability, target),
        "accuracy": accuracy(outcome.probability, target) if binary else np.nan,
        "cost": float((outcome.called @ pool.costs).mean()) + outcome.extra_cost,
        "calls": float(outcome.called.sum(axis=1).mean()),
        "test_fallback": float(outcome.fallback.mean()),
        "judges": len(pool.judges),
        "rows": len(pool.target),
        "fit": len(split.fit),
        "validation": len(split.validation),
        "test": len(split.test),
    }


def planned_calls(fitted: FittedPolicy) -> list[dict[str, object]]:
    """The calls of a plan as rows; none for policies that are no plans."""
    if not isinstance(fitted, CallPlan):
        return []
    parts = {"all": (fitted.panel, fitted.panel_steps)}
    parts |= {name: (fitted.routes[name], fitted.route_steps.get(name, ())) for name in fitted.routes}
    return [
        {
            "slice": name,
            "judge": fitted.judges[judge],
            "order": order,
            "gain": steps[order].gain if steps else np.nan,
        }
        for name, (judges, steps) in parts.items()
        for order, judge in enumerate(judges)
    ]


def study_pools(
    pools: Sequence[RolePool],
    policies: Sequence[str],
    settings: PlanSettings,
    *,
    splits: int,
    seed: int,
    split_by: Literal["group", "row"] = "group",
) -> PolicyStudy:
    """`study_policies` on several pools; each pool's splits depend on the seed and its name alone."""
    studies = [
        study_policies(
            pool, policies, settings, splits=splits, rng=pool_rng(seed, pool.name), split_by=split_by
        )
        for pool in pools
    ]
    return PolicyStudy(
        pd.concat([study.scores for study in studies], ignore_index=True),
        pd.concat([study.plans for study in studies], ignore_index=True),
    )


def sweep_settings(
    pools: Sequence[RolePool],
    policies: Sequence[str],
    variants: Sequence[PlanSettings],
    *,
    field: str,
    splits: int,
    seed: int,
) -> PolicyStudy:
    """`study_pools` under several planner settings, on the same splits (Tables 8 and 18).

    Parameters
    ----------
    variants : sequence of PlanSettings
    field : str
        The setting that tells them apart; it becomes a column of both frames.
    """
    scores, plans = [], []
    for variant in variants:
        study = study_pools(pools, policies, variant, splits=splits, seed=seed)
        scores.append(study.scores.assign(**{field: getattr(variant, field)}))
        plans.append(study.plans.assign(**{field: getattr(variant, field)}))
    return PolicyStudy(pd.concat(scores, ignore_index=True), pd.concat(plans, ignore_index=True))


def pool_rng(seed: int, name: str) -> np.random.Generator:
    """Generator of one pool, the same whichever other pools are studied beside it."""
    return np.random.default_rng([seed, *name.encode()])
