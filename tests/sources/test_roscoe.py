import json

import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.sources import roscoe_labels
from judgekit.sources.roscoe import PROMPTS, SAMPLES, VERIFIER, parse, sample_frequencies
from judgekit.sources.roscoe_labels import ANNOTATIONS, REPO_LABELS, SETS, align, judged_text
from judgekit.sources.token_scores import MODELS, PROBABILITIES, REPOSITORY

MINI, DISTILL, QWEN = (judge for judge, _, _ in MODELS.values())
NAN = float("nan")

# Spearman of the expected score with: the judge repository's label; that label in the tail; the label found
# by text in the tail; the label used. Last: of the decoded score with the label used.
SPEARMAN = {
    ("cosmos", "geval", MINI): (0.499, 0.119, NAN, 0.446, 0.461),
    ("cosmos", "geval", DISTILL): (0.474, 0.190, NAN, 0.431, 0.360),
    ("cosmos", "geval", QWEN): (0.497, 0.093, NAN, 0.412, 0.424),
    ("cosmos", "socreval", MINI): (0.510, 0.025, NAN, 0.502, 0.490),
    ("cosmos", "socreval", DISTILL): (0.539, 0.130, NAN, 0.441, 0.434),
    ("cosmos", "socreval", QWEN): (0.555, 0.113, NAN, 0.569, 0.531),
    ("drop", "geval", MINI): (0.514, 0.320, 0.539, 0.533, 0.509),
    ("drop", "geval", DISTILL): (0.551, -0.138, 0.481, 0.588, 0.507),
    ("drop", "geval", QWEN): (0.564, 0.042, 0.418, 0.589, 0.516),
    ("drop", "socreval", MINI): (0.563, -0.140, 0.798, 0.617, 0.231),
    ("drop", "socreval", DISTILL): (0.625, -0.172, 0.716, 0.674, 0.678),
    ("drop", "socreval", QWEN): (0.590, -0.133, 0.653, 0.635, 0.633),
    ("esnli", "geval", MINI): (0.388, NAN, NAN, 0.388, 0.371),
    ("esnli", "geval", DISTILL): (0.296, NAN, NAN, 0.296, 0.239),
    ("esnli", "geval", QWEN): (0.392, NAN, NAN, 0.392, 0.371),
    ("esnli", "socreval", MINI): (0.584, NAN, NAN, 0.584, 0.552),
    ("esnli", "socreval", DISTILL): (0.612, NAN, NAN, 0.612, 0.573),
    ("esnli", "socreval", QWEN): (0.674, NAN, NAN, 0.674, 0.656),
    ("gsm8k", "geval", MINI): (0.585, -0.032, 0.774, 0.730, 0.730),
    ("gsm8k", "geval", DISTILL): (0.602, -0.053, 0.830, 0.757, 0.741),
    ("gsm8k", "geval", QWEN): (0.663, -0.015, 0.866, 0.822, 0.844),
    ("gsm8k", "socreval", MINI): (0.646, -0.090, 0.868, 0.805, 0.259),
    ("gsm8k", "socreval", DISTILL): (0.661, -0.058, 0.829, 0.804, 0.875),
    ("gsm8k", "socreval", QWEN): (0.677, -0.013, 0.824, 0.835, 0.894),
}
# Chains; in step; found by text; without a label to trust; labels unlike the judge repository's row.
COUNTS = {
    "cosmos": (195, 95, 0, 100, 0),
    "drop": (210, 195, 10, 5, 9),
    "esnli": (151, 151, 0, 0, 0),
    "gsm8k": (200, 160, 35, 5, 21),
}
# Labelled chains with repeated samples, median number of samples read, Spearman of their mean.
REPEATED = {
    "cosmos": (46, 20, 0.570),
    "drop": (103, 20, 0.723),
    "esnli": (76, 20, 0.630),
    "gsm8k": (99, 20, 0.845),
}


@pytest.fixture
def labelled(parsed):
    recording = parsed("roscoe")
    rows = recording.judgments.merge(recording.labels, on=["aspect", "item"]).merge(
        recording.items, on="item"
    )
    # Vectors close to one score need their last digits: normalise in double precision before the expectation.
    probs = rows[PROBABILITIES].to_numpy(float)
    rows["expected"] = (probs / probs.sum(axis=1, keepdims=True)) @ np.arange(1.0, 6.0)
    return rows


def spearman(rows, score, label):
    return rows[score].corr(rows[label], method="spearman")


