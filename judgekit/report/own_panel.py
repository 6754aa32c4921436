"""The report on a reader's own panel: the same sections as one HTML page and as Markdown."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from judgekit.plan_view import explain_frame
from judgekit.report import own_panel_words as words
from judgekit.report.outputs import Outputs
from judgekit.report.own_panel_evidence import action_words, with_evidence
from judgekit.report.own_panel_svg import frontier_svg, roles_svg
from judgekit.report.tables.own_panel import audit_size, saving
from judgekit.report.tables.roles import frontier
from judgekit.report.typeset import environment
from judgekit.report.views import TableView, plain_view
from judgekit.roles import roles_frame
from judgekit.studies.own_panel import PanelStudy
from judgekit.studies.panel_check import PanelCheck

MOST_PAIRS = 10


@dataclass(frozen=True)
class Picture:
    """A figure of the report: file name without suffix, SVG text, and the words that stand in for it."""

    name: str
    svg: str
    words: str


@dataclass(frozen=True)
class Section:
    """One part of the report: sentences, then a picture, then tables by caption."""

    name: str
    title: str
    lines: tuple[str, ...]
    tables: Mapping[str, TableView]
    picture: Picture | None = None


@dataclass(frozen=True)
class PanelReport:
    """Everything the report shows.

    Attributes
    ----------
    title : str
    summary : tuple of str
    sections : tuple of Section
    frames : mapping of str to DataFrame
        The tables at full precision, by file name.
    """

    title: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]
    frames: Mapping[str, pd.DataFrame]


def panel_report(check: PanelCheck, study: PanelStudy, *, priced: bool) -> PanelReport:
    """Put the sections of the report together.

    Parameters
    ----------
    check : PanelCheck
    study : PanelStudy
    priced : bool
        Whether prices were given; without them savings are told in calls and cost alone.
    """
    frames = panel_frames(check, study, priced=priced)
    roles, saved, size = frames["roles"], frames["saving"], frames["audit_size"]
    views = {name: plain_view(_readable(frame)) for name, frame in frames.items()}
    shown_roles = plain_view(
        roles[["judge", "slice", "role", "called", "gain", "low", "high", "threshold", "settled", "action"]]
    )
    risk_cost = Picture(
        "frontier",
        frontier_svg(frames["frontier"], chosen=study.policy),
        "Risk against cost a row of every policy; the plan is filled, the line joins the best of each cost.",
    )
    gains = Picture(
        "roles", roles_svg(roles), "Gain of every judge on all rows with its interval, and the threshold."
    )
    sections = (
        Section(
            "check",
            "The data",
            tuple(words.check_lines(check)),
            {
                "Outputs of each judge, and how often its verdict is the one nearest to the label": views[
                    "judges"
                ],
                f"Judges that agree most often (at most {MOST_PAIRS} pairs)": plain_view(
                    frames["pairs"].head(MOST_PAIRS)
                ),
                "Labels": views["labels"],
                "Slices": views["slices"],
            },
        ),
        Section(
            "roles",
            "Roles",
            (
                "A role says what a judge adds to those the plan calls: complement = on every row, "
                "specialist = on a slice, both, or copy = nothing that reaches the threshold. Its gains are "
                "means over many halvings of the rows and the plan rests on one, so a planned call can turn "
                "out a copy: then the action says what each of them says.",
                "A name is settled where the whole interval lies on one side of the threshold (filled "
                "marks); elsewhere it is a best guess.",
            ),
            {"Gain of every judge, on all rows and in each slice, with 95% intervals": shown_roles},
            gains,
        ),
        Section(
            "plan",
            "The call plan",
            tuple(words.plan_lines(study)),
            {
                "Planned calls, in the order of calling": views["plan"],
                "Slices that could tell": views["signals"],
            },
        ),
        Section(
            "regime",
            "The regime, and why",
            tuple(words.regime_lines(study)),
            {"Evidence, lowest risk first": views["regime"]},
        ),
        Section(
            "frontier",
            "Risk against cost",
            (
                "Each mark is a way to spend. The line joins those that no other beats on both risk and "
                "cost. Where the plan lies above the line, a listed policy does better for its cost.",
            ),
            {"Means over the halvings": views["frontier"]},
            risk_cost,
        ),
        Section(
            "saving",
            "What the plan saves",
            tuple(words.saving_lines(saved)),
            {"Against every judge": views["saving"]},
        ),
        Section(
            "audit",
            "Is the audit set large enough?",
            tuple(words.audit_lines(study, roles, size)),
            {"Intervals against thresholds": views["audit_size"]},
        ),
        Section("method", "How this was made", tuple(words.method_lines(study)), {}),
    )
    summary = (*words.dropped_lines(check), *words.summary_lines(study, saved, size, frames["plan"]))
    return PanelReport(f"Call plan for {study.pool.name}", summary, sections, frames)


def panel_frames(check: PanelCheck, study: PanelStudy, *, priced: bool) -> dict[str, pd.DataFrame]:
    """Tables of the report at full precision, by name."""
    assert study.record.roles is not None
    roles = roles_frame(study.record.roles)
    pairs = zip(roles["role"], roles["called"], strict=True)
    roles = roles.assign(action=[action_words(role, called) for role, called in pairs])
    return {
        "judges": check.judges,
        "pairs": check.pairs,
        "labels": check.labels,
        "slices": check.slices,
        "roles": roles,
        "plan": with_evidence(explain_frame(study.record), roles),
        "signals": study.signals,
        "regime": pd.DataFrame(
            {"policy": each.policy, "risk": each.risk, "calls": each.calls, "cost": each.cost}
            for each in sorted(study.regime.evidence, key=lambda each: each.risk)
        ),
        "frontier": frontier(study.scores).drop(columns="setting"),
        "saving": saving(study, priced=priced),
        "audit_size": audit_size(study, roles),
    }


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Policies by their readable names, whole labels without a decimal point."""
    if "policy" in frame:
        frame = frame.assign(policy=frame["policy"].map(words.policy_name))
    if frame.columns[0] == "label":
        frame = frame.assign(label=frame["label"].map("{:g}".format))
    return frame


