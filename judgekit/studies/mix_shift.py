"""Plans made on one mix of slices and used on another (Table 16)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.errors import InvalidInput
from judgekit.metrics import brier
from judgekit.plan import PlanSettings
from judgekit.policies import POLICIES
from judgekit.splits import Split, mix_shift
from judgekit.studies.role_policies import score_policy

TESTED = 1 / 3


@dataclass(frozen=True)
class Mix:
    """Two parts of a pool's items, between which the mix turns round.

    Attributes
    ----------
    part : str
        Slice that is one part; all other slices are the other.
    heavy, other_heavy : str
        What a mix rich in the one or the other is called, such as natural-heavy and adversarial-heavy.
    """

    part: str
    heavy: str
    other_heavy: str

    def rows(self, pool: RolePool) -> np.ndarray:
        """Which rows of the pool are in the part: bool [items].

        Raises
        ------
        InvalidInput
            A slice that the pool lacks.
        """
        if self.part not in pool.slice_names:
            raise InvalidInput(f"mix of {pool.name}", f"a slice among {list(pool.slice_names)}", self.part)
        return np.asarray(pool.slices == pool.slice_names.index(self.part))


def study_turned_mix(
    pool: RolePool,
    mix: Mix,
    policies: Sequence[str],
    settings: PlanSettings,
    *,
    splits: int,
    rng: np.random.Generator,
    share: float = 0.8,
) -> pd.DataFrame:
    """Plan where one part makes up `share` of the groups, deploy where it makes up the rest; both ways.

    Returns
    -------
    DataFrame
        One row per (setting, construction_mix, deployment_mix, split, policy): `score_policy`.

    Raises
    ------
    InvalidInput
        An unknown policy, or what `judgekit.splits.mix_shift` refuses.
    """
    _require(policies)
    inside = mix.rows(pool)
    rows = []
    for number, child in enumerate(rng.spawn(splits)):
        for heavy, names in ((inside, (mix.heavy, mix.other_heavy)), (~inside, (mix.other_heavy, mix.heavy))):
            split = mix_shift(pool.groups, heavy, share=share, rng=child)
            audit = pool.audit(split)
            for policy in policies:
                row = {"setting": pool.name, "split": number, "policy": policy}
                row |= {"construction_mix": names[0], "deployment_mix": names[1]}
                rows.append(row | score_policy(pool, POLICIES[policy](audit, settings), split))
    return pd.DataFrame(rows)


def study_mixes(
    pool: RolePool,
    mix: Mix,
    policies: Sequence[str],
    settings: PlanSettings,
    *,
    shares: Sequence[float],
    splits: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Plan on a range of mixes, all equally large, and score each part of the test rows on its own.

    A third of the groups of either part is tested, the same whatever the mix; construction sets grow out of
    one order of the rest, so that two mixes differ in as few groups as they can. Risk on any deployment mix
    is then a weighted mean of the two parts' risks.

    Parameters
    ----------
    pool : RolePool
    mix : Mix
    policies : sequence of str
    settings : PlanSettings
    shares : sequence of float
        Shares of the part's groups among the construction groups, in [0, 1].
    splits : int
    rng : numpy Generator

    Returns
    -------
    DataFrame
        One row per (setting, split, share, policy): `part_risk`, `other_risk`, `part_calls`, `other_calls`,
        `audit_rows`.

    Raises
    ------
    InvalidInput
        An unknown policy; a share outside [0, 1]; fewer than 8 construction groups.
    """
    _require(policies)
    inside = mix.rows(pool)
    rows = []
    for number, child in enumerate(rng.spawn(splits)):
        for share, split in mixed_splits(pool.groups, inside, shares=shares, rng=child).items():
            audit = pool.audit(split)
            tested = [split.test[inside[split.test]], split.test[~inside[split.test]]]
            for policy in policies:
                fitted = POLICIES[policy](audit, settings)
                row = {"setting": pool.name, "split": number, "share": share, "policy": policy}
                for name, test in zip(("part", "other"), tested, strict=True):
                    outcome = fitted.apply(pool.codes[test], pool.slices[test])
                    row[f"{name}_risk"] = brier(outcome.probability, pool.target[test])
                    row[f"{name}_calls"] = float(outcome.called.sum(axis=1).mean())
                rows.append(row | {"audit_rows": len(split.construction)})
    return pd.DataFrame(rows)


def mixed_splits(
    groups: np.ndarray, inside: np.ndarray, *, shares: Sequence[float], rng: np.random.Generator
) -> dict[float, Split]:
    """One split per share, with the same test groups and as many construction groups in each.

    A group is in the part when its first row is. Raises as `study_mixes`.
    """
    if not shares or not all(0 <= share <= 1 for share in shares):
        raise InvalidInput("shares", "numbers in [0, 1]", list(shares))
    _, first, code = np.unique(groups, return_index=True, return_inverse=True)
    parts = [rng.permutation(np.flatnonzero(inside[first] == there)) for there in (True, False)]
    tested = [part[: round(TESTED * len(part))] for part in parts]
    left = [part[round(TESTED * len(part)) :] for part in parts]
    most = max(shares), 1 - min(shares)
    size = min(int(len(part) / share) for part, share in zip(left, most, strict=True) if share)
    if size < 8:
        raise InvalidInput("slice mix", "at least 8 groups to plan on", size)
    test = np.flatnonzero(np.isin(code, np.concatenate(tested)))
    splits = {}
    for share in shares:
        taken = round(share * size)
        # groups alternate between fit and validation, so that both halves have the same mix
        chosen = [left[0][:taken], left[1][: size - taken]]
        splits[share] = Split(
            fit=np.flatnonzero(np.isin(code, np.concatenate([part[1::2] for part in chosen]))),
            validation=np.flatnonzero(np.isin(code, np.concatenate([part[::2] for part in chosen]))),
            test=test,
        )
    return splits


def _require(policies: Sequence[str]) -> None:
    unknown = [name for name in policies if name not in POLICIES]
    if unknown:
        raise InvalidInput("policies", f"among {', '.join(POLICIES)}", unknown)
