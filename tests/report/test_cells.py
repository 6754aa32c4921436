import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.report.cells import column_digits, difference_columns, readable, row_digits, text_cell

MINUS = "\u2212"


def test_counts_are_whole_and_calls_have_two_decimals():
    frame = pd.DataFrame({"cells": [8.0], "train_rows": [39.4], "calls": [3.25], "risk": [0.12]})
    assert readable(frame).iloc[0].tolist() == ["8", "39", "3.25", "0.1200"]


def test_whole_calls_stay_whole():
    assert column_digits(pd.DataFrame({"calls": [6.0, 2.0]})) == {"calls": 0}


def test_a_given_number_of_decimals_wins():
    frame = pd.DataFrame({"printed": [26.5, 50.2], "rebuilt": [26.544, 50.244]})
    assert readable(frame, {"rebuilt": 1})["rebuilt"].tolist() == ["26.5", "50.2"]


def test_each_quantity_has_decimals_of_its_own():
    frame = pd.DataFrame(
        {"quantity": ["judges kept", "share"], "ours": [2.0, 0.75], "difference": [-1.0, 0.05]}
    )
    assert readable(frame).to_numpy().tolist() == [
        ["judges kept", "2", f"{MINUS}1"],
        ["share", "0.7500", "+0.0500"],
    ]


def test_thousands_have_no_decimals():
    assert row_digits([6000.0, 2633.980583]) == 0
    assert row_digits([12.5, float("nan")]) == 2


def test_bounds_carry_a_sign_only_behind_a_difference():
    assert difference_columns(["gain", "low", "high"]) == {"gain", "low", "high"}
    assert difference_columns(["spearman", "low", "high"]) == set()
    assert difference_columns(["gain_threshold", "gain_half_width"]) == set()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("-1-1", f"{MINUS}1 to 1"),
        ("0-100", "0–100"),
        ("-0.0481, -0.0343; +0.0558", f"{MINUS}0.0481, {MINUS}0.0343; +0.0558"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini-2024-07-18"),
        (True, "yes"),
        (None, "–"),
    ],
)
def test_text_is_made_readable(raw, text):
    assert text_cell(raw) == text


@given(st.lists(st.floats(-5, 5), min_size=1), st.booleans())
def test_no_number_keeps_a_hyphen_for_a_minus(values, difference):
    shown = readable(pd.DataFrame({"gain" if difference else "value": values}))
    assert not shown.iloc[:, 0].str.contains("-", regex=False).any()
