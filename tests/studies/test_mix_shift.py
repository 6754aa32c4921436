import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.studies.mix_shift import Mix, mixed_splits, study_mixes, study_turned_mix
from tests.strategies import good_judges, make_pool

MIX = Mix("s0", "easy-heavy", "hard-heavy")


def two_sided_pool(rows=600, seed=0):
    """Judge a is right on slice s0 and turned round on s1; judge b is fair everywhere."""
    rng = np.random.default_rng(seed)
    target, part = rng.integers(0, 2, rows), rng.integers(0, 2, rows)
    right = np.stack([rng.random(rows) < np.where(part, 0.4, 0.95), rng.random(rows) < 0.7], axis=1)
    return make_pool(np.where(right, target[:, None], 1 - target[:, None]), target, slices=part)


def test_both_directions_are_studied_on_their_mixes():
    pool = two_sided_pool()
    table = study_turned_mix(
        pool, MIX, ["single_best"], PlanSettings(), splits=3, rng=np.random.default_rng(0)
    )
    assert table[["construction_mix", "deployment_mix"]].drop_duplicates().to_numpy().tolist() == [
        ["easy-heavy", "hard-heavy"],
        ["hard-heavy", "easy-heavy"],
    ]
    assert len(table) == 6


def test_a_judge_trusted_on_one_part_fails_on_the_other_unless_its_tables_know_the_slice():
    pool = two_sided_pool(2000)
    policies = ["single_best", "single_best_sliced"]
    table = study_turned_mix(pool, MIX, policies, PlanSettings(), splits=6, rng=np.random.default_rng(0))
    easy = table[table["construction_mix"] == "easy-heavy"].groupby("policy")["risk"].mean()
    assert easy["single_best"] > 0.3
    assert easy["single_best_sliced"] < 0.22


def test_test_rows_are_the_same_and_construction_as_large_at_every_mix():
    groups = np.arange(200) // 2
    inside = groups < 40
    splits = mixed_splits(groups, inside, shares=(0.2, 0.5, 0.8), rng=np.random.default_rng(0))
    for share, split in splits.items():
        assert np.array_equal(split.test, splits[0.2].test)
        assert len(split.construction) == len(splits[0.2].construction)
        assert inside[split.construction].mean() == pytest.approx(share, abs=0.02)
        assert not set(groups[split.construction]) & set(groups[split.test])
        assert not set(groups[split.fit]) & set(groups[split.validation])
    assert inside[splits[0.2].test].sum() == 2 * round(40 / 3)


def test_a_larger_share_adds_groups_of_the_part_and_drops_none():
    groups = np.arange(120)
    inside = groups < 60
    splits = mixed_splits(groups, inside, shares=(0.3, 0.6), rng=np.random.default_rng(0))
    few, many = (set(split.construction[inside[split.construction]]) for split in splits.values())
    assert few < many


def test_each_part_is_scored_on_its_own():
    pool = two_sided_pool()
    table = study_mixes(
        pool,
        MIX,
        ["slice_stack"],
        PlanSettings(),
        shares=(0.5,),
        splits=4,
        rng=np.random.default_rng(0),
    )
    assert (table["part_risk"] < table["other_risk"]).all()
    assert (table["part_calls"] == 2).all()


@pytest.mark.parametrize(
    ("shares", "message"),
    [((), "shares"), ((1.2,), "shares"), ((float("nan"),), "shares")],
)
def test_shares_that_make_no_sense_are_refused(shares, message):
    with pytest.raises(InvalidInput, match=message):
        mixed_splits(np.arange(40), np.arange(40) < 20, shares=shares, rng=np.random.default_rng(0))


def test_a_part_too_small_to_plan_on_is_refused():
    with pytest.raises(InvalidInput, match="at least 8 groups"):
        mixed_splits(np.arange(40), np.arange(40) < 4, shares=(0.8,), rng=np.random.default_rng(0))


def test_unknown_names_are_refused():
    pool = good_judges(60, [0.8, 0.7], slices=2)
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="oracle"):
        study_turned_mix(pool, MIX, ["oracle"], PlanSettings(), splits=1, rng=rng)
    with pytest.raises(InvalidInput, match="a slice among"):
        study_mixes(
            pool,
            Mix("s7", "one", "other"),
            ["flat_all"],
            PlanSettings(),
            shares=(0.5,),
            splits=1,
            rng=rng,
        )
