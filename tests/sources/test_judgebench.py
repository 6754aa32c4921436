import io
import json

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.sources.judgebench import SPLITS, parse

REPOSITORY = "someone/pairs"

# The note's tables: rows, pairs, tie verdicts, unparsed; then pairs whose net verdict is right, in per cent.
NOTE_COUNTS = """
split judge rows pairs ties unparsed
claude claude-3-haiku-20240307 540 270 192 13
claude inception/mercury 540 270 22 4
claude inception/mercury-coder 540 270 26 1
claude minimax/minimax-m2 540 270 7 257
claude minimax/minimax-m2.1 540 270 31 85
claude z-ai/glm-4.7 540 270 11 178
gpt Ray2333/GRM-Gemma-2B-rewardmodel-ft 700 350 0 0
gpt Skywork/Skywork-Reward-Gemma-2-27B 700 350 0 0
gpt Skywork/Skywork-Reward-Llama-3.1-8B 700 350 0 0
gpt internlm/internlm2-20b-reward 700 350 0 0
gpt internlm/internlm2-7b-reward 700 350 0 0
gpt o1-mini-2024-09-12 700 350 44 0
"""
NOTE_NET_VERDICT = """
split judge coding knowledge math reasoning all
claude claude-3-haiku-20240307 9.68 37.66 32.35 29.41 32.22
claude inception/mercury 67.74 58.44 73.53 70.59 63.70
claude inception/mercury-coder 67.74 55.19 85.29 66.67 62.59
claude minimax/minimax-m2 41.94 53.90 32.35 35.29 46.30
claude minimax/minimax-m2.1 38.71 70.13 61.76 50.98 61.85
claude z-ai/glm-4.7 48.39 61.04 61.76 58.82 59.26
gpt Ray2333/GRM-Gemma-2B-rewardmodel-ft 54.76 62.99 64.29 53.06 59.43
gpt Skywork/Skywork-Reward-Gemma-2-27B 50.00 59.74 83.93 66.33 64.29
gpt Skywork/Skywork-Reward-Llama-3.1-8B 50.00 59.09 76.79 64.29 62.29
gpt internlm/internlm2-20b-reward 50.00 62.34 66.07 69.39 63.43
gpt internlm/internlm2-7b-reward 50.00 56.49 71.43 61.22 59.43
gpt o1-mini-2024-09-12 78.57 58.44 82.14 62.24 65.71
"""

SOURCES = ("mmlu-pro-law", "livebench-reasoning", "livebench-math", "livecodebench")


def note(text):
    return pd.read_csv(io.StringIO(text), sep=" ").set_index(["split", "judge"])


def lines(records):
    return "\n".join(json.dumps(record) for record in records).encode()


def made_up_pairs(split):
    return [
        {
            "pair_id": f"{split}-{i}",
            "source": source,
            "label": "A>B" if i % 2 == 0 else "B>A",
            "question": "Why?",
        }
        for i, source in enumerate(SOURCES)
    ]


def made_up_contents(*outputs):
    """Four pairs a split, and one output file for each (split, judge, [(decisions, scores) per pair])."""
    contents = {
        (REPOSITORY, f"data/dataset=judgebench,response_model={model}.jsonl"): lines(made_up_pairs(split))
        for split, model in SPLITS.items()
    }
    for number, (split, judge, games) in enumerate(outputs):
        records = []
        for pair, (decisions, scores) in zip(made_up_pairs(split), games, strict=False):
            judgments = [
                {"judgment": {"judge_model": judge, "response": "..."} | extra, "decision": decision}
                for decision, extra in zip(decisions, scores, strict=True)
            ]
            name = "reward_model" if scores[0] else "arena_hard"
            records.append({**pair, "judge_name": name, "judgments": judgments})
        contents[REPOSITORY, f"outputs/{number}.jsonl"] = lines(records)
    return contents


NO_SCORES = ({}, {})


def test_items_are_pairs_in_two_orders(made_up_files):
    contents = made_up_contents(("gpt", "o1-mini-2024-09-12", [(("A>B", "B>A"), NO_SCORES)]))
    recording = parse(made_up_files(contents))
    first = recording.items[recording.items["split"] == "gpt"].head(4)
    assert first["item"].tolist() == ["gpt/gpt-0/0", "gpt/gpt-0/1", "gpt/gpt-1/0", "gpt/gpt-1/1"]
    assert first["group"].tolist() == ["gpt-0", "gpt-0", "gpt-1", "gpt-1"]
    slices = ["knowledge", "knowledge", "reasoning", "reasoning", "math", "math", "coding", "coding"]
    assert recording.items["slice"].tolist() == 2 * slices
    assert recording.labels["label"].tolist() == [1, 0, 0, 1] * 4


def test_decisions_become_verdicts_on_the_first_shown(made_up_files):
    games = [(("A>B", "B>A"), NO_SCORES), (("A=B", None), NO_SCORES), (("A>A", "B>A"), NO_SCORES)]
    recording = parse(made_up_files(made_up_contents(("claude", "openrouter/z-ai/glm-4.7", games))))
    assert set(recording.judgments["judge"]) == {"z-ai/glm-4.7"}
    np.testing.assert_array_equal(recording.judgments["hard"], np.float32([1, 0, 0.5, np.nan, np.nan, 0]))
    assert recording.judgments["parse_ok"].tolist() == [True, True, True, False, False, True]
    assert recording.judgments["raw_score"].isna().all()
    assert recording.judges["support"].tolist() == ["0 0.5 1"]


