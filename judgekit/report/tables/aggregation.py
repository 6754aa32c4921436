"""Tables of the conditional-aggregation study, each with the printed numbers beside where there are any."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from judgekit.compute import PUBLISHED_TOKENS, pool_compute
from judgekit.report.published import printed_values
from judgekit.stats import signed_rank_test
from judgekit.studies.aggregation import METHODS

_MEANS = {
    "all_cells": ("choose", "confirm"),
    "choose_cells": ("choose",),
    "confirm_cells": ("confirm",),
    "extra_cells": ("extra",),
}
FEATURE_KEYS = {
    "hard": "hard_only",
    "soft": "soft_only",
    "both": "hard_and_soft",
    "summaries": "probability_summaries",
}


def printed_ablation() -> dict[str, float]:
    """Printed mean Spearman of each feature set."""
    return {name: _printed("jm-038", key) for name, key in FEATURE_KEYS.items()}


def method_means(main: pd.DataFrame) -> pd.DataFrame:
    """Mean Spearman of every method: over all, choose and confirm cells, unweighted; extra cells apart.

    A method that lacks a pool in some cell has its mean over fewer: `cells` counts choose and confirm cells.
    """
    found = {
        method: part.set_index("role")["spearman"] for method, part in main.groupby("method", sort=False)
    }
    rows = []
    for method in [method for method in METHODS if method in found]:
        mine, row = found[method], dict[str, object](method=METHODS[method])
        for name, roles in _MEANS.items():
            row[name] = mine[mine.index.isin(roles)].mean()
        row["cells"] = int(mine.index.isin(_MEANS["all_cells"]).sum())
        rows.append(row)
    return pd.DataFrame(rows)


def by_method(main: pd.DataFrame) -> pd.DataFrame:
    """The main table for reading: a row a method, a column a cell.

    First the mean over choose and confirm cells, empty for a method that some of them lack.
    """
    wide = main.pivot(index="method", columns="benchmark_cell", values="spearman")
    wide = wide.reindex(
        index=[m for m in METHODS if m in wide.index], columns=main["benchmark_cell"].unique()
    )
    counted = main.loc[main["role"] != "extra", "benchmark_cell"].unique()
    wide.insert(0, "mean", wide[counted].mean(axis=1, skipna=False))
    return wide.rename(index=METHODS)


def pool_sizes(main: pd.DataFrame) -> pd.DataFrame:
    """JudgeMoE on the full, the compact and the family-diverse pool, a row a cell that has small pools.

    Returns
    -------
    DataFrame
        benchmark_cell, role, `full`, `compact`, `family_diverse` (NaN where there is none), `compact_gain`
        (compact - full), `diverse_gain` (family-diverse - compact); last, rows of means: over all listed
        cells, and over those with a family-diverse pool. One row "none" where no cell has small pools.
    """
    methods = {"judgemoe": "full", "judgemoe_compact": "compact", "judgemoe_family_diverse": "family_diverse"}
    wide = main.pivot(index="benchmark_cell", columns="method", values="spearman")
    wide = wide.reindex(index=main["benchmark_cell"].unique(), columns=list(methods)).rename(columns=methods)
    wide.insert(0, "role", main.drop_duplicates("benchmark_cell").set_index("benchmark_cell")["role"])
    wide = wide[wide["compact"].notna()]
    diverse = wide[wide["family_diverse"].notna()]
    for name, part in (("mean", wide), ("mean where family-diverse", diverse)):
        if len(part):
            wide.loc[name] = {"role": "", **part[list(methods.values())].mean(skipna=False)}
    if wide.empty:
        wide.loc["none"] = {"role": "", **dict.fromkeys(methods.values(), np.nan)}
    wide["compact_gain"] = wide["compact"] - wide["full"]
    wide["diverse_gain"] = wide["family_diverse"] - wide["compact"]
    return wide.rename_axis("benchmark_cell").reset_index()


def comparisons_beside(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Printed comparisons, ours, and the difference: mean gain, cells ahead, one- and two-sided p.

    The paper's 16 cells stand beside all cells, its first 10 beside the choose cells.
    """
    asked = [
        (
            "jm-024",
            "all cells",
            "single_best",
            ("mean_spearman_gain", "positive_cells", "p_one_sided", "p_two_sided"),
        ),
        ("jm-025", "all cells", "uniform_log", ("mean_spearman_gain", "positive_cells", "p_one_sided")),
        ("jm-026", "all cells", "covariance_log", ("mean_spearman_gain", "positive_cells", "p_one_sided")),
        ("jm-027", "choose cells", "uniform_log", ("mean_spearman_gain", "p_one_sided", "p_two_sided")),
        ("jm-030", "choose cells", "single_best", ("gain_vs_single",)),
        ("jm-030", "choose cells", "covariance_log", ("gain_vs_covariance",)),
    ]
    column = {
        "mean_spearman_gain": "mean_gain",
        "gain_vs_single": "weighted_gain",
        "gain_vs_covariance": "weighted_gain",
    }
    words = {
        "mean_gain": "mean gain in Spearman",
        "weighted_gain": "gain weighted by test rows",
        "p_one_sided": "one-sided p",
        "p_two_sided": "two-sided p",
    }
    rows = []
    for claim, scope, baseline, keys in asked:
        ours = comparisons[
            (comparisons["scope"] == scope)
            & (comparisons["unit"] == "cells")
            & (comparisons["baseline"] == baseline)
        ].iloc[0]
        for key in keys:
            printed = _printed(claim, key)
            if key == "positive_cells":
                found, quantity = ours["positive"] / ours["n"], "share of cells ahead"
            else:
                name = column.get(key, key)
                found, quantity = float(ours[name]), words[name]
            rows.append(_beside(claim, f"lead over {METHODS[baseline]}: {quantity}", scope, printed, found))
    return pd.DataFrame(rows)


