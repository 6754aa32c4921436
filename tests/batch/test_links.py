import nbformat
import pytest

from judgekit.batch.layout import Layout
from judgekit.batch.links import page_links, relinked
from judgekit.batch.profiles import PROFILES, read_profiles

NOTEBOOKS = {"simulated": ["01_a", "02_b"], "recorded": ["01_a"]}


@pytest.mark.parametrize("run", [None, "small"])
@pytest.mark.parametrize("profile", ["simulated", "recorded"])
def test_every_address_leads_from_the_page_to_a_page(desk, profile, run):
    target = desk.layout.target(profile, run)
    found = page_links(target, profile, NOTEBOOKS, desk.layout)
    assert set(found) == {"index.html", "glossary.md", "01_a.ipynb", "02_b.ipynb"}
    leads = {file: (target / "notebooks" / address).resolve() for file, address in found.items()}
    assert leads["index.html"] == desk.layout.reports / "index.html"
    assert leads["glossary.md"] == desk.layout.reports / "glossary.html"
    assert leads["01_a.ipynb"] == desk.layout.target(profile) / "notebooks" / "01_a.html"
    assert leads["02_b.ipynb"] == desk.layout.target("simulated") / "notebooks" / "02_b.html"


def test_only_links_to_known_files_change():
    links = {"glossary.md": "../../glossary.html", "01_a.ipynb": "01_a.html"}
    kept = '<a href="#pool"></a><a href="https://x.org/glossary.md"></a><p>glossary.md</p><a href="b.md"></a>'
    assert relinked(kept, links) == kept
    assert relinked('<a href="glossary.md">x</a><a href="01_a.ipynb#y">', links) == (
        '<a href="../../glossary.html">x</a><a href="01_a.html#y">'
    )


def test_every_notebook_of_the_checkout_has_a_page_to_link_to():
    layout = Layout.of_checkout()
    profiles = read_profiles(layout.nbconfig)
    named = {name: [entry.notebook for entry in profiles.of(name)] for name in PROFILES}
    assert set(named["simulated"]) == {path.stem for path in layout.notebooks.glob("*.ipynb")}


def test_page_of_a_notebook_links_to_the_glossary_page(desk):
    path = desk.notebook("01_a", "size")
    book = nbformat.read(path, as_version=4)
    book.cells[0].source = "# A\n\nThe [call plan](glossary.md#call-plan) of [this](01_a.ipynb)."
    nbformat.write(book, path)
    assert desk.statuses(name="other") == ["rebuilt"]
    page = (desk.layout.target("simulated", "other") / "notebooks" / "01_a.html").read_text(encoding="utf-8")
    assert 'href="../../../../glossary.html#call-plan"' in page
    assert 'href="../../../../simulated/notebooks/01_a.html"' in page
    assert "glossary.md" not in page
