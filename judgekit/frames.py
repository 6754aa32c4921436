"""Alignment of long frames and files into Judgments: the one place where rows meet columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.judgments import JUDGE_COLUMNS, Judgments, judge_frame, one_hot

MAX_INFERRED_BUCKETS = 20
# Where a number is wanted these words say that there is none; in names and slices they are words like others.
NO_NUMBER = ("NA", "N/A", "NaN", "nan", "null", "None")
VERDICTS = ("label", "score", "bucket", "prob")


@dataclass(frozen=True)
class Alignment:
    """Judgments and the account of what was given for them.

    Attributes
    ----------
    judgments : Judgments
    counts : DataFrame
        Per judge: `given` rows, `unparsed` (empty or unmapped score), `off_support`, `absent` (no row),
        `used`.
    unlabelled : int
        Items without a label.
    """

    judgments: Judgments
    counts: pd.DataFrame
    unlabelled: int


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a CSV or Parquet file of judgments.

    In CSV only labels, verdicts and per-judge numbers are read as numbers. All else is text as it stands: a
    slice 01 stays 01, an item NA stays NA, and only an empty field is missing.

    Raises
    ------
    InvalidInput
        The file is absent, of another kind, empty, or cannot be parsed.
    """
    path = Path(path)
    if path.suffix not in (".csv", ".parquet"):
        raise InvalidInput(path.name, "a .csv or .parquet file", path.suffix or "no suffix")
    try:
        frame = _read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except FileNotFoundError as error:
        raise InvalidInput(path.name, "a file that exists", "no such file") from error
    except pd.errors.EmptyDataError as error:
        raise InvalidInput(path.name, "a table with a header and rows", "an empty file") from error
    except (OSError, ValueError) as error:
        raise InvalidInput(path.name, f"a readable {path.suffix} table", error) from error
    if frame.empty:
        raise InvalidInput(path.name, "a table with rows", "a header alone")
    return frame


def from_long(
    frame: pd.DataFrame,
    *,
    slices: Sequence[str] = (),
    support: Sequence[float] | None = None,
    mapping: Mapping[str, float] | None = None,
    unlabelled: Literal["refuse", "count"] = "refuse",
) -> Alignment:
    """Align a long frame: one row per (item, judge), or per (item, judge, bucket).

    Parameters
    ----------
    frame : DataFrame
        Columns `item`, `judge`, `label`, and either `score` or `bucket` with `prob`. Optional: `protocol`,
        `group` (default: the item), the slice columns, and per-judge columns such as `family`, `kind`,
        `unit_cost`, `price`.
    slices : sequence of str
        Names of slice columns.
    support : sequence of float, optional
        The scores that buckets stand for; default: the distinct scores given.
    mapping : mapping, optional
        Score of each text verdict; verdicts it lacks are counted as unparsed.
    unlabelled : {"refuse", "count"}
        Whether an item without a label is an error or kept with a NaN target.

    Raises
    ------
    InvalidInput
        An absent column, a repeated (item, judge), rows of an item or judge that disagree, text verdicts
        without a mapping, missing labels, probabilities that are no distribution.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["a", "b"], "judge": "j", "score": ["yes", "no"], "label": [1, 0]})
    >>> from_long(frame, mapping={"yes": 1.0, "no": 0.0}).judgments.codes.ravel().tolist()
    [1, 0]
    """
    distributions = {"bucket", "prob"} <= set(frame.columns)
    needed = ["item", "judge", "label", *(["bucket", "prob"] if distributions else ["score"]), *slices]
    _require(frame, needed)
    if frame.empty:
        raise InvalidInput("judgments", "at least one row", "none")
    name = _judge_names(frame)
    item_code, item_values = pd.factorize(frame["item"])
    judge_code, judge_values = pd.factorize(name)
    items = _per_entity(
        frame, item_code, "item", item_values, ["label", *_present(frame, ["group"]), *slices]
    )
    judges = _per_entity(
        frame.assign(name=name), judge_code, "name", judge_values, _present(frame, JUDGE_COLUMNS)
    )
    target = _labels(items, unlabelled)
    shape = (len(item_values), len(judge_values))
    cell = item_code.astype(np.int64) * shape[1] + judge_code
    read = _read_distributions if distributions else _read_scores
    probs, axis, lost = read(frame, cell, shape, support, mapping)
    items = items.drop(columns="label")
    items["item"] = items["item"].astype(str)
    items["group"] = items["group"].astype(str) if "group" in items else items["item"]
    details = {column: judges[column].tolist() for column in judges.columns if column != "name"}
    details["read_out"] = ["distribution" if distributions else "hard"] * len(judges)
    given = pd.Series(judge_code).value_counts().sort_index().to_numpy() // (
        len(axis) if distributions else 1
    )
    counts = pd.DataFrame({"judge": judge_values, "given": given, **lost})
    counts["absent"] = shape[0] - counts["given"]
    counts["used"] = counts["given"] - counts["unparsed"] - counts["off_support"]
    judgments = Judgments(probs, axis, target, items, judge_frame(list(judge_values), details))
    return Alignment(judgments, counts, int(np.isnan(target).sum()))


