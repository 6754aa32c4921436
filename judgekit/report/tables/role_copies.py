"""Tables about copies and near-copies of judges, from the frames of `judgekit.studies.copies`."""

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.stats import corrected_interval


def copy_changes(scores: pd.DataFrame, *, base: str = "base") -> pd.DataFrame:
    """What copies change in each setting, split by split, against the pool without them.

    Parameters
    ----------
    scores : DataFrame
        `studies.copies.study_copies`, one or several settings.
    base : str
        Condition that the others are held against.

    Returns
    -------
    DataFrame
        setting, condition, policy; `risk_change` and `cost_change` (means over splits); and
        `largest_risk_change`, `largest_calls_change` (largest absolute change in any split).

    Raises
    ------
    InvalidInput
        No such condition.
    """
    if base not in set(scores["condition"]):
        raise InvalidInput("base", f"one of {scores['condition'].unique().tolist()}", base)
    measures = ["risk", "cost", "calls"]
    keys = ["setting", "split", "policy"]
    before = scores[scores["condition"] == base].set_index(keys)[measures]
    after = scores[scores["condition"] != base].set_index([*keys, "condition"])[measures]
    change = (after - before).reset_index()
    change["largest_risk_change"] = change["risk"].abs()
    change["largest_calls_change"] = change["calls"].abs()
    by = change.groupby(["setting", "condition", "policy"], sort=False)
    table = by.agg(
        risk_change=("risk", "mean"),
        cost_change=("cost", "mean"),
        largest_risk_change=("largest_risk_change", "max"),
        largest_calls_change=("largest_calls_change", "max"),
    )
    names = ["setting", "condition", "policy"]
    order = pd.MultiIndex.from_product([list(scores[name].unique()) for name in names], names=names)
    return table.reindex(order[order.isin(table.index)]).reset_index()


def copy_exactness(changes: pd.DataFrame) -> pd.DataFrame:
    """In how many settings copies leave every split's risk and calls as they were, to the last digit.

    Parameters
    ----------
    changes : DataFrame
        `copy_changes`.

    Returns
    -------
    DataFrame
        condition, policy, settings; `risk_unchanged`, `calls_unchanged` and `risk_worse` (numbers of
        settings, the last by the mean over splits), `mean_risk_change`, `largest_risk_change`.
    """
    flagged = changes.assign(
        risk_unchanged=changes["largest_risk_change"] == 0,
        calls_unchanged=changes["largest_calls_change"] == 0,
        risk_worse=changes["risk_change"] > 0,
    )
    by = flagged.groupby(["condition", "policy"], sort=False)
    return by.agg(
        settings=("setting", "nunique"),
        risk_unchanged=("risk_unchanged", "sum"),
        calls_unchanged=("calls_unchanged", "sum"),
        risk_worse=("risk_worse", "sum"),
        mean_risk_change=("risk_change", "mean"),
        largest_risk_change=("largest_risk_change", "max"),
    ).reset_index()


def copy_means(scores: pd.DataFrame) -> pd.DataFrame:
    """Means over splits under each condition, in the order of the conditions.

    Returns
    -------
    DataFrame
        setting, condition, policy, risk, cost, calls, copy_calls.
    """
    by = scores.groupby(["setting", "condition", "policy"], sort=False)
    return by[["risk", "cost", "calls", "copy_calls"]].mean().reset_index()


def duplicate_gains(gains: pd.DataFrame) -> pd.DataFrame:
    """Largest validation gain, either sign, of an exact duplicate of any panel member, in each setting."""
    largest = gains.assign(size=gains["gain"].abs()).groupby("setting", sort=False)
    return largest.agg(
        splits=("split", "nunique"), duplicates=("gain", "size"), largest_gain=("size", "max")
    ).reset_index()


def near_copies(gains: pd.DataFrame, *, test_fraction: float = 0.5) -> pd.DataFrame:
    """Judges that nearly repeat another: agreement, error correlation, and what the second one adds.

    Parameters
    ----------
    gains : DataFrame
        `studies.copies.near_copy_gains`.
    test_fraction : float
        Share of tested rows, for the corrected interval over splits.

    Returns
    -------
    DataFrame
        setting, original, near_copy, agreement, error_correlation; `copy_gain` and `other_gain` (best judge
        outside the pairs) with half-widths; `worth_a_call`, splits in which the near-copy gains 0.005.
    """
    rows = []
    for keys, part in gains.groupby(["setting", "original", "near_copy"], sort=False):
        row: dict[str, object] = dict(zip(("setting", "original", "near_copy"), keys, strict=True))
        row |= {name: part[name].iloc[0] for name in ("agreement", "error_correlation")}
        for name in ("copy_gain", "other_gain"):
            interval = corrected_interval(part[name].to_numpy(), test_fraction=test_fraction)
            row |= {name: interval.estimate, f"{name}_half_width": interval.half_width}
        row["worth_a_call"] = int(np.sum(part["copy_gain"] >= 0.005))
        rows.append(row | {"splits": part["split"].nunique()})
    return pd.DataFrame(rows)
