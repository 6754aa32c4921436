"""Fresh and stale, side by side, absent data, full disks: what a batch does with notebooks that are fine."""

import errno
import json
import os
import shutil

import pytest

from judgekit.batch import kernels
from judgekit.batch import rebuild as rebuild_module
from judgekit.batch.tasks import Request, plan
from judgekit.errors import InvalidInput, JudgekitError

FIGURE = (
    "import matplotlib.pyplot as plt\n"
    "ax = plt.figure().subplots()\n"
    'ax.plot(risk, label="risk"); ax.legend()\n'
    'keep.figure(ax, "roles/b");'
)
NO_DATA = "simulated 01_a: skipped: data not here, run: judgekit data fetch llmbar jbb"


def absent(datasets):
    return dict.fromkeys(datasets, "no network")


def reasons(desk, **request):
    (task,) = plan(Request(**request), desk.layout)
    return list(task.reasons)


@pytest.fixture(scope="module")
def built(tmp_path_factory, new_desk):
    """A desk on which one notebook with a table and a figure has been rebuilt."""
    desk = new_desk(tmp_path_factory.mktemp("built"))
    desk.notebook("01_a", *desk.table, FIGURE, tables=["roles/a"], figures=["roles/b"])
    assert desk.statuses() == ["rebuilt"]
    return desk


@pytest.fixture
def copy(built, tmp_path, new_desk):
    """A desk of its own that holds what `built` holds."""
    desk = new_desk(tmp_path)
    for folder in ("notebooks", "nbconfig", "reports"):
        shutil.copytree(built.folder / folder, tmp_path / folder, dirs_exist_ok=True)
    desk.entries = json.loads(json.dumps(built.entries))
    return desk


def test_results_lie_where_the_report_looks(built):
    below = built.layout.target("simulated")
    found = sorted(path.relative_to(below).as_posix() for path in below.rglob("*") if path.is_file())
    assert found == [
        "built.json",
        "figures/roles/b.svg",
        "manifest.json",
        "notebooks/01_a.html",
        "notebooks/01_a.ipynb",
        "tables/roles/a.csv",
    ]
    assert (below / "tables/roles/a.csv").read_text().splitlines()[0] == "risk"


def test_fresh_notebook_is_skipped(built):
    before = {path: path.stat().st_mtime_ns for path in built.layout.target("simulated").rglob("*")}
    assert built.statuses() == ["up to date"]
    assert {path: path.stat().st_mtime_ns for path in built.layout.target("simulated").rglob("*")} == before
    assert built.said == ["simulated 01_a: up to date"]


def test_forced_rerun_is_byte_identical_and_leaves_the_manifest_as_it_is(copy):
    results, manifest = copy.results(), (copy.layout.target("simulated") / "manifest.json").read_bytes()
    assert copy.statuses(force=True) == ["rebuilt"]
    assert copy.said[0] == "simulated 01_a: running, since --force"
    assert copy.results() == results
    assert (copy.layout.target("simulated") / "manifest.json").read_bytes() == manifest


@pytest.mark.parametrize("name", ["tables/roles/a.csv", "figures/roles/b.svg", "notebooks/01_a.html"])
def test_altered_or_missing_file_makes_stale(copy, name):
    path = copy.layout.target("simulated") / name
    path.write_bytes(path.read_bytes()[:-20])
    assert reasons(copy) == [f"{name} was altered"]
    path.unlink()
    assert reasons(copy) == [f"{name} is missing"]


def test_each_part_of_the_stamp_is_named_when_it_differs(copy):
    (copy.layout.nbconfig / "roles.yaml").write_text("tau: 1\n")
    assert reasons(copy) == ["nbconfig/roles.yaml is new"]
    (copy.layout.nbconfig / "roles.yaml").unlink()
    copy.entries["simulated"]["01_a"]["parameters"] = {"size": 5}
    copy.settle()
    assert reasons(copy) == ["parameter size 4 -> 5"]
    copy.entries["simulated"]["01_a"] = {"tables": ["roles/a"]}
    copy.settle()
    assert reasons(copy) == ["other outputs are declared"]
    copy.notebook("01_a", "1 + 1", tables=["roles/a"], figures=["roles/b"])
    assert reasons(copy)[0] == "the notebook changed"
    (copy.layout.target("simulated") / "built.json").unlink()
    assert reasons(copy) == ["it has not been run on this machine"]


