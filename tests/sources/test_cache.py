"""Where data is kept, and that a file gets there whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from judgekit.errors import JudgekitError
from judgekit.sources import cache
from judgekit.sources.cache import cache_folder, mirror_folder, one_at_a_time, write_together, write_whole

CHECKOUT = Path(cache.__file__).parents[2]


def test_cache_lies_in_the_checkout_unless_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JUDGEKIT_CACHE", raising=False)
    assert cache_folder() == CHECKOUT / "data" / "cache"
    monkeypatch.setenv("JUDGEKIT_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path


def test_relative_mirror_counts_from_the_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGEKIT_MIRROR", "data")
    assert mirror_folder() == CHECKOUT / "data"


def test_mirror_that_is_no_folder_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUDGEKIT_MIRROR", str(tmp_path / "absent"))
    assert mirror_folder() is None


def test_writing_makes_folders_and_leaves_one_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b.txt", b"new")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"new"
    assert os.listdir(tmp_path / "a") == ["b.txt"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space left on the disk"),
        (errno.EDQUOT, "no space left"),
        (errno.EACCES, "cannot be written"),
    ],
)
def test_refused_write_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    write_whole(tmp_path / "a.txt", b"old")

    def refuse(*arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("judgekit.sources.cache.os.replace", refuse)
    with pytest.raises(JudgekitError, match=words) as error:
        write_whole(tmp_path / "a.txt", b"new")
    assert "\n" not in str(error.value)
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_files_written_together_appear_together(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", b"old")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(JudgekitError, match=r"file/b\.txt: cannot be written"):
        write_together({tmp_path / "a.txt": b"new", tmp_path / "file" / "b.txt": b"new"})
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    write_together({tmp_path / "a.txt": b"new", tmp_path / "b" / "c.txt": b"other"})
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert (tmp_path / "b" / "c.txt").read_bytes() == b"other"
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b", "file"]


def test_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(JudgekitError, match=r"a/b\.txt: cannot be written"):
        write_whole(tmp_path / "a" / "b.txt", b"new")


def test_lock_is_free_again_after_an_error(tmp_path: Path) -> None:
    waits: list[str] = []
    with pytest.raises(ZeroDivisionError), one_at_a_time(tmp_path / "x.lock", lambda: waits.append("wait")):
        raise ZeroDivisionError
    with one_at_a_time(tmp_path / "x.lock", lambda: waits.append("wait")):
        assert waits == []
