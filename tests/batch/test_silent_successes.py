"""What stock papermill lets pass with exit code 0 and must not: in one batch, beside a good notebook."""

import os
import subprocess
import sys

import pytest

WRITES = (
    "from pathlib import Path; import os\n"
    "place = Path(os.environ['JUDGEKIT_OUTPUT']) / 'tables' / '{0}.csv'\n"
    "place.parent.mkdir(parents=True, exist_ok=True); written = place.write_text('a\\n1\\n')"
)

# Notebook: code cells, and what the batch must say of it.
LAPSES = {
    "01_exits": (
        (WRITES.format("t01"), "import sys; sys.exit(0)", "1 + 1"),
        "SystemExit: 0: 1 more never ran",
    ),
    "02_dies_midway": (
        (WRITES.format("t02"), "os._exit(0)", "1 + 1"),
        "the kernel died in cell In [4]: os._exit(0)",
    ),
    "03_dies_after": (
        (WRITES.format("t03"), "import threading\nthreading.Timer(0.2, lambda: os._exit(3)).start()"),
        "the kernel died after the last cell",
    ),
    "04_raises": (
        (WRITES.format("t04"), "def half():\n    return 1 / 0\nhalf()", "1 + 1"),
        "ZeroDivisionError: division by zero",
    ),
    "05_writes_nothing": (("1 + 1",), "declared in profiles.yaml but not written: tables/t05.csv"),
}
GOOD = "10_good"
FALLS_APART = "11_falls_apart"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, new_desk):
    desk = new_desk(tmp_path_factory.mktemp("lapses"))
    desk.kernel = "a-kernel-that-nobody-installed"
    earlier = desk.layout.target("simulated") / "tables" / "t01.csv"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("a\n0\n")
    for name, (cells, _) in LAPSES.items():
        desk.notebook(name, *cells, tables=[f"t{name[:2]}"])
    desk.notebook("08_no_cell", "1 + 1", cell=None)
    desk.notebook("09_misspelt", "1 + 1", parameters={"sede": 4})
    desk.notebook(GOOD, *desk.table, tables=["roles/a"])
    desk.notebook(FALLS_APART, "import atexit, os\natexit.register(os.abort)")
    batch = desk.rebuild(jobs=2)
    assert batch.exit_code == 1
    return desk, {outcome.notebook: outcome for outcome in batch.outcomes}


def test_kernel_that_falls_apart_once_it_agreed_to_stop_is_no_lapse(outcomes):
    assert outcomes[1][FALLS_APART].status == "rebuilt"


@pytest.mark.parametrize("name", LAPSES)
def test_lapse_fails_and_says_where(outcomes, name):
    found = outcomes[1]
    assert found[name].status == "failed"
    assert LAPSES[name][1] in found[name].detail
    assert found[name].detail.count("\n") <= 3


def test_failing_line_of_a_cell_is_shown(outcomes):
    assert "cell In [4], line 3: half()" in outcomes[1]["04_raises"].detail


def test_missing_parameters_cell_fails(outcomes):
    assert "exactly one code cell tagged 'parameters'; given 0" in outcomes[1]["08_no_cell"].detail


def test_misspelt_parameter_fails_and_names_the_nearest(outcomes):
    detail = outcomes[1]["09_misspelt"].detail
    assert "profiles.yaml: simulated.09_misspelt, parameter" in detail
    assert "did you mean seed?" in detail


def test_one_failure_does_not_stop_the_others(outcomes):
    assert outcomes[1][GOOD].status == "rebuilt"
    passed = [name for name, outcome in outcomes[1].items() if outcome.status != "failed"]
    assert passed == [GOOD, FALLS_APART]


def test_failed_notebook_leaves_earlier_outputs_untouched(outcomes):
    desk, _ = outcomes
    assert desk.results().keys() == {"simulated/tables/t01.csv", "simulated/tables/roles/a.csv"}
    assert desk.results()["simulated/tables/t01.csv"] == b"a\n0\n"
    assert list((desk.layout.reports / ".staging").iterdir()) == []


def test_failed_notebook_can_be_read_up_to_where_it_stopped(outcomes):
    desk, found = outcomes
    kept = desk.layout.failed("simulated", "04_raises")
    assert "ZeroDivisionError" in kept.read_text()
    assert f"executed so far: reports/failed/simulated/{kept.name}" in found["04_raises"].detail


def test_no_machine_path_in_what_is_kept(outcomes):
    desk, _ = outcomes
    target = desk.layout.target("simulated")
    for path in [target / "manifest.json", target / "built.json", target / "notebooks" / f"{GOOD}.ipynb"]:
        assert str(desk.folder) not in path.read_text(), path.name
        assert str(desk.layout.root) not in path.read_text(), path.name


def test_stock_papermill_lets_an_exit_pass_and_writes_nothing_under_reports(tmp_path, new_desk):
    desk = new_desk(tmp_path)
    path = desk.notebook("01_exits", *desk.table, "import sys; sys.exit(0)", "1 + 1", tables=["roles/a"])
    environment = {name: value for name, value in os.environ.items() if name != "JUDGEKIT_OUTPUT"}
    environment["PYTHONPATH"] = str(desk.layout.root)
    command = [sys.executable, "-m", "papermill", str(path), str(tmp_path / "out.ipynb"), "-p", "size", "2"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not desk.layout.reports.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nbconfig", "notebooks", "out.ipynb"]
