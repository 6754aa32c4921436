"""SummEval: 1600 summaries on four aspects, three LLMs with score distributions and eleven with a score only.

Hard scores of the other LLMs are read by `summeval_hard`. An item is one summary, a group the sixteen
summaries of one document.
"""

import json

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources import summeval_hard
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows
from judgekit.sources.plain_pickle import read_plain_pickle
from judgekit.sources.recording import Recording
from judgekit.sources.token_scores import (
    COLUMNS,
    MODELS,
    check_row_order,
    judgment_rows,
    read_scores,
    read_token_scores,
    token_judges,
)

ASPECTS = ("coherence", "consistency", "fluency", "relevance")
SUMMARIES = "SUM/SummEval/data.pkl"
RATINGS = "data/summeval/human_annotations.json"
PROMPT_VARIANTS = "raw_scores/4omini/summeval all cot/Summeval_{aspect}_raw_all.csv"
PROMPTS = 5

# The parse of fluency under the five prompt variants is broken upstream: 5831 of its 8000 scores are 1.
VARIANT_ASPECTS = ("coherence", "consistency", "relevance")


def parse(files: Files) -> Recording:
    """Recorded judgments of SummEval, label = mean of three experts (1 to 5).

    `parse_ok` is false where less than half of the mass was on score tokens that the model returned: `hard`
    is NaN there, the distribution stays. Label columns beside `label`: `expert_0 expert_1 expert_2` and
    `crowd`, the mean of five crowd workers, known for twelve of the sixteen systems. Protocols: `geval`
    (distributions), `cot1 ... cot5` (gpt-4o-mini, no fluency), and those of `summeval_hard`.

    Raises
    ------
    InvalidInput
        A pickle that holds more than plain values, rows that do not stand in the order of their labels, or
        human ratings that do not average to the label.
    """
    summaries = read_summaries(files.read(SUMMARIES))
    judgments = pd.concat(
        [
            *_distributions(files, summaries),
            *_prompt_variants(files, summaries),
            *summeval_hard.judgments(files),
        ],
        ignore_index=True,
    )
    variants = [
        VerdictJudge(MODELS["4omini"][0], f"cot{prompt}", MODELS["4omini"][1], support="1 2 3 4 5")
        for prompt in range(1, PROMPTS + 1)
    ]
    return Recording(
        "summeval",
        judgments[COLUMNS],
        summaries[["item", "group", "system", "source", "summary_words"]],
        _labels(files, summaries),
        judges_frame([*token_judges(["geval"]), *variants, *summeval_hard.JUDGES]),
    ).validate()


def read_summaries(raw: bytes) -> pd.DataFrame:
    """One row per summary in upstream's order: item, group, slices, and the label of each aspect."""
    documents = read_plain_pickle(raw, SUMMARIES)
    if not isinstance(documents, dict):
        raise InvalidInput(SUMMARIES, "a dict of documents", type(documents).__name__)
    return pd.DataFrame(
        [
            {
                "item": f"{document}__{system}",
                "group": document,
                "system": system,
                "source": document.partition("-")[0],
                "summary_words": len(summary["sys_summ"].split()),
                **{aspect: float(summary["scores"][aspect]) for aspect in ASPECTS},
            }
            for document, row in documents.items()
            for system, summary in row["sys_summs"].items()
        ]
    )


def row_order(model: str, summaries: pd.DataFrame) -> pd.DataFrame:
    """Summaries in the order of a model's files: documents sorted for gpt-4o-mini, else upstream's order."""
    return summaries.sort_values("group", kind="stable") if model == "4omini" else summaries


def _distributions(files: Files, summaries: pd.DataFrame) -> list[pd.DataFrame]:
    frames = []
    for model, (judge, _, _) in MODELS.items():
        ordered = row_order(model, summaries)
        for aspect in ASPECTS:
            name = f"Summeval_{aspect}"
            scores = read_token_scores(files, model, name)
            check_row_order(f"{model}/{name}", scores.label, ordered[aspect].to_numpy())
            rows = judgment_rows(
                scores, read_scores(files, f"raw_scores/{model}/{name}_raw.csv"), ordered["item"]
            )
            frames.append(rows.assign(aspect=aspect, judge=judge, protocol="geval"))
    return frames


def _prompt_variants(files: Files, summaries: pd.DataFrame) -> list[pd.DataFrame]:
    """Scores of gpt-4o-mini under five prompts: five consecutive rows an item, in the model's order."""
    items = row_order("4omini", summaries)["item"]
    frames = []
    for aspect in VARIANT_ASPECTS:
        scores = read_scores(files, PROMPT_VARIANTS.format(aspect=aspect))
        if len(scores) != PROMPTS * len(items):
            raise InvalidInput(f"{aspect} prompt variants", f"{PROMPTS * len(items)} rows", len(scores))
        for prompt, column in enumerate(scores.reshape(-1, PROMPTS).T, start=1):
            rows = verdict_rows(items.tolist(), MODELS["4omini"][0], f"cot{prompt}", column, raw_score=column)
            frames.append(rows.assign(aspect=aspect))
    return frames


def _labels(files: Files, summaries: pd.DataFrame) -> pd.DataFrame:
    labels = summaries.melt("item", list(ASPECTS), var_name="aspect", value_name="label")
    keys = pd.Index(labels["item"] + "__" + labels["aspect"])
    experts = pd.DataFrame(json.loads(files.read(RATINGS))).reindex(keys)
    for number, expert in enumerate(sorted(experts.columns.astype(str))):
        labels[f"expert_{number}"] = experts[expert].to_numpy(dtype=float)
    _check_experts(RATINGS, experts.mean(axis=1).to_numpy(), labels["label"].to_numpy())
    annotated = summeval_hard.annotations(files).reindex(keys)
    known = annotated["expert"].notna().to_numpy()
    _check_experts(
        summeval_hard.ANNOTATIONS, annotated["expert"].to_numpy()[known], labels["label"].to_numpy()[known]
    )
    labels["crowd"] = annotated["crowd"].to_numpy()
    return labels[["aspect", "item", "label", "expert_0", "expert_1", "expert_2", "crowd"]]


def _check_experts(field: str, means: np.ndarray, labels: np.ndarray) -> None:
    differing = ~np.isclose(means, labels, rtol=0, atol=1e-9)
    if differing.any():
        raise InvalidInput(field, "experts whose mean is the label", f"{int(differing.sum())} that differ")
