import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.studies.split_leak import study_split_units, study_twin_leak, twin_splits
from tests.strategies import good_judges, make_pool


def copied_rows(groups=120, seed=0):
    """Two equal rows a group, judged by eight coins: only having seen the twin helps."""
    rng = np.random.default_rng(seed)
    target = np.repeat(rng.integers(0, 2, groups), 2)
    codes = np.repeat(rng.integers(0, 2, (groups, 8)), 2, axis=0)
    return make_pool(codes, target, groups=np.arange(2 * groups) // 2)


def test_twins_are_other_rows_of_the_tested_groups():
    groups = np.repeat(np.arange(30), 2)
    splits = twin_splits(groups, rng=np.random.default_rng(0))
    clean, leaky = splits["other groups"], splits["twins"]
    assert np.array_equal(clean.test, leaky.test)
    assert len(clean.construction) == len(leaky.construction) == len(clean.test) == 15
    assert set(groups[leaky.construction]) == set(groups[leaky.test])
    assert not set(leaky.construction) & set(leaky.test)
    assert not set(groups[clean.construction]) & set(groups[clean.test])
    assert len(set(groups[clean.construction])) == 15


def test_groups_of_one_row_are_left_out():
    groups = np.concatenate([np.arange(20), np.arange(20), np.arange(20, 29)])
    for split in twin_splits(groups, rng=np.random.default_rng(0)).values():
        assert max(groups[split.construction].max(), groups[split.test].max()) < 20


def test_a_leak_shows_where_twins_are_equal():
    table = study_twin_leak(
        copied_rows(), ["flat_all"], PlanSettings(), splits=5, rng=np.random.default_rng(0)
    )
    risk = table.groupby("construction")["risk"].mean()
    assert risk["twins"] < risk["other groups"] - 0.02


def test_row_splits_look_better_where_rows_of_a_group_are_equal():
    table = study_split_units(copied_rows(), ["flat_all"], PlanSettings(), splits=8, seed=0)
    risk = table.groupby("split_by")["risk"].mean()
    assert risk["row"] < risk["group"] - 0.01


def test_single_rows_and_unknown_policies_are_refused():
    pool = good_judges(60, [0.8, 0.7])
    with pytest.raises(InvalidInput, match="two rows or more"):
        study_twin_leak(pool, ["flat_all"], PlanSettings(), splits=1, rng=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="oracle"):
        study_twin_leak(copied_rows(), ["oracle"], PlanSettings(), splits=1, rng=np.random.default_rng(0))
