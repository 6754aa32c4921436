"""What the paper states about experts beside what was found here, each statement with its test."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgekit.report.tables.experts import mean_curves, saturation

_JUDGES = (
    "The paper has six local judges and names no version of COMET; these are seven GPT judges without "
    "probabilities, and COMET-22."
)
_GATE = (
    "The cause is not known: the paper states neither the range nor the split, nor how COMET became a "
    "distribution. Here an expert enters as histograms of human scores per bin, learnt on training rows"
)
_REPAIR = (
    "No public HelpSteer2 judge outputs: reward models beside o1-mini on JudgeBench. The paper repairs on "
    "training rows; here on validation rows, since the expert's histograms were learnt on the training rows."
)
_DROPPED = " The repair dropped the expert: hence the 0."
_PROMPTS = "Other sets, other models and other prompts."
_FLAT = "Not defined where an expert gains nothing from all training groups."
_SHOWN = "Shown for the difference below."


def published_beside(
    frames: Mapping[str, pd.DataFrame], stands_for: Mapping[str, Mapping[str, Any]], *, profile: str
) -> pd.DataFrame:
    """What the paper states about experts beside what was found here.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        `experts`, `mixed`, `prompts`, `summary` (of vetting) and `curves` (`data_curves`).
    stands_for : mapping
        Cells and expert that stand beside each expert of the paper: bertscore, reward, comet,
        translation_bertscore.
    profile : {"simulated", "recorded"}
        Simulated values get no difference.

    Returns
    -------
    DataFrame
        claim, quantity, published, ours, difference (where the paper prints a number), tests (what `holds`
        is about), holds (yes, no, "not defined", or "–" where nothing is tested), why.
    """
    statements = [
        *_gains(frames, stands_for),
        *_comet(frames, stands_for["comet"]),
        *_vetting(frames["summary"]),
        *_prompts(frames["prompts"]),
        *_data(frames["curves"], stands_for),
    ]
    order = sorted(statements, key=lambda statement: statement.claim)
    return pd.DataFrame([statement.row(simulated=profile == "simulated") for statement in order])


@dataclass(frozen=True)
class _Statement:
    """One statement of the paper: a printed number, or a sign, ours beside it, and what is tested of it."""

    claim: str
    quantity: str
    published: str | float
    ours: float
    tests: str
    why: str
    holds: bool | None = None

    def row(self, *, simulated: bool) -> dict[str, object]:
        """As a row of the table; without `holds` the printed sign decides, and "–" tests nothing."""
        number = not isinstance(self.published, str)
        difference = float("nan")
        if not isinstance(self.published, str) and not simulated:
            difference = self.ours - self.published
        return {
            "claim": self.claim,
            "quantity": self.quantity,
            "published": f"{self.published:g}" if number else self.published,
            "ours": float(self.ours),
            "difference": float(difference),
            "tests": self.tests,
            "holds": self._word(),
            "why": "Simulated: says nothing about the claim." if simulated else self.why,
        }

    def _word(self) -> str:
        if self.holds is None and self.published == "–":
            return "–"
        if np.isnan(self.ours):
            return "not defined"
        agrees = self.holds
        if agrees is None:
            agrees = self.ours > 0 if self.published == "above 0" else self.ours < 0
        return "yes" if agrees else "no"


def _gains(
    frames: Mapping[str, pd.DataFrame], stands_for: Mapping[str, Mapping[str, Any]]
) -> list[_Statement]:
    """BERTScore on judges' pools, the repaired reward model, and both experts on WMT (jm-064, 065, 067)."""
    mixed, experts = frames["mixed"], frames["experts"]
    bertscore, reward = stands_for["bertscore"], stands_for["reward"]
    gains = {cell: _learned_gain(mixed, cell, bertscore["expert"]) for cell in bertscore["cells"]}
    each = ", ".join(f"{cell.split('_')[-1]} {gain:+.3f}" for cell, gain in gains.items())
    repaired = _expert(experts, reward)
    dropped = _REPAIR if repaired["repair_keeps"] else _REPAIR + _DROPPED
    mended = float(repaired["repaired"] - repaired["pool"])
    other = f"The same kind of expert on another data set, beside other judges. Aspects: {each}."
    found = [
        _Statement(
            "jm-064",
            "BERTScore: gain of the learned pool",
            "above 0",
            float(np.mean(list(gains.values()))),
            "mean over aspects above 0",
            other,
        ),
        _Statement(
            "jm-065", "reward model: repaired pool minus judges only", "above 0", mended, "above 0", dropped
        ),
    ]
    for label, name in (("COMET", "comet"), ("translation BERTScore", "translation_bertscore")):
        gain = _learned_gain(mixed, stands_for[name]["cells"][0], stands_for[name]["expert"])
        quantity = f"{label}: gain of the learned pool"
        why = _gate(frames["curves"], stands_for[name]["cells"][0])
        found.append(_Statement("jm-067", quantity, "below 0", gain, "below 0", why))
    return found


