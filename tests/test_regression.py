"""Ridge and boosting: training rows alone, missing inputs, and agreement with scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV

from judgekit.regression import fit_boosting, fit_ridge


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    inputs = rng.standard_normal((200, 3, 2))
    target = inputs[:, 0, 0] + 0.1 * rng.standard_normal(200)
    return inputs, target, np.arange(120)


def test_ridge_agrees_with_scikit_learn_on_standardised_inputs(rows):
    inputs, target, train = rows
    flat = inputs.reshape(200, 6)
    flat = (flat - flat[train].mean(axis=0)) / flat[train].std(axis=0)
    model = RidgeCV(alphas=np.logspace(-2, 4, 13)).fit(flat[train], target[train])
    np.testing.assert_allclose(fit_ridge(inputs, target, train), model.predict(flat))


@pytest.mark.parametrize("fit", [fit_ridge, fit_boosting])
def test_labels_outside_the_training_rows_change_nothing(rows, fit):
    inputs, target, train = rows
    other = target.copy()
    other[120:] = -other[120:]
    np.testing.assert_array_equal(fit(inputs, target, train), fit(inputs, other, train))


@pytest.mark.parametrize("fit", [fit_ridge, fit_boosting])
def test_a_missing_input_still_gets_a_prediction(rows, fit):
    inputs, target, train = rows
    holed = inputs.copy()
    holed[::7, 1] = np.nan
    predicted = fit(holed, target, train)
    assert np.isfinite(predicted).all()
    assert np.corrcoef(predicted[120:], target[120:])[0, 1] > 0.8
