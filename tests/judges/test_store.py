"""The store on a disk that takes no more: one line, nothing half-written, and the next run goes on."""

import errno
import os
import sqlite3
from contextlib import closing

import pytest

from judgekit.errors import InvalidInput, JudgekitError
from judgekit.judges import store as under_test
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.judges.store import DATABASE, Store, hold
from judgekit.sources.local_run import read_frozen

from .pools import fake, items, opener, pool

QUIET = RunSettings(quiet=True)
FULL = r"store\.sqlite: no space left on the disk; .* with --out, then run this again$"


def run(folder):
    return run_pool(pool(fake("a"), fake("b")), items(40), folder, opener=opener, settings=QUIET)


@pytest.fixture
def pages(monkeypatch):
    """Lets SQLite have so many pages and no more, as a full disk does."""
    connect = sqlite3.connect

    def limited(count):
        def connecting(*words, **options):
            base = connect(*words, **options)
            base.execute(f"pragma max_page_count = {count}")
            return base

        monkeypatch.setattr(under_test.sqlite3, "connect", connecting)

    return limited


@pytest.mark.parametrize("count", [1, 8, 10])
def test_a_full_disk_is_one_line_and_the_next_run_recovers(tmp_path, pages, monkeypatch, count):
    pages(count)
    with pytest.raises(JudgekitError, match=FULL) as error:
        run(tmp_path / "r")
    assert not isinstance(error.value, InvalidInput)
    assert {path.name for path in (tmp_path / "r").iterdir()} <= {DATABASE, "store.lock"}
    monkeypatch.undo()
    report = run(tmp_path / "r")
    assert not report.failures
    assert report.spent["attempts"] == report.spent["outputs"] == len(read_frozen(tmp_path / "r")[0]) == 80


def test_a_full_disk_stops_the_run_and_keeps_the_batches_before_it(tmp_path, pages):
    run_pool(pool(fake("a")), items(12), tmp_path, opener=opener, settings=QUIET)
    frozen = read_frozen(tmp_path)[2]
    pages((tmp_path / DATABASE).stat().st_size // 4096 + 1)
    with pytest.raises(JudgekitError, match=FULL):
        run(tmp_path)
    assert read_frozen(tmp_path)[2] == frozen
    with closing(sqlite3.connect(tmp_path / DATABASE)) as base:
        assert base.execute("select count(*) from outputs").fetchone()[0] >= 12


def unwritable(*words):
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR | (12 << 8)
    raise error


@pytest.mark.parametrize(
    ("number", "line"),
    [(errno.ENOSPC, FULL), (errno.EDQUOT, FULL), (errno.EIO, r"store\.sqlite: cannot be written \(Input")],
)
def test_what_stands_behind_an_io_error_is_asked_of_the_system(tmp_path, monkeypatch, number, line):
    def refusing(folder):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(under_test, "_try_writing", refusing)
    with pytest.raises(JudgekitError, match=line), hold(tmp_path):
        unwritable()


def test_an_io_error_without_a_cause_is_told_as_it_is(tmp_path):
    with pytest.raises(JudgekitError, match=r"cannot be read or written \(disk I/O error\)"), hold(tmp_path):
        unwritable()


def test_a_run_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(JudgekitError, match=r"file/r: cannot be written"), hold(tmp_path / "file" / "r"):
        pass


@pytest.mark.parametrize("content", [b"not a database" * 100, b""], ids=["no store", "another version"])
def test_a_store_that_is_refused_is_closed(tmp_path, content):
    if content:
        (tmp_path / DATABASE).write_bytes(content)
    else:
        with hold(tmp_path) as store:
            store.remember("version", 0)
    opened = []

    class Remembering(sqlite3.Connection):
        def __init__(self, *words, **options):
            super().__init__(*words, **options)
            opened.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(under_test.sqlite3, "connect", lambda *words, **options: Remembering(*words, **options))
        with pytest.raises(InvalidInput, match=r"store\.sqlite"):
            Store(tmp_path)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("select 1")


def test_a_folder_whose_run_broke_holds_no_claim(tmp_path):
    with pytest.raises(ZeroDivisionError), hold(tmp_path):
        raise ZeroDivisionError
    assert not (tmp_path / "holder.json").exists()
