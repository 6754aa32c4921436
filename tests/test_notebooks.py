"""Every notebook keeps the rules, asks three questions, and runs headless from end to end at smoke size."""

import ast
import re
from importlib import import_module

import pytest

from judgekit.batch.check import check_folder
from judgekit.batch.layout import Layout
from judgekit.batch.notebook import read_notebook
from judgekit.batch.profiles import read_profiles
from judgekit.batch.rebuild import rebuild
from judgekit.batch.tasks import Request

CHECKOUT = Layout.of_checkout()
NOTEBOOKS = read_profiles(CHECKOUT.nbconfig).of("simulated")
PATHS = sorted(CHECKOUT.notebooks.glob("*.ipynb"))


def prose(path):
    return "\n\n".join(cell.source for cell in read_notebook(path).cells if cell.kind == "markdown")


def test_every_notebook_keeps_the_rules():
    assert [str(breach) for breach in check_folder(CHECKOUT.notebooks)] == []


def test_every_notebook_is_run_by_some_profile():
    names = {path.stem for path in CHECKOUT.notebooks.glob("*.ipynb")}
    assert names == set(read_profiles(CHECKOUT.nbconfig).notebooks)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_ends_with_three_questions_and_a_folded_answer_to_each(path):
    _, _, exercises = prose(path).partition("## Three exercises\n")
    parts = re.split(r"^\*\*(\d)\. .+?\*\*", exercises, flags=re.MULTILINE | re.DOTALL)
    assert parts[1::2] == ["1", "2", "3"]
    for part in parts[2::2]:
        assert re.search(r"\?", part.partition("<details>")[0])
        assert re.findall(r"</?details>", part) == ["<details>", "</details>"]
        assert "<details><summary>Solution</summary>\n\n" in part


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_code_of_the_answers_is_python_and_imports_what_exists(path):
    for block in re.findall(r"```python\n(.*?)```", prose(path), flags=re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom):
                module = import_module(node.module)
                assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """One batch over every notebook of the simulated profile, in a folder of its own."""
    layout = CHECKOUT.with_reports(tmp_path_factory.mktemp("smoke") / "reports")
    said = []
    batch = rebuild(Request(profiles=("simulated",), smoke=True, jobs=2), layout, say=said.append)
    return layout, {outcome.notebook: outcome for outcome in batch.outcomes}


@pytest.mark.parametrize("entry", NOTEBOOKS, ids=lambda entry: entry.notebook)
def test_notebook_runs_headless_at_smoke_size(smoke, entry):
    layout, outcomes = smoke
    outcome = outcomes[entry.notebook]
    assert outcome.status == "rebuilt", outcome.detail
    for name in entry.outputs:
        assert (layout.target("simulated", "smoke") / name).stat().st_size > 0


@pytest.mark.parametrize("entry", NOTEBOOKS, ids=lambda entry: entry.notebook)
def test_tables_show_every_word_and_every_column(smoke, entry):
    layout, _ = smoke
    page = (layout.target("simulated", "smoke") / "notebooks" / f"{entry.notebook}.html").read_text()
    words = [word.strip() for word in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", page, flags=re.DOTALL)]
    # A cell of dots alone stands for rows in the middle of a long table.
    assert [word for word in words if word.endswith(("...", "…")) and word.strip(".…")] == []
    heads = re.findall(r"<thead>(.*?)</thead>", page, flags=re.DOTALL)
    assert [head for head in heads if "..." in head] == []
