"""Judges of TriviaQA answers: nine exam takers on 400 questions, nine language models and two string matches.

An item is one exam taker's answer to one question; 1 = correct by the human judgement. Questions are the
groups.
"""

import io

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows
from judgekit.sources.recording import Recording

ANSWERS = "results/TriviaQA_Judges_w_HumanJudgement_V1.csv"
LABEL = "HumanJudgement"

JUDGES = (
    VerdictJudge("Mistral-7B", "published", "mistral", active_parameters=7.0),
    VerdictJudge("Llama-7B", "published", "llama", active_parameters=7.0),
    VerdictJudge("Llama-13B", "published", "llama", active_parameters=13.0),
    VerdictJudge("Llama3-8B", "published", "llama", active_parameters=8.0),
    VerdictJudge("Gemma-2B", "published", "gemma", active_parameters=2.0),
    VerdictJudge("Llama-70B", "published", "llama", active_parameters=70.0),
    VerdictJudge("EM", "verifier", "string match", "verifier"),
    VerdictJudge("Llama3-70B", "published", "llama", active_parameters=70.0),
    VerdictJudge("GPT-4", "published", "gpt"),
    VerdictJudge("JudgeLM", "published", "llama", active_parameters=7.0),
    VerdictJudge("Contains", "verifier", "string match", "verifier"),
)

_TRUTH = {"True": 1.0, "False": 0.0, "": np.nan}


def parse(files: Files) -> Recording:
    """The recording of the TriviaQA judges: 3600 items, eleven judges, hard verdicts.

    Five answers stand twice, once without any verdict; both rows stay, the second with "#2" after its name. A
    blank verdict is missing (`hard` NaN). The question, its references and the stored prompt are not kept.

    Raises
    ------
    InvalidInput
        If a verdict or label is none of True, False and blank, or a label is blank.
    """
    columns = ["model", "question", *(judge.judge for judge in JUDGES), LABEL]
    answers = pd.read_csv(io.BytesIO(files.read(ANSWERS)), usecols=columns, dtype=str, keep_default_na=False)
    questions = [f"q{code:03d}" for code in pd.factorize(answers["question"])[0]]
    items = _items(answers["model"], pd.Series(questions))
    labels = _truth(answers[LABEL])
    if labels.isna().any():
        raise InvalidInput(f"{ANSWERS} {LABEL}", "True or False", "a blank")
    return Recording(
        dataset="triviaqa_judges",
        judgments=pd.concat(
            [
                verdict_rows(
                    items["item"].tolist(), judge.judge, judge.protocol, _truth(answers[judge.judge])
                )
                for judge in JUDGES
            ],
            ignore_index=True,
        ),
        items=items,
        labels=pd.DataFrame({"aspect": "", "item": items["item"], "label": labels}),
        judges=judges_frame(JUDGES),
    ).validate()


def _items(takers: pd.Series, questions: pd.Series) -> pd.DataFrame:
    names = takers + "/" + questions
    occurrence = names.groupby(names).cumcount() + 1
    suffixes = ("#" + occurrence.astype(str)).where(occurrence > 1, "")
    return pd.DataFrame({"item": names + suffixes, "group": questions, "exam_taker": takers})


def _truth(texts: pd.Series) -> pd.Series:
    unknown = set(texts) - _TRUTH.keys()
    if unknown:
        raise InvalidInput(f"{ANSWERS} {texts.name}", "True, False or blank", sorted(unknown)[0])
    return texts.map(_TRUTH).astype(np.float64)
