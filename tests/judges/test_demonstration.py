"""The demonstration pools, with the stand-in and with the real model."""

import pytest

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges import demonstration, smollm2
from judgekit.judges.demonstration import (
    STAND_IN,
    backend_agreement,
    demonstration_pool,
    example_items,
    run_demonstration,
)


def test_simulated_profile_puts_a_stand_in_for_the_judge_and_keeps_the_protocols():
    real, found = demonstration.read_pool("cpu_demo"), demonstration_pool("cpu_demo", profile="simulated")
    assert [judge.backend for judge in found.judges] == ["fake"]
    assert found.protocols == real.protocols


def test_absent_model_is_told_with_the_command_before_anything_runs(monkeypatch):
    monkeypatch.setattr(smollm2.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingData, match="make demo-model"):
        demonstration_pool("cpu_demo", profile="local")


def test_recorded_profile_has_no_demonstration():
    with pytest.raises(InvalidInput, match=r"simulated .* or local"):
        demonstration_pool("cpu_demo", profile="recorded")


def test_second_run_asks_nothing_again(tmp_path):
    pool = demonstration_pool("cpu_demo", profile="simulated")
    items = example_items("answers", 4)
    first = run_demonstration(pool, items, tmp_path)
    second = run_demonstration(pool, items, tmp_path)
    assert (first.reused, second.reused) == ({STAND_IN: 0}, {STAND_IN: 12})
    assert first.digest == second.digest


def test_the_stand_in_agrees_with_itself():
    pool = demonstration_pool("cpu_demo", profile="simulated")
    found = backend_agreement(pool, example_items("answers", 3))
    assert (found["largest_difference"] == 0).all()
    assert len(found) == len(pool.protocols)


@pytest.mark.needs("smollm2")
def test_shortcuts_move_no_probability_by_a_thousandth(smollm2_folder, monkeypatch):
    monkeypatch.setattr(demonstration, "cache_folder", lambda: smollm2_folder.parents[1])
    pool = demonstration_pool("cpu_demo", profile="local")
    found = backend_agreement(pool, example_items("answers", 2))
    assert (found["largest_difference"] < 1e-3).all()
