import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.report.tables import role_audits


def audit_scores():
    """One setting, two splits: risk falls by 0.02 from 50 to 100 percent; at 10 percent one split failed."""
    rows = []
    risks = {(10, "kept"): (0.3, np.nan), (50, "kept"): (0.22, 0.24), (75, "kept"): (0.203, 0.205)}
    risks |= {(100, "kept"): (0.2, 0.22), (100, "anew"): (0.21, 0.21)}
    for (percent, halves), both in risks.items():
        for split, risk in enumerate(both):
            jaccard = 1.0 if (percent, halves) == (100, "kept") else 0.2 + 0.1 * split
            row = {"setting": "toy", "split": split, "policy": "role_routed", "halves": halves}
            row |= {"audit_percent": percent, "risk": risk, "accuracy": 0.7, "cost": 2.0, "calls": 2.0}
            rows.append(row | {"plan_jaccard": jaccard, "audit_rows": percent, "test_fraction": 0.5})
    return pd.DataFrame(rows)


def test_table15_has_one_row_a_part_without_the_halves_drawn_anew():
    table = role_audits.audit_size(audit_scores())
    assert table.columns[:6].tolist() == [
        "setting", "audit_percent", "risk", "accuracy", "cost", "plan_jaccard",
    ]  # fmt: skip
    assert table["audit_percent"].tolist() == [10, 50, 75, 100]
    assert table["risk"].tolist() == pytest.approx([0.3, 0.23, 0.204, 0.21])
    assert table["plan_jaccard"].tolist() == pytest.approx([0.25, 0.25, 0.25, 1.0])


def test_excess_risk_is_measured_from_the_full_audit():
    means = role_audits.audit_means(audit_scores())
    assert means["excess_risk"].tolist() == pytest.approx([0.09, 0.02, -0.006, 0.0, 0.0])
    assert means["halves"].tolist() == ["kept"] * 4 + ["anew"]


def test_stability_sets_the_part_beside_the_whole_halved_anew():
    table = role_audits.plan_stability(audit_scores(), percent=50)
    assert table.loc[0, ["plan_jaccard_part", "plan_jaccard_halved_anew"]].tolist() == [0.25, 0.25]
    with pytest.raises(InvalidInput, match="percent"):
        role_audits.plan_stability(audit_scores(), percent=33)


def test_enough_is_the_part_from_which_on_the_mean_stays_within_the_margin():
    found = role_audits.enough_audit(audit_scores(), margin=0.02 + 1e-12).iloc[0]
    assert found["enough_percent"] == 50
    assert found["enough_rows"] == 50
    assert found["excess_risk"] == pytest.approx(0.02)
    assert found["low"] <= found["excess_risk"] <= found["high"]
    assert role_audits.enough_audit(audit_scores(), margin=0.01)["enough_percent"].item() == 75


def test_a_part_that_some_split_could_not_plan_on_is_never_enough():
    assert role_audits.enough_audit(audit_scores(), margin=0.5)["enough_percent"].item() == 50


def test_the_interval_asks_for_more_than_the_mean():
    table = role_audits.enough_audit(audit_scores(), margin=0.02 + 1e-12)
    assert table["sure_percent"].item() >= table["enough_percent"].item()


def test_a_margin_below_zero_is_refused():
    with pytest.raises(InvalidInput, match="margin"):
        role_audits.enough_audit(audit_scores(), margin=-0.1)


def turned(policies=("single_best", "flat_all", "role_routed", "slice_stack")):
    rows = []
    for order, mixes in enumerate((("rich", "poor"), ("poor", "rich"))):
        for split in range(2):
            for place, policy in enumerate(policies):
                row = {"setting": "toy", "construction_mix": mixes[0], "deployment_mix": mixes[1]}
                row |= {"split": split, "policy": policy, "accuracy": 0.7, "calls": 1.0 + place}
                rows.append(row | {"risk": 0.1 * order + 0.01 * place + 0.002 * split})
    return pd.DataFrame(rows)


def test_table16_has_the_printed_columns_and_further_policies_after_them():
    table = role_audits.mix_shift(turned())
    printed = ["setting", "construction_mix", "deployment_mix", "single_risk", "single_accuracy", "flat_risk"]
    printed += ["flat_accuracy", "role_risk", "role_accuracy", "calls"]
    assert table.columns.tolist() == [*printed, "slice_stack_risk"]
    assert table["construction_mix"].tolist() == ["rich", "poor"]
    assert table["single_risk"].tolist() == pytest.approx([0.001, 0.101])
    assert table["role_risk"].tolist() == pytest.approx([0.021, 0.121])
    assert table["calls"].tolist() == [3.0, 3.0]


def test_table16_names_the_policies_it_lacks():
    with pytest.raises(InvalidInput, match="no flat_all"):
        role_audits.mix_shift(turned(("single_best", "role_routed")))


def test_risk_on_a_deployment_mix_is_a_weighted_mean_of_the_parts():
    scores = pd.DataFrame(
        {
            "setting": "toy", "split": [0, 1], "share": 0.5, "policy": "flat_all", "part_risk": [0.1, 0.2],
            "other_risk": [0.3, 0.4], "part_calls": 1.0, "other_calls": 3.0,
        }
    )  # fmt: skip
    curves = role_audits.mix_curves(scores, deployed={"rich": 0.8, "poor": 0.2})
    assert curves["deployment_mix"].tolist() == ["rich", "poor"]
    assert curves["risk"].tolist() == pytest.approx([0.8 * 0.15 + 0.2 * 0.35, 0.2 * 0.15 + 0.8 * 0.35])
    assert curves["calls"].tolist() == pytest.approx([1.4, 2.6])


def test_split_units_set_row_splits_beside_group_splits():
    scores = pd.DataFrame(
        {
            "setting": "toy", "policy": "flat_all", "split": [0, 1, 0, 1],
            "split_by": ["group"] * 2 + ["row"] * 2, "risk": [0.2, 0.24, 0.19, 0.21],
        }
    )  # fmt: skip
    row = role_audits.split_units(scores).iloc[0]
    assert row["row_gain"] == pytest.approx(0.02)
    assert row["group_deviation"] > row["row_deviation"]


def test_a_leak_is_paired_by_split_and_has_two_intervals():
    scores = pd.DataFrame(
        {
            "setting": "toy", "policy": "flat_all", "split": [0, 1, 2] * 2,
            "construction": ["other groups"] * 3 + ["twins"] * 3, "risk": [0.2, 0.3, 0.4, 0.19, 0.28, 0.37],
            "fit": 5, "validation": 5, "test": 10,
        }
    )  # fmt: skip
    row = role_audits.twin_leak(scores).iloc[0]
    assert row["leak"] == pytest.approx(0.02)
    assert row["low"] < row["drawn_low"] < row["leak"] < row["drawn_high"] < row["high"]
