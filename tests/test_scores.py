import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judgekit import scores
from judgekit.errors import InvalidInput

FIVE = np.arange(1.0, 6.0)


def random_probs(seed, items=40, judges=3, buckets=5, dtype=np.float64):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(buckets) * 0.5, size=(items, judges))
    probs[rng.random((items, judges)) < 0.2] = np.nan
    return probs.astype(dtype)


def test_same_mean_different_shape():
    probs = np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    support = np.array([1.0, 2.0, 3.0])
    assert scores.soft_score(probs, support).tolist() == [2.0, 2.0]
    assert scores.hard_score(probs, support).tolist() == [1.0, 2.0]
    summaries = scores.summarise(probs, support)
    assert summaries["variance"].tolist() == [1.0, 0.0]
    assert summaries["confidence"].tolist() == [0.5, 1.0]
    assert summaries["margin"].tolist() == [0.0, 1.0]
    np.testing.assert_allclose(summaries["entropy"], [np.log(2) / np.log(3), 0.0])


@given(st.integers(0, 10_000))
def test_summaries_agree_with_scipy(seed):
    probs = random_probs(seed, items=4)
    found = scores.summarise(probs, FIVE)
    for item, judge in np.ndindex(probs.shape[:2]):
        p = probs[item, judge]
        if np.isnan(p).any():
            assert all(np.isnan(found[name][item, judge]) for name in found)
            continue
        law = stats.rv_discrete(values=(FIVE, p / p.sum()))
        assert found["variance"][item, judge] == pytest.approx(law.var(), abs=1e-9)
        assert found["entropy"][item, judge] == pytest.approx(stats.entropy(p) / np.log(5), abs=1e-9)
        second, first = np.sort(p)[-2:]
        assert found["margin"][item, judge] == pytest.approx(first - second, abs=1e-12)


def test_read_outs_keep_missing_judges_missing_and_the_precision():
    probs = random_probs(1, dtype=np.float32)
    gone = np.isnan(probs[:, :, 0])
    for read_out in (scores.hard_score, scores.soft_score):
        found = read_out(probs, FIVE)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(np.isnan(found), gone)


def test_agreement_is_the_mean_overlap_with_the_judges_present():
    probs = np.array([[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [[0.3, 0.7], [np.nan, np.nan], [0.3, 0.7]]])
    found = scores.agreement(probs)
    np.testing.assert_allclose(found[0], [0.25, 0.5, 0.25])
    np.testing.assert_allclose(found[1], [1.0, np.nan, 1.0])


def test_a_judge_alone_has_no_overlap_but_a_feature():
    probs = np.array([[[0.2, 0.8], [np.nan, np.nan]]])
    assert np.isnan(scores.agreement(probs)).all()
    found = scores.features(probs, np.array([0.0, 1.0]))
    assert found.values[0, 0, found.names.index("agreement")] == 1
    assert np.isfinite(found.values[0, 0]).all()
    assert np.isnan(found.values[0, 1]).all()


@pytest.mark.parametrize(("feature_set", "count"), [("hard", 1), ("soft", 1), ("both", 2), ("summaries", 7)])
def test_feature_sets_have_their_columns_within_the_unit_range(feature_set, count):
    found = scores.features(random_probs(2), FIVE, feature_set=feature_set)
    assert found.values.shape == (40, 3, count)
    assert len(found.names) == count
    assert np.nanmin(found.values) >= 0
    assert np.nanmax(found.values) <= 1 + 1e-12


def test_raw_buckets_join_the_summaries_on_request():
    probs = random_probs(3)
    found = scores.features(probs, FIVE, feature_set="distribution")
    np.testing.assert_array_equal(found.values[:, :, 7:], probs)
    assert found.names[-1] == "bucket_4"


def test_features_do_not_depend_on_the_unit_of_the_support():
    probs = random_probs(4)
    one = scores.features(probs, FIVE)
    other = scores.features(probs, 20 * FIVE - 20)
    np.testing.assert_allclose(one.values, other.values, atol=1e-12)


def test_an_unknown_feature_set_is_refused():
    with pytest.raises(InvalidInput, match="feature_set: allowed is one of hard, soft"):
        scores.features(random_probs(5), FIVE, feature_set="raw")


def test_nearest_bucket_on_an_uneven_support():
    support = np.array([0.0, 1.0, 4.0])
    found = scores.nearest_bucket(np.array([0.5, 0.51, 2.5, 2.6, -3.0, np.nan]), support)
    assert found.tolist() == [0, 1, 1, 2, 0, -1]


def test_one_hot_scores_are_smoothed_and_strays_counted():
    found = scores.smooth_one_hot(np.array([[1.0, 2.5], [np.nan, 5.0]]), FIVE, smoothing=0.1)
    np.testing.assert_allclose(found.probs[0, 0], [0.92, 0.02, 0.02, 0.02, 0.02], atol=1e-7)
    assert np.isnan(found.probs[0, 1]).all()
    assert np.isnan(found.probs[1, 0]).all()
    assert (found.missing, found.off_support, found.probs.dtype) == (1, 1, np.float32)


def test_hard_scores_survive_the_round_trip():
    given_scores = np.random.default_rng(6).integers(1, 6, size=(50, 3)).astype(float)
    probs = scores.smooth_one_hot(given_scores, FIVE, smoothing=0.3).probs
    np.testing.assert_array_equal(scores.hard_score(probs, FIVE), given_scores)
    np.testing.assert_allclose(probs.sum(axis=2), 1, atol=1e-6)


@pytest.mark.parametrize("smoothing", [-0.1, 1.0, float("nan")])
def test_impossible_smoothing_is_refused(smoothing):
    with pytest.raises(InvalidInput, match="smoothing"):
        scores.smooth_one_hot(np.ones((1, 1)), FIVE, smoothing=smoothing)


@given(st.integers(0, 100))
def test_every_hundredth_falls_into_its_tenth(value):
    mapped = scores.hundred_to_ten(np.array([value], dtype=float)).scores[0]
    assert mapped == min(10, 1 + value // 10)


def test_values_off_the_old_range_are_counted_and_missing():
    found = scores.hundred_to_ten(np.array([[-1.0, 101.0], [np.nan, 55.0]]))
    np.testing.assert_array_equal(found.scores, [[np.nan, np.nan], [np.nan, 6.0]])
    assert (found.missing, found.off_support) == (1, 2)
