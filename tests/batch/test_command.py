"""`judgekit rebuild` as typed: its words, what it prints, and its exit code."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit import cli
from judgekit.batch import command
from judgekit.batch.command import PAUSE, REASONS, explained, joined_pairs
from judgekit.batch.layout import Layout
from judgekit.batch.rebuild import Batch, Outcome
from judgekit.batch.tasks import Request
from judgekit.errors import InvalidInput


@pytest.fixture
def checkout(desk, monkeypatch):
    """The desk as if it were the checkout."""
    desk.notebook("01_a", "1 + 1")
    monkeypatch.setattr(Layout, "of_checkout", classmethod(lambda cls: desk.layout))
    return desk


@pytest.fixture
def here(checkout, monkeypatch):
    """The checkout, the requests that `judgekit rebuild` makes, and the outcomes that it is told."""
    asked = []

    def rebuild(request, layout, *, say, kept):
        asked.append(request)
        return Batch(tuple(outcomes))

    outcomes = [
        Outcome("simulated", "01_a", "rebuilt"),
        Outcome("recorded", "01_a", "skipped", "data not here"),
    ]
    monkeypatch.setattr(command, "rebuild_notebooks", rebuild)
    return checkout, asked, outcomes


def site_fault():
    raise InvalidInput("table", "a", "b")


def test_words_become_a_request(here):
    _, asked, _ = here
    words = (
        "rebuild 01 --profile recorded --profile recorded -p size 2 -p seed=-1 --jobs 3 --timeout 5 --force"
    )
    assert cli.run(words.split()) == 0
    assert asked == [
        Request(
            studies=("01",),
            profiles=("recorded",),
            parameters=(("size", "2"), ("seed", "-1")),
            force=True,
            jobs=3,
            timeout=5.0,
        )
    ]


def test_summary_names_counts_profiles_and_the_page(here, capsys, monkeypatch):
    desk, _, _ = here
    monkeypatch.chdir(desk.folder)
    assert cli.run(["rebuild"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "2 notebooks: 1 rebuilt, 1 skipped" in lines
    assert lines[-1] == "open reports/index.html"
    assert (desk.layout.reports / "index.html").is_file()
    for profile in ("simulated", "recorded"):
        start = next(number for number, line in enumerate(lines) if line.startswith(f"{profile}: "))
        assert lines.index("", start) - start <= 10


def test_the_report_can_be_read_while_notebooks_run(here, capsys, monkeypatch):
    desk, _, _ = here
    index = desk.layout.reports / "index.html"
    clock = iter([0.0, 1.0, PAUSE - 1, PAUSE + 2, PAUSE + 3])
    monkeypatch.setattr(command, "monotonic", lambda: next(clock))
    seen = []

    def rebuild(request, layout, *, say, kept):
        for _ in range(3):
            kept()
            seen.append(index.is_file())
            index.unlink(missing_ok=True)
        return Batch(())

    monkeypatch.setattr(command, "rebuild_notebooks", rebuild)
    monkeypatch.chdir(desk.folder)
    assert cli.run(["rebuild"]) == 0
    assert seen == [True, False, True]
    told = [line for line in capsys.readouterr().out.splitlines() if "can be opened now" in line]
    assert [line.partition(":")[0] for line in told] == ["reports/index.html"]


def test_a_report_that_cannot_be_built_yet_ends_no_batch(here, capsys, monkeypatch):
    desk, _, outcomes = here

    def rebuild(request, layout, *, say, kept):
        with monkeypatch.context() as broken:
            broken.setattr("judgekit.report.site.build", lambda reports: site_fault())
            kept()
        return Batch(tuple(outcomes))

    monkeypatch.setattr(command, "rebuild_notebooks", rebuild)
    assert cli.run(["rebuild"]) == 0
    assert "the report waits for the other notebooks: table: allowed is a" in capsys.readouterr().out
    assert (desk.layout.reports / "index.html").is_file()


def test_failed_notebook_is_named_and_the_exit_code_is_one(here, capsys):
    _, _, outcomes = here
    outcomes.append(dataclasses.replace(outcomes[0], notebook="02_b", status="failed"))
    assert cli.run(["rebuild"]) == 1
    assert "  simulated 02_b" in capsys.readouterr().out.splitlines()


def test_run_with_other_parameters_says_where_and_leaves_a_standing_site(here, capsys, monkeypatch):
    desk, _, _ = here
    monkeypatch.chdir(desk.folder)
    assert cli.run(["rebuild", "-p", "size", "2", "--name", "small"]) == 0
    assert "results: reports/runs/small/simulated" in capsys.readouterr().out.splitlines()
    index = desk.layout.reports / "index.html"
    assert "printed and rebuilt" in index.read_text(encoding="utf-8")
    index.write_text("mine", encoding="utf-8")
    assert cli.run(["rebuild", "-p", "size", "2", "--name", "small"]) == 0
    assert index.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["07"], "STUDY: allowed is one of 01_a"),
        (["--explain", "-p", "sise", "2"], "did you mean size?"),
        (["-p", "size"], "-p: allowed is a name and a value"),
        (["-p", "=2"], "-p: allowed is a name and a value"),
        (["--jobs", "0"], "--jobs: allowed is a whole number >= 1; given 0"),
        (["--timeout", "-1"], "--timeout: allowed is a number of seconds > 0"),
        (["--profile", "live"], "--profile: allowed is simulated, recorded, local; given live"),
    ],
)
def test_bad_words_are_one_line_and_exit_code_two(checkout, capsys, words, says):
    assert cli.run(["rebuild", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1


def test_explain_tells_each_notebook_and_runs_none(here, capsys):
    desk, asked, _ = here
    desk.notebook("02_b", "1 + 1", cell=None)
    assert cli.run(["rebuild", "--explain"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "simulated 01_a: runs: it has not been run on this machine",
        "simulated 02_b: cannot run: 02_b: allowed is exactly one code cell tagged 'parameters'; "
        "given 0 such cells",
    ]
    assert asked == []
    assert not desk.layout.reports.exists()


def test_long_lists_of_reasons_are_cut(here, monkeypatch):
    desk, _, _ = here
    reasons = [f"reason {number}" for number in range(REASONS + 2)]
    monkeypatch.setattr("judgekit.batch.tasks.stale_because", lambda *_: reasons)
    (line,) = explained(Request(), desk.layout)
    assert line.endswith(f"reason {REASONS - 1}; 2 more")


@given(st.lists(st.sampled_from(["04", "-p", "--smoke", "a", "b=1", "--", "-1"])))
def test_joining_pairs_loses_no_word(words):
    joined = joined_pairs(words)
    assert "=".join(joined).replace("=", " ").split() == "=".join(words).replace("=", " ").split()
    assert joined_pairs([word for word in words if word not in ("-p", "--")]) == [
        word for word in words if word not in ("-p", "--")
    ]
