"""Speed of training gates: seeds and variants of a cell as one batched product beside the plain loop.

Not part of `make test`. Run on an idle machine, then read the ratio after the table:

    .venv/bin/python -m pytest tests/benchmarks/bench_gate.py --benchmark-enable -s

Aim: twelve gates of one cell (four variants, three seeds) at least 2.5 times faster than one after the other.
Cells of other shapes train in threads of the interpreter: the second ratio says what two of them gain.
"""

import os

import numpy as np
import pytest
import torch

from judgekit.gate import GateRows, GateSettings, GateTask, fit_gates
from judgekit.gate_training import Member
from judgekit.scores import features
from tests.plain_gate import fit_plain

SUPPORT = np.arange(1.0, 6.0)
SEEDS = 3
seconds = {}


def made_up(seed, items):
    rng = np.random.default_rng(seed)
    target = rng.uniform(1, 5, items)
    seen = target[:, None] + rng.normal(size=(items, 3)) * [0.5, 1.0, 2.0]
    logits = -((SUPPORT - seen[..., None]) ** 2)
    probs = np.exp(logits - logits.max(axis=2, keepdims=True))
    probs = (probs / probs.sum(axis=2, keepdims=True)).astype(np.float32)
    return GateRows(features(probs, SUPPORT).values, probs, target)


@pytest.fixture(scope="module")
def tasks():
    """As large as a SummEval cell: 960 training rows, 320 for validation, three judges, five buckets."""
    train, validation = made_up(0, 960), made_up(1, 320)
    return [
        GateTask(train, validation, SUPPORT, GateSettings(pool=pool, pool_temperature=temperature))
        for pool in ("log", "linear")
        for temperature in (0.7, 1.0)
    ]


def timed(benchmark, name, function, tasks):
    found = benchmark.pedantic(function, args=(tasks,), rounds=3, warmup_rounds=1)
    seconds[name] = benchmark.stats.stats.min
    return found


def plain_loop(tasks):
    base = int(np.random.default_rng(0).integers(2**62))
    found = []
    for task in tasks:
        for seed in range(SEEDS):
            member = Member.of(task, seed, np.random.default_rng([base, seed]))
            found.append(fit_plain(member, member.initial())[0].max())
    return np.array(found)


@pytest.mark.benchmark(group="twelve gates of one cell")
@pytest.mark.parametrize("threads", [1, 2])
def test_plain(benchmark, tasks, threads):
    torch.set_num_threads(threads)
    timed(benchmark, f"plain {threads}", plain_loop, tasks)


@pytest.mark.benchmark(group="twelve gates of one cell")
@pytest.mark.parametrize("threads", [1, 2])
def test_batched(benchmark, tasks, threads):
    if threads > (os.cpu_count() or 1):
        pytest.skip("one core")

    def batched(cases):
        return fit_gates(cases, rng=np.random.default_rng(0), seeds=SEEDS, threads=threads)

    found = timed(benchmark, f"batched {threads}", batched, tasks)
    best = [gate.validation_spearman.max() for ensemble in found for gate in ensemble.gates]
    np.testing.assert_allclose(best, plain_loop(tasks), atol=2e-3)


@pytest.mark.benchmark(group="six cells of unequal shape")
@pytest.mark.parametrize("workers", [1, 2])
def test_workers(benchmark, workers):
    if workers > (os.cpu_count() or 1):
        pytest.skip("one core")
    cells = [GateTask(made_up(2, 600 + 60 * k), made_up(3, 200), SUPPORT, GateSettings()) for k in range(6)]

    def fit(cases):
        return fit_gates(cases, rng=np.random.default_rng(0), seeds=SEEDS, workers=workers)

    timed(benchmark, f"workers {workers}", fit, cells)


def test_ratios():
    plain = min(seconds["plain 1"], seconds["plain 2"])
    ours = min(value for name, value in seconds.items() if name.startswith("batched"))
    print(f"\n\ntwelve gates: {ours:.2f} s batched, {plain:.2f} s one after the other")
    print(f"  {plain / ours:.1f} times faster (aim: at least 2.5)")
    if "workers 2" in seconds:
        print(f"  two workers: {seconds['workers 1'] / seconds['workers 2']:.1f} times faster than one")
