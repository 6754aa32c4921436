"""The two small frames that introduce a pool: who is right where, and what a few verdicts look like."""

import numpy as np
import pandas as pd

from judgekit.audit import RolePool


def accuracy_by_slice(pool: RolePool) -> pd.DataFrame:
    """Share of right verdicts: one row a judge, one column a slice ("all" where the pool has no slices).

    A verdict is right when it is the bucket nearest to the label.
    """
    right = np.abs(pool.codes / (pool.levels - 1) - pool.target[:, None]) < 0.5
    names = np.array([*pool.slice_names, "other"], dtype=object)[pool.slices] if pool.slice_names else "all"
    frame = pd.DataFrame(right, columns=list(pool.judges)).groupby(names).mean().T
    return frame.rename_axis(index="judge", columns="slice")


def some_verdicts(pool: RolePool, *, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """A few random rows: slice, label and every judge's verdict."""
    chosen = np.sort(rng.choice(len(pool.target), size=min(rows, len(pool.target)), replace=False))
    frame = pd.DataFrame(pool.codes[chosen], columns=list(pool.judges))
    frame.insert(0, "label", pool.target[chosen])
    frame.insert(0, "slice", [pool.slice_names[k] if k >= 0 else "" for k in pool.slices[chosen]])
    return frame
