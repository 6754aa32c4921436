"""JudgeMoE and its baselines on benchmark cells: train, choose on validation, score the test groups once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from judgekit.axes import Probs, Scores, Target
from judgekit.benchmark import BenchmarkCell
from judgekit.errors import InvalidInput
from judgekit.gate import GateRows, GateSettings, GateTask, fit_gates
from judgekit.metrics import spearman, spearman_columns
from judgekit.pooling import covariance_weights, pool_linear, pool_log
from judgekit.scores import features
from judgekit.selection import SubsetSettings, search_subsets
from judgekit.splits import Split, split_three


@dataclass(frozen=True)
class Configuration:
    """The learned pool's frozen choice.

    Attributes
    ----------
    feature_set : str
        Key of `judgekit.scores.FEATURE_SETS`.
    gate : GateSettings
    seeds : int
        Gates a cell; metrics are averaged over them.
    """

    feature_set: str = "summaries"
    gate: GateSettings = field(default_factory=GateSettings)
    seeds: int = 3


@dataclass(frozen=True)
class CellParts:
    """One cell with its split, in float64.

    Attributes
    ----------
    cell : BenchmarkCell
    split : Split
        Train (`fit`), validation and test rows, by whole groups.
    probs : float64 [items, judges, buckets]
    soft : float64 [items, judges]
    target : float64 [items]
    """

    cell: BenchmarkCell
    split: Split
    probs: Probs
    soft: Scores
    target: Target

    def only(self, judges: Sequence[str]) -> "CellParts":
        """The same rows with these judges only."""
        columns = [self.cell.judgments.names.index(name) for name in judges]
        cell = replace(self.cell, judgments=self.cell.judgments.select(judges))
        return replace(self, cell=cell, probs=self.probs[:, columns], soft=self.soft[:, columns])

    def rows(self, rows: np.ndarray, feature_set: str) -> GateRows:
        """Rows as a gate takes them."""
        probs = self.probs[rows]
        values = features(probs, self.cell.judgments.support, feature_set=feature_set).values
        return GateRows(values, probs, self.target[rows])

    def task(self, feature_set: str, gate: GateSettings) -> GateTask:
        """Training and validation rows of one gate."""
        train, validation = (self.rows(r, feature_set) for r in (self.split.fit, self.split.validation))
        return GateTask(train, validation, self.cell.judgments.support, gate)


def split_cell(cell: BenchmarkCell, *, seed: int) -> CellParts:
    """Split a cell by group, 60/20/20; cells of one data set share their groups' parts."""
    split = split_three(cell.groups, rng=np.random.default_rng(seed))
    return CellParts(cell, split, cell.probabilities, cell.soft, cell.judgments.target)


def fixed_methods(parts: CellParts) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    """Scores on all rows of every method that learns no gate, and what each chose.

    Returns
    -------
    dict of str to float64 [items]
        single_best, uniform_log, uniform_linear, covariance_log, fixed_subset, ridge, boosting. Choices rest
        on training and validation rows.
    dict
        `single_best` (judge), `fixed_subset` (judges), `covariance_weights`.
    """
    support, names = parts.cell.judgments.support, parts.cell.judgments.names
    train, validation = parts.split.fit, parts.split.validation
    single = int(np.nanargmax(spearman_columns(parts.soft[validation], parts.target[validation])))
    weights = covariance_weights(parts.soft[train], parts.target[train]).weights
    search = search_subsets(
        parts.probs[validation], parts.target[validation], support, settings=SubsetSettings()
    )
    subset = parts.probs[:, list(search.best)]
    scores = {
        "single_best": parts.soft[:, single],
        "uniform_log": pool_log(parts.probs, support).score,
        "uniform_linear": pool_linear(parts.probs, support).score,
        "covariance_log": pool_log(parts.probs, support, weights=weights).score,
        "fixed_subset": pool_log(subset, support).score,
        "ridge": _ridge(parts),
        "boosting": _boosting(parts),
    }
    chosen = {
        "single_best": names[single],
        "fixed_subset": [names[judge] for judge in search.best],
        "covariance_weights": dict(zip(names, weights.tolist(), strict=True)),
    }
    return scores, chosen


