"""Frames of judges that give one verdict and no distribution, as most recorded data sets have them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class VerdictJudge:
    """One row of the judges frame: a judge under one protocol.

    Attributes
    ----------
    judge, protocol, family : str
        The judge's name in the data set, its prompt or rubric, and the family of models it belongs to.
    kind : str
        One of `recording.KINDS`.
    read_out : str
        "hard": the verdict is the only thing kept on a support.
    support : str
        The values a verdict can take, separated by spaces.
    active_parameters : float
        Billions, from the model's name or its public description; NaN where unpublished or not a model.
    """

    judge: str
    protocol: str
    family: str
    kind: str = "llm"
    read_out: str = "hard"
    support: str = "0 1"
    active_parameters: float = float("nan")


def judges_frame(judges: Iterable[VerdictJudge]) -> pd.DataFrame:
    """One row per judge and protocol, in the order given."""
    frame = pd.DataFrame([asdict(judge) for judge in judges])
    return frame.astype({"active_parameters": "float64"})


def verdict_rows(
    items: Sequence[str],
    judge: str,
    protocol: str,
    hard: ArrayLike,
    *,
    raw_score: ArrayLike | None = None,
) -> pd.DataFrame:
    """Judgments of one judge under one protocol.

    Parameters
    ----------
    items : sequence of str, [items]
    judge, protocol : str
    hard : array_like, [items]
        Verdicts on the judge's support; NaN where there is none, which also sets `parse_ok` to False.
    raw_score : array_like, [items], optional
        The score behind each verdict; NaN or absent where the judge gave none.

    Examples
    --------
    >>> verdict_rows(["a", "b"], "strict", "rubric", [1, float("nan")])[["item", "hard", "parse_ok"]]
      item  hard  parse_ok
    0    a   1.0      True
    1    b   NaN     False
    """
    verdicts = np.asarray(hard, dtype=np.float32)
    return pd.DataFrame(
        {
            "aspect": "",
            "item": items,
            "judge": judge,
            "protocol": protocol,
            "hard": verdicts,
            "raw_score": np.float32("nan") if raw_score is None else np.asarray(raw_score, dtype=np.float32),
            "parse_ok": ~np.isnan(verdicts),
            "mass": np.float32("nan"),
        }
    )
