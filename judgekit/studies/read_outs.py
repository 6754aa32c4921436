"""What one run shows about reading a judge: mass on the labels, hard and soft scores, orders, ranges."""

import numpy as np
import pandas as pd

from judgekit.metrics import spearman


def label_mass(judgments: pd.DataFrame) -> pd.DataFrame:
    """Probability that fell on the labels, by judge and protocol: mean, least, and share of items above half.

    Parameters
    ----------
    judgments : DataFrame
        As in a `Recording`: columns judge, protocol, mass.
    """
    grouped = judgments.groupby(["judge", "protocol"], sort=False)["mass"]
    above = grouped.apply(lambda mass: float((mass > 0.5).mean()))
    return pd.DataFrame(
        {"items": grouped.size(), "mean": grouped.mean(), "least": grouped.min(), "above_half": above}
    ).reset_index()


def hard_against_soft(judgments: pd.DataFrame, judges: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    """The most probable and the expected score of each judge and protocol, on the items with both.

    Returns
    -------
    DataFrame
        `levels_hard`, `levels_soft` (distinct scores given), `mean_gap` (of the two, in scores), and Spearman
        with the label (NaN where one is constant).
    """
    target = labels.drop_duplicates("item").set_index("item")["label"]
    rows = []
    for _, judge in judges.iterrows():
        part = _answers(judgments, judge)
        soft = soft_scores(part, judge["support"])
        hard = part["hard"].to_numpy(np.float64)
        label = target.reindex(part["item"]).to_numpy(np.float64)
        rows.append(
            {
                "judge": judge["judge"],
                "protocol": judge["protocol"],
                "levels_hard": len(np.unique(hard)),
                "levels_soft": len(np.unique(np.round(soft, 6))),
                "mean_gap": float(np.abs(hard - soft).mean()),
                "spearman_hard": spearman(hard, label),
                "spearman_soft": spearman(soft, label),
            }
        )
    return pd.DataFrame(rows)


def soft_scores(part: pd.DataFrame, support: str) -> np.ndarray:
    """Expected score of each row, from its label probabilities p_0, p_1, ... on a support such as "1 2 3"."""
    scores = np.array(support.split(), dtype=np.float64)
    return part[[f"p_{place}" for place in range(len(scores))]].to_numpy(np.float64) @ scores


def position_flips(judgments: pd.DataFrame) -> pd.DataFrame:
    """Pairs asked in both orders, by judge: how often the place decides and not the answer.

    Returns
    -------
    DataFrame
        `pairs` answered in both orders; `first` = share of verdicts for the answer shown first; `flips` =
        share of pairs in which the verdict stayed with the place; `soft_shift` = mean probability of the
        first place minus one half, 0 for a judge without a preference for a place.
    """
    rows = []
    for name, part in judgments[judgments["parse_ok"]].groupby("judge", sort=False):
        part = part.assign(pair=part["item"].str.rsplit("|", n=1).str[0])
        hard = part.pivot(index="pair", columns="ordering", values="hard").dropna()
        first = part[part["pair"].isin(hard.index)]
        rows.append(
            {
                "judge": name,
                "pairs": len(hard),
                "first": float(first["hard"].mean()),
                "flips": float((hard["ab"] == hard["ba"]).mean()),
                "soft_shift": float(first["p_1"].mean() - 0.5),
            }
        )
    return pd.DataFrame(rows)


def range_against_range(
    judgments: pd.DataFrame, judges: pd.DataFrame, *, coarse: str, fine: str
) -> pd.DataFrame:
    """How alike one judge orders the items on two ranges, and where on each it puts them.

    Returns
    -------
    DataFrame
        One row a judge: Spearman between the ranges of the soft and of the hard scores (NaN where one is
        constant), and the mean place within each range, from 0 (worst) to 1 (best).
    """
    rows = []
    for name, protocols in judges.groupby("judge", sort=False):
        by_name = protocols.set_index("protocol")
        found = {}
        for protocol in (coarse, fine):
            judge = pd.Series({"judge": name, "protocol": protocol})
            part = _answers(judgments, judge).set_index("item")
            support = str(by_name.loc[protocol, "support"])
            found[protocol] = (
                part.assign(soft=soft_scores(part, support)),
                np.array(support.split(), dtype=np.float64),
            )
        (left, low), (right, high) = found[coarse], found[fine]
        shared = left.index.intersection(right.index)
        left, right = left.loc[shared], right.loc[shared]
        rows.append(
            {
                "judge": name,
                "items": len(shared),
                "spearman_soft": spearman(left["soft"].to_numpy(), right["soft"].to_numpy()),
                "spearman_hard": spearman(
                    left["hard"].to_numpy(np.float64), right["hard"].to_numpy(np.float64)
                ),
                f"place_{coarse}": float((left["soft"].mean() - low[0]) / (low[-1] - low[0])),
                f"place_{fine}": float((right["soft"].mean() - high[0]) / (high[-1] - high[0])),
            }
        )
    return pd.DataFrame(rows)


def _answers(judgments: pd.DataFrame, judge: pd.Series) -> pd.DataFrame:
    return judgments[
        (judgments["judge"] == judge["judge"])
        & (judgments["protocol"] == judge["protocol"])
        & judgments["parse_ok"]
    ]
