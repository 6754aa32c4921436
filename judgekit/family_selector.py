"""Choose a family for a benchmark cell from validation statistics alone: single, fixed, full or sparse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from judgekit.errors import InvalidInput

FAMILIES = ("single", "fixed", "full", "sparse")

# The published folds all agree on these two; the grid surrounds them.
PUBLISHED_GAIN, PUBLISHED_CORRELATION = 0.14, 0.5
GAIN_THRESHOLDS = (0.02, 0.05, 0.08, 0.11, 0.14, 0.17, 0.2)
CORRELATION_THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SINGLE_MARGINS = (0.0, 0.02, 0.05, float("inf"))


@dataclass(frozen=True)
class CellStatistics:
    """What validation says about one benchmark cell.

    Attributes
    ----------
    benchmark_cell : str
    single, fixed, full, sparse : float
        Validation Spearman of each family: best judge, best fixed subset, gate on the full pool, gate on
        the subset.
    leave_one_out_gain : float
        Largest gain in validation Spearman from dropping one judge of the pool.
    residual_correlation : float
        Mean correlation between the judges' errors, rho.
    """

    benchmark_cell: str
    single: float
    fixed: float
    full: float
    sparse: float
    leave_one_out_gain: float
    residual_correlation: float


@dataclass(frozen=True)
class FamilyRule:
    """Thresholds of the selector; the defaults are the published rule.

    Attributes
    ----------
    gain_threshold : float
        Sparse if `leave_one_out_gain` reaches it.
    correlation_threshold : float
        Else fixed if `residual_correlation` reaches it and fixed >= full.
    single_margin : float
        Before both: single if it leads every other family by more than this; infinite in the published rule.
    """

    gain_threshold: float = PUBLISHED_GAIN
    correlation_threshold: float = PUBLISHED_CORRELATION
    single_margin: float = float("inf")

    def choose(self, cell: CellStatistics) -> str:
        """Family for the cell; an undefined statistic fulfils no condition, and full is left.

        Examples
        --------
        >>> FamilyRule().choose(CellStatistics("wmt", 0.14, 0.15, 0.09, 0.16, 0.2, 0.6))
        'sparse'
        """
        others = np.nan_to_num([cell.fixed, cell.full, cell.sparse], nan=-np.inf).max()
        if cell.single > others + self.single_margin:
            return "single"
        if cell.leave_one_out_gain >= self.gain_threshold:
            return "sparse"
        if cell.residual_correlation >= self.correlation_threshold and cell.fixed >= cell.full:
            return "fixed"
        return "full"


@dataclass(frozen=True)
class FamilyChoice:
    """The selector's choice for a cell it was not learned on.

    Attributes
    ----------
    benchmark_cell : str
    family : str
        One of `FAMILIES`.
    rule : FamilyRule
        Learned on all other cells.
    learning_mean : float
        Mean outcome of that rule on those cells.
    cells : int
        Cells it was learned on.
    """

    benchmark_cell: str
    family: str
    rule: FamilyRule
    learning_mean: float
    cells: int


def learn_rule(
    cells: Sequence[CellStatistics], outcomes: Sequence[Mapping[str, float]]
) -> tuple[FamilyRule, float]:
    """Rule of the grid with the highest mean outcome over the cells, and that mean.

    On a tie the rule nearest to the published one is taken: first the one without a single branch, then by
    the distance of its thresholds.

    Parameters
    ----------
    cells : sequence of CellStatistics
    outcomes : sequence of mappings
        For each cell the Spearman of each family on rows that gave none of the statistics. Hold such rows
        out of the validation side: with test rows here, the choice would see test labels.

    Raises
    ------
    InvalidInput
        No cells, another number of outcomes, or an outcome that is missing or undefined for a family.
    """
    if not cells or len(cells) != len(outcomes):
        raise InvalidInput(
            "outcomes", f"one mapping for each of {len(cells)} cells, at least one", len(outcomes)
        )
    for cell, outcome in zip(cells, outcomes, strict=True):
        if absent := [family for family in FAMILIES if not np.isfinite(outcome.get(family, np.nan))]:
            allowed = f"a number for each of {', '.join(FAMILIES)}"
            raise InvalidInput(f"outcomes of {cell.benchmark_cell}", allowed, f"none for {', '.join(absent)}")
    best: tuple[tuple[float, ...], FamilyRule, float] | None = None
    for gain, correlation, margin in product(GAIN_THRESHOLDS, CORRELATION_THRESHOLDS, SINGLE_MARGINS):
        rule = FamilyRule(gain, correlation, margin)
        earned = [outcome[rule.choose(cell)] for cell, outcome in zip(cells, outcomes, strict=True)]
        mean = float(np.mean(earned))
        away = round(abs(gain - PUBLISHED_GAIN) / 0.03 + abs(correlation - PUBLISHED_CORRELATION) / 0.1, 6)
        rank = (-round(mean, 12), -margin, away, gain, correlation)
        if best is None or rank < best[0]:
            best = (rank, rule, mean)
    assert best is not None
    return best[1], best[2]


def leave_one_cell_out(
    cells: Sequence[CellStatistics], outcomes: Sequence[Mapping[str, float]]
) -> list[FamilyChoice]:
    """Choose each cell's family by the rule learned on all other cells; parameters as in `learn_rule`.

    Raises InvalidInput for fewer than 2 cells.
    """
    if len(cells) < 2:
        raise InvalidInput("cells", "at least 2", len(cells))
    found = []
    for number, cell in enumerate(cells):
        others = [other for other in range(len(cells)) if other != number]
        rule, mean = learn_rule([cells[i] for i in others], [outcomes[i] for i in others])
        found.append(FamilyChoice(cell.benchmark_cell, rule.choose(cell), rule, mean, len(others)))
    return found
