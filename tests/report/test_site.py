import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from judgekit.report import site
from judgekit.report.captions import studies
from judgekit.report.glossary import read_glossary
from judgekit.report.published import published

VOID = {"meta", "link", "img", "br", "hr", "input", "wbr"}
SVG_VOID = {"circle", "line", "path", "rect"}
TABLE = "table03_policy_comparison"


class Page(HTMLParser):
    """Every element with its attributes and text; fails on a tag that is not closed where it should be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "inside": [e["tag"] for e in self.open]}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        assert tag in SVG_VOID
        self.elements.append({"tag": tag, "attrs": dict(attrs), "text": "", "inside": []})

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag, **attrs):
        wanted = attrs.items()
        return [
            e for e in self.elements if e["tag"] == tag and all(e["attrs"].get(k) == v for k, v in wanted)
        ]


def words(element):
    return " ".join(element["text"].split())


def pages(reports):
    index = site.build(reports)
    return {path.name: Page(path.read_text(encoding="utf-8")) for path in sorted(index.parent.glob("*.html"))}


@pytest.fixture
def built(write_results, recorded_table03, simulated_table03):
    write_results("recorded", {TABLE: recorded_table03})
    reports = write_results("simulated", {TABLE: simulated_table03}, here=True)
    figure = reports / "recorded" / "figures" / "roles" / "figure01_regimes.svg"
    figure.parent.mkdir(parents=True)
    figure.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="10.5pt" height="10pt"/>')
    return pages(reports)


def test_pages_are_the_index_the_claims_the_glossary_and_one_a_study(built):
    studies = ["judgemoe.html", "panel.html", "roles.html"]
    assert sorted(built) == ["claims.html", "glossary.html", "index.html", *studies]
    for page in built.values():
        assert len(page.all("h1")) == 1
        assert page.all("html", lang="en")


def test_no_request_leaves_a_page(built):
    for name, page in built.items():
        assert len(page.all("script")) == (name == "claims.html")
        for element in page.elements:
            for name in ("src", "href", "data", "action", "srcset", "poster"):
                target = element["attrs"].get(name, "")
                assert not re.match(r"(?i)([a-z]+:)?//", target)
        for style in page.all("style"):
            assert not re.search(r"url\(|@import", style["text"])


def test_links_lead_to_files_and_places_that_exist(built, tmp_path):
    for name, page in built.items():
        for link in page.all("a"):
            target, _, place = link["attrs"]["href"].partition("#")
            assert not target or (tmp_path / target).is_file()
            there = built.get(target or name)
            if place and there:
                assert any(e["attrs"].get("id") == place for e in there.elements)


def test_glossary_page_has_every_term_and_each_page_leads_there(built):
    page = built["glossary.html"]
    for term in read_glossary():
        assert any(e["attrs"].get("id") == term.anchor and e["tag"] == "div" for e in page.elements)
        assert page.all("a", href=f"#{term.anchor}")
    for page in built.values():
        assert page.all("a", href="glossary.html")[0]["inside"][-1] == "nav"


def test_pages_fit_a_phone(built):
    for page in built.values():
        assert (
            page.all("meta", name="viewport")[0]["attrs"]["content"] == "width=device-width, initial-scale=1"
        )
        scrolled = [box for box in page.all("div") if "scroll" in box["attrs"].get("class", "").split()]
        assert len(scrolled) == len(page.all("table"))
        assert all(box["attrs"]["tabindex"] == "0" and box["attrs"]["aria-label"] for box in scrolled)


def test_every_table_has_a_caption_and_scopes(built):
    assert built["roles.html"].all("table")
    for page in built.values():
        assert len(page.all("caption")) == len(page.all("table"))
        assert all(words(caption) for caption in page.all("caption"))
        for heading in page.all("th"):
            assert heading["attrs"]["scope"] == ("col" if "thead" in heading["inside"] else "row")


def test_a_figure_leads_to_its_file_its_numbers_and_their_table(built):
    section = next(
        e for e in built["roles.html"].elements if e["attrs"].get("id") == "figure-figure01_regimes"
    )
    text = words(section)
    assert "recorded: real judges, recorded by others" in text
    links = {link["attrs"]["href"]: words(link) for link in built["roles.html"].all("a")}
    assert links["recorded/figures/roles/figure01_regimes.svg"] == "figure as SVG"
    assert links[f"#{TABLE}"] == "the numbers"
    assert text.index("figure as SVG") < text.index("table as CSV") < text.index("the numbers")


def test_every_picture_has_text_in_its_place(built):
    for page in built.values():
        assert all(image["attrs"]["alt"] for image in page.all("img"))
        assert all(drawing["attrs"]["aria-label"] for drawing in page.all("svg", role="img"))
    image = built["roles.html"].all("img")[0]["attrs"]
    assert image["src"].startswith("data:image/svg+xml;base64,")


def body_lines(page):
    """Rows of all table bodies: class, heading and cells, as text."""
    lines = []
    for element in page.elements:
        if element["tag"] == "tr" and "tbody" in element["inside"]:
            lines.append((element["attrs"].get("class", ""), "", []))
        elif lines and "tbody" in element["inside"] and element["tag"] == "th":
            lines[-1] = (lines[-1][0], words(element), lines[-1][2])
        elif lines and "tbody" in element["inside"] and element["tag"] == "td":
            lines[-1][2].append(words(element))
    return lines


def test_differences_carry_the_printed_digits(built):
    digits = list(published(TABLE).digits.values())
    found = [cells for role, _, cells in body_lines(built["roles.html"]) if role == "difference"]
    assert found == [
        ["−0.0968", "+0.0178", "−0.0718", "+0.0308", "−0.0884", "−0.0334", "−1.46", "−0.96"],
    ]
    assert [len(cell.partition(".")[2]) for cell in found[0]] == digits


def test_every_rebuilt_row_says_what_it_rests_on(built):
    badges = {head.split()[0]: head for role, head, _ in body_lines(built["roles.html"]) if role == "rebuilt"}
    assert badges["llmbar_gpt4"].endswith("same rows, other judges")
    assert badges["roscoe_gsm8k"].endswith("analogue: directions only")
    assert badges["triviaqa"].endswith("our own: no published row")
    assert badges["sim_llmbar7"].endswith("simulated, tuned to the printed figure")


def test_agreement_is_a_word_beside_the_sign(built):
    orders = [item for page in built.values() for item in page.all("li") if "tr" in item["inside"]]
    assert orders
    for item in orders:
        assert re.match(r"(= as printed|≠ not as printed): ", words(item))


def test_simulated_rows_stand_in_a_table_without_differences(built):
    lines = body_lines(built["roles.html"])
    start = next(i for i, (_, head, _) in enumerate(lines) if head.startswith("sim_llmbar7"))
    assert lines[start][2][0] == "0.2178"
    following = lines[start + 1][0] if start + 1 < len(lines) else "printed"
    assert following == "printed"


def test_origins_are_told_apart(built):
    text = words(built["roles.html"].all("body")[0])
    assert "from the repository, not rebuilt here (built 2026-11-29)" in text
    assert "rebuilt here, 2026-11-29 10:12 UTC" in text
    links = [link["attrs"]["href"] for link in built["roles.html"].all("a")]
    assert "simulated/notebooks/04_role_routing.html" in links
    assert "recorded/notebooks/04_role_routing.html" not in links
    assert f"recorded/tables/roles/{TABLE}.csv" in links


def test_without_any_result_the_printed_tables_are_shown(tmp_path):
    found = pages(tmp_path)
    text = words(found["roles.html"].all("body")[0])
    assert len(found["roles.html"].all("section", **{"class": "table"})) == 15
    assert "not rebuilt yet" in text
    assert "rebuilt here," not in text
    assert "make reports" in words(found["index.html"].all("body")[0])


def test_a_table_the_report_does_not_know_is_shown_as_it_is(write_results, recorded_table03):
    reports = write_results("recorded", {"zz_extra": recorded_table03})
    sections = pages(reports)["roles.html"].all("section", id="zz_extra")
    assert "triviaqa 0.1000" in words(sections[0])


def test_a_table_of_another_shape_is_shown_with_the_reason(write_results, recorded_table03):
    reports = write_results("recorded", {TABLE: recorded_table03.rename(columns={"dataset": "setting"})})
    section = words(pages(reports)["roles.html"].all("section", id=TABLE)[0])
    assert "Cannot be set beside the printed table" in section
    assert "llmbar_gpt4 0.1212" in section


def test_names_in_a_table_cannot_add_markup(write_results, recorded_table03):
    frame = recorded_table03.assign(dataset=["llmbar_gpt4", "roscoe_gsm8k", "<script>x</script>"])
    page = pages(write_results("recorded", {TABLE: frame}))["roles.html"]
    assert not page.all("script")
    assert "<script>x</script>" in words(page.all("body")[0])


def test_no_page_gives_one_name_to_two_places(write_results, recorded_table03):
    # a table called main was once the second place of that name
    write_results("recorded", {"main": pd.DataFrame({"cell": ["a"], "risk": [0.1]})}, study="judgemoe")
    for page in pages(write_results("simulated", {TABLE: recorded_table03})).values():
        names = [element["attrs"]["id"] for element in page.elements if element["attrs"].get("id")]
        assert len(set(names)) == len(names)


def test_index_and_pages_open_with_both_papers(built):
    titles = [words(heading) for heading in built["index.html"].all("h2")]
    assert titles[:2] == [study.lead_title for study in studies() if study.lead_title]
    for study in studies():
        figures = built[f"{study.name}.html"].all(
            "figure", **{"aria-label": f"{study.lead_title}, printed and recorded"}
        )
        assert len(figures) == bool(study.lead_table)
    drawings = [drawing["attrs"]["aria-label"] for drawing in built["index.html"].all("svg", role="img")]
    assert any("llmbar_gpt4, same_rows: single best 0.1212" in text for text in drawings)
    assert any("over the uniform log pool, analogue: printed +0.0601" in text for text in drawings)


def test_a_table_that_is_only_simulated_stands_open(write_results):
    frame = pd.DataFrame({"slice": ["all"], "judge": ["large"], "gain": [0.0775]})
    page = pages(write_results("simulated", {"plan": frame}, study="panel"))["panel.html"]
    section = page.all("section", id="plan")[0]
    assert "all large +0.0775" in words(section)
    assert not page.all("details")
    assert "tuned to the printed figure" not in words(page.all("main")[0])


def test_rows_of_the_simulator_name_no_recorded_judges_or_data(write_results):
    frame = pd.DataFrame({"good_judges": [4], "log_breaks_at": [0.005860]})
    other = pd.DataFrame({"benchmark_cell": ["wmt22_stars"], "spearman": [0.46]})
    tables = {"contamination": frame, "main": other}
    page = pages(write_results("recorded", tables, study="judgemoe"))["judgemoe.html"]
    simulated, recorded = (words(page.all("section", id=name)[0]) for name in tables)
    assert "recorded: generated judges, as under every profile" in simulated
    assert "real judges, recorded by others" not in simulated
    assert "data: llmbar" not in simulated
    assert "recorded: real judges, recorded by others" in recorded
    assert "data: llmbar" in recorded


def test_claims_named_in_a_table_lead_to_the_claims_page(write_results):
    frame = pd.DataFrame({"claim": ["jm-024", "jm-999"], "printed": [0.5, 0.4], "rebuilt": [0.25, 0.3]})
    page = pages(write_results("recorded", {"zz_counts": frame}, study="judgemoe"))["judgemoe.html"]
    section = page.all("section", id="zz_counts")[0]
    assert [words(link) for link in page.all("a", href="claims.html#jm-024")] == ["jm-024"]
    assert not page.all("a", href="claims.html#jm-999")
    assert "Printed beside rebuilt" in words(section)


def test_building_twice_gives_the_same_bytes(write_results, recorded_table03):
    reports = write_results("recorded", {TABLE: recorded_table03})
    first = {path: path.read_bytes() for path in [site.build(reports), reports / "roles.html"]}
    site.build(reports)
    assert first == {path: path.read_bytes() for path in first}
    assert not list(reports.glob(".*"))


def test_main_prints_the_summaries_and_ends_with_the_path(write_results, recorded_table03, capsys):
    reports = write_results("recorded", {TABLE: recorded_table03})
    site.main(reports)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "recorded: from the repository, not rebuilt here (built 2026-11-29)"
    assert lines[-1] == str(reports / "index.html")
