import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.panel import quality_order
from judgekit.plan import PlanSettings
from judgekit.policies import POLICIES
from judgekit.signals import Signal
from judgekit.sources.settings import load_role_pool, load_role_pools
from judgekit.studies.copies import (
    Copies,
    add_copies,
    duplicate_gains,
    near_copy_gains,
    noisy_copy,
    study_copies,
    without_judges,
)
from judgekit.studies.role_policies import pool_rng, study_policies
from tests.strategies import audited, cases, good_judges, halves, make_pool, settings_of_plans

ROLE_PLANS = ["global_panel", "global_panel_sliced", "role_routed", "role_strict", "role_strict_sliced"]
EXACT = {"base": Copies(0), "best": Copies(4), "each": Copies(2, "each")}


@hypothesis_settings(max_examples=40)
@given(cases(), settings_of_plans, st.sampled_from([Copies(1), Copies(4), Copies(2, "each")]))
def test_exact_copies_change_no_digit_of_any_role_plan(case, settings, copies):
    pool, split = case.pool, case.split
    copied = add_copies(pool, copies, quality_order(pool.audit(split), settings), [])
    for policy in [*ROLE_PLANS, "flat_all"]:
        own, with_copies = (
            POLICIES[policy](each.audit(split), settings).apply(
                each.codes[split.test], each.slices[split.test]
            )
            for each in (pool, copied)
        )
        assert np.array_equal(own.probability, with_copies.probability)
        if policy != "flat_all":
            assert np.array_equal(own.called, with_copies.called[:, : len(pool.judges)])
            assert not with_copies.called[:, len(pool.judges) :].any()


@hypothesis_settings(max_examples=30)
@given(cases())
def test_the_cascade_keeps_its_answers_and_never_calls_less(case):
    pool, split = case.pool, case.split
    copied = add_copies(pool, Copies(3), quality_order(case.audit, PlanSettings()), [])
    own, longer = (
        POLICIES["frugal_cascade"](each.audit(split), PlanSettings()).apply(each.codes, each.slices)
        for each in (pool, copied)
    )
    assert np.array_equal(own.probability, longer.probability)
    assert np.all(longer.called.sum(axis=1) >= own.called.sum(axis=1))


def test_a_study_reports_every_condition_and_leaves_role_plans_where_they_were():
    pool = good_judges(240, [0.85, 0.75, 0.7], slices=2, shared=0.2)
    policies = ["role_routed", "reliability_jury", "flat_all"]
    table = study_copies(pool, policies, PlanSettings(), EXACT, splits=4, rng=np.random.default_rng(0))
    assert len(table) == 3 * 4 * len(policies)
    wide = table.pivot(index=["policy", "split"], columns="condition", values=["risk", "calls", "cost"])
    for condition in ("best", "each"):
        for measure in ("risk", "calls", "cost"):
            assert (
                wide[measure][condition].loc["role_routed"] == wide[measure]["base"].loc["role_routed"]
            ).all()
        assert (wide["risk"][condition].loc["flat_all"] == wide["risk"]["base"].loc["flat_all"]).all()
    assert (wide["cost"]["best"].loc["flat_all"] == wide["cost"]["base"].loc["flat_all"] + 4).all()
    assert table.loc[table["policy"] == "flat_all", "copy_calls"].unique().tolist() == [0, 4, 2]


def test_a_jury_believes_the_copies_of_a_judge_it_trusts():
    pool = good_judges(600, [0.75, 0.72, 0.7, 0.68], seed=1)
    table = study_copies(
        pool, ["reliability_jury"], PlanSettings(), EXACT, splits=5, rng=np.random.default_rng(0)
    )
    risk = table.groupby("condition")["risk"].mean()
    assert risk["best"] > risk["base"] + 0.01


def test_the_base_condition_is_the_study_of_all_policies():
    pool = good_judges(120, [0.8, 0.7], slices=2)
    policies = ["single_best", "role_routed"]
    copies = study_copies(
        pool, policies, PlanSettings(), {"base": Copies(0)}, splits=3, rng=pool_rng(0, pool.name)
    )
    plain = study_policies(pool, policies, PlanSettings(), splits=3, rng=pool_rng(0, pool.name)).scores
    columns = ["split", "policy", "risk", "cost", "calls"]
    pd.testing.assert_frame_equal(copies[columns], plain[columns])


def test_the_best_judge_is_the_one_of_lowest_validation_risk():
    pool = good_judges(400, [0.6, 0.9, 0.7])
    assert quality_order(audited(pool), PlanSettings()).tolist() == [1, 2, 0]


def test_equal_judges_keep_pool_order():
    right = np.tile([0, 1], 20)
    pool = make_pool(np.stack([right, right, right], axis=1), right)
    assert quality_order(audited(pool), PlanSettings()).tolist() == [0, 1, 2]


@pytest.mark.parametrize("levels", [2, 5])
def test_flips_turn_round_about_the_share_asked_for(levels):
    codes = np.random.default_rng(0).integers(0, levels, 4000).astype(np.int8)
    copy = noisy_copy(
        codes, np.zeros(4000, int), Copies(1, share=0.3), levels=levels, rng=np.random.default_rng(1)
    )
    assert (copy != codes).mean() == pytest.approx(0.3, abs=0.03)
    assert copy.min() >= 0
    assert copy.max() < levels