def test_changed_version_and_source_make_stale(copy):
    record = copy.layout.target("simulated") / "built.json"
    kept = json.loads(record.read_text())
    kept["notebooks"]["01_a"]["stamp"]["versions"]["numpy"] = "1.0"
    kept["notebooks"]["01_a"]["stamp"]["sources"]["judgekit/report/outputs.py"] = "0" * 64
    record.write_text(json.dumps(kept))
    found = reasons(copy)
    assert found[0] == "judgekit/report/outputs.py changed"
    assert found[1].startswith("numpy 1.0 -> ")


def test_damaged_records_are_as_good_as_none(copy):
    (copy.layout.target("simulated") / "built.json").write_text('{"notebooks": {"01_a": [')
    assert reasons(copy) == ["it has not been run on this machine"]
    (copy.layout.target("simulated") / "built.json").write_text(
        '{"notebooks": {"01_a": {"stamp": {}, "when": "", "seconds": 1.0, "files": {}}}}'
    )
    assert reasons(copy) == ["its record is of another version"]


def test_two_notebooks_run_at_the_same_time(desk):
    meet = "from pathlib import Path; import time\nplace = Path({0!r})\n(place / '{1}').touch()"
    wait = "while not (place / '{0}').exists():\n    time.sleep(0.05)"
    for mine, other in (("01_a", "02_b"), ("02_b", "01_a")):
        desk.notebook(mine, meet.format(str(desk.folder), mine), wait.format(other))
    assert desk.statuses(jobs=2, timeout=120.0) == ["rebuilt", "rebuilt"]


@pytest.mark.parametrize(
    ("jobs", "started"),
    [(1, ["s 01_a", "r 01_a", "s 02_b", "r 02_b"]), (2, ["s 01_a", "s 02_b", "r 01_a", "r 02_b"])],
)
def test_profiles_take_turns_and_data_is_fetched_once_every_worker_is_busy(desk, monkeypatch, jobs, started):
    desk.notebook("01_a", "1 + 1")
    desk.notebook("02_b", "1 + 1")
    desk.entries["recorded"] = {name: {"needs": ["llmbar"]} for name in ("01_a", "02_b")}
    desk.settle()
    order = []

    def known(batch, task):
        order.append(f"{task.entry.profile[0]} {task.entry.notebook}")
        return rebuild_module.Outcome(task.entry.profile, task.entry.notebook, "up to date")

    monkeypatch.setattr(rebuild_module._Batch, "_without_running", known)
    batch = desk.rebuild(jobs=jobs)
    assert order == started
    assert [f"{each.profile[0]} {each.notebook}" for each in batch.outcomes] == [
        "s 01_a",
        "s 02_b",
        "r 01_a",
        "r 02_b",
    ]


def test_each_kept_notebook_is_told_at_once(desk):
    desk.notebook("01_a", "open('a', 'w').close()")
    desk.notebook("02_b", "raise ValueError('no')")
    told = []
    request = Request(jobs=1)
    rebuild_module.rebuild(
        request, desk.layout, say=desk.said.append, bring=absent, kept=lambda: told.append(list(desk.said))
    )
    assert [said[-1].partition(" in ")[0] for said in told] == ["simulated 01_a: rebuilt"]


def test_a_notebook_that_reads_tables_runs_last_and_again_when_one_changed(desk):
    read = f"print(open({str(desk.layout.target('simulated') / 'tables' / 'roles' / 'a.csv')!r}).read())"
    desk.notebook("00_reader", read, reads_tables=True)
    desk.notebook("01_a", *desk.table, tables=["roles/a"])
    assert desk.statuses() == ["rebuilt", "rebuilt"]
    assert desk.statuses() == ["up to date", "up to date"]
    desk.notebook("01_a", *desk.table, cell='profile = "simulated"\nseed = 4\nsize = 4', tables=["roles/a"])
    assert desk.statuses() == ["rebuilt", "rebuilt"]
    assert "tables changed" in " ".join(desk.said)


def test_other_parameters_go_to_their_own_folder(desk):
    count = (
        "from pathlib import Path; import os\nplace = Path(os.environ['JUDGEKIT_OUTPUT']) / 'tables/a.csv'"
    )
    write = "place.parent.mkdir()\nplace.write_text(f'size\\n{size}\\n')"
    desk.notebook("01_a", count, write, tables=["a"])
    assert desk.statuses(parameters=(("size", "2"),), studies=("a",)) == ["rebuilt"]
    target = desk.layout.target("simulated", "size=2")
    assert target == desk.layout.reports / "runs" / "size=2" / "simulated"
    assert (target / "tables" / "a.csv").read_text() == "size\n2\n"
    assert not desk.layout.target("simulated").exists()
    assert reasons(desk, parameters=(("size", "2"),)) == []
    assert reasons(desk) == ["it has not been run on this machine"]


