import numpy as np
import pytest

from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame, verdict_rows


def test_a_missing_verdict_is_nan_and_not_parsed():
    rows = verdict_rows(["a", "b", "c"], "strict", "rubric", [1.0, np.nan, 0.5])
    np.testing.assert_array_equal(rows["hard"], np.float32([1.0, np.nan, 0.5]))
    assert rows["parse_ok"].tolist() == [True, False, True]
    assert rows["raw_score"].isna().all()
    assert rows["mass"].isna().all()
    assert (rows["hard"].dtype, rows["raw_score"].dtype, rows["mass"].dtype) == (np.float32,) * 3


def test_raw_scores_stand_beside_their_verdicts():
    rows = verdict_rows(["a", "b"], "reward", "scores", [1.0, 0.0], raw_score=[2.5, -2.5])
    assert rows["raw_score"].tolist() == [2.5, -2.5]


def test_rows_of_another_length_are_refused():
    with pytest.raises(ValueError, match="same length"):
        verdict_rows(["a", "b"], "strict", "rubric", [1.0])


def test_judges_keep_their_order_and_unknown_sizes_are_nan():
    frame = judges_frame([VerdictJudge("b", "p", "f", active_parameters=7.0), VerdictJudge("a", "p", "f")])
    assert frame["judge"].tolist() == ["b", "a"]
    np.testing.assert_array_equal(frame["active_parameters"], [7.0, np.nan])
    assert frame["read_out"].tolist() == ["hard", "hard"]
