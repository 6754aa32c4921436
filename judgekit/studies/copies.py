"""Copies of judges, exact and noisy, join a pool: what each policy then risks and pays (Table 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.axes import Codes
from judgekit.errors import InvalidInput
from judgekit.folds import folds_of
from judgekit.metrics import residual_correlation_matrix
from judgekit.panel import find_panel, quality_order
from judgekit.plan import PlanSettings
from judgekit.policies import POLICIES
from judgekit.studies.role_policies import draw_splits, score_outcome


@dataclass(frozen=True)
class Copies:
    """Which copies join a pool.

    The paper says only that copies of one judge join. Which one is settled here in each split, from its
    validation rows, so that no test row has a say.

    Attributes
    ----------
    count : int
        Number of copies; 0 = the pool as it is.
    of : {"best", "each"}
        Every copy is of the judge of lowest validation risk, or the copies are of the best, the second best
        and so on, in turn.
    noise : {"flip", "redraw"}
        What a noisy copy says where it leaves its original. "flip": another verdict, drawn evenly. "redraw":
        what the original said on another row of the same label and slice, so that the copy stays as good as
        the original, with errors of its own.
    share : float
        Share of verdicts that leave the original: 0 = exact copies. 0.5 flips leave a binary copy without
        any information; 1 redraws leave it as good as the original and independent of it given label and
        slice.
    """

    count: int
    of: Literal["best", "each"] = "best"
    noise: Literal["flip", "redraw"] = "flip"
    share: float = 0.0

    def __post_init__(self) -> None:
        if not (isinstance(self.count, int) and self.count >= 0):
            raise InvalidInput("count", "a whole number >= 0", self.count)
        if not 0 <= self.share <= 1:
            raise InvalidInput("share", "a number in [0, 1]", self.share)
        for name, allowed in (("of", ("best", "each")), ("noise", ("flip", "redraw"))):
            if getattr(self, name) not in allowed:
                raise InvalidInput(name, ", ".join(allowed), getattr(self, name))


def study_copies(
    pool: RolePool,
    policies: Sequence[str],
    settings: PlanSettings,
    conditions: Mapping[str, Copies],
    *,
    splits: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Score every policy on the same splits under every condition.

    Parameters
    ----------
    pool : RolePool
    policies : sequence of str
        Names in `judgekit.policies.POLICIES`.
    settings : PlanSettings
    conditions : mapping of str to Copies
        Name of each condition, such as "base" and "+4 copies".
    splits : int
    rng : numpy Generator
        Gives the splits of `study_policies` with the same generator, then the noise. Noise is the same in
        every condition: copy k of a judge leaves it on more rows as its share grows, never on others.

    Returns
    -------
    DataFrame
        One row per (setting, condition, split, policy): `role_policies.score_outcome`, and `original` (judge
        of lowest validation risk), `copy_calls` (copies called a row).

    Raises
    ------
    InvalidInput
        An unknown policy; no condition; more copies "of each" than the pool has judges.
    """
    unknown = [name for name in policies if name not in POLICIES]
    if unknown or not conditions:
        raise InvalidInput(
            "policies, conditions", f"one or more, policies among {', '.join(POLICIES)}", unknown
        )
    rows = []
    drawn = draw_splits(pool, splits=splits, rng=rng)
    for number, (split, child) in enumerate(zip(drawn, rng.spawn(splits), strict=True)):
        order = quality_order(pool.audit(split), settings)
        seeds = child.integers(2**63, size=max(copies.count for copies in conditions.values()))
        for condition, copies in conditions.items():
            copied = add_copies(pool, copies, order, [np.random.default_rng(seed) for seed in seeds])
            audit = copied.audit(split)
            for policy in policies:
                fitted = POLICIES[policy](audit, settings)
                outcome = fitted.apply(copied.codes[split.test], copied.slices[split.test])
                row = {"setting": pool.name, "condition": condition, "split": number, "policy": policy}
                row |= {"original": pool.judges[order[0]]} | score_outcome(copied, outcome, split)
                row["copy_calls"] = float(outcome.called[:, len(pool.judges) :].sum(axis=1).mean())
                rows.append(row)
    return pd.DataFrame(rows)


def add_copies(
    pool: RolePool, copies: Copies, order: np.ndarray, rngs: Sequence[np.random.Generator]
) -> RolePool:
    """The pool with its copies, which stand after its own judges.

    Parameters
    ----------
    pool : RolePool
    copies : Copies
    order : int64 [judges]
        Judges of the pool, best first.
    rngs : sequence of numpy Generator
        One a copy; unused where copies are exact.
    """
    if not copies.count:
        return pool
    if copies.of == "each" and copies.count > len(order):
        raise InvalidInput("count", f"at most the {len(order)} judges of the pool", copies.count)
    columns = np.repeat(order[:1], copies.count) if copies.of == "best" else order[: copies.count]
    added = pool.codes[:, columns]
    if copies.share:
        strata = np.round(pool.target * (pool.levels - 1)).astype(np.int64) * (len(pool.slice_names) + 1)
        strata += pool.slices + 1
        noisy = [
            noisy_copy(pool.codes[:, column], strata, copies, levels=pool.levels, rng=rng)
            for column, rng in zip(columns, rngs, strict=False)
        ]
        added = np.stack(noisy, axis=1)
    return pool.with_copies(columns, added)


