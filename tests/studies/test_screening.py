from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from judgekit.metrics import spearman_columns
from judgekit.sources.cells import cell_names, load_cell
from judgekit.splits import split_three
from judgekit.studies.screening import pick_pools, screen_pool, screen_pools, study_information


@pytest.fixture(scope="module")
def cells():
    return [load_cell("simulated", name) for name in ("sim_summeval_1_5", "sim_flask_1_5")]


def test_pools_by_hand():
    judges = ["a / x", "a / y", "b / x", "c / x", "d / x"]
    ranked = pd.DataFrame({"judge": judges, "family": ["f", "f", "f", "g", "h"]})
    assert pick_pools(ranked) == {
        "compact": ["a / x", "b / x", "c / x"],
        "family_diverse": ["a / x", "c / x", "d / x"],
    }
    assert pick_pools(ranked.assign(family="f"))["family_diverse"] == []
    assert pick_pools(ranked.head(3)) == {"compact": [], "family_diverse": []}


def test_screening_is_the_mean_over_cells_on_validation_rows(cells):
    expected = []
    for cell in cells:
        rows = split_three(cell.groups, rng=np.random.default_rng(0)).validation
        expected.append(spearman_columns(cell.soft[rows], cell.judgments.target[rows]))
    screened = screen_pool("pool", cells, seed=0)
    found = screened.set_index("judge")["validation"].loc[cells[0].judgments.names]
    assert found.tolist() == pytest.approx(np.mean(expected, axis=0))
    assert screened["validation"].is_monotonic_decreasing


def test_permuting_test_labels_leaves_the_screening_unchanged(cells):
    permuted = []
    for cell in cells:
        rows = split_three(cell.groups, rng=np.random.default_rng(0)).test
        target = cell.judgments.target.copy()
        target[rows] = np.random.default_rng(5).permutation(target[rows])
        permuted.append(replace(cell, judgments=replace(cell.judgments, target=target)))
    pd.testing.assert_frame_equal(screen_pools(cells, seed=0), screen_pools(permuted, seed=0))
    pd.testing.assert_frame_equal(study_information(cells, seed=0), study_information(permuted, seed=0))


def test_a_sure_judge_is_told_from_an_unsure_one(cells):
    found = study_information(cells[:1], seed=0).set_index("judge")
    assert found["entropy"].between(0, 1).all()
    assert found.loc["other_3", "entropy"] < found.loc["other_2", "entropy"]


@pytest.mark.needs("mirror")
def test_declared_pools_are_those_that_validation_picks():
    screened = screen_pools([load_cell("recorded", name) for name in cell_names("recorded")], seed=0)
    for pool in ("compact", "family_diverse"):
        assert (screened[pool] == screened[f"declared_{pool}"]).all()
