"""Benchmark cells as the bindings of JudgeMoE claims see them: their kinds, values, and absent data sets."""

from collections.abc import Iterable, Mapping

import pandas as pd

from judgekit.report.claims.reading import CELLS, Case, NotRebuilt, NotTestable, Tables

_SAME_ROWS = ("summeval", "roscoe_esnli", "wmt22")
_RUN = "judgekit judge nbconfig/pools/judgemoe.yaml ITEMS, with the items and human scores of {names}"


def kind_of_cell(tables: Tables, name: str) -> str:
    """How a benchmark cell or data set stands to the paper's: simulated, same_rows or own.

    SummEval, ROSCOE's e-SNLI part and WMT22 are the paper's items; all else recorded is another data set.
    """
    if tables.profile == "simulated":
        return "simulated"
    return "same_rows" if name.startswith(_SAME_ROWS) else "own"


def recorded_lacks(tables: Tables, names: str) -> None:
    """Raise NotTestable unless the profile is simulated: `names` have no public judge outputs with labels."""
    if tables.profile != "simulated":
        raise NotTestable(f"no public judge outputs with labels exist for {names}", _RUN.format(names=names))


def over_cells(label: str, values: Mapping[str, float | int | str | bool]) -> list[Case]:
    """One case over several benchmark cells."""
    return [Case(label, CELLS, dict(values))]


def chosen(frame: pd.DataFrame, keys: Mapping[str, object], columns: Iterable[str]) -> list[float]:
    """Values of one row, found by `keys`; raises NotRebuilt where there is no such row or column."""
    if absent := (set(keys) | set(columns)) - set(frame.columns):
        raise NotRebuilt(f"column {', '.join(sorted(absent))}")
    for name, value in keys.items():
        frame = frame[frame[name] == value]
    if frame.empty:
        raise NotRebuilt(f"row {', '.join(map(str, keys.values()))}")
    return [float(frame.iloc[0][column]) for column in columns]


def first_cells(tables: Tables, frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of the cells that stand for the paper's first ten: those the configuration is chosen on."""
    return frame[frame["role"] == "choose"]


def counted_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of all cells that stand for the paper's sixteen: choose and confirm."""
    return frame[frame["role"].isin(["choose", "confirm"])]
