"""Comparisons and frames as lines of text, ready for a page: each cell, and what each line rests on."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from judgekit.report.captions import TableCaption, column_label
from judgekit.report.cells import is_number, readable, text_cell
from judgekit.report.compare import BASELINE, Comparison, Order, PublishedRow, RebuiltRow
from judgekit.report.counterparts import counterparts
from judgekit.report.format import ABSENT, shown, signed
from judgekit.report.plots.palette import POLICY_NAMES
from judgekit.studies.aggregation import METHODS

_HALF_WIDTH = "_half_width"
PRINTED = "printed"
_NAMED = {
    "policy": POLICY_NAMES,
    "against": POLICY_NAMES,
    "method": METHODS,
    "baseline": METHODS,
    "first": METHODS,
}
_PLACES = {"lower": "below", "equal": "level with", "higher": "above"}


@dataclass(frozen=True)
class Line:
    """One row of a page's table.

    Attributes
    ----------
    head, sub : str
        Row heading and a second line under it.
    spoken : str
        Words added to the heading for readers who cannot see the table's grouping.
    role : str
        "printed", "rebuilt", "difference", "orders" or "plain".
    badge, badge_kind : str
        What the line rests on, in words, and the kind's name; empty where nothing needs saying.
    cells : tuple of str
        One text a column.
    orders : tuple of (bool, str)
        For "orders" lines: whether these orders are as printed, and the orders in words.
    """

    head: str
    role: str
    cells: tuple[str, ...] = ()
    sub: str = ""
    spoken: str = ""
    badge: str = ""
    badge_kind: str = ""
    orders: tuple[tuple[bool, str], ...] = ()


@dataclass(frozen=True)
class TableView:
    """A table as a page shows it: column headings, which of them are numbers, and groups of lines."""

    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    first: str
    groups: tuple[tuple[Line, ...], ...]


def comparison_view(
    comparison: Comparison, *, columns: tuple[str, ...] = (), own: bool = True, empty: bool = True
) -> TableView:
    """Published rows, each followed by its rebuilt rows, their differences and the orders of policies.

    Parameters
    ----------
    comparison : Comparison
        One table.
    columns : tuple of str
        Columns to show; all where empty.
    own : bool
        Whether rebuilt rows without a printed counterpart follow.
    empty : bool
        Whether published rows with nothing rebuilt beside them are kept.
    """
    kept = columns or _without_half_widths((*comparison.columns, *comparison.extra))
    groups = [_group(comparison, row, kept) for row in comparison.rows if empty or row.rebuilt]
    if own and comparison.own:
        groups.append(tuple(_rebuilt_line(comparison, row, kept, named=True) for row in comparison.own))
    numeric = tuple(name in comparison.digits for name in kept)
    labels = tuple(
        f"{column_label(name)} (not printed)" if name in comparison.extra else column_label(name)
        for name in kept
    )
    return TableView(labels, numeric, column_label(comparison.caption.keys[0]), tuple(groups))


def plain_view(
    frame: pd.DataFrame, digits: Mapping[str, int] | None = None, labels: Mapping[str, str] | None = None
) -> TableView:
    """A frame as it is: the first column heads and groups rows.

    Parameters
    ----------
    frame : DataFrame
    digits : mapping of str to int, optional
        Decimals of columns; `cells.column_digits` where a column is not named.
    labels : mapping of str to str, optional
        Headings of columns; `column_label` where a column is not named.
    """
    first, *others = [str(column) for column in frame.columns]
    kept = _without_half_widths(tuple(others))
    frame = _in_words(frame)
    texts = readable(frame, digits)
    lines = [
        Line(text_cell(head), "plain", tuple(_with_half_width(record, name) for name in kept))
        for head, record in zip(frame[first], _records(texts), strict=True)
    ]
    groups = tuple(tuple(group) for _, group in groupby(lines, key=lambda line: line.head))
    named = {name: column_label(name) for name in (first, *kept)} | dict(labels or {})
    numeric = tuple(is_number(frame[name]) for name in kept)
    return TableView(tuple(named[name] for name in kept), numeric, named[first], groups)


def order_words(order: Order, caption: TableCaption) -> str:
    """An order in words, with the printed one where it differs.

    Examples
    --------
    >>> from judgekit.report.captions import studies
    >>> caption = studies()[0].table("table03_policy_comparison")
    >>> order_words(Order("role_routed_risk", "single_best_risk", "lower", "higher"), caption)
    'role-routed above single best (printed: below)'
    """
    left, _, quantity = column_label(order.left).partition(": ")
    right = column_label(order.right).partition(": ")[0]
    if caption.baseline and order.right == BASELINE:
        key, value = caption.baseline.key, caption.baseline.value
        left = f"{left} {quantity}".strip()
        right = value if isinstance(value, str) else f"that at {column_label(key)} {value:g}"
    printed = "" if order.same else f" (printed: {_PLACES[order.printed]})"
    return f"{_lower(left)} {_PLACES[order.rebuilt]} {_lower(right)}{printed}"


def _order_line(row: RebuiltRow, caption: TableCaption) -> Line:
    """One line for all orders of a row: those as printed, then those that are not."""
    texts = []
    for same in (True, False):
        words = [order_words(order, caption) for order in row.orders if order.same is same]
        if words:
            texts.append((same, "; ".join(words)))
    return Line("order", "orders", spoken=f"of {row.setting}", orders=tuple(texts))


def _without_half_widths(names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns less the half-widths of others among them, which are shown behind their value."""
    halves = {f"{name}{_HALF_WIDTH}" for name in names}
    return tuple(name for name in names if name not in halves)


