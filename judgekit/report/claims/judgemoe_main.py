"""Claims on JudgeMoE's lead over its baselines, bound to the main tables of notebook 02."""

from functools import partial

import numpy as np
import pandas as pd

from judgekit.report.claims.cells import (
    chosen,
    counted_cells,
    first_cells,
    over_cells,
    recorded_lacks,
)
from judgekit.report.claims.reading import Binding, Case, NotTestable, Reader, Tables
from judgekit.stats import signed_rank_test

_GAINS = "judgemoe/cell_gains"
_TESTS = "judgemoe/comparisons"
_DEPLOYED = "judgemoe/deployment"
_POWER = "judgemoe/power"
_MAIN = "judgemoe/main"
_LEAD = "a clear gain of the learned pool"
_FIXED_POOLS = ("uniform_log", "uniform_linear", "covariance_log", "fixed_subset")
_PAPER_CELLS = 10


def bindings() -> list[Binding]:
    """Bindings of the claims on the main comparison, its tests and its power."""
    lead = partial(Binding, figure="judgemoe/cell_gains", tuned=_LEAD)
    return [
        lead("jm-024", (_TESTS,), _test("all cells", "single_best")),
        lead("jm-025", (_TESTS,), _test("all cells", "uniform_log")),
        lead("jm-026", (_TESTS,), _test("all cells", "covariance_log")),
        lead("jm-027", (_TESTS,), _test("choose cells", "uniform_log")),
        lead("jm-028", (_TESTS,), _intervals),
        Binding("jm-029", (_DEPLOYED,), _regret),
        lead("jm-030", (_GAINS,), _weighted),
        lead("jm-031", (_GAINS,), _twelve_cells),
        lead("jm-032", (_GAINS,), _losing),
        lead("jm-033", (_GAINS,), _ahead),
        lead("jm-034", (_GAINS,), _where_won),
        Binding("jm-035", (_GAINS,), _helpsteer2, tuned="a gain over both strong baselines"),
        Binding("jm-036", (_GAINS,), _flask, tuned="a tie with the covariance-aware pool"),
        Binding("jm-037", (_MAIN,), _wildbench, tuned="hard for every method"),
        Binding("jm-073", (_POWER,), _power),
    ]


def _test(scope: str, baseline: str) -> Reader:
    def read(tables: Tables) -> list[Case]:
        keys = {"scope": scope, "unit": "cells", "baseline": baseline}
        names = ("mean_gain", "p_one_sided", "p_two_sided", "n")
        gain, one, two, n = chosen(tables.read(_TESTS), keys, names)
        values = {"mean_spearman_gain": gain, "p_one_sided": one, "p_two_sided": two}
        return over_cells(f"{n:.0f} {scope.replace('all ', '')}", values)

    return read


def _intervals(tables: Tables) -> list[Case]:
    values: dict[str, float] = {}
    for short, baseline in (("cov", "covariance_log"), ("single", "single_best")):
        keys = {"scope": "choose cells", "unit": "cells", "baseline": baseline}
        gain, low, n = chosen(tables.read(_TESTS), keys, ("mean_gain", "low", "n"))
        values |= {f"gain_{short}": gain, f"ci_low_{short}": low}
    return over_cells(f"{n:.0f} choose cells", values)


def _regret(tables: Tables) -> list[Case]:
    """Mean regret of taking the family that is best on validation: single, fixed, full or sparse."""
    frame = counted_cells(tables.read(_DEPLOYED))
    return over_cells(f"{len(frame)} cells", {"regret": float(frame["regret_best_validation"].mean())})


def _weighted(tables: Tables) -> list[Case]:
    """Gains weighted by test rows with and without ROSCOE; over all cells where no choose cell is ROSCOE."""
    gains = tables.read(_GAINS)
    frame = first_cells(tables, gains)
    if not frame["benchmark_cell"].str.contains("roscoe").any():
        frame = counted_cells(gains)
    values = {}
    for suffix, part in (("", frame), ("_no_roscoe", frame[~frame["benchmark_cell"].str.contains("roscoe")])):
        for short, baseline in (("single", "single_best"), ("covariance", "covariance_log")):
            here = _lead(part, baseline)
            values[f"gain_vs_{short}{suffix}"] = float(np.average(here["gain"], weights=here["rows"]))
    return over_cells(f"{frame['benchmark_cell'].nunique()} cells", values)


