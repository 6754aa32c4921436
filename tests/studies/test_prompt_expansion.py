"""Prompt pools: exact repeats change no score, and shared errors are counted within and between models."""

import numpy as np
import pytest

from judgekit.gate import GateSettings
from judgekit.sources.cells import load_cell
from judgekit.sources.expert_values import more_prompts
from judgekit.studies.mixed_pools import LearnedSettings
from judgekit.studies.prompt_expansion import _hits, study_prompts

GATES = LearnedSettings(seeds=1, gate=GateSettings(epochs=1, hidden=4))


def prompts(**knobs):
    cell = more_prompts(load_cell("simulated", "sim_topicalchat_1_5"), {"seed": 1, **knobs})
    return study_prompts([cell], seed=0, draws=20, gates=GATES).iloc[0]


def test_exact_repeats_share_every_error_and_change_no_score():
    found = prompts(more=1, tilt=0.0)
    assert found["same_model"] == pytest.approx(1.0, abs=1e-6)
    assert found["other_models"] == pytest.approx(found["base_correlation"], abs=1e-6)
    assert found["correlation_change"] > 0
    assert found[["change", "low", "high"]].to_numpy(float) == pytest.approx(np.zeros(3), abs=1e-4)
    assert (found["models"], found["base_judges"], found["expanded_judges"]) == (3, 3, 6)


def test_noisy_prompts_share_fewer_errors_than_exact_ones():
    assert prompts(more=1, tilt=1.0)["same_model"] < 0.95


def test_verdicts_are_scored_by_accuracy():
    from dataclasses import replace

    from judgekit.judgments import Judgments, judge_frame

    rng = np.random.default_rng(0)
    first = rng.uniform(0.1, 0.9, (40, 4))
    probs = np.stack([1 - first, first], axis=2).astype(np.float32)
    target = (np.arange(40) % 2).astype(float)
    base = load_cell("simulated", "sim_topicalchat_1_5")
    names = ["m / a", "n / a", "m / b", "n / b"]
    items = base.judgments.items.head(40).assign(group=[str(place) for place in range(40)])
    judgments = Judgments(probs, np.array([0.0, 1.0]), target, items, judge_frame(names))
    cell = replace(base, judgments=judgments, pools={"base": names[:2], "expanded": names}, truth=None)
    found = study_prompts([cell], seed=0, draws=20, gates=GATES).iloc[0]
    odds = np.log(first / (1 - first))
    expected = ((odds[:, :2].mean(axis=1) >= 0) == (target == 1)).mean()
    assert found["metric"] == "accuracy"
    assert found["base"] == pytest.approx(expected)
    alone = [((column >= 0) == (target == 1)).mean() for column in odds[:, :2].T]
    assert found[["weakest", "strongest"]].tolist() == pytest.approx(sorted(alone))


def test_a_tied_vote_is_half_right():
    scores, target = np.array([[0.5 - 1e-16], [0.9], [0.9]]), np.array([1.0, 0.0, 1.0])
    assert _hits(scores, target, np.array([0.0, 1.0]))[:, 0].tolist() == [0.5, 0.0, 1.0]
