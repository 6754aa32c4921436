from decimal import Decimal

import pytest

from judgekit.errors import InvalidInput
from judgekit.report.captions import studies
from judgekit.report.compare import Order, compare
from judgekit.report.counterparts import counterparts
from judgekit.report.published import published, published_table, table_names

TABLE03 = studies()[0].table("table03_policy_comparison")
TABLE08 = studies()[0].table("table08_threshold_sensitivity")
TABLE10 = studies()[0].table("table10_jbb_proxy_routing")
COMPARED = [
    caption
    for caption in studies()[0].tables
    if caption.layout == "compared"
    and caption.name in table_names()
    and caption.row != "LLMBar prompt variants"
]


def rows(comparison, name):
    return next(row for row in comparison.rows if row.name == name).rebuilt


def test_same_rows_show_the_difference_at_the_printed_digits(recorded_table03):
    row = rows(compare(TABLE03, recorded_table03), "LLMBar-7")[0]
    assert (row.setting, row.kind) == ("llmbar_gpt4", "same_rows")
    # 0.1212 - 0.2180 and 2.50 - 3.46, worked by hand.
    assert row.differences["single_best_risk"] == Decimal("-0.0968")
    assert row.differences["role_routed_judges"] == Decimal("-0.96")


def test_an_analogue_has_orders_and_no_difference(recorded_table03):
    row = rows(compare(TABLE03, recorded_table03), "Hard GSM8K rationale")[0]
    assert (row.kind, row.differences) == ("analogue", {})
    # Printed: 0.2137 role, 0.2350 single, 0.2106 flat; here 0.18, 0.20, 0.19.
    assert row.orders == (
        Order("role_routed_risk", "single_best_risk", "lower", "lower"),
        Order("role_routed_risk", "flat_all_risk", "higher", "lower"),
        Order("flat_all_risk", "single_best_risk", "lower", "lower"),
    )
    assert [order.same for order in row.orders] == [True, False, True]


def test_a_simulated_row_has_neither_difference_nor_order(simulated_table03):
    row = rows(compare(TABLE03, simulated_table03, simulated=True), "LLMBar-7")[0]
    assert (row.kind, row.differences, row.orders) == ("simulated", {}, ())


def test_a_setting_without_a_printed_row_stands_apart(recorded_table03):
    own = compare(TABLE03, recorded_table03).own
    assert [(row.setting, row.kind, row.differences, row.orders) for row in own] == [
        ("triviaqa", "own", {}, ())
    ]


def test_a_simulated_profile_refuses_recorded_names(recorded_table03):
    with pytest.raises(InvalidInput, match=r"sim_\.\.\..*llmbar_gpt4"):
        compare(TABLE03, recorded_table03, simulated=True)


def test_without_a_rebuilt_table_the_printed_rows_remain():
    comparison = compare(TABLE03, None)
    assert len(comparison.rows) == 8
    assert not comparison.own
    assert all(not row.rebuilt for row in comparison.rows)


def test_a_missing_key_column_is_named(recorded_table03):
    with pytest.raises(InvalidInput, match=r"dataset.*no \['dataset'\]"):
        compare(TABLE03, recorded_table03.rename(columns={"dataset": "setting"}))


def test_rows_meet_on_every_key():
    rebuilt = published_table("table08_threshold_sensitivity").query("setting == 'JBB'")
    rebuilt = rebuilt.assign(setting="jbb_proxy", risk=[0.07, 0.08, 0.09], judges=[3.0, 2.0, 2.0])
    found = [row.rebuilt for row in compare(TABLE08, rebuilt).rows if row.name == "JBB"]
    assert [entry[0].differences["risk"] for entry in found] == [
        Decimal("-0.0378"),
        Decimal("-0.0294"),
        Decimal("-0.0283"),
    ]
    # Against 0.005 the printed risk is lower at 0.001 and higher at 0.020; calls fall, and here stop falling.
    assert [(order.printed, order.rebuilt) for order in found[0][0].orders] == [
        ("lower", "lower"),
        ("higher",) * 2,
    ]
    assert found[1][0].orders == ()
    assert [order.rebuilt for order in found[2][0].orders] == ["higher", "equal"]


def test_a_table_about_one_setting_needs_no_setting_column():
    rebuilt = published_table("table10_jbb_proxy_routing").assign(risk=0.1)
    row = compare(TABLE10, rebuilt).rows[0]
    assert (row.name, row.rebuilt[0].setting, row.rebuilt[0].kind) == ("JBB-7", "jbb_proxy", "same_rows")
    simulated = compare(TABLE10, rebuilt, simulated=True).rows[0].rebuilt[0]
    assert (simulated.setting, simulated.differences) == ("sim_jbb7", {})


def test_the_frame_shows_differences_for_same_rows_alone(recorded_table03):
    frame = compare(TABLE03, recorded_table03).frame()
    shown = frame.dropna(subset="difference")
    assert set(shown["kind"]) == {"same_rows"}
    assert set(frame["setting"]) == {"llmbar_gpt4", "roscoe_gsm8k"}
    risk = frame.set_index(["setting", "column"]).loc[("llmbar_gpt4", "role_routed_risk")]
    assert (risk["printed"], risk["rebuilt"], risk["difference"]) == (0.1884, 0.100049, -0.0884)


@pytest.mark.parametrize("caption", COMPARED, ids=lambda caption: caption.name)
def test_a_perfect_rebuild_differs_nowhere(caption):
    rebuilt = published(caption.name).numbers
    if not caption.row:
        names = rebuilt[caption.keys[0]]
        rebuilt = rebuilt[names.isin(counterparts().row("JBB-7").names)].assign(
            **{caption.keys[0]: "jbb_proxy"}
        )
    frame = compare(caption, rebuilt).frame()
    assert len(frame) >= 2
    assert (frame["difference"] == 0).all()
    assert all(
        order.same
        for row in compare(caption, rebuilt).rows
        for entry in row.rebuilt
        for order in entry.orders
    )
