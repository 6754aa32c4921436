import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.report.captions import studies
from judgekit.report.compare import compare
from judgekit.report.strip import Axis, risk_strips

TABLE03 = studies()[0].table("table03_policy_comparison")


def test_marks_stand_at_their_share_of_the_axis(recorded_table03):
    strip = risk_strips(compare(TABLE03, recorded_table03))
    # The highest risk is 0.2462 (Arena100K, all judges), so the axis ends at 0.25.
    assert strip.ticks[-1] == (100, "0.25")
    group = next(lines for lines in strip.groups if lines[0].head == "LLMBar-7")
    assert [line.head for line in group] == ["LLMBar-7", "llmbar_gpt4"]
    assert [mark.place for mark in group[1].marks] == pytest.approx([48.5, 56.0, 40.02], abs=0.01)


def test_lines_read_aloud_carry_every_risk(recorded_table03):
    strip = risk_strips(compare(TABLE03, recorded_table03))
    words = next(line.words for lines in strip.groups for line in lines if line.head == "roscoe_gsm8k")
    assert words == "roscoe_gsm8k, analogue: single best 0.2000, all judges 0.1900, role-routed 0.1800"


def test_simulated_rows_are_left_out(simulated_table03):
    strip = risk_strips(compare(TABLE03, simulated_table03))
    assert {line.role for lines in strip.groups for line in lines} == {"printed"}


def test_a_missing_risk_has_no_mark(recorded_table03):
    strip = risk_strips(compare(TABLE03, recorded_table03.drop(columns="flat_all_risk")))
    marks = next(line.marks for lines in strip.groups for line in lines if line.head == "llmbar_gpt4")
    assert [mark.shape for mark in marks] == ["circle", "diamond"]


def test_printed_marks_are_outlined_and_rebuilt_ones_filled(recorded_table03):
    strip = risk_strips(compare(TABLE03, recorded_table03))
    lines = [line for group in strip.groups for line in group]
    assert {(line.role, mark.filled) for line in lines for mark in line.marks} == {
        ("printed", False),
        ("rebuilt", True),
    }


@given(st.lists(st.floats(-2, 2), min_size=1))
def test_axis_holds_every_value_and_zero(values):
    axis = Axis.around(values)
    assert all(0 <= axis.place(value) <= 100 for value in (*values, 0.0))
    assert axis.ticks[0][0] == 0
    assert axis.ticks[-1][0] == 100
    assert axis.end - axis.start < max(*values, 0.0) - min(*values, 0.0) + 0.1001
