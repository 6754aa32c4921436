"""Speed of the log pool: a million items, six judges, ten buckets, float32, from probabilities.

Not part of `make test`. Run on an idle machine, then read the ratios after the table:

    .venv/bin/python -m pytest tests/benchmarks/bench_pooling.py --benchmark-enable -s

Aims on two threads: at least 4 times faster than plain NumPy, at most 4 times the floor (one thread reads
every probability once and fills the outputs).
"""

import numpy as np
import pytest

from judgekit.pooling import FLOOR, pool_linear, pool_log

ITEMS, JUDGES, BUCKETS = 1_000_000, 6, 10
SUPPORT = np.arange(1.0, BUCKETS + 1)
WEIGHTS = np.array([0.1, 0.1, 0.2, 0.2, 0.3, 0.1])
seconds = {}


@pytest.fixture(scope="module")
def probs():
    rng = np.random.default_rng(0)
    made = rng.gamma(0.5, size=(ITEMS, JUDGES, BUCKETS)).astype(np.float32)
    made[:1000, 0] = np.eye(BUCKETS, dtype=np.float32)[rng.integers(0, BUCKETS, 1000)]
    return made / made.sum(axis=2, keepdims=True)


def plain_log_pool(probs):
    clipped = np.clip(probs, np.float32(FLOOR), None)
    clipped /= clipped.sum(axis=2, keepdims=True)
    mixed = (np.log(clipped) * WEIGHTS.astype(probs.dtype)[:, None]).sum(axis=1) / probs.dtype.type(0.7)
    pooled = np.exp(mixed - mixed.max(axis=1, keepdims=True))
    pooled /= pooled.sum(axis=1, keepdims=True)
    return pooled, pooled @ SUPPORT.astype(probs.dtype)


def read_and_fill(probs):
    total = probs.sum()
    return np.full((ITEMS, BUCKETS), total, np.float32), np.full(ITEMS, total, np.float32)


def timed(benchmark, name, function, probs):
    found = benchmark.pedantic(function, args=(probs,), rounds=7, warmup_rounds=1)
    seconds[name] = benchmark.stats.stats.min
    return found


@pytest.mark.benchmark(group="log pool of 1e6 x 6 x 10")
def test_floor(benchmark, probs):
    timed(benchmark, "floor", read_and_fill, probs)


@pytest.mark.benchmark(group="log pool of 1e6 x 6 x 10")
def test_plain(benchmark, probs):
    timed(benchmark, "plain", plain_log_pool, probs)


@pytest.mark.benchmark(group="log pool of 1e6 x 6 x 10")
@pytest.mark.parametrize("threads", [1, 2])
def test_log_pool(benchmark, probs, threads):
    def pool(values):
        return pool_log(values, SUPPORT, weights=WEIGHTS, pool_temperature=0.7, threads=threads)

    found = timed(benchmark, f"threads {threads}", pool, probs)
    exact, _ = plain_log_pool(probs[:100_000].astype(np.float64))
    assert np.abs(found.probs[:100_000] - exact).max() <= 1e-6


@pytest.mark.benchmark(group="other pools of 1e6 x 6 x 10")
@pytest.mark.parametrize("kind", ["linear", "log, weights by item", "log, a tenth missing"])
def test_other_pools(benchmark, probs, kind):
    rng = np.random.default_rng(1)
    options = {"weights": WEIGHTS}
    if kind == "log, weights by item":
        options = {"weights": rng.random((ITEMS, JUDGES), dtype=np.float32)}
    if kind == "log, a tenth missing":
        probs = probs.copy()
        probs[rng.random((ITEMS, JUDGES)) < 0.1] = np.nan
    pool = pool_linear if kind == "linear" else pool_log
    timed(benchmark, kind, lambda values: pool(values, SUPPORT, **options), probs)


def test_ratios():
    ours = seconds["threads 2"]
    print(f"\n\nlog pool on two threads: {ours * 1e3:.0f} ms")
    print(f"  {seconds['plain'] / ours:.1f} times faster than plain NumPy (aim: at least 4)")
    print(f"  {ours / seconds['floor']:.1f} times the read-and-fill floor (aim: at most 4)")
