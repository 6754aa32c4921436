from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame, one_hot
from judgekit.plan import PlanSettings, plan_panel
from judgekit.plan_apply import apply_plan
from judgekit.plan_file import record_plan
from judgekit.signals import Signal
from tests.strategies import audited, halves
from tests.test_roles import specialists


def judgments_of(codes, slices, names=("a", "b", "c", "d")) -> Judgments:
    items = pd.DataFrame({
        "item": [f"i{row}" for row in range(len(codes))],
        "group": range(len(codes)),
        "slice": [f"s{number}" for number in slices],
    })  # fmt: skip
    probs = one_hot(np.asarray(codes), 2)
    return Judgments(probs, np.array([0.0, 1.0]), np.full(len(codes), np.nan), items, judge_frame(names))


@pytest.fixture(scope="module")
def routed():
    """Call a on every row, and b on s0."""
    audit = audited(specialists())
    plan = plan_panel(audit, (0,), PlanSettings(route_rule="strict", gain_threshold=0.03))
    assert plan.routes == {"s0": (1,)}
    return record_plan(audit, plan, slice_column="slice")


def new_rows():
    pool = specialists()
    test = halves(pool).test[:60]
    return pool.codes[test], pool.slices[test]


def test_judges_are_matched_by_name(routed):
    codes, slices = new_rows()
    expected = routed.plan.apply(codes, slices)
    answer = apply_plan(routed, judgments_of(codes[:, [3, 1, 0]], slices, ("d", "b", "a")))
    assert np.array_equal(answer.outcome.probability, expected.probability)
    assert np.array_equal(answer.outcome.called, expected.called)
    assert answer.log == ()


def test_verdicts_that_the_plan_does_not_call_change_nothing(routed):
    codes, slices = new_rows()
    expected = apply_plan(routed, judgments_of(codes, slices))
    altered = codes.copy()
    altered[:, 2:] = -1
    altered[slices != 0, 1] = -1
    assert repr(apply_plan(routed, judgments_of(altered, slices))) == repr(expected)


def test_a_judge_routed_elsewhere_may_be_absent(routed):
    codes, slices = new_rows()
    elsewhere = slices != 0
    answer = apply_plan(routed, judgments_of(codes[elsewhere][:, :1], slices[elsewhere], ("a",)))
    assert answer.outcome.called.sum() == elsewhere.sum()
    with pytest.raises(InvalidInput, match="one without"):
        apply_plan(routed, judgments_of(codes[:, :1], slices, ("a",)))


def test_a_missing_verdict_is_answered_by_the_shorter_pattern_and_logged(routed):
    answer = apply_plan(routed, judgments_of([[1, -1, 0, 0], [-1, 1, 0, 0]], [0, 0]))
    table = routed.plan.slice_tables["s0"]
    assert answer.outcome.probability[0] == table.values[0][1]
    assert answer.outcome.probability[1] == table.base_rate
    assert answer.outcome.fallback.all()
    assert [(entry.item, entry.judge, entry.slice) for entry in answer.log] == [
        ("i0", "b", "s0"),
        ("i1", "a", "s0"),
    ]
    assert answer.log[0].event == "no verdict: the pattern without it answers"


def test_a_new_or_unknown_slice_gets_the_global_plan_and_is_logged(routed):
    judgments = judgments_of([[1, 1, 0, 0], [0, 1, 0, 0]], [7, 0])
    judgments.items.loc[1, "slice"] = None
    answer = apply_plan(routed, judgments)
    assert answer.outcome.probability.tolist() == routed.plan.table.values[0][[1, 0]].tolist()
    assert [entry.event for entry in answer.log] == [
        "slice 's7' is not in the plan: the global plan answers",
        "the slice is unknown: the global plan answers",
    ]


def test_a_plan_without_slices_does_not_ask_for_them():
    audit = audited(specialists())
    record = record_plan(audit, plan_panel(audit, (0,), PlanSettings(route_rule="none")))
    judgments = judgments_of([[1, 1, 0, 0]], [0])
    bare = replace(judgments, items=judgments.items.drop(columns="slice"))
    assert apply_plan(record, bare).slices == ("",)


def test_the_signals_judge_is_called_first_on_every_row():
    pool = replace(specialists(), signal=Signal("judge", ("d",)), slice_names=("0", "1", "2"))
    audit = audited(pool)
    plan = plan_panel(audit, (0,), PlanSettings(route_rule="strict", gain_threshold=0.03))
    answer = apply_plan(record_plan(audit, plan), judgments_of([[1, 1, 0, 0], [1, 1, 0, 1]], [2, 2]))
    assert answer.slices == ("0", "1")
    assert answer.outcome.called.tolist() == [[True, True, False, True], [True, False, False, True]]


def test_another_pool_or_scale_is_named(routed):
    codes, slices = new_rows()
    with pytest.raises(InvalidInput) as raised:
        apply_plan(routed, judgments_of(codes, slices, ("w", "x", "y", "z")))
    assert raised.value.field == "judges"
    scaled = replace(judgments_of(codes, slices), support=np.array([1.0, 2.0]))
    with pytest.raises(InvalidInput) as raised:
        apply_plan(routed, scaled)
    assert raised.value.field == "support"
    judgments = judgments_of(codes, slices)
    with pytest.raises(InvalidInput) as raised:
        apply_plan(routed, replace(judgments, items=judgments.items.drop(columns="slice")))
    assert raised.value.field == "slice"
