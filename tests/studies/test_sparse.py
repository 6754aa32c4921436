from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from judgekit.gate import GateSettings
from judgekit.pooling import pool_log
from judgekit.sources.cells import load_cell
from judgekit.splits import Split
from judgekit.studies.aggregation import Configuration, split_cell
from judgekit.studies.family_choice import learning_halves, study_selector
from judgekit.studies.sparse import (
    FAMILY_METHODS,
    choose_judges,
    fit_families,
    leave_one_out_frame,
    score_test,
)

QUICK = Configuration(gate=GateSettings(epochs=2, hidden=8))
CELLS = ("sim_topicalchat_1_5", "sim_wmt_1_5")


def fit(cells, seed=0):
    return fit_families(cells, QUICK, rng=np.random.default_rng(seed), seeds=2, repaired=["sim_wmt_1_5"])


def permuted(parts):
    """The same cell with the labels of its test rows shuffled."""
    target = parts.target.copy()
    test = parts.split.test
    target[test] = np.random.default_rng(99).permutation(target[test])
    return replace(parts, target=target)


@pytest.fixture(scope="module")
def cells():
    return [split_cell(load_cell("simulated", name), seed=0) for name in CELLS]


@pytest.fixture(scope="module")
def families(cells):
    return fit(cells)


@pytest.fixture(scope="module")
def tested(families):
    return score_test(families, seed=0, draws=100)


def hand_parts():
    """Six validation rows, three judges: one right, one nearly, one upside down; nothing else is read."""
    parts = split_cell(load_cell("simulated", "sim_wmt_1_5"), seed=0).only(
        ["gemma_2_9b", "gemma_3_12b", "other_3"]
    )
    scores = np.array([[0, 0, 4], [1, 1, 3], [2, 3, 2], [3, 2, 1], [4, 4, 0], [4, 4, 0]])
    probs, target = parts.probs.copy(), parts.target.copy()
    probs[:6] = 0.01
    for row in range(6):
        probs[row, np.arange(3), scores[row]] = 0.96
    target[:6] = [1, 2, 3, 4, 5, 5]
    split = Split(np.arange(20, 40), np.arange(6), np.arange(6, 20))
    return replace(parts.with_probs(probs), target=target, split=split)


def test_choices_by_hand():
    choice = choose_judges(hand_parts())
    assert choice.single == 0
    assert choice.sparse.best == (0, 1)
    assert choice.fixed.best == (0,)
    assert choice.fixed.spearman == pytest.approx(1)
    assert choice.diagnosis.worst == 2
    assert choice.diagnosis.best_gain > 0
    assert choice.without_weakest == (0, 1)


def test_permuting_test_labels_leaves_every_choice_unchanged(cells, families, tested):
    moved = [permuted(parts) for parts in cells]
    again = fit(moved)
    for plain, other in zip(families, again, strict=True):
        assert plain.judges == other.judges
        assert plain.statistics == other.statistics
        test = plain.parts.split.test
        for method, scores in plain.scores(test).items():
            np.testing.assert_array_equal(scores, other.scores(test)[method])
    lessons = [learning_halves(each, QUICK, rng=np.random.default_rng(1)) for each in (cells, moved)]
    assert lessons[0] == lessons[1]
    retested = score_test(again, seed=0, draws=100)
    assert (tested["spearman"] != retested["spearman"]).all()
    chosen = [
        study_selector(
            [(f.parts.cell.dataset, f.statistics) for f in fitted],
            halves,
            scores,
            rng=np.random.default_rng(0),
            draws=100,
        ).cells
        for fitted, halves, scores in zip((families, again), lessons, (tested, retested), strict=True)
    ]
    columns = ["learned", "learned_without_dataset", "published_rule", "validation_best", "gain_threshold"]
    pd.testing.assert_frame_equal(chosen[0][columns], chosen[1][columns])


def test_test_spearman_is_that_of_the_pool_on_test_rows(families, tested):
    wmt = families[1]
    rows, subset = wmt.parts.split.test, list(wmt.choice.fixed.best)
    pooled = pool_log(wmt.parts.probs[:, subset], wmt.parts.support).score
    expected = spearmanr(pooled[rows], wmt.parts.target[rows])[0]
    mine = tested[tested["benchmark_cell"] == "sim_wmt_1_5"].set_index("method")
    assert mine.loc["fixed_subset", "spearman"] == pytest.approx(expected)
    assert (mine["rows"] == len(rows)).all()
    assert mine.loc["uniform_log", ["gain", "gain_low", "gain_high"]].tolist() == [0, 0, 0]
    assert ((mine["low"] <= mine["spearman"]) & (mine["spearman"] <= mine["high"])).all()


def test_a_gate_counts_with_the_mean_over_its_seeds(families, tested):
    wmt = families[1]
    rows = wmt.parts.split.test
    scores = wmt.scores(rows)["sparse_gate"]
    assert scores.shape[1] == 2
    expected = np.mean([spearmanr(column, wmt.parts.target[rows])[0] for column in scores.T])
    mine = tested[(tested["benchmark_cell"] == "sim_wmt_1_5") & (tested["method"] == "sparse_gate")]
    assert mine["spearman"].item() == pytest.approx(expected)
    assert mine["size"].item() == 2


def test_a_missing_score_is_the_mean_over_training_rows(families):
    wmt = families[1]
    probs = wmt.parts.probs.copy()
    lost = wmt.parts.split.test[0]
    probs[lost] = np.nan
    emptied = replace(wmt, parts=wmt.parts.with_probs(probs))
    train = wmt.scores(wmt.parts.split.fit)
    for method, scores in emptied.scores(np.array([lost])).items():
        assert scores[0] == pytest.approx(train[method].mean(axis=0))


def test_only_the_cells_asked_for_get_a_repaired_gate(families):
    assert [("repaired_gate" in fitted.gates) for fitted in families] == [False, True]
    judges, _ = families[1].gates["repaired_gate"]
    assert judges == families[1].choice.without_weakest


def test_the_simulated_contaminator_is_the_weakest_judge(families):
    lost = leave_one_out_frame(families)
    mine = lost[(lost["benchmark_cell"] == "sim_wmt_1_5") & lost["weakest"]]
    assert mine["judge"].item() == "other_3"
    assert mine["gain"].item() == pytest.approx((mine["without"] - mine["full"]).item())
    assert lost.groupby("benchmark_cell")["weakest"].sum().eq(1).all()


def test_every_family_has_a_method(families):
    assert set(FAMILY_METHODS.values()) <= set(families[0].judges)
