import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from judgekit.benchmark import expected_scores, renormalise

FIVE = np.arange(1.0, 6.0)


def test_rows_sum_to_one_in_float64_and_missing_rows_stay_missing():
    probs = np.array([[[0.1, 0.2, 0.7]], [[np.nan] * 3]], dtype=np.float32)
    exact = renormalise(probs)
    assert abs(exact[0].sum() - 1) < 1e-15
    assert abs(probs[0].astype(float).sum() - 1) > 1e-9
    assert np.isnan(exact[1]).all()


def test_saturated_judges_keep_their_order():
    # Doubt of 1e-6 to 1e-12 about the top score: lost in float32, where the sums differ more than the doubts.
    doubt = np.logspace(-6, -12, 40)
    probs = np.zeros((40, 1, 5))
    probs[:, 0, 3], probs[:, 0, 4] = doubt, 1 - doubt
    stored = probs.astype(np.float32)
    truth = np.arange(40.0)
    assert spearmanr(expected_scores(stored, FIVE)[:, 0], truth)[0] == 1
    single = (stored[:, 0] @ FIVE.astype(np.float32)).astype(float)
    assert not spearmanr(single + np.zeros(40), truth)[0] > 0.99


@given(st.integers(1, 70), st.integers(0, 20))
def test_equal_rows_give_equal_scores_wherever_they_stand(rows, seed):
    row = np.random.default_rng(seed).dirichlet(np.ones(5)).astype(np.float32)
    assert len(np.unique(expected_scores(np.tile(row, (rows, 1, 1)), FIVE))) == 1
