"""The report in a real browser: what it asks for, where its links lead, what its filters show."""

import os
import shutil
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from judgekit import cli
from judgekit.batch.layout import Layout
from judgekit.batch.links import page_links
from judgekit.batch.page import write_page
from judgekit.report import site
from judgekit.report.captions import studies
from judgekit.report.claims.ledger import ledger
from judgekit.report.glossary import read_glossary
from judgekit.report.published import CHECKOUT
from judgekit.report.results import Results
from judgekit.sources.own_panel import SAMPLE

pytestmark = pytest.mark.needs("chromium")

OWN, EXECUTED = "own/report.html", "simulated/notebooks/01_a.html"
SITE = ("index.html", *(f"{study.name}.html" for study in studies()), "claims.html", "glossary.html")
PAGES = (*SITE, OWN, EXECUTED)
PROSE = "# A notebook\n\nIts [call plan](glossary.md#call-plan), and [itself](01_a.ipynb)."
SOLUTION = "<details><summary>Solution</summary>\n\nIt is seven.\n\n</details>"
CODE = "a_long_line = " + " + ".join(["one_more_thing"] * 12)
SHOWN = new_output("display_data", {"text/html": f"<table><tr>{'<td>0.123456</td>' * 30}</tr></table>"})
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PATIENCE = 120_000
FACTS = """() => ({
  links: [...document.links].map(link => link.href),
  ids: [...document.querySelectorAll("[id]")].map(element => element.id),
  pictures: [...document.images].map(image => [image.alt, image.complete && image.naturalWidth]),
  drawings: [...document.querySelectorAll("svg[role=img]")].map(each => each.getAttribute("aria-label")),
  headings: document.querySelectorAll("h1").length,
})"""
WIDTH = """() => {
  document.querySelectorAll("details").forEach(details => details.open = true);
  return document.documentElement.scrollWidth;
}"""


