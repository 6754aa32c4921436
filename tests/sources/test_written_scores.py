import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.sources.written_scores import choice_score, reasoned_score, star_score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Reads well. Final score: 4/5 (fluent). It misses a perfect 5/5.", 4),
        ("They won 2-1 in the 87th minute. Score: 3.", 3),
        ("He scored 15 penalties from 16 attempts. Final score: 2.", 2),
        ("I would give it a 4 out of 5.\n\n1. Facts: 5 out of 5.", 4),
        ("It lacks coherence, scoring a one out of five.", 1),
        ("Mostly fluent, resulting in a score of 3.5.", 3.5),
        ("A clear list of facts, making it a 5, perfect coherence.", 5),
        ("It contradicts the article on 2,000 migrants. 4.", 4),
        ("The Score:\n1. Facts are right. I score it 4/5.", 4),
    ],
)
def test_overall_score_is_read(text, score):
    assert reasoned_score(text) == score


@pytest.mark.parametrize(
    "text", ["", "It ran for four seasons.", "They won 6-0.", "A rise of 3% since 2015."]
)
def test_text_without_a_score_is_unparsed(text):
    assert math.isnan(reasoned_score(text))


@given(st.integers(1, 5), st.text(alphabet="abc .", max_size=30))
def test_stated_final_score_always_wins(score, before):
    assert reasoned_score(f"{before} 3 goals. Final score: {score}") == score


@pytest.mark.parametrize(("text", "score"), [("4 stars", 4), ("Five stars. No 1 star.", 5), ("1 star", 1)])
def test_stars_are_read(text, score):
    assert star_score(text) == score


def test_letters_run_from_one_to_five():
    assert [choice_score(letter) for letter in "ABCDE"] == [1, 2, 3, 4, 5]
    assert math.isnan(choice_score("F"))
