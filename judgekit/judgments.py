"""The one data structure: every judge's probability vector for every item, aligned, gaps counted."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from judgekit.axes import Codes, Costs, Mask, Probs, Support, Target
from judgekit.errors import InvalidInput

JUDGE_COLUMNS: dict[str, str | float] = {
    "family": "",
    "protocol": "",
    "kind": "llm",
    "unit_cost": 1.0,
    "price": 1.0,
    "active_parameters": np.nan,
    "read_out": "hard",
}
SUM_TOLERANCE = 1e-4
CHECKSUMS = "sha256.json"


@dataclass(frozen=True)
class Judgments:
    """Aligned outputs of a pool of judges.

    Attributes
    ----------
    probs : float32 [items, judges, buckets]
        Probability of each bucket; a row of NaN is a missing or unparseable output.
    support : float64 [buckets]
        The score each bucket stands for, increasing.
    target : float64 [items]
        The label on the same scale as `support`, or NaN where an item has none.
    items : DataFrame
        `item` (unique), `group` (rows that never straddle a split), then slices, optional `split`.
    judges : DataFrame
        `name` (unique), `family`, `protocol`, `kind`, `unit_cost`, `price`, `active_parameters`, `read_out`.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["a", "b"], "judge": ["j", "j"], "score": [1, 0], "label": [1, 1]})
    >>> from judgekit.frames import from_long
    >>> from_long(frame).judgments.codes.tolist()
    [[1], [0]]
    """

    probs: Probs
    support: Support
    target: Target
    items: pd.DataFrame
    judges: pd.DataFrame

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_probabilities(self.probs, self.judges["name"].tolist(), self.items["item"])

    @property
    def missing(self) -> np.ndarray:
        """Which outputs are missing: bool [items, judges]."""
        return np.isnan(self.probs[:, :, 0])

    @property
    def codes(self) -> Codes:
        """Most probable bucket, the lowest on a tie; -1 where missing: int8 or int16 [items, judges]."""
        dtype = np.int8 if len(self.support) < 64 else np.int16
        best = np.argmax(np.nan_to_num(self.probs, nan=-1.0), axis=2).astype(dtype)
        return np.where(self.missing, dtype(-1), best)

    @property
    def scaled_target(self) -> Target:
        """Target mapped affinely from the support's range to 0..1, where risk is a Brier score."""
        low, high = float(self.support[0]), float(self.support[-1])
        return (self.target - low) / (high - low)

    @property
    def names(self) -> list[str]:
        """Judge names in pool order."""
        return self.judges["name"].tolist()

    def costs(self, column: str = "unit_cost") -> Costs:
        """Cost of one call of each judge: float64 [judges], from `unit_cost` or `price`."""
        if column not in ("unit_cost", "price"):
            raise InvalidInput("costs", "unit_cost or price", column)
        return self.judges[column].to_numpy(np.float64)

    def select(self, names: Sequence[str]) -> "Judgments":
        """The same items with these judges only, in this order."""
        absent = [name for name in names if name not in set(self.names)]
        if absent:
            raise InvalidInput("judges", f"names among {self.names}", absent)
        columns = [self.names.index(name) for name in names]
        return replace(
            self, probs=self.probs[:, columns], judges=self.judges.iloc[columns].reset_index(drop=True)
        )

    def rows(self, keep: Mask | np.ndarray) -> "Judgments":
        """The same judges on these items: a bool mask or row numbers."""
        return replace(
            self,
            probs=self.probs[keep],
            target=self.target[keep],
            items=self.items.loc[keep].reset_index(drop=True)
            if keep.dtype == bool
            else self.items.iloc[keep].reset_index(drop=True),
        )

    def complete_case(self) -> "CompleteCase":
        """Drop every item with a missing output or label (role paper, Table 12).

        Raises
        ------
        InvalidInput
            A judge never parses, or no item is complete.
        """
        lost = pd.Series(self.missing.sum(axis=0), index=self.names)
        mute = lost.index[lost == len(self.items)].tolist()
        if mute:
            raise InvalidInput("judges", "judges that parse at least once", f"{mute}: 0 of {len(self.items)}")
        unlabelled = np.isnan(self.target)
        keep = ~(self.missing.any(axis=1) | unlabelled)
        if not keep.any():
            raise InvalidInput("judgments", "at least one item with a label and every output", "none")
        return CompleteCase(self.rows(keep), len(self.items), lost, int(unlabelled.sum()))

    def save(self, directory: str | Path) -> Path:
        """Write three Parquet files and their checksums to `directory` (created); returns it.

        Each file is replaced whole and the checksums last, so that `load_judgments` refuses what an
        interrupted run left.
        """
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        flat = self.probs.reshape(len(self.items), -1)
        columns = [f"{j}:{k}" for j in range(len(self.judges)) for k in range(len(self.support))]
        frames = {
            "probs": pd.DataFrame(flat, columns=columns).assign(target=self.target),
            "items": self.items,
            "judges": self.judges.assign(support=" ".join(repr(float(value)) for value in self.support)),
        }
        digests = {}
        for name, frame in frames.items():
            fresh = directory / f".{name}.new"
            try:
                frame.to_parquet(fresh)
                digests[name] = _digest(fresh)
                os.replace(fresh, directory / f"{name}.parquet")
            finally:
                fresh.unlink(missing_ok=True)
        (directory / CHECKSUMS).write_text(json.dumps(digests) + "\n", encoding="utf-8")
        return directory


