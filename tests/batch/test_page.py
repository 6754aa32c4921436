import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from judgekit.batch.page import write_page

LINKS = {"index.html": "../../index.html", "glossary.md": "../../glossary.html"}


@pytest.fixture
def page(tmp_path):
    shown = new_output("execute_result", {"text/plain": "4", "text/html": "<b>four</b>"}, execution_count=1)
    cells = [new_markdown_cell("# A\n\nA [pool](glossary.md#pool)."), new_code_cell("2 + 2", outputs=[shown])]
    write_page(new_notebook(cells=cells), tmp_path / "01_a.html", LINKS)
    return (tmp_path / "01_a.html").read_text(encoding="utf-8")


def test_prose_code_and_outputs_are_on_the_page(page):
    assert "<title>01_a</title>" in page
    assert "<b>four</b>" in page
    assert re.search(r'class="mi">2</span>', page)


def test_page_asks_for_nothing(page):
    assert "<script" not in page
    assert not re.search(r"@import|url\((?![\"']?data:)", page)
    assert not re.search(r'\b(?:src|srcset)="(?!data:)', page)
    assert re.findall(r'<link [^>]*href="([^"]*)"', page) == ["data:,"]


def test_page_leads_to_the_report_and_its_terms_to_the_glossary(page):
    for address in ("../../index.html", "../../glossary.html", "../../glossary.html#pool"):
        assert f'href="{address}"' in page
    assert "glossary.md" not in page


def test_names_in_a_table_may_break_behind_an_underscore(tmp_path):
    table = '<table><tr><th title="a_b">role_routed_risk</th><td>a/b_c</td><td><b>x_y</b></td></tr></table>'
    shown = new_output("display_data", {"text/html": table})
    write_page(new_notebook(cells=[new_code_cell("a_b", outputs=[shown])]), tmp_path / "01_a.html", LINKS)
    page = (tmp_path / "01_a.html").read_text(encoding="utf-8")
    assert (
        '<th title="a_b">role_<wbr>routed_<wbr>risk</th><td>a/<wbr>b_<wbr>c</td><td><b>x_y</b></td>' in page
    )
    assert page.count("<wbr>") == 4
