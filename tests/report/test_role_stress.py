import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from judgekit.report.plots import role_stress
from judgekit.report.plots.palette import POLICY_NAMES, POLICY_STYLE


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def line_of(ax, policy):
    colour, marker = POLICY_STYLE[policy]
    return next(line for line in ax.lines if (line.get_color(), line.get_marker()) == (colour, marker))


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_changes_stand_at_their_setting_in_both_panels():
    changes = pd.DataFrame(
        {
            "setting": ["one", "two"] * 2, "policy": ["reliability_jury"] * 2 + ["role_routed"] * 2,
            "risk_change": [0.03, 0.05, 0.0, 0.0], "cost_change": [4.0, 4.0, 0.0, 0.0],
        }
    )  # fmt: skip
    risk, cost = role_stress.plot_copy_changes(changes)
    marks = [collection.get_offsets().tolist() for collection in risk.collections]
    assert [[0.0, 0.0], [0.0, 1.0]] in marks
    assert [[0.03, 0.0], [0.05, 1.0]] in marks
    assert [[4.0, 0.0], [4.0, 1.0]] in [c.get_offsets().tolist() for c in cost.collections]
    assert [label.get_text() for label in risk.get_yticklabels()] == ["one", "two"]
    assert legend_of(risk.figure) == [POLICY_NAMES[name] for name in ("role_routed", "reliability_jury")]


def test_the_copy_curve_has_one_line_a_policy_and_one_column_a_setting():
    means = pd.DataFrame(
        {
            "setting": np.repeat(["one", "two"], 3), "policy": "flat_all", "copies": [2, 0, 1] * 2,
            "risk": [0.3, 0.1, 0.2] * 2, "cost": [3.0, 1.0, 2.0] * 2,
        }
    )  # fmt: skip
    axes = role_stress.plot_copy_curve(means)
    assert axes.shape == (2, 2)
    assert line_of(axes[0, 1], "flat_all").get_xydata().tolist() == [[0, 0.1], [1, 0.2], [2, 0.3]]
    assert line_of(axes[1, 0], "flat_all").get_ydata().tolist() == [1, 2, 3]
    assert [ax.get_title(loc="left") or ax.get_title() for ax in axes[0]] == ["one", "two"]


def test_noisy_copies_say_what_the_share_is_of():
    means = pd.DataFrame(
        {
            "setting": "one",
            "policy": "role_routed",
            "share": [0.0, 0.5],
            "risk": [0.1, 0.2],
            "copy_calls": [0, 1],
        }
    )
    axes = role_stress.plot_noisy_copies(means, label="share turned round")
    assert axes[1, 0].get_xlabel() == "share turned round"
    assert line_of(axes[1, 0], "role_routed").get_ydata().tolist() == [0, 1]


def test_policies_that_cost_the_same_share_one_named_line():
    means = pd.DataFrame(
        {
            "setting": "one", "policy": np.repeat(["flat_all", "full_stack", "role_routed"], 2),
            "copies": [0, 4] * 3, "risk": [0.3, 0.3, 0.2, 0.2, 0.1, 0.1], "cost": [3, 7, 3, 7, 2, 2],
        }
    )  # fmt: skip
    risk, cost = role_stress.plot_copy_curve(means)[:, 0]
    assert (len(risk.lines), len(cost.lines)) == (3, 2)
    assert [text.get_text() for text in cost.texts] == ["all judges, stack"]
    assert not risk.texts


def audit_means():
    rows = [
        (setting, policy, halves, percent, excess, overlap)
        for setting in ("one", "two")
        for policy in ("role_routed", "single_best")
        for halves, percent, excess, overlap in (
            ("kept", 50, 0.01, 0.3), ("kept", 100, 0.0, 1.0), ("anew", 100, 0.001, 0.4),
        )
    ]  # fmt: skip
    columns = ["setting", "policy", "halves", "audit_percent", "excess_risk", "plan_jaccard"]
    return pd.DataFrame(rows, columns=columns)


def test_audit_curves_draw_means_settings_and_the_dashed_yardstick():
    risk, overlap = role_stress.plot_audit_curves(audit_means(), policies=["role_routed", "single_best"])
    assert line_of(risk, "role_routed").get_xydata().tolist() == [[50, 0.01], [100, 0.0]]
    dashed = [line for line in overlap.lines if line.get_linestyle() == "--"]
    assert [line.get_ydata()[0] for line in dashed] == [0.4, 0.4]
    thin = [line for line in risk.lines if line.get_color() == role_stress._THIN]
    assert len(thin) == 2


def test_enough_marks_mean_and_interval():
    enough = pd.DataFrame(
        {"setting": ["one", "two"], "policy": "role_routed", "enough_percent": [25, 100],
         "enough_rows": [10.0, 90.0], "sure_percent": [75, 100]}
    )  # fmt: skip
    ax = role_stress.plot_enough(enough, margin=0.005)
    marks = [collection.get_offsets().tolist() for collection in ax.collections]
    assert [[25, 0], [100, 1]] in marks
    assert [[75, 0], [100, 1]] in marks
    assert {"10", "90"} <= {text.get_text() for text in ax.texts}


def test_mix_curves_mark_the_mix_that_was_planned_for():
    curves = pd.DataFrame(
        {
            "setting": "one", "deployment_mix": ["rich"] * 2 + ["poor"] * 2, "part": "s0",
            "deployed_share": [0.8] * 2 + [0.2] * 2, "policy": "single_best", "share": [0.1, 0.9] * 2,
            "risk": [0.4, 0.1, 0.2, 0.3],
        }
    )  # fmt: skip
    axes = role_stress.plot_mix_curves(curves)
    assert axes.shape == (2, 1)
    assert line_of(axes[0, 0], "single_best").get_ydata().tolist() == [0.4, 0.1]
    dotted = [next(line for line in ax.lines if line.get_linestyle() == ":") for ax in axes[:, 0]]
    assert [line.get_xdata()[0] for line in dotted] == [0.8, 0.2]
    assert axes[1, 0].get_xlabel() == "share of s0 planned on"


def test_the_leak_shows_both_intervals():
    leaks = pd.DataFrame(
        {"setting": ["one"], "policy": ["single_best"], "leak": [0.01], "drawn_low": [0.0],
         "drawn_high": [0.02], "low": [-0.05], "high": [0.07]}
    )  # fmt: skip
    ax = role_stress.plot_twin_leak(leaks)
    spans = [
        [segment[:, 0].tolist() for segment in collection.get_segments()]
        for collection in ax.collections
        if hasattr(collection, "get_segments")
    ]
    assert [[-0.05, 0.07]] in spans
    assert [[0.0, 0.02]] in spans
