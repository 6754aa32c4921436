"""Which family to deploy: a rule learned on validation rows of other cells, against the full pool."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judgekit.family_selector import FAMILIES, CellStatistics, FamilyRule, learn_rule
from judgekit.metrics import residual_correlation
from judgekit.selection import leave_one_out
from judgekit.studies.aggregation import CellParts
from judgekit.studies.aggregation_main import SPARSE, CellResult

METHOD_OF = {"single": "single_best", "fixed": "fixed_subset", "full": "judgemoe", "sparse": SPARSE}


def describe_cell(result: CellResult, rows: np.ndarray) -> CellStatistics:
    """The selector's statistics of a cell on some (validation) rows."""
    parts = result.parts
    values = {family: result.spearman(method, rows) for family, method in METHOD_OF.items()}
    diagnosis = leave_one_out(parts.probs[rows], parts.target[rows], parts.support)
    correlation = residual_correlation(parts.soft[rows], parts.target[rows])
    return CellStatistics(
        parts.name, **values, leave_one_out_gain=diagnosis.best_gain, residual_correlation=correlation
    )


def halve_validation(parts: CellParts, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Validation rows in two halves of whole groups."""
    rows = parts.split.validation
    groups = parts.cell.groups[rows]
    order = np.random.default_rng([seed, 9]).permutation(np.unique(groups))
    first = np.isin(groups, order[: len(order) // 2])
    return rows[first], rows[~first]


def study_deployment(results: Sequence[CellResult], *, seed: int) -> pd.DataFrame:
    """Each cell's family by rules that read validation rows only, and what they earn on test rows.

    The learned rule of a cell comes from all other cells: statistics on one half of their validation rows,
    outcomes on the other half. The rule is then applied to the cell's statistics on all its validation rows.
    Extra cells are left out.

    Returns
    -------
    DataFrame
        benchmark_cell, dataset, role, the statistics; `learned`, `published` and `best_validation`: family
        that each rule picks; `test_single`, `test_fixed`, `test_full`, `test_sparse`; `regret_` of the rules
        and of `always_full` against the best family on test rows.
    """
    results = [result for result in results if SPARSE in result.scores]
    described = [describe_cell(result, result.parts.split.validation) for result in results]
    halves = [halve_validation(result.parts, seed=seed) for result in results]
    held = [describe_cell(result, first) for result, (first, _) in zip(results, halves, strict=True)]
    outcomes = [
        {family: result.spearman(method, second) for family, method in METHOD_OF.items()}
        for result, (_, second) in zip(results, halves, strict=True)
    ]
    usable = [place for place, each in enumerate(outcomes) if np.isfinite(list(each.values())).all()]
    rows = []
    for place, (result, cell) in enumerate(zip(results, described, strict=True)):
        others = [other for other in usable if other != place]
        rule = (
            learn_rule([held[o] for o in others], [outcomes[o] for o in others])[0]
            if others
            else FamilyRule()
        )
        validation = [getattr(cell, family) for family in FAMILIES]
        picks = {
            "learned": rule.choose(cell),
            "published": FamilyRule().choose(cell),
            "best_validation": FAMILIES[int(np.nanargmax(np.round(validation, 12)))],
        }
        test = {family: result.spearman(m, result.parts.split.test) for family, m in METHOD_OF.items()}
        row: dict[str, object] = {"benchmark_cell": cell.benchmark_cell, "dataset": result.parts.cell.dataset}
        row |= {"role": result.parts.cell.role, "leave_one_out_gain": cell.leave_one_out_gain}
        row |= {"residual_correlation": cell.residual_correlation}
        row |= picks
        row |= {f"test_{family}": value for family, value in test.items()}
        best = max(test.values())
        row |= {f"regret_{name}": best - test[family] for name, family in picks.items()}
        rows.append(row | {"regret_always_full": best - test["full"]})
    return pd.DataFrame(rows)
