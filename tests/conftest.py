"""What every test shares: skips where something is absent, reproducible properties, no plot windows."""

import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")

hypothesis.settings.register_profile("reproducible", derandomize=True, deadline=None)
hypothesis.settings.load_profile("reproducible")


def has_mirror() -> bool:
    return bool(os.environ.get("JUDGEKIT_MIRROR")) and Path(os.environ["JUDGEKIT_MIRROR"]).is_dir()


def has_chromium() -> bool:
    return any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))


PRESENT: dict[str, tuple[Callable[[], bool], str]] = {
    "mirror": (has_mirror, "JUDGEKIT_MIRROR names no folder with the public files"),
    "vllm": (lambda: importlib.util.find_spec("vllm") is not None, "vllm is not installed"),
    "ray": (lambda: importlib.util.find_spec("ray") is not None, "ray is not installed"),
    "chromium": (has_chromium, "no Chromium on the path"),
}


def required() -> set[str]:
    """Names in $JUDGEKIT_REQUIRE: where one of them is absent, its tests fail instead of being skipped."""
    names = {name.strip() for name in os.environ.get("JUDGEKIT_REQUIRE", "").split(",") if name.strip()}
    if unknown := names - PRESENT.keys():
        raise pytest.UsageError(
            f"JUDGEKIT_REQUIRE: allowed are {', '.join(PRESENT)}; given {', '.join(sorted(unknown))}"
        )
    return names


def pytest_configure(config: pytest.Config) -> None:
    required()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for what in marker.args:
            present, reason = PRESENT[what]
            if present():
                continue
            if what in required():
                pytest.fail(f"required by JUDGEKIT_REQUIRE: {reason}", pytrace=False)
            pytest.skip(reason)