def _read_csv(path: Path) -> pd.DataFrame:
    header = pd.read_csv(path, nrows=0).columns
    numbers = [name for name, default in JUDGE_COLUMNS.items() if isinstance(default, float)]
    texts = {name: "str" for name in header if name not in (*VERDICTS, *numbers)}
    missing = {name: ["", *NO_NUMBER] if name in numbers else [""] for name in header}
    # In one piece, so that a column of numbers with a word far down has one type.
    return pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=missing, low_memory=False)


def _require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    absent = [column for column in columns if column not in frame.columns]
    if absent:
        raise InvalidInput(
            "columns", ", ".join(columns), f"no {', '.join(absent)} among {list(frame.columns)}"
        )
    for column in ("item", "judge"):
        if frame[column].isna().any():
            raise InvalidInput(column, "a name in every row", f"{int(frame[column].isna().sum())} empty")


def _present(frame: pd.DataFrame, columns: Sequence[str] | Mapping[str, object]) -> list[str]:
    return [column for column in columns if column in frame.columns]


def _judge_names(frame: pd.DataFrame) -> pd.Series:
    judge = frame["judge"].astype(str)
    if "protocol" not in frame or frame.groupby("judge", observed=True)["protocol"].nunique().max() <= 1:
        return judge
    return judge + " / " + frame["protocol"].astype(str)


def _per_entity(
    frame: pd.DataFrame, code: np.ndarray, key: str, values: pd.Index, columns: Sequence[str]
) -> pd.DataFrame:
    """One row per entity; an entity whose rows disagree on a column is an error."""
    first = np.full(len(values), len(code), dtype=np.int64)
    np.minimum.at(first, code, np.arange(len(code)))
    result = pd.DataFrame({key: values})
    for column in columns:
        value_code, uniques = pd.factorize(frame[column], use_na_sentinel=True)
        differs = value_code != value_code[first][code]
        if differs.any():
            row = int(np.argmax(differs))
            pair = frame[column].iloc[[first[code[row]], row]].tolist()
            raise InvalidInput(
                column, f"one value for each {key}", f"{pair[0]!r} and {pair[1]!r} for {values[code[row]]!r}"
            )
        result[column] = pd.Series(uniques).reindex(value_code[first]).to_numpy()
    return result


def _labels(items: pd.DataFrame, unlabelled: str) -> np.ndarray:
    target = _numbers(items["label"], "label", "numbers")
    if unlabelled == "refuse" and np.isnan(target).any():
        lost = items["item"][np.isnan(target)]
        raise InvalidInput(
            "label", "a number for every item", f"{len(lost)} empty, the first for {lost.iloc[0]!r}"
        )
    return target


def _refuse_repeats(cell: np.ndarray, frame: pd.DataFrame) -> None:
    repeated = pd.Series(cell).duplicated().to_numpy()
    if repeated.any():
        row = frame.iloc[int(np.argmax(repeated))]
        raise InvalidInput("item, judge", "one row for each pair", f"{row['item']!r}, {row['judge']!r} twice")


