"""Tables of the role-allocation paper about pools and plans: who is in, who is called, where."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.audit import RolePool


def settings_overview(pools: Sequence[RolePool]) -> pd.DataFrame:
    """Table 2: rows, groups, judges, slices, and whether the slice is known when a call is to be made."""
    return pd.DataFrame(
        {
            "setting": pool.name,
            "rows": len(pool.target),
            "groups": len(np.unique(pool.groups)),
            "base_rate": float(pool.target.mean()),
            "judges": len(pool.judges),
            "slices": len(pool.slice_names),
            "signal": str(pool.signal) if pool.slice_names else "none",
            "deployable": pool.signal.routes if pool.slice_names else True,
        }
        for pool in pools
    )


def pools_overview(pools: Sequence[RolePool]) -> pd.DataFrame:
    """Table 11: the judges of each pool, the slices, and the verifiers among the judges."""
    return pd.DataFrame(
        {
            "setting": pool.name,
            "judges": "; ".join(pool.judges),
            "families": len(set(pool.families)),
            "slice": ", ".join(pool.slice_names) if pool.slice_names else "none",
            "verifier": "; ".join(pool.judges[k] for k in np.flatnonzero(pool.costs < 1)) or "none",
        }
        for pool in pools
    )


def complete_cases(pools: Sequence[RolePool]) -> pd.DataFrame:
    """Table 12: rows before and after dropping incomplete ones, and the judge that lost most.

    `source` and `source_dropped` name the judge with most missing outputs and how many it lacks; rows
    without a trustworthy label are counted in `unlabelled` and are part of `dropped`.
    """
    rows = []
    for pool in pools:
        worst = max(pool.missing, key=lambda name: pool.missing[name])
        lost = pool.missing[worst]
        rows.append(
            {
                "setting": pool.name,
                "rows": pool.rows_given,
                "judges": len(pool.judges),
                "complete": len(pool.target),
                "dropped": pool.rows_given - len(pool.target),
                "source": worst if lost else "",
                "source_dropped": float(lost) if lost else np.nan,
                "unlabelled": pool.unlabelled,
            }
        )
    return pd.DataFrame(rows)


def routed_specialists(plans: pd.DataFrame, *, least: int) -> pd.DataFrame:
    """Table 7: routes of the routed plan that appear in at least `least` splits; "none" where none does.

    Parameters
    ----------
    plans : DataFrame
        `PolicyStudy.plans`.
    least : int
        The paper keeps those seen in 5 of 10.
    """
    table = _frequencies(plans[plans["slice"] != "all"], plans, least)
    if table.empty:
        table = pd.DataFrame({"setting": plans["setting"].unique()})
        table = table.assign(slice="none", judge="none", count=0, of=plans["split"].nunique())
    return table.rename(columns={"setting": "anchor"})


def routed_slices(plans: pd.DataFrame, pools: Sequence[RolePool]) -> pd.DataFrame:
    """Splits in which the routed plan calls anyone more on a slice than on every row, whoever it is.

    Parameters
    ----------
    plans : DataFrame
        `PolicyStudy.plans` of the pools.
    pools : sequence of RolePool

    Returns
    -------
    DataFrame
        One row per (setting, slice), routed or not: `routed_splits`, `of` so many, and
        `extra_judges`, those called there beyond the panel, mean over all splits.
    """
    routed = plans[(plans["policy"] == "role_routed") & (plans["slice"] != "all")]
    keys = pd.MultiIndex.from_tuples(
        [(pool.name, name) for pool in pools for name in pool.slice_names], names=["setting", "slice"]
    )
    by_slice, of = routed.groupby(["setting", "slice"]), plans["split"].nunique()
    table = pd.DataFrame({"routed_splits": by_slice["split"].nunique().reindex(keys, fill_value=0)}).assign(
        of=of
    )
    table["extra_judges"] = by_slice.size().reindex(keys, fill_value=0) / of
    return table.reset_index()


def call_frequencies(plans: pd.DataFrame, *, least: int) -> pd.DataFrame:
    """Table 17: every call of the routed plan, on all rows or on a slice, seen in at least `least` splits."""
    return _frequencies(plans, plans, least)


def call_shares(plans: pd.DataFrame, pool: RolePool, *, field: str) -> pd.DataFrame:
    """Share of splits in which the routed plan makes each call, at each value of a planner setting.

    Parameters
    ----------
    plans : DataFrame
        `studies.role_policies.sweep_settings(...).plans` of one pool.
    pool : RolePool
    field : str
        The setting that was swept.

    Returns
    -------
    DataFrame
        One row per (value, "all" or slice, judge of the pool), called or not; `share` in 0..1.
    """
    mine = plans[(plans["setting"] == pool.name) & (plans["policy"] == "role_routed")]
    columns = [field, "slice", "judge"]
    every = [pd.Index(values) for values in (mine[field].unique(), ["all", *pool.slice_names], pool.judges)]
    counts = mine.groupby(columns)["split"].nunique()
    counts = counts.reindex(pd.MultiIndex.from_product(every, names=columns), fill_value=0)
    return counts.div(mine["split"].nunique()).rename("share").reset_index()


def _frequencies(kept: pd.DataFrame, plans: pd.DataFrame, least: int) -> pd.DataFrame:
    kept = kept[kept["policy"] == "role_routed"]
    counts = (
        kept.groupby(["setting", "slice", "judge"], sort=False)["split"]
        .nunique()
        .rename("count")
        .reset_index()
    )
    counts["of"] = plans["split"].nunique()
    order = {name: place for place, name in enumerate(plans["setting"].unique())}
    counts = counts[counts["count"] >= least]
    counts = counts.sort_values(["count"], ascending=False, kind="stable")
    counts = counts.sort_values(
        ["setting", "slice"], key=lambda c: c.map(order) if c.name == "setting" else c, kind="stable"
    )
    return counts.reset_index(drop=True)
