"""The ledger of one profile: all claims with their verdicts, counted, as a frame and as plain records."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.report.claims import (
    judgemoe_experts,
    judgemoe_gate,
    judgemoe_main,
    judgemoe_protocol,
    judgemoe_sparse,
    role_counts,
    role_procedure,
    role_routing,
    role_stress,
)
from judgekit.report.claims.reading import Binding, Tables
from judgekit.report.claims.records import claims
from judgekit.report.claims.verdict import STATUSES, WORDS, Verdict, judge
from judgekit.report.published import CHECKOUT
from judgekit.report.results import Results

_SOURCES = (
    judgemoe_protocol,
    judgemoe_main,
    judgemoe_gate,
    judgemoe_sparse,
    judgemoe_experts,
    role_routing,
    role_counts,
    role_stress,
    role_procedure,
)


@cache
def bindings() -> dict[str, Binding]:
    """All bindings by claim id.

    Raises
    ------
    InvalidInput
        If a binding names no published claim, or two bind one claim.
    """
    found: dict[str, Binding] = {}
    for binding in (binding for module in _SOURCES for binding in module.bindings()):
        if binding.claim not in claims() or binding.claim in found:
            raise InvalidInput("binding", "each published claim once", binding.claim)
        found[binding.claim] = binding
    return found


def ledger(results: Results) -> tuple[Verdict, ...]:
    """Verdicts on all published claims, in their order, from one profile's rebuilt tables."""
    tables = Tables(results)
    return tuple(judge(claim, bindings().get(claim.id), tables) for claim in claims().values())


def ledger_of(profile: str) -> tuple[Verdict, ...]:
    """Ledger of a profile, from the tables that lie under reports/ in this checkout."""
    return ledger(Results(profile, CHECKOUT / "reports" / profile))


def counts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Number of claims with each status that occurs, in the order of `STATUSES`."""
    found = {status: sum(verdict.status == status for verdict in verdicts) for status in STATUSES}
    return {status: number for status, number in found.items() if number}


def counts_in_words(verdicts: Sequence[Verdict]) -> str:
    """Counts by status in one line.

    Examples
    --------
    >>> counts_in_words(())
    ''
    """
    return ", ".join(f"{WORDS[status]} {number}" for status, number in counts(verdicts).items())


def frame(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """One row a claim: claim, paper, study, statement, status, verdict, kinds, rests_on, reason, run, note.

    `kinds` says how the settings stand to the paper's, such as same_rows; empty where none was read.
    """
    return pd.DataFrame(
        [
            {
                "claim": verdict.claim.id,
                "paper": verdict.claim.paper,
                "study": verdict.claim.study,
                "statement": verdict.claim.statement,
                "status": WORDS[verdict.status],
                "verdict": verdict.words,
                "kinds": ", ".join(dict.fromkeys(outcome.kind for outcome in verdict.outcomes)),
                "rests_on": verdict.rests_on,
                "reason": verdict.reason,
                "run": verdict.run,
                "note": verdict.note,
            }
            for verdict in verdicts
        ]
    )


def tally(verdicts: Sequence[Verdict], *, by: str = "paper") -> pd.DataFrame:
    """Claims by status: a row each value of `by` (paper, study, kinds), a column each status that occurs."""
    table = frame(verdicts)
    order = [WORDS[status] for status in counts(verdicts)]
    return pd.crosstab(table[by], table["status"]).reindex(columns=order)


def record(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain values for JSON; a missing value is None."""
    claim = verdict.claim
    return {
        "id": claim.id,
        "paper": claim.paper,
        "study": claim.study,
        "where": claim.where,
        "kind": claim.kind,
        "statement": claim.statement,
        "published": claim.published,
        "condition": claim.condition.text if claim.condition else None,
        "profile": verdict.profile,
        "status": verdict.status,
        "words": verdict.words,
        "rests_on": verdict.rests_on,
        "settings": [
            {
                "setting": outcome.setting,
                "kind": outcome.kind,
                "holds": outcome.holds,
                "values": {name: _plain(value) for name, value in outcome.values.items()},
            }
            for outcome in verdict.outcomes
        ],
        "reason": verdict.reason,
        "run": verdict.run,
        "tables": list(verdict.tables),
        "figures": list(verdict.figures),
        "see": list(verdict.see),
        "note": verdict.note,
    }


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value
