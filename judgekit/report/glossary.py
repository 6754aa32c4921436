"""The glossary: one Markdown file that notebooks link to, read term by term for the report."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

from judgekit.errors import InvalidInput
from judgekit.report.published import CHECKOUT

SOURCE = CHECKOUT / "notebooks" / "glossary.md"
PAGE = "glossary.html"

# The only headings that a code host, JupyterLab and the report turn into the same anchor.
_TERM = re.compile(r"[a-z0-9]+(?:[ -][a-z0-9]+)*")
# Headings are in small letters for their anchors; a page gives these people their capitals back.
_PEOPLE = ("bengio", "brier", "dawid", "holm", "jaccard", "nadeau", "skene", "spearman", "wilcoxon")
_PERSON = re.compile(rf"\b({'|'.join(_PEOPLE)})\b")
_LINK = re.compile(r"\]\(\s*([^)\s]*glossary\.(?:md|html)[^)\s]*)")


@dataclass(frozen=True)
class Term:
    """One word: its name, its anchor, and its explanation as HTML."""

    name: str
    anchor: str
    says: str

    @property
    def shown(self) -> str:
        """The name as a page shows it.

        Examples
        --------
        >>> Term("dawid-skene", "dawid-skene", "").shown, Term("pool", "pool", "").shown
        ('Dawid-Skene', 'pool')
        """
        return _PERSON.sub(lambda found: found[0].capitalize(), self.name)


def read_glossary(source: Path = SOURCE) -> tuple[Term, ...]:
    """Terms of a glossary in alphabetical order: each second-level heading with the prose below it.

    Raises
    ------
    InvalidInput
        A heading whose anchor would depend on where it is read, a term without a text, or terms that are
        doubled or out of order.
    """
    reader = MarkdownIt("commonmark", {"html": False})
    tokens = reader.parse(source.read_text(encoding="utf-8"))
    starts = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    terms = []
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        if tokens[start].tag == "h2":
            says = reader.renderer.render(tokens[start + 3 : end], reader.options, {})
            terms.append(_term(tokens[start + 1].content, says.strip()))
    for before, term in pairwise(terms):
        if term.name <= before.name:
            raise InvalidInput("glossary", "each term once, in alphabetical order", term.name)
    return tuple(terms)


def anchor_of(name: str) -> str:
    """Anchor of a term's heading.

    Raises InvalidInput for a name that is not small letters and digits, joined by single spaces or hyphens.

    Examples
    --------
    >>> anchor_of("call plan")
    'call-plan'
    """
    if not _TERM.fullmatch(name):
        raise InvalidInput("glossary", "headings of small letters, digits, spaces and hyphens", name)
    return name.replace(" ", "-")


def broken_links(prose: str, anchors: Collection[str], *, file: str = "glossary.md") -> list[str]:
    """Links of some Markdown to the glossary that name another file or a term that it lacks.

    Parameters
    ----------
    prose : str
        Markdown, such as a notebook's prose cells.
    anchors : collection of str
        Anchors that exist.
    file : str
        How the glossary is reached from where the prose stands.

    Examples
    --------
    >>> broken_links("[a pool](glossary.md#pool), [gates](glossary.md#gates)", {"pool", "gate"})
    ['glossary.md#gates']
    """
    found = []
    for link in _LINK.findall(prose):
        path, _, anchor = link.partition("#")
        if path != file or (anchor and anchor not in anchors):
            found.append(link)
    return found


def _term(name: str, says: str) -> Term:
    if not says:
        raise InvalidInput(f"glossary: {name}", "a sentence or two", "nothing")
    return Term(name, anchor_of(name), says)
