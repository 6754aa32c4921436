"""What the temperature of a log pool does to the order of the items, and what to the mass on each score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgekit.metrics import spearman
from judgekit.pooling import pool_log
from judgekit.scores import nearest_bucket
from judgekit.studies.aggregation import CellParts

_LEAST = 1e-12


@dataclass(frozen=True)
class TemperaturePath:
    """The uniform log pool of one cell over a range of temperatures, on validation rows.

    Attributes
    ----------
    measures : DataFrame
        Index: pool_temperature. `spearman` of the expected score; `log_loss`, the mean of minus log the mass
        on the bucket nearest to the human score.
    example : DataFrame
        Index: pool_temperature; a column a score: the pooled distribution of the item on which the judges'
        expected scores differ most.
    item : str
    label : float
        That item and its human score.
    rows : int
        Validation rows that some judge answered.
    """

    measures: pd.DataFrame
    example: pd.DataFrame
    item: str
    label: float
    rows: int


def study_pool_temperature(parts: CellParts, temperatures: Sequence[float]) -> TemperaturePath:
    """Pool a cell's validation rows at each temperature.

    Parameters
    ----------
    parts : CellParts
    temperatures : sequence of float
        Values of T, in the order in which they come back.
    """
    rows = parts.split.validation
    rows = rows[~np.isnan(parts.soft[rows]).all(axis=1)]
    target, support = parts.target[rows], parts.support
    bucket = nearest_bucket(target, support)
    shown = int(np.argmax(np.nan_to_num(np.std(parts.soft[rows], axis=1))))
    measures, example = [], []
    for temperature in temperatures:
        pool = pool_log(parts.probs[rows], support, pool_temperature=temperature)
        mass = np.maximum(pool.probs[np.arange(len(rows)), bucket], _LEAST)
        measures.append((spearman(pool.score, target), float(-np.log(mass).mean())))
        example.append(pool.probs[shown])
    index = pd.Index(temperatures, name="pool_temperature")
    return TemperaturePath(
        pd.DataFrame(measures, index, columns=["spearman", "log_loss"]),
        pd.DataFrame(np.array(example), index, columns=support),
        str(parts.cell.judgments.items["item"].iloc[rows[shown]]),
        float(target[shown]),
        len(rows),
    )
