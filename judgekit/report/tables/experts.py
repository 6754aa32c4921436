"""Tables of the study of experts: how often vetting was right, what repair brings, learning curves."""

import pandas as pd

SATURATED = 0.95
# A smaller gain at all training groups is none, and nothing can reach a part of it.
LEAST_GAIN = 1e-3


def vetting_summary(verdicts: pd.DataFrame) -> pd.DataFrame:
    """How often the verdict made on training rows had the sign of the test gain, per data set and over all.

    Parameters
    ----------
    verdicts : DataFrame
        `studies.experts.study_verdicts`.

    Returns
    -------
    DataFrame
        dataset, experts, splits, `admitted` and `right` (shares of expert-splits), `right_if_all` and
        `right_if_none` (what admitting every expert, or none, would have been right in), `wrongly_admitted`,
        `wrongly_refused`, `gain_admitted` and `gain_refused` (mean test gains, NaN where there is none).
    """
    groups = [*verdicts.groupby("dataset", sort=False), ("all", verdicts)]
    return pd.DataFrame([_verdicts_of(str(dataset), group) for dataset, group in groups])


def repairs(experts: pd.DataFrame) -> pd.DataFrame:
    """What subset repair brings where it is called for, by rules that one could follow and by hindsight.

    Parameters
    ----------
    experts : DataFrame
        `studies.experts.study_experts`.

    Returns
    -------
    DataFrame
        One row a rule: rule, experts (how many it repairs), `hurt` (of them, those that lower the pool on
        test rows), `kept` (the best subset keeps the expert), mean test Spearman `pool`, `mixed` and
        `repaired`, and `below_pool` (repaired pools below the judges alone).
    """
    rules = {
        "gain on validation rows below 0": experts["validation_gain"] < 0,
        "refused on training rows": ~experts["admitted"].astype(bool),
        "hindsight: gain on test rows below 0": experts["test_gain"] < 0,
        "every expert": experts["test_gain"].notna(),
    }
    return pd.DataFrame([_repaired(rule, experts[chosen]) for rule, chosen in rules.items()])


def data_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Learning curves as means over orders of the training groups, one row a curve and fraction.

    Returns
    -------
    DataFrame
        benchmark_cell, expert, fraction, train_rows; `uniform_gain` and `covariance_gain` of the pool with
        the expert over the same pool without, the former with the 10th and 90th percentile over orders
        (`low`, `high`); `single` (best judge); of the judges only `pool` (uniform) and `covariance`; of the
        pool with the expert `uniform_mixed` and `covariance_mixed`; `above_single`: share of orders in which
        the covariance-aware mixed pool passes the best single judge.
    """
    frame = curves.assign(
        uniform_gain=curves["mixed"] - curves["pool"],
        covariance_gain=curves["covariance_mixed"] - curves["covariance"],
        above_single=(curves["covariance_mixed"] > curves["single"]).astype(float),
    )
    keys = ["benchmark_cell", "expert", "fraction"]
    grouped = frame.groupby(keys, sort=False)
    columns = ["train_rows", "uniform_gain", "covariance_gain", "single", "pool", "covariance", "mixed"]
    means = grouped[[*columns, "covariance_mixed", "above_single"]].mean()
    means = means.rename(columns={"mixed": "uniform_mixed"})
    gain = grouped["uniform_gain"]
    means.insert(2, "low", gain.quantile(0.1))
    means.insert(3, "high", gain.quantile(0.9))
    return means.reset_index()


def saturation(curves: pd.DataFrame) -> pd.DataFrame:
    """Smallest fraction that reaches 95% of the gain at all training groups; NaN where that is under 0.001.

    Parameters
    ----------
    curves : DataFrame
        `data_curves`.

    Returns
    -------
    DataFrame
        One row a curve: benchmark_cell, expert; gain at all groups and the fraction that is enough for it
        under equal weights (`uniform_gain`, `uniform_enough`) and under covariance-aware ones
        (`covariance_gain`, `covariance_enough`); `above_single_at_least`: whether the covariance-aware pool
        with the expert passes the best single judge at the smallest fraction.
    """
    found = []
    for (cell, expert), curve in curves.groupby(["benchmark_cell", "expert"], sort=False):
        ordered = curve.sort_values("fraction")
        row: dict[str, object] = {"benchmark_cell": cell, "expert": expert}
        for name in ("uniform", "covariance"):
            gain = ordered[f"{name}_gain"]
            full = float(gain.iloc[-1])
            reached = ordered.loc[gain >= SATURATED * full, "fraction"]
            row[f"{name}_gain"] = full
            row[f"{name}_enough"] = float(reached.min()) if full >= LEAST_GAIN else float("nan")
        least = ordered.iloc[0]
        row["above_single_at_least"] = bool(least["covariance_mixed"] > least["single"])
        found.append(row)
    return pd.DataFrame(found)


def mean_curves(curves: pd.DataFrame, settings: dict[str, tuple[list[str], str]]) -> pd.DataFrame:
    """Learning curves of settings: the mean of one expert's curves over benchmark cells.

    Parameters
    ----------
    curves : DataFrame
        `data_curves`.
    settings : dict of str to (list of benchmark cells, expert)

    Returns
    -------
    DataFrame
        As `data_curves`, with the setting's name as benchmark_cell.
    """
    found = []
    for name, (cells, expert) in settings.items():
        own = curves[curves["benchmark_cell"].isin(cells) & (curves["expert"] == expert)]
        means = own.drop(columns=["benchmark_cell", "expert"]).groupby("fraction", as_index=False).mean()
        found.append(means.assign(benchmark_cell=name, expert=expert))
    return pd.concat(found, ignore_index=True)


def _verdicts_of(dataset: str, group: pd.DataFrame) -> dict[str, object]:
    admitted = group["admitted"].to_numpy(bool)
    right = group["right"].to_numpy(bool)
    gains = group["test_gain"].to_numpy(float)
    return {
        "dataset": dataset,
        "experts": len(group[["benchmark_cell", "expert"]].drop_duplicates()),
        "splits": group["seed"].nunique(),
        "admitted": admitted.mean(),
        "right": right.mean(),
        "right_if_all": (gains > 0).mean(),
        "right_if_none": (gains <= 0).mean(),
        "wrongly_admitted": (admitted & ~right).mean(),
        "wrongly_refused": (~admitted & ~right).mean(),
        "gain_admitted": gains[admitted].mean() if admitted.any() else float("nan"),
        "gain_refused": gains[~admitted].mean() if not admitted.all() else float("nan"),
    }


def _repaired(rule: str, chosen: pd.DataFrame) -> dict[str, object]:
    return {
        "rule": rule,
        "experts": len(chosen),
        "hurt": int((chosen["test_gain"] < 0).sum()),
        "kept": int(chosen["repair_keeps"].sum()),
        **{name: chosen[name].mean() for name in ("pool", "mixed", "repaired")},
        "below_pool": int((chosen["repaired"] < chosen["pool"]).sum()),
    }
