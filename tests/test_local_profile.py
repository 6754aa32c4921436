"""A run of one's own opens in the notebooks, as it is, under the local profile."""

import pandas as pd
import pytest

from judgekit.batch.layout import Layout
from judgekit.batch.rebuild import rebuild
from judgekit.batch.tasks import Request
from judgekit.judges.runner import RunSettings, run_pool
from tests.judges.pools import PAIR, fake, items, opener, pool

SCALES = [{"kind": "direct", "low": 1, "high": high} for high in (5, 10)]
FIVES = [float(1 + number * 7 % 5) for number in range(80)]


def rebuilt(tmp_path, study):
    layout = Layout.of_checkout().with_reports(tmp_path / "reports")
    request = Request(studies=(study,), profiles=("local",), smoke=True)
    (outcome,) = rebuild(request, layout, say=lambda line: None).outcomes
    return outcome, layout.target("local", "smoke") / "tables"


@pytest.mark.parametrize(
    ("study", "protocols", "labels", "table", "setting"),
    [
        ("04_role_routing", [PAIR], {}, "roles/table03_policy_comparison", "local_0_1"),
        ("01_protocol", SCALES, {"label": FIVES}, "judgemoe/protocol_cells", "local_1_5"),
        ("02_conditional_aggregation", SCALES, {"label": FIVES}, "judgemoe/main", "local_1_5"),
    ],
)
def test_a_run_opens_in_a_notebook(tmp_path, monkeypatch, study, protocols, labels, table, setting):
    judges = [fake(name, model=name, batch=64) for name in ("a", "b", "c", "d")]
    asked = pool(*judges, protocols=protocols)
    folder = tmp_path / "run"
    run_pool(asked, items(80).assign(**labels), folder, opener=opener, settings=RunSettings(quiet=True))
    monkeypatch.setenv("JUDGEKIT_RUN", str(folder))
    outcome, tables = rebuilt(tmp_path, study)
    assert outcome.status == "rebuilt", outcome.detail
    assert setting in pd.read_csv(tables / f"{table}.csv").iloc[:, :2].to_numpy()


def test_without_a_run_the_batch_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGEKIT_RUN", str(tmp_path / "none"))
    outcome, _ = rebuilt(tmp_path, "04_role_routing")
    assert (outcome.status, "judgekit judge" in outcome.detail) == ("failed", True)


@pytest.mark.needs("smollm2")
def test_the_real_model_runs_in_its_notebook(tmp_path):
    outcome, _ = rebuilt(tmp_path, "09_run_judges")
    assert outcome.status == "rebuilt", outcome.detail
