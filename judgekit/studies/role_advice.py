"""Roles of every judge and the regime of every pool, named on audit rows, and what the advice is worth."""

from collections.abc import Sequence

import pandas as pd

from judgekit.audit import RolePool
from judgekit.plan import PlanSettings, plan_calls
from judgekit.policies import POLICIES
from judgekit.regime import advise
from judgekit.roles import assign_roles, roles_frame
from judgekit.studies.role_policies import draw_splits, pool_rng, score_policy


def study_roles(
    pools: Sequence[RolePool], settings: PlanSettings, *, repeats: int, seed: int
) -> pd.DataFrame:
    """`roles_frame` of each pool on the construction rows of its first split, with a `setting` column."""
    frames = []
    for pool in pools:
        rng = pool_rng(seed, pool.name)
        audit = pool.audit(draw_splits(pool, splits=1, rng=rng)[0])
        roles = assign_roles(audit, plan_calls(audit, settings), rng=rng, repeats=repeats)
        frames.append(roles_frame(roles).assign(setting=pool.name))
    return pd.concat(frames, ignore_index=True)


def study_regimes(
    pools: Sequence[RolePool], settings: PlanSettings, *, splits: int, seed: int
) -> pd.DataFrame:
    """The regime named on the construction rows of each split, and what the advice is worth on its test half.

    Returns
    -------
    DataFrame
        One row per (setting, split): `regime`, advised `policy`, `full_drop` with `low` and `high`,
        `agreement` of the two judges most alike, `validation_*` risks of the policies that decide,
        `test_risk` and `test_calls` of the advised policy, and `routed_test_risk`, `stack_test_risk` beside
        it. Test rows decide nothing.
    """
    rows = []
    for pool in pools:
        rng = pool_rng(seed, pool.name)
        for number, split in enumerate(draw_splits(pool, splits=splits, rng=rng)):
            audit = pool.audit(split)
            regime = advise(audit, settings, rng=rng)
            found = {f"validation_{each.policy}": each.risk for each in regime.evidence}
            advised = score_policy(pool, regime.execute(audit), split)
            beside = {
                name: score_policy(pool, POLICIES[policy](audit, settings), split)["risk"]
                for name, policy in (("routed", "role_routed"), ("stack", "full_stack"))
            }
            rows.append(
                {
                    "setting": pool.name,
                    "split": number,
                    "regime": regime.name,
                    "policy": regime.policy,
                    "full_drop": regime.full_drop.estimate,
                    "low": regime.full_drop.low,
                    "high": regime.full_drop.high,
                    "agreement": regime.agreement,
                    **found,
                    "test_risk": advised["risk"],
                    "test_calls": advised["calls"],
                    "routed_test_risk": beside["routed"],
                    "stack_test_risk": beside["stack"],
                }
            )
    return pd.DataFrame(rows)
