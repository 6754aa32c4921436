"""How a table's cells are shown: decimals and signs of numbers, dashes and minus signs of text."""

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from judgekit.report.format import ABSENT, plain_digits, rounded, shown, signed

# In a table with such a column every row is a quantity of its own, with decimals of its own.
ROW_WISE = ("quantity", "measure")
_BY_NAME = ((re.compile(r"(^|_)rows$"), 0), (re.compile(r"(^|_)(calls|cost)$"), 2))
_DIFFERENCES = re.compile(
    r"(^|_)(gain|change|difference|excess_risk|leak)(_(?!threshold|half_width)|$)|_minus_"
)
_BOUNDS = ("low", "high")
_RANGE = re.compile(r"(-?\d+)-(-?\d+)")
_PAIR = re.compile(r"(\S+(?: \S+)?) - (\S+)")
_HYPHEN_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")


def is_number(column: pd.Series) -> bool:
    """Whether a column holds numbers, truth values aside."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def column_digits(frame: pd.DataFrame) -> dict[str, int]:
    """Decimals of each numeric column of a frame that the paper does not print.

    None where all values are whole, and for rows, which are counts even as a mean; two for calls and costs;
    else four.

    Examples
    --------
    >>> column_digits(pd.DataFrame({"judge": ["a"], "calls": [2.5], "audit_rows": [112.5], "risk": [0.25]}))
    {'calls': 2, 'audit_rows': 0, 'risk': 4}
    """
    found = {}
    for name in frame.columns:
        if is_number(frame[name]):
            digits = plain_digits(frame[name].to_list())
            named = [count for pattern, count in _BY_NAME if pattern.search(str(name))]
            found[str(name)] = min([digits, *named])
    return found


def row_digits(values: Sequence[float]) -> int:
    """Decimals of a row that is one quantity: none where all are whole or in thousands, else by size.

    Examples
    --------
    >>> row_digits([6000.0, 2633.98]), row_digits([3.38, 2.125]), row_digits([8.0, 6.0, -2.0])
    (0, 4, 0)
    """
    largest = max((abs(value) for value in values if not pd.isna(value)), default=0.0)
    digits = plain_digits(values)
    return digits if largest < 10 else min(digits, 2 if largest < 1000 else 0)


def difference_columns(columns: Sequence[str]) -> set[str]:
    """Columns whose numbers carry their sign: gains, changes, differences, and the bounds that follow one."""
    found: set[str] = set()
    before = ""
    for name in columns:
        if _DIFFERENCES.search(name) or (name in _BOUNDS and before in found):
            found.add(name)
        before = name
    return found


def number_cell(value: float, digits: int, *, sign: bool = False) -> str:
    """A number with `digits` decimals, with its sign always where it is a difference.

    Examples
    --------
    >>> number_cell(0.25, 2), number_cell(0.25, 2, sign=True), number_cell(float("inf"), 2)
    ('0.25', '+0.25', '–')
    """
    return signed(rounded(value, digits)) if sign else shown(value, digits)


def text_cell(value: object) -> str:
    """Text with true minus signs, and with ranges of scores that can be told from negative numbers.

    Truth values are "yes" and "no"; what is missing or empty is a dash.

    Examples
    --------
    >>> text_cell("1-10"), text_cell("-1-1"), text_cell("-0.05 to 0.1"), text_cell("1-10 - 1-5")
    ('1–10', '−1 to 1', '−0.05 to 0.1', 'range 1–10 minus 1–5')
    >>> text_cell("soft - hard"), text_cell("Qwen2.5-72B")
    ('soft minus hard', 'Qwen2.5-72B')
    """
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return ABSENT
    text = str(value)
    if span := _RANGE.fullmatch(text):
        low, high = (end.replace("-", "\u2212") for end in span.groups())
        return f"{low} to {high}" if "\u2212" in low + high else f"{low}{ABSENT}{high}"
    if pair := _PAIR.fullmatch(text):
        ranges = all(_RANGE.fullmatch(side) for side in pair.groups())
        return f"{'range ' if ranges else ''}{text_cell(pair[1])} minus {text_cell(pair[2])}"
    return _HYPHEN_MINUS.sub("\u2212", text)


def readable(frame: pd.DataFrame, digits: Mapping[str, int] | None = None) -> pd.DataFrame:
    """A frame as the report shows it, all of it text.

    Parameters
    ----------
    frame : DataFrame
    digits : mapping of str to int, optional
        Decimals of columns that need others than `column_digits` gives.

    Returns
    -------
    DataFrame
        Same index and columns; a dash where there is no value.
    """
    decimals = column_digits(frame)
    fixed = {name: count for name, count in (digits or {}).items() if name in decimals}
    own = any(name in frame for name in ROW_WISE)
    by_row = [row_digits(row) for row in frame[list(decimals)].to_numpy(float).tolist()] if own else []
    signs = difference_columns([str(name) for name in frame.columns])
    texts = {}
    for name in frame.columns:
        if name in decimals:
            counts = by_row if own and name not in fixed else [(decimals | fixed)[name]] * len(frame)
            cells = zip(frame[name].astype(float), counts, strict=True)
            texts[name] = [number_cell(value, count, sign=name in signs) for value, count in cells]
        else:
            texts[name] = [text_cell(value) for value in frame[name]]
    return pd.DataFrame(texts, index=frame.index, columns=frame.columns, dtype=object)
