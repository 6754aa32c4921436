from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from judgekit.errors import InvalidInput
from judgekit.gate import GateSettings
from judgekit.report.tables import aggregation as tables
from judgekit.sources.cells import cell_names, load_cell
from judgekit.studies.aggregation import Configuration, fit_ridge, fixed_methods, split_cell
from judgekit.studies.aggregation_main import AggregationSettings, study_aggregation
from judgekit.studies.aggregation_stats import compare_methods, score_cells, study_power
from judgekit.studies.deployment import halve_validation, study_deployment
from judgekit.studies.gate_diagnostics import correlate_residuals, measure_calibration, weigh_quality
from judgekit.studies.gate_screen import gate_variants, two_by_two
from judgekit.studies.pipeline import average, choose_recipe, components
from judgekit.studies.training_signal import study_data_efficiency, study_pairs, thin_training

NAMES = ("sim_roscoe_1_5", "sim_topicalchat_1_5", "sim_helpsteer2_1_5")
SETTINGS = AggregationSettings(
    base=Configuration(gate=GateSettings(epochs=2, hidden=8)), temperatures=(0.7, 1.0), seeds=1
)
COLUMNS = [
    "benchmark_cell",
    "method",
    "spearman",
    "low",
    "high",
    "judges_with_probabilities",
    "judges_hard_only",
    "rows",
    "groups",
]


def permute_test_labels(cell):
    test = split_cell(cell, seed=0).split.test
    target = cell.judgments.target.copy()
    target[test] = np.random.default_rng(99).permutation(target[test])
    return replace(cell, judgments=replace(cell.judgments, target=target))


@pytest.fixture(scope="module")
def cells():
    return [load_cell("simulated", name) for name in NAMES]


@pytest.fixture(scope="module")
def study(cells):
    return study_aggregation(cells, SETTINGS)


@pytest.fixture(scope="module")
def scores(study):
    return score_cells(study.results, seed=0, draws=50)


def test_permuting_test_labels_leaves_every_choice_unchanged(cells, study):
    permuted = study_aggregation([permute_test_labels(cell) for cell in cells], SETTINGS)
    pd.testing.assert_frame_equal(study.choices, permuted.choices)
    pd.testing.assert_frame_equal(study.recipe.steps, permuted.recipe.steps)
    assert study.screen["validation"].tolist() == permuted.screen["validation"].tolist()
    assert study.screen["test"].tolist() != permuted.screen["test"].tolist()
    # Scores follow from choices and training rows: only the bound may move.
    for plain, other in zip(study.results, permuted.results, strict=True):
        for method in set(plain.scores) - {"single_best_by_test"}:
            np.testing.assert_array_equal(plain.scores[method], other.scores[method])
    picked = ["learned", "published", "best_validation", "leave_one_out_gain"]
    first, second = (study_deployment(each.results, seed=0) for each in (study, permuted))
    pd.testing.assert_frame_equal(first[picked], second[picked])


@pytest.mark.parametrize("name", cell_names("simulated"))
def test_documents_never_straddle_a_split(name):
    parts = split_cell(load_cell("simulated", name), seed=3)
    groups = [
        set(parts.cell.groups[rows]) for rows in (parts.split.fit, parts.split.validation, parts.split.test)
    ]
    assert not groups[0] & groups[1]
    assert not groups[0] & groups[2]
    assert not groups[1] & groups[2]
    halves = [set(parts.cell.groups[rows]) for rows in halve_validation(parts, seed=0)]
    assert not halves[0] & halves[1]


def test_main_table_has_the_promised_columns_and_every_method(scores):
    assert scores.main.columns[:9].tolist() == COLUMNS
    roscoe = scores.main[scores.main["benchmark_cell"] == "sim_roscoe_1_5"].set_index("method")
    assert roscoe["rows"].unique().tolist() == [30]
    assert roscoe.loc["judgemoe_compact", "judges_with_probabilities"] == 3
    assert roscoe.loc["uniform_log", "judges_with_probabilities"] == 6
    assert roscoe["spearman"].idxmax() is not None
    assert roscoe.loc["single_best_by_test", "spearman"] >= roscoe.loc["single_best", "spearman"]
    assert len(roscoe) == 12
    assert (scores.main["low"] <= scores.main["high"]).all()


def test_gains_are_differences_of_the_main_table(scores):
    wide = scores.main.pivot(index="benchmark_cell", columns="method", values="spearman")
    for row in scores.gains.itertuples():
        expected = wide.loc[row.benchmark_cell, row.first] - wide.loc[row.benchmark_cell, row.baseline]
        assert row.gain == pytest.approx(expected)


def make_gains(values, datasets=("a", "a", "b"), roles=("choose", "choose", "confirm")):
    return pd.DataFrame(
        {
            "benchmark_cell": [f"cell{number}" for number in range(len(values))],
            "dataset": datasets,
            "role": roles,
            "score_range": "1-5",
            "first": "judgemoe",
            "baseline": "single_best",
            "gain": values,
            "low": np.array(values) - 0.1,
            "high": np.array(values) + 0.1,
            "rows": [10, 10, 30],
        }
    )


