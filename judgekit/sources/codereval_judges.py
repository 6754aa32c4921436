"""Judges of CoderEval candidates: Java and Python functions, eight code models, unit tests as the label.

An item is one candidate for one task; 1 = passes the tests. Tasks are the groups.
"""

import io

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows
from judgekit.sources.recording import Recording

FOLDER = "data/code_generation/results/"
PROTOCOL = "zeroshot_norationale"
LANGUAGES = ("java", "python")
HUMAN = "human_written"

JUDGES = (
    VerdictJudge("deepseek-coder-1.3b-instruct", PROTOCOL, "deepseek", active_parameters=1.3),
    VerdictJudge("deepseek-coder-6.7b-instruct", PROTOCOL, "deepseek", active_parameters=6.7),
    VerdictJudge("deepseek-coder-33b-instruct", PROTOCOL, "deepseek", active_parameters=33.0),
    VerdictJudge("CodeLlama-7b-Instruct-hf", PROTOCOL, "llama", active_parameters=7.0),
    VerdictJudge("CodeLlama-13b-Instruct-hf", PROTOCOL, "llama", active_parameters=13.0),
    VerdictJudge("CodeLlama-34b-Instruct-hf", PROTOCOL, "llama", active_parameters=34.0),
    VerdictJudge("gpt-3.5-turbo", PROTOCOL, "gpt"),
    VerdictJudge("gpt-4-turbo", PROTOCOL, "gpt"),
)

_RATINGS = {"1": 1.0, "0": 0.0, "-": np.nan}


def parse(files: Files) -> Recording:
    """The recording of the CoderEval judges: 3133 items (1656 Java, 1477 Python), eight judges.

    The Java file lists 2024 candidates; the 368 without a verdict from any judge, upstream's invalid or
    duplicate ones, are no items. A candidate that some judges left out stays, with NaN there. `origin` (human
    or model) and `generated_by` are for analysis only: every human-written candidate passes, so they give the
    label away.

    Raises
    ------
    InvalidInput
        If a rating is none of 0, 1 and -, or a label neither 0 nor 1.
    """
    candidates = pd.concat([_read(files, language) for language in LANGUAGES], ignore_index=True)
    ratings = pd.DataFrame({judge.judge: _number(candidates[f"{judge.judge}_rating"]) for judge in JUDGES})
    judged = ratings.notna().any(axis=1)
    candidates, ratings = candidates[judged].reset_index(drop=True), ratings[judged].reset_index(drop=True)
    items = _items(candidates)
    labels = _number(candidates["is_pass"])
    if labels.isna().any():
        raise InvalidInput("codereval_judges is_pass", "0 or 1", "-")
    return Recording(
        dataset="codereval_judges",
        judgments=pd.concat(
            [
                verdict_rows(items["item"].tolist(), judge.judge, PROTOCOL, ratings[judge.judge])
                for judge in JUDGES
            ],
            ignore_index=True,
        ),
        items=items,
        labels=pd.DataFrame({"aspect": "", "item": items["item"], "label": labels}),
        judges=judges_frame(JUDGES),
    ).validate()


def _read(files: Files, language: str) -> pd.DataFrame:
    columns = ["target_id", "generated_by", "is_pass", *(f"{judge.judge}_rating" for judge in JUDGES)]
    raw = files.read(f"{FOLDER}cg_judgement_{language}_{PROTOCOL}.csv")
    table = pd.read_csv(io.BytesIO(raw), usecols=columns, dtype=str, keep_default_na=False)
    return table.assign(language=language)


def _items(candidates: pd.DataFrame) -> pd.DataFrame:
    language, task, generator = candidates["language"], candidates["target_id"], candidates["generated_by"]
    return pd.DataFrame(
        {
            "item": language + "/" + task + "/" + generator,
            "group": task,
            "language": language,
            "origin": np.where(generator == HUMAN, "human", "model"),
            "generated_by": generator,
        }
    )


def _number(texts: pd.Series) -> pd.Series:
    unknown = set(texts) - _RATINGS.keys()
    if unknown:
        raise InvalidInput(f"codereval_judges {texts.name}", "0, 1 or -", sorted(unknown)[0])
    return texts.map(_RATINGS).astype(np.float64)
