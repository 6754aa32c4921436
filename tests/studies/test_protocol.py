from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from judgekit.errors import InvalidInput
from judgekit.splits import split_three
from judgekit.studies.protocol import (
    CONTRASTS,
    contrast_pairs,
    contrast_protocols,
    measure_options,
    pick_option,
    study_protocols,
    study_repairs,
)
from judgekit.sweeps import OPTION_COLUMNS, LabelRepair, ProtocolSweep

OPTIONS = [
    ("p", "", "1-5", "hard"),
    ("p", "", "1-5", "soft"),
    ("p", "", "1-10", "hard"),
    ("p", "", "1-10", "soft"),
]


def make_sweep(noise=(1.0, 0.3, 2.0, 0.8), seed=0, rows=300, metric="spearman"):
    rng = np.random.default_rng(seed)
    target = rng.standard_normal(rows)
    scores = target[:, None] + np.array(noise) * rng.standard_normal((rows, len(noise)))
    if metric == "accuracy":
        target, scores = (target > 0).astype(float), (scores > 0).astype(float)
    options = pd.DataFrame(OPTIONS[: len(noise)], columns=list(OPTION_COLUMNS))
    return ProtocolSweep("set", "cell", "judge", metric, options, scores, target, np.arange(rows) // 3)


def split_of(sweep, seed=0):
    return split_three(sweep.groups, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("metric", ["spearman", "accuracy"])
def test_permuting_test_labels_leaves_every_choice_unchanged(metric):
    moved = 0
    for seed in range(10):
        # Options alike in quality, so that any look at the test rows would move some pick.
        sweep = make_sweep((0.8, 0.8, 0.8, 0.8), seed=seed, metric=metric)
        test = split_of(sweep).test
        target = sweep.target.copy()
        target[test] = np.random.default_rng(99).permutation(target[test])
        plain, permuted = (
            study_protocols([each], seed=0, draws=20) for each in (sweep, replace(sweep, target=target))
        )
        pd.testing.assert_frame_equal(plain.options, permuted.options)
        chosen = ["prompt", "score_range", "read_out", "validation", "protocol_range"]
        pd.testing.assert_frame_equal(plain.picks[chosen], permuted.picks[chosen])
        moved += plain.picks["test"].iloc[0] != permuted.picks["test"].iloc[0]
    assert moved >= 8


def test_test_answers_change_no_choice_either():
    sweep = make_sweep()
    scores = sweep.scores.copy()
    scores[split_of(sweep).test] = 0.0
    plain, emptied = (
        measure_options(each, split_of(sweep)) for each in (sweep, replace(sweep, scores=scores))
    )
    assert plain["validation"].tolist() == emptied["validation"].tolist()


def test_the_pick_is_the_best_on_validation_and_scored_on_test():
    sweep, split = make_sweep(), split_of(make_sweep())
    picked = study_protocols([sweep], seed=0, draws=200).picks.iloc[0]
    assert (picked["read_out"], picked["score_range"]) == ("soft", "1-5")
    expected = [spearmanr(sweep.scores[split.test, k], sweep.target[split.test])[0] for k in (1, 0)]
    assert [picked["test"], picked["reference_test"]] == pytest.approx(expected)
    assert picked["low"] < picked["difference"] < picked["high"]
    assert picked["rows"] == len(split.test)


def test_picking_the_reference_gains_exactly_nothing():
    picked = study_protocols([make_sweep((0.1, 3.0, 3.0, 3.0))], seed=0, draws=50).picks.iloc[0]
    assert [picked["difference"], picked["low"], picked["high"]] == [0, 0, 0]


def test_a_missing_answer_counts_as_the_training_mean():
    sweep = make_sweep()
    split = split_of(sweep)
    scores = sweep.scores.copy()
    lost = split.validation[::2]
    scores[lost, 1] = np.nan
    measured = measure_options(replace(sweep, scores=scores), split)
    filled = scores[:, 1].copy()
    filled[lost] = scores[split.fit, 1].mean()
    expected = spearmanr(filled[split.validation], sweep.target[split.validation])[0]
    assert measured["validation"].iloc[1] == pytest.approx(expected)
    assert measured["missing"].tolist() == [0, len(lost), 0, 0]


def test_a_missing_verdict_is_wrong():
    sweep = make_sweep(metric="accuracy")
    split = split_of(sweep)
    scores = sweep.scores.copy()
    scores[split.validation, 0] = np.nan
    assert measure_options(replace(sweep, scores=scores), split)["validation"].iloc[0] == 0


def test_ties_go_to_the_first_and_undefined_values_never_win():
    assert pick_option(np.array([0.3, 0.3 + 1e-14, 0.2])) == 0
    assert pick_option(np.array([np.nan, -0.5, np.nan])) == 1


def test_contrasts_pair_what_is_alike_in_all_else():
    options = pd.DataFrame(OPTIONS, columns=list(OPTION_COLUMNS))
    by_name = {contrast.name: contrast for contrast in CONTRASTS}
    assert contrast_pairs(options, by_name["soft - hard"]) == [(1, 0), (3, 2)]
    assert contrast_pairs(options, by_name["1-10 - 1-5"]) == [(2, 0), (3, 1)]
    assert contrast_pairs(options, by_name["with reference - without"]) == []


def test_contrasts_are_differences_of_spearman_on_shared_rows():
    sweep = make_sweep()
    scores = sweep.scores.copy()
    scores[:30, 0] = np.nan
    found = contrast_protocols([replace(sweep, scores=scores)], seed=0, draws=200)
    first = found[found["contrast"] == "soft - hard"].iloc[0]
    expected = [spearmanr(scores[30:, k], sweep.target[30:])[0] for k in (1, 0)]
    assert [first["first"], first["second"]] == pytest.approx(expected)
    assert first["difference"] == pytest.approx(expected[0] - expected[1])
    assert 0 < first["low"] < first["difference"] < first["high"]
    assert first["rows"] == 270


def test_no_pairs_give_an_empty_table_with_its_columns():
    found = contrast_protocols([make_sweep((1.0,))], seed=0)
    assert len(found) == 0
    assert {"contrast", "difference", "low", "high"} <= set(found.columns)


def test_repairs_by_hand():
    scores = np.array([[1.0], [2.0], [3.0]])
    repair = LabelRepair(
        "set", "cell", "shifted", ["j"], scores, np.array([3.0, 1, 2]), np.array([1.0, 2, 3])
    )
    found = study_repairs([repair]).iloc[0]
    assert (found["published_label"], found["repaired_label"], found["changed"]) == (-0.5, 1.0, 3)


def test_a_protocol_listed_twice_is_refused():
    options = pd.DataFrame([OPTIONS[0]] * 2, columns=list(OPTION_COLUMNS))
    with pytest.raises(InvalidInput, match="each protocol once"):
        ProtocolSweep("s", "c", "j", "spearman", options, np.zeros((3, 2)), np.zeros(3), np.arange(3))
