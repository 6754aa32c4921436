import io
import json

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.sources.download import fetch
from judgekit.sources.llmbar import FOLDER, SLICES, parse

REPOSITORY = "someone/pairs"

PARSE_FAILURES = {
    ("ChatGPT", "CoT"): 5,
    ("ChatGPT", "Metrics"): 2,
    ("ChatGPT", "Swap"): 3,
    ("ChatGPT", "Swap_CoT"): 5,
    ("ChatGPT", "Vanilla_1shot"): 2,
    ("ChatGPT", "Vanilla_2shot"): 2,
    ("ChatGPT-0301", "CoT"): 1,
    ("ChatGPT-0301", "Swap_CoT"): 2,
    ("ChatGPT-0301", "Vanilla_1shot"): 2,
    ("ChatGPT-0301", "Vanilla_2shot"): 2,
    ("Falcon", "CoT"): 3,
    ("Falcon", "Metrics"): 3,
    ("Falcon", "Swap"): 3,
    ("Falcon", "Swap_CoT"): 4,
    ("GPT-4", "Vanilla_1shot"): 2,
    ("GPT-4", "Vanilla_2shot"): 2,
    ("LLaMA2", "CoT"): 4,
    ("LLaMA2", "Swap"): 4,
    ("LLaMA2", "Swap_CoT"): 4,
    ("LLaMA2", "Vanilla"): 2,
    ("LLaMA2", "Vanilla_1shot"): 7,
    ("LLaMA2", "Vanilla_NoRules"): 1,
    ("PaLM2", "CoT"): 6,
    ("PaLM2", "Metrics"): 8,
    ("PaLM2", "Metrics_Reference"): 10,
    ("PaLM2", "Reference"): 9,
    ("PaLM2", "Swap"): 6,
    ("PaLM2", "Swap_CoT"): 6,
    ("PaLM2", "Vanilla"): 8,
    ("PaLM2", "Vanilla_NoRules"): 16,
}

# Accuracy over both orders, an unparsed verdict counted as wrong.
ACCURACY = """
judge protocol adversarial_gptinst adversarial_gptout adversarial_manual adversarial_neighbor natural
ChatGPT Metrics_Reference 0.359 0.383 0.435 0.381 0.825
ChatGPT Vanilla 0.266 0.415 0.348 0.194 0.815
ChatGPT Vanilla_NoRules 0.293 0.436 0.370 0.179 0.790
ChatGPT-0301 Metrics_Reference 0.408 0.479 0.467 0.410 0.800
ChatGPT-0301 Vanilla 0.375 0.511 0.446 0.287 0.840
ChatGPT-0301 Vanilla_NoRules 0.391 0.543 0.359 0.269 0.825
Falcon Metrics_Reference 0.495 0.521 0.522 0.515 0.625
Falcon Vanilla 0.500 0.543 0.511 0.504 0.740
Falcon Vanilla_NoRules 0.451 0.564 0.446 0.444 0.760
GPT-4 Metrics_Reference 0.897 0.723 0.837 0.854 0.960
GPT-4 Vanilla 0.864 0.777 0.804 0.787 0.955
GPT-4 Vanilla_NoRules 0.766 0.766 0.750 0.642 0.935
LLaMA2 Metrics_Reference 0.348 0.596 0.435 0.358 0.760
LLaMA2 Vanilla 0.304 0.564 0.370 0.246 0.805
LLaMA2 Vanilla_NoRules 0.250 0.553 0.304 0.190 0.770
PaLM2 Metrics_Reference 0.772 0.638 0.674 0.698 0.865
PaLM2 Vanilla 0.734 0.596 0.652 0.627 0.830
PaLM2 Vanilla_NoRules 0.668 0.628 0.620 0.511 0.820
"""


def made_up_pair(label, results=None):
    pair = {"input": "Name a colour", "output_1": "Green", "output_2": "A chair", "label": label}
    return pair if results is None else {**pair, "results": results}


def winners(first_game, second_game):
    return {"swap = False": {"winner": first_game}, "swap = True": {"winner": second_game}}


def made_up_contents(results_by_configuration):
    """One pair labelled 1 and one labelled 2 in the natural slice; one pair in each of the others."""
    contents = {}
    for folder in SLICES:
        labels = [1, 2] if folder == "Natural" else [1]
        contents[f"{folder}/dataset.json"] = [made_up_pair(label) for label in labels]
        for configuration, results in results_by_configuration.items():
            rows = [made_up_pair(label, result) for label, result in zip(labels, results, strict=False)]
            contents[f"{folder}/evaluators/{configuration}/result.json"] = rows
    return {(REPOSITORY, FOLDER + path): json.dumps(rows).encode() for path, rows in contents.items()}


def natural(recording, frame):
    rows = getattr(recording, frame)
    return rows[rows["item"].str.startswith("natural/")]


def test_verdicts_and_labels_are_in_the_presented_frame(made_up_files):
    results = {"GPT-4/Vanilla": [[winners("1", "1")], [winners("1", "2")]]}
    recording = parse(made_up_files(made_up_contents(results)))
    assert natural(recording, "items")["item"].tolist() == [
        "natural/0/0",
        "natural/0/1",
        "natural/1/0",
        "natural/1/1",
    ]
    assert natural(recording, "items")["group"].tolist() == ["natural/0"] * 2 + ["natural/1"] * 2
    assert natural(recording, "labels")["label"].tolist() == [1, 0, 0, 1]
    assert natural(recording, "labels")["better_output"].tolist() == [1, 1, 2, 2]
    assert natural(recording, "judgments")["hard"].tolist() == [1, 0, 1, 1]


