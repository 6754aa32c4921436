"""JudgeBench: pairs of answers of which one is correct, in both orders, before reward models and LLMs.

An item is one pair in one order: order 0 shows response A first, order 1 response B. Verdicts and labels are
in the presented frame: 1 = the answer shown first is better, 0.5 = a tie. Upstream stores the second game's
decision, and a reward model's two scores, in the swapped frame already.
"""

import json
from typing import Any

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows
from judgekit.sources.recording import Recording

# Split -> the model that wrote both answers of its pairs.
SPLITS = {"gpt": "gpt-4o-2024-05-13", "claude": "claude-3-5-sonnet-20240620"}

# Name -> family and parameters in billions that are active per token.
MODELS = {
    "Ray2333/GRM-Gemma-2B-rewardmodel-ft": ("gemma", 2.0),
    "Skywork/Skywork-Reward-Gemma-2-27B": ("gemma", 27.0),
    "Skywork/Skywork-Reward-Llama-3.1-8B": ("llama", 8.0),
    "internlm/internlm2-20b-reward": ("internlm", 20.0),
    "internlm/internlm2-7b-reward": ("internlm", 7.0),
    "o1-mini-2024-09-12": ("gpt", float("nan")),
    "claude-3-haiku-20240307": ("claude", float("nan")),
    "inception/mercury": ("mercury", float("nan")),
    "inception/mercury-coder": ("mercury", float("nan")),
    "minimax/minimax-m2": ("minimax", 10.0),
    "minimax/minimax-m2.1": ("minimax", 10.0),
    "z-ai/glm-4.7": ("glm", 32.0),
}

ORDERS = (0, 1)
REWARD_PROTOCOL = "reward_model"
_DECISIONS = {"A>B": 1.0, "B>A": 0.0, "A=B": 0.5}
_LABELS = {"A>B": (1.0, 0.0), "B>A": (0.0, 1.0)}


def parse(files: Files) -> Recording:
    """The recording of JudgeBench: 620 pairs in two orders, six judges on each split, hard verdicts.

    `split` is gpt or claude, `slice` knowledge, reasoning, math or coding, `source` the benchmark behind it.
    A decision of None, or "A>A" (a slip that upstream's parser lets through), is unparsed. `raw_score` of a
    reward model is its score of the answer shown first minus the other's; upstream decides "B>A" where the
    two are equal.

    Raises
    ------
    InvalidInput
        If an output names an unknown judge, source or pair, or another label than the data file.
    """
    pairs = pd.concat([_pairs(files, split) for split in SPLITS], ignore_index=True)
    label_of = dict(zip(pairs["pair"], pairs["label"], strict=True))
    split_of = dict(zip(pairs["pair"], pairs["split"], strict=True))
    judges, judgments = [], []
    for path in files.paths("outputs/", ".jsonl"):
        records = [json.loads(line) for line in files.read(path).splitlines()]
        judge = _judge(records[0], path)
        judges.append(judge)
        items, hard, raw_score = [], [], []
        for record in records:
            pair = record["pair_id"]
            if record["label"] != label_of.get(pair):
                raise InvalidInput(f"{path} pair {pair}", f"label {label_of.get(pair)}", record["label"])
            for order, game in zip(ORDERS, record["judgments"], strict=True):
                items.append(f"{split_of[pair]}/{pair}/{order}")
                hard.append(_DECISIONS.get(game["decision"], float("nan")))
                raw_score.append(_score_difference(game))
        judgments.append(verdict_rows(items, judge.judge, judge.protocol, hard, raw_score=raw_score))
    return Recording(
        dataset="judgebench",
        judgments=pd.concat(judgments, ignore_index=True),
        items=_items(pairs),
        labels=_labels(pairs),
        judges=judges_frame(judges),
    ).validate()


def _pairs(files: Files, split: str) -> pd.DataFrame:
    path = f"data/dataset=judgebench,response_model={SPLITS[split]}.jsonl"
    records = [json.loads(line) for line in files.read(path).splitlines()]
    return pd.DataFrame(
        {
            "pair": [record["pair_id"] for record in records],
            "split": split,
            "source": [record["source"] for record in records],
            "label": [record["label"] for record in records],
        }
    )


def _items(pairs: pd.DataFrame) -> pd.DataFrame:
    shown = pairs.loc[pairs.index.repeat(len(ORDERS))].reset_index(drop=True)
    order = np.tile(ORDERS, len(pairs))
    return pd.DataFrame(
        {
            "item": shown["split"] + "/" + shown["pair"] + "/" + pd.Series(order).astype(str),
            "group": shown["pair"],
            "slice": [_slice(source) for source in shown["source"]],
            "split": shown["split"],
            "source": shown["source"],
            "order": order,
        }
    )


def _labels(pairs: pd.DataFrame) -> pd.DataFrame:
    unknown = set(pairs["label"]) - _LABELS.keys()
    if unknown:
        raise InvalidInput("judgebench label", "A>B or B>A", sorted(unknown)[0])
    label = [value for text in pairs["label"] for value in _LABELS[text]]
    return pd.DataFrame({"aspect": "", "item": _items(pairs)["item"], "label": label})


def _slice(source: str) -> str:
    if source.startswith("mmlu-pro-"):
        return "knowledge"
    named = {"livebench-reasoning": "reasoning", "livebench-math": "math", "livecodebench": "coding"}
    if source not in named:
        raise InvalidInput("judgebench source", f"mmlu-pro-* or one of {', '.join(named)}", source)
    return named[source]


def _judge(record: dict[str, Any], path: str) -> VerdictJudge:
    name = record["judgments"][0]["judgment"]["judge_model"].removeprefix("openrouter/")
    if name not in MODELS:
        raise InvalidInput(f"{path} judge_model", f"one of {', '.join(MODELS)}", name)
    family, active_parameters = MODELS[name]
    is_reward = record["judge_name"] == REWARD_PROTOCOL
    return VerdictJudge(
        name,
        record["judge_name"],
        family,
        "reward_model" if is_reward else "llm",
        support="0 1" if is_reward else "0 0.5 1",
        active_parameters=active_parameters,
    )


def _score_difference(game: dict[str, Any]) -> float:
    """Score of the answer shown first minus that of the second; NaN for judges without scores."""
    scores = game["judgment"].get("scores")
    return float("nan") if scores is None else float(scores[0]) - float(scores[1])
