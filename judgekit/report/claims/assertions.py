"""Claims that no rebuilt table decides, each with its reason, and the notes of a reading without favour."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from judgekit.errors import InvalidInput

DEFINITION, NOT_TESTABLE = "definition", "not_testable"
_FIELDS = {"status", "reason", "run", "see"}


@dataclass(frozen=True)
class Assertion:
    """Why no rebuilt table decides a claim.

    Attributes
    ----------
    status : str
        definition (no data could make it fail) or not_testable.
    reason : str
        In words.
    run : str
        The run that would test it; empty where none would.
    see : tuple of str
        Paths in the repository where it is stated, asserted or drawn.
    """

    status: str
    reason: str
    run: str
    see: tuple[str, ...]


@cache
def assertions() -> dict[str, Assertion]:
    """Assertions by claim id.

    Raises
    ------
    InvalidInput
        An entry has an unknown field or status, or lacks a reason or a place to look.
    """
    found = {}
    for name, entry in _read("asserted.yaml").items():
        if unknown := set(entry) - _FIELDS:
            raise InvalidInput(f"asserted.yaml: {name}", f"fields {sorted(_FIELDS)}", sorted(unknown))
        if entry.get("status") not in (DEFINITION, NOT_TESTABLE):
            raise InvalidInput(
                f"asserted.yaml: {name}", f"{DEFINITION} | {NOT_TESTABLE}", entry.get("status")
            )
        if not entry.get("reason") or not entry.get("see"):
            raise InvalidInput(f"asserted.yaml: {name}", "a reason and a place to see", entry)
        found[name] = Assertion(entry["status"], entry["reason"], entry.get("run", ""), tuple(entry["see"]))
    return found


@cache
def notes() -> dict[str, str]:
    """What the printed numbers say against the paper's wording, by claim id."""
    return {name: str(text) for name, text in _read("notes.yaml").items()}


def _read(name: str) -> dict:
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
