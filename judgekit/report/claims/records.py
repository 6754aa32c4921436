"""Published claims as records: wording, printed values, and the condition under which a claim holds."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from judgekit.errors import InvalidInput
from judgekit.report import published
from judgekit.report.claims.condition import Condition

PAPERS = {"judgemoe": "JudgeMoE", "roles": "Role-conditioned allocation"}
KINDS = ("number", "direction", "definition", "theorem", "protocol", "limitation")
# Calls and costs are printed to two decimals; YAML drops the zeros of 1.00.
_AT_LEAST = {"cost": 2, "judges": 2, "calls": 2}
_QUANTITY = re.compile(r"risk|cost|judges|calls")
_FIELDS = {
    "id",
    "paper",
    "study",
    "where",
    "statement",
    "kind",
    "published",
    "check",
    "holds_when",
    "formula",
}


@dataclass(frozen=True)
class Claim:
    """One published claim.

    Attributes
    ----------
    id, paper, study, kind, statement : str
        As in data/published/claims.yml; the statement is in our words.
    where : str
        Place in the paper; empty where the source does not say.
    published : mapping
        Printed values by name.
    check : str
        The statistic to compute on rebuilt results; empty for pure definitions.
    condition : Condition or None
        When the claim's qualitative reading holds.
    formula : str
        Formula of a definition or theorem; empty where there is none.
    """

    id: str
    paper: str
    study: str
    kind: str
    statement: str
    where: str = ""
    published: dict[str, Any] = field(default_factory=dict)
    check: str = ""
    condition: Condition | None = None
    formula: str = ""

    @property
    def digits(self) -> dict[str, int]:
        """Decimals to which risks, costs and calls are printed, by name; a quantity shares its most precise.

        Examples
        --------
        >>> claims()["ra-033"].digits["role_risk"], claims()["ra-033"].digits["role_judges"]
        (4, 2)
        """
        found = {}
        shared = dict(_AT_LEAST)
        for name, value in self.published.items():
            quantity = _QUANTITY.search(name)
            if quantity and isinstance(value, float):
                found[name] = quantity.group()
                printed = len(repr(value).partition(".")[2])
                shared[found[name]] = max(shared.get(found[name], 0), printed)
        return {name: shared[quantity] for name, quantity in found.items()}


@cache
def claims() -> dict[str, Claim]:
    """All published claims by id, in the order of data/published/claims.yml.

    Raises
    ------
    InvalidInput
        A claim lacks a field, has an unknown one, repeats an id, or its condition does not parse.

    Examples
    --------
    >>> len(claims()), claims()["ra-035"].condition.names
    (204, ('derived_wins', 'derived_losses'))
    """
    found: dict[str, Claim] = {}
    for entry in published.claims():
        name = str(entry.get("id", "?"))
        if name in found:
            raise InvalidInput("claims.yml: id", "each id once", name)
        found[name] = _claim(name, entry)
    return found


def _claim(name: str, entry: dict[str, Any]) -> Claim:
    if absent := _FIELDS - {"formula"} - set(entry):
        raise InvalidInput(f"claims.yml: {name}", f"fields {sorted(_FIELDS)}", f"no {sorted(absent)}")
    if unknown := set(entry) - _FIELDS:
        raise InvalidInput(f"claims.yml: {name}", f"fields {sorted(_FIELDS)}", sorted(unknown))
    if entry["paper"] not in PAPERS or entry["kind"] not in KINDS:
        given = f"{entry['paper']}, {entry['kind']}"
        raise InvalidInput(
            f"claims.yml: {name}", f"paper {' | '.join(PAPERS)}, kind {' | '.join(KINDS)}", given
        )
    text = entry["holds_when"]
    return Claim(
        id=name,
        paper=entry["paper"],
        study=entry["study"],
        kind=entry["kind"],
        statement=entry["statement"],
        where=entry["where"] or "",
        published=entry["published"],
        check=entry["check"] or "",
        condition=None if text is None else Condition(text),
        formula=entry.get("formula", ""),
    )
