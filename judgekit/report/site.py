"""The static report: index, one page a study, claims and glossary, built from what lies under reports/."""

import base64
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import jinja2
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.report.captions import FigureCaption, StudyCaption, TableCaption, column_label, studies
from judgekit.report.claims.ledger import counts_in_words
from judgekit.report.claims.page import ledgers_of, page_content, write_markdown
from judgekit.report.claims.records import claims
from judgekit.report.compare import compare
from judgekit.report.counterparts import counterparts
from judgekit.report.glossary import PAGE, read_glossary
from judgekit.report.opening import Opening, opening
from judgekit.report.published import CHECKOUT, published, table_names
from judgekit.report.results import HERE, PROFILES, UNSTAMPED, Evidence, Results
from judgekit.report.summary import profile_summary
from judgekit.report.typeset import environment, sheet
from judgekit.report.views import TableView, comparison_view, plain_view
from judgekit.sources.cache import OTHER_DISK, write_together

_LONG = 60
PROFILE_TITLES = {
    "recorded": "real judges, recorded by others",
    "local": "judges you ran yourself",
    "simulated": "generated judges with known truth",
}
_SIMULATED_ALWAYS = "generated judges, as under every profile"


@dataclass(frozen=True)
class Part:
    """One table of a section in one profile: view, provenance, and why it could not be compared, if so.

    `source` says in words whose judgments these are.
    """

    profile: str
    view: TableView
    evidence: Evidence
    csv: str
    notebook: str
    folded: bool
    heading: str
    source: str
    problem: str = ""


@dataclass(frozen=True)
class TableSection:
    """One table of a study's page: caption, printed and rebuilt numbers, and why they differ."""

    name: str
    title: str
    look: str
    parts: tuple[Part, ...]
    printed: TableView | None
    why: str = ""

    @property
    def sheet(self) -> str:
        """The paper that its printed and recorded tables fit on, as `typeset.sheet` names it."""
        shown = [part.view for part in self.parts if part.profile != "simulated" or not part.folded]
        return sheet([*shown, self.printed] if self.printed else shown)


@dataclass(frozen=True)
class Picture:
    """A figure in one profile: as a data URI, as a file, and the table of its values, if it has one.

    `csv` is that table's file, `numbers` its place on the page.
    """

    profile: str
    uri: str
    svg: str
    csv: str
    numbers: str
    notebook: str
    evidence: Evidence
    folded: bool
    source: str


@dataclass(frozen=True)
class FigureSection:
    """One figure of a study's page: caption, the text that stands in for it, and each profile's picture."""

    name: str
    title: str
    look: str
    alt: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class StudyPage:
    """Everything one study's page shows."""

    study: StudyCaption
    opening: Opening | None
    tables: tuple[TableSection, ...]
    figures: tuple[FigureSection, ...]
    absent: tuple[str, ...]

    @property
    def origin(self) -> Part | None:
        """Where the recorded numbers of the opening come from."""
        parts = [
            part for section in self.tables if section.name == self.study.lead_table for part in section.parts
        ]
        return next((part for part in parts if part.profile == "recorded"), None)


def build(reports: Path) -> Path:
    """Write the index, one page a study, the claims, the glossary and each claims.md; return the index.

    Works on any subset of results: a profile without a folder, a table without a file or a notebook that was
    not executed is shown as absent. Pages are replaced whole, so a reader never meets half of one.
    """
    results = tuple(Results(profile, reports / profile) for profile in PROFILES)
    pages = tuple(study_page(study, results) for study in studies())
    summaries = tuple(profile_summary(entry) for entry in results)
    pages_of = _page_environment()
    for page in pages:
        _render(pages_of, "study.html.j2", reports / f"{page.study.name}.html", page=page)
    ledgers = ledgers_of(results)
    write_markdown(ledgers, results)
    _render(pages_of, "claims.html.j2", reports / "claims.html", **page_content(ledgers, reports))
    terms = read_glossary()
    _render(pages_of, "glossary.html.j2", reports / PAGE, terms=terms)
    return _render(
        pages_of,
        "index.html.j2",
        reports / "index.html",
        pages=pages,
        summaries=summaries,
        terms=terms,
        notebooks=_notebooks(results),
        claims_words=counts_in_words(ledgers["recorded"]),
        claims_total=len(ledgers["recorded"]),
    )


def study_page(study: StudyCaption, results: Sequence[Results]) -> StudyPage:
    """Sections of one study: captioned tables in reading order, then whatever else was rebuilt."""
    captions = list(study.tables)
    named = {caption.name for caption in captions}
    others = sorted({name for entry in results for name in entry.table_names(study.name)} - named)
    captions += [TableCaption(name, column_label(name), "", (), study=study.name) for name in others]
    sections = [section for caption in captions if (section := _table_section(study, caption, results))]
    shown = {section.name for section in sections}
    absent = tuple(caption.title for caption in captions if caption.name not in shown)
    recorded = next(entry for entry in results if entry.profile == "recorded")
    first = opening(study, recorded) if study.lead_table else None
    return StudyPage(study, first, tuple(sections), _figure_sections(study, results, shown), absent)


def _table_section(
    study: StudyCaption, caption: TableCaption, results: Sequence[Results]
) -> TableSection | None:
    is_printed = caption.name in table_names(study.name)
    beside = caption.layout == "side_by_side"
    parts = []
    for entry in results:
        frame = entry.table(study.name, caption.name)
        if frame is None and (entry.profile != "recorded" or not is_printed or beside):
            continue
        parts.append(_part(study, caption, entry, frame, compared=is_printed and not beside))
    if not parts and not is_printed:
        return None
    if all(part.profile == "simulated" for part in parts) and not is_printed:
        parts = [replace(part, folded=False) for part in parts]
    table = published(caption.name, study.name) if beside else None
    printed = plain_view(table.numbers, table.digits, caption.labels) if table else None
    return TableSection(caption.name, caption.title, caption.look, tuple(parts), printed, caption.why)


