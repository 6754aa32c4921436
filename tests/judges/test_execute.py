"""Executing a call plan: its calls and no others, the answers of the full table, fallbacks on failure."""

import dataclasses
import errno
import os

import numpy as np
import pandas as pd
import pytest
import typer
import yaml
from typer.testing import CliRunner

from judgekit.audit import AuditSet, RolePool
from judgekit.errors import InvalidInput, JudgekitError
from judgekit.judges.call_command import call
from judgekit.judges.execute import execute_plan
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.judgments import Judgments, judge_frame, one_hot
from judgekit.plan import plan_calls, refit
from judgekit.plan_apply import apply_plan
from judgekit.plan_file import record_plan, save_plan
from judgekit.signals import Signal
from judgekit.sources.local_run import read_frozen, recording

from .pools import PAIR, SCORE, fake, items, opener, pool

NAMES = ("a", "b", "c", "d")
BINARY = {"kind": "binary", "name": "binary", "criterion": "Is it right?"}
QUIET = RunSettings(quiet=True)


def judges(**faults):
    return [fake(name, seed=seed, **faults.get(name, {})) for seed, name in enumerate(NAMES)]


def planned(*, signal="metadata", by=(), routes=None, names=("t0", "t1", "t2")):
    """Panel a; judge b routed on t1, and b then c on t2; d is never called."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (120, 4)).astype(np.int8)
    label = ((codes.sum(axis=1) + rng.integers(0, 2, 120)) >= 3).astype(float)
    made = RolePool(
        "toy", codes, label, np.arange(120), rng.integers(0, len(names), 120), names, NAMES, ("x",) * 4,
        np.array([1.0, 1.0, 5.0, 1.0]), 2, Signal(signal, by),
    )  # fmt: skip
    audit = AuditSet(made, np.arange(60), np.arange(60, 120))
    routes = {"t1": (1,), "t2": (1, 2)} if routes is None else routes
    plan = plan_calls(audit)
    plan = dataclasses.replace(
        plan, panel=(0,), routes=routes, slice_tables=dict.fromkeys(routes, plan.table)
    )
    plan = refit(plan, made, np.arange(120))
    return record_plan(
        audit, plan, support=(0.0, 1.0), slice_column="topic" if signal == "metadata" else None
    )


def full_table(folder, chosen, frame):
    """Judgments of every judge on every item."""
    run_pool(chosen, frame, folder, opener=opener, settings=QUIET)
    found = recording(folder)
    wide = found.judgments.pivot(index="item", columns="judge", values="hard").reindex(found.items["item"])
    codes = wide[list(NAMES)].fillna(-1).to_numpy().astype(np.int16)
    blank = np.full(len(wide), np.nan)
    return Judgments(one_hot(codes, 2), np.array([0.0, 1.0]), blank, found.items, judge_frame(NAMES))


def execute(folder, record, chosen, frame):
    return execute_plan(record, chosen, frame, folder, opener=opener, settings=QUIET)


def called_in_store(folder):
    return read_frozen(folder)[0].groupby("judge")["item"].apply(set).to_dict()


def test_the_answers_equal_the_plan_applied_to_the_full_call_table(tmp_path):
    record, chosen = planned(), pool(*judges(), protocols=[BINARY])
    whole = apply_plan(record, full_table(tmp_path / "full", chosen, items(30)))
    found = execute(tmp_path / "plan", record, chosen, items(30))
    np.testing.assert_array_equal(found.answer.outcome.probability, whole.outcome.probability)
    np.testing.assert_array_equal(found.answer.outcome.called, whole.outcome.called)
    assert found.answer.items == whole.items
    assert found.answer.slices == whole.slices


def test_nothing_but_the_plans_calls_is_made(tmp_path):
    found = execute(tmp_path, planned(), pool(*judges(), protocols=[BINARY]), items(30))
    topics = items(30).groupby("topic")["item"].apply(set)
    called = called_in_store(tmp_path)
    assert called == {"a": set(items(30)["item"]), "b": topics["t1"] | topics["t2"], "c": topics["t2"]}
    assert (found.made, found.full) == (30 + 20 + 10, 120)
    assert (found.cost, found.full_cost) == (30 + 20 + 50, 30 * 8)


def test_the_audit_log_says_who_was_called_on_what_and_why(tmp_path):
    found = execute(tmp_path, planned(), pool(*judges(), protocols=[BINARY]), items(30))
    log = found.calls.set_index(["item", "judge"])["why"]
    assert log["i0", "a"] == "panel"
    assert log["i1", "b"] == "route: t1"
    assert log["i2", "c"] == "route: t2"
    assert ("i0", "b") not in log.index
    assert (found.calls["outcome"] == "ok").all()
    assert len(pd.read_csv(tmp_path / "calls.csv")) == found.made
    assert len(pd.read_csv(tmp_path / "answers.csv")) == 30


@pytest.mark.parametrize(
    "fault", [{"fails_on": "answer 4"}, {"breaks_on": "answer 4"}], ids=["an output", "a judge"]
)
def test_a_called_judge_that_fails_falls_back_to_the_shorter_pattern(tmp_path, fault):
    record = planned()
    sound = execute(tmp_path / "sound", record, pool(*judges(), protocols=[BINARY]), items(9))
    broken = pool(*judges(b=fault), protocols=[BINARY])
    found = execute(tmp_path / "broken", record, broken, items(9))
    row = found.answer.items.index("i4")
    codes = np.full((1, 4), -1, dtype=np.int16)
    codes[0, 0] = int(sound.calls.set_index(["item", "judge"]).loc[("i4", "a"), "score"])
    alone = record.plan.slice_tables["t1"].path(codes).probability[0, 0]
    assert found.answer.outcome.probability[row] == alone
    assert found.answer.outcome.fallback[row]
    event = found.events.set_index(["item", "judge"]).loc[("i4", "b")]
    assert "no verdict" in event["event"]
    assert set(found.failures) == ({"b"} if "breaks_on" in fault else set())


def test_a_slice_read_from_a_judge_is_called_first_and_charged(tmp_path):
    record = planned(signal="judge", by=("d",), routes={"1": (1,)}, names=("0", "1"))
    chosen = pool(*judges(), protocols=[BINARY])
    whole = apply_plan(record, full_table(tmp_path / "full", chosen, items(20)))
    found = execute(tmp_path / "plan", record, chosen, items(20))
    np.testing.assert_array_equal(found.answer.outcome.probability, whole.outcome.probability)
    verdict = found.calls[found.calls["judge"] == "d"].set_index("item")["score"]
    assert set(found.calls.loc[found.calls["judge"] == "d", "why"]) == {"signal"}
    assert called_in_store(tmp_path / "plan")["b"] == set(verdict.index[verdict == 1.0])


def test_each_order_of_a_pair_is_routed_for_itself(tmp_path):
    record = planned(signal="judge", by=("d",), routes={"1": (1,)}, names=("0", "1"))
    chosen = pool(*judges(), protocols=[PAIR])
    whole = apply_plan(record, full_table(tmp_path / "full", chosen, items(12)))
    found = execute(tmp_path / "plan", record, chosen, items(12))
    order = [whole.items.index(name) for name in found.answer.items]
    np.testing.assert_array_equal(found.answer.outcome.probability, whole.outcome.probability[order])
    assert found.full == 24 * 4
    assert found.made == 24 + 24 + (found.calls["why"] == "route: 1").sum()


def test_what_is_stored_is_not_asked_again(tmp_path):
    chosen = pool(*judges(), protocols=[BINARY])
    execute(tmp_path, planned(), chosen, items(9))
    before = read_frozen(tmp_path)[2]["spent"]["attempts"]
    execute(tmp_path, planned(), chosen, items(9))
    assert read_frozen(tmp_path)[2]["spent"]["attempts"] == before


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        (pool(fake("a"), fake("b"), protocols=[BINARY]), "c among them"),
        (pool(*judges(), protocols=[SCORE]), "one protocol on the scores"),
        (pool(*judges(), protocols=[BINARY, SCORE]), "one protocol on the scores"),
    ],
)
def test_another_pool_is_refused_before_any_call(tmp_path, chosen, field):
    with pytest.raises(InvalidInput, match=field):
        execute(tmp_path, planned(), chosen, items(9))
    assert not list(tmp_path.iterdir())


def test_items_without_the_slice_column_are_refused(tmp_path):
    chosen = pool(*judges(), protocols=[BINARY])
    with pytest.raises(InvalidInput, match="topic"):
        execute(tmp_path, planned(), chosen, items(9).drop(columns="topic"))
    assert not list(tmp_path.iterdir())


@pytest.fixture
def type_call(tmp_path):
    """Types `judgekit call` for a plan, items and a pool; gives the exit code and the lines printed."""
    program = typer.Typer()
    program.command()(call)

    def typed(frame, chosen, *words):
        save_plan(planned(), tmp_path / "plan.json")
        frame.to_csv(tmp_path / "items.csv", index=False)
        (tmp_path / "pool.yaml").write_text(yaml.safe_dump({"judges": chosen, "protocols": [BINARY]}))
        given = [tmp_path / "plan.json", tmp_path / "items.csv", "--pool", tmp_path / "pool.yaml"]
        said = CliRunner().invoke(
            program, [str(word) for word in (*given, "--out", tmp_path / "run", *words)]
        )
        return said.exit_code, said.output.splitlines()

    return typed


def test_the_command_prints_what_was_saved_and_writes_the_log(tmp_path, type_call):
    code, lines = type_call(items(30), judges())
    assert code == 0
    assert "60 calls (60 ok) instead of 120: 50% fewer, 58% cheaper" in lines
    assert "0 of 30 answered by a shorter pattern" in lines
    assert {path.name for path in (tmp_path / "run").glob("*.csv")} == {
        "answers.csv",
        "calls.csv",
        "events.csv",
    }


def test_a_judge_that_failed_on_all_it_was_asked_is_one_line_and_exit_code_one(tmp_path, type_call):
    code, lines = type_call(items(9), judges(b={"fails_on": "answer"}))
    assert code == 1
    assert "b failed: no usable answer (6 errors), such as: asked to fail; --retry asks again" in lines
    assert "6 of 9 answered by a shorter pattern" in lines
    kept = {
        name: len(pd.read_csv(tmp_path / "run" / f"{name}.csv")) for name in ("answers", "calls", "events")
    }
    assert kept == {"answers": 9, "calls": 9 + 6 + 3, "events": 6}
    code, lines = type_call(items(9), judges(), "--retry")
    assert code == 0
    assert "0 of 9 answered by a shorter pattern" in lines


def test_items_of_a_slice_that_the_plan_lacks_are_counted_beside_the_shorter_patterns(type_call):
    frame = items(9).assign(topic=["t9", "t9", *items(9)["topic"][2:]])
    code, lines = type_call(frame, judges(b={"fails_on": "answer 4"}))
    assert code == 0
    assert "1 of 9 answered by a shorter pattern" in lines
    assert "2 of 9 answered by the global plan: slice unknown or not in the plan" in lines


def test_a_single_call_is_told_in_the_singular(type_call):
    assert "1 call (1 ok) instead of 4: 75% fewer, 88% cheaper" in type_call(items(1), judges())[1]


def test_tables_that_do_not_fit_leave_the_earlier_ones_as_they_were(tmp_path, type_call, monkeypatch):
    type_call(items(9), judges())
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.csv")}
    replace = os.replace

    def refusing(source, aim):
        if str(aim).endswith("answers.csv"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(source, aim)

    monkeypatch.setattr("judgekit.sources.cache.os.replace", refusing)
    with pytest.raises(JudgekitError, match=r"answers\.csv: no space left on the disk; .* with --out"):
        execute(tmp_path / "run", planned(), pool(*judges(), protocols=[BINARY]), items(12))
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.csv")} == before
    assert not list((tmp_path / "run").glob("*.new"))
