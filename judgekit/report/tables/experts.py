"""Tables of the study of experts: how often vetting was right, learning curves, published beside rebuilt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

SATURATED = 0.95
# A smaller gain at all training groups is none, and nothing can reach a part of it.
LEAST_GAIN = 1e-3
WHY = {
    "other_data": "The same kind of expert on another data set, beside other judges.",
    "judges": "The paper has six local judges and names no version of COMET; these are seven GPT judges "
    "without probabilities, and COMET-22.",
    "reward": "No public HelpSteer2 judge outputs: reward models beside o1-mini on JudgeBench.",
    "flat": "On JudgeBench the gain at all training groups is nothing, so no part of it can be reached.",
    "gate": "The learned pool trained here is not dragged down: its weights depend on the item.",
    "prompts": "Other sets and other prompts; a further prompt can be noisier than the first.",
    "vetting": "Means over experts, cells and splits; cells of one data set share rows.",
}


def vetting_summary(verdicts: pd.DataFrame) -> pd.DataFrame:
    """How often the verdict made on training rows had the sign of the test gain, per data set and over all.

    Parameters
    ----------
    verdicts : DataFrame
        `studies.experts.study_verdicts`.

    Returns
    -------
    DataFrame
        dataset, experts, splits, `admitted` and `right` (shares of expert-splits), `wrongly_admitted`,
        `wrongly_refused`, `gain_admitted` and `gain_refused` (mean test gains, NaN where there is none).
    """
    groups = [*verdicts.groupby("dataset", sort=False), ("all", verdicts)]
    return pd.DataFrame([_verdicts_of(str(dataset), group) for dataset, group in groups])


def data_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Learning curves as means over orders of the training groups, one row a curve and fraction.

    Returns
    -------
    DataFrame
        benchmark_cell, expert, fraction, train_rows; `uniform_gain` and `covariance_gain` of the pool with
        the expert over the same pool without, the former with the 10th and 90th percentile over orders
        (`low`, `high`); `single` (best judge), `pool`, `uniform_mixed`, `covariance_mixed`; `above_single`:
        share of orders in which the covariance-aware mixed pool passes the best single judge.
    """
    frame = curves.assign(
        uniform_gain=curves["mixed"] - curves["pool"],
        covariance_gain=curves["covariance_mixed"] - curves["covariance"],
        above_single=(curves["covariance_mixed"] > curves["single"]).astype(float),
    )
    keys = ["benchmark_cell", "expert", "fraction"]
    grouped = frame.groupby(keys, sort=False)
    columns = ["train_rows", "uniform_gain", "covariance_gain", "single", "pool", "mixed", "covariance_mixed"]
    means = grouped[[*columns, "above_single"]].mean().rename(columns={"mixed": "uniform_mixed"})
    gain = grouped["uniform_gain"]
    means.insert(2, "low", gain.quantile(0.1))
    means.insert(3, "high", gain.quantile(0.9))
    return means.reset_index()


def saturation(curves: pd.DataFrame, *, gain: str = "covariance_gain") -> pd.DataFrame:
    """Smallest fraction that reaches 95% of the gain at all training groups; NaN where that is under 0.001.

    Parameters
    ----------
    curves : DataFrame
        `data_curves`.
    gain : str
        Column of gains.
    """
    found = []
    for (cell, expert), curve in curves.groupby(["benchmark_cell", "expert"], sort=False):
        ordered = curve.sort_values("fraction")
        least, full = ordered.iloc[0], float(ordered[gain].iloc[-1])
        reached = curve.loc[curve[gain] >= SATURATED * full, "fraction"]
        enough = float(reached.min()) if full >= LEAST_GAIN else float("nan")
        found.append(
            {
                "benchmark_cell": cell,
                "expert": expert,
                "full_gain": full,
                "least_fraction": least["fraction"],
                "gain_at_least": least[gain],
                "above_single_at_least": bool(least["covariance_mixed"] > least["single"]),
                "enough": enough,
            }
        )
    return pd.DataFrame(found)


