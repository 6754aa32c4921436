import io

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from judgekit.errors import InvalidInput
from judgekit.sources.triviaqa_judges import ANSWERS, JUDGES, LABEL, parse

REPOSITORY = "someone/answers"

# The note's table: answers judged, agreement with the human label, Cohen's kappa, share judged correct.
NOTE = """
judge n agreement kappa rate
Contains 3595 0.8478 0.6832 0.5499
EM 3595 0.7088 0.4578 0.4058
GPT-4 3595 0.9115 0.7876 0.7121
Gemma-2B 3595 0.7803 0.4220 0.8039
JudgeLM 3595 0.8017 0.5917 0.5360
Llama-13B 3595 0.7750 0.5442 0.5160
Llama-70B 3465 0.8987 0.7403 0.7830
Llama-7B 3595 0.8612 0.6564 0.7435
Llama3-70B 3595 0.9266 0.8179 0.7455
Llama3-8B 3595 0.8509 0.6418 0.7127
Mistral-7B 3595 0.8940 0.7361 0.7497
"""


def made_up_answers(**changed):
    """Two exam takers, two questions, the second taker's first answer twice, at first without verdicts."""
    answers = pd.DataFrame(
        {
            "model": ["alpha", "alpha", "beta", "beta"],
            "response": "Q: which\nA:",
            "question": ["Which sea?", 'Which "hill", then?', "Which sea?", "Which sea?"],
            "references": "one\ntwo",
            "benchmark": "made-up",
            **{judge.judge: ["True", "False", "", "True"] for judge in JUDGES},
            LABEL: ["True", "True", "False", "False"],
        }
    ).assign(**changed)
    return {(REPOSITORY, ANSWERS): answers.to_csv(index=False).encode()}


def test_answers_are_grouped_by_question(made_up_files):
    items = parse(made_up_files(made_up_answers())).items
    assert items["item"].tolist() == ["alpha/q000", "alpha/q001", "beta/q000", "beta/q000#2"]
    assert items["group"].tolist() == ["q000", "q001", "q000", "q000"]
    assert items["exam_taker"].tolist() == ["alpha", "alpha", "beta", "beta"]


def test_a_blank_verdict_is_missing(made_up_files):
    recording = parse(made_up_files(made_up_answers()))
    for _, rows in recording.judgments.groupby("judge"):
        np.testing.assert_array_equal(rows["hard"], np.float32([1, 0, np.nan, 1]))
        assert rows["parse_ok"].tolist() == [True, True, False, True]
    assert recording.labels["label"].tolist() == [1, 1, 0, 0]


def test_string_matches_are_verifiers(made_up_files):
    judges = parse(made_up_files(made_up_answers())).judges
    verifiers = judges[judges["kind"] == "verifier"]
    assert verifiers["judge"].tolist() == ["EM", "Contains"]
    assert set(verifiers["protocol"]) == {"verifier"}


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"GPT-4": ["True", "yes", "False", "True"]}, "GPT-4: allowed is True, False or blank; given yes"),
        ({LABEL: ["True", "", "False", "True"]}, "HumanJudgement: allowed is True or False; given a blank"),
    ],
)
def test_unknown_verdicts_and_absent_labels_are_refused(made_up_files, changed, complaint):
    with pytest.raises(InvalidInput, match=complaint):
        parse(made_up_files(made_up_answers(**changed)))


@pytest.mark.needs("mirror")
def test_counts_and_base_rate_are_those_of_the_note(parsed):
    recording = parsed("triviaqa_judges")
    assert len(recording.items) == 3600
    assert recording.items["group"].nunique() == 400
    assert recording.items["exam_taker"].value_counts().eq(400).all()
    assert recording.items["exam_taker"].nunique() == 9
    assert recording.items["item"].str.contains("#").sum() == 5
    assert recording.labels["label"].mean() == pytest.approx(0.6964, abs=5e-5)
    assert len(recording.judges) == 11


@pytest.mark.needs("mirror")
def test_agreement_is_that_of_the_note(parsed):
    recording = parsed("triviaqa_judges")
    rows = recording.judgments.merge(recording.labels, on=["aspect", "item"])
    rows = rows[rows["parse_ok"]].assign(agrees=lambda frame: frame["hard"] == frame["label"])
    by_judge = rows.groupby("judge")
    found = by_judge.agg(n=("hard", "size"), agreement=("agrees", "mean"), rate=("hard", "mean"))
    found["kappa"] = by_judge[["hard", "label"]].apply(lambda judged: cohen_kappa_score(*judged.T.to_numpy()))
    expected = pd.read_csv(io.StringIO(NOTE), sep=" ").set_index("judge")
    pd.testing.assert_frame_equal(
        found.loc[expected.index, expected.columns].astype(float), expected.astype(float), atol=5.1e-5, rtol=0
    )


@pytest.mark.needs("mirror")
def test_no_text_is_kept(parsed):
    assert list(parsed("triviaqa_judges").items.columns) == ["item", "group", "exam_taker"]
    assert parsed("triviaqa_judges").items["item"].str.len().max() < 30
