"""Which gate to freeze: variants by validation Spearman over the cells that the choice may use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.gate import GateEnsemble, fit_gates
from judgekit.metrics import spearman_columns
from judgekit.studies.aggregation import CellParts, Configuration

TEMPERATURES = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
ABLATED = ("hard", "soft", "both", "summaries")


@dataclass(frozen=True)
class GateScreen:
    """Gate variants on benchmark cells.

    Attributes
    ----------
    frame : DataFrame
        benchmark_cell, dataset, role, score_range, variant, feature_set, architecture, pool,
        pool_temperature, `validation` and `test` (Spearman, means over seeds).
    variants : dict of str to Configuration
    gates : dict of (benchmark cell, variant) to GateEnsemble
    """

    frame: pd.DataFrame
    variants: dict[str, Configuration]
    gates: dict[tuple[str, str], GateEnsemble]

    def best(self, cells: Sequence[str]) -> Configuration:
        """The variant of highest mean validation Spearman over some cells; the first on a tie.

        Raises
        ------
        InvalidInput
            None of the cells was screened.
        """
        here = self.frame[self.frame["benchmark_cell"].isin(cells)]
        if here.empty:
            raise InvalidInput("cells", "cells of the screen", list(cells))
        means = here.groupby("variant", sort=False)["validation"].mean().round(12)
        return self.variants[str(means.idxmax())]


def gate_variants(
    base: Configuration, *, temperatures: Sequence[float] = TEMPERATURES
) -> list[Configuration]:
    """The grid that the paper walks one axis at a time: gate by pool, feature sets, pool temperatures."""
    found = [*two_by_two(base), *(replace(base, feature_set=name) for name in ABLATED)]
    found += [replace(base, gate=replace(base.gate, pool_temperature=float(T))) for T in temperatures]
    return list({each.name: each for each in found}.values())


def two_by_two(base: Configuration) -> list[Configuration]:
    """Gate architecture by pool, all else as in the base (which comes first)."""
    pairs = [(architecture, pool) for architecture in ("deepsets", "mlp") for pool in ("log", "linear")]
    found = [replace(base, gate=replace(base.gate, architecture=a, pool=p)) for a, p in pairs]
    return sorted(found, key=lambda each: each.name != base.name)


def screen_gates(
    cells: Sequence[CellParts],
    variants: Sequence[Configuration],
    *,
    seeds: int,
    rng: np.random.Generator,
    workers: int = 1,
) -> GateScreen:
    """Fit every variant on every cell; gates of equal shape train together, `workers` batches at a time."""
    keys = [(parts, each) for parts in cells for each in variants]
    tasks = [parts.task(each) for parts, each in keys]
    fitted = fit_gates(tasks, rng=rng, seeds=seeds, workers=workers)
    rows = [screen_row(parts, each, gates) for (parts, each), gates in zip(keys, fitted, strict=True)]
    gates = {(parts.name, each.name): found for (parts, each), found in zip(keys, fitted, strict=True)}
    return GateScreen(pd.DataFrame(rows), {each.name: each for each in variants}, gates)


def screen_row(parts: CellParts, configuration: Configuration, gates: GateEnsemble) -> Mapping[str, object]:
    """One row of a screen's frame."""
    test = parts.split.test
    scores = parts.gate_scores(gates, configuration.feature_set, rows=test)
    gate = configuration.gate
    return {
        "benchmark_cell": parts.name,
        "dataset": parts.cell.dataset,
        "role": parts.cell.role,
        "score_range": parts.cell.score_range,
        "variant": configuration.name,
        "feature_set": configuration.feature_set,
        "architecture": gate.architecture,
        "pool": gate.pool,
        "pool_temperature": gate.pool_temperature,
        "validation": gates.validation_spearman,
        "test": float(np.mean(spearman_columns(scores, parts.target[test]))),
    }
