"""Risk, cost and call tables of the role-allocation paper, from the frames of its studies."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.stats import corrected_interval, t_interval

_TABLE_10 = {
    "single_best": "Single best",
    "flat_all": "Flat all",
    "frugal_cascade": "Frugal cascade",
    "full_stack": "Full-call stack",
    "global_panel": "Role global stop",
    "role_routed": "Role routed stop",
}
_TABLE_19 = {
    "single_best": "Single best",
    "flat_all": "Flat all prompt variants",
    "top_k": "Matched top-k",
    "frugal_cascade": "Frugal confidence cascade",
    "full_stack": "Full-call logistic stack",
    "role_routed": "Role-routed stop",
}


def policy_means(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean risk (with its t half-width), accuracy, cost and calls of each policy in each setting.

    Parameters
    ----------
    scores : DataFrame
        `PolicyStudy.scores`: one row per (setting, split, policy).

    Returns
    -------
    DataFrame
        setting, policy, risk, risk_half_width, accuracy, cost, calls, judges; in the order of `scores`.
    """
    by = scores.groupby(["setting", "policy"], sort=False)
    means = by[["risk", "accuracy", "cost", "calls", "judges"]].mean()
    half = by["risk"].agg(lambda values: t_interval(values.to_numpy()).half_width)
    means.insert(1, "risk_half_width", half)
    return means.reset_index()


