"""The introduction's frames, pair additions, and roles and regimes over settings."""

import numpy as np
import pytest

from judgekit.plan import PlanSettings
from judgekit.sources.settings import load_role_pool
from judgekit.studies.introduction import accuracy_by_slice, some_verdicts
from judgekit.studies.pair_addition import study_pair_addition
from judgekit.studies.role_advice import study_regimes, study_roles


@pytest.fixture(scope="module")
def pool():
    return load_role_pool("simulated", "sim_jbb7")


def test_accuracy_by_slice_is_the_share_of_right_verdicts(pool):
    frame = accuracy_by_slice(pool)
    rows = pool.slices == 0
    right = (pool.codes[rows, 0] == pool.target[rows]).mean()
    assert frame.loc[pool.judges[0], pool.slice_names[0]] == pytest.approx(right)
    assert frame.shape == (len(pool.judges), len(pool.slice_names))


def test_some_verdicts_are_rows_of_the_pool(pool):
    frame = some_verdicts(pool, rows=5, rng=np.random.default_rng(1))
    assert len(frame) == 5
    assert set(frame["slice"]) <= set(pool.slice_names)
    assert set(frame[pool.judges[0]]) <= {0, 1}


def test_where_the_panel_stops_no_single_judge_reaches_the_threshold(pool):
    gains = study_pair_addition(pool, PlanSettings(), splits=3, rng=np.random.default_rng(0))
    assert (gains["best_single_gain"] < 0.005).all()
    assert (gains["pair_only"] == (gains["best_pair_gain"] >= 0.005)).all()


def test_roles_name_every_judge_once_a_slice(pool):
    frame = study_roles([pool], PlanSettings(), repeats=2, seed=0)
    counts = frame.groupby("judge")["slice"].nunique()
    assert (counts == 1 + len(pool.slice_names)).all()
    assert set(frame["role"]) <= {"copy", "complement", "specialist", "both"}


def test_a_regime_is_named_without_test_labels(pool):
    from dataclasses import replace

    from judgekit.studies.role_policies import draw_splits, pool_rng

    before = study_regimes([pool], PlanSettings(), splits=1, seed=0)
    split = draw_splits(pool, splits=1, rng=pool_rng(0, pool.name))[0]
    target = pool.target.copy()
    target[split.test] = 1 - target[split.test]
    after = study_regimes([replace(pool, target=target)], PlanSettings(), splits=1, seed=0)
    told = [column for column in before if not column.endswith(("test_risk",)) and column != "test_calls"]
    assert before[told].equals(after[told])
    assert before["test_risk"].item() != after["test_risk"].item()
