"""What is in a reader's judgments: rows kept and lost, balance, ties, judges that repeat each other."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.frames import Alignment
from judgekit.regime import NEAR_COPY

MOST_LABELS = 10


@dataclass(frozen=True)
class PanelCheck:
    """The data check of one file.

    Attributes
    ----------
    items, kept, unlabelled, groups : int
        Items given; those with a label and every output; those without a label; groups among those kept.
    judges : DataFrame
        One row a judge: `given`, `absent`, `unparsed`, `off_support`, `used` outputs, `commonest` verdict and
        its `share`, `top_ties` (share of outputs whose two likeliest buckets tie; the lower one is read), and
        `right`: share of kept items on which the verdict is the bucket nearest to the label.
    pairs : DataFrame
        One row a pair of judges, most alike first: `agreement` on kept items, and whether it is a `copy`
        (agreement of at least 95%).
    labels : DataFrame
        `label`, `items`, `share` of the kept items; buckets nearest to the label where it has many values.
    slices : DataFrame
        `slice`, `items`, `share`, mean `label` (scaled to 0..1); one row "all" where there are none.
    split_votes : float
        Share of kept items on which two or more verdicts have equally many votes, and the most.
    """

    items: int
    kept: int
    unlabelled: int
    groups: int
    judges: pd.DataFrame
    pairs: pd.DataFrame
    labels: pd.DataFrame
    slices: pd.DataFrame
    split_votes: float

    @property
    def copies(self) -> pd.DataFrame:
        """Pairs of judges that agree on at least 95% of the kept items."""
        return self.pairs[self.pairs["copy"]]


def check_panel(alignment: Alignment, pool: RolePool) -> PanelCheck:
    """Count and compare what a file gave.

    Parameters
    ----------
    alignment : Alignment
        Everything that was read.
    pool : RolePool
        Its complete items, with slices.
    """
    judgments = alignment.judgments
    support = judgments.support
    nearest = np.rint(pool.target * (pool.levels - 1)) if _even(support) else _nearest(pool, support)
    ranked = np.sort(judgments.probs, axis=2)
    # a missing output is NaN and ties with nothing
    tied = (ranked[:, :, -1] == ranked[:, :, -2]).sum(axis=0)
    counts = alignment.counts.reset_index(drop=True)
    verdicts = np.array([np.bincount(column, minlength=pool.levels) for column in pool.codes.T])
    judges = counts.assign(
        commonest=support[verdicts.argmax(axis=1)],
        share=verdicts.max(axis=1) / len(pool.target),
        top_ties=tied / np.maximum(counts["used"], 1),
        right=(pool.codes == nearest[:, None]).mean(axis=0),
    )
    return PanelCheck(
        items=len(judgments.items),
        kept=len(pool.target),
        unlabelled=alignment.unlabelled,
        groups=len(np.unique(pool.groups)),
        judges=judges,
        pairs=_pairs(pool),
        labels=_labels(pool, support, nearest),
        slices=_slices(pool),
        split_votes=_split_votes(pool),
    )


def _even(support: np.ndarray) -> bool:
    return bool(np.allclose(np.diff(support), np.diff(support)[0]))


def _nearest(pool: RolePool, support: np.ndarray) -> np.ndarray:
    scaled = (support - support[0]) / (support[-1] - support[0])
    return np.abs(pool.target[:, None] - scaled).argmin(axis=1)


def _pairs(pool: RolePool) -> pd.DataFrame:
    first, second = np.triu_indices(len(pool.judges), k=1)
    agreement = [
        float(np.mean(pool.codes[:, a] == pool.codes[:, b])) for a, b in zip(first, second, strict=True)
    ]
    names = np.array(pool.judges, dtype=object)
    frame = pd.DataFrame({"first": names[first], "second": names[second], "agreement": agreement})
    frame["copy"] = frame["agreement"] >= NEAR_COPY
    return frame.sort_values("agreement", ascending=False, kind="stable").reset_index(drop=True)


def _labels(pool: RolePool, support: np.ndarray, nearest: np.ndarray) -> pd.DataFrame:
    values = support[0] + pool.target * (support[-1] - support[0])
    if len(np.unique(np.round(values, 9))) > MOST_LABELS:
        values = support[nearest.astype(np.int64)]
    label, count = np.unique(np.round(values, 9), return_counts=True)
    return pd.DataFrame({"label": label, "items": count, "share": count / count.sum()})


def _slices(pool: RolePool) -> pd.DataFrame:
    places = {name: pool.slices == number for number, name in enumerate(pool.slice_names)}
    if not places:
        places = {"all": np.ones(len(pool.target), dtype=bool)}
    elif np.any(pool.slices < 0):
        places["(unknown)"] = pool.slices < 0
    return pd.DataFrame(
        {
            "slice": name,
            "items": int(rows.sum()),
            "share": float(rows.mean()),
            "label": float(pool.target[rows].mean()),
        }
        for name, rows in places.items()
    )


def _split_votes(pool: RolePool) -> float:
    votes = np.stack([(pool.codes == level).sum(axis=1) for level in range(pool.levels)], axis=1)
    return float(((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1).mean())
