"""ROSCOE: 756 reasoning chains of four sets, three LLMs under two prompts with score distributions.

An item and a group are one chain; the slice is its set. The experts' labels and their repair are in
`roscoe_labels`.
"""

import json
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows
from judgekit.sources.recording import Recording
from judgekit.sources.roscoe_labels import SETS, read_chains
from judgekit.sources.token_scores import (
    COLUMNS,
    MODELS,
    PROBABILITIES,
    REPOSITORY,
    SUPPORT,
    check_row_order,
    judgment_rows,
    read_scores,
    read_token_scores,
    token_judges,
)

# Prompt in the file names -> protocol.
PROMPTS = {"GEval": "geval", "SocREval": "socreval"}
SAMPLES = (
    "oversampling/Reasoning_tmp1_{}_overall_gpt-4o-mini-2024-07-18_0105.jsonl"
    "_DeepSeek-R1-Distill-Qwen-32B_oversampling.json"
)
SAMPLED = MODELS["dsr1"]
SAMPLES_PROTOCOL = "socreval_samples"
VERIFIER = "answer_verifier"

_SAMPLED_SCORE = re.compile(r"overall quality[^\d\n]{0,40}?([1-5])(?![\d.])", re.IGNORECASE)


def parse(files: Files) -> Recording:
    """Recorded judgments of ROSCOE, label = one expert's overall quality (1 to 5), NaN where none is certain.

    Protocols: `geval` and `socreval` (distributions); `socreval_samples`, twenty repeated answers of one
    judge to about half of the chains, where the distribution is the frequency of the scores read, `hard`
    the most frequent (the lowest on a tie) and `mass` the share of answers that held a score; and
    `answer_match`, a verifier derived here for gsm8k: 1 = the chain's last number is the reference's. Label
    columns: see `roscoe_labels.read_chains`.

    Raises
    ------
    InvalidInput
        Rows that do not stand in the order of their labels, or labels that differ between the repositories.
    """
    chains = pd.concat([read_chains(files, name).assign(set=name) for name in SETS], ignore_index=True)
    chains["group"] = chains["item"]
    frames = []
    for name in SETS:
        own = chains[chains["set"] == name].reset_index(drop=True)
        frames += [*_distributions(files, name, own), _repeated_samples(files, name)]
    frames.append(_verifier(chains))
    judges = [
        *token_judges(list(PROMPTS.values())),
        VerdictJudge(
            SAMPLED[0],
            SAMPLES_PROTOCOL,
            SAMPLED[1],
            read_out="distribution",
            support=" ".join(map(str, SUPPORT)),
            active_parameters=SAMPLED[2],
        ),
        VerdictJudge(VERIFIER, "answer_match", VERIFIER, kind="verifier"),
    ]
    labels = chains[
        [
            "item",
            "label",
            "aligned",
            "label_in_judge_repo",
            "coherency",
            "missing_steps",
            "contradiction",
            "answer_correct",
        ]
    ].copy()
    labels.insert(0, "aspect", "")
    judgments = pd.concat(frames, ignore_index=True).assign(aspect="")
    return Recording(
        "roscoe",
        judgments[COLUMNS],
        chains[["item", "group", "set", "chain_words"]],
        labels,
        judges_frame(judges),
    ).validate()


def sample_frequencies(answers: Sequence[str]) -> tuple[np.ndarray, float]:
    """Frequencies of the scores 1 to 5 read in repeated answers, and the share of answers that held one.

    The score is the last one given after "overall quality". Without any score the frequencies are NaN.

    Examples
    --------
    >>> sample_frequencies(['"overall quality": 4}', "Overall Quality: **4**", "I cannot say."])
    (array([0., 0., 0., 1., 0.]), 0.6666666666666666)
    """
    found = [scores[-1] for scores in map(_SAMPLED_SCORE.findall, answers) if scores]
    counts = np.array([found.count(str(score)) for score in SUPPORT], dtype=float)
    return (counts / len(found) if found else np.full(len(SUPPORT), np.nan)), len(found) / len(answers)


def _distributions(files: Files, name: str, chains: pd.DataFrame) -> list[pd.DataFrame]:
    frames = []
    for model, (judge, _, _) in MODELS.items():
        for prompt, protocol in PROMPTS.items():
            scores = read_token_scores(files, model, f"{prompt}_{name}")
            check_row_order(
                f"{model}/{prompt}_{name}", scores.label, chains["label_in_judge_repo"].to_numpy(dtype=float)
            )
            raw = read_scores(files, f"raw_scores/{model}/{prompt}_{name}_raw.csv")
            frames.append(judgment_rows(scores, raw, chains["item"]).assign(judge=judge, protocol=protocol))
    return frames


def _repeated_samples(files: Files, name: str) -> pd.DataFrame:
    rows = json.loads(files.read(SAMPLES.format(name), REPOSITORY))
    frequencies, shares = zip(*(sample_frequencies(row["judge_responses"]) for row in rows), strict=True)
    probs = np.stack(frequencies)
    best = np.where(np.isnan(probs[:, 0]), np.nan, np.nan_to_num(probs).argmax(axis=1) + 1.0)
    frame = verdict_rows([f"{name}-{row['custom_id']}" for row in rows], SAMPLED[0], SAMPLES_PROTOCOL, best)
    frame["mass"] = np.array(shares, dtype=np.float32)
    frame[PROBABILITIES] = probs.astype(np.float32)
    return frame


def _verifier(chains: pd.DataFrame) -> pd.DataFrame:
    judged = chains[chains["answer_correct"].notna()]
    return verdict_rows(judged["item"].tolist(), VERIFIER, "answer_match", judged["answer_correct"])