def test_redraws_keep_the_verdicts_of_each_label_and_slice():
    strata = np.repeat([0, 1], 2000)
    codes = np.concatenate([np.ones(1800), np.zeros(200), np.zeros(1800), np.ones(200)]).astype(np.int8)
    copies = Copies(1, noise="redraw", share=1.0)
    copy = noisy_copy(codes, strata, copies, levels=2, rng=np.random.default_rng(0))
    for stratum in (0, 1):
        rows = strata == stratum
        assert copy[rows].mean() == pytest.approx(codes[rows].mean(), abs=0.03)
        assert np.corrcoef(copy[rows], codes[rows])[0, 1] == pytest.approx(0, abs=0.08)


def test_noise_grows_without_moving():
    codes = np.zeros(200, dtype=np.int8)
    strata = np.zeros(200, dtype=int)
    small, large = (
        noisy_copy(codes, strata, Copies(1, share=share), levels=2, rng=np.random.default_rng(3))
        for share in (0.1, 0.4)
    )
    assert np.all(large[small == 1] == 1)
    assert large.sum() > small.sum()


def test_an_exact_duplicate_gains_nothing():
    pool = good_judges(300, [0.8, 0.75, 0.7], slices=2)
    gains = duplicate_gains(pool, PlanSettings(), splits=5, rng=np.random.default_rng(0))
    assert gains["split"].nunique() == 5
    assert gains["gain"].abs().max() < 1e-12


def test_near_copies_by_hand():
    pool = good_judges(400, [0.8, 0.5, 0.8])
    codes = pool.codes.copy()
    codes[:, 1] = codes[:, 0]
    codes[:4, 1] = 1 - codes[:4, 1]
    pool = dataclasses.replace(pool, codes=codes)
    table = near_copy_gains(pool, [("a", "b")], PlanSettings(), splits=4, rng=np.random.default_rng(0))
    assert table["agreement"].unique().tolist() == [0.99]
    assert table["other"].unique().tolist() == ["c"]
    assert table["copy_gain"].abs().max() < 0.005
    assert table["other_gain"].mean() > 0.01
    assert table["error_correlation"].iloc[0] > 0.9


def test_leaving_judges_out_keeps_the_rows():
    pool = good_judges(50, [0.8, 0.7, 0.6])
    fewer = without_judges(pool, ["b"])
    assert fewer.judges == ("a", "c")
    assert np.array_equal(fewer.codes, pool.codes[:, [0, 2]])
    assert fewer.target is pool.target


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Copies(-1), "count"),
        (lambda: Copies(1, share=1.5), "share"),
        (lambda: Copies(1, share=float("nan")), "share"),
    ],
)
def test_copies_that_make_no_sense_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_unknown_names_are_refused():
    pool = good_judges(60, [0.8, 0.7, 0.6])
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="policies"):
        study_copies(pool, ["oracle"], PlanSettings(), EXACT, splits=1, rng=rng)
    with pytest.raises(InvalidInput, match="at most the 3 judges"):
        study_copies(pool, ["flat_all"], PlanSettings(), {"base": Copies(4, "each")}, splits=1, rng=rng)
    with pytest.raises(InvalidInput, match="near copies"):
        near_copy_gains(pool, [("a", "z")], PlanSettings(), splits=1, rng=rng)
    signalled = dataclasses.replace(pool, signal=Signal("judge", ("a",)))
    with pytest.raises(InvalidInput, match="leave out"):
        without_judges(signalled, ["a"])


def test_one_split_is_enough_for_a_pool_with_copies():
    pool = good_judges(60, [0.8, 0.7])
    split = halves(pool)
    copied = add_copies(pool, Copies(2), np.array([1, 0]), [])
    assert copied.judges == ("a", "b", "b copy 1", "b copy 2")
    assert np.array_equal(copied.audit(split).pool.codes[:, 2], copied.audit(split).pool.codes[:, 1])


@pytest.mark.needs("mirror")
def test_exact_copies_change_no_role_plan_on_any_recorded_setting():
    conditions = {"base": Copies(0), "+4 copies": Copies(4)}
    for pool in load_role_pools("recorded"):
        table = study_copies(
            pool,
            ["role_routed", "role_strict"],
            PlanSettings(),
            conditions,
            splits=2,
            rng=pool_rng(0, pool.name),
        )
        wide = table.pivot(index=["policy", "split"], columns="condition", values=["risk", "cost", "calls"])
        for measure in ("risk", "cost", "calls"):
            assert wide[measure]["base"].tolist() == wide[measure]["+4 copies"].tolist()
        assert (table["copy_calls"] == 0).all()


@pytest.mark.needs("mirror")
def test_four_copies_on_llmbar_as_reproduced():
    pool = load_role_pool("recorded", "llmbar_gpt4")
    policies = ["reliability_jury", "frugal_cascade", "role_routed"]
    conditions = {"base": Copies(0), "+4 copies": Copies(4)}
    table = study_copies(pool, policies, PlanSettings(), conditions, splits=10, rng=pool_rng(0, pool.name))
    mean = table.groupby(["policy", "condition"])[["risk", "cost"]].mean()
    assert mean.loc[("role_routed", "+4 copies")].tolist() == pytest.approx([0.102537, 2.793323], abs=2e-6)
    assert mean.loc[("reliability_jury", "base"), "risk"] == pytest.approx(0.118390, abs=2e-6)
    assert mean.loc[("reliability_jury", "+4 copies"), "risk"] == pytest.approx(0.151716, abs=2e-6)
    assert mean.loc[("frugal_cascade", "base")].tolist() == pytest.approx([0.122574, 3.191518], abs=2e-6)
    assert mean.loc[("frugal_cascade", "+4 copies")].tolist() == pytest.approx([0.122574, 6.208683], abs=2e-6)