def _in_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Methods and policies by their readable names, where a column holds them by ours."""
    found = {}
    for column, names in _NAMED.items():
        if column in frame and not is_number(frame[column]):
            found[column] = [names.get(str(name), name) for name in frame[column]]
    return frame.assign(**found)


def _with_half_width(record: dict[str, str], name: str) -> str:
    """Text of one cell; a half-width, where there is one, stands behind its value."""
    half = record.get(f"{name}{_HALF_WIDTH}", ABSENT)
    return record[name] if ABSENT in (record[name], half) else f"{record[name]} ± {half}"


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in record.items()} for record in frame.to_dict("records")]


def _lower(label: str) -> str:
    return label[:1].lower() + label[1:]


def _group(comparison: Comparison, row: PublishedRow, kept: tuple[str, ...]) -> tuple[Line, ...]:
    caption = comparison.caption
    name = str(row.keys[caption.keys[0]])
    inner = _inner_keys(comparison, row.keys)
    printed = tuple(_cell(row.printed, column, comparison.digits) for column in kept)
    badge = kind = ""
    if not row.rebuilt:
        kind = row.kind
        badge = counterparts().kinds[kind].badge if kind == "local_run" else "not rebuilt yet"
    lines = [Line(name, PRINTED, printed, ", ".join(inner), "printed", badge, kind)]
    for rebuilt in row.rebuilt:
        lines.append(_rebuilt_line(comparison, rebuilt, kept))
        if rebuilt.differences:
            gaps = tuple(_gap(rebuilt, column) for column in kept)
            lines.append(Line("difference", "difference", gaps, spoken=f"{rebuilt.setting} minus printed"))
        if rebuilt.orders:
            lines.append(_order_line(rebuilt, caption))
    return tuple(lines)


def _rebuilt_line(
    comparison: Comparison, row: RebuiltRow, kept: tuple[str, ...], *, named: bool = False
) -> Line:
    """One rebuilt row; `named` where no published row above it carries its keys."""
    caption = comparison.caption
    known = {"setting", *caption.keys, *comparison.columns, *comparison.extra}
    extras = [
        f"{column_label(name)} {text_cell(value)}"
        for name, value in row.values.items()
        if name not in known and isinstance(value, str)
    ]
    if named:
        extras = _inner_keys(comparison, row.values) + extras
        if caption.row:
            extras = [str(row.values[caption.keys[0]]), *extras]
    cells = tuple(_cell(row.values, column, comparison.digits) for column in kept)
    badge = counterparts().kinds[row.kind].badge
    return Line(row.setting, "rebuilt", cells, ", ".join(extras), "rebuilt", badge, row.kind)


def _inner_keys(comparison: Comparison, values: dict[str, Any]) -> list[str]:
    """Keys after the first, in words: "gain threshold 0.005", "+4 copies"."""
    found = []
    for key in comparison.caption.keys[1:]:
        number = key in comparison.digits
        text = shown(_float(values[key]), comparison.digits[key]) if number else text_cell(values[key])
        label, percent, _ = column_label(key).partition(", %")
        found.append(f"{label} {text}{'%' if percent else ''}")
    return found


def _gap(row: RebuiltRow, column: str) -> str:
    return signed(row.differences[column]) if column in row.differences else ""


def _cell(values: dict[str, Any], column: str, digits: dict[str, int]) -> str:
    """Text of one cell; a half-width, where there is one, stands behind its value."""
    value = values.get(column)
    if column not in digits:
        return text_cell(value)
    text = shown(_float(value), digits[column])
    half = _float(values.get(column + _HALF_WIDTH))
    return text if text == ABSENT or pd.isna(half) else f"{text} ± {shown(half, digits[column])}"


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")