def _ridge(parts: CellParts) -> np.ndarray:
    """Ridge regression on the judges' expected scores; a missing one is its training mean."""
    from sklearn.linear_model import RidgeCV

    train = parts.split.fit
    middle = np.nanmean(parts.soft[train], axis=0)
    inputs = np.where(np.isnan(parts.soft), middle, parts.soft)
    model = RidgeCV(alphas=np.logspace(-2, 4, 13)).fit(inputs[train], parts.target[train])
    return np.asarray(model.predict(inputs))


def _boosting(parts: CellParts) -> np.ndarray:
    """Gradient boosting on the judges' summaries; missing values are its own business."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    train = parts.split.fit
    values = features(parts.probs, parts.cell.judgments.support, feature_set="summaries").values
    inputs = values.reshape(len(values), -1)
    model = HistGradientBoostingRegressor(max_iter=150, learning_rate=0.05, max_leaf_nodes=15, random_state=0)
    return np.asarray(model.fit(inputs[train], parts.target[train]).predict(inputs))


@dataclass(frozen=True)
class GateScreen:
    """Validation and test Spearman of several gate variants on several cells.

    Attributes
    ----------
    frame : DataFrame
        benchmark_cell, role, variant, feature_set, architecture, pool, pool_temperature, `validation` and
        `test` (means over seeds).
    """

    frame: pd.DataFrame

    def best(self, cells: Sequence[str]) -> pd.Series:
        """The variant of highest mean validation Spearman over some cells; the first on a tie."""
        here = self.frame[self.frame["benchmark_cell"].isin(cells)]
        if here.empty:
            raise InvalidInput("cells", "cells of the screen", list(cells))
        means = here.groupby("variant", sort=False)["validation"].mean()
        return here[here["variant"] == means.idxmax()].iloc[0]


def gate_variants(
    configuration: Configuration, temperatures: Sequence[float]
) -> dict[str, tuple[str, GateSettings]]:
    """The grid that the paper walks one axis at a time: gate by pool, feature sets, pool temperatures."""
    base = configuration.gate
    grid: dict[str, tuple[str, GateSettings]] = {}

    def add(feature_set: str, **changes: object) -> None:
        gate = replace(base, **changes)  # type: ignore[arg-type]
        name = f"{gate.architecture}, {gate.pool}, T = {gate.pool_temperature:g}, {feature_set}"
        grid.setdefault(name, (feature_set, gate))

    for architecture in ("deepsets", "mlp"):
        for pool in ("log", "linear"):
            add(configuration.feature_set, architecture=architecture, pool=pool)
    for feature_set in ("hard", "soft", "both", "summaries"):
        add(feature_set)
    for temperature in temperatures:
        add(configuration.feature_set, pool_temperature=float(temperature))
    return grid


def screen_gates(
    cells: Sequence[CellParts],
    variants: Mapping[str, tuple[str, GateSettings]],
    *,
    seeds: int,
    rng: np.random.Generator,
) -> GateScreen:
    """Fit every variant on every cell; gates of equal shape train together."""
    tasks, keys = [], []
    for parts in cells:
        for name, (feature_set, gate) in variants.items():
            tasks.append(parts.task(feature_set, gate))
            keys.append((parts, name, feature_set, gate))
    rows = []
    for (parts, name, feature_set, gate), ensemble in zip(
        keys, fit_gates(tasks, rng=rng, seeds=seeds), strict=True
    ):
        held = parts.rows(parts.split.test, feature_set)
        rows.append(
            {
                "benchmark_cell": parts.cell.name,
                "role": parts.cell.role,
                "variant": name,
                "feature_set": feature_set,
                "architecture": gate.architecture,
                "pool": gate.pool,
                "pool_temperature": gate.pool_temperature,
                "validation": ensemble.validation_spearman,
                "test": float(
                    np.mean(spearman_columns(ensemble.scores(held.features, held.probs), held.target))
                ),
            }
        )
    return GateScreen(pd.DataFrame(rows))


def spearman_on(parts: CellParts, scores: Mapping[str, np.ndarray], rows: np.ndarray) -> dict[str, float]:
    """Spearman of each method on some rows."""
    return {name: spearman(values[rows], parts.target[rows]) for name, values in scores.items()}