@dataclass(frozen=True)
class CompleteCase:
    """Items on which the whole pool answered, and what was lost.

    Attributes
    ----------
    judgments : Judgments
        The items kept.
    rows : int
        Items before filtering.
    missing : Series
        Missing outputs per judge name, before filtering.
    unlabelled : int
        Items without a label.
    """

    judgments: Judgments
    rows: int
    missing: pd.Series
    unlabelled: int

    @property
    def dropped(self) -> int:
        """Items dropped."""
        return self.rows - len(self.judgments.items)


def load_judgments(directory: str | Path) -> Judgments:
    """Read what `Judgments.save` wrote.

    Raises
    ------
    InvalidInput
        A file is absent, truncated, altered, or from another save than the rest.
    """
    directory = Path(directory)
    try:
        digests = json.loads((directory / CHECKSUMS).read_bytes())
        for name in ("probs", "items", "judges"):
            if _digest(directory / f"{name}.parquet") != digests[name]:
                raise InvalidInput(
                    f"{directory.name}/{name}.parquet", "the file Judgments.save wrote", "another"
                )
    except (OSError, ValueError, TypeError, KeyError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(str(directory.name), "a folder written by Judgments.save", error) from error
    probs = pd.read_parquet(directory / "probs.parquet")
    target = probs.pop("target").to_numpy(np.float64)
    judges = pd.read_parquet(directory / "judges.parquet")
    support = np.array([float(value) for value in judges.pop("support").iloc[0].split()])
    return Judgments(
        probs=probs.to_numpy(np.float32).reshape(len(target), len(judges), len(support)),
        support=support,
        target=target,
        items=pd.read_parquet(directory / "items.parquet"),
        judges=judges,
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def judge_frame(names: Sequence[str], details: Mapping[str, Sequence[object]] | None = None) -> pd.DataFrame:
    """Judges frame with every column filled: `details` where given, the stated default elsewhere."""
    frame = pd.DataFrame({"name": list(names)})
    for column, default in JUDGE_COLUMNS.items():
        given = details.get(column) if details else None
        frame[column] = default if given is None else pd.Series(list(given))
    return frame


def one_hot(codes: np.ndarray, buckets: int) -> Probs:
    """Probability vectors of hard scores: float32 [items, judges, buckets]; code -1 gives NaN."""
    probs = np.zeros((*codes.shape, buckets), dtype=np.float32)
    np.put_along_axis(probs, np.maximum(codes, 0).astype(np.intp)[..., None], np.float32(1), axis=-1)
    probs[codes < 0] = np.nan
    return probs


def _check_shapes(judgments: Judgments) -> None:
    items, judges, buckets = judgments.probs.shape
    if buckets != len(judgments.support) or buckets < 2:
        raise InvalidInput(
            "support", f"one score for each of {buckets} buckets, at least two", judgments.support
        )
    if not (np.all(np.isfinite(judgments.support)) and np.all(np.diff(judgments.support) > 0)):
        raise InvalidInput("support", "finite scores in increasing order", judgments.support)
    if len(judgments.target) != items or len(judgments.items) != items:
        raise InvalidInput(
            "items",
            f"{items} rows, as probs has",
            f"{len(judgments.items)} rows, {len(judgments.target)} targets",
        )
    if len(judgments.judges) != judges:
        raise InvalidInput("judges", f"{judges} rows, as probs has", len(judgments.judges))
    if items == 0 or judges == 0:
        raise InvalidInput("judgments", "at least one item and one judge", f"{items} items, {judges} judges")
    for frame, column in ((judgments.items, "item"), (judgments.judges, "name")):
        if column not in frame or frame[column].isna().any():
            raise InvalidInput(column, "a name in every row", "a missing one")
        repeated = frame[column].duplicated()
        if repeated.any():
            raise InvalidInput(column, "unique names", f"{frame.loc[repeated, column].iloc[0]!r} twice")
    if "group" not in judgments.items or judgments.items["group"].isna().any():
        raise InvalidInput("group", "a value for every item", "a missing one")
    for column in ("unit_cost", "price"):
        given = judgments.judges[column].tolist()
        cost = pd.to_numeric(pd.Series(given), errors="coerce").to_numpy(np.float64)
        if not np.all(np.isfinite(cost) & (cost >= 0)):
            raise InvalidInput(column, "finite numbers >= 0", given)
    off = ~np.isnan(judgments.target) & (
        (judgments.target < judgments.support[0] - 1e-9) | (judgments.target > judgments.support[-1] + 1e-9)
    )
    if off.any():
        allowed = f"values in {judgments.support[0]:g}..{judgments.support[-1]:g}"
        raise InvalidInput("label", allowed, judgments.target[off][0])


def _check_probabilities(probs: Probs, names: list[str], items: pd.Series) -> None:
    absent = np.isnan(probs)
    partial = absent.any(axis=2) & ~absent.all(axis=2)
    with np.errstate(invalid="ignore"):
        outside = ((probs < 0) | (probs > 1 + SUM_TOLERANCE)).any(axis=2)
        unnormalised = np.abs(probs.sum(axis=2) - 1) > SUM_TOLERANCE
    checks = (
        (partial, "a whole vector or none", "some buckets are NaN"),
        (outside, "numbers between 0 and 1", "a value outside"),
        (unnormalised, "vectors that sum to 1", "a sum away from 1"),
    )
    for wrong, allowed, given in checks:
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            vector = np.round(probs[row, column].astype(float), 4).tolist()
            where = f"item {items.iloc[row]!r}, judge {names[column]!r}: {vector}"
            raise InvalidInput("prob", allowed, f"{given} at {where}")
