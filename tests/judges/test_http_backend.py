"""The HTTP backend against a server on loopback: retries, limits, keys, and what a provider does not show."""

import email.utils
import time

import numpy as np
import pytest

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.http_backend import HttpBackend, HttpSettings
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.sources.local_run import read_frozen, recording

from .pools import SAMPLES, SCORE, WORDS, items, pool
from .server import chat, serving

KEY = "sk-very-secret-0123456789"
TOP = [("4", np.log(0.6)), ("5", np.log(0.3)), ("the", np.log(0.06))]


def entry(url, **settings):
    return {"name": "api", "backend": "http", "model": "m", "settings": {"url": url} | settings}


def run(folder, judge, protocols, *, slept=None, count=6):
    waits = [] if slept is None else slept

    def opener(found):
        return HttpBackend(found.model, settings=HttpSettings(**found.settings), sleep=waits.append)

    return run_pool(
        pool(judge, protocols=protocols),
        items(count),
        folder,
        opener=opener,
        settings=RunSettings(quiet=True),
    )


def test_429s_drop_no_verdict(tmp_path):
    def answer(number, headers, body):
        return (429, {"Retry-After": "7"}, {"error": "slow down"}) if number % 3 else chat("4")

    slept = []
    with serving(answer) as (url, seen):
        report = run(tmp_path, entry(url, concurrency=1), (WORDS,), slept=slept)
    assert report.outcomes["api"]["ok"] == 6
    assert slept == [7.0] * 12
    assert report.spent["calls"] == len(seen) == 18


def test_retry_after_may_be_a_date(tmp_path):
    def answer(number, headers, body):
        later = email.utils.formatdate(time.time() + 30, usegmt=True)
        return (503, {"Retry-After": later}, {}) if number == 1 else chat("4")

    slept = []
    with serving(answer) as (url, _):
        run(tmp_path, entry(url, concurrency=1), (WORDS,), slept=slept, count=1)
    assert len(slept) == 1
    assert 25 < slept[0] <= 30


def test_retries_are_bounded_and_the_failure_is_counted(tmp_path):
    slept = []
    with serving(lambda *_: (500, {}, {"error": "down"})) as (url, seen):
        report = run(tmp_path, entry(url, attempts=4), (WORDS, SCORE), slept=slept, count=1)
        modes = run(tmp_path / "top", entry(url, attempts=4, mode="top_logprobs"), (SCORE,), count=1)
    assert report.outcomes["api"]["error"] == modes.outcomes["api"]["error"] == 1
    assert slept[:3] == [1.0, 2.0, 4.0]
    assert len(seen) == 8
    assert "read-out hard or sampled" in report.failures["api"]


def test_a_wrong_request_is_not_repeated(tmp_path):
    with serving(lambda *_: (400, {}, {"error": "no such model"})) as (url, seen):
        report = run(tmp_path, entry(url), (WORDS,), count=2)
    assert report.outcomes["api"]["error"] == len(seen) == 2
    assert "no such model" in read_frozen(tmp_path)[0]["note"].iloc[0]


def test_a_server_that_stalls_is_a_timeout(tmp_path):
    def answer(number, headers, body):
        time.sleep(0.4)
        return chat("4")

    with serving(answer) as (url, _):
        report = run(tmp_path, entry(url, timeout=0.05, attempts=2), (WORDS,), count=1)
    assert report.outcomes["api"]["timeout"] == 1


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (chat("I'm sorry, but no."), "refusal"),
        (chat("", finish="content_filter"), "refusal"),
        (chat(None, refusal="No."), "refusal"),
        (chat("It is a nice", finish="length"), "truncated"),
        (chat("nice"), "parse_failure"),
        ((200, {}, {"choices": []}), "parse_failure"),
        ((200, {}, b"<html>"), "error"),
    ],
)
def test_failed_answers_are_told_apart(tmp_path, reply, outcome):
    with serving(lambda *_: reply) as (url, _):
        report = run(tmp_path, entry(url, attempts=2), (WORDS,), count=1)
    assert report.outcomes["api"][outcome] == 1


def test_the_key_is_sent_and_never_kept(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("TEST_KEY", KEY)

    def answer(number, headers, body):
        return 401, {}, {"error": f"Incorrect API key provided: {headers['Authorization']}"}

    with serving(answer) as (url, seen):
        report = run(tmp_path, entry(url, api_key_env="TEST_KEY"), (WORDS,), count=2)
    assert seen[0][1]["Authorization"] == f"Bearer {KEY}"
    assert report.outcomes["api"]["error"] == 2
    recording(tmp_path)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"Incorrect API key" in kept
    assert KEY.encode() not in kept
    assert KEY not in repr(report) + "".join(capfd.readouterr())


def test_an_answer_that_quotes_the_key_is_kept_without_it(tmp_path, monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    with serving(lambda *_: chat(f"4\n{KEY}")) as (url, _):
        run(tmp_path, entry(url, api_key_env="TEST_KEY"), (WORDS,), count=1)
    assert KEY.encode() not in b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_an_absent_key_names_the_variable():
    with pytest.raises(MissingData, match=r"\$NO_SUCH_KEY"):
        HttpBackend("m", settings=HttpSettings("http://127.0.0.1:1/v1", api_key_env="NO_SUCH_KEY"))


@pytest.mark.parametrize("setting", [{"api_key": KEY}, {"api_key_env": KEY}])
def test_a_key_in_a_pool_file_is_refused_and_not_repeated(setting):
    with pytest.raises(InvalidInput, match="api_key") as error:
        pool(entry("http://127.0.0.1:1/v1", **setting))
    assert KEY not in str(error.value)


def test_samples_do_not_collapse_and_are_marked(tmp_path):
    with serving(lambda number, headers, body: chat(str(1 + body["seed"]))) as (url, seen):
        run(tmp_path, entry(url), (SAMPLES,), count=2)
    outputs = read_frozen(tmp_path)[0]
    assert outputs["score"].tolist() == [1.0, 2.0, 3.0] * 2
    assert set(outputs["method"]) == {"text"}
    assert sorted(body["seed"] for _, _, body in seen) == [0, 0, 1, 1, 2, 2]


def test_label_outside_the_top_k_is_unread_and_not_zero_in_silence(tmp_path):
    with serving(lambda *_: chat("4", top=TOP)) as (url, seen):
        run(tmp_path, entry(url, mode="top_logprobs", top=3), (SCORE,), count=1)
    output = read_frozen(tmp_path)[0].iloc[0]
    assert output["p_3"] == pytest.approx(0.6)
    assert output["mass"] == pytest.approx(0.9)
    assert output["unread"] == pytest.approx(0.04)
    assert output["method"] == "top_logprobs"
    assert seen[0][2]["top_logprobs"] == 3


def test_a_server_without_log_probabilities_is_an_error_and_no_verdict(tmp_path):
    with serving(lambda *_: chat("4")) as (url, _):
        report = run(tmp_path, entry(url, mode="top_logprobs"), (SCORE,), count=1)
    assert report.outcomes["api"]["error"] == 1


def test_requests_keep_to_the_rate(tmp_path):
    slept = []
    with serving(lambda *_: chat("4")) as (url, _):
        run(tmp_path, entry(url, requests_per_minute=6.0, concurrency=1), (WORDS,), slept=slept, count=3)
    assert len(slept) == 2
    assert 9 < slept[0] <= 10
    assert 19 < slept[1] <= 20
