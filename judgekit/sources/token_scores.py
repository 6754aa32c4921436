"""Distributions over the scores 1 to 5, from log-probabilities of score tokens that three LLMs returned.

One repository (Analyzing_Uncertainty_of_LLM-as-a-Judge) recorded them for SummEval, DialSummEval and
ROSCOE: `model_logits/MODEL/NAME_logits.csv` has columns 1 to 5 and the label,
`raw_scores/MODEL/NAME_raw.csv` the score that the model wrote.
"""

import io
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge

REPOSITORY = "BruceSheng1202/Analyzing_Uncertainty_of_LLM-as-a-Judge"
SUPPORT = (1, 2, 3, 4, 5)
PROBABILITIES = [f"p_{bucket}" for bucket in range(len(SUPPORT))]
COLUMNS = ["aspect", "item", "judge", "protocol", "hard", "raw_score", "parse_ok", "mass", *PROBABILITIES]
ABSENT_TOKEN = 1e-5
LEAST_MASS = 0.5

# Folder of the repository -> judge, family of the base model, active parameters in billions.
MODELS = {
    "4omini": ("gpt-4o-mini-2024-07-18", "gpt", math.nan),
    "dsr1": ("DeepSeek-R1-Distill-Qwen-32B", "qwen", 32.8),
    "qwen": ("Qwen2.5-72B-Instruct", "qwen", 72.7),
}


@dataclass(frozen=True)
class TokenScores:
    """Score distributions of one judge, in the order of the upstream file.

    Attributes
    ----------
    probs : float64 [rows, 5]
        Normalised; a score absent from the returned log-probabilities keeps the 1e-5 that upstream filled in.
    mass : float64 [rows]
        Probability on score tokens that the model did return, before normalising.
    parse_ok : bool [rows]
        Whether that is at least a half.
    label : float64 [rows]
        The label column of the file: it proves the row order, and is not used otherwise.
    """

    probs: np.ndarray
    mass: np.ndarray
    parse_ok: np.ndarray
    label: np.ndarray

    @property
    def hard(self) -> np.ndarray:
        """Most probable score, the lowest on a tie; NaN where `parse_ok` is false: float64 [rows]."""
        best = np.asarray(SUPPORT, dtype=float)[self.probs.argmax(axis=1)]
        return np.where(self.parse_ok, best, np.nan)


def token_scores(logits: pd.DataFrame) -> TokenScores:
    """Distributions from log-probabilities: columns "1" to "5", then the label.

    Raises
    ------
    InvalidInput
        Another header, or a log-probability that is missing or above 0.
    """
    scores = [str(score) for score in SUPPORT]
    if list(logits.columns[:5]) != scores or logits.shape[1] != 6:
        raise InvalidInput("logits", "columns 1 2 3 4 5 and a label", " ".join(map(str, logits.columns)))
    log_probs = logits[scores].to_numpy(dtype=float)
    if not (log_probs <= 1e-6).all():
        raise InvalidInput("logits", "log-probabilities <= 0", "missing or larger values")
    probs = np.exp(log_probs)
    returned = np.where(np.isclose(log_probs, np.log(ABSENT_TOKEN), rtol=0, atol=1e-6), 0.0, probs)
    mass = returned.sum(axis=1)
    return TokenScores(
        probs / probs.sum(axis=1, keepdims=True),
        mass,
        mass >= LEAST_MASS,
        logits.iloc[:, 5].to_numpy(dtype=float),
    )


def read_token_scores(files: Files, model: str, name: str) -> TokenScores:
    """Distributions in `model_logits/MODEL/NAME_logits.csv`."""
    return token_scores(
        pd.read_csv(io.BytesIO(files.read(f"model_logits/{model}/{name}_logits.csv", REPOSITORY)))
    )


def read_scores(files: Files, path: str) -> np.ndarray:
    """Scores of a file with the one column `raw_score`, NaN where the line is empty: float64 [rows]."""
    frame = pd.read_csv(io.BytesIO(files.read(path, REPOSITORY)), skip_blank_lines=False)
    if list(frame.columns) != ["raw_score"]:
        raise InvalidInput(path, "the one column raw_score", " ".join(map(str, frame.columns)))
    return frame["raw_score"].to_numpy(dtype=float)


def check_row_order(field: str, labels: np.ndarray, expected: np.ndarray) -> None:
    """Prove that rows stand in the order assumed: the labels beside them must be the expected ones.

    Raises
    ------
    InvalidInput
        Another number of rows, or a label that differs.
    """
    if len(labels) != len(expected):
        raise InvalidInput(f"{field} rows", str(len(expected)), len(labels))
    differs = np.flatnonzero(~np.isclose(labels, expected))
    if len(differs):
        row = int(differs[0])
        raise InvalidInput(
            f"{field} row {row}", f"the label {expected[row]:g} of its item", f"{labels[row]:g}"
        )


def judgment_rows(scores: TokenScores, raw: np.ndarray, items: pd.Series) -> pd.DataFrame:
    """Rows of a recording's judgments frame, one an item; aspect, judge and protocol are the caller's to add.

    Raises
    ------
    InvalidInput
        Not as many decoded scores or items as distributions.
    """
    if not len(scores.probs) == len(raw) == len(items):
        raise InvalidInput(
            "decoded scores", f"{len(scores.probs)} rows", f"{len(raw)} for {len(items)} items"
        )
    frame = pd.DataFrame(
        {
            "item": items.to_numpy(),
            "hard": scores.hard.astype(np.float32),
            "raw_score": raw.astype(np.float32),
            "parse_ok": scores.parse_ok,
            "mass": scores.mass.astype(np.float32),
        }
    )
    frame[PROBABILITIES] = scores.probs.astype(np.float32)
    return frame


def token_judges(protocols: list[str]) -> list[VerdictJudge]:
    """The three LLMs under each protocol, for a recording's judges frame."""
    support = " ".join(map(str, SUPPORT))
    return [
        VerdictJudge(
            judge, protocol, family, read_out="distribution", support=support, active_parameters=parameters
        )
        for judge, family, parameters in MODELS.values()
        for protocol in protocols
    ]
