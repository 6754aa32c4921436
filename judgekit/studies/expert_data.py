"""How much training data an expert needs: its gain when bins and weights rest on a part of the groups."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.expert_cells import ExpertCell
from judgekit.metrics import spearman
from judgekit.studies.aggregation import CellParts, split_cell
from judgekit.studies.experts import (
    ExpertSettings,
    best_single,
    covariance_spearman,
    expert_distribution,
    uniform_score,
)


def study_expert_data(
    cells: Sequence[ExpertCell],
    curves: Sequence[tuple[str, str]],
    *,
    fractions: Sequence[float],
    repeats: int,
    seed: int,
    settings: ExpertSettings,
) -> pd.DataFrame:
    """Gain of an expert whose bins and weights are learnt on 5% to 100% of the training groups.

    Parameters
    ----------
    cells : sequence of ExpertCell
    curves : sequence of (benchmark cell, expert)
    fractions : sequence of float
        Of the training groups, in (0, 1].
    repeats : int
        Orders of the training groups; the part of a smaller fraction lies within that of a larger one.
    seed : int
    settings : ExpertSettings

    Returns
    -------
    DataFrame
        One row a curve, fraction and order: benchmark_cell, expert, fraction, repeat, train_rows; on test
        rows `pool`, `single` (best judge by validation), `mixed` (uniform log pool with the expert),
        `covariance` and `covariance_mixed` (weights learnt on the same rows).
    """
    found = []
    by_name = {each.cell.name: each for each in cells}
    for name, expert in curves:
        chosen = by_name[name].among([expert])
        parts, values = split_cell(chosen.cell, seed=seed), chosen.scalars.values[:, 0]
        support, test = parts.cell.judgments.support, parts.split.test
        fixed = {
            "pool": spearman(uniform_score(parts.probs[test], support), parts.target[test]),
            "single": best_single(parts)[1],
        }
        for repeat, fraction, rows in _growing(parts, fractions, repeats, seed):
            distribution = expert_distribution(values, parts.target, support, rows, settings)
            mixed = np.concatenate([parts.probs, distribution[:, None]], axis=1)
            about = {"benchmark_cell": name, "expert": expert, "fraction": fraction, "repeat": repeat}
            measured = {
                "mixed": spearman(uniform_score(mixed[test], support), parts.target[test]),
                "covariance": covariance_spearman(parts.probs, parts, rows, test),
                "covariance_mixed": covariance_spearman(mixed, parts, rows, test),
            }
            found.append({**about, "train_rows": len(rows), **fixed, **measured})
    return pd.DataFrame(found)


def _growing(
    parts: CellParts, fractions: Sequence[float], repeats: int, seed: int
) -> Iterator[tuple[int, float, np.ndarray]]:
    """Training rows of growing parts of the training groups."""
    train = parts.split.fit
    values, code = np.unique(parts.cell.groups[train], return_inverse=True)
    for repeat in range(repeats):
        order = np.random.default_rng([seed, 3, repeat]).permutation(len(values))
        for fraction in fractions:
            if not 0 < fraction <= 1:
                raise InvalidInput("fractions", "numbers in (0, 1]", fraction)
            kept = order[: max(2, round(fraction * len(values)))]
            yield repeat, float(fraction), train[np.isin(code, kept)]
