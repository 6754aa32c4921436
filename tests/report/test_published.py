import os
from pathlib import Path

import pandas as pd
import pytest
import yaml

from judgekit.errors import InvalidInput
from judgekit.report.published import (
    PUBLISHED,
    claims,
    packed,
    printed_values,
    published,
    published_table,
    table_names,
)

# Rows of each printed table, counted by hand.
ROWS = {
    "table03_policy_comparison": 8,
    "table04_strong_baselines": 10,
    "table05_allocation_baselines": 8,
    "table07_routed_specialists": 9,
    "table08_threshold_sensitivity": 15,
    "table09_copy_stress": 4,
    "table10_jbb_proxy_routing": 6,
    "table12_complete_case": 6,
    "table13_split_intervals": 8,
    "table14_pattern_sparsity": 5,
    "table15_audit_size": 6,
    "table16_slice_mix_shift": 4,
    "table18_cost_sensitivity": 9,
    "table19_prompt_variants": 6,
    "table20_pair_addition": 4,
}

# One packed row of each kind, as printed.
PRINTED_ROWS = {
    "table03_policy_comparison": (6, "SummEval-7 scalar,0.0450,–,0.0601,–,0.0450,–,1.00,1.00"),
    "table07_routed_specialists": (0, "DeepSeek,adversarial_gptinst,llama3_8b_v,6/10"),
    "table10_jbb_proxy_routing": (0, "Single best,0.1183±0.0105,0.8349,1.00"),
    "table12_complete_case": (5, "LLMBar prompt variants,838,10,680,158,Prometheus-letter 155"),
    "table13_split_intervals": (1, "MBPP public-overfit,0.0226±0.0039,0.0158±0.0050,0.0097±0.0096"),
    "table14_pattern_sparsity": (0, "LLMBar-7,209/209/419,3.46,8.3,23.7,8.7%,4.4%"),
    "table15_audit_size": (4, "MBPP public-overfit,50%,0.0306,0.9680,0.65,0.083"),
    "table16_slice_mix_shift": (
        2,
        "JBB-7,proxy-safe-heavy,proxy-unsafe-heavy,.147/.823,.154/.803,.147/.809,1.90",
    ),
    "table18_cost_sensitivity": (3, "JBB proxy,0.000,0.1094,0.8527,3.09,2.29"),
    "table20_pair_addition": (1, "MBPP public-overfit,10,0,-0.0008,0.0008"),
}


def test_every_printed_table_has_its_rows():
    assert {name: len(published(name).text) for name in table_names()} == ROWS


@pytest.mark.parametrize("name", sorted(PRINTED_ROWS))
def test_packing_gives_back_the_printed_cells(name):
    row, printed = PRINTED_ROWS[name]
    assert ",".join(packed(name).iloc[row]) == printed


def test_packing_restores_the_threshold_in_the_setting():
    table = packed("table08_threshold_sensitivity")
    assert table["setting"].iloc[-1] == "MATH-500, τ=0.020"
    assert list(table.columns) == ["setting", "risk", "accuracy", "cost", "judges"]


def test_split_columns_hold_the_parts():
    row = published("table14_pattern_sparsity").text.iloc[3]
    assert list(row[["fit", "validation", "test", "val_fallback_percent"]]) == ["200", "201", "401", "0.2"]
    mixes = published_table("table16_slice_mix_shift")
    assert mixes.loc[0, ["single_risk", "single_accuracy"]].tolist() == [0.220, 0.699]


def test_numbers_keep_the_printed_digits():
    table = published("table03_policy_comparison")
    assert table.digits["single_best_risk"] == 4
    assert table.digits["role_routed_judges"] == 2
    assert "dataset" not in table.digits
    for column, digits in table.digits.items():
        for text, number in zip(table.text[column], table.numbers[column], strict=True):
            assert text == ("" if pd.isna(number) else f"{number:.{digits}f}")


def test_a_printed_dash_is_missing():
    assert published_table("table03_policy_comparison")["single_best_accuracy"].isna().sum() == 1


def test_an_unknown_table_is_named_with_the_known_ones():
    with pytest.raises(InvalidInput, match=r"table03_policy_comparison.*given table99"):
        published("table99")


def test_a_column_of_mixed_precision_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "roles"
    folder.mkdir()
    (folder / "mixed.csv").write_text("setting,risk\na,0.1\nb,0.12\n")
    monkeypatch.setattr("judgekit.report.published.PUBLISHED", tmp_path)
    with pytest.raises(InvalidInput, match=r"mixed\.risk"):
        published("mixed")


def test_every_judgemoe_value_equals_its_claim():
    quoted = {
        (claim["id"], key): value
        for claim in claims()
        if claim["paper"] == "judgemoe"
        for key, value in claim["published"].items()
    }
    rows = printed_values("judgemoe")
    assert dict.fromkeys(zip(rows["claim"], rows["key"], strict=True)).keys() == quoted.keys()
    for row in rows.itertuples():
        value = quoted[row.claim, row.key]
        same = row.value == value if isinstance(value, str) else float(row.value) == float(value)
        assert same, (row.claim, row.key)


def test_judgemoe_values_keep_trailing_zeros():
    rows = printed_values("judgemoe").set_index(["claim", "key"])["value"]
    assert rows["jm-026", "mean_spearman_gain"] == "0.0250"
    assert rows["jm-038", "soft_only"] == "0.3100"
    assert rows["jm-044", "rank_corr_1_10"] == "1.00"
    assert rows["jm-024", "positive_cells"] == "12/16"


def test_all_claims_are_here_once():
    ids = [claim["id"] for claim in claims()]
    assert len(ids) == len(set(ids)) == 204
    assert sum(identifier.startswith("ra-") for identifier in ids) == 116


@pytest.mark.needs("mirror")
def test_all_transcriptions_equal_their_source():
    source = Path(os.environ["JUDGEKIT_MIRROR"]).resolve().parent / "published"
    if not source.is_dir():
        pytest.skip("no transcriptions lie beside the mirror")
    assert sorted(path.stem for path in (source / "roles").glob("*.csv")) == table_names()
    for name in table_names():
        printed = pd.read_csv(source / "roles" / f"{name}.csv", dtype=str, keep_default_na=False)
        pd.testing.assert_frame_equal(packed(name), printed)
    text = (source / "claims.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == yaml.safe_load((PUBLISHED / "claims.yml").read_text(encoding="utf-8"))
