"""The propositions on judges made to keep or to break them, and a real cell's shape."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from judgekit.errors import InvalidInput
from judgekit.sources.cells import load_cell
from judgekit.studies import propositions as study
from judgekit.studies import theory
from judgekit.studies.propositions import CompleteRows

THREE = np.array([1.0, 2.0, 3.0])


def rows_of(probs, target, support=THREE, groups=None):
    """Complete rows from distributions and labels; every item its own group unless told."""
    probs = np.asarray(probs, dtype=float)
    groups = np.arange(len(probs)) if groups is None else groups
    return CompleteRows(probs, probs @ support, np.asarray(target, dtype=float), support, groups, 0)


def drawn(rng, items, *, judges=3, temperatures=(1.0, 1.0, 1.0), support=THREE):
    """Judges that temper one truth an item, and labels drawn from that truth."""
    truth = softmax(rng.normal(size=(items, len(support))) * 1.5, axis=1)
    taus = np.asarray(temperatures)[None, :, None]
    probs = softmax(np.log(truth)[:, None, :] / taus, axis=2)
    label = support[(rng.random((items, 1)) > truth.cumsum(axis=1)).sum(axis=1).clip(0, len(support) - 1)]
    return rows_of(probs[:, :judges], label, support)


def test_exchanging_shapes_of_one_mean_moves_the_log_pool_alone():
    sure, torn, other = [0.05, 0.9, 0.05], [0.475, 0.05, 0.475], [0.1, 0.3, 0.6]
    found = study.equal_means(rows_of([[sure, other], [torn, other]], [2, 2]))
    pools = theory.same_mean(0.85, np.array(other))
    moved = abs(float((pools.loc["sure + second"] - pools.loc["torn + second"]) @ THREE))
    # the first judge's exchange moves both items by that much, the second's moves nothing
    assert found["log_moves"] == pytest.approx(moved / 2)
    assert found["linear_moves"] == pytest.approx(0, abs=1e-12)
    assert found["mean_apart"] == pytest.approx(0, abs=1e-12)
    assert found["deviation_apart"] == pytest.approx((np.sqrt(0.95) - np.sqrt(0.1)) / 2)


def test_two_buckets_lose_exactly_nothing():
    rng = np.random.default_rng(0)
    rows = drawn(rng, 200, support=np.array([0.0, 1.0]))
    found = study.lost_information(rows, rng=rng)
    assert found["gap"] == 0
    assert found["gap_error"] == 0


def test_a_label_that_follows_the_doubt_is_lost_with_the_shape():
    rng = np.random.default_rng(1)
    probs = rng.dirichlet(np.ones(3), size=(400, 2))
    doubt = probs[:, 0] @ THREE**2 - (probs[:, 0] @ THREE) ** 2
    found = study.lost_information(rows_of(probs, doubt), rng=rng)
    assert found["gap"] > 5 * found["gap_error"] > 0
    assert found["given_distribution"] < found["given_mean"]


def test_gap_error_counts_groups_and_not_rows():
    rng = np.random.default_rng(2)
    probs, noise = rng.dirichlet(np.ones(3), size=(500, 1)), rng.normal(size=500)
    label = probs[:, 0] @ THREE**2 + noise
    fourfold, labels = np.repeat(probs, 4, axis=0), np.repeat(label, 4)
    grouped = rows_of(fourfold, labels, groups=np.repeat(np.arange(500), 4))
    by_group = study.lost_information(grouped, rng=np.random.default_rng(0))["gap_error"]
    by_row = study.lost_information(rows_of(fourfold, labels), rng=np.random.default_rng(0))["gap_error"]
    assert by_group / by_row == pytest.approx(2, rel=0.25)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_one_judge_is_the_unit_and_copies_average_nothing_out(seed, judges):
    rng = np.random.default_rng(seed)
    one = rng.dirichlet(np.ones(3), size=(30, 1))
    rows = rows_of(np.repeat(one, judges, axis=1), rng.choice(THREE, 30))
    found = study.shared_errors(rows)
    assert found["correlation"] == pytest.approx(1)
    for size in range(1, judges + 1):
        assert found[f"{size}_judges"] == pytest.approx(1)
        assert found[f"{size}_formula"] == pytest.approx(1)


def test_the_variance_formula_holds_for_errors_of_equal_variance():
    rng = np.random.default_rng(3)
    shared, own = rng.normal(size=(20_000, 1)), rng.normal(size=(20_000, 3))
    scores = 5 + 0.6 * shared + 0.8 * own
    support = np.array([0.0, 10.0])
    rows = rows_of(np.stack([1 - scores / 10, scores / 10], axis=2), np.full(20_000, 5.0), support)
    found = study.shared_errors(rows)
    assert found["correlation"] == pytest.approx(0.36, abs=0.02)
    for size in (1, 2, 3):
        assert found[f"{size}_judges"] == pytest.approx(found[f"{size}_formula"], abs=0.01)


def test_tempered_judges_have_the_temperature_of_the_formula():
    taus = np.array([0.5, 1.0, 2.0])
    rows = drawn(np.random.default_rng(4), 6000, temperatures=taus)
    star = theory.best_pool_temperature(np.full(3, 1 / 3), taus)
    found = study.pool_temperatures(rows)
    assert found["T_star"] == pytest.approx(star, rel=0.06)
    assert found["T_likelihood"] == pytest.approx(star, rel=0.06)
    assert found["T_squared"] == pytest.approx(star, rel=0.15)
    assert found["excess"] == pytest.approx(found["excess_formula"], abs=0.003)


@pytest.mark.parametrize("good_judges", [2, 3, 4])
def test_turned_pools_are_those_of_the_papers_conditions(good_judges):
    veto = np.geomspace(1e-3, 0.4, 12)
    weak = np.stack([veto, np.full(12, 0.5), 0.5 - veto], axis=1)
    probs = np.concatenate([np.tile([0.6, 0.3, 0.1], (12, good_judges, 1)), weak[:, None]], axis=1)
    found = study.turned_pools(rows_of(probs, np.ones(12)))
    for pool in ("log", "linear"):
        all_of_them, one_fewer = (
            theory.flips(0.6, 0.3, veto, 0.5, count)[f"{pool}_condition"]
            for count in (good_judges, good_judges - 1)
        )
        # the weak judge turns what is turned at all; each good one what would be turned without it
        turned = all_of_them + good_judges * (all_of_them != one_fewer)
        assert found[f"{pool}_turned"] == pytest.approx(turned.mean() / (good_judges + 1))


def test_one_dissenter_worked_by_hand():
    agreed, against = [0.1, 0.3, 0.6], [0.98, 0.01, 0.01]
    found = study.turned_pools(rows_of([[agreed, agreed, against]] * 2, [1, 3]))
    # linear, sums by bucket: 1.18, 0.61, 1.21 of all three, so the third leads, as it does without the
    # dissenter; without one that agrees 1.08, 0.31, 0.61, so each of those two turns the pool.
    # log, products: 0.0098 against 0.0036 of all three: the first leads, as it does without one that agrees.
    assert found["linear_turned"] == pytest.approx(2 / 3)
    assert found["log_turned"] == pytest.approx(1 / 3)
    assert found["log_better"] == found["log_worse"] == pytest.approx(0.5)


def test_pools_that_nobody_turns_have_no_share_for_the_better():
    found = study.turned_pools(rows_of([[[0.1, 0.3, 0.6]] * 3] * 2, [1, 3]))
    assert found["log_turned"] == found["linear_turned"] == 0
    assert np.isnan(found["log_better"])
    assert np.isnan(found["linear_worse"])


def test_a_single_judge_turns_no_pool():
    with pytest.raises(InvalidInput, match="judges: allowed is two or more; given 1"):
        study.turned_pools(rows_of([[[0.1, 0.3, 0.6]]], [1]))


def test_calibrated_judges_read_out_as_supposed():
    found = study.mean_or_mode(drawn(np.random.default_rng(5), 8000))
    assert found["as_supposed"] == 1
    assert found["squared_mean"] < found["squared_mode"]
    assert found["match_mode"] > found["match_mean"]


def test_every_proposition_is_measured_on_every_cell_and_a_seed_fixes_the_digits():
    cells = {name: load_cell("simulated", name) for name in ("sim_roscoe_1_5", "sim_roscoe_1_10")}
    found = study.study_propositions(cells, seed=0)
    assert found.equals(study.study_propositions(cells, seed=0))
    assert list(found["proposition"].unique()) == list(study.PROPOSITIONS)
    assert not found.duplicated(["benchmark_cell", "proposition", "quantity"]).any()
    assert found.groupby("benchmark_cell").size().nunique() == 1
    curves = study.temperature_curves(cells, np.array([0.5, 1.0, 2.0]))
    rows = study.complete_rows(cells["sim_roscoe_1_5"])
    assert curves.loc[1.0, "sim_roscoe_1_5"] == pytest.approx(study.squared_error(rows, 1.0))


def test_rows_that_a_judge_left_out_are_counted_and_too_few_are_refused():
    cell = load_cell("simulated", "sim_roscoe_1_5")
    probs = cell.judgments.probs.copy()
    probs[:10, 0] = np.nan
    holed = replace_probs(cell, probs)
    assert study.complete_rows(holed).left_out == 10 + study.complete_rows(cell).left_out
    probs[3:, 1] = np.nan
    with pytest.raises(InvalidInput, match="items that every judge answered: allowed is from 5 groups"):
        study.complete_rows(replace_probs(cell, probs))


def replace_probs(cell, probs):
    from dataclasses import replace

    return replace(cell, judgments=replace(cell.judgments, probs=probs))
