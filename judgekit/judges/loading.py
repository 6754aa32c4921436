"""From a pool's entry to an open backend."""

from pathlib import Path

from judgekit.judges.backend import Backend
from judgekit.judges.pool import Judge, settings_of

DEMONSTRATION = "smollm2"


def open_backend(judge: Judge, *, models: Path) -> Backend:
    """Backend of one judge; its package is imported here and nowhere before.

    `models` is where the demonstration model's checkpoint is kept.
    """
    if judge.backend == "transformers":
        from judgekit.judges.transformers_backend import TransformersSettings, load_transformers

        settings = settings_of(TransformersSettings, judge)
        return load_transformers(_place(judge, models), settings=settings)
    if judge.backend == "vllm":
        from judgekit.judges.vllm_backend import VllmSettings, load_vllm

        return load_vllm(_place(judge, models), settings=settings_of(VllmSettings, judge))
    if judge.backend == "http":
        from judgekit.judges.http_backend import HttpBackend, HttpSettings

        return HttpBackend(judge.model, settings=settings_of(HttpSettings, judge))
    from judgekit.judges.fake_backend import FakeBackend, FakeSettings

    return FakeBackend(judge.model, settings=settings_of(FakeSettings, judge))


def _place(judge: Judge, models: Path) -> str:
    if judge.model != DEMONSTRATION:
        return judge.model
    from judgekit.judges.smollm2 import checkpoint

    return str(checkpoint(models))
