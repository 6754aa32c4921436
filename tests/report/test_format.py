from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from judgekit.report.format import difference, order, plain_digits, rounded, shown, signed

VALUES = st.floats(min_value=-20, max_value=20, allow_nan=False)
DIGITS = st.integers(min_value=0, max_value=5)


@given(VALUES, VALUES, DIGITS)
def test_a_difference_is_that_of_the_shown_numbers(rebuilt, printed, digits):
    left = Decimal(shown(rebuilt, digits).replace("\u2212", "-"))
    right = Decimal(shown(printed, digits).replace("\u2212", "-"))
    assert difference(rebuilt, printed, digits) == left - right


@given(VALUES, DIGITS)
def test_shown_digits_are_the_printed_ones(value, digits):
    assert len(shown(value, digits).partition(".")[2]) == digits


@given(VALUES, VALUES, DIGITS)
def test_order_is_antisymmetric(left, right, digits):
    mirror = {"lower": "higher", "higher": "lower", "equal": "equal"}
    assert order(left, right, digits) == mirror[order(right, left, digits)]


def test_ties_round_to_even():
    assert rounded(0.00125, 4) == Decimal("0.0012")
    assert rounded(0.00135, 4) == Decimal("0.0014")


def test_signs_are_always_shown_and_zero_has_none():
    assert signed(Decimal("-0.0968")) == "\u22120.0968"
    assert signed(Decimal("0.0012")) == "+0.0012"
    assert signed(Decimal("-0.0000")) == "0.0000"


def test_missing_values_have_no_difference_and_no_order():
    nan = float("nan")
    assert difference(nan, 0.1, 4) is None
    assert signed(None) == shown(nan, 4) == shown(None, 4) == "–"
    assert order(nan, 0.1, 4) == ""


def test_whole_columns_need_no_decimals():
    assert plain_digits([838.0, 300.0, float("nan")]) == 0
    assert plain_digits([1.0, 2.5]) == 4
    assert plain_digits([float("nan")]) == 4
