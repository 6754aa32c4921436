"""The demonstration model, loaded once a test run."""

import os
from pathlib import Path

import pytest

from judgekit.judges.smollm2 import checkpoint
from judgekit.judges.transformers_backend import TransformersSettings, load_transformers


@pytest.fixture(scope="session")
def smollm2_folder() -> Path:
    cache = os.environ.get("JUDGEKIT_CACHE") or Path(__file__).parents[2] / "data" / "cache"
    return checkpoint(Path(cache) / "models")


@pytest.fixture(scope="session")
def smollm2(smollm2_folder):
    return load_transformers(str(smollm2_folder), settings=TransformersSettings(threads=2))
