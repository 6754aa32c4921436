"""One judge asked and read in several ways on the same items, and labels before and after a repair."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int

from judgekit.axes import Target
from judgekit.errors import InvalidInput

OPTION_COLUMNS = ("prompt", "reference", "score_range", "read_out")
METRICS = ("spearman", "accuracy")


@dataclass(frozen=True)
class ProtocolSweep:
    """One judge on one benchmark cell under every protocol that was recorded for it.

    Attributes
    ----------
    dataset, benchmark_cell, judge : str
    metric : {"spearman", "accuracy"}
    options : DataFrame
        One row a protocol, the reference protocol first: `prompt`; `reference` ("yes" or "no" where the
        prompt shows a reference answer or leaves it out, else ""); `score_range` such as "1-5"; `read_out`
        ("written" score, "hard" = most probable score, "soft" = expected score).
    scores : float64 [items, options]
        NaN where an answer is missing.
    target : float64 [items]
    groups : int64 [items]
    """

    dataset: str
    benchmark_cell: str
    judge: str
    metric: str
    options: pd.DataFrame
    scores: Float64[np.ndarray, "items options"]
    target: Target
    groups: Int[np.ndarray, " items"]

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise InvalidInput("metric", ", ".join(METRICS), self.metric)
        if list(self.options.columns) != list(OPTION_COLUMNS) or len(self.options) != self.scores.shape[1]:
            raise InvalidInput(
                "options", f"{self.scores.shape[1]} rows with {OPTION_COLUMNS}", self.options.shape
            )
        if self.options.duplicated().any():
            raise InvalidInput(f"{self.benchmark_cell}.options", "each protocol once", self.judge)


@dataclass(frozen=True)
class LabelRepair:
    """Scores of some judges on rows whose published label was wrong, with both labels.

    Attributes
    ----------
    dataset, benchmark_cell, defect : str
    judges : list of str
    scores : float64 [items, judges]
    published, repaired : float64 [items]
        The label as the judges' repository gives it, and the one used here.
    """

    dataset: str
    benchmark_cell: str
    defect: str
    judges: list[str]
    scores: Float64[np.ndarray, "items judges"]
    published: Target
    repaired: Target
