"""Tests and intervals of the main comparison: over cells, over data sets, and inside each cell by group."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgekit.resampling import bootstrap_cells, bootstrap_spearman, signed_rank_power
from judgekit.stats import holm, signed_rank_test
from judgekit.studies.aggregation import METHODS
from judgekit.studies.aggregation_main import CellResult

BASELINES = (
    "single_best",
    "single_best_by_test",
    "uniform_log",
    "uniform_linear",
    "covariance_log",
    "fixed_subset",
    "ridge",
    "boosting",
)
SCOPES = {"all cells": ("choose", "confirm"), "choose cells": ("choose",), "confirm cells": ("confirm",)}


@dataclass(frozen=True)
class TestScores:
    """Test rows of all cells.

    Attributes
    ----------
    main : DataFrame
        benchmark_cell, method, spearman, low, high (percentile bootstrap over groups),
        judges_with_probabilities, judges_hard_only, rows, groups (of the test part), dataset, role.
    gains : DataFrame
        benchmark_cell, dataset, role, score_range, first, baseline, gain, low, high, rows: `first` minus
        `baseline` on the same resamples.
    """

    main: pd.DataFrame
    gains: pd.DataFrame


def score_cells(results: Sequence[CellResult], *, seed: int, draws: int = 1_000) -> TestScores:
    """Spearman of every method on the test rows of every cell, with paired bootstraps over groups."""
    main, gains = [], []
    for result in results:
        parts, test = result.parts, result.parts.split.test
        methods = [method for method in METHODS if method in result.scores]
        columns = np.concatenate([result.scores[method][test] for method in methods], axis=1)
        owner = np.repeat(np.arange(len(methods)), [result.scores[m].shape[1] for m in methods])
        boot = bootstrap_spearman(
            columns,
            parts.target[test],
            parts.cell.groups[test],
            rng=np.random.default_rng([seed, 2]),
            draws=draws,
        )
        estimate, drawn = (_mean_by(values, owner) for values in (boot.estimate[None], boot.draws))
        key = {"benchmark_cell": parts.name}
        about = {"dataset": parts.cell.dataset, "role": parts.cell.role}
        for place, method in enumerate(methods):
            low, high = np.nanquantile(drawn[:, place], [0.025, 0.975])
            judges = result.judges.get(method, parts.cell.judgments.names)
            hard = sum(judge in parts.cell.hard_only for judge in judges)
            main.append(
                key
                | {"method": method, "spearman": estimate[0, place], "low": low, "high": high}
                | {"judges_with_probabilities": len(judges) - hard, "judges_hard_only": hard}
                | {"rows": boot.kept, "groups": boot.groups}
                | about
            )
        for first in ("judgemoe", "best_pipeline"):
            for baseline in (m for m in methods if m not in ("best_pipeline", first)):
                one, other = methods.index(first), methods.index(baseline)
                low, high = np.nanquantile(drawn[:, one] - drawn[:, other], [0.025, 0.975])
                gain = {"gain": estimate[0, one] - estimate[0, other], "low": low, "high": high}
                about_range = about | {"score_range": parts.cell.score_range}
                gains.append(
                    key | about_range | {"first": first, "baseline": baseline} | gain | {"rows": boot.kept}
                )
    return TestScores(pd.DataFrame(main), pd.DataFrame(gains))


def compare_methods(
    gains: pd.DataFrame, *, seed: int, first: str = "judgemoe", draws: int = 10_000
) -> pd.DataFrame:
    """Exact signed-rank tests of one method against each baseline, over cells and over data sets.

    Returns
    -------
    DataFrame
        One row a scope (all, choose or confirm cells; by cell or by mean of a data set) and baseline:
        `n`, `mean_gain`, `low`, `high` (bootstrap over cells), `positive`, `weighted_gain` (by test rows),
        `p_one_sided`, `p_two_sided`, and Holm's adjustment of each over the baselines of the scope.
    """
    mine = gains[gains["first"] == first]
    baselines = [name for name in (*BASELINES, "judgemoe") if name in set(mine["baseline"])]
    rows = []
    for scope, roles in SCOPES.items():
        here = mine[mine["role"].isin(roles)]
        for unit in ("cells", "data sets"):
            found = [
                _comparison(here[here["baseline"] == b], unit, seed, draws) for b in baselines if len(here)
            ]
            if not found:
                continue
            frame = pd.DataFrame(found)
            frame.insert(0, "scope", scope)
            frame.insert(1, "unit", unit)
            frame.insert(2, "baseline", baselines)
            for side in ("p_one_sided", "p_two_sided"):
                frame[f"{side}_holm"] = holm(frame[side].to_numpy(float))
            rows.append(frame)
    return pd.concat(rows, ignore_index=True)


def compare_pipeline(gains: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """`compare_methods` of the best pipeline, against JudgeMoE as well."""
    return compare_methods(gains, seed=seed, first="best_pipeline")


def study_power(
    gains: pd.DataFrame, *, seed: int, cells: Sequence[int] = (10, 16), simulations: int = 4_000
) -> pd.DataFrame:
    """Power of the one-sided 5% signed-rank test at the mean and spread of the gains seen.

    Returns
    -------
    DataFrame
        baseline, mean_gain, standard_deviation, cells, power, low, high (of the simulation).
    """
    mine = gains[(gains["first"] == "judgemoe") & gains["role"].isin(SCOPES["all cells"])]
    rows = []
    for baseline in [name for name in BASELINES if name in set(mine["baseline"])]:
        values = mine.loc[mine["baseline"] == baseline, "gain"].to_numpy()
        mean, spread = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0
        for count in cells:
            if not spread > 0:
                continue
            rng = np.random.default_rng([seed, 3])
            power = signed_rank_power(mean, spread, cells=count, rng=rng, simulations=simulations)
            about = {"baseline": baseline, "mean_gain": mean, "standard_deviation": spread, "cells": count}
            rows.append(about | {"power": power.estimate, "low": power.low, "high": power.high})
    return pd.DataFrame(rows)


def _comparison(part: pd.DataFrame, unit: str, seed: int, draws: int) -> dict[str, float | int]:
    values, rows = part["gain"].to_numpy(), part["rows"].to_numpy(float)
    weighted = float(np.average(values, weights=rows))
    if unit == "data sets":
        values = part.groupby("dataset", sort=False)["gain"].mean().to_numpy()
    test = signed_rank_test(values, np.zeros(len(values)))
    interval = bootstrap_cells(values, rng=np.random.default_rng([seed, 4]), draws=draws)
    return {
        "n": len(values),
        "mean_gain": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "positive": test.positive,
        "weighted_gain": weighted,
        "p_one_sided": test.p_greater,
        "p_two_sided": test.p_two_sided,
    }


def _mean_by(values: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Mean of the columns of each owner: [rows, owners]."""
    return np.stack([values[:, owner == one].mean(axis=1) for one in range(owner.max() + 1)], axis=1)
