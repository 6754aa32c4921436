"""Answers in words: the stated label or the reason for none."""

import pytest

from judgekit.judges.answers import verdict_of
from judgekit.judges.backend import Completion
from judgekit.judges.protocol import Asking, binary, direct_score, pairwise

FIVE = direct_score(1, 5, asking=Asking(read_out="hard"))
TEN = direct_score(1, 10, asking=Asking(read_out="hard"))
REASONED = direct_score(1, 5, asking=Asking(read_out="hard", rationale=True, max_tokens=200))


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("4", 4.0),
        (" 4.", 4.0),
        ("**4**", 4.0),
        ("Score: 3", 3.0),
        ("4/5", 4.0),
        ("4.0", 4.0),
        ('{"score": 2}', 2.0),
        ('{"Score": "2"}', 2.0),
        ("4\n\nThe response is fluent.", 4.0),
    ],
)
def test_plain_answers_are_read(text, score):
    assert verdict_of(Completion(text), FIVE).score == score


def test_fenced_json_is_read():
    text = 'Here it is:\n```json\n{"score": 4, "reason": "1 flaw"}\n```\n'
    assert verdict_of(Completion(text), FIVE).score == 4.0
    assert verdict_of(Completion(text), REASONED).score == 4.0


@pytest.mark.parametrize(
    "text",
    [
        "It names 3 rivers and gets 2 wrong.\nScore: 5",
        "1. Correct.\n2. Clear.\nscore: 5",
        "I first thought\nScore: 2\nbut on reflection\n**Score: 5**",
    ],
)
def test_score_digit_inside_a_rationale_is_not_the_score(text):
    assert verdict_of(Completion(text), REASONED).score == 5.0


@pytest.mark.parametrize(
    "text", ["It names 3 rivers.", "3 of 5 claims are right, which is decent.", "", "4 or 5"]
)
def test_parse_failure_is_never_0_3_or_minus_1(text):
    for protocol in (FIVE, REASONED):
        verdict = verdict_of(Completion(text), protocol)
        assert (verdict.outcome, verdict.score) == ("parse_failure", None)


@pytest.mark.parametrize("text", ["11", "0", "-1", "Score: 10.5", '{"score": 100}', "4.5"])
def test_unclamped_score_is_off_support_and_not_the_nearest(text):
    verdict = verdict_of(Completion(text), TEN)
    assert (verdict.outcome, verdict.score) == ("off_support", None)


@pytest.mark.parametrize(
    ("completion", "outcome"),
    [
        (Completion("I'm sorry, but I can't rate this."), "refusal"),
        (Completion("I can\u2019t help with that."), "refusal"),
        (Completion("no", finish="refusal"), "refusal"),
        (Completion("The response names 3 rivers and", finish="length"), "truncated"),
        (Completion("", finish="timeout"), "timeout"),
        (Completion("5", finish="error"), "error"),
    ],
)
def test_failures_are_told_apart(completion, outcome):
    verdict = verdict_of(completion, REASONED)
    assert (verdict.outcome, verdict.score) == (outcome, None)


def test_a_rationale_cut_off_after_a_draft_score_is_truncated():
    text = "Let me think.\nScore: 2"
    assert verdict_of(Completion(text, finish="length"), REASONED).outcome == "truncated"


def test_verdict_words_are_read_whatever_their_case():
    yes = binary(asking=Asking(criterion="Right?", read_out="hard"))
    assert verdict_of(Completion("yes."), yes).score == 1.0
    assert verdict_of(Completion("Verdict: No"), yes).score == 0.0
    assert verdict_of(Completion("Not at all"), yes).outcome == "parse_failure"
    letters = pairwise(asking=Asking(read_out="hard"))
    assert verdict_of(Completion("A"), letters).score == 1.0
    assert verdict_of(Completion("A or B"), letters).outcome == "parse_failure"
