import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.report.claims.condition import LONGEST, Condition
from judgekit.report.claims.records import claims

RISKS = {"role": 0.1094, "single": 0.1183, "name": "fixed", "flag": True, "nan": math.nan}


@pytest.mark.parametrize(
    "text",
    [
        "().__class__ == 1",
        "role.real < 1",
        "__import__('os').system('true') == 0",
        "open('x') == 1",
        "eval('1') == 1",
        "[x for x in role] == 1",
        "(lambda: 1)() == 1",
        "role[0] < 1",
        "role if flag else single",
        "(role := 1) < 2",
        "role ** 9 < 1",
        "role << 9 > 1",
        "role % 2 == 0",
        "role in (1, 2)",
        "role is None",
        "abs(role, key=1) < 1",
        "abs(*role) < 1",
        "abs() < 1",
        "abs == 1",
        "_hidden < 1",
        "f'{role}' == 1",
        "b'x' == 1",
        "None == 1",
        "1j == 1",
        "role < 1; single < 1",
        "role <",
        "",
        "role",
        "1",
        "role + 1",
        "import os",
        "role < 1\x00",
        "(" * 200 + "role" + ")" * 200,
        "role < " + "1" * LONGEST,
    ],
)
def test_everything_off_the_whitelist_is_refused(text):
    with pytest.raises(InvalidInput, match=r"^condition: allowed is "):
        Condition(text)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("role < single", True),
        ("role < single and single < role", False),
        ("role < single or single < role", True),
        ("not role < single", False),
        ("not (role > single or flag == False)", True),
        ("0 < role < single < 1", True),
        ("-role < 0", True),
        ("abs(role - single) <= 0.01", True),
        ("min(role, single) == role and max(role, single) != role", True),
        ("round(role) == 0", True),
        ("2*role > single / 2 + 0.1", True),
        ("name == 'fixed'", True),
        ("name != 'sparse'", True),
        ("flag == True", True),
        ("nan < 1", None),
        ("not nan < 1", None),
        ("role / (single - single) < 1", None),
    ],
)
def test_conditions_mean_what_they_say(text, holds):
    assert Condition(text).holds(RISKS) is holds


def test_equality_is_at_the_printed_digits_and_order_is_not():
    values = {"a": 0.12344, "b": 0.12338}
    digits = {"a": 4, "b": 4}
    assert Condition("a == b").holds(values, digits) is True
    assert Condition("a == b").holds(values) is False
    assert Condition("a != b").holds(values, digits) is False
    assert Condition("a > b").holds(values, digits) is True


def test_a_name_without_a_value_is_an_error():
    with pytest.raises(InvalidInput, match=r"^condition: allowed is values for role, other; given none for"):
        Condition("role < other").holds(RISKS)


def test_text_and_numbers_have_no_order():
    with pytest.raises(InvalidInput, match=r"^condition: allowed is values of one kind on both sides"):
        Condition("name < 1").holds(RISKS)


def test_names_come_in_order_of_use():
    assert Condition("b < a and abs(c - b) < 1").names == ("b", "a", "c")


@given(st.text(max_size=40))
def test_no_text_gets_past_the_whitelist_by_chance(text):
    try:
        condition = Condition(text)
    except InvalidInput:
        return
    values = dict.fromkeys(condition.names, 0.5)
    if "'" not in text and '"' not in text:
        assert condition.holds(values) in (True, False, None)


def test_printed_values_fulfil_every_condition_on_them():
    seen = 0
    for claim in claims().values():
        if claim.condition and set(claim.condition.names) <= set(claim.published):
            assert claim.condition.holds(claim.published, claim.digits) is True, claim.id
            seen += 1
    assert seen > 100


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_comparisons_agree_with_python(a, b):
    for text in ("a < b", "a <= b", "a == b", "a != b", "abs(a - b) < 0.5", "a + b > a * b"):
        assert Condition(text).holds({"a": a, "b": b}) is bool(eval(text, {"a": a, "b": b, "abs": abs}))
