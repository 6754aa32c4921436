"""How much labelled data the gate needs, and what pairwise preferences add to direct scores."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from judgekit.gate import fit_gates, score_pairs
from judgekit.metrics import spearman, spearman_columns
from judgekit.pooling import covariance_weights, pool_log
from judgekit.regression import fit_ridge
from judgekit.studies.aggregation import CellParts
from judgekit.studies.aggregation_main import AggregationStudy

FRACTIONS = (0.05, 0.1, 0.25, 0.5, 1.0)
_FEWEST = 4


def thin_training(parts: CellParts, fraction: float, *, seed: int) -> np.ndarray:
    """Training rows of the first groups of a shuffled order, nested from one fraction to the next.

    At least 4 groups are kept, so that an error covariance exists.
    """
    groups = parts.cell.groups[parts.split.fit]
    order = np.random.default_rng([seed, 5]).permutation(np.unique(groups))
    kept = order[: max(_FEWEST, round(fraction * len(order)))]
    return parts.split.fit[np.isin(groups, kept)]


def study_data_efficiency(
    study: AggregationStudy, cells: Sequence[str], *, fractions: Sequence[float] = FRACTIONS
) -> pd.DataFrame:
    """Test Spearman of the gate, ridge and the covariance-aware pool on shares of the training groups.

    Returns
    -------
    DataFrame
        benchmark_cell, `fraction`, `rows` (trained on), `judgemoe`, `ridge`, `covariance_log`, and what
        needs no training rows: `single_best` (by validation) and `uniform_log`.
    """
    results = [result for result in study.results if result.parts.name in cells]
    thinned = [
        (result, fraction, thin_training(result.parts, fraction, seed=study.settings.seed))
        for result in results
        for fraction in fractions
    ]
    tasks = [result.parts.task(study.frozen, fit=rows) for result, fraction, rows in thinned if fraction < 1]
    rng = np.random.default_rng([study.settings.seed, 6])
    fitted = iter(fit_gates(tasks, rng=rng, seeds=study.settings.seeds, workers=study.settings.workers))
    found = []
    for result, fraction, rows in thinned:
        parts, test = result.parts, result.parts.split.test
        # All training rows is what the main table has already fitted.
        whole = result.scores["judgemoe"]
        scores = whole if fraction == 1 else parts.gate_scores(next(fitted), study.frozen.feature_set)
        scores = scores[test]
        weights = covariance_weights(parts.soft[rows], parts.target[rows]).weights
        found.append(
            {
                "benchmark_cell": parts.name,
                "fraction": fraction,
                "rows": len(rows),
                "judgemoe": float(np.mean(spearman_columns(scores, parts.target[test]))),
                "ridge": spearman(fit_ridge(parts.soft, parts.target, rows)[test], parts.target[test]),
                "covariance_log": spearman(
                    pool_log(parts.probs[test], parts.support, weights=weights).score, parts.target[test]
                ),
                "single_best": result.spearman("single_best", test),
                "uniform_log": result.spearman("uniform_log", test),
            }
        )
    return pd.DataFrame(found)


def study_pairs(study: AggregationStudy, cells: Sequence[str], *, limit: int = 512) -> pd.DataFrame:
    """The frozen gate trained with a Bradley-Terry loss on pairs beside the scores, against scores alone.

    Pairs are two training rows of one group whose labels differ, of any two rows where groups are single
    rows.

    Returns
    -------
    DataFrame
        benchmark_cell, `pairs`, `within` ("group" or "any rows"), Spearman and pairwise accuracy on test rows
        with and without pairs, and the two gains.
    """
    results = [result for result in study.results if result.parts.name in cells]
    rng = np.random.default_rng([study.settings.seed, 7])
    tasks, made = [], []
    for result in results:
        task = result.parts.task(study.frozen)
        groups, within = _pair_groups(result.parts, result.parts.split.fit)
        pairs = score_pairs(task.train.target, groups, rng=rng, limit=limit)
        tasks.append(replace(task, train=replace(task.train, pairs=pairs)))
        made.append((len(pairs), within))
    fitted = fit_gates(tasks, rng=rng, seeds=study.settings.seeds, workers=study.settings.workers)
    found = []
    for result, gates, (count, within) in zip(results, fitted, made, strict=True):
        parts, test = result.parts, result.parts.split.test
        groups, _ = _pair_groups(parts, test)
        pairs = score_pairs(parts.target[test], groups, rng=np.random.default_rng([study.settings.seed, 8]))
        sides = {
            "scores_alone": result.scores["judgemoe"][test],
            "with_pairs": parts.gate_scores(gates, study.frozen.feature_set, rows=test),
        }
        row: dict[str, object] = {"benchmark_cell": parts.name, "pairs": count, "within": within}
        for name, scores in sides.items():
            row[f"spearman_{name}"] = float(np.mean(spearman_columns(scores, parts.target[test])))
            row[f"accuracy_{name}"] = pair_accuracy(scores, pairs)
        found.append(row)
    frame = pd.DataFrame(found)
    for measure in ("spearman", "accuracy"):
        frame[f"{measure}_gain"] = frame[f"{measure}_with_pairs"] - frame[f"{measure}_scores_alone"]
    return frame


def pair_accuracy(scores: np.ndarray, pairs: np.ndarray) -> float:
    """Share of pairs (preferred, other) that scores [items, seeds] order rightly; a tie counts half.

    Examples
    --------
    >>> pair_accuracy(np.array([[2.0], [1.0], [1.0]]), np.array([[0, 1], [1, 2]]))
    0.75
    """
    gaps = np.round(scores[pairs[:, 0]] - scores[pairs[:, 1]], 12)
    return float(((gaps > 0) + 0.5 * (gaps == 0)).mean()) if len(pairs) else float("nan")


def _pair_groups(parts: CellParts, rows: np.ndarray) -> tuple[np.ndarray, str]:
    groups = parts.cell.groups[rows]
    if len(np.unique(groups)) < len(groups):
        return groups, "group"
    return np.zeros(len(rows), dtype=np.int64), "any rows"
