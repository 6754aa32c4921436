import pandas as pd

from judgekit.report.results import Results
from judgekit.report.summary import profile_summary


def test_counts_settings_where_routing_is_below(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03})
    summary = profile_summary(Results("recorded", reports / "recorded"))
    assert summary.state == "repository"
    assert summary.lines == (
        "1 table and 0 figures",
        "role-routed risk below the single best judge in 3 of 3 settings",
        "role-routed risk below all judges in 2 of 3 settings",
        "2.50 judges called per row on average",
    )


def test_counts_cells_where_judgemoe_leads(write_results):
    row = {"scope": "all cells", "unit": "cells", "baseline": "uniform_log", "n": 16}
    row |= {"mean_gain": 0.0434, "low": 0.01, "high": 0.07, "positive": 14, "p_one_sided": 0.003}
    chance = {"baseline": "covariance_log", "mean_gain": 0.009, "low": -0.01, "positive": 10}
    table = pd.DataFrame([row, row | chance, row | {"baseline": "ridge"}])
    reports = write_results("recorded", {"comparisons": table}, study="judgemoe")
    assert profile_summary(Results("recorded", reports / "recorded")).lines == (
        "1 table and 0 figures",
        "JudgeMoE ahead of the uniform log pool in 14 of 16 cells, mean Spearman +0.043",
        "JudgeMoE ahead of the covariance-aware pool in 10 of 16 cells, mean Spearman +0.009, "
        "its 95% interval holds zero",
    )


def test_says_when_it_was_rebuilt_here(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03}, here=True)
    summary = profile_summary(Results("recorded", reports / "recorded"))
    assert (summary.state, summary.headline) == ("here", "rebuilt here, 2026-11-29 10:12 UTC")
    assert "1 executed notebook to read" in summary.lines


def test_tells_a_part_rebuilt_here_from_the_whole(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03}, here=True)
    (reports / "recorded" / "tables" / "roles" / "table12_complete_case.csv").write_text(
        "setting,rows\na,1\n"
    )
    summary = profile_summary(Results("recorded", reports / "recorded"))
    assert (summary.state, summary.headline) == (
        "mixed",
        "1 of 2 files rebuilt here, the rest from the repository",
    )


def test_names_files_that_differ_from_the_manifest(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03})
    path = reports / "recorded" / "tables" / "roles" / "table03_policy_comparison.csv"
    path.write_text(path.read_text() + "extra,1,1,1,1,1,1,1,1\n")
    summary = profile_summary(Results("recorded", reports / "recorded"))
    assert "differs from the manifest: tables/roles/table03_policy_comparison.csv" in summary.lines


def test_nothing_there_is_absent(tmp_path):
    summary = profile_summary(Results("local", tmp_path / "local"))
    assert (summary.state, summary.lines) == ("absent", ())


def test_ten_lines_at_most(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03}, here=True)
    assert len(profile_summary(Results("recorded", reports / "recorded")).lines) <= 9
