"""What single judges are worth on validation rows: the screening of pools, and how informative a judge is."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from judgekit.benchmark import BenchmarkCell
from judgekit.metrics import spearman, spearman_columns
from judgekit.scores import summarise
from judgekit.splits import Split, split_three

COMPACT = 3
_SURE = 0.99


def screen_pools(cells: Sequence[BenchmarkCell], *, seed: int) -> pd.DataFrame:
    """`screen_pool` of every pool: cells with the same judges are screened together."""
    together: dict[tuple[str, ...], list[BenchmarkCell]] = {}
    for cell in cells:
        together.setdefault(tuple(cell.judgments.names), []).append(cell)
    screened = []
    for names, shared in together.items():
        datasets = list(dict.fromkeys(cell.dataset for cell in shared))
        pool = " + ".join(datasets) if len(datasets) <= 2 else f"{len(datasets)} data sets"
        screened.append(screen_pool(f"{pool}, {len(names)} judges", shared, seed=seed))
    return pd.concat(screened, ignore_index=True)


def screen_pool(pool: str, cells: Sequence[BenchmarkCell], *, seed: int) -> pd.DataFrame:
    """Judges of one pool by mean validation Spearman of the expected score over the pool's cells.

    Returns
    -------
    DataFrame
        Best first: pool, judge, family, `validation` (mean over cells), `cells`, `compact` and
        `family_diverse` (in the pool that the rule picks), `declared_compact`, `declared_family_diverse` (in
        the pool that nbconfig/ declares). Test rows are never read.
    """
    values = []
    for cell in cells:
        split = split_three(cell.groups, rng=np.random.default_rng(seed))
        values.append(spearman_columns(cell.soft[split.validation], cell.judgments.target[split.validation]))
    judges = cells[0].judgments.judges
    frame = pd.DataFrame(
        {
            "pool": pool,
            "judge": judges["name"],
            "family": judges["family"],
            "validation": np.mean(values, axis=0),
            "cells": len(cells),
        }
    )
    frame = frame.sort_values("validation", ascending=False, kind="stable", ignore_index=True)
    picked = pick_pools(frame, fewest=COMPACT)
    for name, members in picked.items():
        frame[name] = frame["judge"].isin(members)
    for name in picked:
        frame[f"declared_{name}"] = frame["judge"].isin(cells[0].pools[name])
    return frame


def pick_pools(ranked: pd.DataFrame, *, fewest: int = COMPACT) -> dict[str, list[str]]:
    """The compact and the family-diverse pool of judges ranked best first: columns `judge` and `family`.

    Compact: the first three, one prompt a model ("MODEL / PROTOCOL" where a pool holds several). Family-
    diverse: the first of each of up to three families; none where all are of one family. A full pool no
    larger than three has neither.
    """
    if len(ranked) <= fewest:
        return {"compact": [], "family_diverse": []}
    model = ranked["judge"].str.split(" / ").str[0]
    compact = ranked["judge"][~model.duplicated()].head(fewest).tolist()
    diverse = ranked["judge"][~ranked["family"].duplicated()].head(fewest).tolist()
    return {"compact": compact, "family_diverse": diverse if len(diverse) > 1 else []}


def study_information(cells: Sequence[BenchmarkCell], *, seed: int) -> pd.DataFrame:
    """How much each judge with probabilities says beyond one number.

    Returns
    -------
    DataFrame
        One row a cell and judge: benchmark_cell, judge, `entropy` (mean, 1 = uniform), `sure` (share of rows
        whose largest probability is above 0.99), `validation` (Spearman of the expected score),
        `summary_gain` (what confidence and entropy add to it in a regression of the target's rank fitted on
        training rows), `rows` (validation rows).
    """
    found = []
    for cell in cells:
        split = split_three(cell.groups, rng=np.random.default_rng(seed))
        summaries = summarise(cell.probabilities, cell.judgments.support)
        for column, judge in enumerate(cell.judgments.names):
            if judge in cell.hard_only:
                continue
            alone, with_summaries = (
                _fitted_spearman(cell, split, column, {name: summaries[name] for name in names})
                for names in ((), ("confidence", "entropy"))
            )
            found.append(
                {
                    "benchmark_cell": cell.name,
                    "judge": judge,
                    "entropy": float(np.nanmean(summaries["entropy"][:, column])),
                    "sure": float(np.nanmean(summaries["confidence"][:, column] > _SURE)),
                    "validation": alone,
                    "summary_gain": with_summaries - alone,
                    "rows": len(split.validation),
                }
            )
    return pd.DataFrame(found)


def _fitted_spearman(
    cell: BenchmarkCell, split: Split, column: int, summaries: Mapping[str, np.ndarray]
) -> float:
    """Validation Spearman of a least-squares fit of the target on the expected score and the summaries."""
    inputs = np.column_stack([cell.soft[:, column], *(values[:, column] for values in summaries.values())])
    present = ~np.isnan(inputs).any(axis=1)
    train, validation = (rows[present[rows]] for rows in (split.fit, split.validation))
    if not summaries:
        return spearman(inputs[validation, 0], cell.judgments.target[validation])
    design = np.column_stack([np.ones(len(inputs)), inputs])
    weights = np.linalg.lstsq(design[train], rankdata(cell.judgments.target[train]), rcond=None)[0]
    return spearman(design[validation] @ weights, cell.judgments.target[validation])