@pytest.mark.needs("mirror")
def test_scores_correlate_as_noted(labelled):
    found = {}
    for key, rows in labelled.groupby(["set", "protocol", "judge"]):
        if key in SPEARMAN:
            tail = rows[rows["aligned"] != "yes"]
            found[key] = (
                spearman(rows, "expected", "label_in_judge_repo"),
                spearman(tail, "expected", "label_in_judge_repo"),
                spearman(tail, "expected", "label"),
                spearman(rows, "expected", "label"),
                spearman(rows, "raw_score", "label"),
            )
    assert found.keys() == SPEARMAN.keys()
    for key, noted in SPEARMAN.items():
        assert found[key] == pytest.approx(noted, abs=0.0026, nan_ok=True), key


@pytest.mark.needs("mirror")
def test_counts_of_repaired_labels_are_as_noted(parsed):
    recording = parsed("roscoe")
    labels = recording.labels.merge(recording.items, on="item")
    found = {}
    for name, rows in labels.groupby("set"):
        aligned = rows["aligned"].value_counts().reindex(["yes", "rejoined", "no"], fill_value=0)
        moved = rows["label"].notna() & (rows["label"] != rows["label_in_judge_repo"])
        found[name] = (len(rows), *aligned.tolist(), int(moved.sum()))
    assert found == COUNTS
    assert labels["label"].notna().sum() == 646
    assert (labels["label"].isna() == (labels["aligned"] == "no")).all()


@pytest.mark.needs("mirror")
def test_repeated_samples_are_as_noted(labelled):
    samples = labelled[(labelled["protocol"] == "socreval_samples") & labelled["label"].notna()]
    assert len(samples) == 324
    for name, rows in samples.groupby("set"):
        count, median, rho = REPEATED[name]
        assert (len(rows), round(20 * rows["mass"].median())) == (count, median)
        means = rows.assign(expected=rows["expected"].round(6))
        # Which of the less regular answers hold a score is the reader's choice: within 0.004.
        assert spearman(means, "expected", "label") == pytest.approx(rho, abs=0.0045)


@pytest.mark.needs("mirror")
def test_answer_verifier_is_as_noted(parsed):
    recording = parsed("roscoe")
    labels = recording.labels[recording.labels["answer_correct"].notna()]
    assert len(labels) == 195
    assert labels["label"].groupby(labels["answer_correct"]).agg(["size", "mean"]).round(2).to_dict(
        "index"
    ) == {
        0: {"size": 88, "mean": 1.64},
        1: {"size": 107, "mean": 4.86},
    }
    verdicts = recording.judgments[recording.judgments["judge"] == VERIFIER]
    assert verdicts["item"].tolist() == labels["item"].tolist()
    assert verdicts["hard"].tolist() == labels["answer_correct"].tolist()


@pytest.mark.needs("mirror")
def test_every_chain_has_six_distributions(parsed):
    judgments = parsed("roscoe").judgments
    six = judgments[judgments["protocol"].isin(PROMPTS.values())]
    assert six.groupby("item").size().eq(6).all()
    assert len(six) == 6 * 756


def instance(step, quality, reference="A: 2"):
    return {
        "instance": f"CONTEXT:\nQuestion: 1 + 1?\n\\Solution: {reference}\n\nGENERATED RESPONSE:\n"
        f"Step 1 - {step}\nStep 2 - A: 2\nJudge the generated response:\n",
        "annotations": {
            "Overall Quality": {"mean_human": quality},
            "Coherency": {"mean_human": 5},
            "Missing Steps": {"majority_human": "no"},
            "Contradiction": {"majority_human": "yes"},
        },
    }


def lines(rows):
    return "\n".join(json.dumps(row) for row in rows).encode()


