import subprocess
import sys

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from judgekit.batch.notebook import (
    Cell,
    Notebook,
    check_parameters,
    declared_parameters,
    read_notebook,
    value_from_text,
)
from judgekit.errors import InvalidInput

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def notebook(source, *, tags=("parameters",), copies=1):
    return Notebook("01_a", tuple(Cell("code", source, tags) for _ in range(copies)))


def test_cells_are_read_with_tags_and_traces_of_a_run(tmp_path):
    ran = new_code_cell("2", execution_count=1)
    cells = [new_markdown_cell("# A"), new_code_cell("n = 1", metadata={"tags": ["parameters"]}), ran]
    nbformat.write(new_notebook(cells=cells), tmp_path / "01_a.ipynb")
    found = read_notebook(tmp_path / "01_a.ipynb")
    assert found == Notebook(
        "01_a", (Cell("markdown", "# A"), Cell("code", "n = 1", ("parameters",)), Cell("code", "2", (), True))
    )


@pytest.mark.parametrize("content", [None, "", "{", '{"cells": 1}', "# %%\n1"])
def test_file_that_is_no_notebook_is_one_clear_line(tmp_path, content):
    if content is not None:
        (tmp_path / "01_a.ipynb").write_text(content)
    with pytest.raises(InvalidInput, match="notebook 01_a") as error:
        read_notebook(tmp_path / "01_a.ipynb")
    assert "\n" not in str(error.value)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,4}", fullmatch=True).map(lambda name: f"p_{name}"), PLAIN))
def test_literals_are_read_back_in_order(values):
    source = "\n".join(f"{name} = {value!r}  # why" for name, value in values.items())
    assert list(declared_parameters(notebook(source)).items()) == list(values.items())


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("n = 1 + x", "name = literal"),
        ("n = f()", "name = literal"),
        ("import os", "name = literal"),
        ("a = b = 1", "name = literal"),
        ("a.b = 1", "name = literal"),
        ("n += 1", "name = literal"),
        ("n =", "name = literal"),
        ("n = (1, 2)", "lists and dictionaries"),
        ("n = {1: 2}", "lists and dictionaries"),
        ("n = 1\nn = 2", "each name once; given n twice"),
    ],
)
def test_parameters_cell_of_more_than_literals_is_refused(source, says):
    with pytest.raises(InvalidInput, match=says):
        declared_parameters(notebook(source))


@pytest.mark.parametrize("copies", [0, 2])
def test_exactly_one_parameters_cell_is_wanted(copies):
    with pytest.raises(InvalidInput, match=f"given {copies} such cells"):
        declared_parameters(notebook("n = 1", copies=copies))


def test_given_values_stand_over_the_defaults():
    declared = {"seeds": 3, "tau": 0.5, "names": ["a"], "anything": None}
    given_values = {"tau": 1, "anything": "x"}
    found = check_parameters(given_values, declared, where="here")
    assert list(found.items()) == [("seeds", 3), ("tau", 1), ("names", ["a"]), ("anything", "x")]


@pytest.mark.parametrize(
    ("default", "value"),
    [
        (3, 2.5),
        (3, True),
        (3, "3"),
        (0.5, "1e-3"),
        (True, 1),
        ("a", None),
        (["a"], "a"),
        ({}, []),
        (None, {1}),
    ],
)
def test_value_of_another_kind_is_refused(default, value):
    with pytest.raises(InvalidInput, match="here, parameter n"):
        check_parameters({"n": value}, {"n": default}, where="here")


def test_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(InvalidInput, match=r"one of gain_threshold, seeds \(did you mean gain_threshold\?\)"):
        check_parameters({"gain_treshold": 1}, {"gain_threshold": 0.5, "seeds": 1}, where="here")


@pytest.mark.parametrize(
    ("text", "default", "value"),
    [
        ("3", 1, 3),
        ("-0.5", 0.1, -0.5),
        ("1e-3", 0.1, 0.001),
        ("true", False, True),
        ("3", "a", "3"),
        ("[1, 'b']", [], [1, "b"]),
        ("none", None, None),
        ("some words", None, "some words"),
    ],
)
def test_text_is_read_by_the_kind_of_the_default(text, default, value):
    assert value_from_text(text, default, name="n") == value


def test_text_that_is_no_literal_is_refused():
    with pytest.raises(InvalidInput, match="parameter n: allowed is a number; given one half"):
        value_from_text("one half", 0.5, name="n")


def test_reading_notebooks_compiles_no_grammar_of_addresses():
    script = "import sys, judgekit.batch.notebook; print('lark' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == "False\n"
