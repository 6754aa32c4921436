import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import softmax

from judgekit import scaling
from judgekit.errors import InvalidInput

SUPPORT = np.arange(1.0, 5.0)


def sharpened(seed, judge_temperature, items=4000):
    """Calibrated distributions, their labels, and the same distributions at another temperature."""
    rng = np.random.default_rng(seed)
    truth = softmax(rng.normal(size=(items, 4)) * 1.5, axis=1)
    target = (truth.cumsum(axis=1) < rng.random((items, 1))).sum(axis=1) + 1.0
    seen = truth ** (1 / judge_temperature)
    return (seen / seen.sum(axis=1, keepdims=True))[:, None], target


@pytest.mark.parametrize("judge_temperature", [0.5, 1.0, 2.0])
def test_the_temperature_of_a_judge_is_recovered(judge_temperature):
    probs, target = sharpened(0, judge_temperature)
    found = scaling.fit_scaling(probs, target, SUPPORT)
    # The judge's own temperature is undone by its inverse.
    assert found.judge_temperature[0] == pytest.approx(1 / judge_temperature, rel=0.06)
    assert found.loss_after[0] <= found.loss_before[0]
    np.testing.assert_allclose(found.apply(probs).sum(axis=2), 1)


def test_vector_scaling_undoes_a_bias_that_temperature_cannot():
    probs, target = sharpened(1, 1.0)
    bent = probs * [4.0, 1.0, 1.0, 0.5]
    bent /= bent.sum(axis=2, keepdims=True)
    temperature = scaling.fit_scaling(bent, target, SUPPORT)
    vector = scaling.fit_scaling(bent, target, SUPPORT, kind="vector")
    assert vector.loss_after[0] < temperature.loss_after[0] - 0.05
    assert np.abs(vector.apply(bent) - probs).mean() < 0.02
    assert np.isnan(vector.judge_temperature).all()


def test_vector_scaling_is_the_minimum_found_without_gradients():
    probs, target = sharpened(2, 0.7, items=200)
    logs = np.log(np.maximum(probs[:, 0], 1e-4))
    truth = target.astype(int) - 1

    def loss(parameters):
        q = softmax(logs * parameters[:4] + parameters[4:], axis=1)
        away = parameters - np.repeat([1.0, 0.0], 4)
        return -np.log(q[np.arange(len(q)), truth]).mean() + 1e-3 * away @ away

    slow = minimize(loss, np.repeat([1.0, 0.0], 4), method="Powell", options={"xtol": 1e-9, "ftol": 1e-13})
    found = scaling.fit_scaling(probs, target, SUPPORT, kind="vector")
    fitted = np.concatenate([found.scale[0], found.bias[0]])
    assert loss(fitted) == pytest.approx(slow.fun, abs=1e-7)
    assert check_grad(loss, lambda x: np.zeros(8), fitted) < 1e-6


def test_missing_judges_stay_missing_and_keep_the_identity_without_rows():
    probs, target = sharpened(3, 0.5, items=50)
    probs = np.concatenate([probs, np.full_like(probs, np.nan)], axis=1)
    probs[0, 0], target[1] = np.nan, np.nan
    found = scaling.fit_scaling(probs, target, SUPPORT, kind="vector")
    assert found.rows.tolist() == [48, 0]
    assert np.isnan(found.loss_after[1])
    assert (found.scale[1] == 1).all()
    assert np.isnan(found.apply(probs)).any(axis=2).sum() == 51


def test_precision_is_kept():
    probs, target = sharpened(4, 0.5, items=50)
    assert scaling.fit_scaling(probs, target, SUPPORT).apply(probs.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(("field", "value"), [("kind", "isotonic"), ("floor", 0.0), ("ridge", -1.0)])
def test_settings_out_of_range_are_refused(field, value):
    probs, target = sharpened(5, 1.0, items=5)
    with pytest.raises(InvalidInput, match=field):
        scaling.fit_scaling(probs, target, SUPPORT, **{field: value})
