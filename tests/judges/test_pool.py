"""Pool files: what they name, what is refused, and what they are estimated to take."""

import math

import pandas as pd
import pytest

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.estimate import as_frame, describe, duration, estimate, workload_of
from judgekit.judges.http_backend import HttpSettings
from judgekit.judges.pool import POOLS, Workload, pool_from, read_pool, settings_of
from judgekit.judges.transformers_backend import TransformersSettings
from judgekit.judges.vllm_backend import VllmSettings

from .pools import SAMPLES, SCORE, fake, items, pool

SETTINGS = {"transformers": TransformersSettings, "vllm": VllmSettings, "http": HttpSettings}
FILES = sorted(path.stem for path in POOLS.glob("*.yaml"))


@pytest.mark.parametrize("name", FILES)
def test_every_pool_file_is_read_with_settings_its_backends_know(name):
    found = read_pool(name)
    assert found.about
    for judge in found.judges:
        settings_of(SETTINGS[judge.backend], judge)
        for protocol in found.asked(judge):
            assert (
                judge.backend != "http"
                or judge.settings["mode"] != "text"
                or protocol.read_out != "distribution"
            )


def test_the_papers_pools_are_there():
    assert {judge.model.split("/")[1] for judge in read_pool("judgemoe").judges} == {
        "gemma-2-9b-it",
        "gemma-3-12b-it",
        "Qwen2.5-7B-Instruct",
    }
    roles = read_pool("roles").judges
    assert len(roles) == 9
    assert sum(judge.name.startswith("anchor_") for judge in roles) == 3


@pytest.mark.parametrize("name", ["judgemoe", "roles"])
def test_the_papers_pools_fit_one_gpu(name):
    assert all(entry.fits for entry in estimate(read_pool(name)))


def test_an_estimate_worked_by_hand():
    judge = fake("a", batch=10) | {
        "size": {
            "parameters": 1,
            "layers": 2,
            "key_value_heads": 4,
            "head_dim": 64,
            "bytes_per_parameter": 2,
        },
        "price": {"prompt": 2, "completion": 10},
    }
    content = {
        "judges": [judge],
        "protocols": [SCORE, SAMPLES],
        "device": {"memory_gib": 1, "teraflops": 1, "utilisation": 0.5, "load_gib_per_second": 1},
    }
    (found,) = estimate(pool_from(content, name="t"), Workload(items=100, prompt_tokens=50, shared_tokens=10))
    calls, sent, made = 100 + 300, 400 * 50, 300 * 4
    weights = 1e9 * 2 / 2**30
    assert (found.calls, found.prompt_tokens, found.completion_tokens) == (calls, sent, made)
    computed = calls * 40 + 2 * 10 + made
    assert found.seconds == pytest.approx(2 * 1e9 * computed / 0.5e12 + weights)
    assert found.memory_gib == pytest.approx(1.1 * (weights + 2 * 2 * 4 * 64 * 2 * 50 * 10 / 2**30))
    assert found.cost == pytest.approx((sent * 2 + made * 10) / 1e6)
    assert not found.fits
    assert "more than the device has" in describe([found])[0]


def test_what_a_pool_file_does_not_say_is_unknown_and_not_zero():
    (found,) = estimate(pool(fake("a")))
    assert math.isnan(found.seconds)
    assert math.isnan(found.memory_gib)
    assert found.fits
    assert isinstance(as_frame([found]), pd.DataFrame)
    assert duration(math.nan) == "unknown"


def test_items_give_the_workload():
    load = workload_of(pool(fake("a")), items(7))
    assert load.items == 7
    assert 20 < load.prompt_tokens < 200


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"backend": "llama"}, "backend"),
        ({"batch": 0}, "batch"),
        ({"size": {"parameters": -1}}, "parameters"),
        ({"size": {"weight": 1}}, "weight"),
        ({"price": {"unit": float("nan")}}, "unit"),
        ({"protocols": ["other"]}, "protocols"),
        ({"speed": 1}, "speed"),
        ({"size": {"layers": 1.5}}, "layers"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(change, field):
    with pytest.raises(InvalidInput, match=field):
        pool(fake("a") | change)


def test_a_wrong_backend_setting_is_refused_by_name():
    (judge,) = pool(fake("a", temperature=1)).judges
    with pytest.raises(InvalidInput, match="temperature"):
        settings_of(TransformersSettings, judge)


def test_files_that_cannot_be_read_are_told_in_a_line(tmp_path):
    with pytest.raises(MissingData, match="no_such_pool"):
        read_pool("no_such_pool")
    broken = tmp_path / "broken.yaml"
    broken.write_text("judges: [")
    with pytest.raises(InvalidInput, match="YAML"):
        read_pool(broken)
    broken.write_text("- a list")
    with pytest.raises(InvalidInput, match="a mapping"):
        read_pool(broken)
    broken.write_text("judges: []\nprotocols: []")
    with pytest.raises(InvalidInput, match="at least one"):
        read_pool(broken)
