import json
import re
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from judgekit import cli
from judgekit.report import site
from judgekit.report.claims import command
from judgekit.report.claims.ledger import ledger, tally
from judgekit.report.claims.page import page_content
from judgekit.report.claims.records import claims
from judgekit.report.claims.verdict import Outcome, Verdict
from judgekit.report.claims.words import (
    compared_words,
    explained,
    markdown,
    number_words,
    untested_words,
)
from judgekit.report.plots.claims import plot_tally
from judgekit.report.published import CHECKOUT
from tests.report.claims.made_up import made_up


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A folder whose reports/ holds made-up tables of the recorded and the simulated profile."""
    root = tmp_path_factory.mktemp("checkout")
    for profile in ("recorded", "simulated"):
        for name, frame in made_up(profile, np.random.default_rng(7)).frames.items():
            path = root / "reports" / profile / "tables" / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            frame.to_csv(path, index=False)
    return root


@pytest.fixture
def here(checkout, monkeypatch):
    monkeypatch.setattr(command, "CHECKOUT", checkout)
    return checkout


def test_the_command_counts_by_status_and_exits_zero(here, capsys):
    assert cli.run(["claims", "--profile", "recorded"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert re.match(r"recorded: holds \d+, fails \d+, .*definition \d+ \(of 204\)$", first)
    counted = sum(int(number) for number in re.findall(r" (\d+)[, ]", first.split(" (of")[0] + ","))
    assert counted == 204
    assert sum(line.startswith(("jm-", "ra-")) for line in rest) == 204


def test_json_has_an_entry_for_every_claim(here, capsys):
    assert cli.run(["claims", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [entry["id"] for entry in entries] == list(claims())
    assert all(entry["status"] and entry["rests_on"] for entry in entries)


def test_paper_and_status_choose_rows(here, capsys):
    assert cli.run(["claims", "--json", "--paper", "roles", "--status", "fails"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert entries
    assert {(entry["paper"], entry["status"]) for entry in entries} == {("roles", "fails")}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--profile", "imagined"], "--profile: allowed is recorded, local, simulated; given imagined"),
        (["--paper", "third"], "--paper: allowed is judgemoe, roles; given third"),
        (["--profile", "local"], "reports/local/tables is not here; run: judgekit rebuild --profile local"),
    ],
)
def test_bad_input_is_one_line_and_exit_two(here, capsys, arguments, line):
    assert cli.run(["claims", *arguments]) == 2
    assert capsys.readouterr().err == f"judgekit: {line}\n"


def test_an_unknown_status_is_refused(here, capsys):
    assert cli.run(["claims", "--status", "true"]) == 2
    assert capsys.readouterr().err.startswith("judgekit: --status: allowed is holds, fails, mixed, ")


def test_listing_the_command_loads_no_tables():
    script = "import sys; from judgekit import cli; cli.run(['--help']); print('pandas' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=CHECKOUT, capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.endswith("False\n")


@pytest.mark.parametrize("profile", ["recorded", "simulated"])
def test_markdown_has_a_row_a_claim_and_links_that_lead_somewhere(checkout, profile):
    text = markdown(ledger(made_up(profile, np.random.default_rng(7))))
    rows = [line for line in text.splitlines() if line.startswith("| **")]
    assert [row[4:10] for row in rows] == list(claims())
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}
    for target in set(re.findall(r"\]\(([^)]+)\)", text)):
        below = checkout / "reports" / profile / target
        assert below.is_file() or (CHECKOUT / target.removeprefix("../../")).exists(), target


def test_simulated_markdown_says_that_it_is_no_evidence():
    text = markdown(ledger(made_up("simulated", np.random.default_rng(7))))
    assert "Simulated judges are no evidence for a claim" in text
    assert "| **holds**" not in text
    assert "tuned on, not tested" in text


def test_the_site_writes_the_page_and_both_ledgers(checkout):
    site.build(checkout / "reports")
    page = (checkout / "reports" / "claims.html").read_text(encoding="utf-8")
    assert page.count('<article class="claim"') == 204
    for name in ("paper", "study", "status"):
        assert f'<select name="{name}">' in page
        assert page.count(f"data-{name}=") == 204
    assert '<form class="filters" id="filters" hidden' in page
    for target in set(re.findall(r'href="((?!#|data:)[^"]+)"', page)):
        assert (checkout / "reports" / target).is_file(), target
    for profile in ("recorded", "simulated"):
        assert (checkout / "reports" / profile / "claims.md").read_text(encoding="utf-8").count("| **") >= 204


def test_a_bar_per_study_is_as_long_as_its_claims():
    verdicts = ledger(made_up("recorded", np.random.default_rng(7)))
    table = tally(verdicts, by="study")
    assert int(table.to_numpy().sum()) == 204
    axes = plot_tally(table)
    ends = {}
    for bar in axes.patches:
        middle = round(bar.get_y() + bar.get_height() / 2)
        ends[middle] = max(ends.get(middle, 0.0), bar.get_x() + bar.get_width())
    assert list(ends.values()) == table.sum(axis=1).tolist()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(table.columns)
    plt.close(axes.figure)


def test_a_verdict_is_explained_in_lines():
    by_id = {v.claim.id: v for v in ledger(made_up("recorded", np.random.default_rng(7)))}
    lines = explained(by_id["ra-039"])
    assert lines[1].startswith("ra-039  ")
    assert sum("llmbar_" in line and "role_risk" in line for line in lines) == 3
    assert lines[-1] == "  read from: roles/table04_strong_baselines"
    assert any(line.startswith("  note: Printed: the win is bought") for line in lines)


@pytest.mark.parametrize(
    ("profile", "kind", "holds", "gap"),
    [
        ("recorded", "same_rows", True, " (difference −0.0169)"),
        ("recorded", "cells", False, " (difference −0.0169)"),
        ("recorded", "analogue", True, ""),
        ("recorded", "same_rows", None, ""),
        ("simulated", "cells", True, ""),
    ],
)
def test_a_rebuilt_number_shows_its_difference_where_one_means_something(profile, kind, holds, gap):
    claim = claims()["jm-025"]
    outcome = Outcome("16 cells", kind, {"mean_spearman_gain": 0.04321, "positive_cells": 11.0}, holds)
    told = compared_words(outcome, Verdict(claim, profile, "holds", "holds"))
    assert told == f"mean_spearman_gain 0.0432{gap}, positive_cells 11"


def test_printed_values_that_no_condition_names_are_told_apart():
    assert untested_words(claims()["jm-026"]) == "positive_cells 9/16"
    assert untested_words(claims()["jm-003"]) == ""


def test_folders_are_named_and_files_are_linked():
    verdicts = ledger(made_up("recorded", np.random.default_rng(7)))
    links = page_content({"recorded": verdicts}, CHECKOUT / "reports")["links"]
    found = {link.label: link.href for verdict in verdicts for link in links(verdict)}
    assert (CHECKOUT / "tests/batch").is_dir()
    assert found["tests/batch"] == ""
    assert found["tests/test_splits.py"] == "../tests/test_splits.py"


def test_numbers_for_reading():
    assert [number_words(value) for value in (0.10938, 3.0, -0.5, True, "fixed")] == [
        "0.1094", "3", "−0.5000", "True", "fixed",
    ]  # fmt: skip
    assert number_words(2.9, 2) == "2.90"
