"""Published beside rebuilt: values, differences where they mean something, and the order of policies."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.report.captions import TableCaption
from judgekit.report.cells import column_digits
from judgekit.report.counterparts import Counterparts, counterparts, is_simulated
from judgekit.report.format import difference, order
from judgekit.report.published import PublishedTable, published

NO_EVIDENCE = ("simulated", "own", "local_run")
BASELINE = "baseline"


@dataclass(frozen=True)
class Order:
    """How one value stands to another, printed and rebuilt.

    Attributes
    ----------
    left, right : str
        Columns compared; `right` is BASELINE where the same column of the baseline row stands there.
    printed, rebuilt : str
        "lower", "equal" or "higher" at the printed digits.
    """

    left: str
    right: str
    printed: str
    rebuilt: str

    @property
    def same(self) -> bool:
        """Whether both point the same way."""
        return self.printed == self.rebuilt


@dataclass(frozen=True)
class RebuiltRow:
    """One rebuilt row and how it may be held against a published one.

    Attributes
    ----------
    setting : str
        Name of the setting, such as `llmbar_gpt4`.
    kind : str
        A kind of nbconfig/counterparts.yaml; "own" where no published row may stand beside it.
    values : dict
        Every column of the rebuilt table.
    differences : dict of str to Decimal or None
        Rebuilt minus printed at the printed digits; empty unless the kind is `same_rows`.
    orders : tuple of Order
        Empty for simulated settings, which were tuned to the printed figures.
    """

    setting: str
    kind: str
    values: dict[str, Any]
    differences: dict[str, Decimal | None]
    orders: tuple[Order, ...]


@dataclass(frozen=True)
class PublishedRow:
    """One published row with what stands beside it.

    Attributes
    ----------
    name : str
        The setting as the paper spells it.
    keys : dict
        All key columns of the row.
    printed : dict
        Numbers and text of the row; NaN where a dash was printed.
    kind : str
        How the paper's setting can be compared at all.
    note : str
        What a reader should know about the counterparts.
    rebuilt : tuple of RebuiltRow
        Rebuilt rows with the same keys, recorded before simulated.
    """

    name: str
    keys: dict[str, Any]
    printed: dict[str, Any]
    kind: str
    note: str
    rebuilt: tuple[RebuiltRow, ...]


@dataclass(frozen=True)
class Comparison:
    """One table: its published rows with counterparts, and the rebuilt rows that have none.

    Attributes
    ----------
    caption : TableCaption
        What names the rows.
    columns : tuple of str
        Printed columns that name no row.
    extra : tuple of str
        Numeric columns that only the rebuilt table has.
    digits : dict of str to int
        Decimals of every numeric column: the printed ones, else those `cells.column_digits` gives.
    rows, own : tuple
        Published rows with what stands beside them, and rebuilt rows beside none.
    """

    caption: TableCaption
    columns: tuple[str, ...]
    extra: tuple[str, ...]
    digits: dict[str, int]
    rows: tuple[PublishedRow, ...]
    own: tuple[RebuiltRow, ...]

    def frame(self) -> pd.DataFrame:
        """One row a value: published, setting, kind, keys, column, printed, rebuilt, difference (or NaN)."""
        records = []
        named = () if self.caption.row else self.caption.keys[:1]
        for row in self.rows:
            keys = {key: value for key, value in row.keys.items() if key not in named}
            for rebuilt in row.rebuilt:
                for column in [
                    name for name in self.columns if name in self.digits and name in rebuilt.values
                ]:
                    gap = rebuilt.differences.get(column)
                    records.append(
                        {"published": row.name, "setting": rebuilt.setting, "kind": rebuilt.kind}
                        | keys
                        | {
                            "column": column,
                            "printed": row.printed[column],
                            "rebuilt": rebuilt.values[column],
                        }
                        | {"difference": float("nan") if gap is None else float(gap)}
                    )
        return pd.DataFrame(records)


def compare(caption: TableCaption, rebuilt: pd.DataFrame | None, *, simulated: bool = False) -> Comparison:
    """A published table beside its rebuilt form.

    Parameters
    ----------
    caption : TableCaption
        Which table, and what names its rows.
    rebuilt : DataFrame or None
        Rows named by settings of nbconfig/, columns as published, further columns allowed; None where nothing
        was rebuilt. A table about one published setting may leave the `setting` column out.
    simulated : bool
        Whether the table was rebuilt in the `simulated` profile: then nothing in it is compared.

    Raises
    ------
    InvalidInput
        If the rebuilt table lacks a key column, or a simulated one holds a setting not called sim_...
    """
    table = published(caption.name, caption.study)
    pairs = counterparts()
    frame = pd.DataFrame(columns=table.text.columns) if rebuilt is None else rebuilt
    if absent := [key for key in caption.keys if key not in frame.columns]:
        raise InvalidInput(f"rebuilt {caption.name}", f"columns {', '.join(caption.keys)}", f"no {absent}")
    frame = _with_settings(caption, frame, pairs, simulated)
    records = frame.to_dict("records")
    printed = table.numbers.to_dict("records")
    rows = tuple(_published_row(caption, table, entry, records, pairs) for entry in printed)
    beside = [row.values for entry in rows for row in entry.rebuilt]
    own = tuple(_own(record) for record in records if not any(record is values for values in beside))
    columns = tuple(str(column) for column in table.text.columns if column not in caption.keys)
    extra = {name: count for name, count in column_digits(frame).items() if name not in table.text.columns}
    return Comparison(caption, columns, tuple(extra), table.digits | extra, rows, own)


def same_key(left: Any, right: Any) -> bool:
    """Whether two key values name one row: numbers to 1e-9, text exactly."""
    try:
        return abs(float(left) - float(right)) < 1e-9
    except (TypeError, ValueError):
        return str(left) == str(right)


def _with_settings(
    caption: TableCaption, frame: pd.DataFrame, pairs: Counterparts, simulated: bool
) -> pd.DataFrame:
    """The rebuilt frame with a `setting` column: the first key, or the first counterpart of `row`."""
    if not caption.row:
        frame = frame.assign(setting=frame[caption.keys[0]].astype(str))
    elif "setting" not in frame.columns:
        row = pairs.row(caption.row)
        frame = frame.assign(setting=(row.simulated if simulated else row.recorded)[0])
    named = frame["setting"].astype(str)
    if simulated and (wrong := sorted({name for name in named if not is_simulated(name)})):
        raise InvalidInput(f"simulated {caption.name}", "settings called sim_...", ", ".join(wrong))
    return frame


def _published_row(
    caption: TableCaption, table: PublishedTable, entry: dict, records: list[dict], pairs: Counterparts
) -> PublishedRow:
    name = caption.row or str(entry[caption.keys[0]])
    settings = pairs.settings(name)
    inner = caption.keys if caption.row else caption.keys[1:]
    beside = []
    for setting in settings:
        for record in records:
            if record["setting"] == setting and all(same_key(record[key], entry[key]) for key in inner):
                beside.append(
                    _rebuilt_row(caption, table, entry, record, records, pairs.kind_of(setting, name))
                )
    row = pairs.row(name)
    keys = {key: entry[key] for key in caption.keys}
    return PublishedRow(name, keys, entry, row.kind, row.note, tuple(beside))


def _rebuilt_row(
    caption: TableCaption, table: PublishedTable, entry: dict, record: dict, records: list[dict], kind: str
) -> RebuiltRow:
    differences: dict[str, Decimal | None] = {}
    if kind == "same_rows":
        for column, digits in table.digits.items():
            if column not in caption.keys and column in record:
                differences[column] = difference(_number(record[column]), _number(entry[column]), digits)
    orders = () if kind in NO_EVIDENCE else _orders(caption, table, entry, record, records)
    return RebuiltRow(str(record["setting"]), kind, record, differences, orders)


def _orders(
    caption: TableCaption, table: PublishedTable, entry: dict, record: dict, records: list[dict]
) -> tuple[Order, ...]:
    found = []
    for left, right in caption.pairs:
        digits = table.digits[left]
        printed = order(_number(entry[left]), _number(entry[right]), digits)
        ours = order(_number(record.get(left)), _number(record.get(right)), digits)
        found.append(Order(left, right, printed, ours))
    if caption.baseline:
        key, value = caption.baseline.key, caption.baseline.value
        base = _baseline(caption, entry, table.numbers.to_dict("records"))
        ours_base = _baseline(
            caption, record, [other for other in records if other["setting"] == record["setting"]]
        )
        if base is not None and ours_base is not None and not same_key(entry[key], value):
            for column in caption.baseline.of:
                digits = table.digits[column]
                printed = order(_number(entry[column]), _number(base[column]), digits)
                ours = order(_number(record.get(column)), _number(ours_base.get(column)), digits)
                found.append(Order(column, BASELINE, printed, ours))
    return tuple(item for item in found if item.printed and item.rebuilt)


def _baseline(caption: TableCaption, row: dict, rows: list[dict]) -> dict | None:
    """The row that differs from `row` in the baseline's key alone."""
    assert caption.baseline is not None
    key, value = caption.baseline.key, caption.baseline.value
    others = [name for name in caption.keys if name != key]
    for candidate in rows:
        if same_key(candidate[key], value) and all(same_key(candidate[name], row[name]) for name in others):
            return candidate
    return None


def _own(record: dict) -> RebuiltRow:
    kind = "simulated" if is_simulated(str(record["setting"])) else "own"
    return RebuiltRow(str(record["setting"]), kind, record, {}, ())


def _number(value: Any) -> float:
    """A cell as a float; NaN where it holds none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")
