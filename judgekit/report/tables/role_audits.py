"""Tables about the audit set: its size, its mix of slices, and how it was split."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.stats import corrected_interval, t_interval
from judgekit.studies.audit_size import ANEW, KEPT

_MEASURES = ["risk", "accuracy", "cost", "calls", "plan_jaccard", "audit_rows"]


def audit_size(scores: pd.DataFrame, *, policy: str = "role_routed") -> pd.DataFrame:
    """Table 15: one policy's risk, accuracy, cost and plan overlap at each part of the audit set.

    Parameters
    ----------
    scores : DataFrame
        `studies.audit_size.study_audit_sizes`, one or several settings.
    policy : str
    """
    means = audit_means(scores)
    table = means[(means["policy"] == policy) & (means["halves"] == KEPT)]
    if table.empty:
        raise InvalidInput("policy", f"one of {scores['policy'].unique().tolist()}", policy)
    columns = ["setting", "audit_percent", "risk", "accuracy", "cost", "plan_jaccard", "calls", "audit_rows"]
    return table[columns].reset_index(drop=True)


def audit_means(scores: pd.DataFrame) -> pd.DataFrame:
    """Means over splits of every policy at each part of the audit set, and with its halves drawn anew.

    Returns
    -------
    DataFrame
        setting, policy, halves, audit_percent, risk, accuracy, cost, calls, plan_jaccard, audit_rows; and
        `excess_risk` over the same policy on the full audit set.
    """
    keys = ["setting", "policy", "halves", "audit_percent"]
    means = scores.groupby(keys, sort=False)[_MEASURES].mean().reset_index()
    whole = means[(means["halves"] == KEPT) & (means["audit_percent"] == 100)]
    risk = whole.set_index(["setting", "policy"])["risk"]
    places = pd.MultiIndex.from_frame(means[["setting", "policy"]])
    means["excess_risk"] = means["risk"] - risk.loc[places].to_numpy()
    order = {name: place for place, name in enumerate(scores["policy"].unique())}
    settings = {name: place for place, name in enumerate(scores["setting"].unique())}
    ranks = {"setting": settings, "policy": order, "halves": {KEPT: 0, ANEW: 1}}
    return means.sort_values(
        keys, key=lambda column: column.map(ranks[column.name]) if column.name in ranks else column
    ).reset_index(drop=True)


def plan_stability(scores: pd.DataFrame, *, percent: int = 50) -> pd.DataFrame:
    """Overlap with the full plan at part of the audit set, beside that of the full set halved anew.

    Returns
    -------
    DataFrame
        setting, policy, and for the part and for the full set halved anew: plan overlap (Jaccard), and the
        excess risk over the full plan. Policies that are no plans are left out.
    """
    means = audit_means(scores).dropna(subset="plan_jaccard")
    part = means[(means["halves"] == KEPT) & (means["audit_percent"] == percent)]
    anew = means[means["halves"] == ANEW]
    if part.empty or anew.empty:
        raise InvalidInput("percent", f"one of {sorted(means['audit_percent'].unique())}", percent)
    columns = ["setting", "policy", "plan_jaccard", "excess_risk"]
    table = part[columns].merge(
        anew[columns], on=["setting", "policy"], suffixes=("_part", "_halved_anew"), validate="1:1"
    )
    table.insert(2, "audit_percent", percent)
    return table


def enough_audit(scores: pd.DataFrame, *, margin: float) -> pd.DataFrame:
    """Smallest part of the audit set from which on the mean risk stays within a margin of the full one's.

    Parameters
    ----------
    scores : DataFrame
        `studies.audit_size.study_audit_sizes`.
    margin : float
        Risk that may be given up.

    Returns
    -------
    DataFrame
        setting, policy; `enough_percent` and `enough_rows`; there, `excess_risk` with `low` and `high`, a
        corrected 95% interval over splits; `sure_percent`, where the upper end stays within the margin too.
        A part that some split could not plan on is never enough.
    """
    if not (np.isfinite(margin) and margin >= 0):
        raise InvalidInput("margin", "a finite number >= 0", margin)
    kept = scores[scores["halves"] == KEPT]
    rows = []
    for (setting, policy), part in kept.groupby(["setting", "policy"], sort=False):
        risk = part.pivot(index="split", columns="audit_percent", values="risk").sort_index(axis=1)
        excess = risk.sub(risk[100], axis=0)
        fraction = float(part["test_fraction"].mean())
        percents = sorted(part["audit_percent"].unique())
        found = [
            corrected_interval(excess[percent].to_numpy(), test_fraction=fraction) for percent in percents
        ]
        usable = excess[percents].notna().all().tolist()
        mean = [each.estimate <= margin for each in found]
        sure = [percent == 100 or each.high <= margin for percent, each in zip(percents, found, strict=True)]
        enough = _from_here_on([good and there for good, there in zip(mean, usable, strict=True)])
        certain = _from_here_on([good and there for good, there in zip(sure, usable, strict=True)])
        here = part["audit_percent"] == percents[enough]
        rows.append(
            {
                "setting": setting,
                "policy": policy,
                "enough_percent": percents[enough],
                "enough_rows": float(part.loc[here, "audit_rows"].mean()),
                "excess_risk": found[enough].estimate,
                "low": found[enough].low,
                "high": found[enough].high,
                "sure_percent": percents[certain],
            }
        )
    return pd.DataFrame(rows)


def mix_shift(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 16: single best, all judges and routed plan, planned on one mix and used on the other.

    Parameters
    ----------
    scores : DataFrame
        `studies.mix_shift.study_turned_mix`; further policies add a risk column each at the end.
    """
    policies = {"single_best": "single", "flat_all": "flat", "role_routed": "role"}
    if absent := [policy for policy in policies if policy not in set(scores["policy"])]:
        raise InvalidInput("policies", ", ".join(policies), f"no {', '.join(absent)}")
    keys = ["setting", "construction_mix", "deployment_mix"]
    by = scores.groupby([*keys, "policy"], sort=False)[["risk", "accuracy", "calls"]].mean().unstack("policy")
    order = scores[keys].drop_duplicates()
    by = by.loc[pd.MultiIndex.from_frame(order)]
    table = pd.DataFrame(
        {
            f"{name}_{measure}": by[measure, policy]
            for policy, name in policies.items()
            for measure in ("risk", "accuracy")
        }
    )
    table["calls"] = by["calls", "role_routed"]
    for policy in [policy for policy in scores["policy"].unique() if policy not in policies]:
        table[f"{policy}_risk"] = by["risk", policy]
    return table.reset_index()


