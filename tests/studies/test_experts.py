"""Experts joining pools: what rests on training rows rests on nothing else, and gains are what they say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.experts import fit_expert
from judgekit.metrics import spearman
from judgekit.pooling import pool_log
from judgekit.sources.cells import load_cell
from judgekit.sources.expert_values import simulated_experts
from judgekit.studies.aggregation import split_cell
from judgekit.studies.experts import (
    ExpertSettings,
    expert_distribution,
    join_experts,
    mix,
    study_experts,
    study_verdicts,
    vet_expert,
)

SETTINGS = ExpertSettings(draws=20)
KNOBS = {"good": {"skill": 0.7, "echo": 0.0}, "echo": {"skill": 0.1, "echo": 0.9}}


@pytest.fixture(scope="module")
def expert_cell():
    return simulated_experts(load_cell("simulated", "sim_topicalchat_1_5"), {"seed": 3, "experts": KNOBS})


def with_target(each, target):
    return replace(each, cell=replace(each.cell, judgments=replace(each.cell.judgments, target=target)))


def shuffled(each, rows):
    """The cell with the labels of some rows in another order."""
    target = each.cell.judgments.target.copy()
    target[rows] = np.random.default_rng(9).permutation(target[rows])
    return with_target(each, target)


def test_bins_and_histograms_rest_on_training_rows_alone():
    rng = np.random.default_rng(0)
    support = np.arange(1.0, 6.0)
    values, target = rng.normal(size=200), rng.uniform(1, 5, 200)
    train = np.arange(100)
    found = expert_distribution(values, target, support, train, SETTINGS)
    elsewhere = values.copy()
    elsewhere[100:] = 50.0
    other_labels = np.where(np.arange(200) < 100, target, np.nan)
    again = expert_distribution(elsewhere, other_labels, support, train, SETTINGS)
    np.testing.assert_array_equal(again[train], found[train])
    by_hand = fit_expert(values[train], target[train], support, bins=10).distribution(values)
    np.testing.assert_array_equal(found, by_hand)


def test_few_training_rows_make_fewer_bins():
    values = np.arange(30.0)
    found = expert_distribution(values, values / 10, np.arange(1.0, 4.0), np.arange(30), SETTINGS)
    assert len(np.unique(found, axis=0)) == 3


def test_test_labels_change_no_verdict(expert_cell):
    test = split_cell(expert_cell.cell, seed=0).split.test
    before = study_experts([expert_cell], seed=0, settings=SETTINGS)
    after = study_experts([shuffled(expert_cell, test)], seed=0, settings=SETTINGS)
    same = [
        "vetting_gain",
        "folds_won",
        "admitted",
        "validation_gain",
        "residual_correlation",
        "repair_keeps",
    ]
    pd.testing.assert_frame_equal(before[same], after[same])
    assert (before["test_gain"] != after["test_gain"]).all()


def test_the_verdict_reads_neither_validation_nor_test_labels(expert_cell):
    parts = split_cell(expert_cell.cell, seed=0)
    blind = replace(parts, target=parts.target.copy())
    blind.target[np.concatenate([parts.split.validation, parts.split.test])] = np.nan
    values = expert_cell.scalars.of("good")
    seen, unseen = (vet_expert(each, values, seed=0, settings=SETTINGS) for each in (parts, blind))
    np.testing.assert_array_equal(seen.fold_gains, unseen.fold_gains)


def test_vetting_tells_new_evidence_from_an_echo(expert_cell):
    found = study_experts([expert_cell], seed=0, settings=SETTINGS).set_index("expert")
    assert found.loc["good", "admitted"]
    assert not found.loc["echo", "admitted"]
    assert found.loc["good", "test_gain"] > 0.05 > found.loc["echo", "test_gain"]
    assert found.loc["good", "residual_correlation"] < found.loc["echo", "residual_correlation"]


def test_a_gain_is_the_pool_with_minus_the_pool_without(expert_cell):
    row = study_experts([expert_cell.among(["good"])], seed=0, settings=SETTINGS).iloc[0]
    parts = split_cell(expert_cell.cell, seed=0)
    support, rows = parts.cell.judgments.support, parts.split.test
    expert = expert_distribution(
        expert_cell.scalars.of("good"), parts.target, support, parts.split.fit, SETTINGS
    )
    both = np.concatenate([parts.probs, expert[:, None]], axis=1)
    slow = [
        spearman(pool_log(probs[rows], support).score, parts.target[rows]) for probs in (both, parts.probs)
    ]
    assert row["test_gain"] == pytest.approx(slow[0] - slow[1], abs=1e-6)
    assert row["test_gain"] == pytest.approx(row["mixed"] - row["pool"], abs=1e-6)
    assert row["low"] <= row["test_gain"] <= row["high"]


def test_experts_join_after_the_judges(expert_cell):
    both = mix(expert_cell, seed=0, settings=SETTINGS)
    judges = expert_cell.cell.judgments
    assert both.cell.judgments.names == [*judges.names, "good", "echo"]
    assert both.cell.judgments.judges["kind"].tolist()[-2:] == ["metric", "metric"]
    np.testing.assert_array_equal(both.cell.judgments.probs[:, : len(judges.names)], judges.probs)


def test_bins_of_equal_expected_score_stay_tied_when_the_expert_joins(expert_cell):
    support = expert_cell.cell.judgments.support
    near, far = np.array([0, 1, 3, 3, 0]) / 7, np.array([3, 0, 0, 0, 4]) / 7
    high = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    which = np.random.default_rng(2).integers(0, 3, len(expert_cell.scalars.items))
    distribution = np.stack([near, far, high])[which]
    joined = split_cell(join_experts(expert_cell.cell, {"tied": distribution}, ["metric"]), seed=0)
    assert near @ support == pytest.approx(far @ support)
    target = joined.target
    by_hand = spearman(np.where(which == 2, 2.0, 1.0), target)
    assert spearman(joined.soft[:, -1], target) == pytest.approx(by_hand, abs=1e-12)


def test_a_missing_value_is_a_missing_judge(expert_cell):
    cell = expert_cell.cell
    distribution = np.full((len(cell.judgments.items), 5), 0.2)
    distribution[3] = np.nan
    joined = join_experts(cell, {"gap": distribution}, ["metric"])
    assert joined.judgments.missing[:, -1].tolist() == [place == 3 for place in range(len(distribution))]


def test_every_split_gives_a_verdict_that_is_right_by_the_sign(expert_cell):
    found = study_verdicts([expert_cell], seeds=[0, 1], settings=SETTINGS)
    assert len(found) == 4
    assert (found["right"] == (found["admitted"] == (found["test_gain"] > 0))).all()
    whole = study_experts([expert_cell], seed=0, settings=SETTINGS)
    first = found[found["seed"] == 0]
    np.testing.assert_allclose(first["vetting_gain"], whole["vetting_gain"], atol=1e-12)


@pytest.mark.parametrize("name", ["bins", "folds"])
def test_one_bin_or_fold_is_refused(name):
    with pytest.raises(InvalidInput, match=name):
        ExpertSettings(**{name: 1})


def test_more_folds_than_groups_are_refused(expert_cell):
    parts = split_cell(expert_cell.cell, seed=0)
    values = expert_cell.scalars.of("good")
    with pytest.raises(InvalidInput, match="folds"):
        vet_expert(parts, values, seed=0, settings=ExpertSettings(folds=1000))
