"""SummEval judges without distributions: five LLMs of LLM_summeval by their answers, six of AltTest."""

import json
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, verdict_rows
from judgekit.sources.written_scores import choice_score, reasoned_score, star_score

ANSWERS = "eval_model_generations/"
ANNOTATIONS = "model_output_annotations/"
ALTTEST_SCORES = "data/summeval/llm_annotations.json"
ALTTEST_PROTOCOL = "alttest"
SCORES = (1, 2, 3, 4, 5)

# Ending of an answer file -> protocol, reader of an answer.
PROMPTS: dict[str, tuple[str, Callable[[str], float]]] = {
    "rts": ("reason_then_score", reasoned_score),
    "altrts": ("reason_then_score_alt", reasoned_score),
    "mcq": ("mcq", choice_score),
    "altmcq": ("mcq_alt", choice_score),
    "stareval": ("stars", star_score),
}

# Judge -> family, active parameters in billions. All but gpt-3.5 were asked with reason_then_score only.
ANSWERING = {
    "gpt-3.5-turbo-0301": ("gpt", np.nan),
    "gpt-4-0314": ("gpt", np.nan),
    "llama-2-7b-chat-hf": ("llama", 6.7),
    "llama-2-13b-chat-hf": ("llama", 13.0),
    "llama-2-70b-chat-hf": ("llama", 69.0),
}

# AltTest's short name -> judge (expanded from its paper), family, active parameters in billions.
ALTTEST = {
    "gemini_flash": ("gemini-1.5-flash", "gemini", np.nan),
    "gemini_pro": ("gemini-1.5-pro", "gemini", np.nan),
    "gpt-4o": ("gpt-4o", "gpt", np.nan),
    "gpt-4o-mini": ("gpt-4o-mini", "gpt", np.nan),
    "llama-31": ("llama-3.1-8b-instruct", "llama", 8.0),
    "mistral-v03": ("mistral-7b-instruct-v0.3", "mistral", 7.2),
}

JUDGES = [
    VerdictJudge(judge, protocol, family, support="1 2 3 4 5", active_parameters=parameters)
    for judge, (family, parameters) in ANSWERING.items()
    for protocol, _ in PROMPTS.values()
    if judge == "gpt-3.5-turbo-0301" or protocol == "reason_then_score"
] + [
    VerdictJudge(judge, ALTTEST_PROTOCOL, family, support="1 2 3 4 5", active_parameters=parameters)
    for judge, family, parameters in ALTTEST.values()
]


def judgments(files: Files) -> list[pd.DataFrame]:
    """Rows of the judgments frame: `raw_score` as read, `hard` NaN where it is a half (off the support).

    `parse_ok` is false only where no score was found. Upstream asked some items twice: the last answer
    counts.

    Raises
    ------
    InvalidInput
        An answer file of a judge, a prompt or a system that is not known.
    """
    return [*_answers(files), *_alttest(files)]


def annotations(files: Files) -> pd.DataFrame:
    """Mean of three experts and of five crowd workers (`expert`, `crowd`) by "DOCUMENT__SYSTEM__ASPECT"."""
    rows = {}
    for path in files.paths(ANNOTATIONS, ".jsonl"):
        system = path.removeprefix(ANNOTATIONS).partition("_")[0]
        for line in files.read(path).splitlines():
            row = json.loads(line)
            for aspect in row["expert_annotations"][0]:
                rows[f"{row['id']}__{system}__{aspect}"] = (
                    np.mean([rating[aspect] for rating in row["expert_annotations"]]),
                    np.mean([rating[aspect] for rating in row["turker_annotations"]]),
                )
    return pd.DataFrame.from_dict(rows, orient="index", columns=["expert", "crowd"], dtype=float)


def answer_file(path: str) -> tuple[str, str, str, str]:
    """Judge, system, aspect and prompt of ".../JUDGE/eval_SYSTEM_generations/ASPECT_PROMPT.txt"."""
    judge, folder, name = path.removeprefix(ANSWERS).split("/")
    aspect, _, prompt = name.removesuffix(".txt").rpartition("_")
    if judge not in ANSWERING or prompt not in PROMPTS:
        raise InvalidInput(
            path, f"a judge of {', '.join(ANSWERING)} and a prompt of {', '.join(PROMPTS)}", name
        )
    return judge, folder.removeprefix("eval_").removesuffix("_generations"), aspect, prompt


def read_answers(raw: bytes, prompt: str) -> dict[str, float]:
    """Score of each document under a prompt, NaN where none is found; of two answers the last."""
    read = PROMPTS[prompt][1]
    answers = [json.loads(line) for line in raw.splitlines()]
    return {answer["id"]: read(answer["resp"]) for answer in answers}


def _answers(files: Files) -> list[pd.DataFrame]:
    items: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    scores: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for path in files.paths(ANSWERS, ".txt"):
        judge, system, aspect, prompt = answer_file(path)
        answers = read_answers(files.read(path), prompt)
        key = (judge, PROMPTS[prompt][0], aspect)
        items[key] += [f"{document}__{system}" for document in answers]
        scores[key] += answers.values()
    return [
        _rows(items[judge, protocol, aspect], judge, protocol, np.array(values)).assign(aspect=aspect)
        for (judge, protocol, aspect), values in scores.items()
    ]


def _alttest(files: Files) -> list[pd.DataFrame]:
    frames = []
    for short, scores in json.loads(files.read(ALTTEST_SCORES)).items():
        keys = pd.Series(list(scores)).str.rpartition("__")
        rows = _rows(
            keys[0].tolist(), ALTTEST[short][0], ALTTEST_PROTOCOL, np.fromiter(scores.values(), float)
        )
        frames.append(rows.assign(aspect=keys[2].to_numpy()))
    return frames


def _rows(items: list[str], judge: str, protocol: str, scores: np.ndarray) -> pd.DataFrame:
    hard = np.where(np.isin(scores, SCORES), scores, np.nan)
    return verdict_rows(items, judge, protocol, hard, raw_score=scores).assign(parse_ok=~np.isnan(scores))
