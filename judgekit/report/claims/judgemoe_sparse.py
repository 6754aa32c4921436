"""Claims on contamination, sparse repair and the family selector, bound to the tables of notebook 03."""

from collections.abc import Mapping
from functools import partial

from judgekit.report.claims.cells import chosen, kind_of_cell, over_cells, recorded_lacks
from judgekit.report.claims.reading import Binding, Case, NotRebuilt, Tables

_WMT = "judgemoe/sparse_wmt"
_LOST = "judgemoe/leave_one_out"
_SIZES = "judgemoe/subset_sizes"
_SELECTOR = "judgemoe/selector"
_STRATEGIES = "judgemoe/selector_strategies"
_RULES = "judgemoe/selector_rules"
_EIGHT = "judgemoe/selector_eight"
_BROKEN = "full log pool far below it"
_DROP = {"rho_full_log": "uniform_log", "rho_learned": "full_gate", "rho_single": "single_best"}
_RETRAINED = {"sparse_retrained": "sparse_gate", "best_single": "single_best", "fixed_sparse": "sparse_pool"}
_COARSE = {"simulated": "sim_wmt_1_5"}
_FINE = {"simulated": ("sim_wmt_1_10",)}
_RECORDED_COARSE, _RECORDED_FINE = "wmt22_stars", ("wmt22_da10", "wmt22_sqm10")
_FULL_POOL = 6


def bindings() -> list[Binding]:
    """Bindings of the sparse repair claims."""
    repair = partial(Binding, figure="judgemoe/sparse_repair")
    broken = partial(repair, tuned=_BROKEN)
    return [
        broken("jm-050", (_WMT,), partial(_named, methods=_DROP)),
        repair("jm-051", (_WMT,), partial(_named, methods=_RETRAINED)),
        broken("jm-052", (_WMT,), _repairs),
        repair("jm-053", (_WMT,), _finer),
        Binding("jm-054", (_LOST, _WMT), _one_weak_judge, figure="judgemoe/leave_one_out", tuned=_BROKEN),
        broken("jm-055", (_WMT,), _coarse_full),
        Binding("jm-057", (_SIZES,), _subset_sizes, figure="judgemoe/subset_sizes"),
        Binding("jm-058", (_EIGHT,), _selector, figure="judgemoe/selector"),
        Binding("jm-059", (_RULES,), _same_rule),
        Binding("jm-060", (_STRATEGIES,), _regrets, figure="judgemoe/selector"),
        Binding("jm-061", (_SELECTOR,), _sparse_worse, figure="judgemoe/selector"),
        Binding("jm-062", (_SELECTOR,), _best_families, figure="judgemoe/selector"),
        broken("jm-063", (_WMT,), _pool_minus_single),
    ]


def _scores(tables: Tables, cell: str) -> dict[str, float]:
    """Test Spearman of every method in one WMT cell."""
    frame = tables.read(_WMT)
    here = frame[frame["benchmark_cell"] == cell]
    if here.empty:
        raise NotRebuilt(f"row {cell}")
    return dict(zip(here["method"].astype(str), here["spearman"].astype(float), strict=True))


def _coarse(tables: Tables) -> str:
    return _COARSE.get(tables.profile, _RECORDED_COARSE)


def _fine(tables: Tables) -> tuple[str, ...]:
    return _FINE.get(tables.profile, _RECORDED_FINE)


def _case(tables: Tables, cell: str, values: dict[str, float]) -> Case:
    return Case(cell, kind_of_cell(tables, cell), dict(values))


def _named(tables: Tables, *, methods: Mapping[str, str]) -> list[Case]:
    """The coarse cell's Spearman of these methods, under the names that a claim's condition has for them."""
    wmt = _scores(tables, _coarse(tables))
    return [_case(tables, _coarse(tables), {name: wmt[method] for name, method in methods.items()})]


def _repairs(tables: Tables) -> list[Case]:
    wmt = _scores(tables, _coarse(tables))
    methods = {"sparse": "sparse_pool", "drop_one": "drop_weakest", "retrained": "sparse_gate"}
    values = {f"gain_{name}": wmt[method] - wmt["uniform_log"] for name, method in methods.items()}
    return [_case(tables, _coarse(tables), values)]


