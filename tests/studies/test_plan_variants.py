import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.policies import POLICIES
from judgekit.splits import audit_subsample, split_by_group
from judgekit.stats import jaccard
from judgekit.studies.plan_variants import VARIANTS, plan_variants_table, study_plan_variants
from judgekit.studies.role_policies import pool_rng
from tests.strategies import good_judges
from tests.test_roles import specialists


def studied(variants, pool=None, **options):
    return study_plan_variants(
        pool or specialists(), PlanSettings(), splits=2, seed=1, variants=variants, **options
    )


def test_one_row_agrees_with_planning_by_hand():
    pool = specialists()
    row = studied(["role_strict"]).iloc[1]
    whole_rng, part_rng = pool_rng(1, pool.name).spawn(2)[1].spawn(2)
    whole = split_by_group(pool.groups, rng=whole_rng)
    part = audit_subsample(whole, pool.groups, fraction=0.5, rng=part_rng)
    plans = [POLICIES["role_strict"](pool.audit(each), PlanSettings()) for each in (whole, part)]
    for prefix, plan in zip(("", "part_"), plans, strict=True):
        outcome = plan.apply(pool.codes[whole.test], pool.slices[whole.test])
        risk = np.mean((outcome.probability - pool.target[whole.test]) ** 2)
        assert row[f"{prefix}risk"] == pytest.approx(risk, abs=1e-12)
        assert row[f"{prefix}calls"] == outcome.called.sum(axis=1).mean()
        assert row[f"{prefix}planned_calls"] == len(plan.calls())
    assert row["jaccard"] == jaccard(*(plan.calls() for plan in plans))


def test_variants_do_not_disturb_each_other():
    alone, together = studied(["role_strict"]), studied(["role_routed", "role_strict"])
    again = together[together["policy"] == "role_strict"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, again)


def test_all_of_the_audit_rows_plan_alike():
    study = studied(["role_routed", "role_shrunk"], fraction=1.0)
    assert (study["jaccard"] == 1).all()
    assert (study["risk"] == study["part_risk"]).all()


def test_every_variant_runs_on_a_pool_without_slices():
    study = studied(VARIANTS, good_judges(60, [0.9, 0.7]))
    assert study["policy"].nunique() == len(VARIANTS)
    assert study["risk"].between(0, 0.5).all()


def test_the_table_is_of_means_and_paired_differences():
    study = studied(["role_routed", "role_strict"])
    table = plan_variants_table(study).set_index("policy")
    wide = study.pivot_table(index="split", columns="policy", values="risk")
    difference = (wide["role_strict"] - wide["role_routed"]).mean()
    assert table.loc["role_strict", "risk_minus_reference"] == pytest.approx(difference)
    assert table.loc["role_routed", "risk_minus_reference"] == 0
    assert table.loc["role_strict", "jaccard"] == pytest.approx(
        study["jaccard"][study["policy"] == "role_strict"].mean()
    )
    assert (table["splits"] == 2).all()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: studied(["role_best"]), "variants"),
        (lambda: studied(["full_stack"]), "variants"),
        (lambda: study_plan_variants(specialists(), PlanSettings(), splits=0, seed=0), "splits"),
        (lambda: plan_variants_table(studied(["role_strict"])), "reference"),
    ],
)
def test_wrong_requests_are_named(call, field):
    with pytest.raises(InvalidInput) as raised:
        call()
    assert raised.value.field == field
