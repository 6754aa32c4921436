import pandas as pd

from judgekit.report.captions import studies
from judgekit.report.opening import opening
from judgekit.report.results import Results

ROLES, JUDGEMOE = (next(study for study in studies() if study.name == name) for name in ("roles", "judgemoe"))
TABLE = "table03_policy_comparison"


def heads(view):
    return [line.head for group in view.groups for line in group]


def test_roles_open_with_the_leading_columns_of_their_main_table(write_results, recorded_table03):
    reports = write_results("recorded", {TABLE: recorded_table03})
    found = opening(ROLES, Results("recorded", reports / "recorded"))
    assert found.caption == ROLES.table(TABLE).title
    assert len(found.view.columns) == len(ROLES.table(TABLE).lead)
    assert "llmbar_gpt4" in heads(found.view)
    assert found.strip.axis == "risk (Brier score)"


def test_judgemoe_opens_with_its_leads(write_results):
    row = {"scope": "all cells", "unit": "cells", "baseline": "uniform_log", "n": 16}
    row |= {"mean_gain": 0.04, "low": 0.01, "high": 0.07, "positive": 14, "p_one_sided": 0.003}
    means = pd.DataFrame({"method": ["JudgeMoE"], "all_cells": [0.54]})
    tables = {"comparisons": pd.DataFrame([row]), "method_means": means}
    reports = write_results("recorded", tables, study="judgemoe")
    found = opening(JUDGEMOE, Results("recorded", reports / "recorded"))
    assert "ahead of the uniform log pool (+0.040)" in found.words
    assert found.view.groups[0][1].cells[-1] == "0.5400"
    assert found.strip.axis == "lead in mean Spearman"


def test_printed_numbers_open_where_nothing_was_recorded(tmp_path, write_results, recorded_table03):
    nothing = Results("recorded", tmp_path / "recorded")
    for study in (ROLES, JUDGEMOE):
        found = opening(study, nothing)
        assert found.words == ""
        assert {mark.filled for group in found.strip.groups for line in group for mark in line.marks} == {
            False
        }
    other = write_results("recorded", {TABLE: recorded_table03.rename(columns={"dataset": "setting"})})
    assert "llmbar_gpt4" not in heads(opening(ROLES, Results("recorded", other / "recorded")).view)
