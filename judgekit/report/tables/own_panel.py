"""Tables of a reader's own panel: what a plan saves, and whether the audit set is large enough to say so."""

import numpy as np
import pandas as pd

from judgekit.panel import NO_GAIN
from judgekit.stats import corrected_interval
from judgekit.studies.own_panel import PanelStudy

SHARE_SETTLED = 0.8
PER = 1000


def saving(study: PanelStudy, *, priced: bool) -> pd.DataFrame:
    """Calls, cost, money and risk of the plan against calling every judge, per 1,000 rows.

    Parameters
    ----------
    study : PanelStudy
    priced : bool
        Whether prices were given; without them money is left out.

    Returns
    -------
    DataFrame
        One row a measure: `every_judge`, `plan`, `saved` with `low` and `high`, corrected 95% bounds over
        splits. Risks are Brier scores of one row, against a table over all judges and two stacks: a negative
        saving is risk added.
    """
    scores = study.scores
    share = float((scores["test"] / (scores["fit"] + scores["validation"] + scores["test"])).mean())
    wide = scores.pivot(index="split", columns="policy", values=["risk", "cost", "calls", "price"])
    rows = []
    measures = [
        (f"calls per {PER:,} rows", "calls", "flat_all", PER),
        (f"cost per {PER:,} rows", "cost", "flat_all", PER),
        *([(f"money per {PER:,} rows", "price", "flat_all", PER)] if priced else []),
        ("risk, one table over every judge", "risk", "flat_all", 1),
        ("risk, a stack over every judge", "risk", "full_stack", 1),
        ("risk, a slice-aware stack over every judge", "risk", "slice_stack", 1),
    ]
    for name, measure, against, scale in measures:
        every, plan = scale * wide[measure, against], scale * wide[measure, study.policy]
        interval = corrected_interval((every - plan).to_numpy(np.float64), test_fraction=share)
        rows.append(
            {
                "measure": name,
                "every_judge": float(every.mean()),
                "plan": float(plan.mean()),
                "saved": interval.estimate,
                "low": interval.low,
                "high": interval.high,
            }
        )
    return pd.DataFrame(rows)


def audit_size(study: PanelStudy, roles: pd.DataFrame) -> pd.DataFrame:
    """Width of the gains' intervals against the thresholds, on all rows and in each slice.

    Parameters
    ----------
    study : PanelStudy
    roles : DataFrame
        `roles_frame` of the plan.

    Returns
    -------
    DataFrame
        slice, `rows` measured, `threshold`, `half_width` (median over judges, exact copies aside), `ratio` of
        the two, `settled` (share of judges whose interval lies on one side of the threshold), and
        `rows_needed`: rows at which the half-width, which shrinks with their root, would equal the threshold.
    """
    pool = study.pool
    share = study.measured / len(pool.target)
    rows = []
    for name, part in roles.groupby("slice", sort=False):
        inside = len(pool.target)
        if name != "all":
            inside = int((pool.slices == pool.slice_names.index(str(name))).sum())
        count = round(share * inside)
        halves = (part["high"] - part["low"]) / 2
        # an exact copy gains nothing in every halving, which says nothing of the audit
        half = float(halves[halves > NO_GAIN].median()) if (halves > NO_GAIN).any() else 0.0
        threshold = float(part["threshold"].iloc[0])
        ratio = half / threshold if threshold > 0 else (np.inf if half > 0 else 0.0)
        rows.append(
            {
                "slice": name,
                "rows": count,
                "threshold": threshold,
                "half_width": half,
                "ratio": ratio,
                "settled": float(part["settled"].mean()),
                "rows_needed": float(np.ceil(count * max(1.0, ratio) ** 2)) if np.isfinite(ratio) else np.nan,
            }
        )
    return pd.DataFrame(rows)


def is_large_enough(size: pd.DataFrame) -> bool:
    """Whether the interval on all rows is within the threshold and at least 80% of the names are settled."""
    overall = size[size["slice"] == "all"].iloc[0]
    return bool(overall["ratio"] <= 1 and overall["settled"] >= SHARE_SETTLED)
