"""Tables of the sparse repair study: subset sizes, printed values beside ours, and what held."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from judgekit.family_selector import PUBLISHED_CORRELATION, PUBLISHED_GAIN
from judgekit.report.published import printed_values
from judgekit.studies.family_choice import SelectorStudy
from judgekit.studies.sparse import Families

HOLDS, FAILS, UNTESTABLE = "holds", "fails", "not testable here"


def subset_sizes(families: Sequence[Families], tested: pd.DataFrame) -> pd.DataFrame:
    """The fixed subset that validation picks in every cell, and its test Spearman beside the full log pool.

    Returns
    -------
    DataFrame
        benchmark_cell, role, `judges` in the full pool, `size` of the subset, `share` of the pool, `smaller`,
        `chosen`, validation and test Spearman of subset and full pool, `gain` on test with low and high.
    """
    rows = []
    for fitted in families:
        search, names = fitted.choice.fixed, fitted.parts.cell.judgments.names
        mine = tested[tested["benchmark_cell"] == fitted.parts.name].set_index("method")
        subset = mine.loc["fixed_subset"]
        rows.append(
            {
                "benchmark_cell": fitted.parts.name,
                "role": fitted.parts.cell.role,
                "judges": len(names),
                "size": len(search.best),
                "share": len(search.best) / len(names),
                "smaller": len(search.best) < len(names),
                "chosen": ", ".join(names[judge] for judge in search.best),
                "validation": search.spearman,
                "validation_full": fitted.choice.diagnosis.full,
                "test": subset["spearman"],
                "test_full": mine.loc["uniform_log", "spearman"],
                "gain": subset["gain"],
                "low": subset["gain_low"],
                "high": subset["gain_high"],
            }
        )
    return pd.DataFrame(rows)


def facts(
    tested: pd.DataFrame, sizes: pd.DataFrame, selector: SelectorStudy, coarse: str, *, compared: bool
) -> pd.DataFrame:
    """Numbers of the sparse repair study that the paper prints: claim, quantity, printed, ours, difference.

    Parameters
    ----------
    tested, sizes : DataFrame
        From `studies.sparse.score_test` and `subset_sizes`; sizes of the cells in question.
    selector : SelectorStudy
    coarse : str
        The WMT cell at 1-5.
    compared : bool
        Whether a difference means anything: not for simulated cells, which were tuned to printed figures.
    """
    wmt, strategies = _by_method(tested, coarse), _by_strategy(selector, "spearman")
    common = selector.agreement.iloc[0].to_dict()
    pair = tested[(tested["benchmark_cell"] == coarse) & (tested["method"] == "sparse_gate")]
    ours = {
        ("jm-051", "best_single", "WMT 1-5: best single judge"): wmt["single_best"],
        ("jm-051", "fixed_sparse", "WMT 1-5: fixed sparse pool"): wmt["sparse_pool"],
        ("jm-051", "sparse_retrained", "WMT 1-5: sparse, retrained"): wmt["sparse_gate"],
        ("jm-051", "subset_size", "WMT 1-5: judges kept"): pair["size"].item(),
        ("jm-057", "mean_subset_size", "mean size of the fixed subset"): sizes["size"].mean(),
        ("jm-057", "n_smaller", "cells with a smaller subset"): sizes["smaller"].sum(),
        ("jm-057", "n_cells", "cells"): len(sizes),
        ("jm-058", "selector", "selector, mean test Spearman"): strategies["learned rule"],
        ("jm-058", "oracle_family", "test-informed choice"): strategies["best on test"],
        ("jm-059", "loo_gain_threshold", "sparse from leave-one-out gain"): common["gain_threshold"],
        ("jm-059", "rho_threshold", "fixed from residual correlation"): common["correlation_threshold"],
        ("jm-059", "n_same_rule", "folds with the commonest rule"): common["folds"],
    }
    quoted = printed_values("judgemoe")
    values = dict(zip(zip(quoted["claim"], quoted["key"], strict=True), quoted["value"], strict=True))
    frame = pd.DataFrame(
        {"claim": claim, "quantity": words, "printed": float(values[claim, key]), "ours": float(found)}
        for (claim, key, words), found in ours.items()
    )
    return frame.assign(difference=frame["ours"] - frame["printed"] if compared else np.nan)


def verdicts(
    tested: pd.DataFrame,
    lost: pd.DataFrame,
    sizes: pd.DataFrame,
    selectors: Mapping[str, SelectorStudy],
    *,
    coarse: str,
    fine: Sequence[str],
) -> pd.DataFrame:
    """Each claim of the study: claim, where it was looked at, statement, what was measured, and the verdict.

    Parameters
    ----------
    tested, lost, sizes : DataFrame
        From `studies.sparse` (`score_test`, `leave_one_out_frame`) and `subset_sizes`.
    selectors : mapping of str to SelectorStudy
        By the name of the set of cells it was run on, such as "16 cells".
    coarse, fine : str, sequence of str
        The WMT cell at 1-5, and those at 1-10.
    """
    test = {cell: _by_method(tested, cell) for cell in (coarse, *fine)}
    gain = lost.loc[lost["weakest"] & (lost["benchmark_cell"] == coarse), "gain"].item()
    found = _repair_verdicts(coarse, test[coarse], gain)
    mine = tested[tested["benchmark_cell"] == coarse]
    if (mine["rows_answered"] < mine["rows"]).all():
        answered = _by_method(tested, coarse, "spearman_answered")
        found += _repair_verdicts(f"{coarse}, rows that all judges answered", answered, gain)
    for cell in fine:
        found += _range_verdicts(cell, test[coarse], test[cell])
    for scope, selector in selectors.items():
        inside = sizes[sizes["benchmark_cell"].isin(selector.cells["benchmark_cell"])]
        found += _choice_verdicts(scope, inside, selector, coarse)
    frame = pd.DataFrame(found, columns=["claim", "where", "statement", "measured", "verdict"])
    return frame.sort_values("claim", kind="stable", ignore_index=True)


def _by_method(tested: pd.DataFrame, cell: str, column: str = "spearman") -> dict[str, float]:
    mine = tested[tested["benchmark_cell"] == cell]
    return dict(zip(mine["method"].tolist(), mine[column].tolist(), strict=True))


def _by_strategy(selector: SelectorStudy, column: str) -> dict[str, float]:
    strategies = selector.strategies
    return dict(zip(strategies["strategy"].tolist(), strategies[column].tolist(), strict=True))


def _repair_verdicts(coarse: str, wmt: dict[str, float], gain: float) -> list[tuple[str, ...]]:
    full, learned, single = wmt["uniform_log"], wmt["full_gate"], wmt["single_best"]
    pair, retrained, repaired = wmt["sparse_pool"], wmt["sparse_gate"], wmt["repaired_gate"]
    gains = [wmt[m] - full for m in ("sparse_pool", "drop_weakest", "sparse_gate")]
    return [
        (
            "jm-050",
            coarse,
            "full log pool below learned, learned below the best single judge",
            f"{full:.4f}, {learned:.4f}, {single:.4f}",
            _verdict(full < learned < single),
        ),
        (
            "jm-051",
            coarse,
            "retrained pair above the best single judge and above the fixed pair",
            f"{retrained:.4f}, {single:.4f}, {pair:.4f}",
            _verdict(retrained > max(single, pair)),
        ),
        (
            "jm-052",
            coarse,
            "fixed pair, weakest dropped and retrained pair above the full log pool",
            ", ".join(f"{_signed(each)}" for each in gains),
            _verdict(min(gains) > 0),
        ),
        (
            "jm-054",
            coarse,
            "dropping one judge helps on validation; retraining without it helps on test",
            f"{_signed(gain)}, {_signed(repaired - learned)}",
            _verdict(gain > 0 and repaired > learned),
        ),
        (
            "jm-063",
            coarse,
            "the learned pool below the best single judge",
            f"{_signed(learned - single)}",
            _verdict(learned < single),
        ),
    ]


def _range_verdicts(cell: str, coarse: dict[str, float], fine: dict[str, float]) -> list[tuple[str, ...]]:
    sparse, learned, log = (fine[m] - coarse[m] for m in ("sparse_pool", "full_gate", "uniform_log"))
    gain = fine["full_gate"] - fine["single_best"]
    kept = fine["sparse_gate"] - fine["single_best"]
    return [
        (
            "jm-053",
            cell,
            "1-10 lifts sparse and learned; retraining keeps over half of the gain over a single judge",
            f"{_signed(sparse)}, {_signed(learned)}; {_signed(kept)} of {_signed(gain)}",
            _verdict(min(sparse, learned, gain) > 0 and kept > gain / 2),
        ),
        (
            "jm-055",
            cell,
            "the full log pool is worse at 1-5 than at 1-10",
            f"{coarse['uniform_log']:.4f}, {fine['uniform_log']:.4f}",
            _verdict(log > 0),
        ),
    ]


def _choice_verdicts(
    scope: str, sizes: pd.DataFrame, selector: SelectorStudy, coarse: str
) -> list[tuple[str, ...]]:
    mean, regret = _by_strategy(selector, "spearman"), _by_strategy(selector, "regret")
    learned, bound = mean["learned rule"], mean["best on test"]
    cells, common = selector.cells, selector.agreement.iloc[0].to_dict()
    lost = int((cells["sparse_test"] < cells["full_test"]).sum())
    best = dict(zip(cells["benchmark_cell"].tolist(), cells["test_best"].tolist(), strict=True))
    chat = [family for cell, family in best.items() if "topicalchat" in cell]
    published = (PUBLISHED_GAIN, PUBLISHED_CORRELATION)
    same = (common["gain_threshold"], common["correlation_threshold"]) == published
    return [
        (
            "jm-057",
            scope,
            "the fixed subset is smaller than the pool in every cell",
            f"{int(sizes['smaller'].sum())} of {len(sizes)}",
            _verdict(bool(sizes["smaller"].all())),
        ),
        (
            "jm-058",
            scope,
            "the selector comes within 0.01 of the test-informed choice",
            f"{learned:.4f}, {bound:.4f}",
            _verdict(bound - learned < 0.01),
        ),
        (
            "jm-059",
            scope,
            "all folds learn one rule" + ("" if same else " (here another one than printed)"),
            f"{int(common['folds'])} of {int(common['of'])}",
            _verdict(common["folds"] == common["of"]),
        ),
        (
            "jm-060",
            scope,
            "the rule's regret is no higher than that of always using the full pool",
            f"{regret['learned rule']:.4f}, {regret['always full']:.4f}",
            _verdict(regret["learned rule"] <= regret["always full"]),
        ),
        (
            "jm-061",
            scope,
            "the sparse gate is below the full one in some cells",
            f"{lost} of {len(cells)}",
            _verdict(lost > 0),
        ),
        (
            "jm-062",
            scope,
            "best family on test: fixed on TopicalChat, sparse on WMT 1-5",
            ", ".join([*chat, best.get(coarse, "not in scope")]),
            _verdict(set(chat) == {"fixed"} and best.get(coarse) == "sparse") if len(chat) else UNTESTABLE,
        ),
    ]


def _signed(value: float) -> str:
    # Adding zero turns a minus zero into zero.
    return f"{round(value, 4) + 0.0:+.4f}"


def _verdict(condition: bool) -> str:
    return HOLDS if condition else FAILS
