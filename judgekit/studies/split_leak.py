"""Row-level against group-level splits: what it is worth to have seen a test row's twin."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.policies import POLICIES
from judgekit.splits import Split
from judgekit.studies.role_policies import pool_rng, score_policy, study_policies


def study_split_units(
    pool: RolePool, policies: Sequence[str], settings: PlanSettings, *, splits: int, seed: int
) -> pd.DataFrame:
    """`study_policies` on splits by group and on splits by row, as the paper's are.

    Returns
    -------
    DataFrame
        One row per (setting, split_by, split, policy): `score_policy`.
    """
    tables = []
    for unit in ("group", "row"):
        rng = pool_rng(seed, pool.name)
        scores = study_policies(pool, policies, settings, splits=splits, rng=rng, split_by=unit).scores
        tables.append(scores.assign(split_by=unit))
    return pd.concat(tables, ignore_index=True)


def study_twin_leak(
    pool: RolePool,
    policies: Sequence[str],
    settings: PlanSettings,
    *,
    splits: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Score one row of half the groups twice: planned on rows of other groups, or on the twins of the tested.

    Both construction sets are equally large and hold one row a group, and the test rows are the same, so the
    two risks differ by nothing but the twins. This is the most that a row-level split can leak.

    Returns
    -------
    DataFrame
        One row per (setting, construction, split, policy), construction "other groups" or "twins":
        `score_policy`.

    Raises
    ------
    InvalidInput
        An unknown policy, or fewer than 8 groups of two rows or more.
    """
    unknown = [name for name in policies if name not in POLICIES]
    if unknown:
        raise InvalidInput("policies", f"among {', '.join(POLICIES)}", unknown)
    rows = []
    for number, child in enumerate(rng.spawn(splits)):
        for name, split in twin_splits(pool.groups, rng=child).items():
            audit = pool.audit(split)
            for policy in policies:
                row = {"setting": pool.name, "construction": name, "split": number, "policy": policy}
                rows.append(row | score_policy(pool, POLICIES[policy](audit, settings), split))
    return pd.DataFrame(rows)


def twin_splits(groups: np.ndarray, *, rng: np.random.Generator) -> dict[str, Split]:
    """Two splits with the same test rows, one row a group; groups of a single row are left out.

    Construction is one row of each group that is not tested ("other groups"), or another row of as many
    groups that are ("twins"). Raises as `study_twin_leak`.
    """
    _, code, count = np.unique(groups, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(groups))
    shuffled = shuffled[np.argsort(code[shuffled], kind="stable")]
    start = np.cumsum(count) - count
    paired = rng.permutation(np.flatnonzero(count > 1))
    if len(paired) < 8:
        raise InvalidInput("group", "at least 8 groups of two rows or more", len(paired))
    first, second = shuffled[start], shuffled[np.minimum(start + 1, len(shuffled) - 1)]
    half = len(paired) // 2
    tested, others = paired[:half], paired[half : 2 * half]
    test = np.sort(first[tested])
    built = {"other groups": first[others], "twins": second[tested]}
    return {
        name: Split(fit=np.sort(rows[1::2]), validation=np.sort(rows[::2]), test=test)
        for name, rows in built.items()
    }
