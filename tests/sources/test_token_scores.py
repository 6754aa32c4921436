import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.sources.token_scores import (
    ABSENT_TOKEN,
    REPOSITORY,
    check_row_order,
    judgment_rows,
    read_scores,
    token_scores,
)

HEADER = ["1", "2", "3", "4", "5", "coherence"]


def logits(*rows):
    return pd.DataFrame([[*np.log(row[:5]), row[5]] for row in rows], columns=HEADER)


def test_returned_tokens_are_normalised_and_their_mass_is_kept():
    scores = token_scores(logits((0.1, 0.2, 0.4, 0.05, 0.05, 3)))
    assert scores.probs[0].tolist() == pytest.approx([0.125, 0.25, 0.5, 0.0625, 0.0625])
    assert scores.mass[0] == pytest.approx(0.8)
    assert scores.hard.tolist() == [3]


def test_filled_tokens_stay_in_the_distribution_but_not_in_the_mass():
    scores = token_scores(logits((0.6, ABSENT_TOKEN, ABSENT_TOKEN, ABSENT_TOKEN, ABSENT_TOKEN, 1)))
    assert scores.mass[0] == pytest.approx(0.6, abs=1e-12)
    assert scores.probs[0, 1] == pytest.approx(1e-5 / 0.60004)


def test_less_than_half_of_the_mass_is_unparsed():
    scores = token_scores(logits((0.3, 0.19, 1e-5, 1e-5, 1e-5, 1), (0.3, 0.21, 1e-5, 1e-5, 1e-5, 1)))
    assert scores.parse_ok.tolist() == [False, True]
    assert np.isnan(scores.hard[0])
    assert scores.probs[0, 0] == pytest.approx(0.3 / 0.49003)


def test_row_of_fills_alone_is_uniform_without_mass():
    scores = token_scores(logits((*[ABSENT_TOKEN] * 5, 4)))
    assert scores.mass.tolist() == [0]
    assert scores.probs[0].tolist() == pytest.approx([0.2] * 5)
    assert not scores.parse_ok[0]


@given(st.lists(st.floats(1e-5, 0.2), min_size=5, max_size=5))
def test_distribution_sums_to_one(probs):
    assert token_scores(logits((*probs, 1))).probs.sum() == pytest.approx(1)


def test_other_columns_are_refused():
    with pytest.raises(InvalidInput, match="columns 1 2 3 4 5 and a label"):
        token_scores(logits((0.2, 0.2, 0.2, 0.2, 0.2, 1)).rename(columns={"1": "0"}))


@pytest.mark.parametrize("value", [0.5, np.nan])
def test_impossible_log_probabilities_are_refused(value):
    frame = logits((0.2, 0.2, 0.2, 0.2, 0.2, 1))
    frame.loc[0, "3"] = value
    with pytest.raises(InvalidInput, match="log-probabilities <= 0"):
        token_scores(frame)


def test_matching_labels_prove_the_order():
    check_row_order("file", np.array([1, 4 / 3]), np.array([1.0, 1.3333333333333333]))


def test_swapped_rows_are_refused():
    with pytest.raises(InvalidInput, match=r"file row 0: allowed is the label 2 of its item; given 1"):
        check_row_order("file", np.array([1.0, 2.0]), np.array([2.0, 1.0]))


def test_missing_row_is_refused():
    with pytest.raises(InvalidInput, match="file rows: allowed is 2; given 1"):
        check_row_order("file", np.array([1.0]), np.array([1.0, 2.0]))


def test_empty_line_is_an_unparsed_score(made_up_files):
    files = made_up_files({(REPOSITORY, "raw.csv"): b'raw_score\n3\n""\n\n5\n'})
    assert read_scores(files, "raw.csv").tolist() == pytest.approx([3, np.nan, np.nan, 5], nan_ok=True)


def test_rows_of_another_length_are_refused():
    scores = token_scores(pd.read_csv(io.StringIO("1,2,3,4,5,label\n-2,-2,-2,-2,-2,1\n")))
    with pytest.raises(InvalidInput, match="decoded scores"):
        judgment_rows(scores, np.array([1.0, 2.0]), pd.Series(["a"]))
