"""A finished run moved into the reports, with a kill or a full disk at every step."""

import errno
import os

import pytest

from judgekit.batch import publish as publish_module
from judgekit.batch.disk import digest_of
from judgekit.batch.layout import Layout
from judgekit.batch.manifest import Built, built_here, read_built, read_manifest, stale_because
from judgekit.batch.publish import RESULTS, publish, recover
from judgekit.batch.stamps import Stamp
from judgekit.errors import JudgekitError

STAMP = Stamp(
    "n", {"judgekit/plan.py": "s"}, {}, {"seed": 3}, {"llmbar": "d"}, {"numpy": "2.4"}, ("tables/a.csv",)
)


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


@pytest.fixture
def layout(tmp_path):
    return Layout(tmp_path, tmp_path / "notebooks", tmp_path / "nbconfig", tmp_path / "reports")


def stage(layout, contents, notebook="01_a", when="2026-11-30T10:00:00Z"):
    staging = layout.staging("simulated", notebook)
    for name, text in contents.items():
        (staging / RESULTS / name).parent.mkdir(parents=True, exist_ok=True)
        (staging / RESULTS / name).write_text(text)
    files = {name: digest_of(staging / RESULTS / name) for name in contents}
    return staging, Built(STAMP.record(), when, 1.5, files)


def keep(layout, contents, notebook="01_a", **fields):
    staging, built = stage(layout, contents, notebook, **fields)
    publish(staging, layout.target("simulated"), notebook, STAMP, built, layout=layout)


def contents(layout):
    below = layout.target("simulated")
    found = [path for path in below.rglob("*") if path.is_file() and path.suffix != ".json"]
    return {path.relative_to(below).as_posix(): path.read_text() for path in found}


def test_all_files_are_moved_and_recorded(layout):
    files = {"tables/a.csv": "1", "figures/b.svg": "2", "notebooks/01_a.html": "3"}
    keep(layout, files)
    assert contents(layout) == files
    assert not layout.staging("simulated", "01_a").exists()
    entry = read_manifest(layout.target("simulated"))["01_a"]
    assert entry["outputs"].keys() == {"tables/a.csv", "figures/b.svg"}
    assert (entry["seed"], entry["data"], entry["when"]) == (3, {"llmbar": "d"}, "2026-11-30T10:00:00Z")
    assert built_here(layout.target("simulated")) == {"01_a"}
    assert stale_because(layout.target("simulated"), "01_a", STAMP) == []


def test_same_bytes_leave_the_manifest_but_not_this_machines_record(layout):
    keep(layout, {"tables/a.csv": "1"})
    keep(layout, {"tables/a.csv": "1"}, when="2027-01-01T00:00:00Z")
    target = layout.target("simulated")
    assert read_manifest(target)["01_a"]["when"] == "2026-11-30T10:00:00Z"
    assert read_built(target)["01_a"].when == "2027-01-01T00:00:00Z"
    keep(layout, {"tables/a.csv": "2"}, when="2027-02-01T00:00:00Z")
    assert read_manifest(target)["01_a"]["when"] == "2027-02-01T00:00:00Z"


def test_output_no_longer_written_is_removed_unless_another_notebook_writes_it(layout):
    keep(layout, {"tables/old.csv": "1", "tables/moved.csv": "1"})
    keep(layout, {"tables/moved.csv": "2"}, notebook="02_b")
    keep(layout, {"tables/new.csv": "3"})
    assert contents(layout) == {"tables/moved.csv": "2", "tables/new.csv": "3"}


@pytest.mark.parametrize("moves", range(4))
def test_kill_while_moving_is_completed_by_the_next_batch(layout, monkeypatch, moves):
    keep(layout, {"tables/a.csv": "old", "tables/b.csv": "old", "tables/c.csv": "old"})
    left = [moves]

    def replace(source, place):
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        os.rename(source, place)

    new = {"tables/a.csv": "new", "tables/b.csv": "new", "notebooks/01_a.html": "new"}
    staging, built = stage(layout, new)
    with monkeypatch.context() as patched:
        patched.setattr(publish_module.os, "replace", replace)
        patched.setattr(publish_module, "write_json", real_write_json(publish_module.write_json, left))
        with pytest.raises(Killed):
            publish(staging, layout.target("simulated"), "01_a", STAMP, built, layout=layout)
    assert recover(layout) == ["01_a"]
    assert contents(layout) == new
    assert recover(layout) == []


def real_write_json(write, left):
    """Writes the journal with the real `os.replace`, so that only the moves count."""

    def writes(path, content):
        kept, left[0] = left[0], 10
        write(path, content)
        left[0] = kept

    return writes


def test_kill_before_the_journal_leaves_the_earlier_results(layout):
    keep(layout, {"tables/a.csv": "old"})
    staging, _ = stage(layout, {"tables/a.csv": "new"})
    assert recover(layout) == []
    assert contents(layout) == {"tables/a.csv": "old"}
    assert not staging.exists()


def test_full_disk_is_one_line_and_leaves_the_earlier_results(layout, monkeypatch):
    keep(layout, {"tables/a.csv": "old"})
    staging, built = stage(layout, {"tables/a.csv": "new"})

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(publish_module, "write_json", full)
    with pytest.raises(JudgekitError, match=r"/reports: no space left on the disk; .*then run this again$"):
        publish(staging, layout.target("simulated"), "01_a", STAMP, built, layout=layout)
    assert contents(layout) == {"tables/a.csv": "old"}


def test_damaged_manifest_is_as_good_as_none(layout):
    keep(layout, {"tables/a.csv": "1"})
    (layout.target("simulated") / "manifest.json").write_text("<<<<<<< ours")
    assert read_manifest(layout.target("simulated")) == {}
    keep(layout, {"tables/a.csv": "1"}, notebook="02_b")
    assert read_manifest(layout.target("simulated")).keys() == {"02_b"}
