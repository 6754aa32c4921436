import sys

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from judgekit.batch.kernels import Kernel, surroundings
from judgekit.batch.worker import fault_of_cells

COLOURED = "\x1b[31m---------------------------------------------------------------------------\x1b[39m"


def ran(source="1", *, count=1, status="completed", started="2026-11-30T10:00:00", outputs=()):
    told = {"papermill": {"status": status, "start_time": started}}
    return new_code_cell(source, execution_count=count, metadata=told, outputs=list(outputs))


def error(name, value, *traceback):
    return new_output("error", ename=name, evalue=value, traceback=[COLOURED, *traceback])


def fault(*cells):
    return fault_of_cells(new_notebook(cells=[new_markdown_cell("# A"), ran(), *cells]))


def test_cells_that_all_ran_have_no_fault():
    assert fault(ran("2"), new_code_cell(""), new_code_cell("  \n")) is None


@pytest.mark.parametrize(
    "lapse", [{"count": None}, {"status": "running"}, {"started": None}, {"status": "failed"}]
)
def test_cell_that_did_not_finish_is_named(lapse):
    assert fault(ran("\nx = 1\nx", **lapse)) == "stopped before cell In [2]: x = 1"


def test_cell_that_papermill_never_touched_is_named():
    assert fault(new_code_cell("x")) == "stopped before cell In [2]: x"


def test_error_is_told_with_line_message_and_where_it_was_raised():
    traceback = (
        "KeyError      Traceback (most recent call last)\nCell In[2], line 2\n      1 a = 1\n----> 2 f(a)\n",
        "File /somewhere/judgekit/plan.py:120, in plan(a)\n    119 def plan\n--> 120     g(a)",
        "File /somewhere/judgekit/studies/roles.py:7, in g(a)\n--> 7 a['b']",
        "File /elsewhere/pandas/core.py:99, in h(a)\n---> 99 raise",
    )
    cell = ran("a = 1\nf(a)", status="failed", outputs=[error("KeyError", "'b'", *traceback)])
    assert fault(cell).splitlines() == [
        "cell In [2], line 2: f(a)",
        "KeyError: 'b' (raised in judgekit/studies/roles.py, line 7)",
    ]


def test_long_message_is_cut_to_a_few_lines():
    cell = ran("f()", outputs=[error("ValueError", "one\n\ntwo\nthree\nfour")])
    assert fault(cell).splitlines() == ["cell In [2]: f()", "ValueError: one", "two", "three"]
    assert fault(ran("f()", outputs=[error("ValueError", "")])).splitlines()[1] == "ValueError"


@pytest.mark.parametrize(("value", "shown"), [("", "0"), ("0", "0"), ("3", "3"), ("no data", "no data")])
def test_exit_is_a_fault_whatever_its_code(value, shown):
    cell = ran("import sys", outputs=[error("SystemExit", value)])
    assert fault(cell).splitlines()[1] == f"SystemExit: {shown}: the cells below it never ran"


def test_kernel_is_this_interpreter_whatever_the_notebook_names():
    assert Kernel(kernel_name="julia-1.11").kernel_spec.argv[:3] == [
        sys.executable,
        "-m",
        "ipykernel_launcher",
    ]


def test_surroundings_do_not_vary_with_the_callers(tmp_path, monkeypatch):
    for name in ("PYTHONSTARTUP", "PYTHONWARNINGS", "IPYTHONDIR", "OMP_NUM_THREADS", "PYTHONHASHSEED"):
        monkeypatch.setenv(name, "random")
    monkeypatch.setenv("PYTHONPATH", "/mine")
    monkeypatch.setenv("JUDGEKIT_MIRROR", "/mirror")
    places = {name: tmp_path / name for name in ("root", "nbconfig", "results", "scratch")}
    found = surroundings(**places)
    assert {name: found[name] for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED")} == {
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    assert found["PYTHONPATH"].split(":") == [str(tmp_path / "root"), "/mine"]
    assert found["JUDGEKIT_OUTPUT"] == str(tmp_path / "results")
    assert found["MATPLOTLIBRC"] == str(tmp_path / "nbconfig")
    assert found["IPYTHONDIR"] == str(tmp_path / "scratch")
    assert found["JUDGEKIT_MIRROR"] == "/mirror"
    assert not {"PYTHONSTARTUP", "PYTHONWARNINGS"} & found.keys()
