"""Which rebuilt setting may stand beside which published row, and how closely the two may be compared."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from judgekit.errors import InvalidInput
from judgekit.report.published import CHECKOUT
from judgekit.sources.settings import role_settings

SOURCE = CHECKOUT / "nbconfig" / "counterparts.yaml"
KINDS = ("same_rows", "analogue", "simulated", "local_run", "own")
PUBLISHED_KINDS = ("same_rows", "analogue", "local_run")
_SIMULATED = "sim_"


@dataclass(frozen=True)
class Kind:
    """How far a rebuilt row can be held against a published one: a badge and its explanation."""

    name: str
    badge: str
    says: str


@dataclass(frozen=True)
class Row:
    """One published setting: its spellings, its rebuilt counterparts and their kind."""

    published: str
    names: tuple[str, ...]
    kind: str
    recorded: tuple[str, ...]
    simulated: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Counterparts:
    """All published settings, in printed order, with the kinds of comparison."""

    kinds: dict[str, Kind]
    rows: tuple[Row, ...]

    def row(self, name: str) -> Row:
        """The entry of a published row, by any spelling; raises InvalidInput for a name never printed."""
        for row in self.rows:
            if name in row.names:
                return row
        raise InvalidInput("published row", "a name listed in nbconfig/counterparts.yaml", name)

    def kind_of(self, setting: str, published: str) -> str:
        """How `setting` may be compared with a published row: a kind, or "own" where it may not stand there.

        Any setting called sim_... is "simulated", whatever else is declared.

        Examples
        --------
        >>> counterparts().kind_of("llmbar_gpt4", "LLMBar-7")
        'same_rows'
        >>> counterparts().kind_of("llmbar_gpt4", "MATH-500-5")
        'own'
        """
        row = self.row(published)
        if setting in row.simulated:
            return "simulated"
        return row.kind if setting in row.recorded else "own"

    def settings(self, published: str) -> tuple[str, ...]:
        """Rebuilt settings that may stand beside a published row: recorded first, then simulated."""
        row = self.row(published)
        return row.recorded + row.simulated

    def home(self, setting: str) -> Row | None:
        """The first published setting that a rebuilt one belongs to; None for a setting of our own."""
        return next((row for row in self.rows if setting in row.recorded + row.simulated), None)


def is_simulated(setting: str) -> bool:
    """Whether a setting's judgments come from the generator."""
    return setting.startswith(_SIMULATED)


@cache
def counterparts(source: Path = SOURCE) -> Counterparts:
    """The checked content of nbconfig/counterparts.yaml.

    Raises
    ------
    InvalidInput
        On an unknown kind or field, a name listed twice, a setting under two kinds, a simulated setting among
        the recorded ones (or the reverse), or a `local_run` row that names a recorded setting.
    """
    content = yaml.safe_load(source.read_text(encoding="utf-8"))
    kinds = {name: Kind(name, **entry) for name, entry in content["kinds"].items()}
    if set(kinds) != set(KINDS):
        raise InvalidInput("counterparts.kinds", ", ".join(KINDS), ", ".join(kinds))
    rows = tuple(_row(entry) for entry in content["rows"])
    _once("counterparts.names", [name for row in rows for name in row.names])
    _one_kind(rows)
    return Counterparts(kinds, rows)


def _row(entry: dict[str, Any]) -> Row:
    allowed = {"published", "names", "kind", "recorded", "simulated", "note"}
    name = entry.get("published", "?")
    if set(entry) - allowed:
        raise InvalidInput(f"counterparts[{name}]", f"fields {sorted(allowed)}", sorted(set(entry) - allowed))
    if absent := allowed - {"note"} - set(entry):
        raise InvalidInput(f"counterparts[{name}]", f"fields {sorted(allowed)}", f"no {sorted(absent)}")
    if entry["kind"] not in PUBLISHED_KINDS:
        raise InvalidInput(f"counterparts[{name}].kind", " | ".join(PUBLISHED_KINDS), entry["kind"])
    if name not in entry["names"]:
        raise InvalidInput(f"counterparts[{name}].names", f"a list with {name} in it", entry["names"])
    if wrong := [setting for setting in entry["recorded"] if is_simulated(setting)]:
        raise InvalidInput(f"counterparts[{name}].recorded", "settings that are not simulated", wrong)
    if wrong := [setting for setting in entry["simulated"] if not is_simulated(setting)]:
        raise InvalidInput(f"counterparts[{name}].simulated", f"settings called {_SIMULATED}...", wrong)
    if entry["kind"] == "local_run" and entry["recorded"]:
        raise InvalidInput(
            f"counterparts[{name}].recorded", "none where the kind is local_run", entry["recorded"]
        )
    return Row(
        published=name,
        names=tuple(entry["names"]),
        kind=entry["kind"],
        recorded=tuple(entry["recorded"]),
        simulated=tuple(entry["simulated"]),
        note=entry.get("note", ""),
    )


def _once(field: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(field, "each name once", ", ".join(twice))


def _one_kind(rows: tuple[Row, ...]) -> None:
    kinds: dict[str, str] = {}
    for row in rows:
        for setting in row.recorded:
            if kinds.setdefault(setting, row.kind) != row.kind:
                raise InvalidInput(f"counterparts setting {setting}", "one kind everywhere", row.kind)


def counterpart(published: str, profile: str) -> str:
    """The first setting of a profile that stands beside a published row, such as jbb_proxy beside JBB-7.

    No judges of one's own stand beside a published row: for the local profile, the run's first setting.

    Raises
    ------
    InvalidInput
        No such row, or none of the profile's settings stands beside it.
    """
    row = counterparts().row(published)
    if profile == "local":
        return next(iter(role_settings("local")))
    names = row.simulated if profile == "simulated" else row.recorded
    if not names:
        raise InvalidInput("published row", f"one with a setting in the {profile} profile", published)
    return names[0]
