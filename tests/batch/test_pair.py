import os

import jupytext
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_notebook, new_output

from judgekit.batch.notebook import read_notebook
from judgekit.batch.pair import in_step, ipynb_text, refuse_out_of_step, source_text, sync
from judgekit.errors import InvalidInput

SOURCE = """# %% [markdown]
# # A title
#
# Some *words*.

# %% tags=["parameters"]
profile = "simulated"
n = 3  # why


# %%
def double(x):
    return 2 * x


double(n)

# %%
double(n)
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "01_a.py"
    path.write_text(SOURCE)
    sync(path)
    return path


def ids(path):
    return [cell.id for cell in nbformat.read(str(path), as_version=4).cells]


def later(path):
    stamp = path.stat().st_mtime + 10
    os.utime(path, (stamp, stamp))


def test_ipynb_is_written_from_the_source_and_reads_back(source):
    path = source.with_suffix(".ipynb")
    notebook = read_notebook(path)
    assert [(cell.kind, cell.tags) for cell in notebook.cells] == [
        ("markdown", ()),
        ("code", ("parameters",)),
        ("code", ()),
        ("code", ()),
    ]
    assert source_text(path) == SOURCE
    assert in_step(path)
    assert sync(source) == []


def test_ids_are_unique_and_those_of_unchanged_cells_stay(source):
    path = source.with_suffix(".ipynb")
    before = ids(path)
    assert len(set(before)) == 4
    source.write_text("# %%\n0\n\n" + SOURCE.replace("n = 3", "n = 4"))
    later(source)
    sync(source)
    assert [name for name in ids(path) if name in before] == [before[0], *before[2:]]


def test_source_changed_last_decides(source):
    source.write_text(SOURCE.replace("n = 3", "n = 4"))
    later(source)
    with pytest.raises(InvalidInput, match=r"python -m judgekit\.batch\.pair"):
        refuse_out_of_step(source.with_suffix(".ipynb"))
    assert sync(source) == [source.with_suffix(".ipynb")]
    assert "n = 4" in source.with_suffix(".ipynb").read_text()


def test_notebook_changed_last_decides_and_loses_its_outputs(source):
    path = source.with_suffix(".ipynb")
    notebook = nbformat.read(str(path), as_version=4)
    notebook.cells[3].source = "double(9)"
    notebook.cells[3].outputs = [new_output("stream", text="18")]
    notebook.cells[3].metadata["collapsed"] = True
    nbformat.write(notebook, path)
    later(path)
    assert sync(path) == [source, path]
    assert source.read_text() == SOURCE[: SOURCE.rindex("double(n)")] + "double(9)\n"
    assert not any(cell.has_outputs for cell in read_notebook(path).cells)
    assert path.read_text() == ipynb_text(source)


def test_outputs_alone_are_stripped_without_touching_the_source(source):
    path = source.with_suffix(".ipynb")
    notebook = nbformat.read(str(path), as_version=4)
    notebook.cells[3].outputs = [new_output("stream", text="6")]
    nbformat.write(notebook, path)
    later(path)
    assert in_step(path)
    assert sync(path) == [path]
    assert source.read_text() == SOURCE


def test_absent_half_is_written(source):
    path = source.with_suffix(".ipynb")
    text = path.read_text()
    path.unlink()
    assert sync(path) == [path]
    assert path.read_text() == text
    source.unlink()
    assert sync(path) == [source]
    assert source.read_text() == SOURCE


def test_notebook_without_a_source_is_in_step_and_neither_half_is_an_error(source, tmp_path):
    source.unlink()
    refuse_out_of_step(source.with_suffix(".ipynb"))
    with pytest.raises(InvalidInput, match=r"a \.py or \.ipynb file"):
        sync(tmp_path / "02_b.py")


@given(
    st.lists(
        st.sampled_from(["x = 1", "x", "def f():\n    return 1", "# words", "%time x", "!ls"]), max_size=5
    )
)
def test_any_code_cells_survive_the_way_there_and_back(tmp_path_factory, sources):
    path = tmp_path_factory.mktemp("pair") / "01_a.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(text) for text in sources]), path)
    text = source_text(path)
    assert [cell.source for cell in jupytext.reads(text, fmt="py:percent").cells if cell.source] == sources
