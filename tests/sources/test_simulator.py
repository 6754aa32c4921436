from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.sources.simulator import Scenario, SimulatedJudge, simulate

SLICES = {"easy": 0.3, "hard": 0.7}


def drawn(judges, *, seed=0, **knobs):
    return simulate(Scenario(judges, **knobs), rng=np.random.default_rng(seed))


def right(judgments) -> np.ndarray:
    """Whether each verdict equals the label."""
    return judgments.codes == judgments.target[:, None]


@pytest.mark.parametrize("rows_per_group", [1, 2])
@pytest.mark.parametrize(("shared", "group"), [(0.0, 0.0), (0.5, 0.0), (0.3, 0.4)])
def test_accuracies_by_slice_are_the_stated_ones(shared, group, rows_per_group):
    judges = {"a": SimulatedJudge({"easy": 0.95, "hard": 0.55}), "b": SimulatedJudge(0.3)}
    judgments = drawn(
        judges,
        groups=20_000,
        slices=SLICES,
        shared_error=shared,
        group_error=group,
        rows_per_group=rows_per_group,
    )
    found = right(judgments)
    groups = judgments.items["group"].to_numpy()
    for name, accuracies in {"easy": (0.95, 0.3), "hard": (0.55, 0.3)}.items():
        inside = (judgments.items["slice"] == name).to_numpy()
        independent = len(np.unique(groups[inside]))
        for judge, accuracy in enumerate(accuracies):
            error = np.sqrt(accuracy * (1 - accuracy) / independent)
            assert found[inside, judge].mean() == pytest.approx(accuracy, abs=4 * error)


def test_slice_shares_are_met_by_counts():
    items = drawn({"a": SimulatedJudge(), "b": SimulatedJudge()}, groups=1000, slices=SLICES).items
    assert items["slice"].value_counts().to_dict() == {"easy": 300, "hard": 700}
    thin = {"a": 0.333333, "b": 0.333333, "c": 0.333334}
    items = drawn({"a": SimulatedJudge()}, groups=10, slices=thin).items
    assert items["slice"].value_counts().sort_index().tolist() == [3, 4, 3]


def test_the_rows_of_a_group_share_its_slice_and_mirror_its_label():
    judgments = drawn({"a": SimulatedJudge(0.8)}, groups=300, rows_per_group=2, slices=SLICES)
    by_group = judgments.items.assign(label=judgments.target).groupby("group")
    assert (by_group["slice"].nunique() == 1).all()
    assert (by_group["label"].sum() == 1).all()
    first = judgments.target[::2]
    assert first.mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(300))


def test_the_base_rate_is_the_share_of_ones():
    target = drawn({"a": SimulatedJudge()}, groups=10_000, base_rate=0.2).target
    assert target.mean() == pytest.approx(0.2, abs=4 * 0.4 / 100)


def test_exact_copies_are_exact_and_noisy_ones_agree_as_often_as_stated():
    judges = {
        "a": SimulatedJudge(0.8),
        "exact": SimulatedJudge(copies="a"),
        "noisy": SimulatedJudge(copies="a", flip=0.1),
        "chain": SimulatedJudge(copies="noisy", flip=0.2),
        "free": SimulatedJudge(copies="a", flip=0.5),
    }
    codes = drawn(judges, groups=20_000).codes
    np.testing.assert_array_equal(codes[:, 0], codes[:, 1])
    agreement = (codes[:, [2, 3, 4]] == codes[:, [0, 2, 0]]).mean(axis=0)
    np.testing.assert_allclose(agreement, [0.9, 0.8, 0.5], atol=4 * 0.5 / np.sqrt(20_000))


def test_lost_outputs_have_the_stated_rate_and_a_copy_loses_its_own():
    judges = {
        "a": SimulatedJudge(0.8, unparsed=0.1),
        "b": SimulatedJudge(copies="a"),
        "c": SimulatedJudge(0.7),
    }
    judgments = drawn(judges, groups=20_000)
    np.testing.assert_allclose(judgments.missing.mean(axis=0), [0.1, 0, 0], atol=4 * 0.3 / np.sqrt(20_000))
    assert judgments.missing[:, 1:].sum() == 0


def tetrachoric(first: np.ndarray, second: np.ndarray) -> float:
    """Correlation of two standard normals cut at their medians that would agree as often."""
    return float(np.sin(np.pi / 2 * (2 * (first == second).mean() - 1)))


