"""Parsed recordings: kept as Parquet, read back equal, rebuilt when damaged, never lost to a full disk."""

import errno
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput, JudgekitError, MissingData
from judgekit.sources import recorded
from judgekit.sources.cache import raw_file, write_whole
from judgekit.sources.download import Files
from judgekit.sources.mirror import archive_file, write_archive
from judgekit.sources.recorded import FRAMES, available, data_digest, load, parsed_folder
from judgekit.sources.recording import Recording
from tests.sources.loopback import CONTENT, RAW, REGISTRY

MADE_UP = Recording(
    "raws",
    judgments=pd.DataFrame(
        {
            "aspect": ["", ""],
            "item": ["a", "b"],
            "judge": ["j", "j"],
            "protocol": ["p", "p"],
            "hard": np.array([1, np.nan], dtype=np.float32),
            "raw_score": np.array([np.nan, np.nan], dtype=np.float32),
            "parse_ok": [True, False],
            "mass": np.array([np.nan, np.nan], dtype=np.float32),
        },
        index=[7, 3],
    ),
    items=pd.DataFrame({"item": ["a", "b"], "group": ["g", "g"], "slice": ["s", "t"]}),
    labels=pd.DataFrame({"aspect": ["", ""], "item": ["a", "b"], "label": [1.0, np.nan]}),
    judges=pd.DataFrame(
        {
            "judge": ["j"],
            "protocol": ["p"],
            "family": ["f"],
            "kind": ["llm"],
            "read_out": ["hard"],
            "support": ["0 1"],
            "active_parameters": [np.nan],
        }
    ),
)


class Loader:
    """A made-up data set whose parser counts its calls; its source file may be rewritten."""

    def __init__(self, cache: Path, source: Path) -> None:
        self.cache, self.source = cache, source
        self.parses = 0
        self.lines: list[str] = []

    def parse(self, files: Files) -> Recording:
        self.parses += 1
        assert files.read("first one.json") == CONTENT[RAW, "first one.json"]
        return MADE_UP

    def load(self, **options) -> Recording:
        return load("raws", cache=self.cache, progress=self.lines.append, **options)

    @property
    def folder(self) -> Path:
        return parsed_folder("raws", cache=self.cache)


@pytest.fixture
def loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loader:
    monkeypatch.delenv("JUDGEKIT_MIRROR", raising=False)
    made = Loader(tmp_path / "cache", tmp_path / "raws.py")
    made.source.write_text("from judgekit.sources.recording import Recording\n")
    module = types.ModuleType("judgekit.sources.raws")
    module.parse = made.parse
    module.__spec__ = types.SimpleNamespace(origin=str(made.source))
    monkeypatch.setitem(sys.modules, "judgekit.sources.raws", module)
    for where in ("recorded", "download"):
        monkeypatch.setattr(f"judgekit.sources.{where}.read_registry", lambda: REGISTRY)
    for row in REGISTRY.of("raws"):
        write_whole(raw_file(made.cache, row), CONTENT[RAW, row.path])
    return made


def assert_equal(one: Recording, other: Recording) -> None:
    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name).reset_index(drop=True))


def test_second_load_reads_parquet_equal_to_what_was_parsed(loader: Loader) -> None:
    assert_equal(loader.load(), MADE_UP)
    assert_equal(loader.load(), MADE_UP)
    assert loader.parses == 1


def test_later_loads_do_without_raw_files(loader: Loader) -> None:
    loader.load()
    for row in REGISTRY.of("raws"):
        raw_file(loader.cache, row).unlink()
    assert_equal(loader.load(), MADE_UP)
    assert available("raws", cache=loader.cache)


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize(
    "damage",
    [lambda old: old[:-1], lambda old: old[:20] + b"?" + old[21:], None],
    ids=["cut", "altered", "absent"],
)
def test_damaged_parquet_is_rebuilt_with_a_notice(
    loader: Loader, name: str, damage: Callable[[bytes], bytes] | None
) -> None:
    loader.load()
    path = loader.folder / f"{name}.parquet"
    if damage:
        path.write_bytes(damage(path.read_bytes()))
    else:
        path.unlink()
    assert_equal(loader.load(), MADE_UP)
    assert [line for line in loader.lines if "damaged" in line] == [
        "raws: the parsed copy is damaged; parsing again"
    ]
    assert loader.parses == 2
    loader.load()
    assert loader.parses == 2


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff"])
def test_damaged_checksums_are_rebuilt(loader: Loader, content: bytes) -> None:
    loader.load()
    (loader.folder / "sha256.json").write_bytes(content)
    assert_equal(loader.load(), MADE_UP)
    assert loader.parses == 2


