"""Speed of Dawid-Skene beside crowd-kit, from which it takes bound and stopping rule.

Not part of `make test`. Run on an idle machine, then read the ratio after the table:

    .venv/bin/python -m pytest tests/benchmarks/bench_dawid_skene.py --benchmark-enable -s
"""

import time

import numpy as np

from judgekit.dawid_skene import fit_dawid_skene
from tests.strategies import good_judges
from tests.test_dawid_skene import crowd_kit


def test_dawid_skene_beside_crowd_kit(benchmark):
    codes = good_judges(1000, [0.9, 0.85, 0.8, 0.75, 0.7, 0.6], shared=0.1).codes
    crowd_kit(codes[:20], 2, 1)  # its import takes seconds
    start = time.perf_counter()
    prior, _, _ = crowd_kit(codes, 2, 100)
    slow = time.perf_counter() - start
    model = benchmark.pedantic(fit_dawid_skene, (codes,), {"levels": 2}, rounds=5)
    np.testing.assert_allclose(model.prior, prior, atol=1e-9)
    if benchmark.stats is not None:
        print(f"{slow / benchmark.stats.stats.min:.0f} times as fast as crowd-kit")
