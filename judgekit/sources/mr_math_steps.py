"""MR-MATH: eight step judges with three class probabilities on the steps of 300 PRM800K solutions."""

import io

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame
from judgekit.sources.recording import Recording

SUPPORT = (-1, 0, 1)
SOLUTIONS = "dataset/mr-math_redundant_errors.json"
RESULTS = "eval_results/mr-math_redundant_errors/"

# Judge as in its result file -> family of the base model, active parameters in billions.
JUDGES = {
    "math-shepherd_mistral-7b": ("mistral", 7.2),
    "reasoneval_abel-7b-002": ("mistral", 7.2),
    "reasoneval_llama2-7b": ("llama", 6.7),
    "reasoneval_llemma-34b": ("llama", 33.7),
    "reasoneval_llemma-7b": ("llama", 6.7),
    "reasoneval_mistral-7b": ("mistral", 7.2),
    "reasoneval_wizardmath-7b-v1.0": ("llama", 6.7),
    "reasoneval_wizardmath-7b-v1.1": ("mistral", 7.2),
}


def parse(files: Files) -> Recording:
    """Recorded step judgments: one item a step, one group a solution, label = PRM800K rating (1, 0 or -1).

    `p_0 p_1 p_2` stand for the ratings -1, 0, 1 and `raw_score` is p(1) - p(-1). Math-Shepherd gives one
    score s: its vector is (1 - s, 0, s) and its `raw_score` is s.

    Raises
    ------
    InvalidInput
        A result file whose solutions or steps are not those of the data set.
    """
    solutions = _lines(files.read(SOLUTIONS))
    steps = pd.DataFrame(
        [
            (f"{row['id']}-{step}", str(row["id"]), step, float(rating))
            for row in solutions
            for step, rating in enumerate(row["rating"])
        ],
        columns=["item", "group", "step", "label"],
    )
    judgments = pd.concat([_judgments(files, judge, solutions, steps["item"]) for judge in JUDGES])
    judges = judges_frame(
        VerdictJudge(
            _judge(name), "step", family, "classifier", "distribution", "-1 0 1", active_parameters=parameters
        )
        for name, (family, parameters) in JUDGES.items()
    )
    labels = steps[["item", "label"]].copy()
    labels.insert(0, "aspect", "")
    return Recording(
        "mr_math_steps",
        judgments.reset_index(drop=True),
        steps[["item", "group", "step"]],
        labels,
        judges,
    ).validate()


def class_probabilities(scores: list[list[float]] | list[float]) -> np.ndarray:
    """Probabilities of the ratings -1, 0, 1 from three classes or one score: float64 [steps, 3]."""
    values = np.asarray(scores, dtype=float)
    if values.ndim == 1:
        return np.column_stack([1 - values, np.zeros_like(values), values])
    return values / values.sum(axis=1, keepdims=True)


def _judgments(files: Files, name: str, solutions: list[dict], items: pd.Series) -> pd.DataFrame:
    path = f"{RESULTS}{name}_eval_results.json"
    results = _lines(files.read(path))
    expected = [(row["id"], len(row["rating"])) for row in solutions]
    found = [(row["id"], len(row["scores"])) for row in results]
    if found != expected:
        differing = next(
            (pair for pair in zip(expected, found, strict=False) if pair[0] != pair[1]), "other rows"
        )
        raise InvalidInput(path, "the data set's solutions and numbers of steps", differing)
    one_score = not isinstance(results[0]["scores"][0], list)
    probs = class_probabilities([score for row in results for score in row["scores"]])
    frame = pd.DataFrame(
        {
            "aspect": "",
            "item": items.to_numpy(),
            "judge": _judge(name),
            "protocol": "step",
            "hard": np.asarray(SUPPORT, dtype=np.float32)[probs.argmax(axis=1)],
            "raw_score": (probs[:, 2] if one_score else probs[:, 2] - probs[:, 0]).astype(np.float32),
            "parse_ok": True,
            "mass": np.float32(1.0),
        }
    )
    frame[["p_0", "p_1", "p_2"]] = probs.astype(np.float32)
    return frame


def _judge(name: str) -> str:
    return name.replace("_", "-", 1)


def _lines(raw: bytes) -> list[dict]:
    return pd.read_json(io.BytesIO(raw), lines=True).to_dict("records")
