"""Pool files: what they name, what is refused, and what they are estimated to take."""

import copy
import dataclasses
import json
import math
from datetime import date

import pandas as pd
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.estimate import as_frame, describe, duration, estimate, workload_of
from judgekit.judges.fake_backend import FakeSettings
from judgekit.judges.http_backend import HttpSettings
from judgekit.judges.pool import (
    POOLS,
    Device,
    Judge,
    Pool,
    Price,
    Size,
    Workload,
    pool_from,
    read_pool,
    settings_of,
)
from judgekit.judges.protocol import Asking, Protocol
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


VALID = {
    "about": "Any.",
    "device": {},
    "workload": {},
    "protocols": [
        {
            "name": "own",
            "kind": "pairwise",
            "template": "{{ first }}",
            "labels": ["B", "A"],
            "scores": [0, 1],
        },
        {"name": "score", "kind": "direct", "low": 1, "high": 5},
        {"name": "pair", "kind": "pairwise"},
        {"name": "ask", "kind": "binary", "criterion": "Is it?"},
    ],
    "judges": [
        {"name": "t", "backend": "transformers", "model": "m", "size": {}, "price": {}, "settings": {}},
        {"name": "v", "backend": "vllm", "model": "m", "settings": {}},
        {"name": "h", "backend": "http", "model": "m", "settings": {"url": "http://127.0.0.1:1/v1"}},
        {"name": "f", "backend": "fake", "model": "m", "settings": {}},
    ],
}


def named(kind):
    return [field.name for field in dataclasses.fields(kind)]


PLACES = [
    *((key,) for key in VALID),
    *(("device", key) for key in named(Device)),
    *(("workload", key) for key in named(Workload)),
    *(("protocols", number) for number in range(4)),
    *(("protocols", 0, key) for key in named(Protocol)),
    *(("protocols", 1, key) for key in [*named(Asking), "name", "kind", "low", "high"]),
    *(("protocols", 2, key) for key in [*named(Asking), "name", "kind", "orders", "tie"]),
    *(("protocols", 3, key) for key in [*named(Asking), "name", "kind"]),
    *(("judges", number) for number in range(4)),
    *(("judges", 0, key) for key in named(Judge)),
    *(("judges", 0, "size", key) for key in named(Size)),
    *(("judges", 0, "price", key) for key in named(Price)),
    *(("judges", 0, "settings", key) for key in named(TransformersSettings)),
    *(("judges", 1, "settings", key) for key in named(VllmSettings)),
    *(("judges", 2, "settings", key) for key in named(HttpSettings)),
    *(("judges", 3, "settings", key) for key in named(FakeSettings)),
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.dates()
    | st.text()
    | st.sampled_from(
        ["ab", "hard", "http", "{{ x | no_filter }}", "{% for %}", "{{ 1 / 0 }}", "\ud800", 10**400]
    )
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(SCALARS, inner), max_leaves=6)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), value=VALUES)
@example(place=("judges",), value=["A", "B"])
@example(place=("judges", 0, "size"), value=7)
@example(place=("judges",), value={"A": 1})
@example(place=("protocols",), value=3)
@example(place=("protocols", 0), value="x")
@example(place=("device", "load_gib_per_second"), value=0)
@example(place=("protocols", 1, "high"), value=10**9)
@example(place=("about",), value=date(2026, 1, 1))
def test_whatever_stands_in_a_field_gives_a_pool_or_one_line_that_names_it(tmp_path, place, value):
    content = copy.deepcopy(VALID)
    spot = content
    for key in place[:-1]:
        spot = spot[key]
    spot[place[-1]] = value
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(content))
    try:
        found = read_pool(file)
    except InvalidInput as error:
        line = str(error)
        assert "\n" not in line
        assert line.startswith("mine.yaml ")
        assert "; given " in line
    else:
        assert isinstance(found, Pool)
        assert describe(estimate(found))
        json.dumps(found.record())


WRONG = {str: 7, float: "much", int: 1.5, bool: "yes", tuple[str, ...]: "ab", tuple[float, ...]: 1.0}
TYPED = [
    (("device",), Device),
    (("workload",), Workload),
    (("protocols", 0), Protocol),
    (("protocols", 1), Asking),
    (("judges", 0, "size"), Size),
    (("judges", 0, "price"), Price),
    (("judges", 0, "settings"), TransformersSettings),
    (("judges", 1, "settings"), VllmSettings),
    (("judges", 2, "settings"), HttpSettings),
    (("judges", 3, "settings"), FakeSettings),
]


@pytest.mark.parametrize(
    ("place", "field"),
    [(place, field) for place, kind in TYPED for field in dataclasses.fields(kind)],
    ids=lambda each: each.name if isinstance(each, dataclasses.Field) else ".".join(map(str, each)),
)
def test_every_field_of_another_type_is_refused_by_name(tmp_path, place, field):
    content = copy.deepcopy(VALID)
    spot = content
    for key in place:
        spot = spot.setdefault(key, {}) if isinstance(spot, dict) else spot[key]
    spot[field.name] = WRONG[field.type]
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(InvalidInput, match=rf"^mine\.yaml .*\.{field.name}: allowed is "):
        read_pool(tmp_path / "mine.yaml")


@pytest.mark.parametrize(
    ("change", "field"),
    [({"mode": "words"}, "mode"), ({"mode": "exact"}, "tokenizer"), ({"concurrency": 0}, "concurrency"),
     ({"attempts": 0}, "attempts")],
)  # fmt: skip
def test_a_setting_that_its_backend_refuses_is_told_before_any_run(tmp_path, change, field):
    content = copy.deepcopy(VALID)
    content["judges"][2]["settings"] |= change
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(InvalidInput, match=rf"^mine\.yaml judge h\.settings\.{field}: allowed is "):
        read_pool(tmp_path / "mine.yaml")


def test_a_template_that_cannot_be_filled_is_told_by_name():
    own = VALID["protocols"][0] | {"template": "{{ 1 / 0 }}"}
    (protocol,) = pool(fake("a"), protocols=[own]).protocols
    with pytest.raises(InvalidInput, match=r"protocol own\.template"):
        protocol.messages({"response_a": "x", "response_b": "y"})


@pytest.mark.parametrize("content", ["x: 2026-02-31", "x: \xff"], ids=["no date", "no text"])
def test_a_file_that_is_no_yaml_is_told_in_a_line(tmp_path, content):
    (tmp_path / "mine.yaml").write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"^mine\.yaml: allowed is YAML"):
        read_pool(tmp_path / "mine.yaml")
