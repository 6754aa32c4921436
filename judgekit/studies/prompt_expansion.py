"""More prompts of the same models: what they do to the errors that judges share, and to the pool."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.benchmark import BenchmarkCell
from judgekit.metrics import residual_correlation_matrix, spearman
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
        pool `same_model` and `other_models`; `metric` (spearman, or accuracy of the pooled vote with two
        buckets), `base`, `expanded`, `change` with its interval `low`..`high`; `covariance_change` and
        `learned_change` on test rows (Spearman); rows.
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
        "metric": metric,
        "base": float(found.estimate[0]),
        "expanded": float(found.estimate[1]),
        "change": change.estimate,
        "low": change.low,
        "high": change.high,
        "covariance_change": covariance["expanded"] - covariance["base"],
        "rows": len(target),
    }


def _bootstrap(scores: np.ndarray, cell: BenchmarkCell, metric: str, seed: int, draws: int) -> GroupBootstrap:
    rng, target = np.random.default_rng([seed, 6]), cell.judgments.target
    if metric == "spearman":
        return bootstrap_spearman(scores, target, cell.groups, rng=rng, draws=draws)
    middle = cell.judgments.support.mean()
    hits = ((scores >= middle) == (target >= middle)[:, None]).astype(float)
    hits[np.isnan(scores)] = np.nan
    return bootstrap_mean(hits, cell.groups, rng=rng, draws=draws)


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
