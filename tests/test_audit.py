from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from judgekit.audit import AuditSet, role_pool
from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame, one_hot
from judgekit.signals import Signal
from tests.strategies import audited, good_judges, halves


def judged(codes, target=(0.0, 1.0, 1.0, 0.0, 1.0), support=(0.0, 1.0)) -> Judgments:
    codes = np.array(codes)
    return Judgments(
        one_hot(codes, len(support)),
        np.array(support),
        np.array(target),
        pd.DataFrame({"item": list("vwxyz"), "group": list("ggxyz"), "task": ["t", "u", "u", None, "t"]}),
        judge_frame(["a", "b"], {"family": ["f", "g"], "unit_cost": [1.0, 0.1], "price": [5.0, 0.05]}),
    )


CODES = [[0, 1], [1, 1], [0, -1], [0, 0], [1, 1]]


def test_complete_rows_with_slices_by_hand():
    pool = role_pool("toy", judged(CODES), slice_column="task", signal=Signal("metadata"))
    assert pool.codes.tolist() == [[0, 1], [1, 1], [0, 0], [1, 1]]
    assert pool.target.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert pool.groups.tolist() == ["g", "g", "y", "z"]
    assert pool.slice_names == ("t", "u")
    assert pool.slices.tolist() == [0, 1, -1, 0]
    assert (pool.rows_given, pool.unlabelled, pool.missing) == (5, 0, {"a": 0, "b": 1})
    assert pool.costs.tolist() == [1.0, 0.1]
    assert pool.families == ("f", "g")


def test_prices_instead_of_unit_costs():
    pool = role_pool("toy", judged(CODES), slice_column=None, signal=Signal("metadata"), cost_column="price")
    assert pool.costs.tolist() == [5.0, 0.05]
    assert pool.slice_names == ()
    assert set(pool.slices.tolist()) == {-1}


def test_labels_are_scaled_or_read_as_binary():
    scored = judged(CODES, target=(1.0, 2.0, 3.0, 3.0, 2.5), support=(1.0, 2.0, 3.0))
    scaled = role_pool("toy", scored, slice_column=None, signal=Signal("metadata"))
    assert scaled.target.tolist() == [0.0, 0.5, 1.0, 0.75]
    assert scaled.levels == 3
    cut = role_pool("toy", scored, slice_column=None, signal=Signal("metadata"), positive_from=2.5)
    assert cut.target.tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("cost", [-0.1, float("nan"), float("inf")])
def test_a_signal_cost_that_is_none_is_refused(cost):
    with pytest.raises(InvalidInput, match=r"^signal_cost: allowed is a finite number >= 0"):
        role_pool("toy", judged(CODES), slice_column=None, signal=Signal("metadata"), signal_cost=cost)


def test_a_judge_that_never_parses_is_refused():
    mute = [[0, -1]] * 5
    with pytest.raises(
        InvalidInput, match=r"^judges: allowed is judges that parse at least once; given \['b'\]"
    ):
        role_pool("toy", judged(mute), slice_column=None, signal=Signal("metadata"))


@pytest.mark.parametrize("costs", [[-1.0, 1.0], [np.nan, 1.0]])
def test_costs_that_are_none_are_refused(costs):
    with pytest.raises(InvalidInput, match=r"^costs: allowed is finite numbers >= 0"):
        replace(good_judges(20, [0.8, 0.8]), costs=np.array(costs))


def test_a_pool_refuses_twins_and_missing_labels():
    pool = good_judges(20, [0.8, 0.8])
    with pytest.raises(InvalidInput, match=r"^judges: allowed is unique names"):
        replace(pool, judges=("a", "a"))
    with pytest.raises(InvalidInput, match=r"^label: allowed is a finite number for every row"):
        replace(pool, target=np.full(20, np.nan))


def test_an_audit_set_holds_construction_rows_alone():
    pool = good_judges(41, [0.8, 0.7])
    split = halves(pool)
    audit = pool.audit(split)
    assert len(audit.pool.target) == len(split.construction)
    np.testing.assert_array_equal(audit.pool.codes[audit.fit], pool.codes[split.fit])
    np.testing.assert_array_equal(audit.pool.target[audit.validation], pool.target[split.validation])


def test_one_class_is_refused():
    pool = good_judges(40, [0.8, 0.7])
    with pytest.raises(
        InvalidInput, match=r"^label: allowed is at least two distinct values in the audit set; given only 1"
    ):
        audited(replace(pool, target=np.ones(40)))


def test_one_judge_is_refused():
    with pytest.raises(InvalidInput, match=r"^judges: allowed is at least two, .*; given 1"):
        audited(good_judges(40, [0.8]))


def test_an_empty_half_is_refused():
    pool = good_judges(40, [0.8, 0.7])
    with pytest.raises(InvalidInput, match=r"^audit set: allowed is fit and validation rows; given 40, 0"):
        AuditSet(pool, np.arange(40), np.arange(0))


def test_copies_are_named_and_cost_what_their_original_does():
    pool = replace(good_judges(40, [0.8, 0.7]), costs=np.array([1.0, 5.0]))
    copied = pool.with_copies(np.array([1, 1]))
    assert copied.judges == ("a", "b", "b copy 1", "b copy 2")
    assert copied.families == ("a", "b", "b", "b")
    assert copied.costs.tolist() == [1.0, 5.0, 5.0, 5.0]
    np.testing.assert_array_equal(copied.codes[:, 2:], pool.codes[:, [1, 1]])


def test_noisy_copies_take_the_given_verdicts():
    pool = good_judges(40, [0.8, 0.7])
    noisy = 1 - pool.codes[:, :1]
    copied = pool.with_copies(np.array([0]), noisy)
    np.testing.assert_array_equal(copied.codes[:, 2:], noisy)
    assert copied.codes.dtype == pool.codes.dtype