def _comet(frames: Mapping[str, pd.DataFrame], entry: Mapping[str, Any]) -> list[_Statement]:
    """COMET alone and two pools with it, each number with its own test, then the pools' order (jm-066)."""
    cell = entry["cells"][0]
    alone = float(_expert(frames["experts"], entry)["expert_alone"])
    judges = _pool(frames["mixed"], cell, "judges")
    joined = _pool(frames["mixed"], cell, f"judges + {entry['expert']}")
    uniform, learned = float(joined["uniform_log"]), float(joined["learned"])
    before = float(judges["uniform_log"])
    improves = f"{_JUDGES} Judges only: {before:.4f}."
    gap, gate = uniform - learned, _gate(frames["curves"], cell)
    return [
        _Statement(
            "jm-066", "COMET alone", 0.4326, alone, "above the uniform pool with it", _JUDGES, alone > uniform
        ),
        _Statement(
            "jm-066",
            "uniform log pool with COMET",
            0.3926,
            uniform,
            "above the uniform pool of the judges only",
            improves,
            uniform > before,
        ),
        _Statement(
            "jm-066", "learned pool with COMET", 0.1620, learned, "below COMET alone", gate, learned < alone
        ),
        _Statement("jm-066", "uniform minus learned, with COMET", 0.2306, gap, "above 0", gate, gap > 0),
    ]


def _gate(curves: pd.DataFrame, cell: str) -> str:
    """Why the learned pools differ, with the number of training rows where the cell has a learning curve."""
    rows = curves.loc[curves["benchmark_cell"] == cell, "train_rows"]
    return f"{_GATE}." if rows.empty else f"{_GATE}, and the gate has {rows.max():,.0f} of those."


def _vetting(summary: pd.DataFrame) -> list[_Statement]:
    """Gains of what was admitted and refused, over all data sets and in each (jm-068)."""
    rows = summary.set_index("dataset")
    found = []
    for name in ["all", *(name for name in rows.index if name != "all")]:
        gap = float(rows.loc[name, "gain_admitted"] - rows.loc[name, "gain_refused"])
        quantity = f"mean test gain, admitted minus refused: {name}"
        if np.isnan(gap):
            why = "Every expert was admitted, or every one refused: nothing to compare."
        elif name == "all":
            why = (
                "Mixes data sets whose gains differ; their cells share rows. The rows below keep them apart."
            )
        else:
            why = "Means over experts, cells and splits, which share rows."
        found.append(_Statement("jm-068", quantity, "above 0", gap, "above 0", why))
    return found


def _prompts(prompts: pd.DataFrame) -> list[_Statement]:
    """What more prompts do to shared errors and to the learned pool (jm-070)."""
    names = {
        "residual correlation": ("correlation_change", "above 0"),
        "the learned pool": ("learned_change", "below 0"),
    }
    return [
        _Statement(
            "jm-070",
            f"more prompts: change of {name}",
            sign,
            float(prompts[column].mean()),
            f"mean over {len(prompts)} cells {sign}",
            f"{_PROMPTS} {sign.capitalize()} in {int(_signed(prompts[column], sign).sum())} cells.",
        )
        for name, (column, sign) in names.items()
    ]


def _data(curves: pd.DataFrame, stands_for: Mapping[str, Mapping[str, Any]]) -> list[_Statement]:
    """Two settings on little data, each the mean of its cells' curves (jm-071, jm-072)."""
    settings = {
        name: (list(stands_for[name]["cells"]), stands_for[name]["expert"])
        for name in ("bertscore", "reward")
    }
    found = saturation(mean_curves(curves, settings)).set_index("benchmark_cell")
    cells, expert = settings["bertscore"]
    own = saturation(curves[curves["benchmark_cell"].isin(cells) & (curves["expert"] == expert)])
    above = int(found["above_single_at_least"].sum())
    why = (
        f"BERTScore is the mean curve of {len(own)} aspects of DialSummEval, of which "
        f"{int(own['above_single_at_least'].sum())} pass; the reward model joins o1-mini on JudgeBench."
    )
    enough = found["covariance_enough"]
    single = own.set_index("benchmark_cell")["covariance_enough"]
    each = ", ".join(
        f"{str(cell).split('_')[-1]} {'none' if np.isnan(share) else f'{share:g}'}"
        for cell, share in single.items()
    )
    reasons = {"BERTScore": f"Of the mean curve. By itself: {each}. {_FLAT}", "reward model": _FLAT}
    shares = [
        _Statement("jm-072", f"{label}: fraction that is enough", "–", float(share), _SHOWN, reasons[label])
        for label, share in zip(reasons, enough[["bertscore", "reward"]], strict=True)
    ]
    later = float(enough["reward"] - enough["bertscore"])
    return [
        _Statement(
            "jm-071",
            "pools above the best single judge at 5%",
            2.0,
            float(above),
            "both of two settings, covariance-aware pool",
            why,
            above == 2,
        ),
        *shares,
        _Statement(
            "jm-072", "fraction that is enough, reward minus BERTScore", "above 0", later, "above 0", _FLAT
        ),
    ]


def _signed(values: pd.Series, sign: str) -> pd.Series:
    return values > 0 if sign == "above 0" else values < 0


def _expert(experts: pd.DataFrame, entry: Mapping[str, Any]) -> pd.Series:
    chosen = (experts["benchmark_cell"] == entry["cells"][0]) & (experts["expert"] == entry["expert"])
    return experts[chosen].iloc[0]


def _pool(mixed: pd.DataFrame, cell: str, label: str) -> pd.Series:
    return mixed[(mixed["benchmark_cell"] == cell) & (mixed["pool"] == label)].iloc[0]


def _learned_gain(mixed: pd.DataFrame, cell: str, expert: str) -> float:
    """Learned pool with the expert minus the learned pool of the judges."""
    return float(
        _pool(mixed, cell, f"judges + {expert}")["learned"] - _pool(mixed, cell, "judges")["learned"]
    )
