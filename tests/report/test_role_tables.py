"""Role tables against plain pandas on made-up scores, and figures as artists."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from judgekit.audit import RolePool
from judgekit.errors import InvalidInput
from judgekit.report.plots.roles import plot_decomposition, plot_frontier, plot_regimes
from judgekit.report.plots.start import plot_accuracy_by_slice, plot_distributions, plot_risks
from judgekit.report.tables import role_advice, role_plans, roles
from tests.strategies import good_judges

POLICIES = [
    "single_best",
    "flat_all",
    "full_stack",
    "slice_stack",
    "global_panel",
    "global_panel_sliced",
    "role_routed",
    "role_strict_sliced",
]


@pytest.fixture
def scores() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rows = []
    for setting in ("b", "a"):
        for split in range(4):
            for policy in POLICIES:
                calls = 6.0 if "stack" in policy or policy == "flat_all" else 1 + rng.random()
                rows.append(
                    {
                        "setting": setting,
                        "split": split,
                        "policy": policy,
                        "risk": rng.random(),
                        "calls": calls,
                    }
                    | {"accuracy": rng.random(), "cost": calls, "judges": 6, "test_fallback": 0.25}
                    | {"fit": 10, "validation": 10, "test": 20, "validation_fallback": 0.5}
                    | {"global_patterns": 4, "max_route_patterns": 8, "gain_threshold": 0.005}
                )
    return pd.DataFrame(rows)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_policy_comparison_keeps_the_settings_order_and_the_means(scores):
    table = roles.policy_comparison(scores)
    assert table["dataset"].tolist() == ["b", "a"]
    mean = scores[(scores["setting"] == "a") & (scores["policy"] == "role_routed")]["risk"].mean()
    assert table.set_index("dataset").loc["a", "role_routed_risk"] == pytest.approx(mean)


def test_a_missing_policy_is_named(scores):
    with pytest.raises(InvalidInput, match="flat_all"):
        roles.policy_comparison(scores[scores["policy"] != "flat_all"])


def test_half_widths_are_t_intervals_over_splits(scores):
    table = roles.policy_means(scores).set_index(["setting", "policy"])
    risk = scores[(scores["setting"] == "b") & (scores["policy"] == "flat_all")]["risk"]
    half = scipy_stats.t.ppf(0.975, 3) * risk.std(ddof=1) / 2
    assert table.loc[("b", "flat_all"), "risk_half_width"] == pytest.approx(half)


def test_corrected_intervals_are_wider_by_the_overlap_of_splits(scores):
    table = roles.split_intervals(scores).iloc[0]
    ratio = table["role_corrected_half_width"] / table["role_risk_half_width"]
    # variance s^2 (1/4 + n_test/n_train) against s^2 / 4
    assert ratio == pytest.approx(np.sqrt((1 / 4 + 20 / 20) * 4))


def test_the_parts_of_the_gain_add_up(scores):
    parts = roles.gain_decomposition(scores)
    np.testing.assert_allclose(parts["routing_gain"], parts["recalibration_gain"] + parts["calls_gain"])
    assert (parts["extra_calls"] < 1).all()


def test_pattern_shares_are_percent(scores):
    table = roles.pattern_sparsity(scores)
    assert table["val_fallback_percent"].tolist() == [50.0, 50.0]
    assert table["test_fallback_percent"].tolist() == [25.0, 25.0]


def test_a_sweep_keeps_settings_apart_and_thresholds_rising(scores):
    swept = pd.concat([scores.assign(gain_threshold=0.02), scores])
    table = roles.threshold_sensitivity(swept)
    assert table["setting"].tolist() == ["b", "b", "a", "a"]
    assert table["gain_threshold"].tolist() == [0.005, 0.02] * 2


def test_the_frontier_agrees_with_a_double_loop(scores):
    table = roles.frontier(scores)
    for setting, part in table.groupby("setting"):
        points = part[["risk", "cost"]].to_numpy()
        for row, (risk, cost) in enumerate(points):
            beaten = any(r <= risk and c <= cost and (r < risk or c < cost) for r, c in points)
            assert part["on_frontier"].iloc[row] == (not beaten), setting


def test_pair_additions_count_moves_only_a_pair_makes():
    gains = pd.DataFrame(
        {
            "setting": "s",
            "split": [0, 1],
            "best_single_gain": [0.001, 0.003],
            "best_pair_gain": [0.006, 0.004],
        }
    ).assign(pair_only=[True, False])
    row = roles.pair_additions(gains).iloc[0]
    assert (row["splits"], row["pair_only_moves"]) == (2, 1)
    assert row["mean_single_gain"] == pytest.approx(0.002)
    assert row["max_pair_gain"] == 0.006


def test_recurring_calls_are_counted_by_split():
    plans = pd.DataFrame(
        [
            ("s", 0, "role_routed", "all", "a"),
            ("s", 0, "role_routed", "x", "b"),
            ("s", 1, "role_routed", "all", "a"),
        ]
        + 1 * [("s", 1, "role_strict", "x", "b")],
        columns=["setting", "split", "policy", "slice", "judge"],
    )
    calls = role_plans.call_frequencies(plans, least=1)
    assert calls[["slice", "judge", "count", "of"]].values.tolist() == [["all", "a", 2, 2], ["x", "b", 1, 2]]
    none = role_plans.routed_specialists(plans, least=2)
    assert none.values.tolist() == [["s", "none", "none", 0, 2]]


def test_a_slice_counts_as_routed_whoever_is_called_there():
    rows = [(0, "all", "a"), (0, "x", "b"), (0, "x", "c"), (1, "all", "b"), (1, "x", "a"), (2, "all", "a")]
    plans = pd.DataFrame(rows, columns=["split", "slice", "judge"])
    plans = plans.assign(setting="made up", policy="role_routed")
    other = pd.DataFrame([(2, "y", "b")], columns=["split", "slice", "judge"])
    plans = pd.concat([plans, other.assign(setting="made up", policy="role_strict")])
    pool = replace(good_judges(20, [0.8, 0.7, 0.6], slices=2), slice_names=("x", "y"))
    table = role_plans.routed_slices(plans, [pool])
    assert table.values.tolist() == [["made up", "x", 2, 3, 1.0], ["made up", "y", 0, 3, 0.0]]


def test_call_shares_hold_the_calls_that_no_split_makes():
    plans = pd.DataFrame(
        [("one", 0, 0.0, "all", "a"), ("one", 1, 0.0, "all", "b"), ("one", 1, 0.0, "code", "a"),
         ("one", 0, 0.1, "all", "a"), ("one", 1, 0.1, "all", "a"), ("two", 0, 0.0, "all", "b")],
        columns=["setting", "split", "gain_threshold", "slice", "judge"],
    ).assign(policy="role_routed")  # fmt: skip
    none = np.full(4, -1)
    pool = RolePool(
        "one", np.zeros((4, 2), dtype=np.int8), np.array([0.0, 1.0] * 2), np.arange(4), none, ("code",),
        ("a", "b"), ("x", "y"), np.ones(2), 2,
    )  # fmt: skip
    shares = role_plans.call_shares(plans, pool, field="gain_threshold")
    assert shares["share"].tolist() == [0.5, 0.5, 0.5, 0, 1, 0, 0, 0]
    assert shares["judge"].tolist() == ["a", "b"] * 4
    assert shares["slice"].tolist() == ["all", "all", "code", "code"] * 2


def test_evidence_counts_settings_where_the_first_policy_is_lower(scores):
    table = role_advice.evidence_per_action(scores).set_index("action")
    means = scores.groupby(["setting", "policy"])["risk"].mean().unstack()
    lower = (means["global_panel"] < means["single_best"]).sum()
    assert table.loc["call complements on every row", "settings_lower"] == lower


def test_regimes_are_counted_over_splits():
    regimes = pd.DataFrame({"setting": "s", "split": range(3), "regime": ["stop", "route", "route"]}).assign(
        validation_routed=[0.1, 0.2, 0.3], full_drop=0.0, agreement=0.5, test_risk=0.2, test_calls=2.0
    )
    row = role_advice.regime_map(regimes.assign(routed_test_risk=0.2, stack_test_risk=0.1)).iloc[0]
    assert (row["regime"], row["count"], row["of"]) == ("route", 2, 3)
    assert row["validation_routed"] == pytest.approx(0.2)


def test_regime_figure_places_ratios_and_says_the_calls(scores):
    means = roles.policy_means(scores)
    axes = plot_regimes(means)
    risk = means.set_index(["setting", "policy"])["risk"]
    drawn = {c.get_label(): c.get_offsets()[:, 0] for c in axes.collections if len(c.get_offsets()) == 2}
    ratios = [risk[(s, "role_routed")] / risk[(s, "single_best")] for s in ("b", "a")]
    np.testing.assert_allclose(drawn["role plan, routed"], ratios)
    assert any(text.get_text().endswith("of 6") for text in axes.texts)


def test_frontier_figure_has_a_panel_a_setting(scores):
    panels = plot_frontier(roles.frontier(scores))
    assert [panel.get_title() or panel.get_title(loc="left") for panel in panels] == ["b", "a"]


def test_decomposition_figure_draws_two_bars_a_setting(scores):
    gains = roles.gain_decomposition(scores)
    axes = plot_decomposition(gains)
    widths = sorted(bar.get_width() for bar in axes.patches)
    np.testing.assert_allclose(widths, sorted([*gains["recalibration_gain"], *gains["calls_gain"]]))


def test_introduction_figures_carry_their_numbers():
    table = pd.DataFrame([[0.9, 0.25]], index=["judge"], columns=["natural", "adversarial_x"])
    assert [text.get_text() for text in plot_accuracy_by_slice(table).texts] == ["0.90", "0.25"]
    shapes = pd.DataFrame([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]], index=["torn", "sure"], columns=[1.0, 2.0, 3.0])
    first = plot_distributions(shapes)
    assert "mean 2.00" in first.get_title() + first.get_title(loc="left")
    bars = plot_risks(pd.Series({"one": 0.2, "plan": 0.1}), pd.Series({"one": 1.0, "plan": 2.5}))
    assert any("0.100  at 2.5 calls" in text.get_text() for text in bars.texts)
