"""What one run shows about reading a judge, on rows worked by hand."""

import numpy as np
import pandas as pd
import pytest

from judgekit.studies.read_outs import hard_against_soft, label_mass, position_flips, range_against_range


def answers(protocol, probs, *, mass=1.0):
    probs = np.array(probs)
    columns = {f"p_{place}": column for place, column in enumerate(probs.T)}
    hard = probs.argmax(axis=1) + 1.0
    named = {"item": [f"i{n}" for n in range(len(probs))], "judge": "j", "protocol": protocol}
    return pd.DataFrame({**named, **columns, "hard": hard, "parse_ok": True, "mass": mass})


SHORT = answers("short", [[0.6, 0.4, 0.0], [0.6, 0.3, 0.1], [0.6, 0.0, 0.4]], mass=[0.2, 0.6, 0.7])
JUDGES = pd.DataFrame({"judge": ["j"], "protocol": ["short"], "support": ["1 2 3"]})


def test_label_mass_counts_items_above_one_half():
    found = label_mass(SHORT).iloc[0]
    assert found[["items", "mean", "least", "above_half"]].tolist() == pytest.approx([3, 0.5, 0.2, 2 / 3])


def test_soft_scores_tell_apart_what_one_hard_score_does_not():
    labels = pd.DataFrame({"item": ["i0", "i1", "i2"], "label": [1.0, 2.0, 3.0]})
    found = hard_against_soft(SHORT, JUDGES, labels).iloc[0]
    assert (found["levels_hard"], found["levels_soft"]) == (1, 3)
    assert found["mean_gap"] == pytest.approx((0.4 + 0.5 + 0.8) / 3)
    assert np.isnan(found["spearman_hard"])
    assert found["spearman_soft"] == pytest.approx(1.0)


def test_a_verdict_that_stays_with_the_place_is_a_flip():
    # Pair x: the first place wins in both orders. Pair y: response_a wins in both. Pair z lacks an order.
    rows = [("x", "ab", 1.0), ("x", "ba", 1.0), ("y", "ab", 1.0), ("y", "ba", 0.0), ("z", "ab", 1.0)]
    frame = pd.DataFrame(rows, columns=["pair", "ordering", "hard"])
    frame = frame.assign(
        item=frame["pair"] + "|" + frame["ordering"], judge="j", parse_ok=True, p_1=0.5 + 0.2 * frame["hard"]
    )
    found = position_flips(frame).iloc[0]
    assert (found["pairs"], found["first"], found["flips"]) == (2, 0.75, 0.5)
    assert found["soft_shift"] == pytest.approx(0.15)


def test_two_ranges_are_compared_on_their_shared_items():
    fine = answers("fine", np.eye(5)[[0, 2, 4]])
    judges = pd.concat([JUDGES, JUDGES.assign(protocol="fine", support="1 2 3 4 5")])
    both = pd.concat([SHORT, fine])
    found = range_against_range(both, judges, coarse="short", fine="fine").iloc[0]
    assert found["items"] == 3
    assert found["spearman_soft"] == pytest.approx(1.0)
    assert np.isnan(found["spearman_hard"])
    assert found["place_fine"] == pytest.approx(0.5)
    assert found["place_short"] == pytest.approx((0.4 + 0.5 + 0.8) / 3 / 2)