def policy_comparison(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 3: single best, flat all and the routed plan, means over splits, one row a setting."""
    return _beside(
        scores,
        {
            "single_best": {"risk": "single_best_risk", "accuracy": "single_best_accuracy"},
            "flat_all": {"risk": "flat_all_risk", "accuracy": "flat_all_accuracy"},
            "role_routed": {
                "risk": "role_routed_risk",
                "accuracy": "role_routed_accuracy",
                "cost": "role_routed_cost",
                "calls": "role_routed_judges",
            },
        },
        key="dataset",
    )


def strong_baselines(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 4: full stack, matched panel and routed plan; last, the slice-aware stack the paper lacks."""
    return _beside(
        scores,
        {
            "full_stack": {"risk": "full_call_risk", "cost": "full_call_cost"},
            "matched_non_role": {"risk": "matched_non_role_risk", "cost": "matched_non_role_cost"},
            "role_routed": {"risk": "role_risk", "cost": "role_cost"},
            "slice_stack": {"risk": "slice_stack_risk"},
        },
    )


def allocation_baselines(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 5: reliability jury, frugal cascade and routed plan; last, Dawid-Skene without labels."""
    return _beside(
        scores,
        {
            "reliability_jury": {"risk": "reliability_jury_risk", "cost": "reliability_jury_cost"},
            "frugal_cascade": {"risk": "frugal_cascade_risk", "cost": "frugal_cascade_cost"},
            "role_routed": {"risk": "role_risk", "cost": "role_cost"},
            "dawid_skene": {"risk": "dawid_skene_risk"},
        },
    )


def threshold_sensitivity(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 8: the routed plan at each gain threshold."""
    return _swept(scores, "gain_threshold", {"calls": "judges"})


def cost_sensitivity(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 18: the routed plan at each weight of the priced cost."""
    return _swept(scores, "cost_weight", {}).rename(columns={"cost_weight": "lambda"})


def copy_stress(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 9: four policies before and after copies join; `scores` carries a `condition` column."""
    columns = {
        "flat_all": {"risk": "flat_all_risk", "cost": "flat_all_cost"},
        "reliability_jury": {"risk": "jury_all_risk", "cost": "jury_all_cost"},
        "frugal_cascade": {"risk": "cascade_risk", "cost": "cascade_cost"},
        "role_routed": {"risk": "role_risk", "cost": "role_cost"},
    }
    tables = [
        _beside(part, columns).assign(condition=condition)
        for condition, part in scores.groupby("condition", sort=False)
    ]
    table = pd.concat(tables)
    order = table["setting"].map({name: place for place, name in enumerate(scores["setting"].unique())})
    table = table.iloc[np.argsort(order.to_numpy(), kind="stable")].reset_index(drop=True)
    table.insert(1, "condition", table.pop("condition"))
    return table


def proxy_routing(scores: pd.DataFrame, charged: pd.DataFrame) -> pd.DataFrame:
    """Table 10: six policies on one setting, with the half-width of the risk.

    Parameters
    ----------
    scores : DataFrame
        The signal comes free.
    charged : DataFrame
        The routed plan with the signal paid for; it becomes the last row, which the paper lacks.
    """
    paid = _named_policies(charged, {"role_routed": "Role routed stop, signal charged"})
    return pd.concat([_named_policies(scores, _TABLE_10), paid], ignore_index=True)


def prompt_variants(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 19: six policies on several prompts of the same judges, with the half-width of the risk."""
    return _named_policies(scores, _TABLE_19)


def split_intervals(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 13: t half-widths over splits, and beside them the Nadeau-Bengio corrected ones.

    The splits share rows, so the plain interval is too narrow; the corrected one is the honest one.
    """
    rows = []
    for setting, part in scores.groupby("setting", sort=False):
        row: dict[str, object] = {"setting": setting}
        corrected: dict[str, float] = {}
        share = (part["test"] / (part["fit"] + part["validation"] + part["test"])).mean()
        for policy, name in (
            ("single_best", "single_best"),
            ("flat_all", "flat_all"),
            ("role_routed", "role"),
        ):
            risk = part.loc[part["policy"] == policy, "risk"].to_numpy()
            row[f"{name}_risk"] = risk.mean()
            row[f"{name}_risk_half_width"] = t_interval(risk).half_width
            honest = corrected_interval(risk, test_fraction=float(share))
            corrected[f"{name}_corrected_half_width"] = honest.half_width
        rows.append(row | corrected)
    return pd.DataFrame(rows)


def pattern_sparsity(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 14: split sizes, calls, patterns seen and fallbacks of the routed plan."""
    routed = scores[scores["policy"] == "role_routed"]
    means = routed.groupby("setting", sort=False).agg(
        fit=("fit", "median"),
        validation=("validation", "median"),
        test=("test", "median"),
        calls=("calls", "mean"),
        global_cells=("global_patterns", "mean"),
        max_route_cells=("max_route_patterns", "mean"),
        val_fallback_percent=("validation_fallback", "mean"),
        test_fallback_percent=("test_fallback", "mean"),
    )
    means[["val_fallback_percent", "test_fallback_percent"]] *= 100
    return means.reset_index()


def pair_additions(gains: pd.DataFrame) -> pd.DataFrame:
    """Table 20: splits, moves that only a pair makes, mean best single gain, largest pair gain."""
    by = gains.groupby("setting", sort=False)
    return by.agg(
        splits=("split", "nunique"),
        pair_only_moves=("pair_only", "sum"),
        mean_single_gain=("best_single_gain", "mean"),
        max_pair_gain=("best_pair_gain", "max"),
    ).reset_index()


def gain_decomposition(scores: pd.DataFrame) -> pd.DataFrame:
    """What routing gains over the global panel: recalibration by slice, then the extra calls.

    Returns
    -------
    DataFrame
        setting; risks of `global_panel`, `global_panel_sliced` and `role_routed`; `recalibration_gain`
        (global minus sliced, no extra call), `calls_gain` (sliced minus routed) and `routing_gain` (their
        sum), each with the half-width of its corrected interval over splits; `extra_calls` a row; and the
        `strict` plan with slice tables everywhere: its risk and what its calls add to recalibration alone.
    """
    risk = scores.pivot(index=["setting", "split"], columns="policy", values="risk")
    calls = scores.pivot(index=["setting", "split"], columns="policy", values="calls")
    share = (scores["test"] / (scores["fit"] + scores["validation"] + scores["test"])).mean()
    rows = []
    for setting in scores["setting"].unique():
        here, spent = risk.loc[setting], calls.loc[setting]
        gains = {
            "recalibration_gain": here["global_panel"] - here["global_panel_sliced"],
            "calls_gain": here["global_panel_sliced"] - here["role_routed"],
            "routing_gain": here["global_panel"] - here["role_routed"],
            "strict_calls_gain": here["global_panel_sliced"] - here["role_strict_sliced"],
        }
        row: dict[str, object] = {"setting": setting}
        for policy in ("global_panel", "global_panel_sliced", "role_routed", "role_strict_sliced"):
            row[f"{policy}_risk"] = here[policy].mean()
        for name, values in gains.items():
            row[name] = values.mean()
            interval = corrected_interval(values.to_numpy(), test_fraction=float(share))
            row[f"{name}_half_width"] = interval.half_width
        row["extra_calls"] = (spent["role_routed"] - spent["global_panel"]).mean()
        rows.append(row)
    return pd.DataFrame(rows)


def frontier(scores: pd.DataFrame) -> pd.DataFrame:
    """Figure 2 as a table: mean risk and cost of every policy, and whether no other beats it on both."""
    means = policy_means(scores)[["setting", "policy", "risk", "risk_half_width", "cost", "calls"]]
    on = []
    for setting, risk, cost in means[["setting", "risk", "cost"]].itertuples(index=False):
        others = means[means["setting"] == setting]
        better = (others["risk"] <= risk) & (others["cost"] <= cost)
        strictly = (others["risk"] < risk) | (others["cost"] < cost)
        on.append(not (better & strictly).any())
    return means.assign(on_frontier=on)


def _beside(
    scores: pd.DataFrame, columns: Mapping[str, Mapping[str, str]], *, key: str = "setting"
) -> pd.DataFrame:
    """One row a setting; `columns` maps policy -> measure -> printed name, in printed order."""
    _require(scores, columns)
    measures = list(dict.fromkeys(measure for names in columns.values() for measure in names))
    means = scores.groupby(["setting", "policy"], sort=False)[measures].mean().unstack("policy")
    means = means.loc[scores["setting"].unique()]
    wide = {
        name: means[(measure, policy)] for policy, names in columns.items() for measure, name in names.items()
    }
    return pd.DataFrame(wide).rename_axis(key).reset_index()


def _swept(scores: pd.DataFrame, field: str, names: Mapping[str, str]) -> pd.DataFrame:
    routed = scores[scores["policy"] == "role_routed"]
    order = {name: place for place, name in enumerate(routed["setting"].unique())}
    means = routed.groupby(["setting", field], sort=False)[["risk", "accuracy", "cost", "calls"]].mean()
    table = means.reset_index().sort_values([field], kind="stable")
    table = table.sort_values("setting", key=lambda column: column.map(order), kind="stable")
    return table.rename(columns=dict(names)).reset_index(drop=True)


def _named_policies(scores: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    _require(scores, names)
    if scores["setting"].nunique() != 1:
        raise InvalidInput("scores", "one setting", scores["setting"].unique().tolist())
    means = policy_means(scores).set_index("policy").loc[list(names)]
    table = means[["risk", "risk_half_width", "accuracy", "cost"]].rename(index=dict(names))
    return table.rename_axis("policy").reset_index()


def _require(scores: pd.DataFrame, policies: Mapping[str, object]) -> None:
    absent = [policy for policy in policies if policy not in set(scores["policy"])]
    if absent:
        raise InvalidInput("policies", ", ".join(policies), f"no {', '.join(absent)}")
