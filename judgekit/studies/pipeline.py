"""The best pipeline: calibrate, pool, gate, stack; validation picks the members, test is scored once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from judgekit.errors import InvalidInput
from judgekit.metrics import spearman
from judgekit.pooling import covariance_weights, pool_linear, pool_log
from judgekit.regression import fit_boosting, fit_ridge
from judgekit.scaling import fit_scaling
from judgekit.studies.aggregation import CellParts

CALIBRATIONS = ("none", "temperature", "vector")
_LEAST_GAIN = 1e-4


@dataclass(frozen=True)
class Recipe:
    """Members of the pipeline, in the order in which validation picked them.

    Attributes
    ----------
    members : tuple of str
        Names of components, averaged with equal weight.
    steps : DataFrame
        `member` and `validation`: mean Spearman over the cells once it has joined.
    alone : DataFrame
        `member` and `validation` of every component by itself, best first.
    """

    members: tuple[str, ...]
    steps: pd.DataFrame
    alone: pd.DataFrame


def calibrate(parts: CellParts, kind: str, fit: np.ndarray) -> CellParts:
    """The cell with each judge's distribution recalibrated on the rows `fit`; "none" leaves it as it is."""
    if kind == "none":
        return parts
    scaling = fit_scaling(parts.probs[fit], parts.target[fit], parts.support, kind=kind)
    return parts.with_probs(scaling.apply(parts.probs))


def components(
    parts: CellParts, *, refit: bool, gates: Mapping[str, np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    """Standardised scores of every component on all rows: float64 [items].

    Parameters
    ----------
    parts : CellParts
    refit : bool
        Fit on training and validation rows together, for the final scores; else on training rows, so that
        validation rows can choose.
    gates : mapping of str to float64 [items, seeds], optional
        Scores of fitted gates by component name; they must have picked their epoch without validation rows.
    """
    fit = parts.split.construction if refit else parts.split.fit
    # Spearman asks for order alone, so regressions learn the target's rank.
    ranks = np.full(len(parts.target), np.nan)
    ranks[fit] = rankdata(parts.target[fit]) / len(fit)
    found: dict[str, np.ndarray] = {}
    for kind in CALIBRATIONS:
        scaled = calibrate(parts, kind, fit)
        weights = covariance_weights(scaled.soft[fit], parts.target[fit]).weights
        found[f"log pool, {kind}"] = pool_log(scaled.probs, parts.support).score
        found[f"linear pool, {kind}"] = pool_linear(scaled.probs, parts.support).score
        found[f"covariance log pool, {kind}"] = pool_log(scaled.probs, parts.support, weights=weights).score
        found[f"ridge on scores, {kind}"] = fit_ridge(scaled.soft, ranks, fit)
        found[f"ridge on summaries, {kind}"] = fit_ridge(scaled.inputs("summaries"), ranks, fit)
    found["boosting on summaries, none"] = fit_boosting(parts.inputs("summaries"), ranks, fit)
    found |= {name: values.mean(axis=1) for name, values in (gates or {}).items()}
    return {name: _standard(values, fit) for name, values in found.items()}


def choose_recipe(
    cells: Sequence[CellParts], scores: Sequence[Mapping[str, np.ndarray]], *, largest: int = 8
) -> Recipe:
    """Add the component that helps the mean validation Spearman over the cells most, until none helps.

    Parameters
    ----------
    cells : sequence of CellParts
    scores : sequence of mappings
        `components(parts, refit=False)` of each cell.
    largest : int
        Members at most.

    Raises
    ------
    InvalidInput
        No cells.
    """
    if not cells:
        raise InvalidInput("cells", "at least one", "none")
    names = list(scores[0])

    def worth(members: Sequence[str]) -> float:
        return float(
            np.mean(
                [
                    spearman(average(each, members)[parts.split.validation], _validation_target(parts))
                    for parts, each in zip(cells, scores, strict=True)
                ]
            )
        )

    alone = pd.DataFrame({"member": names, "validation": [worth([name]) for name in names]})
    members: list[str] = []
    steps: list[dict[str, object]] = []
    reached = -np.inf
    while len(members) < min(largest, len(names)):
        left = [name for name in names if name not in members]
        values = [worth([*members, name]) for name in left]
        best = int(np.argmax(np.round(values, 12)))
        if not values[best] > reached + _LEAST_GAIN:
            break
        members.append(left[best])
        reached = values[best]
        steps.append({"member": left[best], "validation": reached})
    return Recipe(
        tuple(members),
        pd.DataFrame(steps),
        alone.sort_values("validation", ascending=False, kind="stable", ignore_index=True),
    )


def average(scores: Mapping[str, np.ndarray], members: Sequence[str]) -> np.ndarray:
    """Mean of the members' standardised scores: float64 [items]."""
    return np.mean([scores[name] for name in members], axis=0)


def _standard(values: np.ndarray, fit: np.ndarray) -> np.ndarray:
    centre, scale = np.nanmean(values[fit]), np.nanstd(values[fit])
    return np.nan_to_num((values - centre) / (scale if scale > 0 else 1))


def _validation_target(parts: CellParts) -> np.ndarray:
    return parts.target[parts.split.validation]
