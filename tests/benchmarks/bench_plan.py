"""Speed of the planner: a plan for a million rows and fifty judges, and a panel beside a pandas groupby.

Not part of `make test`. Run on an idle machine, then read the ratio after the table:

    .venv/bin/python -m pytest tests/benchmarks/bench_plan.py --benchmark-enable -s

Aim: the large plan in at most 3 seconds.
"""

import time

import numpy as np
import pandas as pd

from judgekit.audit import AuditSet, RolePool
from judgekit.panel import NO_GAIN, first_best
from judgekit.plan import PlanSettings, plan_calls


def big_audit(rows: int, judges: int, slices: int = 10) -> AuditSet:
    """Independent binary judges of accuracy 0.55 to 0.8, in halves."""
    rng = np.random.default_rng(0)
    target = (rng.random(rows) < 0.4).astype(float)
    accuracy = rng.uniform(0.55, 0.8, judges)
    codes = np.where(rng.random((rows, judges)) < accuracy, target[:, None], 1 - target[:, None]).astype(
        np.int8
    )
    pool = RolePool(
        name="big",
        codes=codes,
        target=target,
        groups=np.arange(rows),
        slices=rng.integers(0, slices, rows),
        slice_names=tuple(map(str, range(slices))),
        judges=tuple(f"j{judge}" for judge in range(judges)),
        families=("",) * judges,
        costs=np.ones(judges),
        levels=2,
    )
    order = rng.permutation(rows)
    return AuditSet(pool, np.sort(order[: rows // 2]), np.sort(order[rows // 2 :]))


def pandas_panel(audit: AuditSet, gain_threshold: float) -> list[int]:
    """The greedy panel by a groupby for every candidate; every pattern occurs among the fit rows here."""
    frame = pd.DataFrame(audit.pool.codes).assign(label=audit.pool.target)
    fit, validation = frame.iloc[audit.fit], frame.iloc[audit.validation]
    base_rate = fit["label"].mean()

    def risk(panel: list[int]) -> float:
        cells = fit.groupby(panel)["label"].agg(["sum", "count"])
        value = ((cells["sum"] + base_rate) / (cells["count"] + 1)).rename("value").reset_index()
        answered = validation.merge(value, on=panel, how="left")
        return float(((answered["value"] - answered["label"]) ** 2).mean())

    panel: list[int] = []
    left = list(range(audit.pool.codes.shape[1]))
    before = float(((base_rate - validation["label"]) ** 2).mean())
    while left:
        gains = np.array([before - risk([*panel, judge]) for judge in left])
        best = first_best(gains)
        if panel and (gains[best] < gain_threshold or gains[best] <= NO_GAIN):
            break
        before -= gains[best]
        panel.append(left.pop(best))
    return panel


def test_a_plan_for_a_million_rows_and_fifty_judges(benchmark):
    audit = big_audit(1_000_000, 50)
    plan = benchmark.pedantic(plan_calls, (audit,), rounds=3)
    assert len(plan.panel) >= 2


def test_the_panel_beside_a_pandas_groupby(benchmark):
    audit = big_audit(100_000, 20)
    settings = PlanSettings(route_rule="none", gain_threshold=0.01)
    start = time.perf_counter()
    obvious = pandas_panel(audit, settings.gain_threshold)
    slow = time.perf_counter() - start
    plan = benchmark.pedantic(plan_calls, (audit, settings), rounds=5)
    assert list(plan.panel) == obvious
    if benchmark.stats is not None:
        print(f"{slow / benchmark.stats.stats.min:.0f} times as fast as pandas")
