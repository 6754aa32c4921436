import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.dawid_skene import fit_dawid_skene
from judgekit.errors import InvalidInput
from tests.strategies import cases, good_judges


def crowd_kit(codes: np.ndarray, levels: int, iterations: int):
    """Prior and confusion [judges, classes, levels] of the library's model, and the EM steps it took."""
    from crowdkit.aggregation import DawidSkene

    rows, judges = codes.shape
    votes = pd.DataFrame(
        {
            "task": np.repeat(np.arange(rows), judges),
            "worker": np.tile(np.arange(judges), rows),
            "label": codes.ravel().astype(int),
        }
    )
    model = DawidSkene(n_iter=iterations, tol=1e-6).fit(votes)
    errors = [
        pd.DataFrame(model.errors_.loc[judge]).reindex(index=range(levels), columns=range(levels))
        for judge in range(judges)
    ]
    prior = model.priors_.reindex(range(levels)).fillna(0.0).to_numpy()
    return prior, np.stack([each.fillna(0.0).to_numpy().T for each in errors]), len(model.loss_history_)


@settings(max_examples=12)
@given(cases(max_levels=4), st.sampled_from([1, 3, 100]))
def test_it_agrees_with_crowd_kit(case, iterations):
    codes = case.pool.codes
    model = fit_dawid_skene(codes, levels=case.levels, iterations=iterations)
    prior, confusion, steps = crowd_kit(codes, case.levels, iterations)
    assert model.iterations == steps
    np.testing.assert_allclose(model.prior, prior, atol=1e-9)
    np.testing.assert_allclose(model.confusion, confusion, atol=1e-7)


def test_one_step_by_hand():
    # votes give (1, 1/2, 0) for class 1; counted, class 1 weighs 1.5 of 3 items
    codes = np.array([[1, 1], [1, 0], [0, 0]])
    start = fit_dawid_skene(codes, levels=2, iterations=0)
    assert start.prior.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(start.confusion[0], [[2 / 3, 1 / 3], [0, 1]], atol=1e-9)
    np.testing.assert_allclose(start.confusion[1], [[1, 0], [1 / 3, 2 / 3]], atol=1e-9)
    assert not start.converged


def test_it_finds_who_is_good_without_labels():
    pool = good_judges(3000, [0.95, 0.8, 0.7, 0.55])
    model = fit_dawid_skene(pool.codes, levels=2)
    assert model.converged
    accuracy = model.confusion[:, [0, 1], [0, 1]].mean(axis=1)
    np.testing.assert_allclose(accuracy, [0.95, 0.8, 0.7, 0.55], atol=0.05)
    np.testing.assert_allclose(model.confusion.sum(axis=2), 1.0, atol=1e-9)


def test_a_bucket_that_nobody_used_has_no_probability():
    pool = good_judges(200, [0.9, 0.85, 0.8])
    model = fit_dawid_skene(pool.codes, levels=4)
    assert model.prior[2:].tolist() == [0.0, 0.0]
    assert not model.confusion[:, 2:].any()
    assert not model.confusion[:, :, 2:].any()


@pytest.mark.parametrize("codes", [np.empty((0, 2), dtype=int), np.array([[0, -1]]), np.array([[0, 2]])])
def test_incomplete_verdicts_are_refused(codes):
    with pytest.raises(InvalidInput, match=r"^codes: allowed is complete rows, verdicts from 0 to 1"):
        fit_dawid_skene(codes, levels=2)
