"""The demonstration of notebook 09: a small real judge on a CPU, or a stand-in that answers by dice."""

import importlib.util
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.judges.backend import Backend
from judgekit.judges.items import read_items
from judgekit.judges.loading import open_backend
from judgekit.judges.pool import Judge, Pool, read_pool
from judgekit.judges.runner import RunReport, RunSettings, run_pool
from judgekit.judges.smollm2 import gguf_file
from judgekit.sources.cache import cache_folder

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "examples"
STAND_IN = "stand_in"


def demonstration_pool(name: str, *, profile: str) -> Pool:
    """A demonstration pool as its file says, or, in the simulated profile, with a stand-in for its judge.

    The stand-in draws its answers from a hash of the prompt: the machinery runs, and nothing is judged.

    Raises
    ------
    InvalidInput
        A profile other than simulated and local.
    MissingData
        The local profile without the demonstration model.
    """
    pool = read_pool(name)
    if profile == "simulated":
        judges = (Judge(STAND_IN, "fake", STAND_IN, size=judge.size) for judge in pool.judges)
        return replace(pool, judges=tuple(judges))
    if profile != "local":
        raise InvalidInput("profile", "simulated (a stand-in) or local (a real model)", profile)
    gguf_file()
    return pool


def example_items(name: str, count: int) -> pd.DataFrame:
    """The first `count` items of a file under data/examples/."""
    return read_items(EXAMPLES / f"{name}.jsonl").head(count)


def run_demonstration(pool: Pool, items: pd.DataFrame, folder: Path) -> RunReport:
    """Run a pool over items, without progress lines; what `folder` holds already is not asked again."""
    return run_pool(pool, items, folder, opener=_opened, settings=RunSettings(quiet=True))


def other_backends(judge: Judge) -> dict[str, Judge]:
    """The same model computed in other ways, by name: in full without shortcuts, and by vLLM where it is."""
    if judge.backend == "fake":
        return {"the stand-in again": judge}
    plain = {**judge.settings, "reuse_prefix": False, "matmul_precision": "highest"}
    found = {"transformers, each prompt in full, highest precision": replace(judge, settings=plain)}
    if importlib.util.find_spec("vllm") is not None:
        settings = {"dtype": "float32", "block_size": 32, "max_model_len": 1024, "eager": True}
        found["vLLM, float32"] = replace(judge, backend="vllm", settings=settings)
    return found


def backend_agreement(pool: Pool, items: pd.DataFrame) -> pd.DataFrame:
    """How far other ways of computing one judge's label probabilities are from those of the pool file.

    Returns
    -------
    DataFrame
        One row a way and protocol: `prompts`, `largest_difference` of any label's probability,
        `seconds_a_prompt`, and of the pool file's way `seconds_here`.
    """
    judge = pool.judges[0]
    ways = {"as the pool file says": judge, **other_backends(judge)}
    read = {name: _readings(pool, way, items) for name, way in ways.items()}
    first, others = "as the pool file says", list(ways)[1:]
    return pd.DataFrame(
        {
            "backend": name,
            "protocol": protocol,
            "prompts": len(items),
            "largest_difference": float(np.abs(probs - read[first][protocol][0]).max()),
            "seconds_a_prompt": seconds,
            "seconds_here": read[first][protocol][1],
        }
        for name in others
        for protocol, (probs, seconds) in read[name].items()
    )


def _readings(pool: Pool, judge: Judge, items: pd.DataFrame) -> dict[str, tuple[np.ndarray, float]]:
    """Probabilities [items, labels] and seconds a prompt of each protocol, the model loaded beforehand."""
    backend = _opened(judge)
    found = {}
    try:
        for protocol in pool.asked(judge):
            prompts = [
                backend.prompt(
                    protocol.messages({str(k): v for k, v in item.items()}), prefill=protocol.prefill
                )
                for item in items.to_dict("records")
            ]
            backend.read(prompts[:1], protocol)
            started = time.perf_counter()
            readings = backend.read(prompts, protocol)
            seconds = (time.perf_counter() - started) / len(prompts)
            found[protocol.name] = (np.array([reading.probs for reading in readings]), seconds)
    finally:
        backend.close()
    return found


def _opened(judge: Judge) -> Backend:
    return open_backend(judge, models=cache_folder() / "models")
