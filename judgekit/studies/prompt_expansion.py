"""More prompts of the same models: what they do to the errors that judges share, and to the pool."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.axes import Target
from judgekit.benchmark import BenchmarkCell
from judgekit.metrics import merge_ties, residual_correlation_matrix, spearman
from judgekit.pooling import covariance_weights, pool_log
from judgekit.resampling import GroupBootstrap, bootstrap_mean, bootstrap_spearman
from judgekit.studies.aggregation import CellParts, split_cell
from judgekit.studies.mixed_pools import LearnedSettings, learned_spearman

_POOLS = ("base", "expanded")


def study_prompts(
    cells: Sequence[BenchmarkCell], *, seed: int, draws: int, gates: LearnedSettings
) -> pd.DataFrame:
    """One prompt a model beside several, on the same items.

    The uniform pool fits and chooses nothing, so residual correlations and its quality rest on all rows; the
    covariance-aware and the learned pool are scored on test rows.

    Parameters
    ----------
    cells : sequence of BenchmarkCell
        With pools `base` and `expanded`; the name of a judge begins with its model, up to " / ".
    seed : int
        Of the split, the resamples and the gates.
    draws : int
        Resamples of the groups behind the interval.
    gates : LearnedSettings

    Returns
    -------
    DataFrame
        One row a cell: benchmark_cell, dataset, models, `base_judges`, `expanded_judges`; mean residual
        correlations `base_correlation`, `expanded_correlation`, `correlation_change`, and within the expanded
        pool `same_model` and `other_models`; `read_out` (hard, distribution, or mixed); `metric` (spearman,
        or accuracy of the vote with two buckets, where a tie is half right), of the `weakest` and the
        `strongest` judge of the base pool, of the pools `base` and `expanded`, and `change` with its interval
        `low`..`high`; rows; `covariance_change` and `learned_change` (Spearman) on `test_rows`.
    """
    split = [_split(cell, seed) for cell in cells]
    pools = [parts for pair in split for parts in pair.values()]
    learned = learned_spearman(pools, gates, rng=np.random.default_rng([seed, 5]))
    found = []
    for place, (cell, pair) in enumerate(zip(cells, split, strict=True)):
        base, expanded = learned[2 * place : 2 * place + 2]
        found.append({**_one(cell, pair, seed, draws), "learned_change": expanded - base})
    return pd.DataFrame(found)


def _split(cell: BenchmarkCell, seed: int) -> dict[str, CellParts]:
    parts = split_cell(cell, seed=seed)
    return {name: parts.only(cell.pools[name]) for name in _POOLS}


def _one(cell: BenchmarkCell, pair: dict[str, CellParts], seed: int, draws: int) -> dict[str, object]:
    target, support = cell.judgments.target, cell.judgments.support
    scores = {name: pool_log(parts.probs, support).score for name, parts in pair.items()}
    metric = "accuracy" if len(support) == 2 else "spearman"
    found = _bootstrap(np.column_stack(list(scores.values())), cell, metric, seed, draws)
    change = found.difference(1, 0)
    correlation = {name: _correlations(parts) for name, parts in pair.items()}
    covariance = {name: _covariance(parts) for name, parts in pair.items()}
    alone = [_quality(column, cell, metric) for column in pair["base"].soft.T]
    return {
        "benchmark_cell": cell.name,
        "dataset": cell.dataset,
        "models": len({_model(name) for name in cell.pools["expanded"]}),
        "base_judges": len(cell.pools["base"]),
        "expanded_judges": len(cell.pools["expanded"]),
        "base_correlation": correlation["base"]["all"],
        "expanded_correlation": correlation["expanded"]["all"],
        "correlation_change": correlation["expanded"]["all"] - correlation["base"]["all"],
        "same_model": correlation["expanded"]["same"],
        "other_models": correlation["expanded"]["other"],
        "read_out": _read_out(cell),
        "metric": metric,
        "weakest": min(alone),
        "strongest": max(alone),
        "base": float(found.estimate[0]),
        "expanded": float(found.estimate[1]),
        "change": change.estimate,
        "low": change.low,
        "high": change.high,
        "rows": len(target),
        "covariance_change": covariance["expanded"] - covariance["base"],
        "test_rows": len(pair["base"].split.test),
    }


def _bootstrap(scores: np.ndarray, cell: BenchmarkCell, metric: str, seed: int, draws: int) -> GroupBootstrap:
    rng, target = np.random.default_rng([seed, 6]), cell.judgments.target
    if metric == "spearman":
        return bootstrap_spearman(scores, target, cell.groups, rng=rng, draws=draws)
    return bootstrap_mean(_hits(scores, target, cell.judgments.support), cell.groups, rng=rng, draws=draws)


def _hits(scores: np.ndarray, target: Target, support: np.ndarray) -> np.ndarray:
    """1 where a score lies on the target's side of the middle, 0 on the other, 1/2 on it; NaN stays."""
    middle = support.mean()
    side = np.sign(merge_ties(scores - middle))
    return (1 + side * np.where(target >= middle, 1.0, -1.0)[:, None]) / 2


def _quality(scores: np.ndarray, cell: BenchmarkCell, metric: str) -> float:
    """Spearman or accuracy of one judge on all rows."""
    target, support = cell.judgments.target, cell.judgments.support
    if metric == "spearman":
        return spearman(scores, target)
    return float(np.nanmean(_hits(scores[:, None], target, support)))


def _read_out(cell: BenchmarkCell) -> str:
    """How the judges of a cell are read: as hard scores, as distributions, or some so and some so."""
    if not cell.hard_only:
        return "distribution"
    return "hard" if set(cell.hard_only) == set(cell.judgments.names) else "mixed"


def _correlations(parts: CellParts) -> dict[str, float]:
    """Mean residual correlation over all pairs, pairs of one model's prompts, and pairs of two models."""
    matrix = residual_correlation_matrix(parts.soft, parts.target)
    models = np.array([_model(name) for name in parts.cell.judgments.names])
    first, second = np.triu_indices(len(models), 1)
    same, values = models[first] == models[second], matrix[first, second]
    chosen = {"all": values, "same": values[same], "other": values[~same]}
    return {name: float(np.nanmean(part)) if part.size else float("nan") for name, part in chosen.items()}


def _covariance(parts: CellParts) -> float:
    split, support = parts.split, parts.cell.judgments.support
    weights = covariance_weights(parts.soft[split.fit], parts.target[split.fit]).weights
    score = pool_log(parts.probs[split.test], support, weights=weights).score
    return spearman(score, parts.target[split.test])


def _model(name: str) -> str:
    return name.split(" / ")[0]
