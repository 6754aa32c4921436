"""Runs over pools: nothing stale is reused, nothing collapses, no token is counted twice or lost."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.judges.answers import OUTCOMES
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.judges.store import DATABASE, Store, hold
from judgekit.sources.local_run import read_frozen

from .pools import PAIR, SAMPLES, SCORE, WORDS, fake, items, opener, pool

QUIET = RunSettings(quiet=True)


def run(folder, *judges, protocols=(SCORE,), count=10, settings=QUIET):
    return run_pool(
        pool(*judges, protocols=protocols), items(count), folder, opener=opener, settings=settings
    )


def test_every_output_is_there_and_counted(tmp_path):
    report = run(tmp_path, fake("a"), fake("b", seed=1), protocols=(SCORE, WORDS, PAIR))
    outputs, _, record = read_frozen(tmp_path)
    assert report.outcomes["a"]["ok"] == 10 + 10 + 20
    assert len(outputs) == 2 * 40
    assert report.spent["prompt_tokens"] == outputs["prompt_tokens"].sum() > 0
    assert record["protocols"]["score"]["digest"] == pool(fake("a")).protocols[0].digest
    assert set(record["protocols"]["score"]) >= {"template", "labels", "read_out", "orders", "version"}
    assert record["judges"]["a"]["chat_template"] == "{{ messages }}"


def test_a_second_run_asks_nothing_and_freezes_the_same_bytes(tmp_path):
    first = run(tmp_path, fake("a"))
    before = (tmp_path / "outputs.parquet").read_bytes()
    again = run(tmp_path, fake("a", breaks_on="answer"))
    assert not again.failures
    assert again.reused == {"a": 10}
    assert again.spent == first.spent
    assert (tmp_path / "outputs.parquet").read_bytes() == before


def test_resume_does_not_under_count(tmp_path):
    whole = run(tmp_path / "whole", fake("a"))
    partly = run(tmp_path / "parts", fake("a", breaks_on="answer 7"))
    assert 0 < partly.spent["prompt_tokens"] < whole.spent["prompt_tokens"]
    assert "asked to break" in partly.failures["a"]
    resumed = run(tmp_path / "parts", fake("a"))
    for name in ("outputs", "attempts", "prompt_tokens", "completion_tokens", "calls"):
        assert resumed.spent[name] == whole.spent[name]
    assert resumed.interrupted == (1, 4)


def test_the_cache_does_not_collapse_samples(tmp_path):
    report = run(tmp_path, fake("a"), protocols=(SAMPLES,))
    outputs, _, _ = read_frozen(tmp_path)
    assert report.outcomes["a"]["ok"] == 30
    assert outputs.groupby("item")["sample"].apply(sorted).tolist() == [[0, 1, 2]] * 10
    assert outputs.groupby("item")["score"].nunique().max() > 1
    more = SAMPLES | {"samples": 5}
    assert run(tmp_path, fake("a"), protocols=(more,)).reused == {"a": 30}
    assert read_frozen(tmp_path)[0].groupby("item")["sample"].apply(sorted).tolist() == [[0, 1, 2, 3, 4]] * 10


@pytest.mark.parametrize(
    "changed",
    [fake("a", revision="2"), fake("a", model="other"), fake("a", seed=3)],
    ids=["revision", "model", "precision"],
)
def test_nothing_stale_is_reused_after_a_model_change(tmp_path, changed):
    run(tmp_path, fake("a"))
    old = read_frozen(tmp_path)[0]
    report = run(tmp_path, changed)
    assert report.reused == {"a": 0}
    new = read_frozen(tmp_path)[0]
    assert len(new) == len(old) == 10
    if changed["settings"].get("revision") is None:
        assert not np.allclose(new["p_0"], old["p_0"])


def test_nothing_stale_is_reused_after_a_prompt_change(tmp_path):
    run(tmp_path, fake("a"))
    report = run(tmp_path, fake("a"), protocols=(SCORE | {"criterion": "Be strict."},))
    assert report.reused == {"a": 0}


def test_nothing_stale_is_reused_after_an_item_changed_under_its_name(tmp_path):
    run(tmp_path, fake("a"))
    changed = items()
    changed.loc[3, "response"] = "another answer"
    report = run_pool(pool(fake("a")), changed, tmp_path, opener=opener, settings=QUIET)
    assert report.reused == {"a": 9}
    assert len(read_frozen(tmp_path)[0]) == 10


def test_same_named_judges_are_refused():
    with pytest.raises(InvalidInput, match=r"^judges: .* each name once"):
        pool(fake("a"), fake("a", seed=1))


def test_items_that_read_the_same_are_asked_once_and_answered_both(tmp_path):
    twins = items()
    twins.loc[1, "response"] = twins.loc[0, "response"]
    run_pool(pool(fake("a")), twins, tmp_path, opener=opener, settings=QUIET)
    outputs = read_frozen(tmp_path)[0].set_index("item")
    assert outputs.loc["i0", "p_0"] == outputs.loc["i1", "p_0"]
    assert len(outputs) == 10


def test_one_failing_judge_does_not_stop_the_others(tmp_path):
    def breaking(judge):
        if judge.name == "b":
            raise RuntimeError("no memory")
        return opener(judge)

    report = run_pool(
        pool(fake("a"), fake("b"), fake("c", seed=2)), items(), tmp_path, opener=breaking, settings=QUIET
    )
    assert report.failures == {"b": "RuntimeError: no memory"}
    assert report.outcomes["c"]["ok"] == 10
    assert report.outcomes["b"]["absent"] == 10


def test_backends_are_closed_also_when_they_break(tmp_path):
    opened = []

    def remembering(judge):
        opened.append(opener(judge))
        return opened[-1]

    run_pool(
        pool(fake("a", breaks_on="answer 7"), fake("b")),
        items(),
        tmp_path,
        opener=remembering,
        settings=QUIET,
    )
    assert [backend.closed for backend in opened] == [True, True]


def test_failed_outputs_are_counted_apart_and_hold_no_score(tmp_path):
    judge = fake("a", fails_on="answer 3", times_out_on="answer 5")
    report = run(tmp_path, judge, fake("b", answer="99"), fake("c", answer="dunno"), protocols=(SCORE, WORDS))
    assert report.outcomes["a"] == dict.fromkeys((*OUTCOMES, "absent"), 0) | {
        "ok": 16,
        "error": 2,
        "timeout": 2,
    }
    assert report.outcomes["b"]["off_support"] == report.outcomes["c"]["parse_failure"] == 10
    outputs = read_frozen(tmp_path)[0]
    assert outputs.loc[outputs["outcome"] != "ok", "score"].isna().all()
    assert outputs.loc[outputs["outcome"] == "ok", "score"].notna().all()


def test_a_retry_asks_only_failures_again_and_adds_what_it_took(tmp_path):
    first = run(tmp_path, fake("a", fails_on="answer 3"))
    kept = run(tmp_path, fake("a"))
    assert kept.outcomes["a"]["error"] == 1
    again = run(tmp_path, fake("a"), settings=RunSettings(quiet=True, retry=True))
    assert again.outcomes["a"]["ok"] == 10
    assert again.spent["attempts"] == first.spent["attempts"] + 1
    assert again.spent["calls"] == first.spent["calls"] + 1


def test_a_second_runner_is_told_who_holds_the_store(tmp_path):
    with hold(tmp_path), pytest.raises(InvalidInput, match=r"held by process \d+ on "):
        run(tmp_path, fake("a"))
    assert not run(tmp_path, fake("a")).failures


def test_an_altered_file_is_refused(tmp_path):
    run(tmp_path, fake("a"))
    path = tmp_path / "outputs.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidInput, match=r"outputs\.parquet"):
        read_frozen(tmp_path)


def test_a_file_that_is_no_store_is_refused(tmp_path):
    (tmp_path / DATABASE).write_bytes(b"not a database" * 100)
    with pytest.raises(InvalidInput, match="a store of judge outputs"):
        Store(tmp_path)


def test_the_store_writes_ahead_while_running(tmp_path):
    with hold(tmp_path), closing(sqlite3.connect(tmp_path / DATABASE)) as base:
        mode = base.execute("pragma journal_mode").fetchone()
    assert mode == ("wal",)


@pytest.mark.parametrize(
    ("frame", "field"),
    [
        (items().drop(columns="item"), "item"),
        (items().assign(item="same"), "each name once"),
        (items().drop(columns="response"), r"items\.response"),
        (items().head(0), "at least one row"),
    ],
)
def test_items_are_checked_before_anything_is_asked(tmp_path, frame, field):
    with pytest.raises(InvalidInput, match=field):
        run_pool(pool(fake("a")), frame, tmp_path, opener=opener, settings=QUIET)
    assert not (tmp_path / DATABASE).exists()


def test_probabilities_are_stored_to_the_last_bit(tmp_path):
    run(tmp_path, fake("a", mass=0.3))
    outputs = read_frozen(tmp_path)[0]
    with hold(tmp_path) as store:
        revision = json.loads((tmp_path / "run.json").read_text())["judges"]["a"]["revision"]
        digest = pool(fake("a")).protocols[0].digest
        stored = [output.probs for _, output, _ in store.rows("a", revision, digest)]
    frozen = {tuple(row) for row in outputs[[f"p_{n}" for n in range(5)]].to_numpy()}
    assert frozen == set(stored)
    np.testing.assert_allclose(outputs["mass"], 0.3)
