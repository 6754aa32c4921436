import json
from dataclasses import replace

import pytest

from judgekit.batch.layout import Layout
from judgekit.batch.notebook import Cell, Notebook
from judgekit.batch.profiles import Entry
from judgekit.batch.reach import Package
from judgekit.batch.stamps import Stamp, stamp_of

STAMP = Stamp(
    notebook="n",
    sources={"judgekit/plan.py": "1"},
    settings={"nbconfig/roles.yaml": "1"},
    parameters={"seed": 3, "tau": 0.5},
    data={"llmbar": "1"},
    versions={"numpy": "2.4"},
    outputs=("tables/a.csv",),
)
DIFFERENCES = [
    ({"notebook": "m"}, ["the notebook changed"]),
    ({"sources": {"judgekit/plan.py": "2"}}, ["judgekit/plan.py changed"]),
    ({"sources": {}}, ["judgekit/plan.py is gone"]),
    ({"settings": {"nbconfig/roles.yaml": "1", "x": "1"}}, ["x is new"]),
    ({"parameters": {"seed": 3, "tau": 0.6}}, ["parameter tau 0.5 -> 0.6"]),
    ({"parameters": {"seed": 4, "tau": 0.5}}, ["parameter seed 3 -> 4"]),
    ({"data": {"llmbar": "2"}}, ["data llmbar changed"]),
    ({"versions": {"numpy": "2.5"}}, ["numpy 2.4 -> 2.5"]),
    ({"outputs": ()}, ["other outputs are declared"]),
]


@pytest.mark.parametrize(("change", "phrases"), DIFFERENCES)
def test_every_part_moves_the_digest_and_is_named(change, phrases):
    later = replace(STAMP, **change)
    assert later.digest != STAMP.digest
    assert later.differences(STAMP) == phrases
    assert STAMP.differences(STAMP) == []


def test_stamp_survives_json():
    assert Stamp.from_record(json.loads(json.dumps(STAMP.record()))) == STAMP


@pytest.mark.parametrize(
    "change", [{"seeds": 1}, {"outputs": "a"}, {"sources": []}, {"data": None}, {"versions": "2"}]
)
def test_record_of_another_shape_is_no_stamp(change):
    assert Stamp.from_record({**STAMP.record(), **change}) is None
    assert (
        Stamp.from_record({name: value for name, value in STAMP.record().items() if name != "data"}) is None
    )


def test_seed_goes_by_either_name():
    assert STAMP.seed == 3
    assert replace(STAMP, parameters={"seeds": 10}).seed == 10
    assert replace(STAMP, parameters={}).seed is None


def test_stamp_covers_notebook_sources_settings_data_and_published_tables():
    layout = Layout.of_checkout()
    package = Package(layout.root)
    notebook = Notebook("01_a", (Cell("code", "from judgekit.report import outputs"),))
    entry = Entry("recorded", "01_a", needs=("llmbar",), tables=("a",))
    stamp = stamp_of(entry, notebook, {"seed": 1}, layout, package)
    assert {
        "judgekit/report/outputs.py",
        "judgekit/batch/worker.py",
        "judgekit/batch/kernels.py",
    } <= stamp.sources.keys()
    assert "judgekit/plan.py" not in stamp.sources
    assert any(name.startswith("data/published/") for name in stamp.settings)
    assert not {"nbconfig/profiles.yaml", "nbconfig/smoke.yaml"} & stamp.settings.keys()
    assert len(stamp.data["llmbar"]) == 64
    assert stamp.outputs == ("tables/a.csv",)
    assert all(not name.startswith("/") for name in [*stamp.sources, *stamp.settings])
    other = Notebook("01_a", (Cell("code", "from judgekit.report import outputs", ("tag",)),))
    assert stamp_of(entry, other, {"seed": 1}, layout, package).differences(stamp) == ["the notebook changed"]
