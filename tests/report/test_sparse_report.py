import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from judgekit.report.plots import sparse as plots
from judgekit.report.tables.sparse import FAILS, HOLDS, UNTESTABLE, facts, verdicts
from judgekit.studies.family_choice import SelectorStudy

METHODS = {
    "single_best": 0.14,
    "uniform_log": 0.05,
    "uniform_linear": 0.06,
    "drop_weakest": 0.12,
    "sparse_pool": 0.15,
    "fixed_subset": 0.15,
    "full_gate": 0.10,
    "sparse_gate": 0.16,
    "repaired_gate": 0.13,
}


def scored(shift=(0.0, 0.1), answered=90):
    return pd.DataFrame(
        {
            "benchmark_cell": cell,
            "method": method,
            "size": 2,
            "spearman": value + lift,
            "low": value + lift - 0.05,
            "high": value + lift + 0.05,
            "rows": 100,
            "rows_answered": answered,
            "spearman_answered": -value,
        }
        for cell, lift in zip(("coarse", "fine"), shift, strict=True)
        for method, value in METHODS.items()
    )


LOST = pd.DataFrame(
    {
        "benchmark_cell": ["coarse", "coarse", "fine", "fine"],
        "judge": ["j", "k"] * 2,
        "gain": [0.07, -0.01, 0.02, -0.03],
        "weakest": [True, False] * 2,
    }
)
SIZES = pd.DataFrame(
    {"benchmark_cell": ["coarse", "fine"], "size": [2, 3], "judges": [6, 6], "smaller": True}
)
SELECTOR = SelectorStudy(
    cells=pd.DataFrame(
        {
            "benchmark_cell": ["coarse", "fine"],
            "single_test": [0.1, 0.2],
            "fixed_test": [0.2, 0.3],
            "full_test": [0.3, 0.1],
            "sparse_test": [0.4, 0.0],
            "learned": ["sparse", "full"],
            "test_best": ["sparse", "fixed"],
        }
    ),
    strategies=pd.DataFrame(
        {
            "strategy": ["learned rule", "always full", "best on test"],
            "spearman": [0.25, 0.2, 0.35],
            "regret": [0.1, 0.15, 0.0],
        }
    ),
    agreement=pd.DataFrame(
        {"gain_threshold": [0.14], "correlation_threshold": [0.5], "folds": [2], "of": [2]}
    ),
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def judge(frame, claim, where=None):
    rows = frame[(frame["claim"] == claim) & (frame["where"] == where if where else True)]
    return rows["verdict"].tolist()


def test_verdicts_by_hand():
    found = verdicts(scored(), LOST, SIZES, {"2 cells": SELECTOR}, coarse="coarse", fine=["fine"])
    assert found["claim"].is_monotonic_increasing
    for claim in ("jm-050", "jm-051", "jm-052", "jm-054", "jm-063"):
        # With every value negated the order turns round, and so does the verdict on answered rows.
        assert judge(found, claim) == [HOLDS, FAILS], claim
    assert judge(found, "jm-053") == [FAILS]
    assert judge(found, "jm-055") == [HOLDS]
    assert judge(found, "jm-057") == [HOLDS]
    assert judge(found, "jm-058") == [FAILS]
    assert judge(found, "jm-059") == [HOLDS]
    assert judge(found, "jm-060") == [HOLDS]
    assert judge(found, "jm-061") == [HOLDS]
    assert judge(found, "jm-062") == [UNTESTABLE]
    assert found.loc[found["claim"] == "jm-052", "measured"].iloc[0] == "+0.1000, +0.0700, +0.1100"


def test_answered_rows_stand_apart_only_where_answers_are_missing():
    found = verdicts(scored(answered=100), LOST, SIZES, {"2 cells": SELECTOR}, coarse="coarse", fine=["fine"])
    assert judge(found, "jm-050") == [HOLDS]


@pytest.mark.parametrize("compared", [True, False])
def test_facts_hold_printed_numbers_and_ours(compared):
    found = facts(scored(), SIZES, SELECTOR, "coarse", compared=compared).set_index("quantity")
    row = found.loc["WMT 1-5: sparse, retrained"]
    assert (row["printed"], row["ours"]) == (0.1648, 0.16)
    assert found.loc["mean size of the fixed subset", "ours"] == 2.5
    if compared:
        assert row["difference"] == pytest.approx(-0.0048)
    else:
        assert found["difference"].isna().all()


def test_every_method_is_one_mark_and_the_line_is_the_full_log_pool():
    axes = plots.plot_repair(scored(), ["coarse", "fine"])
    marks = [line.get_xdata()[0] for line in axes[0].lines if line.get_linestyle() == "None"]
    assert sorted(marks) == sorted(METHODS.values())
    lines = [line.get_xdata()[0] for line in axes[1].lines if line.get_linestyle() != "None"]
    assert lines == [pytest.approx(0.15)]


def test_bars_that_harm_have_another_colour():
    ax = plots.plot_leave_one_out(LOST, ["coarse", "fine"])[0]
    first, second = ax.patches
    assert (first.get_width(), second.get_width()) == (0.07, -0.01)
    assert first.get_facecolor() != second.get_facecolor()


def test_the_ring_is_on_the_learned_choice():
    ax = plots.plot_selector(SELECTOR.cells)
    ring = next(each for each in ax.collections if each.get_label() == "learned rule")
    assert ring.get_offsets()[:, 0].tolist() == pytest.approx([0.0, -0.2])


def test_sizes_are_marked_for_pool_and_subset():
    ax = plots.plot_subset_sizes(SIZES)
    marks = {each.get_label(): each.get_offsets()[:, 0].tolist() for each in ax.collections}
    assert (marks["full pool"], marks["best subset"]) == ([6, 6], [2, 3])


def curve():
    mass = np.array([0.5, 0.1, 0.01])
    return pd.DataFrame(
        {
            "left_over": mass,
            "log": [0.9, 0.6, 0.2],
            "linear": [0.8, 0.75, 0.74],
            "clean_log": 0.9,
            "alone": 0.7,
        }
    )


def test_the_dial_marks_the_nearest_computed_point():
    ax = plots.plot_contamination(curve(), marked=0.08)
    marks = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"]
    assert marks == [(0.1, 0.6), (0.1, 0.75)]
    assert ax.get_xlim()[0] > ax.get_xlim()[1]


def test_several_numbers_of_good_judges_share_one_figure():
    axes = plots.plot_breaking({1: curve(), 3: curve()})
    assert [ax.get_title(loc="center") or ax.get_title(loc="left") for ax in axes] == [
        "1 good judge",
        "3 good judges",
    ]
    assert axes[0].get_legend() is not None
    assert axes[1].get_legend() is None