def noisy_copy(
    codes: np.ndarray, strata: np.ndarray, copies: Copies, *, levels: int, rng: np.random.Generator
) -> np.ndarray:
    """A copy of one judge's verdicts that leaves them on a share of the rows: int [items].

    Parameters
    ----------
    codes : int [items]
    strata : int [items]
        Rows among which "redraw" looks for another verdict of the same judge.
    copies : Copies
        Its noise and share.
    levels : int
        Number of distinct verdicts.
    rng : numpy Generator
        Draws the same numbers whatever the share.
    """
    leaves = rng.random(len(codes)) < copies.share
    if copies.noise == "flip":
        other = (codes + rng.integers(1, levels, len(codes))) % levels
    else:
        other = codes.copy()
        for stratum in np.unique(strata):
            rows = np.flatnonzero(strata == stratum)
            other[rows] = codes[rng.choice(rows, len(rows))]
    return np.where(leaves, other, codes).astype(codes.dtype)


def duplicate_gains(
    pool: RolePool, settings: PlanSettings, *, splits: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Validation gain of an exact duplicate of a panel member, given the panel that holds it (Table 6).

    Returns
    -------
    DataFrame
        One row per (split, judge of the global panel): setting, split, judge, gain.
    """
    rows = []
    for number, split in enumerate(draw_splits(pool, splits=splits, rng=rng)):
        audit = pool.audit(split)
        folds = folds_of([audit], smoothing=settings.smoothing)
        panel = [step.judge for step in find_panel(audit, settings)]
        for judge in panel:
            folds.add(judge)
        gains = (folds.risks - folds.risks_with(panel))[:, 0]
        for judge, gain in zip(panel, gains, strict=True):
            rows.append({"setting": pool.name, "split": number, "judge": pool.judges[judge], "gain": gain})
    return pd.DataFrame(rows)


def near_copy_gains(
    pool: RolePool,
    pairs: Sequence[tuple[str, str]],
    settings: PlanSettings,
    *,
    splits: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """What the second judge of each pair adds to a panel of the first, and what the best other judge adds.

    Parameters
    ----------
    pool : RolePool
    pairs : sequence of (str, str)
        Original and near-copy.
    settings : PlanSettings
    splits : int
    rng : numpy Generator

    Returns
    -------
    DataFrame
        One row per (split, pair): setting, split, original, near_copy; `agreement` (share of all rows with
        equal verdicts) and `error_correlation`; validation gains given the original of the near-copy
        (`copy_gain`) and of the best judge outside all pairs (`other_gain`, judge in `other`).

    Raises
    ------
    InvalidInput
        A judge that the pool lacks.
    """
    absent = [name for pair in pairs for name in pair if name not in pool.judges]
    if absent or not pairs:
        raise InvalidInput("near copies", f"pairs of judges among {', '.join(pool.judges)}", absent)
    scores = pool.codes / (pool.levels - 1)
    correlation = residual_correlation_matrix(scores, pool.target)
    paired = {name for pair in pairs for name in pair}
    others = [judge for judge, name in enumerate(pool.judges) if name not in paired]
    rows = []
    for number, split in enumerate(draw_splits(pool, splits=splits, rng=rng)):
        audit = pool.audit(split)
        for original, near_copy in pairs:
            first, second = pool.judges.index(original), pool.judges.index(near_copy)
            folds = folds_of([audit], smoothing=settings.smoothing)
            folds.add(first)
            copy_gain, *gains = (folds.risks - folds.risks_with([second, *others]))[:, 0]
            rows.append(
                {
                    "setting": pool.name,
                    "split": number,
                    "original": original,
                    "near_copy": near_copy,
                    "agreement": float((pool.codes[:, first] == pool.codes[:, second]).mean()),
                    "error_correlation": float(correlation[first, second]),
                    "copy_gain": copy_gain,
                    "other": pool.judges[others[int(np.argmax(gains))]],
                    "other_gain": max(gains),
                }
            )
    return pd.DataFrame(rows)


def without_judges(pool: RolePool, names: Sequence[str]) -> RolePool:
    """The pool without some judges, on the same rows.

    Raises
    ------
    InvalidInput
        A judge that the pool lacks, or that its route signal is read from.
    """
    known = [name for name in pool.judges if name not in pool.signal.judges]
    absent = [name for name in names if name not in known]
    if absent:
        raise InvalidInput("judges to leave out", f"judges among {', '.join(known)}", absent)
    kept = [judge for judge, name in enumerate(pool.judges) if name not in names]
    codes: Codes = pool.codes[:, kept]
    return replace(
        pool,
        codes=codes,
        judges=tuple(pool.judges[judge] for judge in kept),
        families=tuple(pool.families[judge] for judge in kept),
        costs=pool.costs[kept],
    )
