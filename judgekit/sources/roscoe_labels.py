"""ROSCOE chains, what the judges were shown, and which expert label belongs to each.

In the judge repository the prompts and the label rows run out of step near the end of three of the four
sets. The texts of JUDGE-BENCH, whose labels equal those rows one for one, show where; a label found by its
text is trusted in two of the sets.
"""

import json
import re

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.token_scores import REPOSITORY

SETS = ("cosmos", "drop", "esnli", "gsm8k")
# In the tail of this set neither the label of the row nor the one found by text agrees with any judge.
UNTRUSTED_TAILS = ("cosmos",)
PROMPTS = (
    "evaluations/data/reasoning/GPT-4omini-batch/"
    "Reasoning_GEval_tmp1_{}_overall_gpt-4o-mini-2024-07-18_0105.jsonl"
)
REPO_LABELS = "evaluations/data/reasoning/labels/ReasoningAnnotated_{}_human.jsonl"
ANNOTATIONS = "data/roscoe/roscoe-{}-overall.json"

_STEP = re.compile(r"^Step \d+ - ?", re.MULTILINE)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def read_chains(files: Files, name: str) -> pd.DataFrame:
    """One row per chain of a set, in the order of the judges' files: what was judged and its labels.

    Returns
    -------
    DataFrame
        `item`, `chain_words`, `label_in_judge_repo` (the published pairing), `aligned` ("yes" in step,
        "rejoined" by its text, "no"), `label` (expert quality 1 to 5, NaN where `aligned` is "no"),
        `coherency` (1 to 5), `missing_steps`, `contradiction` (1 = yes), and for gsm8k `answer_correct` (1
        = the chain's last number is the reference's), NaN elsewhere.

    Raises
    ------
    InvalidInput
        Other numbers of prompts, label rows and annotations, or a label row that differs from JUDGE-BENCH's.
    """
    shown = [
        judged_text(row["body"]["messages"][0]["content"]) for row in _lines(files, PROMPTS.format(name))
    ]
    repo_labels = np.array([row["human"] for row in _lines(files, REPO_LABELS.format(name))], dtype=float)
    instances = json.loads(files.read(ANNOTATIONS.format(name)))["instances"]
    annotated = pd.DataFrame([_annotation(instance) for instance in instances])
    if not len(shown) == len(repo_labels) == len(annotated):
        counts = f"{len(shown)} prompts, {len(repo_labels)} labels, {len(annotated)} annotations"
        raise InvalidInput(f"roscoe {name}", "one prompt, label and annotation a chain", counts)
    if not np.array_equal(annotated["label"], repo_labels):
        raise InvalidInput(f"roscoe {name} labels", "those of JUDGE-BENCH, row by row", "labels that differ")
    rows, aligned = align(shown, annotated["text"].tolist(), trust_text=name not in UNTRUSTED_TAILS)
    labels = annotated.drop(columns=["text", "reference"]).reindex(rows).reset_index(drop=True)
    answers = [
        _answer_correct(text, annotated["reference"].iloc[row]) if name == "gsm8k" and row >= 0 else np.nan
        for text, row in zip(shown, rows, strict=True)
    ]
    return pd.DataFrame(
        {
            "item": [f"{name}-{number}" for number in range(len(shown))],
            "chain_words": [len(text.split()) for text in shown],
            "label_in_judge_repo": repo_labels,
            "aligned": aligned,
            **labels,
            "answer_correct": answers,
        }
    )


def align(shown: list[str], annotated: list[str], *, trust_text: bool) -> tuple[list[int], list[str]]:
    """Row of each shown text's annotation, -1 = none, and how it was found: "yes" in step, "rejoined", "no".

    Texts are compared by their letters and digits. A text out of step is rejoined where `trust_text` and
    exactly one annotation has it.

    Examples
    --------
    >>> align(["a", "c", "x"], ["a", "b", "c"], trust_text=True)
    ([0, 2, -1], ['yes', 'rejoined', 'no'])
    """
    keys = [_key(text) for text in annotated]
    rows, aligned = [], []
    for number, text in enumerate(shown):
        key = _key(text)
        if key == keys[number]:
            rows.append(number)
            aligned.append("yes")
        elif trust_text and keys.count(key) == 1:
            rows.append(keys.index(key))
            aligned.append("rejoined")
        else:
            rows.append(-1)
            aligned.append("no")
    return rows, aligned


def judged_text(prompt: str) -> str:
    """The generated response inside a judge's prompt."""
    return prompt.rpartition("Generated response:\n")[2].partition("\n\nEvaluation Form")[0]


def last_number(text: str) -> float:
    """Last number of a text, NaN where it has none.

    Examples
    --------
    >>> last_number("so 2 * 600 = $1,200 A: 1,200")
    1200.0
    """
    found = _NUMBER.findall(text)
    return float(found[-1].replace(",", "")) if found else np.nan


def _answer_correct(chain: str, reference: str) -> float:
    return float(last_number(chain) == last_number(reference))


def _annotation(instance: dict) -> dict[str, str | float]:
    context, _, rest = instance["instance"].partition("GENERATED RESPONSE:\n")
    answers = instance["annotations"]
    return {
        "text": _STEP.sub("", rest.partition("Judge the generated response")[0]),
        "reference": context.rpartition("Solution:")[2],
        "label": float(answers["Overall Quality"]["mean_human"]),
        "coherency": float(answers["Coherency"]["mean_human"]),
        "missing_steps": float(answers["Missing Steps"]["majority_human"] == "yes"),
        "contradiction": float(answers["Contradiction"]["majority_human"] == "yes"),
    }


def _key(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def _lines(files: Files, path: str) -> list[dict]:
    return [json.loads(line) for line in files.read(path, REPOSITORY).decode().splitlines() if line]
