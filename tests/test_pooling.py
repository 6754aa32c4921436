import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.covariance import LedoitWolf

from judgekit import pooling
from judgekit.errors import InvalidInput


def random_probs(rng, items, judges, buckets, missing=0.0, dtype=np.float64):
    probs = rng.gamma(0.3, size=(items, judges, buckets)) + 1e-12
    probs /= probs.sum(axis=2, keepdims=True)
    probs[rng.random((items, judges)) < missing] = np.nan
    return probs.astype(dtype)


def slow_pool(probs, support, weights, temperature, floor=None):
    """Item by item in float64; log pool where a floor is given, else the linear one."""
    probs = probs.astype(np.float64)
    items, judges, buckets = probs.shape
    weights = np.broadcast_to(weights, (items, judges))
    pooled = np.full((items, buckets), np.nan)
    for item in range(items):
        there = [judge for judge in range(judges) if not np.isnan(probs[item, judge]).any()]
        total = sum(weights[item, judge] for judge in there)
        if not total > 0:
            continue
        parts = []
        for judge in there:
            p = probs[item, judge]
            if floor is not None:
                p = np.maximum(p, floor)
                p = np.log(p / p.sum())
            parts.append(weights[item, judge] / total * p)
        mixed = sum(parts)
        powered = np.exp(mixed / temperature) if floor is not None else mixed ** (1 / temperature)
        pooled[item] = powered / powered.sum()
    return pooled, pooled @ support


@st.composite
def pools(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    items, judges, buckets = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.integers(2, 6))
    probs = random_probs(rng, items, judges, buckets, draw(st.sampled_from([0.0, 0.4])))
    shape = draw(st.sampled_from([(judges,), (items, judges)]))
    weights = rng.random(shape) * (rng.random(shape) < 0.7)
    weights[..., 0] += 0.1
    return probs, np.sort(rng.normal(size=buckets)), weights, draw(st.sampled_from([0.3, 1.0, 1.7]))


@given(pools())
def test_log_pool_agrees_with_item_by_item(case):
    probs, support, weights, temperature = case
    found = pooling.pool_log(probs, support, weights=weights, pool_temperature=temperature)
    pooled, score = slow_pool(probs, support, weights, temperature, floor=1e-4)
    np.testing.assert_allclose(found.probs, pooled, atol=1e-12)
    np.testing.assert_allclose(found.score, score, atol=1e-11)
    assert found.empty == np.isnan(pooled[:, 0]).sum()
    assert found.partial == np.isnan(probs).any(axis=(1, 2)).sum() - found.empty


@given(pools())
def test_linear_pool_agrees_with_item_by_item(case):
    probs, support, weights, temperature = case
    found = pooling.pool_linear(probs, support, weights=weights, pool_temperature=temperature)
    pooled, score = slow_pool(probs, support, weights, temperature)
    np.testing.assert_allclose(found.probs, pooled, atol=1e-12)
    np.testing.assert_allclose(found.score, score, atol=1e-11)


@pytest.mark.parametrize("temperature", [0.3, 0.7, 2.0])
@pytest.mark.parametrize("per_item", [False, True])
def test_float32_pools_lie_within_a_millionth_of_float64(temperature, per_item):
    rng = np.random.default_rng(0)
    probs = random_probs(rng, 20_000, 6, 10, missing=0.01, dtype=np.float32)
    probs[:50, 0] = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 50)]
    support = np.arange(1.0, 11.0)
    weights = rng.random((20_000, 6)) if per_item else rng.random(6)
    for pool in (pooling.pool_log, pooling.pool_linear):
        fast = pool(probs, support, weights=weights, pool_temperature=temperature)
        exact = pool(probs.astype(np.float64), support, weights=weights, pool_temperature=temperature)
        assert fast.probs.dtype == np.float32
        assert np.abs(fast.probs - exact.probs)[~np.isnan(exact.score)].max() <= 1e-6
        assert np.nanmax(np.abs(fast.score - exact.score)) <= 1e-6 * (support[-1] - support[0])


def test_two_threads_change_no_digit():
    rng = np.random.default_rng(1)
    probs = random_probs(rng, 45_000, 6, 10, missing=0.05, dtype=np.float32)
    support = np.arange(1.0, 11.0)
    assert probs.size > pooling._THREADED
    one = pooling.pool_log(probs, support, threads=1)
    two = pooling.pool_log(probs, support, threads=2)
    np.testing.assert_array_equal(one.probs, two.probs)
    np.testing.assert_array_equal(one.score, two.score)
    assert (one.partial, one.empty) == (two.partial, two.empty)