def test_reward_scores_are_first_shown_minus_second(made_up_files):
    games = [(("B>A", "A>B"), ({"scores": [1.5, 2.0]}, {"scores": [2.0, 1.5]}))]
    recording = parse(made_up_files(made_up_contents(("gpt", "internlm/internlm2-7b-reward", games))))
    assert recording.judgments["raw_score"].tolist() == [-0.5, 0.5]
    assert recording.judgments["hard"].tolist() == [0, 1]
    assert recording.judges[["kind", "protocol", "support"]].to_numpy().tolist() == [
        ["reward_model", "reward_model", "0 1"]
    ]


def test_output_order_does_not_matter(made_up_files):
    games = [(("A>B", "B>A"), NO_SCORES), (("B>A", "A>B"), NO_SCORES)]
    contents = made_up_contents(("gpt", "o1-mini-2024-09-12", games))
    key = (REPOSITORY, "outputs/0.jsonl")
    turned = {**contents, key: b"\n".join(contents[key].splitlines()[::-1])}
    hard = [
        parse(made_up_files(files)).judgments.set_index("item")["hard"].sort_index().to_dict()
        for files in (contents, turned)
    ]
    assert hard[0] == hard[1]


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("label", "B>A", "pair gpt-0: allowed is label A>B; given B>A"),
        ("pair_id", "nobody", "pair nobody: allowed is label None; given A>B"),
        ("source", "somewhere", None),
    ],
)
def test_outputs_on_other_pairs_are_refused(made_up_files, field, value, complaint):
    contents = made_up_contents(("gpt", "o1-mini-2024-09-12", [(("A>B", "B>A"), NO_SCORES)]))
    where = (
        "outputs/0.jsonl" if complaint else f"data/dataset=judgebench,response_model={SPLITS['gpt']}.jsonl"
    )
    record = json.loads(contents[REPOSITORY, where].splitlines()[0]) | {field: value}
    contents[REPOSITORY, where] = lines([record])
    with pytest.raises(
        InvalidInput, match=complaint or r"judgebench source: allowed is mmlu-pro-\* or one of"
    ):
        parse(made_up_files(contents))


def test_an_unknown_judge_is_refused(made_up_files):
    contents = made_up_contents(("gpt", "somebody", [(("A>B", "B>A"), NO_SCORES)]))
    with pytest.raises(InvalidInput, match=r"judge_model: allowed is one of .*; given somebody"):
        parse(made_up_files(contents))


@pytest.fixture
def judged(parsed):
    recording = parsed("judgebench")
    return recording.judgments.merge(recording.items, on="item").merge(
        recording.labels, on=["aspect", "item"]
    )


@pytest.mark.needs("mirror")
def test_counts_are_those_of_the_note(parsed, judged):
    items = parsed("judgebench").items
    assert items.drop_duplicates("group")["split"].value_counts().to_dict() == {"gpt": 350, "claude": 270}
    assert len(items) == 2 * 620
    found = judged.assign(tie=judged["hard"] == 0.5, unparsed=~judged["parse_ok"]).groupby(["split", "judge"])
    found = found.agg(
        rows=("item", "size"), pairs=("group", "nunique"), ties=("tie", "sum"), unparsed=("unparsed", "sum")
    )
    pd.testing.assert_frame_equal(found, note(NOTE_COUNTS), check_dtype=False)


@pytest.mark.needs("mirror")
def test_the_net_verdict_is_that_of_the_note(judged):
    judged["points"] = (np.sign(judged["hard"] - 0.5) * np.sign(judged["label"] - 0.5)).fillna(0)
    net = judged.groupby(["split", "judge", "slice", "group"])["points"].sum().gt(0).mul(100).rename("right")
    found = net.reset_index().pivot_table(index=["split", "judge"], columns="slice", values="right")
    found["all"] = net.groupby(["split", "judge"]).mean()
    expected = note(NOTE_NET_VERDICT)
    pd.testing.assert_frame_equal(found[expected.columns], expected, check_names=False, atol=5.1e-3, rtol=0)


@pytest.mark.needs("mirror")
def test_reward_models_answer_alike_in_both_orders_but_for_equal_scores(judged):
    reward = judged[judged["protocol"] == "reward_model"]
    by_pair = reward.groupby(["judge", "group"])
    assert (by_pair["raw_score"].sum() == 0).all()
    equal = reward["raw_score"] == 0
    assert equal.sum() == 2 * 4
    assert (reward.loc[equal, "hard"] == 0).all()
    assert ((reward["raw_score"] > 0) == reward["hard"]).all()


@pytest.mark.needs("mirror")
def test_no_text_is_kept(parsed):
    columns = ["item", "group", "slice", "split", "source", "order"]
    assert list(parsed("judgebench").items.columns) == columns
