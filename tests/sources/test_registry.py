"""The registry of recorded data: what it accepts, what it refuses, and the committed one."""

import dataclasses
import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.sources.registry import COLUMNS, BadFile, FileRow, Registry, read_registry

SHA256 = hashlib.sha256(b"abc").hexdigest()
GOOD = {
    "dataset": "tiny",
    "repo": "owner/repo",
    "commit": "0" * 40,
    "path": "a/b.json",
    "bytes": "3",
    "sha256": SHA256,
    "licence": "none found",
    "via": "raw",
}
ROW = FileRow("tiny", "owner/repo", "0" * 40, "a/b.json", 3, SHA256, "none found", "raw")


def written(folder: Path, *records: dict[str, str], header: str = ",".join(COLUMNS)) -> Path:
    path = folder / "registry.csv"
    lines = [header, *(",".join(record.values()) for record in records)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_good_row_is_read(tmp_path: Path) -> None:
    assert read_registry(written(tmp_path, GOOD)).rows == (ROW,)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("dataset", "Tiny Set"),
        ("repo", "owner"),
        ("repo", "../evil"),
        ("commit", "main"),
        ("bytes", "-3"),
        ("bytes", "3.0"),
        ("sha256", "abc"),
        ("licence", ""),
        ("via", "ftp"),
        ("path", ""),
        ("path", "/etc/passwd"),
        ("path", "a/../../b"),
        ("path", "a\\b"),
    ],
)
def test_malformed_value_is_refused_with_its_line(tmp_path: Path, column: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(f"registry.csv line 2, {column}: allowed is")):
        read_registry(written(tmp_path, GOOD | {column: value}))


def test_value_beyond_the_last_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="as many values as columns"):
        read_registry(written(tmp_path, GOOD | {"more": "1"}))


def test_other_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"registry.csv header: allowed is dataset,repo,commit"):
        read_registry(written(tmp_path, GOOD, header="dataset,repo"))


def test_absent_file_and_foreign_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="a readable CSV file"):
        read_registry(tmp_path / "absent.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="a readable CSV file"):
        read_registry(tmp_path / "binary.csv")


@pytest.mark.parametrize(
    ("change", "allowed"),
    [
        ({}, "one row per data set, repository and path"),
        ({"dataset": "other", "bytes": "4"}, "one size and hash per upstream file"),
        ({"path": "c.json", "via": "archive"}, "one way \\(via\\) per upstream commit"),
    ],
)
def test_contradicting_rows_are_refused(tmp_path: Path, change: dict[str, str], allowed: str) -> None:
    with pytest.raises(InvalidInput, match=allowed):
        read_registry(written(tmp_path, GOOD, GOOD | change))


def test_unknown_data_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="dataset: allowed is one of tiny; given llmbarr"):
        Registry((ROW,)).of("llmbarr")


def test_digest_ignores_order_and_licence_but_no_byte() -> None:
    second = dataclasses.replace(ROW, path="z.json")
    digest = Registry((ROW, second)).digest("tiny")
    assert Registry((second, dataclasses.replace(ROW, licence="MIT"))).digest("tiny") == digest
    assert Registry((ROW, dataclasses.replace(second, sha256="0" * 64))).digest("tiny") != digest
    assert Registry((ROW,)).digest("tiny") != digest


@given(st.binary(max_size=8))
def test_only_the_listed_bytes_pass(content: bytes) -> None:
    if content == b"abc":
        assert ROW.checked(content, "here") == content
        return
    with pytest.raises(BadFile, match=r"here: a/b\.json has (sha256|\d bytes)"):
        ROW.checked(content, "here")


def test_committed_registry_lists_the_ten_data_sets() -> None:
    registry = read_registry()
    assert {name: len(registry.of(name)) for name in registry.datasets} == {
        "llmbar": 655,
        "jbb": 7,
        "summeval": 474,
        "dialsumm": 55,
        "roscoe": 64,
        "mr_math_steps": 26,
        "wmt22_zhen": 105,
        "triviaqa_judges": 1,
        "codereval_judges": 2,
        "judgebench": 14,
    }


def test_committed_registry_takes_archives_from_a_hundred_files_on() -> None:
    registry = read_registry()
    for row in registry.rows:
        listed = len(registry.of_commit(row.repo, row.commit))
        assert row.via == ("raw" if listed < 100 else "archive")


def test_readme_names_every_source_with_its_commit_and_licence() -> None:
    lines = (Path(__file__).parents[2] / "data" / "README.md").read_text(encoding="utf-8").splitlines()
    for row in read_registry().rows:
        cited = [
            line for line in lines if f"{row.repo}@{row.commit[:8]}" in line and f"`{row.dataset}`" in line
        ]
        assert len(cited) == 1
        assert row.licence in cited[0]