def test_smoke_sizes_go_to_their_own_folder(copy):
    copy.settle(smoke={"01_a": {"size": 1}})
    (task,) = plan(Request(smoke=True), copy.layout)
    assert dict(task.given) == {"profile": "simulated", "size": 1}
    assert task.target == copy.layout.reports / "runs" / "smoke" / "simulated"


@pytest.mark.parametrize(
    ("request_fields", "says"),
    [
        ({"parameters": (("sise", "2"),)}, r"did you mean size\?.*given sise"),
        ({"parameters": (("size", "big"),)}, "parameter size: allowed is a whole number; given big"),
        ({"parameters": (("size", "2.5"),)}, "parameter size: allowed is a whole number; given 2.5"),
        ({"studies": ("05",)}, "STUDY: allowed is one of 01_a"),
        ({"profiles": ("local",)}, "--profile.*local"),
        ({"name": "../up"}, "--name"),
    ],
)
def test_bad_request_is_one_clear_line_and_runs_nothing(copy, request_fields, says):
    before = copy.results()
    with pytest.raises(InvalidInput, match=says) as error:
        copy.rebuild(**request_fields)
    assert "\n" not in str(error.value)
    assert copy.said == []
    assert copy.results() == before


@pytest.mark.parametrize(
    "fields",
    [
        {"jobs": 0},
        {"timeout": 0.0},
        {"timeout": float("nan")},
        {"profiles": ("live",)},
        {"parameters": (("a", "1"), ("a", "2"))},
        {"parameters": (("profile", "recorded"),)},
    ],
)
def test_request_that_makes_no_sense_is_refused(fields):
    with pytest.raises(InvalidInput):
        Request(**fields)


def test_absent_data_is_skipped_where_the_profile_was_not_asked_for(desk):
    committed = desk.layout.target("recorded") / "tables" / "a.csv"
    committed.parent.mkdir(parents=True)
    committed.write_text("a\n1\n")
    desk.notebook("01_a", "1 + 1")
    desk.entries = {"recorded": {"01_a": {"needs": ["llmbar", "jbb"], "tables": ["a"]}}}
    desk.settle()
    batch = desk.rebuild(bring=absent)
    assert batch.exit_code == 0
    assert desk.said == [NO_DATA.replace("simulated", "recorded")]
    assert committed.read_text() == "a\n1\n"


def test_absent_data_fails_where_the_profile_was_asked_for(desk):
    desk.notebook("01_a", "1 + 1")
    desk.entries = {"recorded": {"01_a": {"needs": ["llmbar", "jbb"]}}}
    desk.settle()
    detail = desk.failure(profiles=("recorded",), bring=absent)
    assert detail == "data not here, run: judgekit data fetch llmbar jbb"


def test_data_set_outside_the_registry_is_named(desk):
    desk.notebook("01_a", "1 + 1", needs=["llmbra"])
    with pytest.raises(InvalidInput, match=r"profiles.yaml: simulated.01_a.needs.*given llmbra"):
        desk.rebuild()


def test_missing_ipykernel_is_one_clear_line(desk, monkeypatch):
    desk.notebook("01_a", "1 + 1")
    monkeypatch.setattr(kernels.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(JudgekitError, match=r"^ipykernel: not installed for .*pip install ipykernel$"):
        desk.rebuild()
    assert not desk.layout.reports.exists()


def test_full_disk_is_one_line_and_keeps_the_earlier_results(copy, monkeypatch):
    before = copy.results()

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("judgekit.batch.run.write_json", full)
    detail = copy.failure(force=True)
    assert "no space left on the disk" in detail
    assert "\n" not in detail
    assert copy.results() == before


def test_unforeseen_error_of_one_notebook_is_told_as_its_failure(copy, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(rebuild_module, "publish", broken)
    monkeypatch.setattr(rebuild_module.Workers, "run", lambda *a, **k: rebuild_module.Ran(None, 1.0, {}))
    assert copy.failure(force=True) == "unexpected RuntimeError: out of luck"


def test_pair_out_of_step_does_not_run(desk):
    path = desk.notebook("01_a", "1 + 1")
    path.with_suffix(".py").write_text("# %%\n2 + 2\n")
    assert "bring them in step with: python -m judgekit.batch.pair" in desk.failure()
