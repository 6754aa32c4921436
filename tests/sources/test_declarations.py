import os

import pytest

from judgekit.errors import InvalidInput
from judgekit.sources import declarations as module
from judgekit.sources.declarations import declarations


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SETTINGS", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cells: {a", "a YAML file"),
        ("mine", "a mapping with `cells`, a mapping; given str"),
        ("", "a mapping with `cells`, a mapping; given NoneType"),
        ("cells: [a]", "a mapping with `cells`, a mapping; given list"),
    ],
)
def test_a_file_that_is_not_what_its_reader_takes_it_for_is_refused(folder, text, says):
    (folder / "mine.yaml").write_text(text)
    with pytest.raises(InvalidInput, match=f"^settings/mine.yaml: allowed is {says}") as caught:
        declarations("mine", {"cells": dict})
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_here_is_refused(folder):
    with pytest.raises(InvalidInput, match=r"^settings/none.yaml: allowed is a YAML file"):
        declarations("none", {})


def test_a_changed_file_is_read_anew(folder):
    path = folder / "mine.yaml"
    path.write_text("smoothing: 0.5")
    assert declarations("mine", {"smoothing": float}) == {"smoothing": 0.5}
    path.write_text("smoothing: 0.25")
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert declarations("mine", {"smoothing": float}) == {"smoothing": 0.25}
