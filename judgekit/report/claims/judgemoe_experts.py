"""Claims on extra experts and more prompts, bound to the tables of notebook 07."""

from functools import partial

from judgekit.report.claims.cells import over_cells
from judgekit.report.claims.reading import CELLS, Binding, Case, NotRebuilt, Reader, Tables

_FACTS = "judgemoe/expert_claims"
_VETTED = "judgemoe/expert_verdicts"
_GAINS, _CURVES = "judgemoe/expert_gains", "judgemoe/expert_data"


def bindings() -> list[Binding]:
    """Bindings of the claims on experts."""
    comet = {
        "comet_single": "COMET alone",
        "uniform_log": "uniform log pool with COMET",
        "mixed_judgemoe": "learned pool with COMET",
    }
    hurt = {
        "delta_comet": "COMET: gain of the learned pool",
        "delta_bertscore": "translation BERTScore: gain of the learned pool",
    }
    prompts = {
        "delta_corr": "more prompts: change of residual correlation",
        "delta_spearman": "more prompts: change of the learned pool",
    }
    above = {"n_above": "settings above the best single judge at the least data"}
    later = {"sat_reward": "fraction that is enough, reward minus BERTScore"}
    bertscore = {"expert_gain": "BERTScore: gain of the learned pool"}
    reward = {"expert_gain": "reward model: pool repaired on validation, minus judges only"}
    grown = partial(Binding, figure="judgemoe/prompt_expansion")
    return [
        Binding("jm-064", (_FACTS,), _facts("jm-064", bertscore, "DialSummEval", "analogue"), figure=_GAINS),
        Binding("jm-065", (_FACTS,), _facts("jm-065", reward, "JudgeBench", "analogue"), figure=_GAINS),
        Binding("jm-066", (_FACTS,), _facts("jm-066", comet, "WMT22", "same_rows")),
        Binding("jm-067", (_FACTS,), _facts("jm-067", hurt, "WMT22", "same_rows")),
        Binding("jm-068", (_VETTED,), _vetted, figure="judgemoe/expert_vetting"),
        grown("jm-070", (_FACTS,), _facts("jm-070", prompts, "pools of prompts", CELLS)),
        Binding("jm-071", (_FACTS,), _facts("jm-071", above, "two settings", "analogue"), figure=_CURVES),
        Binding("jm-072", (_FACTS,), _facts("jm-072", later, "two settings", "analogue"), figure=_CURVES),
    ]


def _facts(claim: str, quantities: dict[str, str], setting: str, kind: str) -> Reader:
    """Values of one claim by quantity; `sat_bertscore` is the zero that a difference of two starts from."""

    def read(tables: Tables) -> list[Case]:
        frame = tables.read(_FACTS)
        ours = frame[frame["claim"] == claim].set_index("quantity")["ours"]
        if absent := [words for words in quantities.values() if words not in ours.index]:
            raise NotRebuilt(f"row {', '.join(absent)}")
        values = {name: float(ours[words]) for name, words in quantities.items()}
        if "sat_reward" in values:
            values["sat_bertscore"] = 0.0
        return [Case(setting, "simulated" if tables.profile == "simulated" else kind, dict(values))]

    return read


def _vetted(tables: Tables) -> list[Case]:
    frame = tables.read(_VETTED)
    rows = frame[frame["dataset"] == "all"]
    if rows.empty:
        raise NotRebuilt("row all")
    row = rows.iloc[0]
    values = {"gain_pass": float(row["gain_admitted"]), "gain_fail": float(row["gain_refused"])}
    return over_cells(f"{int(row['experts'])} experts", values)
