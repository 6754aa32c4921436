"""Rebuilt tables as claims read them: rows that may stand beside a published setting, and what is absent."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from judgekit.report.claims.condition import Value
from judgekit.report.compare import same_key
from judgekit.report.counterparts import counterparts
from judgekit.report.results import Results

SEVERAL = "several"
CELLS = "cells"
THIRD_POOLS = ("llmbar_all",)
"""Pools that join the judges of two others: set beside a printed row, but never counted as a setting more."""
NO_COUNTERPART = "no setting of this profile stands beside it"


class NotRebuilt(Exception):
    """A table that a claim reads is not there, or lacks a column."""


class NotTestable(Exception):
    """A profile cannot test a claim; says why, and which run would."""

    def __init__(self, reason: str, run: str = "") -> None:
        super().__init__(reason)
        self.reason, self.run = reason, run


@dataclass(frozen=True)
class Case:
    """Values of a condition's variables in one setting, or over several.

    Attributes
    ----------
    setting : str
        The setting, or words such as "8 settings".
    kind : str
        How closely it stands to the published row: same_rows, analogue, simulated, own, several or cells.
    values : mapping
        Value of each variable; NaN where the setting has none.
    """

    setting: str
    kind: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Tables:
    """Rebuilt tables of one profile, read by name such as `roles/table03_policy_comparison`."""

    results: Results
    _kept: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    @property
    def profile(self) -> str:
        """The profile's name."""
        return self.results.profile

    def read(self, name: str) -> pd.DataFrame:
        """One table at full precision.

        Raises
        ------
        NotRebuilt
            If it is not there.
        """
        if name not in self._kept:
            frame = self.results.table(*name.split("/"))
            if frame is None:
                raise NotRebuilt(name)
            self._kept[name] = frame
        return self._kept[name]


Reader = Callable[[Tables], list[Case]]


@dataclass(frozen=True)
class Binding:
    """How one claim is read from rebuilt tables.

    Attributes
    ----------
    claim : str
        Its id.
    tables : tuple of str
        What it reads.
    read : callable
        Cases from tables.
    decides : bool
        Whether the cases decide the claim; False for a definition or a rule of the procedure, whose rebuilt
        values are only shown.
    figure : str
        Figure that shows the same, such as `roles/figure02_frontier`.
    tuned : str
        For simulated settings: what of the claim the generator was tuned to, as its `tuned` list words it.
    """

    claim: str
    tables: tuple[str, ...]
    read: Reader
    decides: bool = True
    figure: str = ""
    tuned: str = ""


def settings_beside(tables: Tables, row: str) -> list[tuple[str, str]]:
    """Settings of the profile that stand beside a published row, each with its kind.

    Raises
    ------
    NotTestable
        If there are none.
    """
    pairs = counterparts()
    entry = pairs.row(row)
    names = entry.simulated if tables.profile == "simulated" else entry.recorded
    if names:
        return [(name, pairs.kind_of(name, row)) for name in names]
    if entry.kind == "local_run" and tables.profile != "simulated":
        raise NotTestable(
            f"no public judge outputs with labels exist for {entry.published}",
            f"judgekit judge nbconfig/pools/roles.yaml ITEMS, with the items and labels of {entry.published}",
        )
    raise NotTestable(f"{entry.published}: {NO_COUNTERPART}")


def compared_settings(tables: Tables, present: Iterable[str]) -> list[tuple[str, str]]:
    """Settings among `present` that stand beside any published row, once each, third pools left out."""
    pairs = counterparts()
    found: dict[str, str] = {}
    for row in pairs.rows:
        for name in row.simulated if tables.profile == "simulated" else row.recorded:
            if name not in THIRD_POOLS:
                found.setdefault(name, pairs.kind_of(name, row.published))
    kept = [(name, found[name]) for name in dict.fromkeys(present) if name in found]
    if not kept:
        raise NotTestable(NO_COUNTERPART)
    return kept


def record(frame: pd.DataFrame, keys: Mapping[str, Any]) -> dict[str, Any] | None:
    """The row whose columns have the values of `keys`; None where there is none."""
    if absent := set(keys) - set(frame.columns):
        raise NotRebuilt(f"column {', '.join(sorted(absent))}")
    for row in frame.to_dict("records"):
        if all(same_key(row[name], value) for name, value in keys.items()):
            return {str(name): value for name, value in row.items()}
    return None


def picked(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, float]:
    """Values of a row under the names of a claim's variables; raises NotRebuilt for an absent column."""
    if absent := [column for column in columns.values() if column not in row]:
        raise NotRebuilt(f"column {', '.join(absent)}")
    return {name: float(row[column]) for name, column in columns.items()}


def by_row(table: str, row: str, columns: Mapping[str, str], *, key: str = "setting") -> Reader:
    """Reader of one table with a row a setting: every setting beside `row` is a case."""

    def read(tables: Tables) -> list[Case]:
        frame = tables.read(table)
        cases = []
        for setting, kind in settings_beside(tables, row):
            if (found := record(frame, {key: setting})) is not None:
                cases.append(Case(setting, kind, picked(found, columns)))
        return require_cases(cases, row)

    return read


def by_steps(
    table: str, row: str, columns: Mapping[str, str], *, step: str, steps: Mapping[str, float]
) -> Reader:
    """Reader of one table with several rows a setting, told apart by the column `step`.

    `steps` gives each suffix of a variable's name the value of `step` it stands for: risk_005 is the column
    of `risk` where `step` is 0.005.
    """

    def read(tables: Tables) -> list[Case]:
        frame = tables.read(table)
        cases = []
        for setting, kind in settings_beside(tables, row):
            values: dict[str, Value] = {}
            for suffix, value in steps.items():
                found = record(frame, {frame.columns[0]: setting, step: value})
                if found is not None:
                    values |= {f"{name}_{suffix}": v for name, v in picked(found, columns).items()}
            if len(values) == len(steps) * len(columns):
                cases.append(Case(setting, kind, values))
        return require_cases(cases, row)

    return read


def by_policy(table: str, row: str, policies: Mapping[str, str], columns: Mapping[str, str]) -> Reader:
    """Reader of a table about one published setting with a row a policy: one case.

    A variable is a key of `policies` and a key of `columns`, joined by an underscore.
    """

    def read(tables: Tables) -> list[Case]:
        frame = tables.read(table)
        setting, kind = settings_beside(tables, row)[0]
        values: dict[str, Value] = {}
        for short, policy in policies.items():
            found = record(frame, {"policy": policy})
            if found is None:
                raise NotRebuilt(f"{table}: policy {policy}")
            values |= {f"{short}_{name}": v for name, v in picked(found, columns).items()}
        return [Case(setting, kind, values)]

    return read


def require_cases(cases: list[Case], row: str) -> list[Case]:
    """`cases`, or NotTestable where there are none."""
    if not cases:
        raise NotTestable(f"{row}: {NO_COUNTERPART}")
    return cases
