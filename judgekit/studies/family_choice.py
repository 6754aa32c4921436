"""Single, fixed, full or sparse: a family for each cell, by a rule learned on other cells' validation."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.family_selector import FAMILIES, CellStatistics, FamilyRule, learn_rule
from judgekit.metrics import spearman_columns
from judgekit.resampling import bootstrap_cells
from judgekit.studies.aggregation import CellParts, Configuration
from judgekit.studies.sparse import FAMILY_METHODS, Families, fit_families

PUBLISHED = FamilyRule()


@dataclass(frozen=True)
class LearningHalf:
    """One half of a cell's validation groups as a lesson for the selector.

    Attributes
    ----------
    dataset : str
    statistics : CellStatistics
        From this half: judges, subsets and epochs were chosen on it.
    outcomes : dict of str to float
        Spearman of each family on the other half.
    """

    dataset: str
    statistics: CellStatistics
    outcomes: dict[str, float]


@dataclass(frozen=True)
class SelectorStudy:
    """The selector over one set of cells.

    Attributes
    ----------
    cells : DataFrame
        One row a cell: validation statistics, the choice and thresholds learned without the cell, and
        without its data set, the choice of the published thresholds and of the best validation value,
        `test_best`, test Spearman of each family. Where no other data set is there to learn from, the
        published rule stands in.
    strategies : DataFrame
        One row a strategy: mean test Spearman, mean `regret` to the best family of each cell, `gain` over
        always full with a bootstrap interval over cells, `families` chosen how often.
    agreement : DataFrame
        Rules learned in the folds and how many folds learned each.
    """

    cells: pd.DataFrame
    strategies: pd.DataFrame
    agreement: pd.DataFrame


def learning_halves(
    cells: Sequence[CellParts], configuration: Configuration, *, rng: np.random.Generator
) -> list[LearningHalf]:
    """Halve each cell's validation groups, choose on one half and score the other; both ways round.

    Test rows are not read. A half on which some family has no defined Spearman teaches nothing and is left
    out. One gate a family is enough: these values only rank rules.
    """
    seed = int(rng.integers(2**62))
    halves, held_out = [], []
    for parts in cells:
        for chosen, held in _halves(parts, np.random.default_rng(seed)):
            halves.append(replace(parts, split=replace(parts.split, validation=chosen)))
            held_out.append(held)
    found = []
    for families, held in zip(fit_families(halves, configuration, rng=rng, seeds=1), held_out, strict=True):
        outcomes = family_spearman(families, held)
        if np.isfinite(list(outcomes.values())).all():
            found.append(LearningHalf(families.parts.cell.dataset, families.statistics, outcomes))
    return found


def family_spearman(families: Families, rows: np.ndarray) -> dict[str, float]:
    """Spearman of each family on some rows; a gate's is the mean over its seeds."""
    scores = families.scores(rows, FAMILY_METHODS.values())
    target = families.parts.target[rows]
    return {
        family: float(np.mean(spearman_columns(scores[method], target)))
        for family, method in FAMILY_METHODS.items()
    }


def study_selector(
    statistics: Sequence[tuple[str, CellStatistics]],
    halves: Sequence[LearningHalf],
    tested: pd.DataFrame,
    *,
    rng: np.random.Generator,
    draws: int = 10_000,
) -> SelectorStudy:
    """Choose a family for each cell in several ways, and look up what it scores on test.

    Parameters
    ----------
    statistics : sequence of (str, CellStatistics)
        Data set and validation statistics of each cell in question.
    halves : sequence of LearningHalf
        Lessons; those of other cells than the ones in question are not used.
    tested : DataFrame
        From `studies.sparse.score_test`.
    rng : Generator
        For the interval over cells.
    draws : int

    Raises
    ------
    InvalidInput
        Fewer than 2 cells.
    """
    if len(statistics) < 2:
        raise InvalidInput("cells", "at least 2", len(statistics))
    inside = {cell.benchmark_cell for _, cell in statistics}
    lessons = [half for half in halves if half.statistics.benchmark_cell in inside]
    keys = zip(tested["benchmark_cell"], tested["method"], strict=True)
    outcomes = dict(zip(keys, tested["spearman"].tolist(), strict=True))
    rows, rules = [], []
    for dataset, cell in statistics:
        name = cell.benchmark_cell
        kept = [half for half in lessons if half.statistics.benchmark_cell != name]
        rule = _learn(kept)
        strict = _learn([half for half in lessons if half.dataset != dataset])
        outcome = {family: outcomes[name, method] for family, method in FAMILY_METHODS.items()}
        rules.append(rule)
        entry = {"dataset": dataset, **asdict(cell), **{f"{f}_test": v for f, v in outcome.items()}}
        entry |= {"learned": rule.choose(cell), **asdict(rule), "lessons": len(kept)}
        entry["learned_without_dataset"] = strict.choose(cell)
        entry["published_rule"] = PUBLISHED.choose(cell)
        entry["validation_best"] = _best({family: getattr(cell, family) for family in FAMILIES})
        entry["test_best"] = _best(outcome)
        rows.append(entry)
    frame = pd.DataFrame(rows)
    return SelectorStudy(frame, _strategies(frame, rng, draws), _agreement(rules))


def _halves(parts: CellParts, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    rows = parts.split.validation
    groups = parts.cell.groups[rows]
    order = rng.permutation(np.unique(groups))
    first = np.isin(groups, order[: len(order) // 2])
    return [(rows[first], rows[~first]), (rows[~first], rows[first])]


def _learn(lessons: Sequence[LearningHalf]) -> FamilyRule:
    """Rule learned on some lessons; the published one where there is none."""
    if not lessons:
        return PUBLISHED
    return learn_rule([half.statistics for half in lessons], [half.outcomes for half in lessons])[0]


def _best(values: dict[str, float]) -> str:
    return max(values, key=lambda family: np.nan_to_num(values[family], nan=-np.inf))


def _strategies(cells: pd.DataFrame, rng: np.random.Generator, draws: int) -> pd.DataFrame:
    always = {f"always {family}": pd.Series(family, index=cells.index) for family in FAMILIES}
    chosen = {
        "learned rule": cells["learned"],
        "learned rule, data set left out": cells["learned_without_dataset"],
        "published thresholds": cells["published_rule"],
        "best on validation": cells["validation_best"],
        **always,
        "best on test": cells["test_best"],
    }
    outcomes = cells[[f"{family}_test" for family in FAMILIES]].to_numpy()
    best, full = outcomes.max(axis=1), cells["full_test"].to_numpy()
    rows = []
    for strategy, families in chosen.items():
        columns = [FAMILIES.index(family) for family in families]
        earned = outcomes[np.arange(len(cells)), columns]
        gain = bootstrap_cells(earned - full, rng=rng, draws=draws)
        counts = families.value_counts()
        rows.append(
            {
                "strategy": strategy,
                "spearman": float(earned.mean()),
                "regret": float((best - earned).mean()),
                "gain": gain.estimate,
                "low": gain.low,
                "high": gain.high,
                "families": ", ".join(f"{f} {counts[f]}" for f in FAMILIES if f in counts),
                "cells": len(cells),
            }
        )
    return pd.DataFrame(rows)


def _agreement(rules: Sequence[FamilyRule]) -> pd.DataFrame:
    counts: dict[FamilyRule, int] = {}
    for rule in rules:
        counts[rule] = counts.get(rule, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return pd.DataFrame({**asdict(rule), "folds": folds, "of": len(rules)} for rule, folds in ordered)
