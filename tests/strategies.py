"""Random pools for property tests, and small ones by hand."""

import functools
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from judgekit.audit import AuditSet, RolePool
from judgekit.plan import PlanSettings
from judgekit.signals import Signal
from judgekit.splits import Split, split_by_group


def make_pool(
    codes: np.ndarray,
    target: np.ndarray,
    *,
    slices: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    costs: np.ndarray | None = None,
    levels: int = 2,
    signal: Signal | None = None,
) -> RolePool:
    """A pool of judges a, b, c ... on slices s0, s1 ..., each judge of a family of its own."""
    rows, judges = codes.shape
    slices = np.full(rows, -1, dtype=np.int64) if slices is None else slices.astype(np.int64)
    names = tuple("abcdefghijklmnop"[:judges])
    return RolePool(
        name="made up",
        codes=codes.astype(np.int8),
        target=target.astype(np.float64),
        groups=np.arange(rows) if groups is None else groups,
        slices=slices,
        slice_names=tuple(f"s{number}" for number in range(int(slices.max(initial=-1)) + 1)),
        judges=names,
        families=names,
        costs=np.ones(judges) if costs is None else costs,
        levels=levels,
        signal=signal or Signal("metadata"),
    )


def halves(pool: RolePool, seed: int = 0) -> Split:
    """A split of the pool by group."""
    return split_by_group(pool.groups, rng=np.random.default_rng(seed))


def audited(pool: RolePool, seed: int = 0) -> AuditSet:
    """The audit set of that split."""
    return pool.audit(halves(pool, seed))


def good_judges(
    rows: int, accuracies: list[float], *, seed: int = 0, slices: int = 0, shared: float = 0.0
) -> RolePool:
    """Independent binary judges of stated accuracy; `shared` of the rows are hard for all of them alike."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, 2, rows)
    right = rng.random((rows, len(accuracies))) < np.array(accuracies)
    right[rng.random(rows) < shared] = False
    codes = np.where(right, target[:, None], 1 - target[:, None])
    return make_pool(codes, target, slices=rng.integers(0, slices, rows) if slices else None)


@dataclass(frozen=True)
class Case:
    """What a small random pool and its split are drawn from; both are built on first use.

    The axis checks of judgekit draw random numbers, which must not happen while Hypothesis draws.
    """

    rows: int
    levels: int
    seed: int
    noise: tuple[float, ...]
    costs: tuple[float, ...]
    scalar: bool
    slices: int
    group_size: int

    @functools.cached_property
    def split(self) -> Split:
        """Split by group."""
        groups = np.arange(self.rows) // self.group_size
        return split_by_group(groups, rng=np.random.default_rng(self.seed))

    @functools.cached_property
    def pool(self) -> RolePool:
        """Judges who hear the label through noise, upside down on some slices; both labels in either half."""
        rng = np.random.default_rng(self.seed)
        ends = self.levels - 1
        latent = rng.random(self.rows)
        target = np.round(latent * ends) / ends if self.scalar else np.round(latent)
        heard = target[:, None] + np.array(self.noise) * rng.standard_normal((self.rows, len(self.noise)))
        slices = rng.integers(-1, self.slices, self.rows) if self.slices else np.full(self.rows, -1)
        misled = rng.random((self.slices + 1, len(self.noise))) < 0.3
        misled[-1] = False
        heard = np.where(misled[slices], 1 - heard, heard)
        for part in (self.split.fit, self.split.validation):
            target[part[0]], target[part[-1]] = 0.0, 1.0
        return make_pool(
            np.clip(np.round(heard * ends), 0, ends),
            target,
            slices=slices,
            groups=np.arange(self.rows) // self.group_size,
            costs=np.array(self.costs),
            levels=self.levels,
        )

    @functools.cached_property
    def audit(self) -> AuditSet:
        """The pool's audit set."""
        return self.pool.audit(self.split)


def cases(*, scalar: bool = True, max_levels: int = 4, max_judges: int = 5) -> st.SearchStrategy[Case]:
    """Small pools with a split: binary or scalar labels, slices or none, pairs or single rows."""
    return st.integers(2, max_judges).flatmap(
        lambda judges: st.builds(
            Case,
            rows=st.integers(16, 90),
            levels=st.integers(2, max_levels),
            seed=st.integers(0, 2**32 - 1),
            noise=st.tuples(*[st.sampled_from([0.05, 0.3, 0.8, 2.0])] * judges),
            costs=st.tuples(*[st.sampled_from([0.1, 1.0, 5.0])] * judges),
            scalar=st.booleans() if scalar else st.just(False),
            slices=st.integers(0, 3),
            group_size=st.integers(1, 2),
        )
    )


settings_of_plans = st.builds(
    PlanSettings,
    gain_threshold=st.sampled_from([0.0, 0.0031, 0.0207]),
    slice_gain_threshold=st.sampled_from([None, 0.0, 0.0113]),
    cost_weight=st.sampled_from([0.0, 0.0017]),
    smoothing=st.sampled_from([1.0, 0.0, 0.37]),
    route_rule=st.sampled_from(["paper", "strict", "none"]),
    slice_tables=st.sampled_from(["routed", "all"]),
)
