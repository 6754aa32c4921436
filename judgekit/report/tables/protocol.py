"""Tables of the protocol study: cells and what they lost, picks, contrasts, and facts the paper prints."""

from collections.abc import Sequence

import pandas as pd

from judgekit.benchmark import BenchmarkCell
from judgekit.report.published import printed_values
from judgekit.sweeps import ProtocolSweep

ORIGINAL, ADDED = "choose", "confirm"


def cells_overview(cells: Sequence[BenchmarkCell]) -> pd.DataFrame:
    """Benchmark cells: role, score range, judges with and without probabilities, rows, and what was lost.

    `missing` is the share of judge outputs that are missing, `off_support` the number of scores that are no
    bucket, `most_lost` the judge that lacks most.
    """
    return pd.DataFrame(
        {
            "benchmark_cell": cell.name,
            "role": cell.role,
            "score_range": cell.score_range,
            "judges_with_probabilities": len(cell.judgments.names) - len(cell.hard_only),
            "judges_hard_only": len(cell.hard_only),
            "rows": len(cell.judgments.items),
            "groups": int(cell.judgments.items["group"].nunique()),
            "unlabelled": cell.counts.unlabelled,
            "missing": float(cell.judgments.missing.mean()),
            "off_support": int(cell.counts.off_support.sum()),
            "most_lost": cell.counts.missing.idxmax() if cell.counts.missing.any() else "",
        }
        for cell in cells
    )


def picks_summary(picks: pd.DataFrame) -> pd.DataFrame:
    """Per data set: judge and cell pairs, mean protocol range, and what picking on validation gained on test.

    `gain` is the mean of pick - reference on test rows; `better`, `worse` count pairs whose interval lies on
    one side of zero; `kept_reference` those whose pick is the reference protocol.
    """
    rows = []
    for dataset, group in picks.groupby("dataset", sort=False):
        rows.append(
            {
                "dataset": dataset,
                "pairs": len(group),
                "protocol_range": group["protocol_range"].mean(),
                "gain": group["difference"].mean(),
                "better": int((group["low"] > 0).sum()),
                "worse": int((group["high"] < 0).sum()),
                "kept_reference": int((group[["difference", "low", "high"]] == 0).all(axis=1).sum()),
            }
        )
    return pd.DataFrame(rows)


def contrasts_summary(contrasts: pd.DataFrame) -> pd.DataFrame:
    """Per contrast and data set: pairs, mean difference, and intervals wholly above or below zero."""
    rows = []
    for (contrast, dataset), group in contrasts.groupby(["contrast", "dataset"], sort=False):
        rows.append(
            {
                "contrast": contrast,
                "dataset": dataset,
                "pairs": len(group),
                "difference": group["difference"].mean(),
                "positive": int((group["difference"] > 0).sum()),
                "above": int((group["low"] > 0).sum()),
                "below": int((group["high"] < 0).sum()),
            }
        )
    return pd.DataFrame(rows).sort_values("contrast", kind="stable", ignore_index=True)


def facts(cells: Sequence[BenchmarkCell], sweeps: Sequence[ProtocolSweep]) -> pd.DataFrame:
    """Numbers of the protocol study that the paper prints: quantity, printed, rebuilt, difference."""
    roscoe = [
        len(cell.judgments.items) for cell in cells if cell.name.startswith(("roscoe_esnli", "sim_roscoe"))
    ]
    compact = [len(cell.pools["compact"]) for cell in cells]
    rebuilt = {
        ("jm-001", "dataset_model_cells", "pairs of data set and judge"): len(
            {(sweep.dataset, sweep.judge) for sweep in sweeps}
        ),
        ("jm-009", "full_pool", "largest full pool without hard-only joiners"): max(
            len(cell.judgments.names) for cell in cells if cell.role != "extra"
        ),
        ("jm-009", "compact_pool", "judges of a compact pool"): max(compact),
        ("jm-011", "original_cells", "cells the configuration is chosen on"): sum(
            cell.role == ORIGINAL for cell in cells
        ),
        ("jm-011", "added_cells", "cells scored after freezing"): sum(cell.role == ADDED for cell in cells),
        ("jm-014", "n_examples", "rows of ROSCOE (e-SNLI)"): roscoe[0] if roscoe else 0,
    }
    values = printed_values("judgemoe").set_index(["claim", "key"])["value"]
    frame = pd.DataFrame(
        {"quantity": words, "printed": int(values[(claim, key)]), "rebuilt": found}
        for (claim, key, words), found in rebuilt.items()
    )
    return frame.assign(difference=frame["rebuilt"] - frame["printed"])