def write_report(report: PanelReport, folder: Path) -> None:
    """Write report.html (self-contained), report.md, tables/NAME.csv and figures/NAME.svg under `folder`."""
    outputs = Outputs(folder)
    for name, frame in report.frames.items():
        outputs.table(frame, name)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for section in report.sections:
        if section.picture is not None:
            path = folder / "figures" / f"{section.picture.name}.svg"
            path.write_text(section.picture.svg, encoding="utf-8")
    (folder / "report.md").write_text(markdown(report), encoding="utf-8")
    (folder / "report.html").write_text(html(report), encoding="utf-8")


def html(report: PanelReport) -> str:
    """The report as one page that asks for nothing outside itself."""
    return environment().get_template("own_panel.html.j2").render(report=report)


def markdown(report: PanelReport) -> str:
    """The report as Markdown; figures are linked under figures/."""
    parts = [f"# {report.title}", _bullets(report.summary)]
    for section in report.sections:
        parts += [f"## {section.title}", _bullets(section.lines)]
        if section.picture is not None:
            parts.append(f"![{section.picture.words}](figures/{section.picture.name}.svg)")
        for caption, view in section.tables.items():
            parts += [f"**{caption}**", _markdown_table(view)]
    return "\n\n".join(parts) + "\n"


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"* {_plain(line)}" for line in lines)


def _markdown_table(view: TableView) -> str:
    rows = [[view.first, *view.columns], ["---", *("---:" if number else "---" for number in view.numeric)]]
    rows += [[line.head, *line.cells] for group in view.groups for line in group]
    return "\n".join("| " + " | ".join(_plain(cell) for cell in row) + " |" for row in rows)


def _plain(text: str) -> str:
    """Text of a reader's file as Markdown shows it: no tags, no cells of its own."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
