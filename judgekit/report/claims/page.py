"""The ledger as the report shows it: one row a claim, its verdicts in two profiles, and its links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgekit.report.claims.ledger import counts, ledger
from judgekit.report.claims.records import PAPERS
from judgekit.report.claims.verdict import STATUSES, WORDS, Verdict
from judgekit.report.claims.words import (
    STUDIES,
    compared_words,
    files_of,
    markdown,
    printed_words,
    run_words,
    untested_words,
)
from judgekit.report.published import CHECKOUT
from judgekit.report.results import Results
from judgekit.sources.cache import OTHER_DISK, write_together


@dataclass(frozen=True)
class Row:
    """One claim: verdict on recorded judges, on simulated ones, and the heading it starts, if any."""

    recorded: Verdict
    simulated: Verdict | None
    heading: str


@dataclass(frozen=True)
class Tally:
    """Counts by status of one paper under one profile."""

    label: str
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Link:
    """A file that a verdict was read from; without `href` where the page could not open it."""

    label: str
    href: str


def page_content(ledgers: Mapping[str, Sequence[Verdict]], reports: Path) -> dict[str, Any]:
    """What the template of the claims page needs.

    Parameters
    ----------
    ledgers : mapping
        Verdicts of the recorded profile, and of the simulated one where it was built.
    reports : Path
        Folder that the page lies in.
    """
    recorded = ledgers["recorded"]
    simulated = ledgers.get("simulated", [None] * len(recorded))
    rows, before = [], ("", "")
    for verdict, other in zip(recorded, simulated, strict=True):
        key = (verdict.claim.paper, verdict.claim.study)
        heading = f"{PAPERS[key[0]]}: {STUDIES.get(key[1], key[1])}" if key != before else ""
        rows.append(Row(verdict, other, heading))
        before = key
    statuses = [status for status in STATUSES if any(status in counts(each) for each in ledgers.values())]
    studies = {verdict.claim.study for verdict in recorded}
    return {
        "rows": rows,
        "tallies": [_tallies(profile, verdicts) for profile, verdicts in ledgers.items()],
        "statuses": statuses,
        "recorded_statuses": set(counts(recorded)),
        "status_words": WORDS,
        "papers": PAPERS,
        "study_names": {name: words for name, words in STUDIES.items() if name in studies},
        "links": lambda verdict: [_link(label, path, reports) for label, path in files_of(verdict)],
        "compared_words": compared_words,
        "run_words": run_words,
        "untested_words": untested_words,
        "printed_words": printed_words,
    }


def ledgers_of(results: Sequence[Results]) -> dict[str, tuple[Verdict, ...]]:
    """Ledgers for the page: recorded always, simulated where it has tables."""
    found = {}
    for entry in results:
        built = any(entry.table_names(study) for study in PAPERS)
        if entry.profile == "recorded" or (entry.profile == "simulated" and built):
            found[entry.profile] = ledger(entry)
    return found


def write_markdown(ledgers: Mapping[str, Sequence[Verdict]], results: Sequence[Results]) -> None:
    """Write `claims.md` beside the tables of every profile that has some."""
    for entry in results:
        if entry.profile in ledgers and any(entry.table_names(study) for study in PAPERS):
            path = entry.folder / "claims.md"
            write_together({path: markdown(ledgers[entry.profile]).encode()}, instead=OTHER_DISK)


def _tallies(profile: str, verdicts: Sequence[Verdict]) -> list[Tally]:
    rows = [Tally(f"{profile}, both papers", counts(verdicts))]
    for paper, words in PAPERS.items():
        of_paper = [verdict for verdict in verdicts if verdict.claim.paper == paper]
        rows.append(Tally(f"{profile}: {words}", counts(of_paper)))
    return rows


def _link(label: str, path: str, reports: Path) -> Link:
    """Tables and figures below reports/ open from the page, other files where they lie in this checkout.

    A folder is named without a link: a browser would list it, or nothing at all.
    """
    inside = path.removeprefix("reports/")
    if inside != path:
        return Link(label, inside if (reports / inside).is_file() else "")
    here = reports.resolve().parent == CHECKOUT and (CHECKOUT / path).is_file()
    return Link(path, f"../{path}" if here else "")