@dataclass
class Seen:
    """What one page did when it was opened, and what stands on it."""

    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    facts: dict = field(default_factory=dict)
    widths: dict[int, int] = field(default_factory=dict)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site of the committed results alone, a report of a panel, and the page of an executed notebook."""
    reports = tmp_path_factory.mktemp("site")
    unlike = shutil.ignore_patterns("notebooks", "built.json", "*.html", ".*")
    for profile in ("recorded", "simulated"):
        shutil.copytree(CHECKOUT / "reports" / profile, reports / profile, ignore=unlike)
    cells = [new_markdown_cell(PROSE), new_code_cell(CODE, outputs=[SHOWN]), new_markdown_cell(SOLUTION)]
    executed = new_notebook(cells=cells)
    (reports / EXECUTED).parent.mkdir()
    layout = replace(Layout.of_checkout(), reports=reports)
    links = page_links(layout.target("simulated"), "simulated", {"simulated": ["01_a"]}, layout)
    write_page(executed, reports / EXECUTED, links)
    site.build(reports)
    assert cli.run(["plan", str(SAMPLE), "--slice", "topic", "--out", str(reports / "own")]) == 0
    return reports


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    # A root user, as in a container, can only start it without its sandbox.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=options, timeout=PATIENCE)
        yield launched
        launched.close()


@pytest.fixture
def opened(browser, built):
    """Opens a page of the site on a desktop."""
    context = browser.new_context(viewport=DESKTOP)
    context.set_default_timeout(PATIENCE)

    def opened(name):
        page = context.new_page()
        page.goto((built / name).as_uri())
        return page

    yield opened
    context.close()


@pytest.fixture(scope="module")
def seen(browser, built):
    """Every page, opened once at each width."""
    found = {}
    for name in PAGES:
        here = found[name] = Seen()
        for size in (DESKTOP, PHONE):
            page = browser.new_page(viewport=size)
            page.set_default_timeout(PATIENCE)
            page.on("console", lambda message, here=here: here.said.append(f"{message.type}: {message.text}"))
            page.on("pageerror", lambda error, here=here: here.said.append(f"uncaught: {error}"))
            page.on("request", lambda request, here=here: here.asked.append(request.url))
            page.goto((built / name).as_uri())
            here.facts = page.evaluate(FACTS)
            here.widths[size["width"]] = page.evaluate(WIDTH)
            page.close()
    return found


@pytest.mark.parametrize("name", PAGES)
def test_page_opens_without_a_word_on_the_console(seen, name):
    assert seen[name].said == []
    assert seen[name].facts["headings"] == 1


@pytest.mark.parametrize("name", PAGES)
def test_page_asks_for_nothing_but_itself(seen, built, name):
    assert (built / name).as_uri() in seen[name].asked
    others = [url for url in seen[name].asked if url != (built / name).as_uri()]
    assert {urlsplit(url).scheme for url in others} <= {"data"}


@pytest.mark.parametrize("name", PAGES)
def test_every_link_and_fragment_leads_somewhere(seen, built, name):
    places = {(built / other).as_uri(): set(seen[other].facts["ids"]) for other in PAGES}
    links = seen[name].facts["links"]
    assert links
    for link in links:
        parts = urlsplit(link)
        assert parts.scheme == "file", link
        assert Path(unquote(parts.path)).is_file(), link
        target = link.partition("#")[0]
        if parts.fragment:
            assert unquote(parts.fragment) in places[target], link


@pytest.mark.parametrize("name", PAGES)
def test_no_page_gives_one_name_to_two_places(seen, name):
    assert [place for place, times in Counter(seen[name].facts["ids"]).items() if times > 1] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_picture_is_drawn_and_has_words_in_its_place(seen, name):
    assert all(alt and width for alt, width in seen[name].facts["pictures"])
    assert all(seen[name].facts["drawings"])


def test_figures_are_among_the_pictures(seen):
    for study in studies():
        assert len(seen[f"{study.name}.html"].facts["pictures"]) >= len(study.figures) > 0
    assert seen["index.html"].facts["drawings"]


@pytest.mark.parametrize("name", PAGES)
def test_page_never_scrolls_sideways(seen, name):
    assert seen[name].widths == {size["width"]: size["width"] for size in (DESKTOP, PHONE)}


def shown(page):
    """Claims that can be seen, and the count that the page gives."""
    return page.locator("article.claim:visible").count(), page.locator("#shown").inner_text()


def test_filters_show_the_claims_that_they_name(opened, built):
    verdicts = ledger(Results("recorded", built / "recorded"))
    page = opened("claims.html")
    total = len(verdicts)
    assert shown(page) == (total, f"{total} of {total} shown")
    kinds = {"paper": lambda verdict: verdict.claim.paper, "study": lambda verdict: verdict.claim.study}
    kinds["status"] = lambda verdict: verdict.status
    for name, kind in kinds.items():
        counts = Counter(map(kind, verdicts))
        assert len(counts) > 1
        for value, count in counts.items():
            page.select_option(f"select[name={name}]", value)
            assert shown(page) == (count, f"{count} of {total} shown")
            assert count < total
        page.select_option(f"select[name={name}]", "")
    both = [verdict for verdict in verdicts if (verdict.claim.paper, verdict.status) == ("judgemoe", "holds")]
    page.select_option("select[name=paper]", "judgemoe")
    page.select_option("select[name=status]", "holds")
    assert shown(page) == (len(both), f"{len(both)} of {total} shown")
    assert page.locator("h2.study:visible").count() == len({verdict.claim.study for verdict in both})


def test_filters_answer_to_the_keyboard(opened):
    page = opened("claims.html")
    before, _ = shown(page)
    page.focus("select[name=status]")
    page.keyboard.press("ArrowDown")
    after, _ = shown(page)
    assert 0 < after < before


def test_first_tab_leads_to_the_content(opened):
    page = opened("index.html")
    page.keyboard.press("Tab")
    skip = page.locator("a.skip")
    assert skip.evaluate("link => link === document.activeElement")
    box = skip.bounding_box()
    assert box["x"] >= 0
    assert box["y"] >= 0
    page.keyboard.press("Enter")
    assert urlsplit(page.url).fragment == "content"


def test_wide_tables_can_be_scrolled_from_the_keyboard(opened):
    page = opened("roles.html")
    page.set_viewport_size(PHONE)
    box = page.locator("section.table .scroll:visible").first
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())


def test_link_to_a_term_shows_its_explanation(opened, built):
    term = read_glossary()[-1]
    page = opened("glossary.html")
    page.goto(f"{(built / 'glossary.html').as_uri()}#{term.anchor}")
    place = page.locator(f"#{term.anchor}")
    assert term.shown in place.inner_text()
    assert 0 <= place.bounding_box()["y"] < DESKTOP["height"]


def test_without_scripts_every_claim_can_be_read(browser, built):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((built / "claims.html").as_uri(), timeout=PATIENCE)
    claims = page.locator("article.claim")
    assert claims.count() == page.locator("article.claim:visible").count() > 0
    assert not page.locator("#filters").is_visible()
    context.close()


def test_a_figure_fits_a_phone_and_leads_to_its_file(opened, built):
    page = opened("roles.html")
    page.set_viewport_size(PHONE)
    figure = page.locator("section.figure figure:visible").first
    assert figure.evaluate("figure => figure.scrollWidth <= figure.clientWidth")
    file = figure.locator("a").get_attribute("href")
    assert file.endswith(".svg")
    assert (built / file).is_file()


def test_print_opens_what_is_folded_but_for_simulated_copies(opened):
    claim = "article.claim:first-of-type details"
    for name, inside in (("claims.html", f"{claim} p"), (EXECUTED, "details p")):
        page = opened(name)
        assert not page.locator(inside).first.is_visible()
        page.emulate_media(media="print")
        assert page.locator(inside).first.is_visible()
    page = opened("roles.html")
    page.emulate_media(media="print")
    assert not page.locator("details.aside table").first.is_visible()


def test_print_cuts_no_code_of_a_notebook(opened):
    page = opened(EXECUTED)
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    assert page.locator(".highlight pre").first.evaluate("code => code.scrollWidth <= code.clientWidth")


def test_print_leaves_out_what_paper_cannot_use(opened):
    page = opened("claims.html")
    page.emulate_media(media="print")
    assert not page.locator("nav.top").is_visible()
    assert not page.locator("#filters").is_visible()
    assert page.locator("article.claim").first.is_visible()
