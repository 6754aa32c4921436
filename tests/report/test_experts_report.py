"""Tables and figures of the study of experts."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from judgekit.report.plots import experts as plots
from judgekit.report.plots.palette import BLUE, VERMILION
from judgekit.report.tables.expert_claims import published_beside
from judgekit.report.tables.experts import data_curves, mean_curves, repairs, saturation, vetting_summary

VERDICTS = pd.DataFrame(
    {
        "dataset": ["s", "s", "t", "t"],
        "benchmark_cell": ["s1", "s1", "t1", "t1"],
        "expert": ["a", "b", "a", "a"],
        "seed": [0, 0, 0, 1],
        "admitted": [True, False, True, True],
        "vetting_gain": [0.1, -0.1, 0.1, 0.2],
        "test_gain": [0.2, 0.1, -0.1, 0.3],
        "right": [True, False, False, True],
    }
)
CURVES = pd.DataFrame(
    {
        "benchmark_cell": "s1",
        "expert": "a",
        "fraction": [0.05, 0.05, 1.0, 1.0],
        "repeat": [0, 1, 0, 1],
        "train_rows": [5, 7, 100, 100],
        "pool": 0.4,
        "single": 0.45,
        "mixed": [0.42, 0.44, 0.5, 0.5],
        "covariance": 0.4,
        "covariance_mixed": [0.44, 0.48, 0.6, 0.6],
    }
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_verdicts_are_counted_per_data_set_and_over_all():
    found = vetting_summary(VERDICTS).set_index("dataset")
    assert found.loc["s", ["admitted", "right", "wrongly_refused"]].tolist() == [0.5, 0.5, 0.5]
    assert found.loc["t", ["experts", "splits"]].tolist() == [1, 2]
    assert np.isnan(found.loc["t", "gain_refused"])
    assert found.loc["all", "gain_admitted"] == pytest.approx(0.4 / 3)
    assert found.loc["all", "wrongly_admitted"] == 0.25


def test_verdicts_stand_beside_those_of_admitting_all_or_none():
    found = vetting_summary(VERDICTS).set_index("dataset")
    assert found.loc["s", ["right_if_all", "right_if_none"]].tolist() == [1.0, 0.0]
    assert found.loc["all", ["right", "right_if_all", "right_if_none"]].tolist() == [0.5, 0.75, 0.25]


def test_repair_is_called_by_validation_rows_and_counted_by_test_rows():
    experts = pd.DataFrame(
        {
            "admitted": [True, False, True],
            "validation_gain": [-0.1, -0.2, 0.1],
            "test_gain": [0.1, -0.1, -0.2],
            "pool": [0.4, 0.5, 0.6],
            "mixed": [0.5, 0.4, 0.4],
            "repaired": [0.45, 0.45, 0.6],
            "repair_keeps": [True, False, False],
        }
    )
    found = repairs(experts).set_index("rule")
    called = found.loc["gain on validation rows below 0"]
    assert called[["experts", "hurt", "kept", "below_pool"]].tolist() == [2, 1, 1, 1]
    assert called["repaired"] == pytest.approx(0.45)
    assert found.loc["hindsight: gain on test rows below 0", ["experts", "hurt"]].tolist() == [2, 2]


def test_curves_are_means_over_orders():
    found = data_curves(CURVES).set_index("fraction")
    assert found.loc[0.05, "uniform_gain"] == pytest.approx(0.03)
    assert found.loc[0.05, "covariance_gain"] == pytest.approx(0.06)
    assert found.loc[0.05, ["train_rows", "above_single"]].tolist() == [6.0, 0.5]
    assert found.loc[0.05, "low"] < found.loc[0.05, "uniform_gain"] < found.loc[0.05, "high"]


def test_saturation_is_the_first_fraction_near_the_full_gain():
    found = saturation(data_curves(CURVES)).iloc[0]
    assert found["covariance_enough"] == 1.0
    assert found["above_single_at_least"]
    flat = saturation(data_curves(CURVES.assign(covariance_mixed=0.6))).iloc[0]
    assert (flat["covariance_enough"], flat["uniform_enough"]) == (0.05, 1.0)


def test_no_gain_has_no_saturation():
    none = CURVES.assign(covariance_mixed=0.4 + 1e-5)
    assert np.isnan(saturation(data_curves(none)).iloc[0]["covariance_enough"])


def test_a_setting_is_the_mean_of_its_cells():
    second = CURVES.assign(benchmark_cell="s2", covariance_mixed=0.3)
    curves = data_curves(pd.concat([CURVES, second, CURVES.assign(benchmark_cell="s3")]))
    found = mean_curves(curves, {"both": (["s1", "s2"], "a")})
    assert found["benchmark_cell"].unique().tolist() == ["both"]
    np.testing.assert_allclose(found["covariance_mixed"], [(0.46 + 0.3) / 2, (0.6 + 0.3) / 2])
    assert not saturation(found).iloc[0]["above_single_at_least"]


@pytest.fixture
def frames():
    mixed = pd.DataFrame(
        {
            "benchmark_cell": "s1",
            "pool": ["judges", "judges + a"],
            "uniform_log": [0.4, 0.5],
            "learned": [0.55, 0.45],
        }
    )
    experts = pd.DataFrame(
        {
            "benchmark_cell": ["s1"],
            "expert": ["a"],
            "expert_alone": 0.6,
            "pool": 0.4,
            "repaired": 0.4,
            "repair_keeps": False,
        }
    )
    prompts = pd.DataFrame({"correlation_change": [0.1, 0.3], "learned_change": [-0.1, 0.0]})
    return {
        "mixed": mixed,
        "experts": experts,
        "prompts": prompts,
        "summary": vetting_summary(VERDICTS),
        "curves": data_curves(CURVES),
    }


STANDS = {
    name: {"cells": ["s1"], "expert": "a"}
    for name in ("bertscore", "reward", "comet", "translation_bertscore")
}


def test_published_statements_stand_beside_ours(frames):
    found = published_beside(frames, STANDS, profile="recorded")
    by_claim = found.groupby("claim", sort=False)["holds"].agg(list)
    assert by_claim["jm-064"] == ["no"]
    assert by_claim["jm-066"] == ["yes", "yes", "yes", "yes"]
    assert by_claim["jm-067"] == ["yes", "yes"]
    assert by_claim["jm-068"] == ["yes", "yes", "not defined"]
    assert by_claim["jm-070"] == ["yes", "yes"]
    comet = found[found["quantity"] == "COMET alone"].iloc[0]
    assert comet["difference"] == pytest.approx(0.6 - 0.4326)


def test_simulated_values_get_no_difference(frames):
    assert published_beside(frames, STANDS, profile="simulated")["difference"].isna().all()


def test_a_number_is_tested_by_its_own_statement_and_the_order_by_itself(frames):
    frames["mixed"] = frames["mixed"].assign(learned=[0.45, 0.55])
    found = published_beside(frames, STANDS, profile="recorded").set_index("quantity")
    assert found.loc["uniform log pool with COMET", ["tests", "holds"]].tolist() == [
        "above the uniform pool of the judges only",
        "yes",
    ]
    assert found.loc["learned pool with COMET", "holds"] == "yes"
    order = found.loc["uniform minus learned, with COMET"]
    assert (order["holds"], order["ours"]) == ("no", pytest.approx(-0.05))


def test_reasons_name_what_a_mean_hides_and_what_repair_dropped(frames):
    found = published_beside(frames, STANDS, profile="recorded").set_index("claim")
    assert "s1 -0.100" in found.loc["jm-064", "why"]
    assert "dropped the expert" in found.loc["jm-065", "why"]
    frames["experts"] = frames["experts"].assign(repair_keeps=True)
    kept = published_beside(frames, STANDS, profile="recorded").set_index("claim")
    assert "dropped" not in kept.loc["jm-065", "why"]
    assert "has 100 of those" in kept.loc["jm-067", "why"].iloc[0]


def test_an_undefined_quantity_is_called_so(frames):
    frames["curves"] = frames["curves"].assign(covariance_gain=0.0)
    found = published_beside(frames, STANDS, profile="recorded")
    assert found.loc[found["claim"] == "jm-072", "holds"].tolist() == ["–", "–", "not defined"]


def test_gains_are_filled_where_admitted_and_coloured_beyond_noise():
    frame = pd.DataFrame(
        {
            "benchmark_cell": ["s", "s", "t"],
            "expert": ["a", "org/b", "c"],
            "test_gain": [0.1, -0.1, 0.0],
            "low": [0.05, -0.2, -0.1],
            "high": [0.2, -0.05, 0.1],
            "admitted": [True, False, False],
        }
    )
    ax = plots.plot_expert_gains(frame)
    above, below, neither = (
        next(each for each in ax.collections[place:] if len(each.get_offsets())) for place in (1, 3, 5)
    )
    gains = [each.get_offsets()[0, 0] for each in (above, below, neither)]
    np.testing.assert_allclose(gains, frame["test_gain"])
    assert tuple(below.get_edgecolors()[0]) == to_rgba(VERMILION)
    assert tuple(above.get_facecolors()[0]) == to_rgba(BLUE)
    assert tuple(below.get_facecolors()[0]) == to_rgba("white")
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said[:3] == ["interval above 0", "interval below 0", "interval holds 0"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]


def test_every_verdict_is_a_mark():
    ax = plots.plot_vetting(VERDICTS)
    marks = sum(len(each.get_offsets()) for each in ax.collections if each.get_label().startswith("_"))
    assert marks == len(VERDICTS)


def test_prompt_pools_move_from_base_to_expanded():
    frame = pd.DataFrame(
        {
            "benchmark_cell": ["s", "t"],
            "base_correlation": [0.4, 0.8],
            "expanded_correlation": [0.6, 0.7],
            "correlation_change": [0.2, -0.1],
            "change": [0.0, -0.1],
            "low": [-0.1, -0.2],
            "high": [0.1, -0.05],
        }
    )
    left, right = plots.plot_prompts(frame)
    ends = [each.get_offsets()[0, 0] for each in left.collections if len(each.get_offsets()) == 1]
    assert [end for end in ends if end != 0] == [0.6, 0.7]
    np.testing.assert_allclose(right.collections[1].get_offsets()[:, 0], frame["change"])


def test_each_learning_curve_has_a_panel():
    second = CURVES.assign(expert="b")
    axes = plots.plot_expert_data(data_curves(pd.concat([CURVES, second])))
    assert len(axes) == 2
    np.testing.assert_allclose(axes[0].lines[0].get_ydata(), [0.43, 0.5])
    drawn = {line.get_label(): line.get_ydata() for line in axes[0].lines}
    np.testing.assert_allclose(drawn["judges only, covariance"], [0.4, 0.4])
    assert "10 to 90%" in axes[0].collections[0].get_label()
