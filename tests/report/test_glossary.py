import re

import pytest

from judgekit.batch.layout import Layout
from judgekit.batch.notebook import read_notebook
from judgekit.errors import InvalidInput
from judgekit.report.glossary import SOURCE, Term, anchor_of, broken_links, read_glossary
from judgekit.report.published import CHECKOUT


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "glossary.md"
        path.write_text(text)
        return path

    return write


def anchors():
    return {term.anchor for term in read_glossary()}


def test_terms_are_headings_with_the_prose_below_them(write):
    source = write(
        "# Words\n\nOpening.\n\n## call plan\n\nWhom to *call*.\n\n## log-pool 2\n\nA `pool`.\n\nMore.\n"
    )
    assert read_glossary(source) == (
        Term("call plan", "call-plan", "<p>Whom to <em>call</em>.</p>"),
        Term("log-pool 2", "log-pool-2", "<p>A <code>pool</code>.</p>\n<p>More.</p>"),
    )


def test_markup_in_the_file_stays_text(write):
    assert "&lt;b&gt;" in read_glossary(write("## pool\n\n<b>judges</b>\n"))[0].says


@pytest.mark.parametrize(
    "name", ["Pool", "call  plan", "plans' overlap", "q_k", "pool (log)", "", "a-", "été"]
)
def test_heading_that_would_be_another_anchor_elsewhere_is_refused(name):
    with pytest.raises(InvalidInput, match="small letters"):
        anchor_of(name)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("## pool\n\nx\n\n## gate\n\nx\n", "each term once, in alphabetical order; given gate"),
        ("## gate\n\nx\n\n## gate\n\ny\n", "each term once, in alphabetical order; given gate"),
        ("## gate\n\n## pool\n\nx\n", "glossary: gate: allowed is a sentence or two; given nothing"),
    ],
)
def test_glossary_out_of_order_doubled_or_empty_is_refused(write, text, told):
    with pytest.raises(InvalidInput, match=told):
        read_glossary(write(text))


def test_anchors_are_those_of_a_code_host_and_of_jupyterlab():
    for term in read_glossary():
        on_a_code_host = re.sub(r"[^\w\- ]", "", term.name.lower()).replace(" ", "-")
        in_jupyterlab = term.name.replace(" ", "-")
        assert term.anchor == on_a_code_host == in_jupyterlab


def test_people_have_their_capitals_on_the_page_and_small_letters_in_the_anchor():
    named = {term.anchor: term.shown for term in read_glossary() if term.shown != term.name}
    assert named == {
        "dawid-skene": "Dawid-Skene",
        "holm-adjustment": "Holm adjustment",
        "jaccard-of-plans": "Jaccard of plans",
        "nadeau-bengio-interval": "Nadeau-Bengio interval",
        "spearman-correlation": "Spearman correlation",
        "wilcoxon-test": "Wilcoxon test",
    }


def test_terms_link_to_terms_that_exist():
    own = re.findall(r"\]\(#([^)]+)\)", SOURCE.read_text(encoding="utf-8"))
    assert own
    assert set(own) <= anchors()


def test_modules_named_in_the_glossary_exist():
    named = re.findall(r"`judgekit\.([a-z_.]+)`", SOURCE.read_text(encoding="utf-8"))
    assert named
    for name in named:
        place = CHECKOUT / "judgekit" / name.replace(".", "/")
        known = place.with_suffix(".py").is_file() or place.is_dir()
        assert known or place.parent.with_suffix(".py").is_file(), name


def test_broken_links_are_found():
    prose = (
        "[pool](glossary.md#pool), [Pool](glossary.md#Pool), [a plan](glossary.md#plan-of-calls), "
        "[all](glossary.md), [there](../glossary.md#pool), [page](glossary.html#pool), [paper](paper.md#x)"
    )
    assert broken_links(prose, {"pool", "call-plan"}) == [
        "glossary.md#Pool",
        "glossary.md#plan-of-calls",
        "../glossary.md#pool",
        "glossary.html#pool",
    ]


def test_every_link_from_a_notebook_hits_a_term():
    layout = Layout.of_checkout()
    known = anchors()
    for path in sorted(layout.notebooks.glob("*.ipynb")):
        for cell in read_notebook(path).cells:
            if cell.kind == "markdown":
                assert broken_links(cell.source, known) == [], path.stem


def test_every_link_from_the_readme_hits_a_term():
    prose = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    assert broken_links(prose, anchors(), file="notebooks/glossary.md") == []
