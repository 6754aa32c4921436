"""A reader's own file: how slices, mappings and supports are written, and what is found."""

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput, MissingData
from judgekit.signals import Signal
from judgekit.sources import own_panel, panel_sample
from judgekit.sources.own_panel import PanelOptions, panel_path, parse_mapping, parse_slice, parse_support


def test_the_sample_is_what_its_generator_writes_byte_for_byte():
    assert own_panel.SAMPLE.read_bytes() == panel_sample.sample_text().encode()


def test_the_sample_holds_an_exact_copy_a_specialist_and_a_verifier():
    frame = pd.read_csv(own_panel.SAMPLE)
    wide = frame.pivot(index="item", columns="judge", values="score")
    assert wide["small"].equals(wide["small again"])
    right = (frame["score"] == frame["label"]).groupby([frame["judge"], frame["topic"]]).mean().unstack()
    assert right.loc["coder", "code"] > 0.85
    assert right.loc["coder", ["chat", "law"]].max() < 0.75
    assert frame.loc[frame["judge"] == "tests", "kind"].unique().tolist() == ["verifier"]
    assert frame["score"].isna().sum() == 4


def test_the_sample_reads_as_one_pool_with_its_topics():
    panel = own_panel.read_panel(own_panel.SAMPLE, PanelOptions(slices=("topic",)))
    assert panel.pools[0].slice_names == ("chat", "code", "law")
    assert len(panel.pools[0].target) == 206
    assert panel.columns == ("topic",)
    assert panel.priced
    assert panel.prices.tolist() == [5.0, 1.0, 1.0, 2.0, 0.05, 1.0]


def test_every_declared_slice_gives_a_pool_of_the_same_rows():
    options = PanelOptions(slices=("topic", "doubt=disagreement:large,small", "check=verifier:tests"))
    panel = own_panel.read_panel(own_panel.SAMPLE, options)
    assert panel.columns == ("topic", None, None)
    assert [pool.slice_names for pool in panel.pools[1:]] == [("agree", "disagree"), ("0", "1")]
    assert all(np.array_equal(pool.codes, panel.pools[0].codes) for pool in panel.pools)


def test_rows_of_a_group_keep_one_number(tmp_path):
    frame = pd.read_csv(own_panel.SAMPLE)
    frame["group"] = frame["item"].str[:3]
    frame.to_csv(tmp_path / "grouped.csv", index=False)
    pool = own_panel.read_panel(tmp_path / "grouped.csv").pools[0]
    kept = own_panel.read_panel(tmp_path / "grouped.csv").alignment.judgments.complete_case().judgments
    assert pd.Series(pool.groups).groupby(kept.items["group"].to_numpy()).nunique().max() == 1
    assert len(np.unique(pool.groups)) == kept.items["group"].nunique()


@pytest.mark.parametrize(
    ("text", "name", "signal"),
    [
        ("topic", "topic", Signal("metadata")),
        ("kind=label", "kind", Signal("label")),
        ("x=verifier:exact match", "x", Signal("verifier", ("exact match",))),
        ("x = disagreement:A, B", "x", Signal("disagreement", ("A", "B"))),
    ],
)
def test_a_slice_is_a_name_and_a_signal(text, name, signal):
    assert parse_slice(text) == (name, signal)


@pytest.mark.parametrize("text", ["", "=label", "topic=", "x=judge:", "x=vote:a"])
def test_other_slices_are_refused(text):
    with pytest.raises(InvalidInput, match=r"slice|signal"):
        parse_slice(text)


def test_a_mapping_may_hold_equals_signs_and_signs():
    assert parse_mapping("a=b=1, worse =-0.5") == {"a=b": 1.0, "worse": -0.5}


@pytest.mark.parametrize("text", ["yes", "yes=", "=1", "yes=one", "yes=nan", "yes=1,yes=0"])
def test_other_mappings_are_refused(text):
    with pytest.raises(InvalidInput, match="mapping"):
        parse_mapping(text)


@pytest.mark.parametrize("text", ["1", "1,1", "3,2,1", "1,two", "0,inf"])
def test_a_support_is_increasing_numbers(text):
    with pytest.raises(InvalidInput, match="support"):
        parse_support(text)


def test_a_mapping_for_numbers_is_refused():
    with pytest.raises(InvalidInput, match="mapping: allowed is only where verdicts are text"):
        own_panel.read_panel(own_panel.SAMPLE, PanelOptions(mapping={"yes": 1.0}))


def test_a_slice_named_twice_is_refused():
    with pytest.raises(InvalidInput, match="slice: allowed is each column once"):
        own_panel.read_panel(own_panel.SAMPLE, PanelOptions(slices=("topic", "topic=label")))


def test_the_simulated_profile_reads_the_sample_and_the_local_one_wants_a_file(tmp_path):
    assert panel_path("", profile="simulated") == own_panel.SAMPLE
    assert panel_path("data/examples/panel_sample.csv", profile="local").samefile(own_panel.SAMPLE)
    with pytest.raises(MissingData, match="-p path FILE"):
        panel_path("", profile="local")
    with pytest.raises(MissingData, match=r"gone\.csv"):
        panel_path(str(tmp_path / "gone.csv"), profile="local")
    with pytest.raises(InvalidInput, match="profile"):
        panel_path("", profile="recorded")
