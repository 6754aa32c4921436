"""The measured assumptions, on a cell made to break them and beside plain NumPy."""

import numpy as np
import pytest

from judgekit.sources.cells import load_cell
from judgekit.studies.assumptions import assumptions


@pytest.fixture(scope="module")
def table():
    return assumptions(load_cell("simulated", "sim_summeval_1_5")).set_index("assumption")


def test_assumptions_name_what_a_simulated_cell_breaks(table):
    assert table.loc["variance formula", "by_how_much"] == pytest.approx(1.0, abs=0.1)
    assert table.loc["equal error variance", "by_how_much"] > 1.2


def test_bias_and_slope_are_those_of_plain_numpy(table):
    cell = load_cell("simulated", "sim_summeval_1_5")
    keep = ~np.isnan(cell.soft).any(axis=1)
    scores, target = cell.soft[keep], cell.judgments.target[keep]
    bias = (scores - target[:, None]).mean(axis=0)
    assert table.loc["unbiased", "by_how_much"] == pytest.approx(np.abs(bias).max())
    slopes = [np.cov(column, target)[0, 1] / column.var(ddof=1) for column in scores.T]
    assert table.loc["calibrated mean", "by_how_much"] == pytest.approx(np.abs(np.array(slopes) - 1).max())
