"""The tidy frames that every recorded data set is parsed into, and the checks they must pass."""

from dataclasses import dataclass

import pandas as pd

from judgekit.errors import InvalidInput

KINDS = ("llm", "classifier", "reward_model", "metric", "verifier", "rule")
READ_OUTS = ("distribution", "hard", "scalar")

_COLUMNS = {
    "judgments": ("aspect", "item", "judge", "protocol", "hard", "raw_score", "parse_ok", "mass"),
    "items": ("item", "group"),
    "labels": ("aspect", "item", "label"),
    "judges": ("judge", "protocol", "family", "kind", "read_out", "support", "active_parameters"),
}


@dataclass(frozen=True)
class Recording:
    """One recorded data set, as frames.

    Attributes
    ----------
    dataset : str
        Name of the data set, as in `data/registry.csv`.
    judgments : DataFrame
        One row per (aspect, item, judge, protocol): `hard` on the judge's support (NaN = unparsed),
        `raw_score`, `parse_ok`, `mass` (probability the score tokens had before normalising; NaN for hard
        scores) and, where the set has distributions, `p_0 ... p_{K-1}` in the order of the judge's support.
    items : DataFrame
        One row per item: `item`, `group`, then slices.
    labels : DataFrame
        One row per (aspect, item); `label` NaN where no trustworthy label exists.
    judges : DataFrame
        One row per (judge, protocol): family, kind, read-out, support ("1 2 3 4 5"; "" for scalars) and
        active parameters in billions.
    """

    dataset: str
    judgments: pd.DataFrame
    items: pd.DataFrame
    labels: pd.DataFrame
    judges: pd.DataFrame

    def validate(self) -> "Recording":
        """Return self, or raise InvalidInput on a frame that breaks the contract."""
        for frame_name, columns in _COLUMNS.items():
            frame = getattr(self, frame_name)
            absent = [column for column in columns if column not in frame.columns]
            if absent:
                raise InvalidInput(
                    f"{self.dataset}.{frame_name}", f"columns {', '.join(columns)}", f"no {absent}"
                )
        _unique(self, "items", ["item"])
        _unique(self, "labels", ["aspect", "item"])
        _unique(self, "judges", ["judge", "protocol"])
        _unique(self, "judgments", ["aspect", "item", "judge", "protocol"])
        _within(self, "labels", "item", set(self.items["item"]))
        _within(self, "judgments", "item", set(self.items["item"]))
        _within(self, "judges", "kind", set(KINDS))
        _within(self, "judges", "read_out", set(READ_OUTS))
        known = set(zip(self.judges["judge"], self.judges["protocol"], strict=True))
        used = set(zip(self.judgments["judge"], self.judgments["protocol"], strict=True))
        if used - known:
            raise InvalidInput(
                f"{self.dataset}.judgments", "judges of the judges frame", sorted(used - known)[:3]
            )
        return self


def _unique(recording: Recording, frame_name: str, keys: list[str]) -> None:
    frame = getattr(recording, frame_name)
    repeated = frame.duplicated(keys)
    if repeated.any():
        first = frame.loc[repeated, keys].iloc[0].tolist()
        raise InvalidInput(f"{recording.dataset}.{frame_name}", f"one row per {keys}", f"{first} twice")


def _within(recording: Recording, frame_name: str, column: str, allowed: set[str]) -> None:
    found = set(getattr(recording, frame_name)[column].unique())
    if found - allowed:
        raise InvalidInput(
            f"{recording.dataset}.{frame_name}.{column}",
            "known values",
            sorted(map(str, found - allowed))[:3],
        )
