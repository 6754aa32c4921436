"""Benchmark cells split by group, and the methods that learn no gate; test rows are never read here."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from judgekit.axes import Probs, Scores, Target
from judgekit.benchmark import BenchmarkCell, expected_scores
from judgekit.gate import GateEnsemble, GateRows, GateSettings, GateTask
from judgekit.metrics import spearman_columns
from judgekit.pooling import covariance_weights, pool_linear, pool_log
from judgekit.regression import fit_boosting, fit_ridge
from judgekit.scores import features
from judgekit.selection import SubsetSearch, SubsetSettings, search_subsets
from judgekit.splits import Split, split_three

METHODS = {
    "single_best": "single best, by validation",
    "single_best_by_test": "single best, by test (a bound)",
    "uniform_log": "uniform log pool",
    "uniform_linear": "uniform linear pool",
    "covariance_log": "covariance-aware log pool",
    "fixed_subset": "fixed subset",
    "ridge": "ridge on expected scores",
    "boosting": "gradient boosting on summaries",
    "judgemoe": "JudgeMoE",
    "judgemoe_compact": "JudgeMoE, compact pool",
    "judgemoe_family_diverse": "JudgeMoE, family-diverse pool",
    "best_pipeline": "best pipeline",
}


@dataclass(frozen=True)
class Configuration:
    """The learned pool's frozen choice.

    Attributes
    ----------
    feature_set : str
        Key of `judgekit.scores.FEATURE_SETS`.
    gate : GateSettings
    """

    feature_set: str = "summaries"
    gate: GateSettings = field(default_factory=GateSettings)

    @property
    def name(self) -> str:
        """Such as "deepsets, log, T = 0.7, summaries"."""
        gate = self.gate
        return f"{gate.architecture}, {gate.pool}, T = {gate.pool_temperature:g}, {self.feature_set}"


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

    @property
    def name(self) -> str:
        """Name of the cell."""
        return self.cell.name

    @property
    def support(self) -> np.ndarray:
        """Score of each bucket."""
        return self.cell.judgments.support

    def only(self, judges: Sequence[str]) -> "CellParts":
        """The same rows with these judges only."""
        columns = [self.cell.judgments.names.index(name) for name in judges]
        cell = replace(
            self.cell,
            judgments=self.cell.judgments.select(judges),
            hard_only=[name for name in self.cell.hard_only if name in judges],
        )
        return replace(self, cell=cell, probs=self.probs[:, columns], soft=self.soft[:, columns])

    def with_probs(self, probs: Probs) -> "CellParts":
        """The same rows with other (calibrated) distributions of the same judges."""
        return replace(self, probs=probs, soft=expected_scores(probs, self.support))

    def inputs(self, feature_set: str) -> np.ndarray:
        """The gate's inputs of all rows: float64 [items, judges, features]."""
        return features(self.probs, self.support, feature_set=feature_set).values

    def task(self, configuration: Configuration, *, fit: np.ndarray | None = None) -> GateTask:
        """Training and validation rows of one gate; `fit` replaces the training rows."""
        values = self.inputs(configuration.feature_set)
        train, validation = (
            GateRows(values[rows], self.probs[rows], self.target[rows])
            for rows in (self.split.fit if fit is None else fit, self.split.validation)
        )
        return GateTask(train, validation, self.support, configuration.gate)

    def gate_scores(
        self, gates: GateEnsemble, feature_set: str, *, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """Scores of fitted gates on all rows, or on some, a column a seed: float64 [items, seeds]."""
        if rows is not None:
            scores = gates.scores(self.inputs(feature_set)[rows], self.probs[rows])
            if not np.isnan(scores).any():
                return scores
        every = self.complete(gates.scores(self.inputs(feature_set), self.probs))
        return every if rows is None else every[rows]

    def complete(self, scores: np.ndarray) -> np.ndarray:
        """Scores with the mean over training rows where a method has none, so that all methods share rows."""
        middle = np.nanmean(scores[self.split.fit], axis=0)
        return np.where(np.isnan(scores), middle, scores)


@dataclass(frozen=True)
class FixedMethods:
    """Methods of one cell that learn no gate.

    Attributes
    ----------
    scores : dict of str to float64 [items, 1]
        By method, on all rows. Fits rest on training rows, choices on validation rows.
    single : str
        Judge with the highest validation Spearman.
    subset : SubsetSearch
        On validation rows.
    weights : dict of str to float
        Covariance-aware weights by judge.
    """

    scores: dict[str, np.ndarray]
    single: str
    subset: SubsetSearch
    weights: dict[str, float]

    def subset_judges(self, names: Sequence[str]) -> list[str]:
        """Judges of the fixed subset."""
        return [names[judge] for judge in self.subset.best]


def split_cell(cell: BenchmarkCell, *, seed: int) -> CellParts:
    """Split a cell by group, 60/20/20; cells of one data set share their groups' parts."""
    split = split_three(cell.groups, rng=np.random.default_rng(seed))
    return CellParts(cell, split, cell.probabilities, cell.soft, cell.judgments.target)


def fixed_methods(parts: CellParts) -> FixedMethods:
    """Single best, uniform, covariance-aware and subset pools, ridge and boosting of one cell."""
    support, names = parts.support, parts.cell.judgments.names
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
        "ridge": fit_ridge(parts.soft, parts.target, train),
        "boosting": fit_boosting(parts.inputs("summaries"), parts.target, train),
    }
    return FixedMethods(
        {name: parts.complete(values[:, None]) for name, values in scores.items()},
        names[single],
        search,
        dict(zip(names, weights.tolist(), strict=True)),
    )
