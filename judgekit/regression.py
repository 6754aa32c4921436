"""Regressions on what the judges said: the two bars that JudgeMoE's table lacks."""

import numpy as np

from judgekit.axes import Target


def fit_ridge(inputs: np.ndarray, target: Target, train: np.ndarray) -> np.ndarray:
    """Ridge regression on standardised inputs [items, ...], its strength by leave-one-out on training rows.

    A missing input is its training mean. Predictions for all rows: float64 [items].
    """
    from sklearn.linear_model import RidgeCV

    flat = inputs.reshape(len(inputs), -1)
    centre, scale = np.nanmean(flat[train], axis=0), np.nanstd(flat[train], axis=0)
    flat = np.nan_to_num((flat - centre) / np.where(scale > 1e-9, scale, 1))
    model = RidgeCV(alphas=np.logspace(-2, 4, 13)).fit(flat[train], target[train])
    return np.asarray(model.predict(flat))


def fit_boosting(inputs: np.ndarray, target: Target, train: np.ndarray) -> np.ndarray:
    """Gradient boosting on inputs [items, ...]; missing values are its own business. Float64 [items]."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    flat = inputs.reshape(len(inputs), -1)
    model = HistGradientBoostingRegressor(
        max_iter=100, learning_rate=0.05, max_leaf_nodes=6, l2_regularization=5.0, random_state=0
    )
    return np.asarray(model.fit(flat[train], target[train]).predict(flat))
