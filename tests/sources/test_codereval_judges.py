import io

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from judgekit.errors import InvalidInput
from judgekit.sources.codereval_judges import FOLDER, HUMAN, JUDGES, LANGUAGES, PROTOCOL, parse

REPOSITORY = "someone/code"

# The note's table: candidates judged, agreement with the tests, Cohen's kappa, share judged correct.
NOTE = """
judge language n accuracy kappa rate
CodeLlama-13b-Instruct-hf java 1642 0.465 0.064 0.859
CodeLlama-13b-Instruct-hf python 1420 0.446 0.039 0.769
CodeLlama-34b-Instruct-hf java 1647 0.607 0.224 0.531
CodeLlama-34b-Instruct-hf python 1468 0.464 0.040 0.704
CodeLlama-7b-Instruct-hf java 1636 0.552 -0.057 0.116
CodeLlama-7b-Instruct-hf python 1406 0.596 -0.025 0.134
deepseek-coder-1.3b-instruct java 1208 0.461 0.048 0.868
deepseek-coder-1.3b-instruct python 1445 0.399 0.020 0.902
deepseek-coder-33b-instruct java 1645 0.544 0.139 0.646
deepseek-coder-33b-instruct python 1474 0.535 0.137 0.635
deepseek-coder-6.7b-instruct java 1648 0.416 0.022 0.982
deepseek-coder-6.7b-instruct python 1474 0.372 0.009 0.967
gpt-3.5-turbo java 1621 0.488 0.092 0.837
gpt-3.5-turbo python 1477 0.433 0.053 0.848
gpt-4-turbo java 1649 0.554 0.176 0.702
gpt-4-turbo python 1477 0.481 0.089 0.742
"""


def made_up_candidates(**changed):
    """Java: a task with a model's and a human's candidate, and one nobody judged. Python: one candidate."""
    java = pd.DataFrame(
        {
            "target_id": ["a1", "a1", "a2"],
            "generated_by": ["gpt-4-turbo", HUMAN, "gpt-4-turbo"],
            "generated_code": "int one(){\nreturn 1;\n}",
            "is_pass": ["0", "1", "1"],
            **{f"{judge.judge}_rating": ["1", "-", "-"] for judge in JUDGES},
        }
    ).assign(**{"gpt-4-turbo_rating": ["0", "1", "-"], **changed})
    python = java.iloc[:1].assign(target_id="b1", rating="10", **{f"{JUDGES[0].judge}_rationale": "--"})
    return {
        (REPOSITORY, f"{FOLDER}cg_judgement_{language}_{PROTOCOL}.csv"): table.to_csv(index=False).encode()
        for language, table in zip(LANGUAGES, (java, python), strict=True)
    }


def test_candidates_without_any_verdict_are_no_items(made_up_files):
    recording = parse(made_up_files(made_up_candidates()))
    assert recording.items["item"].tolist() == [
        "java/a1/gpt-4-turbo",
        "java/a1/human_written",
        "python/b1/gpt-4-turbo",
    ]
    assert recording.items["group"].tolist() == ["a1", "a1", "b1"]
    assert recording.items["language"].tolist() == ["java", "java", "python"]
    assert recording.items["origin"].tolist() == ["model", "human", "model"]
    assert recording.labels["label"].tolist() == [0, 1, 0]


def test_a_verdict_left_out_is_missing(made_up_files):
    judgments = parse(made_up_files(made_up_candidates())).judgments
    hard = judgments.pivot(index="judge", columns="item", values="hard")
    assert hard.loc["gpt-4-turbo"].tolist() == [0, 1, 0]
    np.testing.assert_array_equal(hard.loc["CodeLlama-7b-Instruct-hf"], np.float32([1, np.nan, 1]))
    assert (judgments["parse_ok"] == judgments["hard"].notna()).all()


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"gpt-3.5-turbo_rating": ["10", "-", "-"]}, "gpt-3.5-turbo_rating: allowed is 0, 1 or -; given 10"),
        ({"is_pass": ["-", "1", "1"]}, "is_pass: allowed is 0 or 1; given -"),
    ],
)
def test_unknown_ratings_and_absent_labels_are_refused(made_up_files, changed, complaint):
    with pytest.raises(InvalidInput, match=complaint):
        parse(made_up_files(made_up_candidates(**changed)))


@pytest.mark.needs("mirror")
def test_counts_are_those_of_the_note(parsed):
    recording = parsed("codereval_judges")
    assert recording.items["language"].value_counts().to_dict() == {"java": 1656, "python": 1477}
    complete = recording.judgments.groupby("item")["parse_ok"].all().groupby(lambda item: item.split("/")[0])
    assert complete.sum().to_dict() == {"java": 1185, "python": 1308}
    assert recording.judgments.groupby("item")["parse_ok"].any().all()
    assert len(recording.judgments) == 8 * 3133


@pytest.mark.needs("mirror")
def test_pass_rates_are_those_of_the_note(parsed):
    recording = parsed("codereval_judges")
    rows = recording.items.merge(recording.labels, on="item")
    rates = rows.groupby("language")["label"].mean().to_dict()
    assert rates == pytest.approx({"java": 0.397, "python": 0.357}, abs=5e-4)
    assert (rows.loc[rows["origin"] == "human", "label"] == 1).all()
    assert (rows["origin"] == "human").sum() == 184 + 191


@pytest.mark.needs("mirror")
def test_no_task_has_candidates_in_both_languages(parsed):
    assert (parsed("codereval_judges").items.groupby("group")["language"].nunique() == 1).all()


@pytest.mark.needs("mirror")
def test_agreement_is_that_of_the_note(parsed):
    recording = parsed("codereval_judges")
    rows = recording.judgments.merge(recording.labels, on=["aspect", "item"]).merge(
        recording.items, on="item"
    )
    rows = rows[rows["parse_ok"]].assign(right=lambda frame: frame["hard"] == frame["label"])
    by_judge = rows.groupby(["judge", "language"])
    found = by_judge.agg(n=("hard", "size"), accuracy=("right", "mean"), rate=("hard", "mean"))
    found["kappa"] = by_judge[["hard", "label"]].apply(lambda judged: cohen_kappa_score(*judged.T.to_numpy()))
    expected = pd.read_csv(io.StringIO(NOTE), sep=" ").set_index(["judge", "language"])
    pd.testing.assert_frame_equal(
        found.loc[expected.index, expected.columns].astype(float), expected.astype(float), atol=5.1e-4, rtol=0
    )


@pytest.mark.needs("mirror")
def test_no_code_is_kept(parsed):
    columns = ["item", "group", "language", "origin", "generated_by"]
    assert list(parsed("codereval_judges").items.columns) == columns
