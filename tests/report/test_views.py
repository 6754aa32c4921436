import pandas as pd

from judgekit.report.captions import studies
from judgekit.report.compare import compare
from judgekit.report.published import published, published_table
from judgekit.report.views import comparison_view, plain_view

ROLES = studies()[0]


def lines(view, head):
    """Lines of the group that the printed row `head` opens."""
    return next(group for group in view.groups if group[0].head == head)


def test_a_group_is_printed_rebuilt_difference_order(recorded_table03):
    view = comparison_view(compare(ROLES.table("table03_policy_comparison"), recorded_table03))
    group = lines(view, "LLMBar-7")
    assert [line.role for line in group] == ["printed", "rebuilt", "difference", "orders"]
    assert group[0].cells[0] == "0.2180"
    assert (group[1].cells[0], group[1].badge) == ("0.1212", "same rows, other judges")
    assert group[2].cells[0] == "−0.0968"
    assert group[2].spoken == "llmbar_gpt4 minus printed"


def test_an_analogue_group_has_no_difference_line(recorded_table03):
    view = comparison_view(compare(ROLES.table("table03_policy_comparison"), recorded_table03))
    group = lines(view, "Hard GSM8K rationale")
    assert [line.role for line in group] == ["printed", "rebuilt", "orders"]
    assert group[2].orders == (
        (True, "role-routed below single best; all judges below single best"),
        (False, "role-routed below all judges (printed: above)"),
    )


def test_what_was_not_rebuilt_says_so():
    view = comparison_view(compare(ROLES.table("table03_policy_comparison"), None))
    assert lines(view, "LLMBar-7")[0].badge == "not rebuilt yet"
    assert lines(view, "Arena100K-7")[0].badge == "needs a local run"


def test_half_widths_stand_behind_their_value():
    view = comparison_view(compare(ROLES.table("table10_jbb_proxy_routing"), None))
    assert view.columns == ("Risk", "Accuracy", "Cost")
    assert lines(view, "Single best")[0].cells == ("0.1183 ± 0.0105", "0.8349", "1.00")


def test_inner_keys_stand_under_the_heading():
    rebuilt = published_table("table09_copy_stress").query("setting == 'JBB'").assign(setting="jbb_proxy")
    view = comparison_view(compare(ROLES.table("table09_copy_stress"), rebuilt))
    subs = [line.sub for group in view.groups for line in group if line.role == "printed"]
    assert subs == ["Condition base", "Condition +4 copies"] * 2


def test_rows_of_our_own_carry_their_keys():
    rebuilt = pd.DataFrame({"setting": ["triviaqa"], "gain_threshold": [0.01], "risk": [0.1]})
    view = comparison_view(compare(ROLES.table("table08_threshold_sensitivity"), rebuilt))
    own = view.groups[-1][0]
    assert (own.head, own.sub, own.badge_kind) == ("triviaqa", "gain threshold τ 0.010", "own")
    assert own.cells == ("0.1000", "–", "–", "–")


def test_only_the_asked_columns_are_shown(recorded_table03):
    caption = ROLES.table("table03_policy_comparison")
    view = comparison_view(compare(caption, recorded_table03), columns=caption.lead)
    assert len(view.columns) == 4
    assert {len(line.cells) for group in view.groups for line in group} == {0, 4}


def test_a_plain_table_shows_whole_numbers_whole():
    view = plain_view(
        pd.DataFrame({"setting": ["a"], "rows": [838], "risk": [0.25], "held": [True], "note": ["x"]})
    )
    assert view.groups[0][0].cells == ("838", "0.2500", "yes", "x")
    assert view.numeric == (True, True, False, False)


def test_policies_and_methods_go_by_their_names():
    view = plain_view(pd.DataFrame({"policy": ["role_routed"], "baseline": ["uniform_log"], "first": [0.5]}))
    assert (view.groups[0][0].head, view.groups[0][0].cells[0]) == ("role plan, routed", "uniform log pool")


def test_columns_take_the_labels_of_their_table():
    view = plain_view(
        pd.DataFrame({"system": ["a"], "printed": [26.5]}), {"printed": 1}, {"printed": "PFLOPs"}
    )
    assert (view.columns, view.groups[0][0].cells) == (("PFLOPs",), ("26.5",))


def test_a_plain_table_takes_the_printed_digits():
    table = published("table07_routed_specialists")
    assert plain_view(table.numbers, table.digits).groups[0][0].cells[-2:] == ("6", "10")


def test_a_plain_table_is_grouped_by_its_first_column():
    frame = pd.DataFrame({"setting": ["a", "a", "b"], "risk": [0.1, 0.2, 0.3], "risk_half_width": [0.01] * 3})
    view = plain_view(frame)
    assert [len(group) for group in view.groups] == [2, 1]
    assert view.columns == ("Risk",)
    assert view.groups[0][0].cells == ("0.1000 ± 0.0100",)


def test_columns_the_paper_lacks_are_shown_as_such():
    rebuilt = (
        published_table("table13_split_intervals").query("setting == 'JBB-7'").assign(setting="jbb_proxy")
    )
    rebuilt = rebuilt.assign(role_corrected_half_width=0.0211)
    view = comparison_view(compare(ROLES.table("table13_split_intervals"), rebuilt))
    assert view.columns[-1] == "Role plan: corrected half-width (not printed)"
    group = lines(view, "JBB-7")
    assert [line.cells[-1] for line in group if line.cells] == ["–", "0.0211", ""]
