"""LLMBar: 419 pairs of answers, each shown in both orders to six models under up to fifteen prompts.

An item is one pair in one order: order 0 shows the first answer of the data set first, order 1 the second.
Verdicts and labels are in the presented frame: 1 = the answer shown first is better. Upstream stores the
winner in the data set's frame; a winner of None is an answer that its parser could not read.
"""

import json
from typing import Any

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows
from judgekit.sources.recording import Recording

FOLDER = "Dataset/LLMBar/"

SLICES = {
    "Natural": "natural",
    "Adversarial/Neighbor": "adversarial_neighbor",
    "Adversarial/GPTInst": "adversarial_gptinst",
    "Adversarial/GPTOut": "adversarial_gptout",
    "Adversarial/Manual": "adversarial_manual",
}

# Judge -> family and parameters in billions, as the LLMBar paper names the models.
MODELS = {
    "GPT-4": ("gpt", float("nan")),
    "PaLM2": ("palm", float("nan")),
    "ChatGPT": ("gpt", float("nan")),
    "ChatGPT-0301": ("gpt", float("nan")),
    "LLaMA2": ("llama", 70.0),
    "Falcon": ("falcon", 180.0),
}

ORDERS = (0, 1)
_SHOWN_FIRST = {0: "1", 1: "2"}
_SWAP_KEY = {0: "swap = False", 1: "swap = True"}
_TEXT_AND_LABEL = ("input", "output_1", "output_2", "label")


def parse(files: Files) -> Recording:
    """The recording of LLMBar: 838 items, 65 configurations of judge and protocol, hard verdicts.

    Protocols are upstream's prompt names. `Swap` and `Swap_CoT` hold the last, synthesised verdict, so their
    two orders are nearly the same answer by construction. `Rating*` protocols score each answer alone:
    `raw_score` is the score of the answer shown first minus the other's; where the two are equal upstream
    declares the second shown the winner, and where one is blank the first shown, and `hard` keeps both.

    Raises
    ------
    InvalidInput
        If a result file disagrees with its data set on a text or label, or names an unknown judge or winner.
    """
    items, labels, judgments = [], [], []
    configurations: set[tuple[str, str]] = set()
    for folder, slice_name in SLICES.items():
        pairs = json.loads(files.read(f"{FOLDER}{folder}/dataset.json"))
        subset_items = _items(pairs, slice_name)
        items.append(subset_items)
        labels.append(_labels(pairs, subset_items["item"]))
        for path in files.paths(f"{FOLDER}{folder}/evaluators/", "/result.json"):
            judge, protocol = path.split("/")[-3:-1]
            configurations.add((judge, protocol))
            results = _last_results(files.read(path), pairs, path)
            names = subset_items["item"].tolist()
            judgments.append(_judgments(results, names, judge, protocol, path))
    return Recording(
        dataset="llmbar",
        judgments=pd.concat(judgments, ignore_index=True),
        items=pd.concat(items, ignore_index=True),
        labels=pd.concat(labels, ignore_index=True),
        judges=judges_frame(_judge(*configuration) for configuration in sorted(configurations)),
    ).validate()


def _items(pairs: list[dict[str, Any]], slice_name: str) -> pd.DataFrame:
    index = np.repeat(np.arange(len(pairs)), len(ORDERS))
    order = np.tile(ORDERS, len(pairs))
    groups = [f"{slice_name}/{i}" for i in index]
    return pd.DataFrame(
        {
            "item": [f"{group}/{o}" for group, o in zip(groups, order, strict=True)],
            "group": groups,
            "slice": slice_name,
            "order": order,
        }
    )


def _labels(pairs: list[dict[str, Any]], items: pd.Series) -> pd.DataFrame:
    better = np.repeat([pair["label"] for pair in pairs], len(ORDERS))
    shown_first = np.tile([int(_SHOWN_FIRST[order]) for order in ORDERS], len(pairs))
    return pd.DataFrame(
        {
            "aspect": "",
            "item": items,
            "label": (better == shown_first).astype(np.float64),
            "better_output": better,
        }
    )


def _last_results(raw: bytes, pairs: list[dict[str, Any]], path: str) -> list[dict[str, Any]]:
    rows = json.loads(raw)
    if len(rows) != len(pairs):
        raise InvalidInput(path, f"{len(pairs)} rows, as in dataset.json", f"{len(rows)} rows")
    for index, (row, pair) in enumerate(zip(rows, pairs, strict=True)):
        for field in _TEXT_AND_LABEL:
            if row[field] != pair[field]:
                raise InvalidInput(f"{path} row {index}", f"the {field} of dataset.json", row[field])
    return [row["results"][-1] for row in rows]


def _judgments(
    results: list[dict[str, Any]], items: list[str], judge: str, protocol: str, path: str
) -> pd.DataFrame:
    hard, raw_score = [], []
    for result in results:
        difference = _score_difference(result)
        for order in ORDERS:
            winner = result[_SWAP_KEY[order]]["winner"]
            if winner not in ("1", "2", None):
                raise InvalidInput(f"{path} winner", '"1", "2" or null', winner)
            hard.append(float("nan") if winner is None else float(winner == _SHOWN_FIRST[order]))
            raw_score.append(difference if order == 0 else -difference)
    return verdict_rows(items, judge, protocol, hard, raw_score=raw_score)


def _score_difference(result: dict[str, Any]) -> float:
    """Score of output_1 minus that of output_2; NaN for prompts without scores and where a score is blank."""
    if "score_1" not in result or not (result["score_1"][0] and result["score_2"][0]):
        return float("nan")
    return float(result["score_1"][0]) - float(result["score_2"][0])


def _judge(judge: str, protocol: str) -> VerdictJudge:
    if judge not in MODELS:
        raise InvalidInput("llmbar judge", f"one of {', '.join(MODELS)}", judge)
    family, active_parameters = MODELS[judge]
    return VerdictJudge(judge, protocol, family, active_parameters=active_parameters)
