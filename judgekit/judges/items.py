"""Items to judge, from a file: JSON lines, CSV or Parquet."""

import json
from pathlib import Path

import pandas as pd

from judgekit.errors import InvalidInput, MissingData

KINDS = ".jsonl, .csv or .parquet"


def read_items(path: Path | str) -> pd.DataFrame:
    """Items of a file, texts untouched: `item`, the columns that prompts show, and what else it has.

    Columns named label or label_ASPECT are numbers, empty where unknown; `item` and `group` are texts.

    Raises
    ------
    InvalidInput
        Another kind of file, a line that is no JSON object, or a label that is no number.
    MissingData
        No such file.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingData(f"items file {file.name}", "judgekit judge --help")
    if file.suffix not in (".jsonl", ".csv", ".parquet"):
        raise InvalidInput(file.name, f"a {KINDS} file", file.suffix or "no suffix")
    try:
        if file.suffix == ".parquet":
            frame = pd.read_parquet(file)
        elif file.suffix == ".csv":
            # A text such as NA or 007 is a text.
            frame = pd.read_csv(file, dtype=str, keep_default_na=False)
        else:
            frame = pd.DataFrame(_objects(file))
    except (OSError, ValueError) as error:
        raise InvalidInput(file.name, f"a readable {KINDS} table", error) from error
    if "item" not in frame.columns or frame.empty:
        raise InvalidInput(file.name, "a column item and at least one row", f"columns {list(frame.columns)}")
    for name in frame.columns:
        if name == "label" or str(name).startswith("label_"):
            frame[name] = _numbers(frame[name], f"{file.name}.{name}")
    texts = {name: frame[name].astype(str) for name in ("item", "group") if name in frame.columns}
    return frame.assign(**texts)


def _objects(file: Path) -> list[dict[str, object]]:
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise InvalidInput(f"{file.name} line {number}", "a JSON object", line)
        found.append(value)
    return found


def _numbers(column: pd.Series, where: str) -> pd.Series:
    given = column.replace("", None)
    try:
        return pd.to_numeric(given).astype("float64")
    except (ValueError, TypeError) as error:
        raise InvalidInput(where, "numbers, or nothing", error) from error
