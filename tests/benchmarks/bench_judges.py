"""Speed of judging: the runner beside its engine alone, and exact reading beside twenty sampled answers.

Not part of `make test`. Needs the demonstration model. Run on an idle machine, then read the ratios after the
table:

    .venv/bin/python -m pytest tests/benchmarks/bench_judges.py --benchmark-enable -s

Aims: the runner at 0.9 of the engine's own throughput or more; exact reading at least 10 times as fast as a
G-Eval read-out of twenty samples on the same engine.
"""

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
# Best time a prompt.
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


@pytest.fixture(scope="module")
def prompts(engine, items):
    protocol = direct_score(1, 10)
    found = [engine.prompt(protocol.messages(item)) for item in items.to_dict("records")]
    return sorted(found, key=lambda prompt: prompt.text)


def timed(benchmark, name, work, *, prompts=COUNT, rounds=3):
    benchmark.pedantic(work, rounds=rounds, warmup_rounds=int(rounds > 1))
    if benchmark.stats is not None:
        seconds[name] = benchmark.stats.stats.min / prompts


def in_batches(prompts):
    return [prompts[start : start + BATCH] for start in range(0, len(prompts), BATCH)]


def test_engine_alone(benchmark, engine, prompts):
    timed(
        benchmark, "engine", lambda: [engine.read(part, direct_score(1, 10)) for part in in_batches(prompts)]
    )


def test_runner(benchmark, engine, items, tmp_path):
    judge = {"name": "a", "backend": "transformers", "model": "smollm2", "batch": BATCH}
    protocols = [{"kind": "direct", "low": 1, "high": 10}]
    pool = pool_from({"judges": [judge], "protocols": protocols}, name="bench")
    folders = iter(tmp_path / str(number) for number in range(100))
    quiet = RunSettings(quiet=True)

    def run():
        report = run_pool(pool, items, next(folders), opener=lambda _: engine, settings=quiet)
        assert report.outcomes["a"]["ok"] == COUNT

    timed(benchmark, "runner", run)


def test_twenty_samples(benchmark, engine, prompts):
    decoding = Decoding(samples=20, temperature=1.0, max_tokens=4)
    # Slow enough for two prompts, once, to tell.
    part = prompts[:2]
    timed(benchmark, "samples", lambda: engine.write(part, decoding), prompts=len(part), rounds=1)