def raw_files():
    """Three chains a set: the judges saw the first, then the third, then one that nobody annotated."""
    contents = {}
    shown = ["First, 1 + 1.", "Third.", "Never annotated."]
    for name in SETS:
        prompts = [
            f"Question:\n1 + 1?\n\nGenerated response:\n{step}\nA: 2\n\nEvaluation Form (score):\n\nQuality:"
            for step in shown
        ]
        contents[REPOSITORY, roscoe_labels.PROMPTS.format(name)] = lines(
            {"custom_id": str(number), "body": {"messages": [{"content": prompt}]}}
            for number, prompt in enumerate(prompts)
        )
        contents[REPOSITORY, REPO_LABELS.format(name)] = lines({"human": human} for human in (5, 3, 1))
        annotated = [
            instance("First, 1 + 1.", 5),
            instance("Second.", 3),
            instance("Third.", 1, "so\nA: 1,000"),
        ]
        contents["owner/bench", ANNOTATIONS.format(name)] = json.dumps({"instances": annotated}).encode()
        answers = ['{"overall quality": 4}', "**Overall Quality:** 2", '"overall quality": 4', "none"]
        contents[REPOSITORY, SAMPLES.format(name)] = json.dumps(
            [{"custom_id": "1", "judge_responses": answers}]
        ).encode()
        for model in MODELS:
            for prompt in PROMPTS:
                path = f"{model}/{prompt}_{name}"
                logits = "1,2,3,4,5,human\n" + "".join(f"-3,-3,-3,-1,-1.5,{human}\n" for human in (5, 3, 1))
                contents[REPOSITORY, f"model_logits/{path}_logits.csv"] = logits.encode()
                contents[REPOSITORY, f"raw_scores/{path}_raw.csv"] = b"raw_score\n4\n5\n4\n"
    return contents


def test_label_follows_the_text_that_was_judged(made_up_files):
    labels = parse(made_up_files(raw_files())).labels.set_index("item")
    gsm8k = labels.loc[["gsm8k-0", "gsm8k-1", "gsm8k-2"]]
    assert gsm8k["aligned"].tolist() == ["yes", "rejoined", "no"]
    assert gsm8k["label"].tolist() == pytest.approx([5, 1, NAN], nan_ok=True)
    assert gsm8k["label_in_judge_repo"].tolist() == [5, 3, 1]
    assert gsm8k["answer_correct"].tolist() == pytest.approx([1, 0, NAN], nan_ok=True)


def test_tail_of_cosmos_has_no_label(made_up_files):
    labels = parse(made_up_files(raw_files())).labels.set_index("item")
    assert labels.loc[["cosmos-0", "cosmos-1", "cosmos-2"], "aligned"].tolist() == ["yes", "no", "no"]
    assert np.isnan(labels.loc["cosmos-1", ["label", "coherency"]].astype(float)).all()


def test_samples_join_the_chain_they_were_drawn_for(made_up_files):
    judgments = parse(made_up_files(raw_files())).judgments
    row = judgments[(judgments["protocol"] == "socreval_samples") & (judgments["item"] == "drop-1")].iloc[0]
    assert row[PROBABILITIES].tolist() == pytest.approx([0, 1 / 3, 0, 2 / 3, 0])
    assert (row["hard"], row["mass"]) == (4, pytest.approx(0.75))


def test_verifier_judges_gsm8k_only(made_up_files):
    judgments = parse(made_up_files(raw_files())).judgments
    assert judgments.loc[judgments["judge"] == VERIFIER, "item"].tolist() == ["gsm8k-0", "gsm8k-1"]


def test_samples_without_a_score_are_unparsed():
    frequencies, share = sample_frequencies(["no", "overall quality: high"])
    assert np.isnan(frequencies).all()
    assert share == 0


@pytest.mark.parametrize("answer", ['"overall quality": 4.5', "overall quality: 45", "quality 5"])
def test_other_numbers_are_no_sampled_score(answer):
    frequencies, share = sample_frequencies([answer, '"overall quality": 3'])
    assert frequencies.tolist() == [0, 0, 1, 0, 0]
    assert share == 0.5


def test_text_annotated_twice_is_not_rejoined():
    assert align(["x", "b"], ["a", "c", "b", "B."], trust_text=True) == ([-1, -1], ["no", "no"])


def test_judged_text_is_the_last_response_of_a_prompt():
    prompt = "Generated response:\nexample\n\nQuestion\n\nGenerated response:\nreal\n\nEvaluation Form (1-5):"
    assert judged_text(prompt) == "real"


def test_labels_that_differ_between_repositories_are_refused(made_up_files):
    contents = raw_files()
    contents[REPOSITORY, REPO_LABELS.format("esnli")] = lines({"human": human} for human in (5, 3, 2))
    with pytest.raises(InvalidInput, match="roscoe esnli labels"):
        parse(made_up_files(contents))


def test_distributions_in_another_order_are_refused(made_up_files):
    contents = raw_files()
    path = REPOSITORY, f"model_logits/qwen/{next(iter(PROMPTS))}_drop_logits.csv"
    header, *rows = contents[path].splitlines()
    contents[path] = b"\n".join([header, *rows[::-1]])
    with pytest.raises(InvalidInput, match="qwen/GEval_drop row 0"):
        parse(made_up_files(contents))
