"""What the gates do: weight against judge quality, error correlation, calibration of the final number."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.metrics import (
    complete_rows,
    expected_calibration_error,
    residual_correlation,
    spearman,
    spearman_columns,
)
from judgekit.scores import hard_score
from judgekit.studies.aggregation_main import CellResult

_ON_SCALE = ("single_best", "uniform_log", "covariance_log", "ridge", "judgemoe")


def weigh_quality(results: Sequence[CellResult]) -> pd.DataFrame:
    """Mean gate weight of every judge on test rows, beside its own Spearman there.

    Returns
    -------
    DataFrame
        benchmark_cell, dataset, score_range, judge, `spearman`, `weight`, and `rank_correlation` of the two
        over the cell's judges (NaN for fewer than 3).
    """
    rows = []
    for result in results:
        parts, test = result.parts, result.parts.split.test
        own = spearman_columns(parts.soft[test], parts.target[test])
        weight = np.nanmean(result.weights[test], axis=0)
        shared = spearman(weight, own) if len(own) > 2 else float("nan")
        for judge, quality, share in zip(parts.cell.judgments.names, own, weight, strict=True):
            rows.append(
                {
                    "benchmark_cell": parts.name,
                    "dataset": parts.cell.dataset,
                    "score_range": parts.cell.score_range,
                    "judge": judge,
                    "spearman": quality,
                    "weight": share,
                    "rank_correlation": shared,
                }
            )
    return pd.DataFrame(rows)


def correlate_residuals(results: Sequence[CellResult]) -> pd.DataFrame:
    """Mean correlation of the judges' errors on all rows: full, compact and family-diverse pool of each cell.

    Returns
    -------
    DataFrame
        benchmark_cell, dataset, role, full, compact, family_diverse (NaN where there is no such pool).
    """
    rows = []
    for result in results:
        parts = result.parts
        row: dict[str, object] = {"benchmark_cell": parts.name, "dataset": parts.cell.dataset}
        row |= {"role": parts.cell.role, "full": residual_correlation(parts.soft, parts.target)}
        for pool in ("compact", "family_diverse"):
            members = parts.cell.pools.get(pool)
            soft = parts.only(members).soft if members else np.empty((0, 0))
            row[pool] = residual_correlation(soft, parts.target) if members else float("nan")
        rows.append(row)
    return pd.DataFrame(rows)


def measure_calibration(results: Sequence[CellResult], *, bins: int = 10) -> pd.DataFrame:
    """ECE of the final number on test rows, beside that of the judges' raw probabilities.

    Returns
    -------
    DataFrame
        benchmark_cell; of each method that predicts on the support's scale, the mean gap between prediction
        and label as a share of the score range; `raw_judges`: mean over judges of the gap between the
        largest probability and how often that bucket is the label's nearest.
    """
    rows = []
    for result in results:
        parts, test = result.parts, result.parts.split.test
        span = float(parts.support.max() - parts.support.min())
        row: dict[str, object] = {"benchmark_cell": parts.name}
        for method in _ON_SCALE:
            gaps = [
                expected_calibration_error(column, parts.target[test], bins=bins) / span
                for column in result.scores[method][test].T
            ]
            row[method] = float(np.mean(gaps))
        row["raw_judges"] = _raw_calibration(parts.probs[test], parts.target[test], parts.support, bins)
        rows.append(row)
    return pd.DataFrame(rows)


def _raw_calibration(probs: np.ndarray, target: np.ndarray, support: np.ndarray, bins: int) -> float:
    nearest = support[np.argmin(np.abs(target[:, None] - support), axis=1)]
    found = []
    for judge in range(probs.shape[1]):
        said = hard_score(probs[:, judge], support)
        rows = complete_rows(said, target)
        hit = (said == nearest)[rows].astype(float)
        found.append(expected_calibration_error(probs[rows, judge].max(axis=1), hit, bins=bins))
    return float(np.mean(found))