def _part(
    study: StudyCaption, caption: TableCaption, entry: Results, frame: pd.DataFrame | None, *, compared: bool
) -> Part:
    output = f"tables/{study.name}/{caption.name}.csv"
    evidence = _evidence(entry, output, caption) if frame is not None else Evidence(UNSTAMPED)
    problem = ""
    simulated = entry.profile == "simulated"
    view = None
    if compared:
        try:
            view = comparison_view(compare(caption, frame, simulated=simulated), empty=not simulated)
        except InvalidInput as error:
            problem = f"Cannot be set beside the printed table: {error}"
    if view is None:
        assert frame is not None
        known = caption.name in table_names(study.name)
        digits = published(caption.name, study.name).digits if known else {}
        view = plain_view(frame, digits | caption.digits, caption.labels)
    csv = f"{entry.profile}/{output}" if frame is not None else ""
    notebook = _notebook(entry, evidence)
    both = frame is not None and _holds_both([str(column) for column in frame.columns])
    heading = "Printed beside rebuilt" if (compared and not problem) or both else "Rebuilt"
    heading = heading if csv else "As printed"
    long = sum(len(group) for group in view.groups) > _LONG and not compared
    source = _source(entry, caption)
    return Part(entry.profile, view, evidence, csv, notebook, simulated or long, heading, source, problem)


def _holds_both(columns: Collection[str]) -> bool:
    """Whether a rebuilt table carries the printed values itself."""
    return bool({"printed", "published"}.intersection(columns) and {"rebuilt", "ours"}.intersection(columns))


def _evidence(entry: Results, output: str, caption: TableCaption | FigureCaption) -> Evidence:
    """Where an output comes from; no recorded data stands behind rows of the simulator."""
    found = entry.evidence(output)
    return replace(found, data=()) if caption.simulated else found


def _source(entry: Results, caption: TableCaption | FigureCaption) -> str:
    return _SIMULATED_ALWAYS if caption.simulated else PROFILE_TITLES[entry.profile]


def _figure_sections(
    study: StudyCaption, results: Sequence[Results], tables: Collection[str]
) -> tuple[FigureSection, ...]:
    captions = {caption.name: caption for caption in study.figures}
    others = sorted({name for entry in results for name in entry.figure_names(study.name)} - set(captions))
    for name in others:
        title = column_label(name)
        captions[name] = FigureCaption(name, title, "", f"{title}; the tables of this page hold its values.")
    sections = []
    for name, caption in captions.items():
        pictures = tuple(
            _picture(study, caption, entry, path, tables)
            for entry in results
            if (path := entry.figure(study.name, name))
        )
        if all(picture.folded for picture in pictures):
            pictures = tuple(replace(picture, folded=False) for picture in pictures)
        if pictures:
            sections.append(FigureSection(name, caption.title, caption.look, caption.alt, pictures))
    return tuple(sections)


def _notebooks(results: Sequence[Results]) -> list[tuple[str, list[str]]]:
    """Executed notebooks by name, with the profiles they can be read in."""
    names = sorted({name for entry in results for name in entry.notebooks()})
    return [(name, [entry.profile for entry in results if name in entry.notebooks()]) for name in names]


def _picture(
    study: StudyCaption, caption: FigureCaption, entry: Results, path: Path, tables: Collection[str]
) -> Picture:
    output = f"figures/{study.name}/{caption.name}.svg"
    evidence = _evidence(entry, output, caption)
    table = caption.table or caption.name
    values = table if entry.table(study.name, table) is not None and table in tables else ""
    return Picture(
        entry.profile,
        uri="data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode("ascii"),
        svg=f"{entry.profile}/{output}",
        csv=f"{entry.profile}/tables/{study.name}/{values}.csv" if values else "",
        numbers=f"#{values}" if values else "",
        notebook=_notebook(entry, evidence),
        evidence=evidence,
        folded=entry.profile == "simulated",
        source=_source(entry, caption),
    )


def _notebook(entry: Results, evidence: Evidence) -> str:
    """Address of the executed notebook that wrote an output; empty where it was not executed here."""
    return f"{entry.profile}/notebooks/{evidence.notebook}.html" if evidence.state == HERE else ""


def _page_environment() -> jinja2.Environment:
    found = environment()
    found.globals.update(
        claim_ids=frozenset(claims()),
        kinds=counterparts().kinds,
        settings=counterparts().rows,
        studies=studies(),
        profile_titles=PROFILE_TITLES,
    )
    return found


def _render(environment: jinja2.Environment, template: str, path: Path, **content: object) -> Path:
    text = environment.get_template(template).render(**content)
    write_together({path: text.encode()}, instead=OTHER_DISK)
    return path


def main(reports: Path = CHECKOUT / "reports") -> None:
    """Build the site, then print a summary of every profile and the path of the index."""
    index = build(reports)
    for summary in (profile_summary(Results(profile, reports / profile)) for profile in PROFILES):
        if summary.state != "absent" or summary.profile != "local":
            sys.stdout.write(f"{summary.profile}: {summary.headline}\n")
            sys.stdout.writelines(f"  {line}\n" for line in summary.lines)
    sys.stdout.write(f"{index}\n")


if __name__ == "__main__":
    main()
