"""Homogeneous and mixed pools: one set of rows, members as named, choices made without test labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from judgekit.gate import GateSettings
from judgekit.sources.cells import load_cell
from judgekit.sources.expert_values import simulated_experts
from judgekit.studies.aggregation import split_cell
from judgekit.studies.experts import ExpertSettings, study_experts
from judgekit.studies.mixed_pools import LearnedSettings, admitted, study_mixed_pools

SETTINGS = ExpertSettings(draws=20)
GATES = LearnedSettings(seeds=1, gate=GateSettings(epochs=1, hidden=4))
CELL = "sim_topicalchat_1_5"


@pytest.fixture(scope="module")
def expert_cell():
    knobs = {"good": {"skill": 0.7, "echo": 0.0}, "echo": {"skill": 0.1, "echo": 0.9}}
    return simulated_experts(load_cell("simulated", CELL), {"seed": 3, "experts": knobs})


def pools(each):
    return study_mixed_pools(
        [each], {CELL: ["good"]}, {CELL: ["good"]}, seed=0, settings=SETTINGS, gates=GATES
    )


@pytest.fixture(scope="module")
def found_pools(expert_cell):
    return pools(expert_cell)


def test_pools_have_the_members_that_their_names_say(found_pools):
    found = found_pools.set_index("pool")
    assert found["judges"].to_dict() == {
        "judges": 6,
        "experts": 0,
        "judges + good": 6,
        "judges + admitted": 6,
        "judges + all": 6,
    }
    assert found["experts"].tolist() == [0, 2, 1, 1, 2]
    assert found["learned"].notna().tolist() == [True, False, True, False, False]


def test_pools_agree_with_the_study_of_single_experts(expert_cell, found_pools):
    found = found_pools.set_index("pool")
    alone = study_experts([expert_cell.among(["good"])], seed=0, settings=SETTINGS).iloc[0]
    assert found.loc["judges", "uniform_log"] == pytest.approx(alone["pool"], abs=1e-6)
    assert found.loc["judges + good", "uniform_log"] == pytest.approx(alone["mixed"], abs=1e-6)
    assert found.loc["judges + good", "best_subset"] == pytest.approx(alone["repaired"], abs=1e-6)


def test_test_labels_choose_nothing(expert_cell, found_pools):
    test = split_cell(expert_cell.cell, seed=0).split.test
    target = expert_cell.cell.judgments.target.copy()
    target[test] = target[test][::-1]
    judgments = replace(expert_cell.cell.judgments, target=target)
    other = replace(expert_cell, cell=replace(expert_cell.cell, judgments=judgments))
    before, after = found_pools, pools(other)
    pd.testing.assert_frame_equal(before[["member", "subset"]], after[["member", "subset"]])
    assert not np.allclose(before["uniform_log"], after["uniform_log"])


def test_only_admitted_experts_are_listed():
    frame = pd.DataFrame(
        {"benchmark_cell": ["s", "s", "t"], "expert": ["a", "b", "c"], "admitted": [True, False, False]}
    )
    assert admitted(frame) == {"s": ["a"], "t": []}
