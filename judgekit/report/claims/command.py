"""`judgekit claims`: the published claims of both papers, and what rebuilt tables say of each."""

import json
from typing import Annotated

import typer

from judgekit.errors import InvalidInput, MissingData
from judgekit.report.claims.ledger import counts_in_words, ledger, record
from judgekit.report.claims.records import PAPERS
from judgekit.report.claims.verdict import STATUSES, Verdict
from judgekit.report.claims.words import explained
from judgekit.report.published import CHECKOUT
from judgekit.report.results import PROFILES, Results


def claims(
    profile: Annotated[str, typer.Option(help="recorded, simulated or local.")] = "recorded",
    paper: Annotated[str | None, typer.Option(help="Only judgemoe or roles.")] = None,
    status: Annotated[str | None, typer.Option(help="Only one status, such as fails.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one entry a claim.")] = False,
) -> None:
    """Say which of 204 published claims hold on the rebuilt tables of a profile.

    Reads reports/PROFILE/tables alone; nothing is computed anew. The first line counts all claims by status.

    Examples: judgekit claims

    judgekit claims --paper roles --status fails

    judgekit claims --profile simulated --json
    """
    _check("--profile", profile, PROFILES)
    _check("--paper", paper, tuple(PAPERS))
    _check("--status", status, STATUSES)
    results = Results(profile, CHECKOUT / "reports" / profile)
    if not any(results.table_names(study) for study in PAPERS):
        raise MissingData(f"reports/{profile}/tables", f"judgekit rebuild --profile {profile}")
    verdicts = ledger(results)
    kept = [verdict for verdict in verdicts if _is_asked(verdict, paper, status)]
    if as_json:
        typer.echo(json.dumps([record(verdict) for verdict in kept], indent=1, ensure_ascii=False))
        return
    typer.echo(f"{profile}: {counts_in_words(verdicts)} (of {len(verdicts)})")
    for verdict in kept:
        typer.echo("\n".join(explained(verdict)))


def _is_asked(verdict: Verdict, paper: str | None, status: str | None) -> bool:
    return paper in (None, verdict.claim.paper) and status in (None, verdict.status)


def _check(option: str, given: str | None, allowed: tuple[str, ...]) -> None:
    if given is not None and given not in allowed:
        raise InvalidInput(option, ", ".join(allowed), given)
