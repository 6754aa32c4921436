"""SIGKILL at any moment: at most one batch is lost, and no token is counted twice."""

import multiprocessing
import os
import signal
import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest

from judgekit.judges.runner import RunSettings, run_pool
from judgekit.judges.store import DATABASE, hold
from judgekit.sources.local_run import read_frozen

from .pools import SAMPLES, SCORE, fake, items, opener, pool

BATCH = 4
JUDGES = (fake("a", delay=0.004), fake("b", seed=1, delay=0.004))
PROTOCOLS = (SCORE, SAMPLES)
EXACT = ("outputs", "attempts", "prompt_tokens", "completion_tokens", "calls")


def run(folder):
    return run_pool(
        pool(*JUDGES, protocols=PROTOCOLS), items(60), folder, opener=opener, settings=RunSettings(quiet=True)
    )


def killed_after(folder, outputs, pause=0.0):
    """Start a run, and kill it a moment after it has stored so many outputs more."""
    aim = done(folder) + outputs
    process = multiprocessing.get_context("fork").Process(target=run, args=(folder,))
    process.start()
    while done(folder) < aim and process.is_alive():
        time.sleep(0.001)
    time.sleep(pause)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    return process.exitcode


def done(folder):
    """Outputs stored so far, read beside the runner."""
    if not (folder / DATABASE).exists():
        return 0
    with closing(sqlite3.connect(f"file:{folder / DATABASE}?mode=ro", uri=True)) as base:
        try:
            return base.execute("select count(*) from outputs").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def test_ten_kills_lose_a_batch_each_at_most_and_count_no_token_twice(tmp_path):
    clean = run(tmp_path / "clean")
    folder, rng = tmp_path / "killed", np.random.default_rng(11)
    stored = 0
    for kills in range(1, 11):
        assert killed_after(folder, rng.integers(1, 20), rng.uniform(0, 0.01)) == -signal.SIGKILL
        with hold(folder) as store:
            spent, (batches, outputs) = store.spent(), store.interrupted()
        assert batches <= kills
        assert outputs <= batches * BATCH * 3
        assert spent["outputs"] == spent["attempts"] >= stored
        stored = spent["outputs"]
    assert 10 <= stored < clean.spent["outputs"]
    report = run(folder)
    assert {name: report.spent[name] for name in EXACT} == {name: clean.spent[name] for name in EXACT}
    assert report.outcomes == clean.outcomes
    columns = ["judge", "protocol", "item", "sample", "score", "p_0", "prompt_tokens"]
    expected, found = (read_frozen(place)[0][columns] for place in (tmp_path / "clean", folder))
    assert found.equals(expected)


def test_a_batch_is_stored_whole_or_not_at_all(tmp_path):
    assert killed_after(tmp_path, 30, 0.002) == -signal.SIGKILL
    with closing(sqlite3.connect(tmp_path / DATABASE)) as base:
        rows = base.execute("select count(*) from outputs").fetchone()[0]
        finished = base.execute("select total(outputs) from batches where finished").fetchone()[0]
    assert rows == finished


def test_the_next_runner_enters_after_a_kill(tmp_path):
    killed_after(tmp_path, 1)
    assert not run(tmp_path).failures


def test_a_second_runner_waits_for_the_first(tmp_path):
    process = multiprocessing.get_context("fork").Process(target=run, args=(tmp_path,))
    process.start()
    while not (tmp_path / "holder.json").exists():
        time.sleep(0.001)
    report = run_pool(
        pool(*JUDGES, protocols=PROTOCOLS),
        items(60),
        tmp_path,
        opener=opener,
        settings=RunSettings(quiet=True, wait=60.0),
    )
    process.join()
    assert report.reused == {"a": 240, "b": 240}
    assert report.spent["attempts"] == report.spent["outputs"] == 480
    assert report.spent["prompt_tokens"] > 0


@pytest.mark.needs("smollm2")
def test_a_kill_during_a_real_model_loses_a_batch_at_most(tmp_path, smollm2_folder):
    import subprocess
    import sys
    from pathlib import Path

    from judgekit.judges.transformers_backend import TransformersSettings, load_transformers

    script = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.judges.pools import SCORE, fake, items, pool
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.judges.transformers_backend import TransformersSettings, load_transformers
real = lambda judge: load_transformers(sys.argv[2], settings=TransformersSettings(threads=2))
run_pool(
    pool(fake("real", batch=2)), items(12), Path(sys.argv[1]), opener=real, settings=RunSettings(quiet=True)
)
"""
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path), str(smollm2_folder), root], cwd=root
    )
    while process.poll() is None and done(tmp_path) < 2:
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    before = done(tmp_path)
    assert 2 <= before < 12
    report = run_pool(
        pool(fake("real", batch=2)),
        items(12),
        tmp_path,
        opener=lambda judge: load_transformers(str(smollm2_folder), settings=TransformersSettings(threads=2)),
        settings=RunSettings(quiet=True),
    )
    assert report.reused == {"real": before}
    assert report.interrupted[0] <= 1
    assert report.spent["attempts"] == report.spent["outputs"] == 12
    outputs = read_frozen(tmp_path)[0]
    assert report.spent["prompt_tokens"] == outputs["prompt_tokens"].sum()
