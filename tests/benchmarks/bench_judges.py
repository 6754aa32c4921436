"""Speed of judging: the runner beside its engine alone, and exact reading beside twenty sampled answers.

Not part of `make test`. Needs the demonstration model. Run on an idle machine, then read the ratios after the
table:

    .venv/bin/python -m pytest tests/benchmarks/bench_judges.py --benchmark-enable -s

Aims: the runner at 0.9 of the engine's own throughput or more; exact reading at least 10 times as fast as a
G-Eval read-out of twenty samples on the same engine.
"""

from statistics import median
from time import perf_counter

import pandas as pd
import pytest

from judgekit.judges.backend import Decoding
from judgekit.judges.pool import pool_from
from judgekit.judges.protocol import direct_score
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.judges.smollm2 import checkpoint
from judgekit.judges.transformers_backend import TransformersSettings, load_transformers
from judgekit.sources.cache import cache_folder

pytestmark = pytest.mark.needs("smollm2")

BATCH, COUNT = 8, 24
SOURCE = "The council met on Monday and agreed to repair the old bridge before winter. " * 20
# Median time a prompt.
seconds = {}


@pytest.fixture(scope="module")
def engine():
    folder = checkpoint(cache_folder() / "models")
    found = load_transformers(str(folder), settings=TransformersSettings(threads=2))
    # The engine outlives the runs, which close what they opened.
    found.close = lambda: None
    yield found
    for slow, fast, what in (
        ("engine", "runner", "of the engine"),
        ("samples", "engine", "times the samples"),
    ):
        if slow in seconds and fast in seconds:
            print(f"\n{fast}: {seconds[slow] / seconds[fast]:.2f} {what}")


@pytest.fixture(scope="module")
def items():
    texts = [f"The council will repair bridge number {number} soon." for number in range(COUNT)]
    names = [f"i{number:02d}" for number in range(COUNT)]
    return pd.DataFrame({"item": names, "instruction": f"Sum up: {SOURCE}", "response": texts})


def answer(engine, items):
    """What the engine does for the runner, and nothing else: prompts by their text, batch by batch."""
    protocol = direct_score(1, 10)
    prompts = [engine.prompt(protocol.messages(item)) for item in items.to_dict("records")]
    prompts.sort(key=lambda prompt: prompt.text)
    for start in range(0, len(prompts), BATCH):
        engine.read(prompts[start : start + BATCH], protocol)
    return prompts


def test_runner_beside_its_engine(benchmark, engine, items, tmp_path):
    judge = {"name": "a", "backend": "transformers", "model": "smollm2", "batch": BATCH}
    protocols = [{"kind": "direct", "low": 1, "high": 10}]
    pool = pool_from({"judges": [judge], "protocols": protocols}, name="bench")
    folders = iter(tmp_path / str(number) for number in range(100))
    quiet = RunSettings(quiet=True)
    alone = []

    # In turn, so that a machine that slows down slows both.
    def engine_alone():
        began = perf_counter()
        answer(engine, items)
        alone.append(perf_counter() - began)

    def run():
        report = run_pool(pool, items, next(folders), opener=lambda _: engine, settings=quiet)
        assert report.outcomes["a"]["ok"] == COUNT

    benchmark.pedantic(run, setup=engine_alone, rounds=8, warmup_rounds=1)
    if benchmark.stats is not None:
        seconds["engine"] = median(alone[1:]) / COUNT
        seconds["runner"] = benchmark.stats.stats.median / COUNT


def test_twenty_samples(benchmark, engine, items):
    decoding = Decoding(samples=20, temperature=1.0, max_tokens=4)
    # Slow enough for two prompts, once, to tell.
    part = answer(engine, items.head(2))
    benchmark.pedantic(lambda: engine.write(part, decoding), rounds=1)
    if benchmark.stats is not None:
        seconds["samples"] = benchmark.stats.stats.median / len(part)
