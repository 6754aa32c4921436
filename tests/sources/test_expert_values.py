"""Scalar experts and prompt pools: aligned by item, made from known quality, references left out."""

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.metrics import spearman
from judgekit.sources.cells import load_cell
from judgekit.sources.expert_values import (
    align,
    declared,
    load_expert_cells,
    load_prompt_pools,
    more_prompts,
    read_alike,
    reference_items,
    simulated_experts,
    tilt,
)
from judgekit.sources.recording import Recording

ITEMS = pd.Series(["a", "b", "c"])


@pytest.fixture(scope="module")
def cell():
    return load_cell("simulated", "sim_summeval_1_5")


def test_values_follow_their_items_and_gaps_are_nan():
    rows = pd.DataFrame({"item": ["c", "a", "elsewhere"], "raw_score": [3.0, 1.0, 9.0]})
    np.testing.assert_array_equal(align(rows, ITEMS, "metric"), [1.0, np.nan, 3.0])


def test_a_metric_that_was_never_measured_here_fails():
    rows = pd.DataFrame({"item": ["x", "y"], "raw_score": [3.0, 1.0]})
    with pytest.raises(InvalidInput, match=r"metric\.raw_score"):
        align(rows, ITEMS, "metric")


def test_two_values_for_one_item_fail():
    rows = pd.DataFrame({"item": ["a", "a"], "raw_score": [3.0, 1.0]})
    with pytest.raises(InvalidInput, match="one value an item"):
        align(rows, ITEMS, "metric")


def test_simulated_experts_see_quality_as_declared(cell):
    entry = {"seed": 1, "experts": {"good": {"skill": 0.5, "echo": 0.0}, "echo": {"skill": 0.0, "echo": 1.0}}}
    values = simulated_experts(cell, entry).scalars
    quality = cell.truth.quality
    assert np.corrcoef(values.of("good"), quality)[0, 1] == pytest.approx(0.5, abs=0.05)
    assert np.corrcoef(values.of("echo"), quality)[0, 1] == pytest.approx(0.0, abs=1e-6)
    mistakes = np.nanmean(cell.soft, axis=1) - np.polyval(
        np.polyfit(quality, np.nanmean(cell.soft, axis=1), 1), quality
    )
    assert np.corrcoef(values.of("echo"), mistakes)[0, 1] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("knobs", [{"skill": 1.5, "echo": 0.0}, {"skill": 0.5, "echo": -0.1}])
def test_impossible_knobs_are_refused(cell, knobs):
    with pytest.raises(InvalidInput, match="skill in"):
        simulated_experts(cell, {"seed": 1, "experts": {"bad": knobs}})


def test_a_tilt_of_zero_changes_nothing(cell):
    probs = cell.judgments.probs
    same = tilt(probs, cell.judgments.support, 0.0, rng=np.random.default_rng(0))
    np.testing.assert_allclose(same, probs, atol=1e-6)


def test_further_prompts_stand_beside_the_first_ones(cell):
    grown = more_prompts(cell, {"more": 2, "tilt": 0.3, "seed": 1})
    assert grown.pools["base"] == cell.pools["compact"]
    assert len(grown.pools["expanded"]) == 3 * len(cell.pools["compact"])
    assert grown.judgments.names[3] == f"{cell.pools['compact'][0]} / prompt2"


def test_unknown_parts_and_profiles_are_named():
    with pytest.raises(InvalidInput, match="part"):
        declared("simulated", "nothing")
    with pytest.raises(InvalidInput, match="profile"):
        declared("local", "experts")


def test_a_reference_that_no_item_is_fails():
    with pytest.raises(InvalidInput, match="leave_out"):
        reference_items(pd.DataFrame({"system": ["B", "C"]}), {"system": "A"}, "cell")


def test_distributions_beside_hard_scores_are_read_as_hard_scores():
    judges = pd.DataFrame(
        {
            "judge": ["m", "m", "n"],
            "protocol": ["a", "b", "a"],
            "read_out": ["distribution", "hard", "distribution"],
        }
    )
    empty = pd.DataFrame()
    recording = Recording("made_up", empty, empty, empty, judges)
    assert read_alike(recording, ["m / a", "n / a"]) is recording
    mixed = read_alike(recording, ["m / a", "m / b"])
    assert mixed.judges["read_out"].tolist() == ["hard", "hard", "distribution"]


@pytest.mark.parametrize("profile", ["simulated", "recorded"])
def test_curves_and_learned_pools_name_declared_experts(profile):
    experts = declared(profile, "experts")

    def names(cell):
        entry = experts[cell]
        return {*entry.get("experts", ()), *entry.get("reference", ()), *entry.get("free", ()), "all"}

    for cell, expert in declared(profile, "curves"):
        assert expert in names(cell)
    for cell, joined in declared(profile, "learned").items():
        assert set(joined) <= names(cell)
    for entry in declared(profile, "stands_for").values():
        for cell in entry["cells"]:
            assert entry["expert"] in set(declared(profile, "learned")[cell])


@pytest.fixture(scope="module")
def recorded():
    return {each.cell.name: each for each in load_expert_cells("recorded")}


@pytest.mark.needs("mirror")
def test_recorded_values_reproduce_the_upstream_correlations(recorded):
    coherence = recorded["dialsumm_coherence"]
    target = coherence.cell.judgments.target
    assert spearman(coherence.scalars.of("bertscore_f1"), target) == pytest.approx(0.389, abs=5e-4)
    assert spearman(coherence.scalars.of("bartscore_s_h"), target) == pytest.approx(0.091, abs=5e-4)
    reward = recorded["judgebench_o1"]
    first = reward.scalars.of("Skywork/Skywork-Reward-Gemma-2-27B") > 0
    hits = first == (reward.cell.judgments.target == 1)
    assert hits.mean() == pytest.approx(0.6429, abs=5e-3)


@pytest.mark.needs("mirror")
def test_system_a_leaves_with_reference_based_metrics(recorded):
    coherence = recorded["dialsumm_coherence"]
    close, free = coherence.among(["bertscore_f1"]), coherence.among(["bartscore_s_h"])
    assert "A" in set(free.cell.judgments.items["system"])
    assert "A" not in set(close.cell.judgments.items["system"])
    assert (len(close.scalars.items), len(free.scalars.items)) == (1300, 1400)


@pytest.mark.needs("mirror")
def test_recorded_prompt_pools_hold_one_prompt_a_model_first():
    pools = {cell.name: cell for cell in load_prompt_pools("recorded")}
    for cell in pools.values():
        models = [name.split(" / ")[0] for name in cell.pools["base"]]
        assert len(models) == len(set(models))
        assert set(cell.pools["base"]) < set(cell.pools["expanded"])
        assert len(cell.hard_only) in (0, len(cell.judgments.names))
    assert len(pools["summeval_coherence_mini"].pools["expanded"]) == 8
    assert len(pools["llmbar"].pools["expanded"]) == 6 * 8
    assert len(pools["llmbar"].judgments.items) == 838
