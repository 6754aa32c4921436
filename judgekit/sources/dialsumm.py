"""DialSummEval: 1400 dialogue summaries on four aspects, three LLMs with score distributions and 32 metrics.

An item is one summary, a group the fourteen summaries of one dialogue. System A is the human reference:
metrics that compare with it are perfect there, so leave slice A out where they take part.
"""

import io
import json

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows
from judgekit.sources.recording import Recording
from judgekit.sources.token_scores import (
    COLUMNS,
    MODELS,
    REPOSITORY,
    judgment_rows,
    read_scores,
    read_token_scores,
    token_judges,
)

ASPECTS = ("coherence", "consistency", "fluency", "relevance")
RATINGS = "evaluations/data/dialsumm.jsonl"
ORIGINAL = "kite99520/DialSummEval"
ORIGINAL_RATINGS = "annotation_campus/human_judgment.jsonl"
EVALUATED = "reproduce/analysis/models_eval_new/"
RATERS = 3
OVERALL = "overall"


def parse(files: Files) -> Recording:
    """Recorded judgments of DialSummEval, label = mean of three raters (1 to 5).

    The original repeats the second rater's coherence as the third's; the copy in the judge repository has
    three raters and gives `label`, the original `label_github_original`; `rater_0 rater_1 rater_2` are the
    copy's ratings. gpt-4o-mini lacks a few rows upstream: they, and rows that equal neighbouring labels
    leave in doubt, are absent. Protocols: `geval` (distributions), and `metric` under the aspect "overall",
    with `raw_score` only.

    Raises
    ------
    InvalidInput
        Copy and original of other summaries, rows that do not stand in the order of their labels, or
        metrics of other dialogues or summaries.
    """
    ratings, original = _ratings(files, RATINGS, REPOSITORY), _ratings(files, ORIGINAL_RATINGS, ORIGINAL)
    texts = ["item", "dialogue", "summary"]
    if not ratings[texts].equals(original[texts]):
        raise InvalidInput(RATINGS, f"the summaries of {ORIGINAL}", "other rows")
    items = ratings[["item", "group", "system"]].copy()
    items["summary_words"] = [len(summary.split()) for summary in ratings["summary"]]
    labels = pd.concat([_labels(ratings, original, aspect) for aspect in ASPECTS], ignore_index=True)
    frames = [
        _distributions(files, model, aspect, labels[labels["aspect"] == aspect])
        for model in MODELS
        for aspect in ASPECTS
    ]
    metrics = read_metrics(files, ratings)
    frames += [
        verdict_rows(
            ratings["item"].tolist(), name, "metric", np.full(len(ratings), np.nan), raw_score=values
        ).assign(aspect=OVERALL, parse_ok=~np.isnan(values))
        for name, values in metrics.items()
    ]
    judges = token_judges(["geval"]) + [
        VerdictJudge(name, "metric", "metric", kind="metric", read_out="scalar", support="")
        for name in metrics
    ]
    judgments = pd.concat(frames, ignore_index=True)
    return Recording("dialsumm", judgments[COLUMNS], items, labels, judges_frame(judges)).validate()


def certain_rows(found: np.ndarray, expected: np.ndarray, field: str) -> np.ndarray:
    """Place of each found row among the expected ones when some were deleted: int [found], -1 = in doubt.

    Both are labels in order. A row has one certain place when the earliest and the latest way to fit all
    rows agree.

    Raises
    ------
    InvalidInput
        The found labels are no subsequence of the expected ones.

    Examples
    --------
    >>> certain_rows(np.array([1.0, 2.0, 5.0]), np.array([1.0, 2.0, 2.0, 4.0, 5.0]), "file")
    array([ 0, -1,  4])
    """
    last = len(expected) - 1
    earliest = _earliest(found, expected, field)
    latest = last - _earliest(found[::-1], expected[::-1], field)[::-1]
    return np.where(earliest == latest, earliest, -1)


def read_metrics(files: Files, ratings: pd.DataFrame) -> dict[str, np.ndarray]:
    """Values of each metric in the order of the ratings, placed by the dialogue's text: float64 [summaries].

    Raises
    ------
    InvalidInput
        A dialogue without metrics, or a metric of another summary text.
    """
    dialogues = {_words(line): row for row, line in enumerate(_text(files, "dials.txt"))}
    rows = ratings["dialogue"].map(_words).map(dialogues)
    if rows.isna().any():
        raise InvalidInput(
            f"{EVALUATED}dials.txt", "every rated dialogue", f"{int(rows.isna().sum())} absent"
        )
    tables = []
    for system, rated in ratings.groupby("system"):
        own = rows[rated.index].astype(int)
        summaries = np.array([_words(line) for line in _text(files, f"{system}/summs.txt")])
        if list(summaries[own]) != rated["summary"].map(_words).tolist():
            raise InvalidInput(f"{EVALUATED}{system}/summs.txt", "the rated summaries", "other texts")
        table = pd.read_csv(io.BytesIO(files.read(f"{EVALUATED}{system}/metrics.csv", ORIGINAL)))
        tables.append(table.iloc[own].set_index(own.index))
    metrics = pd.concat(tables).sort_index()
    return {str(name): metrics[name].to_numpy(dtype=float) for name in metrics}


def _distributions(files: Files, model: str, aspect: str, labels: pd.DataFrame) -> pd.DataFrame:
    name = f"Dialsumm_{aspect}"
    scores = read_token_scores(files, model, name)
    places = certain_rows(scores.label, labels["label"].to_numpy(), f"{model}/{name}")
    items = pd.Series(np.append(labels["item"].to_numpy(dtype=object), "")[places])
    rows = judgment_rows(scores, read_scores(files, f"raw_scores/{model}/{name}_raw.csv"), items)
    return rows[places >= 0].assign(aspect=aspect, judge=MODELS[model][0], protocol="geval")


def _labels(ratings: pd.DataFrame, original: pd.DataFrame, aspect: str) -> pd.DataFrame:
    columns = [f"{aspect}_{rater}" for rater in range(RATERS)]
    raters = {f"rater_{rater}": ratings[column] for rater, column in enumerate(columns)}
    return pd.DataFrame(
        {
            "aspect": aspect,
            "item": ratings["item"],
            "label": ratings[columns].mean(axis=1),
            "label_github_original": original[columns].mean(axis=1),
            **raters,
        }
    )


def _ratings(files: Files, path: str, repo: str) -> pd.DataFrame:
    rows = [json.loads(line) for line in files.read(path, repo).decode().splitlines() if line]
    return pd.DataFrame(
        [
            {
                "item": f"{row['id']}__{row['model_id']}",
                "group": row["id"],
                "system": row["model_id"],
                "dialogue": row["dialogue"],
                "summary": row["summary"],
                **{
                    f"{aspect}_{rater}": float(row["annotations"][rater][aspect])
                    for aspect in ASPECTS
                    for rater in range(RATERS)
                },
            }
            for row in rows
        ]
    )


def _earliest(found: np.ndarray, expected: np.ndarray, field: str) -> np.ndarray:
    places: list[int] = []
    start = 0
    for label in found:
        equal = np.flatnonzero(np.isclose(expected[start:], label))
        if not len(equal):
            raise InvalidInput(f"{field} row {len(places)}", "labels in the order of the items", f"{label:g}")
        places.append(start + int(equal[0]))
        start = places[-1] + 1
    return np.array(places, dtype=int)


def _text(files: Files, path: str) -> list[str]:
    return files.read(f"{EVALUATED}{path}", ORIGINAL).decode().splitlines()


def _words(text: str) -> str:
    return " ".join(text.split())
