"""Raw files for parsers: the public ones where a mirror is named, made-up ones otherwise."""

import functools
import hashlib
import importlib
from collections.abc import Callable

import pytest

from judgekit.sources.download import Files, fetch
from judgekit.sources.recording import Recording
from judgekit.sources.registry import FileRow


@functools.cache
def _parsed(dataset: str) -> Recording:
    return importlib.import_module(f"judgekit.sources.{dataset}").parse(fetch(dataset, network=None))


@pytest.fixture(scope="session")
def parsed() -> Callable[[str], Recording]:
    """Recording of a data set, parsed once a session from the mirror or the cache."""
    return _parsed


@pytest.fixture
def made_up_files(tmp_path) -> Callable[[dict[tuple[str, str], bytes]], Files]:
    """Files of a made-up data set, from {(repository, path): bytes}."""

    def build(contents: dict[tuple[str, str], bytes]) -> Files:
        places = {}
        for number, ((repo, path), content) in enumerate(contents.items()):
            place = tmp_path / str(number)
            place.write_bytes(content)
            sha256 = hashlib.sha256(content).hexdigest()
            row = FileRow("made_up", repo, "0" * 40, path, len(content), sha256, "none found", "raw")
            places[row] = place
        return Files("made_up", "0" * 64, places)

    return build