def _finer(tables: Tables) -> list[Case]:
    """Lift from 1-5 to 1-10, and the share of the learned gain that retraining keeps (0 of no gain)."""
    coarse, cases = _scores(tables, _coarse(tables)), []
    for cell in _fine(tables):
        wmt = _scores(tables, cell)
        learned = wmt["full_gate"] - wmt["single_best"]
        values = {
            "lift_sparse": wmt["sparse_pool"] - coarse["sparse_pool"],
            "lift_learned": wmt["full_gate"] - coarse["full_gate"],
            "kept_share": (wmt["sparse_gate"] - wmt["single_best"]) / learned if learned > 0 else 0.0,
        }
        cases.append(_case(tables, cell, values))
    return cases


def _one_weak_judge(tables: Tables) -> list[Case]:
    cell = _coarse(tables)
    lost = tables.read(_LOST)
    gain = lost.loc[lost["benchmark_cell"] == cell, "gain"]
    wmt = _scores(tables, cell)
    retrained = wmt["repaired_gate"] - wmt["full_gate"]
    return [_case(tables, cell, {"max_loo_gain": float(gain.max()), "retrained_gain": retrained})]


def _coarse_full(tables: Tables) -> list[Case]:
    coarse = _scores(tables, _coarse(tables))["uniform_log"]
    return [
        _case(tables, cell, {"full_1_5_minus_1_10": coarse - _scores(tables, cell)["uniform_log"]})
        for cell in _fine(tables)
    ]


def _pool_minus_single(tables: Tables) -> list[Case]:
    wmt = _scores(tables, _coarse(tables))
    gap = {"pool_minus_single": wmt["full_gate"] - wmt["single_best"]}
    return [_case(tables, _coarse(tables), gap)]


def _subset_sizes(tables: Tables) -> list[Case]:
    """Sizes on the cells of the paper's kind (choose, without ROSCOE), as of a full pool of six."""
    frame = tables.read(_SIZES)
    frame = frame[(frame["role"] == "choose") & ~frame["benchmark_cell"].str.contains("roscoe")]
    values = {
        "mean_subset_size": _FULL_POOL * float(frame["share"].mean()),
        "n_smaller": int(frame["smaller"].sum()),
        "n_cells": len(frame),
    }
    return over_cells(f"{len(frame)} cells, as of six judges", values)


def _selector(tables: Tables) -> list[Case]:
    frame = tables.read(_EIGHT)
    values = {
        "selector": chosen(frame, {"strategy": "learned rule"}, ("spearman",))[0],
        "oracle_family": chosen(frame, {"strategy": "best on test"}, ("spearman",))[0],
    }
    return over_cells("eight cells", values)


def _same_rule(tables: Tables) -> list[Case]:
    first = tables.read(_RULES).iloc[0]
    return over_cells(
        f"{int(first['of'])} folds", {"n_same_rule": int(first["folds"]), "n_folds": int(first["of"])}
    )


def _regrets(tables: Tables) -> list[Case]:
    frame = tables.read(_STRATEGIES)
    values = {
        "regret": chosen(frame, {"strategy": "learned rule"}, ("regret",))[0],
        "regret_full": chosen(frame, {"strategy": "always full"}, ("regret",))[0],
    }
    return over_cells("all cells", values)


def _sparse_worse(tables: Tables) -> list[Case]:
    frame = tables.read(_SELECTOR)
    worse = int((frame["sparse_test"] < frame["full_test"]).sum())
    return over_cells(f"{len(frame)} cells", {"n_sparse_worse": worse})


def _best_families(tables: Tables) -> list[Case]:
    recorded_lacks(tables, "TopicalChat")
    best = tables.read(_SELECTOR).set_index("benchmark_cell")["test_best"].astype(str)
    chat = sorted(set(best[best.index.str.contains("topicalchat")]))
    values = {"best_topicalchat": " and ".join(chat), "best_wmt15": str(best.get(_coarse(tables), "none"))}
    return over_cells("simulated cells", values)
