import json

import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.sources import mr_math_steps
from judgekit.sources.mr_math_steps import JUDGES, RESULTS, SOLUTIONS, class_probabilities, parse

REPO = "owner/steps"

# The note's table: Spearman of raw_score with the rating, accuracy of the most probable class.
NOTE = {
    "math-shepherd-mistral-7b": (0.034, 0.452),
    "reasoneval-abel-7b-002": (0.139, 0.845),
    "reasoneval-llama2-7b": (0.091, 0.843),
    "reasoneval-llemma-34b": (0.053, 0.781),
    "reasoneval-llemma-7b": (0.110, 0.839),
    "reasoneval-mistral-7b": (0.128, 0.844),
    "reasoneval-wizardmath-7b-v1.0": (0.101, 0.833),
    "reasoneval-wizardmath-7b-v1.1": (0.143, 0.840),
}


def lines(rows):
    return "\n".join(json.dumps(row) for row in rows).encode()


def raw_files(**changed):
    """Two solutions of two and one steps, judged alike by every judge; `changed` replaces a judge's rows."""
    contents = {(REPO, SOLUTIONS): lines([{"id": 0, "rating": [1, 0]}, {"id": 1, "rating": [-1]}])}
    for judge in JUDGES:
        three = judge != "math-shepherd_mistral-7b"
        rows = [
            {"id": 0, "scores": [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]] if three else [0.75, 0.25]},
            {"id": 1, "scores": [[0.6, 0.3, 0.1]] if three else [0.5]},
        ]
        contents[REPO, f"{RESULTS}{judge}_eval_results.json"] = lines(changed.get(judge, rows))
    return contents


def test_steps_become_items_grouped_by_solution(made_up_files):
    recording = parse(made_up_files(raw_files()))
    assert recording.items[["item", "group", "step"]].to_numpy().tolist() == [
        ["0-0", "0", 0],
        ["0-1", "0", 1],
        ["1-0", "1", 0],
    ]
    assert recording.labels["label"].tolist() == [1, 0, -1]
    assert set(recording.judges["support"]) == {"-1 0 1"}


def test_raw_score_is_the_difference_of_the_outer_classes(made_up_files):
    judgments = parse(made_up_files(raw_files())).judgments.set_index(["judge", "item"])
    row = judgments.loc[("reasoneval-abel-7b-002", "0-1")]
    assert row["raw_score"] == pytest.approx(0.2 - 0.5)
    assert row["hard"] == -1
    assert row[["p_0", "p_1", "p_2"]].tolist() == pytest.approx([0.5, 0.3, 0.2])


def test_one_score_becomes_two_classes():
    assert class_probabilities([0.75, 0.5]).tolist() == [[0.25, 0, 0.75], [0.5, 0, 0.5]]


def test_three_classes_are_normalised():
    assert class_probabilities([[0.2, 0.2, 0.4]]).tolist() == [[0.25, 0.25, 0.5]]


def test_results_of_other_steps_are_refused(made_up_files):
    short = [{"id": 0, "scores": [[0.1, 0.2, 0.7]]}, {"id": 1, "scores": [[0.6, 0.3, 0.1]]}]
    with pytest.raises(InvalidInput, match="numbers of steps"):
        parse(made_up_files(raw_files(**{"reasoneval_mistral-7b": short})))


def test_results_of_fewer_solutions_are_refused(made_up_files):
    short = [{"id": 0, "scores": [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]}]
    with pytest.raises(InvalidInput, match="other rows"):
        parse(made_up_files(raw_files(**{"reasoneval_mistral-7b": short})))


@pytest.mark.needs("mirror")
def test_counts_of_the_note(parsed):
    recording = parsed("mr_math_steps")
    assert len(recording.items) == 2995
    assert recording.items["group"].nunique() == 300
    assert recording.labels["label"].value_counts().to_dict() == {1: 2642, 0: 353}
    assert len(recording.judgments) == 8 * 2995


@pytest.mark.needs("mirror")
def test_table_of_the_note(parsed):
    recording = parsed("mr_math_steps")
    rows = recording.judgments.merge(recording.labels, on=["aspect", "item"])
    found = {
        judge: (
            round(group["raw_score"].corr(group["label"], method="spearman"), 3),
            round((group["hard"] == group["label"]).mean(), 3),
        )
        for judge, group in rows.groupby("judge")
    }
    assert found == NOTE


@pytest.mark.needs("mirror")
def test_probabilities_sum_to_one(parsed):
    judgments = parsed("mr_math_steps").judgments
    columns = [f"p_{bucket}" for bucket in range(len(mr_math_steps.SUPPORT))]
    assert np.allclose(judgments[columns].sum(axis=1), 1, atol=1e-5)
