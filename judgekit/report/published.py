"""The published tables, values and claims, read from `data/published` with the digits that were printed."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import yaml

from judgekit.errors import InvalidInput

CHECKOUT = Path(__file__).resolve().parents[2]
PUBLISHED = CHECKOUT / "data" / "published"

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_HALF_WIDTH = "_half_width"
_VALUES = "printed_values"


@dataclass(frozen=True)
class PublishedTable:
    """One printed table, as text and as numbers.

    Attributes
    ----------
    name : str
        File name without suffix, such as `table03_policy_comparison`.
    text : DataFrame
        The printed digits, one row a printed row; an empty string where a dash was printed.
    numbers : DataFrame
        The same with numeric columns as float64 (NaN where a dash was printed); other columns stay text.
    digits : dict of str to int
        Decimals printed in each numeric column.
    """

    name: str
    text: pd.DataFrame
    numbers: pd.DataFrame
    digits: dict[str, int]


def table_names(study: str = "roles") -> list[str]:
    """Names of the transcribed tables of one study's paper, in printed order."""
    return sorted(path.stem for path in (PUBLISHED / study).glob("*.csv") if path.stem != _VALUES)


def published(name: str, study: str = "roles") -> PublishedTable:
    """One published table with its printed digits.

    Parameters
    ----------
    name : str
        One of `table_names(study)`.
    study : {"roles", "judgemoe"}
        Folder of data/published.

    Raises
    ------
    InvalidInput
        If no such table was printed, or a column mixes numbers of different precision.

    Examples
    --------
    >>> published("table03_policy_comparison").digits["role_routed_cost"]
    2
    """
    if name not in table_names(study):
        raise InvalidInput("published table", f"one of {', '.join(table_names(study))}", name)
    path = PUBLISHED / study / f"{name}.csv"
    text = pd.read_csv(path, dtype=str, keep_default_na=False)
    digits = {}
    for column in text.columns:
        decimals = _decimals(name, text[column])
        if decimals is not None:
            digits[str(column)] = decimals
    numbers = text.copy()
    for column in digits:
        numbers[column] = [float(value) if value else math.nan for value in text[column]]
    return PublishedTable(name, text, numbers, digits)


def published_table(name: str) -> pd.DataFrame:
    """One published table as numbers; see `published` for the printed digits."""
    return published(name).numbers


def packed(name: str) -> pd.DataFrame:
    """One published table with its cells packed as the paper prints them, under the printed column names.

    Examples
    --------
    >>> packed("table10_jbb_proxy_routing")["risk"].iloc[0]
    '0.1183±0.0105'
    """
    text = published(name).text.copy()
    for column in [c for c in text.columns if c.endswith(_HALF_WIDTH)]:
        value = column.removesuffix(_HALF_WIDTH)
        text[value] = text[value] + "±" + text.pop(column)
    if name in _PACKERS:
        text = _PACKERS[name](text)
    return text.replace("", "–")


def printed_values(paper: str = "judgemoe") -> pd.DataFrame:
    """Every number quoted by the claims of one paper: claim, study, where, kind, key and value as printed."""
    path = PUBLISHED / paper / f"{_VALUES}.csv"
    if not path.is_file():
        raise InvalidInput("paper", "judgemoe", paper)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def claims() -> list[dict]:
    """All published claims of both papers, in the order of `data/published/claims.yml`."""
    return yaml.safe_load((PUBLISHED / "claims.yml").read_text(encoding="utf-8"))


def _decimals(name: str, column: pd.Series) -> int | None:
    """Decimals of a numeric column; None for a column of text."""
    values = [value for value in column if value]
    if not values or not all(_NUMBER.fullmatch(value) for value in values):
        return None
    decimals = {len(value.partition(".")[2]) for value in values}
    if len(decimals) > 1:
        raise InvalidInput(f"{name}.{column.name}", "numbers printed to one precision", sorted(decimals))
    return decimals.pop()


def _pack_routes(text: pd.DataFrame) -> pd.DataFrame:
    return _pack(text, "frequency", ["count", "of"])


def _pack_splits(text: pd.DataFrame) -> pd.DataFrame:
    text = _pack(text, "fit_val_test", ["fit", "validation", "test"])
    return _percent(text, {"val_fallback": "val_fallback_percent", "test_fallback": "test_fallback_percent"})


def _pack_audit(text: pd.DataFrame) -> pd.DataFrame:
    return _percent(text, {"audit_fraction": "audit_percent"})


def _pack_thresholds(text: pd.DataFrame) -> pd.DataFrame:
    text["setting"] = text["setting"] + ", τ=" + text.pop("gain_threshold")
    return text


def _pack_sources(text: pd.DataFrame) -> pd.DataFrame:
    text["source"] = (text["source"] + " " + text.pop("source_dropped")).str.strip()
    return text


def _pack_mixes(text: pd.DataFrame) -> pd.DataFrame:
    for policy in ("single", "flat", "role"):
        pair = [f"{policy}_risk", f"{policy}_accuracy"]
        text[pair] = text[pair].replace(r"^0\.", ".", regex=True)
        text = _pack(text, policy, pair)
    return text


def _pack(text: pd.DataFrame, printed: str, parts: list[str]) -> pd.DataFrame:
    joined = text[parts].agg("/".join, axis=1)
    text.insert(list(text.columns).index(parts[0]), printed, joined)
    return text.drop(columns=parts)


def _percent(text: pd.DataFrame, printed: dict[str, str]) -> pd.DataFrame:
    for name, column in printed.items():
        text[column] = text[column] + "%"
        text = text.rename(columns={column: name})
    return text


_PACKERS = {
    "table07_routed_specialists": _pack_routes,
    "table08_threshold_sensitivity": _pack_thresholds,
    "table12_complete_case": _pack_sources,
    "table14_pattern_sparsity": _pack_splits,
    "table15_audit_size": _pack_audit,
    "table16_slice_mix_shift": _pack_mixes,
}
