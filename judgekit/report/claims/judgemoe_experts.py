"""Claims on extra experts and more prompts, bound to the tables of notebook 07."""

from functools import partial

from judgekit.report.claims.reading import SEVERAL, Binding, Case, NotRebuilt, Reader, Tables

_FACTS = "judgemoe/expert_claims"
_VETTED = "judgemoe/expert_verdicts"
_GAINS, _CURVES = "judgemoe/expert_gains", "judgemoe/expert_data"


def bindings() -> list[Binding]:
    """Bindings of the claims on experts."""
    comet = {
        "comet_single": "COMET alone",
        "uniform_log": "uniform log pool",
        "mixed_judgemoe": "learned pool",
    }
    hurt = {
        "delta_comet": "COMET:",
        "delta_bertscore": "BERTScore",
    }
    prompts = {
        "delta_corr": "correlation",
        "delta_spearman": "learned pool",
    }
    above = {"n_above": "above the best single judge"}
    later = {"sat_reward": "reward model", "sat_bertscore": "BERTScore"}
    bertscore = {"expert_gain": "BERTScore"}
    reward = {"expert_gain": "reward model"}
    grown = partial(Binding, figure="judgemoe/prompt_expansion")
    return [
        Binding("jm-064", (_FACTS,), _facts("jm-064", bertscore, "DialSummEval", "analogue"), figure=_GAINS),
        Binding("jm-065", (_FACTS,), _facts("jm-065", reward, "JudgeBench", "analogue"), figure=_GAINS),
        Binding("jm-066", (_FACTS,), _facts("jm-066", comet, "WMT22", "same_rows")),
        Binding("jm-067", (_FACTS,), _facts("jm-067", hurt, "WMT22", "same_rows")),
        Binding("jm-068", (_VETTED,), _vetted, figure="judgemoe/expert_vetting"),
        grown(
            "jm-070", (_FACTS,), _facts("jm-070", prompts, "pools on SummEval, ROSCOE and LLMBar", SEVERAL)
        ),
        Binding("jm-071", (_FACTS,), _facts("jm-071", above, "two settings", "analogue"), figure=_CURVES),
        Binding("jm-072", (_FACTS,), _facts("jm-072", later, "two settings", "analogue"), figure=_CURVES),
    ]


def _facts(claim: str, quantities: dict[str, str], setting: str, kind: str) -> Reader:
    """Values of one claim, each from the first row of it whose quantity has the words given."""

    def read(tables: Tables) -> list[Case]:
        frame = tables.read(_FACTS)
        rows = frame[frame["claim"] == claim]
        values = {}
        for name, words in quantities.items():
            named = rows[rows["quantity"].str.contains(words, regex=False)]
            if named.empty:
                raise NotRebuilt(f"row {claim}, {words}")
            values[name] = float(named["ours"].iloc[0])
        if tables.profile == "simulated":
            return [Case("simulated cells", "simulated", dict(values))]
        return [Case(setting, kind, dict(values))]

    return read


def _vetted(tables: Tables) -> list[Case]:
    frame = tables.read(_VETTED)
    rows = frame[frame["dataset"] == "all"]
    if rows.empty:
        raise NotRebuilt("row all")
    row = rows.iloc[0]
    values = {"gain_pass": float(row["gain_admitted"]), "gain_fail": float(row["gain_refused"])}
    experts = f"{int(row['experts'])} experts"
    if tables.profile == "simulated":
        return [Case(experts, "simulated", values)]
    return [Case(f"{experts} on WMT22, DialSummEval and JudgeBench", SEVERAL, values)]