def losing_cells(gains: pd.DataFrame) -> pd.DataFrame:
    """Cells ahead of, behind, and clearly ahead of the single best judge, with the printed counts beside."""
    mine = gains[(gains["first"] == "judgemoe") & (gains["baseline"] == "single_best")]
    rows = []
    for scope, roles in (("choose cells", ("choose",)), ("all cells", ("choose", "confirm"))):
        here = mine[mine["role"].isin(roles)]
        if here.empty:
            continue
        counts = {
            "share of cells ahead": ((here["gain"] > 0).mean(), _printed("jm-033", "positive_cells")),
            "share clearly ahead (interval above zero)": (
                (here["low"] > 0).mean(),
                _printed("jm-033", "significant_positive_cells"),
            ),
            "cells behind": (float((here["gain"] < 0).sum()), _printed("jm-032", "losing_cells")),
        }
        for quantity, (found, printed) in counts.items():
            claim = "jm-032" if quantity == "cells behind" else "jm-033"
            printed = printed if scope == "choose cells" else float("nan")
            rows.append(_beside(claim, quantity, scope, printed, float(found)))
    return pd.DataFrame(rows)


def feature_ablation(screen: pd.DataFrame) -> pd.DataFrame:
    """Mean test Spearman over choose cells of the gate on each feature set, printed values beside.

    `gain` and `p_one_sided` compare a set with the one that the paper compares it with: both scores with
    hard scores, summaries with both scores.
    """
    base = ablated_cells(screen)
    against = {"both": ("hard", "jm-039"), "summaries": ("both", "jm-040")}
    wide = base.pivot(index="benchmark_cell", columns="feature_set", values="test")
    rows = []
    for name, key in FEATURE_KEYS.items():
        row: dict[str, object] = {"feature_set": name, "printed": _printed("jm-038", key)}
        row |= {
            "rebuilt": wide[name].mean(),
            "difference": wide[name].mean() - float(_printed("jm-038", key)),
        }
        row |= {"cells": len(wide), "against": "", "printed_gain": np.nan, "gain": np.nan}
        row |= {"printed_p_one_sided": np.nan, "p_one_sided": np.nan}
        if name in against:
            other, claim = against[name]
            test = signed_rank_test(wide[name].to_numpy(), wide[other].to_numpy())
            row |= {"against": other, "printed_gain": _printed(claim, "gain"), "gain": test.mean_difference}
            row |= {"printed_p_one_sided": _printed(claim, "p_one_sided"), "p_one_sided": test.p_greater}
        rows.append(row)
    return pd.DataFrame(rows)


def gate_by_pool(screen: pd.DataFrame) -> pd.DataFrame:
    """Mean Spearman of gate by pool, at one temperature and feature set, over choose and confirm cells.

    `printed` is the paper's mean for DeepSets with the log pool, on its 10 cells; it prints no other.
    """
    base = screen.iloc[0]
    same = ("feature_set", "pool_temperature")
    here = screen[(screen[list(same)] == base[list(same)]).all(axis=1)]
    rows = []
    for (architecture, pool), part in here.groupby(["architecture", "pool"], sort=False):
        row: dict[str, object] = {"architecture": architecture, "pool": pool}
        for role in ("choose", "confirm"):
            mine = part[part["role"] == role]
            row |= {f"{role}_validation": mine["validation"].mean(), f"{role}_test": mine["test"].mean()}
            row[f"{role}_cells"] = len(mine)
        published = (architecture, pool) == ("deepsets", "log")
        printed = _printed("jm-042", "mean_spearman") if published else float("nan")
        rows.append(row | {"printed": printed, "difference": row["choose_test"] - printed})  # type: ignore[operator]
    return pd.DataFrame(rows)


