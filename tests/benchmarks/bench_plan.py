"""Speed of the planner: a million rows and fifty judges, a pandas groupby, and one fold after the other.

Not part of `make test`. Run on an idle machine, then read the ratios after the table:

    .venv/bin/python -m pytest tests/benchmarks/bench_plan.py --benchmark-enable -s

Aim: the large plan in at most 3 seconds.
"""

import time
from dataclasses import replace

import numpy as np
import pandas as pd

from judgekit.audit import AuditSet, RolePool, halve_again
from judgekit.folds import folds_of
from judgekit.panel import NO_GAIN, find_panels, first_best
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


def fold_by_fold(halves: tuple[AuditSet, ...], gain_threshold: float) -> list[int]:
    """The cross-fitted panel with one set of tables a half, each grown and asked on its own."""
    folds = [folds_of([half], smoothing=1.0) for half in halves]
    panel: list[int] = []
    left = list(range(len(halves[0].pool.judges)))
    while left:
        gains = np.array(
            [np.mean([f.risks[0] - f.risks_with([judge])[0, 0] for f in folds]) for judge in left]
        )
        best = first_best(gains)
        if panel and (gains[best] < gain_threshold or gains[best] <= NO_GAIN):
            break
        panel.append(left.pop(int(best)))
        for fold in folds:
            fold.add(panel[-1])
    return panel


def test_a_plan_for_a_million_rows_and_fifty_judges(benchmark):
    audit = big_audit(1_000_000, 50)
    plan = benchmark.pedantic(lambda: plan_calls(replace(audit)), rounds=3)
    assert len(plan.panel) >= 2


def test_cross_fitted_gains_beside_one_fold_after_the_other(benchmark):
    halves = halve_again(big_audit(500, 8, slices=1), repeats=10, rng=np.random.default_rng(0))
    settings = PlanSettings()
    start = time.perf_counter()
    obvious = fold_by_fold(halves, settings.gain_threshold)
    slow = time.perf_counter() - start
    (steps,) = benchmark.pedantic(find_panels, (halves, settings), {"panels": 1}, rounds=5)
    assert [step.judge for step in steps] == obvious
    if benchmark.stats is not None:
        print(f"{slow / benchmark.stats.stats.min:.0f} times as fast as one fold after the other")


def test_the_panel_beside_a_pandas_groupby(benchmark):
    audit = big_audit(100_000, 20)
    settings = PlanSettings(route_rule="none", gain_threshold=0.01)
    start = time.perf_counter()
    obvious = pandas_panel(audit, settings.gain_threshold)
    slow = time.perf_counter() - start
    plan = benchmark.pedantic(lambda: plan_calls(replace(audit), settings), rounds=5)
    assert list(plan.panel) == obvious
    if benchmark.stats is not None:
        print(f"{slow / benchmark.stats.stats.min:.0f} times as fast as pandas")
