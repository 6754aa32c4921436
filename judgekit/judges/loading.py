"""From a pool's entry to an open backend."""

from pathlib import Path

from judgekit.judges.backend import Backend
from judgekit.judges.pool import Judge, settings_of

DEMONSTRATION = "smollm2"


def settings_kind(backend: str) -> type:
    """Class of a backend's settings; its module is imported here, and no model's package with it."""
    if backend == "transformers":
        from judgekit.judges.transformers_backend import TransformersSettings

        return TransformersSettings
    if backend == "vllm":
        from judgekit.judges.vllm_backend import VllmSettings

        return VllmSettings
    if backend == "http":
        from judgekit.judges.http_backend import HttpSettings

        return HttpSettings
    from judgekit.judges.fake_backend import FakeSettings

    return FakeSettings


def open_backend(judge: Judge, *, models: Path) -> Backend:
    """Backend of one judge; its package is imported here and nowhere before.

    `models` is where the demonstration model's checkpoint is kept.
    """
    settings = settings_of(settings_kind(judge.backend), judge)
    if judge.backend == "transformers":
        from judgekit.judges.transformers_backend import load_transformers

        return load_transformers(_place(judge, models), settings=settings)
    if judge.backend == "vllm":
        from judgekit.judges.vllm_backend import load_vllm

        return load_vllm(_place(judge, models), settings=settings)
    if judge.backend == "http":
        from judgekit.judges.http_backend import HttpBackend

        return HttpBackend(judge.model, settings=settings)
    from judgekit.judges.fake_backend import FakeBackend

    return FakeBackend(judge.model, settings=settings)


def _place(judge: Judge, models: Path) -> str:
    if judge.model != DEMONSTRATION:
        return judge.model
    from judgekit.judges.smollm2 import checkpoint

    return str(checkpoint(models))
