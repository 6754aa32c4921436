"""Commit archives: written so that equal contents give equal bytes, read by name and checked."""

import zipfile
from pathlib import Path

import pytest

from judgekit.sources.download import fetch
from judgekit.sources.mirror import archive_file, intact_members, open_archive, read_member, write_archive
from judgekit.sources.registry import BadFile, read_registry
from tests.sources.loopback import COMMIT, CONTENT, PACKED, archive_bytes, row

LEFT, RIGHT = row("packed", PACKED, "a/left.json"), row("packed", PACKED, "a/right.json")
CONTENTS = {LEFT: CONTENT[PACKED, LEFT.path], RIGHT: CONTENT[PACKED, RIGHT.path]}


def test_archive_has_the_layout_of_a_commit_archive(tmp_path: Path) -> None:
    path = archive_file(tmp_path, LEFT)
    assert path == tmp_path / "owner" / "packed" / f"{COMMIT}.zip"
    write_archive(path, CONTENTS)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == [f"packed-{COMMIT}/a/left.json", f"packed-{COMMIT}/a/right.json"]
        assert archive.read(f"packed-{COMMIT}/a/left.json") == CONTENTS[LEFT]


def test_equal_contents_give_equal_bytes(tmp_path: Path) -> None:
    write_archive(tmp_path / "1.zip", CONTENTS)
    write_archive(tmp_path / "2.zip", dict(reversed(CONTENTS.items())))
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_member_with_flipped_bytes_is_refused(tmp_path: Path) -> None:
    content = archive_bytes({f"packed-{COMMIT}/a/left.json": CONTENTS[LEFT]})
    (tmp_path / "x.zip").write_bytes(content.replace(b"left left", b"lift left", 1))
    with open_archive(tmp_path / "x.zip") as archive, pytest.raises(BadFile, match="damaged"):
        read_member(archive, LEFT)


def test_member_larger_than_listed_is_not_unpacked_whole(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(archive_bytes({f"packed-{COMMIT}/a/left.json": b"0" * 10_000_000}))
    with (
        open_archive(tmp_path / "x.zip") as archive,
        pytest.raises(BadFile, match="100001 bytes, not 100000"),
    ):
        read_member(archive, LEFT)


def test_intact_members_are_told_from_others(tmp_path: Path) -> None:
    members = {f"packed-{COMMIT}/a/left.json": CONTENTS[LEFT], f"packed-{COMMIT}/a/right.json": b"altered"}
    (tmp_path / "x.zip").write_bytes(archive_bytes(members))
    assert intact_members(tmp_path / "x.zip", [LEFT, RIGHT]) == {LEFT: CONTENTS[LEFT]}


def test_absent_or_foreign_archive_has_no_members(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"no archive")
    assert intact_members(tmp_path / "x.zip", [LEFT]) == intact_members(tmp_path / "y.zip", [LEFT]) == {}


@pytest.mark.needs("mirror")
def test_every_registered_file_is_in_the_mirror(tmp_path: Path) -> None:
    registry = read_registry()
    for dataset in registry.datasets:
        files = fetch(dataset, cache=tmp_path, network=None)
        assert set(files.places) == set(registry.of(dataset))
