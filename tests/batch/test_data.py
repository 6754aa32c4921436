import importlib.metadata

import pytest

from judgekit.batch.data import Shelf
from judgekit.batch.needs import BESIDE_DATA
from judgekit.errors import InvalidInput, MissingData
from judgekit.sources import recorded


class Offline(MissingData):
    offline = True


@pytest.fixture
def asked(monkeypatch):
    """Data sets that `recorded.load` was asked for; those whose name starts with "no" cannot be had."""
    names = []

    def load(dataset, *, columns=None, progress=None):
        names.append(dataset)
        if dataset.startswith("no"):
            raise (Offline if dataset == "no_network" else MissingData)(
                dataset, f"judgekit data fetch {dataset}"
            )

    monkeypatch.setattr(recorded, "load", load)
    monkeypatch.setattr(recorded, "available", lambda dataset: dataset.startswith("here"))
    return names


def test_each_data_set_is_asked_for_once_a_batch(asked):
    shelf = Shelf(print)
    assert shelf.bring(["here_a", "here_b"]) == {}
    assert shelf.bring(["here_b", "far_c"]) == {}
    assert asked == ["here_a", "here_b", "far_c"]


def test_absent_data_set_is_told_with_the_reason_and_stops_no_other(asked):
    shelf = Shelf(print)
    assert shelf.bring(["no_file", "far_a"]) == {
        "no_file": "no_file is not here; run: judgekit data fetch no_file"
    }
    assert shelf.bring(["far_a"]) == {}


def test_dead_network_is_waited_for_once(asked):
    said = []
    shelf = Shelf(said.append)
    absent = shelf.bring(["no_network", "far_a", "here_b"])
    assert absent.keys() == {"no_network", "far_a"}
    assert asked == ["no_network", "here_b"]
    shelf.bring(["far_a", "far_b"])
    assert said == ["no_network is not here; run: judgekit data fetch no_network"]


def test_data_that_breaks_its_contract_is_an_error(monkeypatch):
    def load(dataset, **options):
        raise InvalidInput("frames", "unique items", "two")

    monkeypatch.setattr(recorded, "load", load)
    with pytest.raises(InvalidInput):
        Shelf(print).bring(["llmbar"])


def test_a_run_and_the_demonstration_model_are_told_with_their_own_commands(asked, monkeypatch, tmp_path):
    def no_package(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", no_package)
    monkeypatch.setenv("JUDGEKIT_RUN", str(tmp_path))
    absent = Shelf(print).bring(["demo-model", "run", "here_a"])
    assert absent.keys() == {"demo-model", "run"}
    assert absent["demo-model"].endswith("run: make demo-model")
    assert absent["run"].endswith("run: judgekit judge POOL ITEMS")
    assert asked == ["here_a"]


def test_another_run_is_other_data(monkeypatch, tmp_path):
    monkeypatch.setenv("JUDGEKIT_RUN", str(tmp_path))
    digests = []
    for text in ("{}", "[]", "{}"):
        (tmp_path / "run.json").write_text(text)
        digests.append(BESIDE_DATA["run"]())
    assert digests[0] == digests[2] != digests[1]