def _read_scores(
    frame: pd.DataFrame,
    cell: np.ndarray,
    shape: tuple[int, int],
    support: Sequence[float] | None,
    mapping: Mapping[str, float] | None,
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    _refuse_repeats(cell, frame)
    score = _numeric_scores(frame["score"], mapping)
    axis = _support(score, support)
    code = np.searchsorted(axis, score)
    code = np.where((code < len(axis)) & (axis[np.minimum(code, len(axis) - 1)] == score), code, -1)
    unparsed = np.isnan(score)
    codes = np.full(shape, -1, dtype=np.int64)
    codes.ravel()[cell] = code
    judge = cell % shape[1]
    counts = {
        "unparsed": np.bincount(judge, weights=unparsed, minlength=shape[1]).astype(int),
        "off_support": np.bincount(judge, weights=(code < 0) & ~unparsed, minlength=shape[1]).astype(int),
    }
    return one_hot(codes, len(axis)), axis, counts


def _numeric_scores(score: pd.Series, mapping: Mapping[str, float] | None) -> np.ndarray:
    if mapping is not None:
        return score.map(dict(mapping)).to_numpy(np.float64, na_value=np.nan)
    return _numbers(score, "score", "numbers, or text verdicts with a mapping to numbers")


def _numbers(column: pd.Series, field: str, allowed: str) -> np.ndarray:
    """The column as float64, NaN where it says that there is no number; other texts are refused."""
    number = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    text = np.isnan(number) & column.notna().to_numpy() & ~column.isin(NO_NUMBER).to_numpy()
    if text.any():
        raise InvalidInput(field, allowed, sorted({str(value) for value in column[text].unique()})[:5])
    return number


def _support(score: np.ndarray, support: Sequence[float] | None) -> np.ndarray:
    if support is not None:
        return _given_support(support)
    seen = np.unique(score[np.isfinite(score)])
    if set(seen) <= {0.0, 1.0}:
        return np.array([0.0, 1.0])
    if not 2 <= len(seen) <= MAX_INFERRED_BUCKETS:
        raise InvalidInput(
            "support",
            f"2 to {MAX_INFERRED_BUCKETS} distinct scores, or an explicit support",
            f"{len(seen)} distinct",
        )
    return seen


def _given_support(support: Sequence[float]) -> np.ndarray:
    axis = np.array(support, dtype=np.float64)
    if len(axis) < 2 or not np.all(np.diff(axis) > 0):
        raise InvalidInput("support", "at least two scores in increasing order", list(support))
    return axis


def _read_distributions(
    frame: pd.DataFrame,
    cell: np.ndarray,
    shape: tuple[int, int],
    support: Sequence[float] | None,
    mapping: Mapping[str, float] | None,
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    if mapping is not None:
        raise InvalidInput("mapping", "only with a score column", "bucket and prob columns")
    bucket = pd.to_numeric(frame["bucket"], errors="coerce").to_numpy(np.float64)
    axis = np.unique(bucket[np.isfinite(bucket)]) if support is None else _given_support(support)
    if not len(axis):
        raise InvalidInput("bucket", "the scores that buckets stand for", repr(frame["bucket"].iloc[0]))
    position = np.searchsorted(axis, bucket)
    off = (position == len(axis)) | (axis[np.minimum(position, len(axis) - 1)] != bucket)
    if off.any():
        raise InvalidInput("bucket", f"values of the support {axis.tolist()}", frame["bucket"][off].iloc[0])
    place = cell * len(axis) + position
    _refuse_repeats(place, frame)
    probs = np.full(shape[0] * shape[1] * len(axis), np.nan, dtype=np.float32)
    probs[place] = _numbers(frame["prob"], "prob", "numbers")
    vectors = probs.reshape(*shape, len(axis))
    given = np.bincount(np.unique(cell) % shape[1], minlength=shape[1])
    unparsed = given - (~np.isnan(vectors).all(axis=2)).sum(axis=0)
    return vectors, axis, {"unparsed": unparsed, "off_support": np.zeros(shape[1], dtype=int)}
