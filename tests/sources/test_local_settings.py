"""A run of one's own opens as role settings, benchmark cells and protocol sweeps."""

import numpy as np
import pytest

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.report.counterparts import counterpart
from judgekit.sources import local_run
from judgekit.sources.cells import cell_names, load_cell
from judgekit.sources.local_settings import role_settings_of, scales
from judgekit.sources.settings import load_role_pool, load_role_pools
from judgekit.sources.sweeps import load_repairs, load_sweeps
from tests.judges.pools import PAIR, SCORE, WORDS, fake, items, opener, pool

FIVE = {"kind": "direct", "low": 1, "high": 5}
TEN = {"kind": "direct", "low": 1, "high": 10}


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Runs two judges and makes the run the one that the local profile reads."""

    def run(*protocols, frame=None, judges=("a", "b")):
        asked = pool(*(fake(name, model=name) for name in judges), protocols=protocols)
        frame = items(12) if frame is None else frame
        run_pool(asked, frame, tmp_path / "run", opener=opener, settings=RunSettings(quiet=True))
        monkeypatch.setenv("JUDGEKIT_RUN", str(tmp_path / "run"))
        return local_run.local_run()

    return run


def scored(count=12):
    return items(count).assign(label=[float(1 + number % 5) for number in range(count)])


def test_both_orders_of_a_pair_are_rows_of_one_group(ran):
    ran(PAIR)
    (found,) = load_role_pools("local")
    assert (found.name, found.judges, found.slice_names) == ("local_0_1", ("a", "b"), ("t0", "t1", "t2"))
    assert found.codes.shape == (24, 2)
    assert sorted(np.unique(found.groups, return_counts=True)[1]) == [4] * 6
    assert counterpart("JBB-7", "local") == "local_0_1"


def test_labels_of_another_scale_are_mapped_in_cells_and_left_out_of_roles(ran):
    ran(FIVE, TEN, frame=scored())
    assert cell_names("local") == ["local_1_10", "local_1_5"]
    short, long = load_cell("local", "local_1_5"), load_cell("local", "local_1_10")
    assert short.judgments.target[:5].tolist() == [1, 2, 3, 4, 5]
    assert long.judgments.target[:5].tolist() == [1, 3.25, 5.5, 7.75, 10]
    assert [found.name for found in load_role_pools("local")] == ["local_1_5"]


def test_ranges_of_one_prompt_are_compared_as_one_prompt(ran):
    ran(FIVE, TEN, frame=scored())
    sweep = load_sweeps("local")[0]
    assert (sweep.benchmark_cell, sweep.metric) == ("local", "spearman")
    assert sweep.options["prompt"].unique().tolist() == ["direct"]
    assert sweep.options["score_range"].tolist() == ["1-10", "1-10", "1-5", "1-5"]
    assert sweep.options["read_out"].tolist() == ["hard", "soft"] * 2
    (moved,) = load_repairs("local")
    assert moved.benchmark_cell == "local_1_10"


def test_answers_in_words_join_as_hard_judges(ran):
    ran(SCORE, WORDS, frame=scored())
    cell = load_cell("local", "local_1_5")
    assert cell.hard_only == ["a / words", "b / words"]


def test_aspects_have_scales_of_their_own(ran):
    frame = items(12).drop(columns="label").assign(label_style=[float(1 + n % 5) for n in range(12)])
    run = ran({**FIVE, "aspect": "style"}, {**FIVE, "aspect": "depth"}, frame=frame)
    assert [(scale.name, scale.aspect) for scale in scales(run)] == [("local_style_1_5", "style")]


def test_a_column_named_slice_comes_before_others(ran):
    run = ran(PAIR, frame=items(12).assign(slice=["x", "y"] * 6))
    assert role_settings_of(run)["settings"]["local_0_1"]["slice"]["column"] == "slice"


def test_costs_come_from_the_pool_file(ran, tmp_path, monkeypatch):
    judges = [fake("a", model="a") | {"price": {"unit": 5}}, fake("b", model="b")]
    run_pool(
        pool(*judges, protocols=(PAIR,)),
        items(12),
        tmp_path / "priced",
        opener=opener,
        settings=RunSettings(quiet=True),
    )
    monkeypatch.setenv("JUDGEKIT_RUN", str(tmp_path / "priced"))
    assert load_role_pool("local", "local_0_1").costs.tolist() == [5, 1]


def test_a_run_that_cannot_be_planned_on_says_why(ran):
    unlabelled = ran(PAIR, frame=items(12).drop(columns="label"))
    with pytest.raises(InvalidInput, match="column label"):
        role_settings_of(unlabelled)


def test_one_judge_alone_is_no_pool(ran):
    with pytest.raises(InvalidInput, match="two or more"):
        role_settings_of(ran(PAIR, judges=("a",)))


def test_the_run_that_ended_last_is_read_unless_one_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("JUDGEKIT_RUN", raising=False)
    monkeypatch.setattr(local_run, "RUNS", tmp_path)
    with pytest.raises(MissingData, match="judgekit judge"):
        local_run.run_folder()
    for name in ("b", "a"):
        asked = pool(fake("judge"), protocols=(PAIR,))
        run_pool(asked, items(4), tmp_path / name, opener=opener, settings=RunSettings(quiet=True))
    assert local_run.run_folder().name == "a"
    monkeypatch.setenv("JUDGEKIT_RUN", str(tmp_path / "none"))
    with pytest.raises(MissingData, match="none"):
        local_run.run_folder()