def test_changed_loader_parses_again(loader: Loader) -> None:
    loader.load()
    loader.source.write_text("from judgekit.sources.recording import Recording  # other\n")
    loader.load()
    assert loader.parses == 2


def test_key_covers_modules_that_a_loader_imports() -> None:
    names = {path.name for path in recorded._parsing_sources("mr_math_steps")}
    assert {"mr_math_steps.py", "recording.py", "errors.py"} <= names
    assert not names & {"download.py", "remote.py", "progress.py"}


def test_chosen_columns_alone_are_read(loader: Loader) -> None:
    for _ in range(2):
        found = loader.load(columns=["judge", "hard"])
        assert list(found.judgments.columns) == ["judge", "hard"]
        assert list(found.items.columns) == ["item", "group", "slice"]
    with pytest.raises(InvalidInput, match=r"raws columns: allowed is some of aspect, item.*given harrd"):
        loader.load(columns=["harrd"])


def test_full_disk_loses_no_recording(loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    assert_equal(loader.load(), MADE_UP)
    assert list(loader.load(columns=["judge"]).judgments.columns) == ["judge"]
    assert any("no space left on the disk" in line for line in loader.lines)
    assert [path.name for path in (loader.cache / "parsed" / "raws").iterdir()] == ["lock"]


def test_missing_data_says_what_to_type(loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    raw_file(loader.cache, REGISTRY.rows[0]).unlink()
    monkeypatch.setattr("judgekit.sources.recorded.fetch", lambda *a, **o: _offline(*a, **o))
    with pytest.raises(MissingData, match="judgekit data fetch raws"):
        loader.load()
    assert not available("raws", cache=loader.cache)


def _offline(dataset: str, **options) -> Files:
    from judgekit.sources.download import fetch

    return fetch(dataset, network=None, **options)


def test_mirror_makes_a_data_set_available(
    loader: Loader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    contents = {row: CONTENT[RAW, row.path] for row in REGISTRY.of("raws")}
    write_archive(archive_file(tmp_path / "mirror", REGISTRY.rows[0]), contents)
    monkeypatch.setenv("JUDGEKIT_MIRROR", str(tmp_path / "mirror"))
    assert available("raws", cache=tmp_path / "empty")
    assert not available("packed", cache=tmp_path / "empty")


def test_data_set_without_a_loader_is_refused(loader: Loader) -> None:
    with pytest.raises(InvalidInput, match=r"one that judgekit.sources has a loader for; given packed"):
        load("packed", cache=loader.cache)
    with pytest.raises(InvalidInput, match=r"dataset: allowed is one of raws, packed, other; given rawz"):
        load("rawz", cache=loader.cache)


def test_frames_that_break_the_contract_are_not_kept(loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Recording("raws", MADE_UP.judgments, MADE_UP.items.iloc[:1], MADE_UP.labels, MADE_UP.judges)
    monkeypatch.setattr(sys.modules["judgekit.sources.raws"], "parse", lambda files: broken)
    with pytest.raises(JudgekitError, match=r"raws\.labels\.item"):
        loader.load()
    assert not loader.folder.exists()


def test_data_digest_is_the_registry_s(loader: Loader) -> None:
    assert data_digest("raws") == REGISTRY.digest("raws")


@pytest.mark.needs("mirror")
def test_real_recording_survives_parquet(tmp_path: Path) -> None:
    first, second = load("mr_math_steps", cache=tmp_path), load("mr_math_steps", cache=tmp_path)
    assert_equal(first, second)
    assert len(second.validate().items) == 2995