def temperature_sweep(screen: pd.DataFrame) -> pd.DataFrame:
    """Validation and test Spearman at each pool temperature: mean over choose cells, and cells won."""
    base = screen.iloc[0]
    same = ("feature_set", "architecture", "pool")
    here = screen[(screen[list(same)] == base[list(same)]).all(axis=1) & (screen["role"] == "choose")]
    best = here.loc[here.groupby("benchmark_cell", sort=False)["validation"].idxmax()]
    won = best["pool_temperature"].value_counts()
    means = here.groupby("pool_temperature")[["validation", "test"]].mean().reset_index()
    means["cells_won_on_validation"] = [int(won.get(value, 0)) for value in means["pool_temperature"]]
    means["printed"] = [
        _printed("jm-042", "mean_spearman")
        if np.isclose(value, _printed("jm-042", "temperature"))
        else np.nan
        for value in means["pool_temperature"]
    ]
    return means.assign(difference=means["test"] - means["printed"])


def weight_quality_means(weights: pd.DataFrame) -> pd.DataFrame:
    """Rank correlation of gate weight with judge quality, mean over the cells of a score range."""
    cells = weights.drop_duplicates("benchmark_cell")
    rows = []
    for score_range, part in cells.groupby("score_range", sort=False):
        key = {"1-5": "rank_corr_1_5", "1-10": "rank_corr_1_10"}.get(str(score_range))
        printed = _printed("jm-044", key) if key else float("nan")
        mean = part["rank_correlation"].mean()
        rows.append(
            {"score_range": score_range, "cells": len(part), "printed": printed, "rebuilt": mean}
            | {"difference": mean - printed, "lowest": part["rank_correlation"].min()}
        )
    return pd.DataFrame(rows)


def residual_means(residuals: pd.DataFrame) -> pd.DataFrame:
    """Mean error correlation of each pool over the cells that declare it, with the printed means beside."""
    keys = {"full": "error_corr_full6", "compact": "error_corr_strong3"}
    counted = residuals[residuals["role"] != "extra"]
    rows = []
    for pool in ("full", "compact", "family_diverse"):
        printed = _printed("jm-045", keys[pool]) if pool in keys else float("nan")
        mean, shared = counted[pool].mean(), counted.loc[counted["compact"].notna(), pool].mean()
        rows.append(
            {"pool": pool, "cells": int(counted[pool].notna().sum()), "printed": printed, "rebuilt": mean}
            | {"difference": mean - printed, "where_compact_exists": shared}
        )
    return pd.DataFrame(rows)


def compute_accounting(pools: Mapping[str, Sequence[float]] | None = None) -> pd.DataFrame:
    """PFLOPs of the printed systems from the formula, and of further pools on the same token count.

    Parameters
    ----------
    pools : mapping of str to billions of active parameters, optional
        Pools of one's own; one with an unknown size (NaN) is left out.
    """
    printed = {
        "three local judges": ((9, 12, 7), "local3_pflops"),
        "six local judges": ((53,), "local6_pflops"),
        "DeepSeek-V3.2-Exp": ((37,), "deepseek_pflops"),
    }
    rows = []
    for system, (sizes, key) in printed.items():
        spent = pool_compute(sizes)
        rows.append(_spent(system, spent.active_parameters, spent.petaflops, _printed("jm-075", key)))
    for system, own in (pools or {}).items():
        if np.isfinite(list(own)).all():
            spent = pool_compute([float(size) for size in own])
            rows.append(_spent(system, spent.active_parameters, spent.petaflops, float("nan")))
    return pd.DataFrame(rows)


def _spent(system: str, billions: float, petaflops: float, printed: float) -> dict[str, object]:
    row: dict[str, object] = {"system": system, "active_parameters": billions, "tokens": PUBLISHED_TOKENS}
    return row | {"printed": printed, "rebuilt": petaflops, "difference": round(petaflops, 1) - printed}


def ablated_cells(screen: pd.DataFrame) -> pd.DataFrame:
    """Rows of the screen that differ from the published configuration in the feature set alone."""
    base = screen.iloc[0]
    same = ("architecture", "pool", "pool_temperature")
    return screen[(screen[list(same)] == base[list(same)]).all(axis=1) & (screen["role"] == "choose")]


def _beside(claim: str, quantity: str, scope: str, printed: float, rebuilt: float) -> dict[str, object]:
    row: dict[str, object] = {"claim": claim, "quantity": quantity, "scope": scope}
    return row | {"printed": printed, "rebuilt": rebuilt, "difference": rebuilt - printed}


def _printed(claim: str, key: str) -> float:
    """A printed value as a number; "12/16" becomes a share."""
    values = printed_values("judgemoe")
    text = values.loc[(values["claim"] == claim) & (values["key"] == key), "value"].iloc[0]
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom) if bottom else float(top)