def _twelve_cells(tables: Tables) -> list[Case]:
    recorded_lacks(tables, "HelpSteer2 validation")
    frame = tables.read(_GAINS)
    frame = frame[(frame["role"] == "choose") | frame["benchmark_cell"].str.contains("helpsteer2")]
    values = {}
    for short, baseline in (("single", "single_best"), ("covariance", "covariance_log")):
        gains = _lead(frame, baseline)["gain"].to_numpy(float)
        values[f"p_one_sided_vs_{short}"] = signed_rank_test(gains, np.zeros(len(gains))).p_greater
    return over_cells(f"{frame['benchmark_cell'].nunique()} cells", values)


def _losing(tables: Tables) -> list[Case]:
    gains = _lead(first_cells(tables, tables.read(_GAINS)), "single_best")["gain"]
    share = float((gains < 0).mean())
    return over_cells(f"{len(gains)} choose cells, as of ten", {"losing_cells": _PAPER_CELLS * share})


def _ahead(tables: Tables) -> list[Case]:
    here = _lead(first_cells(tables, tables.read(_GAINS)), "single_best")
    values = {
        "n_positive": _PAPER_CELLS * float((here["gain"] > 0).mean()),
        "n_significant": _PAPER_CELLS * float((here["low"] > 0).mean()),
    }
    return over_cells(f"{len(here)} choose cells, as of ten", values)


def _where_won(tables: Tables) -> list[Case]:
    """Gain over the strongest fixed pool of a cell, in the groups of cells that the claim names."""
    recorded_lacks(tables, "HelpSteer and TopicalChat")
    frame = tables.read(_GAINS)
    mine = frame[(frame["first"] == "judgemoe") & frame["baseline"].isin(_FIXED_POOLS)]
    least = mine.groupby("benchmark_cell")["gain"].min()
    wins = [least[["sim_summeval_1_5"]], least.filter(like="helpsteer_"), least[["sim_wmt_1_10"]]]
    hard = [least.filter(like="topicalchat"), least[["sim_summeval_1_10"]]]
    named = {"gain_named_wins": wins, "gain_named_hard": hard}
    values = {name: float(np.mean([part.mean() for part in parts])) for name, parts in named.items()}
    return over_cells("simulated cells", values)


def _helpsteer2(tables: Tables) -> list[Case]:
    recorded_lacks(tables, "HelpSteer2 validation")
    frame = tables.read(_GAINS)
    frame = frame[frame["benchmark_cell"].str.contains("helpsteer2")]
    values = {
        f"positive_cells_vs_{short}": int((_lead(frame, baseline)["gain"] > 0).sum())
        for short, baseline in (("single", "single_best"), ("covariance", "covariance_log"))
    }
    return over_cells("simulated cells", values)


def _flask(tables: Tables) -> list[Case]:
    recorded_lacks(tables, "FLASK")
    here = _lead(tables.read(_GAINS), "covariance_log")
    gap = here.loc[here["benchmark_cell"] == "sim_flask_1_5", "gain"]
    return [Case("sim_flask_1_5", "simulated", {"abs_gap": float(gap.abs().max())})]


def _wildbench(tables: Tables) -> list[Case]:
    recorded_lacks(tables, "WildBench")
    frame = tables.read(_MAIN)
    best = frame.groupby("benchmark_cell")["spearman"].max()
    wild = best.index.str.contains("wildbench")
    values = {"wildbench_best": float(best[wild].max()), "other_best": float(best[~wild].mean())}
    return over_cells("simulated cells", values)


def _power(tables: Tables) -> list[Case]:
    frame = tables.read(_POWER)
    values = {}
    for short, baseline in (("uniform", "uniform_log"), ("cov", "covariance_log"), ("single", "single_best")):
        keys = {"baseline": baseline, "cells": _PAPER_CELLS}
        values[f"power_{short}"] = chosen(frame, keys, ("power",))[0]
    return over_cells("ten cells, at the gains of all", values)


def _lead(frame: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Rows of JudgeMoE's gain over one baseline."""
    found = frame[(frame["first"] == "judgemoe") & (frame["baseline"] == baseline)]
    if found.empty:
        raise NotTestable(f"no cell compares JudgeMoE with {baseline}")
    return found