def test_latent_errors_correlate_as_stated():
    judges = {"a": SimulatedJudge(0.5), "b": SimulatedJudge(0.5)}
    judgments = drawn(judges, groups=60_000, rows_per_group=2, shared_error=0.4, group_error=0.3)
    found = right(judgments)
    assert tetrachoric(found[:, 0], found[:, 1]) == pytest.approx(0.4, abs=0.03)
    first, second = found[::2], found[1::2]
    assert tetrachoric(first[:, 0], second[:, 0]) == pytest.approx(0.3, abs=0.03)
    # the group's part is a judge's own
    assert tetrachoric(first[:, 0], second[:, 1]) == pytest.approx(0.0, abs=0.03)


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_the_same_seed_draws_the_same_judgments(seed):
    judges = {"a": SimulatedJudge(0.8, unparsed=0.2), "b": SimulatedJudge(copies="a", flip=0.3)}
    once, again = drawn(judges, seed=seed, groups=20), drawn(judges, seed=seed, groups=20)
    np.testing.assert_array_equal(once.probs, again.probs)
    np.testing.assert_array_equal(once.target, again.target)
    assert once.items.equals(again.items)


def test_judges_keep_family_kind_and_cost():
    judges = {
        "a": SimulatedJudge(0.8, family="f", price=5.0),
        "b": SimulatedJudge(0.9, kind="verifier"),
        "c": SimulatedJudge(0.9, kind="verifier", unit_cost=0.2),
    }
    frame = drawn(judges, groups=10).judges
    assert frame["family"].tolist() == ["f", "simulated", "simulated"]
    assert frame["kind"].tolist() == ["llm", "verifier", "verifier"]
    assert frame["unit_cost"].tolist() == [1.0, 0.1, 0.2]
    assert frame["price"].tolist() == [5.0, 0.05, 0.05]


def judge(**knobs):
    return {"judges": {"j": replace(SimulatedJudge(), **knobs)}}


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        (judge(accuracy=1.2), r"^judges.j.accuracy.all: allowed is a number in \[0, 1\]; given 1.2"),
        (judge(accuracy=float("nan")), r"^judges.j.accuracy.all: allowed is a number in \[0, 1\]; given nan"),
        (judge(accuracy={"easy": 0.8}), r"^accuracy: allowed is a number for each slice of \['all'\]"),
        (judge(accuracy={"all": 0.8, "typo": 0.8}), r"^accuracy: .*; given \['all', 'typo'\]"),
        (judge(unparsed=-0.1), r"^judges.j.unparsed: allowed is a number in \[0, 1\]; given -0.1"),
        (judge(copies="k", flip=2.0), r"^judges.j.flip: allowed is a number in \[0, 1\]; given 2.0"),
        (judge(flip=0.1), r"^judges.j.flip: allowed is 0 for a judge that copies none; given 0.1"),
        (judge() | {"base_rate": 1.5}, r"^base_rate: allowed is a number in \[0, 1\]; given 1.5"),
        (judge() | {"shared_error": -0.1}, r"^shared_error, group_error: allowed is parts >= 0 of 1"),
        (
            judge() | {"shared_error": 0.7, "group_error": 0.4},
            r"^shared_error, group_error: allowed is parts",
        ),
        (judge() | {"slices": {"a": 0.5, "b": 0.4}}, r"^slices: allowed is shares that sum to 1"),
        (judge() | {"slices": {"a": 1.5, "b": -0.5}}, r"^slices: allowed is shares that sum to 1"),
        (judge() | {"groups": 0}, r"^groups, rows_per_group: allowed is at least 1"),
        (judge() | {"rows_per_group": 0}, r"^groups, rows_per_group: allowed is at least 1"),
    ],
)
def test_bad_knobs_are_refused_by_name(knobs, message):
    with pytest.raises(InvalidInput, match=message):
        Scenario(**knobs)


def test_a_copy_stands_after_its_original():
    judges = {"b": SimulatedJudge(copies="a"), "a": SimulatedJudge(0.8)}
    with pytest.raises(InvalidInput, match=r"^judges.b.copies: allowed is a judge among \[\]; given a"):
        drawn(judges)


def test_a_scenario_needs_judges():
    with pytest.raises(InvalidInput, match=r"^judgments: allowed is at least one item and one judge"):
        drawn({})


def test_perfect_and_hopeless_judges_are_possible():
    found = right(drawn({"a": SimulatedJudge(1.0), "b": SimulatedJudge(0.0)}, groups=200))
    assert found[:, 0].all()
    assert not found[:, 1].any()