def test_an_unparsed_verdict_is_missing(made_up_files):
    results = {"PaLM2/CoT": [[winners(None, "2")], [winners("2", None)]]}
    judgments = natural(parse(made_up_files(made_up_contents(results))), "judgments")
    np.testing.assert_array_equal(judgments["hard"], np.float32([np.nan, 1, 0, np.nan]))
    assert judgments["parse_ok"].tolist() == [False, True, True, False]


def test_the_last_result_is_the_verdict(made_up_files):
    results = {"Falcon/Swap": [[winners("1", "2"), winners("2", "2")], [winners("2", "2")]]}
    judgments = natural(parse(made_up_files(made_up_contents(results))), "judgments")
    assert judgments["hard"].tolist() == [0, 1, 0, 1]


def test_rating_scores_are_first_shown_minus_second(made_up_files):
    rated = {"score_1": ["7", "stop"], "score_2": ["4", "stop"], **winners("1", "1")}
    blank = {"score_1": ["", "stop"], "score_2": ["4", "stop"], **winners("1", "2")}
    results = {"GPT-4/Rating": [[rated], [["criteria", "stop"], blank]]}
    judgments = natural(parse(made_up_files(made_up_contents(results))), "judgments")
    np.testing.assert_array_equal(judgments["raw_score"], np.float32([3, -3, np.nan, np.nan]))
    assert judgments["hard"].tolist() == [1, 0, 1, 1]


def test_a_result_for_another_pair_is_refused(made_up_files):
    contents = made_up_contents({"GPT-4/Vanilla": [[winners("1", "1")], [winners("1", "2")]]})
    key = (REPOSITORY, f"{FOLDER}Natural/evaluators/GPT-4/Vanilla/result.json")
    rows = json.loads(contents[key])
    contents[key] = json.dumps(rows[::-1]).encode()
    with pytest.raises(InvalidInput, match=r"row 0: allowed is the label of dataset\.json; given 2"):
        parse(made_up_files(contents))
    contents[key] = json.dumps(rows[:1]).encode()
    with pytest.raises(InvalidInput, match=r"allowed is 2 rows, as in dataset\.json; given 1 rows"):
        parse(made_up_files(contents))


@pytest.mark.parametrize(
    ("configuration", "winner", "complaint"),
    [("GPT-4/Vanilla", "tie", "winner"), ("GPT-9/Vanilla", "1", "llmbar judge")],
)
def test_unknown_winners_and_judges_are_refused(made_up_files, configuration, winner, complaint):
    results = {configuration: [[winners(winner, "1")], [winners("1", "2")]]}
    with pytest.raises(InvalidInput, match=complaint):
        parse(made_up_files(made_up_contents(results)))


def percent(statistic):
    """67.5 from upstream's "27 / 40 = 67.5%" or "67.5%"."""
    return float(statistic.split("= ")[-1].rstrip("%"))


@pytest.fixture
def scored(parsed):
    """Judgments with the slice and order of their item and whether they are right; unparsed = wrong."""
    recording = parsed("llmbar")
    rows = recording.judgments.merge(recording.items, on="item").merge(recording.labels, on="item")
    return rows.assign(right=rows["hard"] == rows["label"])


@pytest.mark.needs("mirror")
def test_counts_are_those_of_the_note(parsed):
    recording = parsed("llmbar")
    assert recording.items["group"].nunique() == 419
    assert len(recording.items) == len(recording.labels) == 838
    assert len(recording.judges) == 65
    assert len(recording.judgments) == 54470
    pairs = recording.items.drop_duplicates("group")["slice"].value_counts().to_dict()
    assert pairs == {
        "natural": 100,
        "adversarial_neighbor": 134,
        "adversarial_gptinst": 92,
        "adversarial_gptout": 47,
        "adversarial_manual": 46,
    }


@pytest.mark.needs("mirror")
def test_parse_failures_are_those_of_the_note(parsed):
    judgments = parsed("llmbar").judgments
    failures = judgments[~judgments["parse_ok"]].groupby(["judge", "protocol"]).size().to_dict()
    assert failures == PARSE_FAILURES


@pytest.mark.needs("mirror")
def test_accuracy_is_that_of_the_note(scored):
    expected = pd.read_csv(io.StringIO(ACCURACY), sep=" ").set_index(["judge", "protocol"])
    found = scored.pivot_table(index=["judge", "protocol"], columns="slice", values="right", aggfunc="mean")
    pd.testing.assert_frame_equal(
        found.loc[expected.index, expected.columns], expected, check_names=False, atol=5.01e-4, rtol=0
    )


@pytest.mark.needs("mirror")
def test_accuracy_agrees_with_every_upstream_statistic(scored):
    files = fetch("llmbar", network=None)
    accuracy = 100 * scored.groupby(["slice", "judge", "protocol", "order"])["right"].mean()
    paths = files.paths(FOLDER, "/statistics.json")
    assert len(paths) == 325
    for path in paths:
        folder, configuration = path.removeprefix(FOLDER).split("/evaluators/")
        found = accuracy[(SLICES[folder], *configuration.split("/")[:2])]
        upstream = json.loads(files.read(path))
        published = [percent(upstream[f"correct_{name}"]) for name in ("False", "True", "average")]
        np.testing.assert_allclose([*found, found.mean()], published, atol=5e-4, rtol=0, err_msg=path)


@pytest.mark.needs("mirror")
def test_equal_ratings_make_the_second_shown_the_winner_upstream(parsed):
    judgments = parsed("llmbar").judgments
    rated = judgments[judgments["protocol"].str.startswith("Rating")]
    assert (rated["hard"] == (rated["raw_score"] > 0))[rated["raw_score"].notna()].all()
    assert (rated["raw_score"] == 0).sum() == 2 * 714
    assert rated["raw_score"].isna().sum() == 2 * 5
    assert (rated.loc[rated["raw_score"].isna(), "hard"] == 1).all()