def test_zeros_stop_at_the_floor_and_veto_almost():
    probs = np.array([[[1.0, 0.0], [0.1, 0.9]]])
    floor = 1e-4
    odds = np.sqrt((1.0 / floor) * (0.1 / 0.9))
    found = pooling.pool_log(probs, np.array([0.0, 1.0]), floor=floor)
    assert found.probs[0, 0] == pytest.approx(odds / (1 + odds))
    assert pooling.pool_linear(probs, np.array([0.0, 1.0])).score[0] == pytest.approx(0.45)


def test_identical_judges_leave_the_log_pool_unchanged():
    one = np.array([[[0.2, 0.5, 0.3]]])
    found = pooling.pool_log(np.repeat(one, 4, axis=1), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found.probs, one[:, 0], atol=1e-15)


@pytest.mark.parametrize("temperature", [0.01, 0.05])
@pytest.mark.parametrize("pool", [pooling.pool_log, pooling.pool_linear])
def test_very_sharp_pools_do_not_underflow(pool, temperature):
    probs = random_probs(np.random.default_rng(2), 500, 6, 5, dtype=np.float32)
    found = pool(probs, np.arange(1.0, 6.0), pool_temperature=temperature)
    np.testing.assert_allclose(found.probs.sum(axis=1), 1, atol=1e-5)


def test_an_item_without_judges_is_missing_and_counted():
    probs = np.full((2, 2, 3), 1 / 3)
    probs[0] = np.nan
    probs[1, 1] = np.nan
    found = pooling.pool_linear(probs, np.arange(3.0))
    assert np.isnan(found.probs[0]).all()
    assert found.score[1] == pytest.approx(1.0)
    assert (found.partial, found.empty) == (1, 1)


def test_a_present_judge_without_weight_does_not_answer_for_a_missing_one():
    probs = np.full((1, 2, 2), 0.5)
    probs[0, 0] = np.nan
    found = pooling.pool_log(probs, np.arange(2.0), weights=np.array([1.0, 0.0]))
    assert np.isnan(found.score[0])
    assert found.empty == 1


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("weights", {"weights": np.array([0.5, -0.5])}),
        ("weights", {"weights": np.array([0.0, 0.0])}),
        ("weights", {"weights": np.array([np.nan, 1.0])}),
        ("weights", {"weights": np.array([[1.0, 1.0], [0.0, 0.0]])}),
        ("pool_temperature", {"pool_temperature": 0}),
        ("pool_temperature", {"pool_temperature": float("nan")}),
        ("floor", {"floor": 0.0}),
        ("floor", {"floor": 0.6}),
        ("threads", {"threads": 0}),
    ],
)
def test_settings_out_of_range_are_refused(field, options):
    with pytest.raises(InvalidInput, match=f"{field}: allowed is"):
        pooling.pool_log(np.full((2, 2, 2), 0.5), np.arange(2.0), **options)


def test_covariance_weights_agree_with_scikit_learn():
    rng = np.random.default_rng(3)
    target = rng.normal(size=120)
    shared = rng.normal(size=120)
    scores = target[:, None] + shared[:, None] * [0.1, 0.8, 0.8, 0.3] + rng.normal(size=(120, 4)) * 0.4
    fitted = LedoitWolf().fit(scores - target[:, None])
    raw = np.linalg.inv(fitted.covariance_) @ np.ones(4)
    found = pooling.covariance_weights(scores, target)
    np.testing.assert_allclose(found.weights, np.clip(raw, 0, None) / np.clip(raw, 0, None).sum(), rtol=1e-9)
    assert found.shrinkage == pytest.approx(fitted.shrinkage_)
    assert (found.clipped, found.kept, found.dropped) == ((raw < 0).sum(), 120, 0)


def test_covariance_weights_count_rows_they_cannot_use():
    rng = np.random.default_rng(4)
    scores, target = rng.normal(size=(30, 3)), rng.normal(size=30)
    scores[:4, 1], target[29] = np.nan, np.nan
    found = pooling.covariance_weights(scores, target)
    assert (found.kept, found.dropped) == (25, 5)
    with pytest.raises(InvalidInput, match="at least 2 rows"):
        pooling.covariance_weights(scores[:4], target[:4])


def test_judges_without_errors_share_the_weight():
    target = np.arange(5.0)
    found = pooling.covariance_weights(np.stack([target, target + 1], axis=1), target)
    np.testing.assert_allclose(found.weights, [0.5, 0.5])
