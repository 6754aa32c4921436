"""How pages are set: where a long name may break, which columns need room, on which paper a table fits."""

import html
import re
from collections.abc import Collection, Iterable

import jinja2
from jinja2.filters import do_mark_safe

from judgekit.report.views import TableView

# A name such as judgebench_reward may break behind the mark, never within a word.
JOINT = re.compile(r"(?<=[^\W_][_/])(?=[^\W_])")
_CLAIM = re.compile(r"\b(?:jm|ra)-\d{3}\b")
_SPACE = re.compile(r"[\s_/-]+")
_WORDY = 34

# At 8 points a figure is 4.5 points wide; a cell has 7 points of padding. The printable width is that of the
# narrower of A4 and Letter, each way up.
_FIGURE, _PADDING, _UPRIGHT, _ACROSS = 4.5, 7.0, 533.0, 729.0
_TEXT_LINES = 5
SHEETS = ("", "broad", "tight")


def environment() -> jinja2.Environment:
    """Templates of the report, with this module's functions as filters."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("judgekit.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        breakable=lambda text: do_mark_safe(breakable(text)),
        capitalize_first=lambda text: text[:1].upper() + text[1:],
        linked=lambda text, claims: do_mark_safe(linked(text, claims)),
        sheet=sheet,
        wordy=wordy,
    )
    found.globals["claim_ids"] = ()
    return found


def breakable(text: str) -> str:
    """Text as HTML that may break behind every underscore and slash within a name.

    Examples
    --------
    >>> breakable("judgebench_reward <b>")
    'judgebench_<wbr>reward &lt;b&gt;'
    """
    return "<wbr>".join(html.escape(part) for part in JOINT.split(str(text)))


def linked(text: str, claims: Collection[str]) -> str:
    """Text as `breakable` gives it, with the ids among `claims` leading to their place on the claims page.

    Examples
    --------
    >>> linked("jm-024 and jm-999", {"jm-024"})
    '<a href="claims.html#jm-024">jm-024</a> and jm-999'
    """
    parts: list[str] = []
    end = 0
    for found in _CLAIM.finditer(str(text)):
        if found[0] in claims:
            parts += [
                breakable(text[end : found.start()]),
                f'<a href="claims.html#{found[0]}">{found[0]}</a>',
            ]
            end = found.end()
    return "".join([*parts, breakable(text[end:])])


def wordy(view: TableView) -> tuple[bool, ...]:
    """Which columns hold text too long for a narrow column."""
    texts = _columns(view)
    return tuple(
        not number and any(len(text) > _WORDY for text in column)
        for number, column in zip(view.numeric, texts, strict=True)
    )


def sheet(views: Iterable[TableView]) -> str:
    """The paper that the widest of some tables fits on.

    Returns
    -------
    str
        "" where upright paper holds all of them at 8 points, "broad" where it takes paper laid across, and
        "tight" where even that is too narrow.
    """
    widest = max((_printed_width(view) for view in views), default=0.0)
    return SHEETS[(widest > _UPRIGHT) + (widest > _ACROSS)]


def _printed_width(view: TableView) -> float:
    """Least width of a table in points at which no word is cut and no text takes more than a few lines."""
    heads = [line for group in view.groups for line in group]
    rows = max((_longest_word(f"{line.head} {line.sub}") for line in heads), default=0)
    widths = [max(rows, _longest_word(view.first), 12)]
    for label, number, column in zip(view.columns, view.numeric, _columns(view), strict=True):
        inside = max(map(len if number else _text_width, column), default=0)
        widths.append(max(_longest_word(label), inside))
    return sum(_FIGURE * width + _PADDING for width in widths)


def _columns(view: TableView) -> list[list[str]]:
    """Texts of every column."""
    lines = [line.cells for group in view.groups for line in group if line.cells]
    return [[cells[place] for cells in lines] for place in range(len(view.columns))]


def _longest_word(text: str) -> int:
    return max(map(len, _SPACE.split(text)), default=0)


def _text_width(text: str) -> int:
    return max(_longest_word(text), -(-len(text) // _TEXT_LINES))
