import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.studies.contamination import bad_judge, breaking_points, contaminate

SUPPORT = np.array([1.0, 2.0, 3.0])
LEVELS = np.array([0, 0, 1, 1, 2, 2])
TARGET = SUPPORT[LEVELS]


def good_judges(count, right=0.8):
    probs = np.full((len(LEVELS), count, 3), (1 - right) / 2)
    probs[np.arange(len(LEVELS)), :, LEVELS] = right
    return probs


def curve(count, masses, floor=1e-4, seed=0):
    return contaminate(
        good_judges(count),
        TARGET,
        SUPPORT,
        rng=np.random.default_rng(seed),
        left_over=masses,
        floor=floor,
    )


def test_the_bad_judge_keeps_its_bucket_whatever_its_confidence():
    soft, sure = (bad_judge(50, 3, mass, rng=np.random.default_rng(4)) for mass in (0.5, 0.01))
    assert (soft.argmax(axis=2) == sure.argmax(axis=2)).all()
    assert np.allclose(sure.sum(axis=2), 1)
    assert np.allclose(np.sort(sure, axis=2)[:, 0], [0.005, 0.005, 0.99])


def test_one_sure_judge_turns_a_log_pool_and_not_a_linear_one_by_hand():
    # Five judges put 0.8 on the right bucket, one puts all but 1e-6 on another: in the log pool the wrong
    # bucket leads by log(1 / 1e-4) - 5 log(0.8 / 0.1) < 0 at the floor, in the linear pool by 1 - 5 * 0.7.
    found = curve(2, [1e-6]).iloc[0]
    assert found["clean_log"] == found["alone"] == pytest.approx(1)
    # Two good judges: 2 log(8) = 4.2 < 9.2, so every item whose bucket was missed is turned round.
    assert found["log"] < 0.9
    assert curve(5, [1e-6])["log"].iloc[0] > found["log"]
    assert curve(5, [1e-6])["linear"].iloc[0] == pytest.approx(1, abs=0.06)


def test_a_judge_without_an_opinion_changes_nothing():
    found = curve(3, [2 / 3]).iloc[0]
    assert found["log"] == pytest.approx(found["clean_log"])
    assert found["linear"] == pytest.approx(found["clean_linear"])


def test_the_floor_bounds_the_damage():
    low, high = curve(2, [1e-9], floor=1e-9), curve(2, [1e-9], floor=0.05)
    assert high["log"].iloc[0] > low["log"].iloc[0]


def test_a_pool_breaks_where_it_first_falls_below_a_judge_alone():
    frame = pd.DataFrame(
        {
            "left_over": [0.5, 0.1, 0.01],
            "log": [0.9, 0.6, 0.2],
            "linear": [0.8, 0.75, 0.74],
            "clean_log": 0.9,
            "clean_linear": 0.9,
            "alone": 0.7,
        }
    )
    found = breaking_points({4: frame}).iloc[0]
    assert found["log_breaks_at"] == 0.1
    assert np.isnan(found["linear_breaks_at"])
    assert (found["log_lowest"], found["linear_lowest"]) == (0.2, 0.74)


@pytest.mark.parametrize(("mass", "buckets"), [(1.5, 3), (-0.1, 3), (0.5, 1)])
def test_impossible_bad_judges_are_refused(mass, buckets):
    with pytest.raises(InvalidInput):
        bad_judge(4, buckets, mass, rng=np.random.default_rng(0))
