"""The main comparison: chosen on validation rows of choose cells, frozen, then scored on test rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from judgekit.benchmark import BenchmarkCell
from judgekit.errors import InvalidInput
from judgekit.gate import GateEnsemble, fit_gates
from judgekit.metrics import spearman_columns
from judgekit.splits import Split
from judgekit.studies.aggregation import (
    CellParts,
    Configuration,
    FixedMethods,
    fixed_methods,
    split_cell,
)
from judgekit.studies.gate_screen import (
    TEMPERATURES,
    gate_variants,
    screen_gates,
    screen_row,
    two_by_two,
)
from judgekit.studies.pipeline import Recipe, average, calibrate, choose_recipe, components

SPARSE = "judgemoe_sparse"
_MEMBERS = {"member_none": "gate, none", "member_vector": "gate, vector"}
SMALL_POOLS = {"judgemoe_compact": "compact", "judgemoe_family_diverse": "family_diverse"}


@dataclass(frozen=True)
class AggregationSettings:
    """How the study is run.

    Attributes
    ----------
    base : Configuration
        The published configuration; the grid walks from it one axis at a time.
    temperatures : tuple of float
        Pool temperatures of the grid.
    seeds : int
        Gates a variant; metrics are averaged over them.
    seed : int
        Of splits, gates and resamples.
    workers : int
        Batches of gates trained at the same time.
    """

    base: Configuration = field(default_factory=Configuration)
    temperatures: tuple[float, ...] = TEMPERATURES
    seeds: int = 3
    seed: int = 0
    workers: int = 1


@dataclass(frozen=True)
class CellResult:
    """One cell with the scores of every method on all of its rows.

    Attributes
    ----------
    parts : CellParts
    scores : dict of str to float64 [items, columns]
        By method; a column a seed for gates. `judgemoe_sparse` is the gate on the fixed subset (not of
        extra cells).
    judges : dict of str to list of str
        Pool of each method that does not use the full one.
    weights : float64 [items, judges]
        Of JudgeMoE's gates, mean over seeds.
    fixed : FixedMethods
    """

    parts: CellParts
    scores: dict[str, np.ndarray]
    judges: dict[str, list[str]]
    weights: np.ndarray
    fixed: FixedMethods

    def spearman(self, method: str, rows: np.ndarray) -> float:
        """Spearman of a method on some rows, mean over its columns."""
        return float(np.mean(spearman_columns(self.scores[method][rows], self.parts.target[rows])))


@dataclass(frozen=True)
class AggregationStudy:
    """What was chosen on validation rows, and the scores that follow from it.

    Attributes
    ----------
    frozen : Configuration
        Highest mean validation Spearman over the choose cells.
    recipe : Recipe
        Members of the best pipeline, chosen on the same rows.
    screen : DataFrame
        `GateScreen.frame` of every cell: the whole grid on choose cells; gate by pool, and the frozen
        variant, on the others.
    results : tuple of CellResult
    settings : AggregationSettings
    """

    frozen: Configuration
    recipe: Recipe
    screen: pd.DataFrame
    results: tuple[CellResult, ...]
    settings: AggregationSettings

    @property
    def choices(self) -> pd.DataFrame:
        """Everything chosen, a row a choice: benchmark_cell ("" = for all), choice, chosen."""
        rows = [
            ("", "frozen configuration", self.frozen.name),
            ("", "members of the best pipeline", "; ".join(self.recipe.members)),
        ]
        for result in self.results:
            names, fixed = result.parts.cell.judgments.names, result.fixed
            rows.append((result.parts.name, "single judge", fixed.single))
            rows.append((result.parts.name, "fixed subset", "; ".join(fixed.subset_judges(names))))
            weights = "; ".join(f"{name} {value:.6f}" for name, value in fixed.weights.items())
            rows.append((result.parts.name, "covariance-aware weights", weights))
        return pd.DataFrame(rows, columns=["benchmark_cell", "choice", "chosen"])


@dataclass(frozen=True)
class _Fit:
    """A gate to be fitted: `use` is its configuration on the full pool, or what else it is for."""

    use: str
    parts: CellParts
    configuration: Configuration

    def scores(self, gates: GateEnsemble) -> np.ndarray:
        return self.parts.gate_scores(gates, self.configuration.feature_set)


def study_aggregation(cells: Sequence[BenchmarkCell], settings: AggregationSettings) -> AggregationStudy:
    """Choose on the validation rows of `choose` cells, freeze, and score every method on every cell.

    Raises
    ------
    InvalidInput
        No cell has the role choose.
    """
    every = [split_cell(cell, seed=settings.seed) for cell in cells]
    choose = [parts for parts in every if parts.cell.role == "choose"]
    if not choose:
        raise InvalidInput("cells", "at least one with the role choose", [cell.name for cell in cells])
    rng = np.random.default_rng([settings.seed, 1])
    variants = gate_variants(settings.base, temperatures=settings.temperatures)
    screen = screen_gates(choose, variants, rng=rng, seeds=settings.seeds, workers=settings.workers)
    frozen = screen.best([parts.name for parts in choose])
    fixed = {parts.name: fixed_methods(parts) for parts in every}
    by_variant, rows = dict(screen.gates), [screen.frame]
    learned: dict[str, dict[str, np.ndarray]] = {parts.name: {} for parts in every}

    def fit(wanted: list[_Fit]) -> None:
        tasks = [each.parts.task(each.configuration) for each in wanted]
        fitted = fit_gates(tasks, rng=rng, seeds=settings.seeds, workers=settings.workers)
        for each, gates in zip(wanted, fitted, strict=True):
            if each.use == each.configuration.name:
                by_variant[each.parts.name, each.use] = gates
                rows.append(pd.DataFrame([screen_row(each.parts, each.configuration, gates)]))
            else:
                learned[each.parts.name][each.use] = each.scores(gates)

    fit([each for parts in choose for each in _member_fits(parts, frozen, tuple(_MEMBERS.values()))])
    recipe = choose_recipe(
        choose, [components(parts, refit=False, gates=_members(learned[parts.name])) for parts in choose]
    )
    wanted = [each for parts in every for each in _fits(parts, fixed[parts.name], settings.base, frozen)]
    others = [parts for parts in every if parts.cell.role != "choose"]
    wanted += [each for parts in others for each in _member_fits(parts, frozen, recipe.members)]
    fit(wanted)
    results = []
    for parts in every:
        gates = by_variant[parts.name, frozen.name]
        learned[parts.name]["judgemoe"] = parts.gate_scores(gates, frozen.feature_set)
        weights = gates.weights(parts.inputs(frozen.feature_set))
        results.append(_result(parts, fixed[parts.name], learned[parts.name], weights, recipe))
    return AggregationStudy(frozen, recipe, pd.concat(rows, ignore_index=True), tuple(results), settings)


def _member_fits(parts: CellParts, frozen: Configuration, members: Sequence[str]) -> list[_Fit]:
    """Gates that may join the pipeline, their epoch picked on a quarter of the training groups.

    Validation rows compare them with components that never saw these rows, so no epoch may be picked there.
    """
    rows = parts.split.fit
    groups = parts.cell.groups[rows]
    held = np.isin(groups, np.random.default_rng(0).permutation(np.unique(groups))[::4])
    inner = replace(parts, split=Split(rows[~held], rows[held], parts.split.test))
    return [
        _Fit(use, calibrate(inner, member.partition(", ")[2], inner.split.fit), frozen)
        for use, member in _MEMBERS.items()
        if member in members
    ]


def _fits(parts: CellParts, fixed: FixedMethods, base: Configuration, frozen: Configuration) -> list[_Fit]:
    """Gates beyond the screen: small pools and the subset; off the choose cells, the full pool."""
    found = []
    for use, pool in SMALL_POOLS.items():
        if parts.cell.pools.get(pool):
            found.append(_Fit(use, parts.only(parts.cell.pools[pool]), frozen))
    role = parts.cell.role
    if role != "choose":
        variants = {each.name: each for each in (*two_by_two(base), frozen)}
        wanted = list(variants) if role == "confirm" else [frozen.name]
        found += [_Fit(name, parts, variants[name]) for name in wanted]
    subset = fixed.subset_judges(parts.cell.judgments.names)
    if role != "extra" and 1 < len(subset) < len(parts.cell.judgments.names):
        found.append(_Fit(SPARSE, parts.only(subset), frozen))
    return found


def _members(learned: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: learned[use] for use, name in _MEMBERS.items() if use in learned}


def _result(
    parts: CellParts,
    fixed: FixedMethods,
    learned: dict[str, np.ndarray],
    weights: np.ndarray,
    recipe: Recipe,
) -> CellResult:
    names, test = parts.cell.judgments.names, parts.split.test
    bound = int(np.nanargmax(spearman_columns(parts.soft[test], parts.target[test])))
    final = components(parts, refit=True, gates=_members(learned))
    scores = fixed.scores | {"single_best_by_test": parts.complete(parts.soft[:, [bound]])} | learned
    scores["best_pipeline"] = average(final, recipe.members)[:, None]
    subset = fixed.subset_judges(names)
    if parts.cell.role != "extra":
        whole = learned["judgemoe"] if len(subset) > 1 else fixed.scores["fixed_subset"]
        scores.setdefault(SPARSE, whole)
    judges = {use: parts.cell.pools[pool] for use, pool in SMALL_POOLS.items() if use in learned}
    judges |= {"single_best": [fixed.single], "single_best_by_test": [names[bound]]}
    judges |= {"fixed_subset": subset, SPARSE: subset}
    return CellResult(parts, scores, judges, weights, fixed)