def published_beside(
    frames: Mapping[str, pd.DataFrame], stands_for: Mapping[str, Mapping[str, Any]], *, profile: str
) -> pd.DataFrame:
    """What the paper states about experts beside what was found here.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        `experts`, `mixed`, `prompts`, `summary` (of vetting) and `saturation`.
    stands_for : mapping
        Cells and expert that stand beside each expert of the paper: bertscore, reward, comet,
        translation_bertscore.
    profile : {"simulated", "recorded"}
        Simulated values get no difference.

    Returns
    -------
    DataFrame
        claim, quantity, published, ours, difference (where the paper prints a number), holds, why.
    """
    mixed, summary = frames["mixed"], frames["summary"].set_index("dataset").loc["all"]
    prompts, curves = frames["prompts"], frames["saturation"].set_index(["benchmark_cell", "expert"])
    gain = {name: _learned_gain(mixed, entry) for name, entry in stands_for.items()}
    comet = _row(mixed, stands_for["comet"])
    alone = _one(frames["experts"], stands_for["comet"])["expert_alone"]
    repaired = _one(frames["experts"], stands_for["reward"])
    curve = {name: _first_curve(curves, stands_for[name]) for name in ("bertscore", "reward")}
    above = float(sum(bool(each["above_single_at_least"]) for each in curve.values()))
    later = float(curve["reward"]["enough"] - curve["bertscore"]["enough"])
    correlation, quality = prompts["correlation_change"].mean(), prompts["learned_change"].mean()
    order = (bool(alone > comet["uniform_log"]), bool(comet["uniform_log"] > comet["learned"]))
    admitted, refused = summary[["gain_admitted", "gain_refused"]].to_numpy(float)
    pooled = float(admitted - refused)
    mended = float(repaired["repaired"] - repaired["pool"])
    statements = [
        _Statement(
            "jm-064", "BERTScore: gain of the learned pool", "above 0", gain["bertscore"], "other_data"
        ),
        _Statement("jm-065", "reward model: repaired pool minus judges only", "above 0", mended, "reward"),
        _Statement("jm-066", "COMET alone", 0.4326, alone, "judges", order[0]),
        _Statement("jm-066", "uniform log pool with COMET", 0.3926, comet["uniform_log"], "judges", order[1]),
        _Statement("jm-066", "learned pool with COMET", 0.1620, comet["learned"], "gate", order[1]),
        _Statement("jm-067", "COMET: gain of the learned pool", "below 0", gain["comet"], "gate"),
        _Statement(
            "jm-067",
            "translation BERTScore: gain of the learned pool",
            "below 0",
            gain["translation_bertscore"],
            "gate",
        ),
        _Statement("jm-068", "mean test gain, admitted minus refused", "above 0", pooled, "vetting"),
        _Statement(
            "jm-070", "more prompts: change of residual correlation", "above 0", correlation, "prompts"
        ),
        _Statement("jm-070", "more prompts: change of the learned pool", "below 0", quality, "prompts"),
        _Statement("jm-071", "pools above the best single judge at 5%", 2.0, above, "reward", above == 2),
        _Statement("jm-072", "fraction that is enough, reward minus BERTScore", "above 0", later, "flat"),
    ]
    return pd.DataFrame([statement.row(simulated=profile == "simulated") for statement in statements])


@dataclass(frozen=True)
class _Statement:
    """One statement of the paper: a printed number, or a sign, and ours beside it."""

    claim: str
    quantity: str
    published: str | float
    ours: float
    why: str
    holds: bool | None = None

    def row(self, *, simulated: bool) -> dict[str, object]:
        """As a row of the table; without `holds` the printed sign decides."""
        number = not isinstance(self.published, str)
        agrees = self.holds
        if agrees is None:
            agrees = self.ours > 0 if self.published == "above 0" else self.ours < 0
        difference = float("nan")
        if not isinstance(self.published, str) and not simulated:
            difference = self.ours - self.published
        return {
            "claim": self.claim,
            "quantity": self.quantity,
            "published": f"{self.published:g}" if number else self.published,
            "ours": float(self.ours),
            "difference": float(difference),
            "holds": "not defined" if np.isnan(self.ours) else "yes" if agrees else "no",
            "why": "Simulated: says nothing about the claim." if simulated else WHY[self.why],
        }


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
        "wrongly_admitted": (admitted & ~right).mean(),
        "wrongly_refused": (~admitted & ~right).mean(),
        "gain_admitted": gains[admitted].mean() if admitted.any() else float("nan"),
        "gain_refused": gains[~admitted].mean() if not admitted.all() else float("nan"),
    }


def _row(mixed: pd.DataFrame, entry: Mapping[str, Any], *, label: str = "") -> pd.Series:
    pool = label or f"judges + {entry['expert']}"
    return mixed[(mixed["benchmark_cell"] == entry["cells"][0]) & (mixed["pool"] == pool)].iloc[0]


def _learned_gain(mixed: pd.DataFrame, entry: Mapping[str, Any]) -> float:
    """Mean over cells of the learned pool with the expert minus the learned pool of the judges."""
    gains = [
        _row(mixed, {**entry, "cells": [cell]})["learned"]
        - _row(mixed, {**entry, "cells": [cell]}, label="judges")["learned"]
        for cell in entry["cells"]
    ]
    return float(np.mean(gains))


def _one(experts: pd.DataFrame, entry: Mapping[str, Any]) -> pd.Series:
    chosen = (experts["benchmark_cell"] == entry["cells"][0]) & (experts["expert"] == entry["expert"])
    return experts[chosen].iloc[0]


def _first_curve(curves: pd.DataFrame, entry: Mapping[str, Any]) -> pd.Series:
    known = [(cell, entry["expert"]) for cell in entry["cells"] if (cell, entry["expert"]) in curves.index]
    return curves.loc[known[0]]
