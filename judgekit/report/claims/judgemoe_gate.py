"""Claims on the gate: features, configuration, weights, errors in common and pairs, bound to notebook 02."""

from functools import partial

import pandas as pd

from judgekit.report.claims.cells import chosen, over_cells, recorded_lacks
from judgekit.report.claims.reading import Binding, Case, NotRebuilt, Reader, Tables

_ABLATION = "judgemoe/feature_ablation"
_GATES = "judgemoe/gate_by_pool"
_TEMPERATURES = "judgemoe/temperature_sweep"
_WEIGHTS = "judgemoe/gate_weight_means"
_RESIDUALS = "judgemoe/residual_correlation"
_RESIDUAL_MEANS = "judgemoe/residual_correlation_means"
_MAIN = "judgemoe/main"
_PAIRS = "judgemoe/pairwise"
_PAIR_SETTINGS = 4
_TEMPERATURE = 0.7


def bindings() -> list[Binding]:
    """Bindings of the claims on the gate."""
    features = partial(Binding, figure="judgemoe/feature_ablation")
    return [
        features("jm-038", (_ABLATION,), _features),
        features("jm-039", (_ABLATION,), _feature_step("both")),
        features("jm-040", (_ABLATION,), _feature_step("summaries")),
        Binding("jm-042", (_GATES, _TEMPERATURES), _rank, figure="judgemoe/temperature_sweep"),
        Binding("jm-044", (_WEIGHTS,), _weight_quality, figure="judgemoe/gate_weights"),
        Binding("jm-045", (_RESIDUAL_MEANS,), _error_correlation),
        Binding("jm-046", (_RESIDUALS,), _topicalchat_errors),
        Binding("jm-047", (_MAIN,), _diverse),
        Binding("jm-048", (_PAIRS,), _pairs_improved),
        Binding("jm-049", (_PAIRS,), _pairs_gain),
        Binding("jm-084", (_TEMPERATURES,), _temperature_spread, figure="judgemoe/temperature_sweep"),
    ]


def _features(tables: Tables) -> list[Case]:
    frame = tables.read(_ABLATION)
    names = {
        "hard_only": "hard",
        "soft_only": "soft",
        "hard_and_soft": "both",
        "probability_summaries": "summaries",
    }
    values = {name: chosen(frame, {"feature_set": key}, ("rebuilt",))[0] for name, key in names.items()}
    return over_cells(f"{int(frame['cells'].iloc[0])} choose cells", values)


def _feature_step(feature_set: str) -> Reader:
    def read(tables: Tables) -> list[Case]:
        frame = tables.read(_ABLATION)
        gain, p = chosen(frame, {"feature_set": feature_set}, ("gain", "p_one_sided"))
        return over_cells(f"{int(frame['cells'].iloc[0])} choose cells", {"gain": gain, "p_one_sided": p})

    return read


def _rank(tables: Tables) -> list[Case]:
    """Rank of DeepSets with the log pool at 0.7 among the gates by pools, and the temperatures, tried."""
    gates, sweep = tables.read(_GATES), tables.read(_TEMPERATURES)
    own = chosen(gates, {"architecture": "deepsets", "pool": "log"}, ("choose_test",))[0]
    others = sweep.loc[(sweep["pool_temperature"] - _TEMPERATURE).abs() > 1e-9, "test"]
    above = int((gates["choose_test"] > own).sum() + (others > own).sum())
    return over_cells(f"{len(gates) + len(others)} configurations", {"rank_best": 1 + above})


def _weight_quality(tables: Tables) -> list[Case]:
    frame = tables.read(_WEIGHTS)
    values = {
        "rank_corr_1_5": chosen(frame, {"score_range": "1-5"}, ("rebuilt",))[0],
        "rank_corr_1_10": chosen(frame, {"score_range": "1-10"}, ("rebuilt",))[0],
    }
    return over_cells(f"{int(frame['cells'].sum())} cells", values)


def _error_correlation(tables: Tables) -> list[Case]:
    frame = tables.read(_RESIDUAL_MEANS)
    values = {
        "error_corr_full6": chosen(frame, {"pool": "full"}, ("where_compact_exists",))[0],
        "error_corr_strong3": chosen(frame, {"pool": "compact"}, ("rebuilt",))[0],
    }
    cells = chosen(frame, {"pool": "compact"}, ("cells",))[0]
    return over_cells(f"{cells:.0f} cells with a compact pool", values)


def _topicalchat_errors(tables: Tables) -> list[Case]:
    recorded_lacks(tables, "TopicalChat")
    means = tables.read(_RESIDUALS).groupby("benchmark_cell")["full"].mean()
    chat = means.index.str.contains("topicalchat")
    values = {"corr_topicalchat": float(means[chat].mean()), "corr_other": float(means[~chat].mean())}
    return over_cells("simulated cells", values)


def _diverse(tables: Tables) -> list[Case]:
    """Compact minus family-diverse pool, on the cells that have both."""
    frame = tables.read(_MAIN)
    wide = frame[frame["role"] != "extra"].pivot(index="benchmark_cell", columns="method", values="spearman")
    needed = ["judgemoe_compact", "judgemoe_family_diverse"]
    if not set(needed) <= set(wide.columns):
        raise NotRebuilt(f"rows {', '.join(needed)}")
    both = wide[needed].dropna()
    gap = float((both[needed[0]] - both[needed[1]]).mean())
    return over_cells(f"{len(both)} cells with both pools", {"strong_minus_diverse": gap})


def _pairs_improved(tables: Tables) -> list[Case]:
    frame = tables.read(_PAIRS)
    share = float((frame["accuracy_gain"] > 0).mean())
    return over_cells(
        f"{len(frame)} cells with pairs of their own scores, as of four",
        {"n_improved": _PAIR_SETTINGS * share},
    )


def _pairs_gain(tables: Tables) -> list[Case]:
    frame = tables.read(_PAIRS)
    return over_cells(f"{len(frame)} cells", {"pairwise_gain": float(frame["spearman_gain"].mean())})


def _temperature_spread(tables: Tables) -> list[Case]:
    """Distance between the lowest and the highest temperature that is best on validation in some cell."""
    frame = tables.read(_TEMPERATURES)
    won: pd.Series = frame.loc[frame["cells_won_on_validation"] > 0, "pool_temperature"]
    return over_cells("choose cells", {"t_spread": float(won.max() - won.min())})
