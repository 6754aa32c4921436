import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame, one_hot
from judgekit.signals import Signal, parse_signal, slice_labels


def judged() -> Judgments:
    return Judgments(
        one_hot(np.array([[0, 1], [1, 1], [2, -1]]), 3),
        np.array([1.0, 2.5, 4.0]),
        np.array([1.0, 2.5, 4.0]),
        pd.DataFrame(
            {"item": list("xyz"), "group": list("xyz"), "task": ["t", None, "u"], "year": [1, 2, 2]}
        ),
        judge_frame(["A", "B / strict"]),
    )


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("metadata", Signal("metadata")),
        ("label", Signal("label")),
        ("verifier:A", Signal("verifier", ("A",))),
        ("judge:B / strict", Signal("judge", ("B / strict",))),
        ("disagreement:A, B / strict", Signal("disagreement", ("A", "B / strict"))),
        ("judge:org/model:7b", Signal("judge", ("org/model:7b",))),
    ],
)
def test_every_form_is_read_and_written(text, signal):
    assert parse_signal(text) == signal
    assert parse_signal(str(signal)) == signal


@pytest.mark.parametrize(
    "text",
    ["", "oracle", "metadata:A", "verifier", "verifier:", "judge:A,B", "disagreement:A", "disagreement:A,A",
     "disagreement:A,", None, 3],
)  # fmt: skip
def test_other_forms_are_refused(text):
    with pytest.raises(InvalidInput, match=r"^signal: allowed is metadata, verifier:NAME"):
        parse_signal(text)


def test_only_the_label_never_routes():
    forms = ["metadata", "verifier:A", "judge:A", "disagreement:A,B", "label"]
    assert [parse_signal(text).routes for text in forms] == [True] * 4 + [False]


def test_metadata_and_labels_read_a_column():
    for kind in ("metadata", "label"):
        assert slice_labels(judged(), Signal(kind), "task").tolist() == ["t", None, "u"]
        assert slice_labels(judged(), Signal(kind), "year").tolist() == ["1", "2", "2"]
        assert slice_labels(judged(), Signal(kind)).tolist() == [None] * 3


def test_a_verdict_is_named_by_its_score():
    assert slice_labels(judged(), Signal("verifier", ("A",))).tolist() == ["1", "2.5", "4"]
    assert slice_labels(judged(), Signal("judge", ("B / strict",))).tolist() == ["2.5", "2.5", None]


def test_disagreement_needs_both_verdicts():
    found = slice_labels(judged(), Signal("disagreement", ("A", "B / strict")))
    assert found.tolist() == ["disagree", "agree", None]


def test_strangers_are_refused():
    with pytest.raises(InvalidInput, match=r"^slice: allowed is a column among"):
        slice_labels(judged(), Signal("metadata"), "colour")
    with pytest.raises(InvalidInput, match=r"^judges: allowed is names among .*; given \['C'\]"):
        slice_labels(judged(), Signal("judge", ("C",)))
