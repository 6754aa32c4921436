import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.report.tables import role_copies


def copy_scores():
    """Two settings, two splits: the plan stays, the jury rises by 0.1 and falls by 0.1 in turn."""
    rows = []
    for setting in ("one", "two"):
        for condition in ("base", "+4 copies"):
            for split in range(2):
                swing = 0.1 * (-1) ** split if condition != "base" else 0.0
                base = {"setting": setting, "condition": condition, "split": split, "cost": 2.0, "calls": 2.0}
                rows.append(base | {"policy": "role_routed", "risk": 0.2, "copy_calls": 0.0})
                rows.append(base | {"policy": "reliability_jury", "risk": 0.3 + swing, "copy_calls": 4.0})
    return pd.DataFrame(rows)


def test_changes_that_cancel_in_the_mean_show_in_the_largest():
    changes = role_copies.copy_changes(copy_scores()).set_index(["setting", "policy"])
    assert changes.loc[("one", "reliability_jury"), "risk_change"] == pytest.approx(0)
    assert changes.loc[("one", "reliability_jury"), "largest_risk_change"] == pytest.approx(0.1)
    assert changes.loc[("one", "role_routed"), "largest_risk_change"] == 0


def test_exactness_counts_settings_in_which_nothing_moved():
    exact = role_copies.copy_exactness(role_copies.copy_changes(copy_scores())).set_index("policy")
    assert exact["risk_unchanged"].to_dict() == {"role_routed": 2, "reliability_jury": 0}
    assert exact["calls_unchanged"].to_dict() == {"role_routed": 2, "reliability_jury": 2}
    assert exact.loc["role_routed", ["settings", "largest_risk_change"]].tolist() == [2, 0]


def test_means_keep_the_order_of_conditions():
    means = role_copies.copy_means(copy_scores())
    assert means["condition"].unique().tolist() == ["base", "+4 copies"]
    jury = means[means["policy"] == "reliability_jury"]
    assert jury["copy_calls"].tolist() == [4.0] * 4


def test_a_base_that_is_not_there_is_refused():
    with pytest.raises(InvalidInput, match="base"):
        role_copies.copy_changes(copy_scores(), base="none")


def test_the_largest_gain_of_a_duplicate_counts_either_sign():
    gains = pd.DataFrame({"setting": "one", "split": [0, 1, 1], "judge": "a", "gain": [0.0, 1e-3, -2e-3]})
    row = role_copies.duplicate_gains(gains).iloc[0]
    assert row.tolist() == ["one", 2, 3, 2e-3]


def test_near_copies_are_summed_up_over_splits():
    gains = pd.DataFrame(
        {
            "setting": "one", "split": [0, 1, 2], "original": "a", "near_copy": "b", "agreement": 0.99,
            "error_correlation": 0.9, "copy_gain": [0.0, 0.006, 0.003], "other_gain": [0.02, 0.03, 0.04],
        }
    )  # fmt: skip
    row = role_copies.near_copies(gains).iloc[0]
    assert row["copy_gain"] == pytest.approx(0.003)
    assert row["other_gain"] == pytest.approx(0.03)
    assert row["copy_gain_half_width"] > 0
    assert (row["worth_a_call"], row["splits"]) == (1, 3)
