"""What a study's page and the index open with: its main comparison as a picture, as a table and in words."""

from dataclasses import dataclass

from judgekit.errors import InvalidInput
from judgekit.report.captions import StudyCaption
from judgekit.report.compare import Comparison, compare
from judgekit.report.leads import lead_strips, lead_view, lead_words, leads, method_mean
from judgekit.report.results import Results
from judgekit.report.strip import Strip, risk_strips
from judgekit.report.views import TableView, comparison_view


@dataclass(frozen=True)
class Opening:
    """The main comparison of one study, published beside recorded.

    Attributes
    ----------
    title, look : str
        Heading, and what to look for.
    words : str
        What the recorded numbers say; empty where the picture is all.
    strip : Strip
    view : TableView
        The same numbers as a table, under the heading `caption`.
    caption : str
    """

    title: str
    look: str
    words: str
    strip: Strip
    view: TableView
    caption: str


def opening(study: StudyCaption, recorded: Results) -> Opening:
    """The comparison that opens a study; printed numbers alone where nothing was recorded."""
    caption = study.table(study.lead_table)
    if caption.lead:
        found = _compared(study, recorded)
        view = comparison_view(found, columns=caption.lead)
        return Opening(study.lead_title, study.lead_look, "", risk_strips(found), view, caption.title)
    means = recorded.table(study.name, "method_means")
    gained = leads(recorded.table(study.name, caption.name), means)
    view = lead_view(gained, method_mean(means, "judgemoe"))
    return Opening(
        study.lead_title,
        study.lead_look,
        lead_words(gained),
        lead_strips(gained),
        view,
        "Leads over all cells",
    )


def _compared(study: StudyCaption, recorded: Results) -> Comparison:
    caption = study.table(study.lead_table)
    try:
        return compare(caption, recorded.table(study.name, caption.name))
    except InvalidInput:
        return compare(caption, None)
