import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.policies import POLICIES
from judgekit.studies.audit_size import halve_anew, plan_overlap, study_audit_sizes
from judgekit.studies.role_policies import pool_rng, study_policies
from tests.strategies import audited, good_judges, halves, make_pool

POLICIES_STUDIED = ["role_routed", "reliability_jury"]


def sizes(pool, percents=(25, 50), splits=4, seed=0):
    return study_audit_sizes(
        pool,
        POLICIES_STUDIED,
        PlanSettings(),
        percents=percents,
        splits=splits,
        rng=pool_rng(seed, pool.name),
    )


def test_the_full_audit_is_the_study_of_all_policies():
    pool = good_judges(200, [0.8, 0.7, 0.6], slices=2)
    table = sizes(pool)
    plain = study_policies(
        pool, POLICIES_STUDIED, PlanSettings(), splits=4, rng=pool_rng(0, pool.name)
    ).scores
    full = table[(table["audit_percent"] == 100) & (table["halves"] == "kept")]
    assert full["risk"].tolist() == plain["risk"].tolist()
    assert full["cost"].tolist() == plain["cost"].tolist()
    assert (full.loc[full["policy"] == "role_routed", "plan_jaccard"] == 1).all()


def test_parts_are_as_large_as_asked_and_the_test_half_stays():
    pool = good_judges(200, [0.8, 0.7], slices=2)
    table = sizes(pool)
    rows = table.groupby(["audit_percent", "halves"])["audit_rows"].unique().map(list).to_dict()
    assert rows == {(25, "kept"): [25], (50, "kept"): [50], (100, "kept"): [100], (100, "anew"): [100]}
    assert table["test_fraction"].unique().tolist() == [0.5]


def test_policies_that_are_no_plans_have_no_overlap():
    pool = good_judges(100, [0.8, 0.7])
    table = sizes(pool)
    assert table.loc[table["policy"] == "reliability_jury", "plan_jaccard"].isna().all()
    assert table["risk"].notna().all()


def test_more_labels_lower_the_risk_of_a_plan_with_much_to_learn():
    pool = good_judges(1200, [0.7, 0.7, 0.7, 0.7, 0.7], seed=2)
    risk = sizes(pool, percents=(5,), splits=10).groupby(["policy", "audit_percent"])["risk"].mean()
    assert risk["role_routed", 5] > risk["role_routed", 100] + 0.01


def test_a_part_with_labels_all_alike_is_counted_as_missing():
    target = np.zeros(80)
    target[:6] = 1
    codes = np.stack([target, np.tile([0, 1], 40)], axis=1)
    table = sizes(make_pool(codes, target), percents=(5,), splits=12)
    part = table[(table["audit_percent"] == 5) & (table["policy"] == "role_routed")]
    assert part["risk"].isna().any()
    assert len(part) == 12


def test_halving_anew_keeps_rows_and_groups_together():
    pool = make_pool(np.zeros((60, 2)), np.tile([0, 1], 30), groups=np.arange(60) // 2)
    split = halves(pool)
    again = halve_anew(split, pool.groups, rng=np.random.default_rng(1))
    assert np.array_equal(again.construction, split.construction)
    assert again.test is split.test
    assert not set(pool.groups[again.fit]) & set(pool.groups[again.validation])
    assert not np.array_equal(again.fit, split.fit)
    assert len(np.unique(pool.groups[again.validation])) == 8


def test_overlap_is_the_jaccard_index_of_calls():
    pool = good_judges(200, [0.9, 0.6, 0.6])
    audit = audited(pool)
    one = POLICIES["single_best"](audit, PlanSettings())
    everyone = POLICIES["flat_all"](audit, PlanSettings())
    assert plan_overlap(one, everyone) == pytest.approx(1 / 3)
    assert np.isnan(plan_overlap(one, POLICIES["full_stack"](audit, PlanSettings())))


@pytest.mark.parametrize("percents", [(0,), (150,)])
def test_a_percentage_out_of_range_is_refused(percents):
    with pytest.raises(InvalidInput, match="percents"):
        sizes(good_judges(40, [0.8, 0.7]), percents=percents)


def test_an_unknown_policy_is_refused():
    with pytest.raises(InvalidInput, match="oracle"):
        study_audit_sizes(
            good_judges(40, [0.8, 0.7]),
            ["oracle"],
            PlanSettings(),
            percents=(50,),
            splits=1,
            rng=np.random.default_rng(0),
        )
