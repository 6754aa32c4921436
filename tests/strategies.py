"""Random pools for property tests, and small ones by hand."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

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


@st.composite
def pools(
    draw: st.DrawFn, *, levels: tuple[int, int] = (2, 4), scalar: bool = True, max_judges: int = 5
) -> RolePool:
    """Small pools: judges that lean on the label or not, slices or none, binary or scalar labels."""
    rows = draw(st.integers(12, 60))
    judges = draw(st.integers(2, max_judges))
    buckets = draw(st.integers(*levels))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = buckets - 1
    latent = rng.random(rows)
    scaled = np.round(latent * ends) / ends
    target = scaled if scalar and draw(st.booleans()) else (latent > 0.5).astype(float)
    target[:2] = 0.0, 1.0
    noise = draw(arrays(float, judges, elements=st.sampled_from([0.05, 0.3, 0.8, 2.0])))
    heard = target[:, None] + noise * rng.standard_normal((rows, judges))
    codes = np.clip(np.round(heard * ends), 0, ends)
    slices = rng.integers(-1, draw(st.integers(1, 3)), rows) if draw(st.booleans()) else None
    groups = np.arange(rows) // draw(st.integers(1, 2))
    costs = draw(arrays(float, judges, elements=st.sampled_from([0.1, 1.0, 5.0])))
    pool = make_pool(codes, target, slices=slices, groups=groups, costs=costs, levels=buckets)
    # the two labels must not land in one half
    return replace(pool, target=np.where(np.arange(rows) % 7 == 0, 1 - pool.target, pool.target))


@dataclass(frozen=True)
class Case:
    """A pool with one of its splits, both labels among the construction rows."""

    pool: RolePool
    split: Split

    @property
    def audit(self) -> AuditSet:
        """Its audit set."""
        return self.pool.audit(self.split)


@st.composite
def cases(draw: st.DrawFn, *, scalar: bool = True, max_judges: int = 5) -> Case:
    """Pools with a split that can be planned on."""
    pool = draw(pools(scalar=scalar, max_judges=max_judges))
    split = halves(pool, draw(st.integers(0, 1000)))
    target = pool.target.copy()
    target[split.fit[0]], target[split.validation[0]] = 0.0, 1.0
    return Case(replace(pool, target=target), split)


settings_of_plans = st.builds(
    PlanSettings,
    gain_threshold=st.sampled_from([0.0, 0.0031, 0.0207]),
    slice_gain_threshold=st.sampled_from([None, 0.0, 0.0113]),
    cost_weight=st.sampled_from([0.0, 0.0017]),
    smoothing=st.sampled_from([1.0, 0.0, 0.37]),
    route_rule=st.sampled_from(["paper", "strict", "none"]),
    slice_tables=st.sampled_from(["routed", "all"]),
)