def mix_curves(scores: pd.DataFrame, *, deployed: Mapping[str, float]) -> pd.DataFrame:
    """Mean risk on each deployment mix against the mix planned on.

    Parameters
    ----------
    scores : DataFrame
        `studies.mix_shift.study_mixes`.
    deployed : mapping of str to float
        Name of each deployment mix and its share of the part.

    Returns
    -------
    DataFrame
        setting, deployment_mix, deployed_share, policy, share (of the part in construction), risk, calls.
    """
    tables = []
    for name, share in deployed.items():
        mixed = {
            measure: share * scores[f"part_{measure}"] + (1 - share) * scores[f"other_{measure}"]
            for measure in ("risk", "calls")
        }
        tables.append(scores.assign(deployment_mix=name, deployed_share=share, **mixed))
    keys = ["setting", "deployment_mix", "deployed_share", "policy", "share"]
    return pd.concat(tables).groupby(keys, sort=False)[["risk", "calls"]].mean().reset_index()


def split_units(scores: pd.DataFrame) -> pd.DataFrame:
    """Splits by row beside splits by group: mean risk of each, their difference, and their spreads.

    Parameters
    ----------
    scores : DataFrame
        `studies.split_leak.study_split_units`.

    Returns
    -------
    DataFrame
        setting, policy, `group_risk`, `row_risk`, `row_gain` (group minus row: how much better the row split
        looks), and the standard deviation over splits of either.
    """
    keys = ["setting", "policy"]
    means = scores.groupby([*keys, "split_by"], sort=False)["risk"].agg(["mean", "std"]).unstack("split_by")
    table = pd.DataFrame({"group_risk": means["mean", "group"], "row_risk": means["mean", "row"]})
    table["row_gain"] = table["group_risk"] - table["row_risk"]
    table["group_deviation"], table["row_deviation"] = means["std", "group"], means["std", "row"]
    return table.reset_index()


def twin_leak(scores: pd.DataFrame) -> pd.DataFrame:
    """What planning on the twins of the test rows gains, paired by split.

    Parameters
    ----------
    scores : DataFrame
        `studies.split_leak.study_twin_leak`.

    Returns
    -------
    DataFrame
        setting, policy, `other_groups_risk`, `twins_risk`, `leak` (the first minus the second); two 95%
        intervals: `drawn_low`, `drawn_high` for more draws of these rows, and `low`, `high`, corrected for
        shared rows, for other rows of the kind.
    """
    rows = []
    for (setting, policy), part in scores.groupby(["setting", "policy"], sort=False):
        risk = part.pivot(index="split", columns="construction", values="risk")
        sizes = part[["fit", "validation", "test"]].mean()
        gains = (risk["other groups"] - risk["twins"]).to_numpy()
        drawn = t_interval(gains)
        leak = corrected_interval(gains, test_fraction=float(sizes["test"] / sizes.sum()))
        row = {"setting": setting, "policy": policy, "leak": leak.estimate}
        row |= {"other_groups_risk": risk["other groups"].mean(), "twins_risk": risk["twins"].mean()}
        row |= {"drawn_low": drawn.low, "drawn_high": drawn.high}
        rows.append(row | {"low": leak.low, "high": leak.high})
    return pd.DataFrame(rows)


def _from_here_on(fine: Sequence[bool]) -> int:
    """First place that is fine and so is all that follows; the last place, if not even that is."""
    return next((place for place in range(len(fine)) if all(fine[place:])), len(fine) - 1)
