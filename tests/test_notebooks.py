"""Every notebook keeps the rules, and runs headless from end to end at smoke size."""

import pytest

from judgekit.batch.check import check_folder
from judgekit.batch.layout import Layout
from judgekit.batch.profiles import read_profiles
from judgekit.batch.rebuild import rebuild
from judgekit.batch.tasks import Request

CHECKOUT = Layout.of_checkout()
NOTEBOOKS = read_profiles(CHECKOUT.nbconfig).of("simulated")


def test_every_notebook_keeps_the_rules():
    assert [str(breach) for breach in check_folder(CHECKOUT.notebooks)] == []


def test_every_notebook_is_run_by_some_profile():
    names = {path.stem for path in CHECKOUT.notebooks.glob("*.ipynb")}
    assert names == set(read_profiles(CHECKOUT.nbconfig).notebooks)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """One batch over every notebook of the simulated profile, in a folder of its own."""
    layout = CHECKOUT.with_reports(tmp_path_factory.mktemp("smoke") / "reports")
    said = []
    batch = rebuild(Request(profiles=("simulated",), smoke=True, jobs=2), layout, say=said.append)
    return layout, {outcome.notebook: outcome for outcome in batch.outcomes}


@pytest.mark.parametrize("entry", NOTEBOOKS, ids=lambda entry: entry.notebook)
def test_notebook_runs_headless_at_smoke_size(smoke, entry):
    layout, outcomes = smoke
    outcome = outcomes[entry.notebook]
    assert outcome.status == "rebuilt", outcome.detail
    for name in entry.outputs:
        assert (layout.target("simulated", "smoke") / name).stat().st_size > 0
