import math

import pandas as pd
import pytest

from judgekit.report.leads import OVER, PRINTED, lead_strips, lead_view, lead_words, leads, method_mean
from judgekit.report.published import CHECKOUT

MEANS = pd.DataFrame({"method": ["uniform log pool", "JudgeMoE"], "all_cells": [0.5, 0.54]})


def comparisons(**changes):
    """Made-up tests against three pools over cells; rows over data sets and other scopes are noise."""
    rows = [
        ("all cells", "cells", "uniform_log", 16, 0.04, 0.01, 0.07, 14, 0.003),
        ("all cells", "cells", "covariance_log", 16, -0.01, -0.03, 0.02, 7, 0.7),
        ("all cells", "cells", "ridge", 16, -0.04, -0.08, -0.02, 3, 0.99),
        ("all cells", "data sets", "uniform_log", 5, 0.9, 0.8, 1.0, 5, 0.03),
        ("choose cells", "cells", "uniform_log", 8, 0.8, 0.7, 0.9, 8, 0.004),
    ]
    names = ["scope", "unit", "baseline", "n", "mean_gain", "low", "high", "positive", "p_one_sided"]
    return pd.DataFrame(rows, columns=names).rename(columns=changes)


def test_leads_over_all_cells_stand_beside_the_printed_ones():
    found = leads(comparisons(), MEANS)
    assert [lead.over for lead in found] == [OVER[name] for name in (*PRINTED, "ridge")]
    uniform, single, covariance, ridge = found
    assert (uniform.printed.gain, uniform.printed.ahead, uniform.printed.p) == ("0.0601", "12/16", "0.0017")
    assert (uniform.rebuilt.gain, uniform.rebuilt.ahead, uniform.mean) == (0.04, 14, 0.5)
    assert single.printed.gain == "0.0393"
    assert single.rebuilt is None
    assert covariance.printed.p == "0.0964"
    assert ridge.printed is None
    assert math.isnan(ridge.mean)


@pytest.mark.parametrize("table", [None, comparisons(low="lower")])
def test_without_a_readable_table_the_printed_leads_remain(table):
    found = leads(table, None)
    assert [lead.over for lead in found] == [OVER[name] for name in PRINTED]
    assert not any(lead.rebuilt for lead in found)
    assert lead_words(found) == ""
    assert lead_strips(found).bars == ""
    assert [len(group) for group in lead_view(found, math.nan).groups] == [1, 1, 1, 1]


def test_marks_and_intervals_stand_at_their_share_of_the_axis():
    strip = lead_strips(leads(comparisons(), MEANS))
    # From -0.08 to 0.07 on an axis from -0.10 to 0.10.
    assert strip.ticks[0] == (0, "−0.10")
    assert strip.ticks[-1] == (100, "0.10")
    assert strip.zero == 50
    assert strip.heads == ("compared in the paper", "not in the paper")
    uniform = strip.groups[0][0]
    assert [(mark.place, mark.filled) for mark in uniform.marks] == [(80.05, False), (70, True)]
    assert uniform.bar == (55, 85)
    (ridge,) = strip.groups[1]
    assert (len(ridge.marks), ridge.bar) == (1, (10, 40))


def test_lines_read_aloud_carry_both_leads_and_the_interval():
    uniform = lead_strips(leads(comparisons(), MEANS)).groups[0][0]
    name, _, values = uniform.words.partition(": ")
    assert name == "over the uniform log pool, analogue"
    assert values == "printed +0.0601, recorded +0.0400, 95% interval +0.0100 to +0.0700"


def test_words_sort_leads_by_their_intervals():
    assert lead_words(leads(comparisons(), MEANS)) == (
        "By the 95% bootstrap interval of its lead over cells, JudgeMoE on recorded judges is "
        "ahead of the uniform log pool (+0.040); "
        "within chance (zero lies in the interval) of the covariance-aware pool (−0.010); "
        "behind ridge on expected scores (−0.040)."
    )


def test_a_lead_that_the_two_criteria_judge_differently_is_named():
    wide = comparisons().assign(low=-0.01, high=0.08, mean_gain=0.04, p_one_sided=0.037)
    assert lead_words(leads(wide[wide["baseline"] == "uniform_log"], MEANS)).endswith(
        "The paper's criterion, a one-sided signed-rank p below 0.05, also counts a lead over "
        "the uniform log pool (+0.040)."
    )


def test_table_says_where_printed_and_rebuilt_agree():
    view = lead_view(leads(comparisons(), MEANS), 0.54)
    outcomes = {group[0].head: line.orders for group in view.groups for line in group if line.orders}
    assert outcomes == {
        "over the uniform log pool": ((True, "ahead, one-sided signed-rank p below 0.05"),),
        "over the covariance-aware pool": (
            (
                False,
                "not ahead, one-sided signed-rank p not below 0.05 "
                "(printed: ahead, one-sided signed-rank p not below 0.05)",
            ),
        ),
    }
    cells = {line.head: line.cells for group in view.groups for line in group if line.cells}
    assert all(len(line) == len(view.columns) for line in cells.values())
    assert cells["over the uniform log pool"] == ("+0.0601", "–", "12 of 16", "0.0017", "–")
    assert cells["over ridge on expected scores"][2:] == ("3 of 16", "0.9900", "–")
    assert cells["JudgeMoE itself"][-1] == "0.3832"
    badges = {line.badge_kind for group in view.groups for line in group if line.badge}
    assert badges == {"analogue", "own"}


def test_leads_of_the_committed_tables_are_those_of_its_means():
    folder = CHECKOUT / "reports" / "recorded" / "tables" / "judgemoe"
    means = pd.read_csv(folder / "method_means.csv")
    for lead in leads(pd.read_csv(folder / "comparisons.csv"), means):
        assert lead.rebuilt is not None
        assert method_mean(means, "judgemoe") - lead.mean == pytest.approx(lead.rebuilt.gain, abs=2e-6)