def test_comparisons_by_hand():
    found = compare_methods(make_gains([0.1, 0.3, -0.2]), seed=0, draws=100)
    found = found.set_index(["scope", "unit"])
    cells = found.loc[("all cells", "cells")]
    assert cells["mean_gain"] == pytest.approx(0.2 / 3)
    assert cells["weighted_gain"] == pytest.approx((0.1 * 10 + 0.3 * 10 - 0.2 * 30) / 50)
    assert (cells["n"], cells["positive"]) == (3, 2)
    # Ranks 1, 3 positive and 2 negative: of 8 sign patterns, 3 have a positive rank sum of 4 or more.
    assert cells["p_one_sided"] == pytest.approx(3 / 8)
    sets = found.loc[("all cells", "data sets")]
    assert (sets["n"], sets["positive"], sets["mean_gain"]) == (2, 1, pytest.approx(0.0))
    assert found.loc[("confirm cells", "cells"), "mean_gain"] == pytest.approx(-0.2)


def test_power_grows_with_cells():
    power = study_power(make_gains([0.1, 0.3, -0.05]), seed=0, simulations=500).set_index("cells")["power"]
    assert 0 < power[10] < power[16] <= 1


def test_recipe_adds_what_helps_and_stops(cells):
    parts = split_cell(cells[1], seed=0)
    rng = np.random.default_rng(0)
    half = rng.standard_normal(len(parts.target)) * parts.target.std()
    scores = {
        "left": parts.target + half,
        "right": parts.target - half,
        "noise": rng.standard_normal(len(parts.target)),
    }
    recipe = choose_recipe([parts], [scores])
    assert set(recipe.members) == {"left", "right"}
    assert recipe.steps["validation"].iloc[-1] == pytest.approx(1)
    np.testing.assert_allclose(average(scores, recipe.members), parts.target)
    with pytest.raises(InvalidInput, match="at least one"):
        choose_recipe([], [])


def test_components_for_the_choice_read_training_rows_only(cells):
    parts = split_cell(cells[0], seed=0)
    target = parts.target.copy()
    target[parts.split.validation] = target[parts.split.validation][::-1]
    plain, other = (components(each, refit=False) for each in (parts, replace(parts, target=target)))
    for name in plain:
        np.testing.assert_array_equal(plain[name], other[name])


def test_ridge_agrees_with_a_pipeline(cells):
    parts = split_cell(cells[1], seed=0)
    inputs = np.nan_to_num(parts.soft, nan=3.0)
    train = parts.split.fit
    trusted = make_pipeline(StandardScaler(), RidgeCV(alphas=np.logspace(-2, 4, 13)))
    expected = trusted.fit(inputs[train], parts.target[train]).predict(inputs)
    np.testing.assert_allclose(fit_ridge(inputs, parts.target, train), expected, atol=1e-9)


def test_fixed_methods_have_a_score_for_every_row(cells):
    fixed = fixed_methods(split_cell(cells[2], seed=0))
    assert all(np.isfinite(values).all() for values in fixed.scores.values())
    assert sum(fixed.weights.values()) == pytest.approx(1)


def test_the_grid_walks_one_axis_at_a_time():
    base = Configuration()
    names = [each.name for each in gate_variants(base)]
    assert (len(names), names[0]) == (12, base.name)
    assert {(each.gate.architecture, each.gate.pool) for each in two_by_two(base)} == {
        ("deepsets", "log"),
        ("deepsets", "linear"),
        ("mlp", "log"),
        ("mlp", "linear"),
    }


def test_training_shares_are_nested_groups(cells):
    parts = split_cell(cells[1], seed=0)
    shares = [set(thin_training(parts, fraction, seed=0)) for fraction in (0.1, 0.5, 1.0)]
    assert shares[0] < shares[1] < shares[2] == set(parts.split.fit)


def test_training_signal_studies_run(study):
    efficiency = study_data_efficiency(study, NAMES[:1], fractions=(0.5, 1.0))
    assert efficiency["rows"].is_monotonic_increasing
    result = study.results[0]
    assert efficiency["judgemoe"].iloc[1] == result.spearman("judgemoe", result.parts.split.test)
    pairs = study_pairs(study, NAMES[:2], limit=64)
    assert pairs["within"].tolist() == ["any rows", "group"]
    assert (pairs["pairs"] == 64).all()


def test_diagnostics_have_a_row_for_every_cell(study):
    assert correlate_residuals(study.results)["full"].between(-1, 1).all()
    calibration = measure_calibration(study.results).drop(columns="benchmark_cell")
    assert calibration.to_numpy().min() >= 0
    weights = weigh_quality(study.results).groupby("benchmark_cell")["weight"].sum()
    assert weights.to_numpy() == pytest.approx(1)


def test_tables_set_printed_values_beside_ours(study, scores):
    beside = tables.comparisons_beside(compare_methods(scores.gains, seed=0, draws=50))
    assert beside.loc[beside["claim"] == "jm-024", "printed"].tolist() == [0.0393, 0.75, 0.0091, 0.0182]
    ablation = tables.feature_ablation(study.screen).set_index("feature_set")
    assert ablation["printed"].tolist() == [0.2634, 0.31, 0.3671, 0.3776]
    sizes = tables.pool_sizes(scores.main).set_index("benchmark_cell")
    assert sizes.loc["mean", "compact_gain"] == pytest.approx(sizes["compact_gain"].iloc[:3].mean())
    means = tables.method_means(scores.main).set_index("method")
    assert means["cells"].unique().tolist() == [3]


def test_compute_is_reproduced_to_the_printed_digit():
    found = tables.compute_accounting({"known": [7.0, 7.0], "unknown": [7.0, float("nan")]})
    assert found["rebuilt"].round(1).tolist()[:3] == [26.5, 50.2, 35.1]
    assert found["difference"].tolist()[:3] == [0, 0, 0]
    assert found["system"].tolist()[3:] == ["known"]
