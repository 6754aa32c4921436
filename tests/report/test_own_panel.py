"""The report on a reader's panel: its words, its pictures, and names that could break a page."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from judgekit.report import own_panel_words as words
from judgekit.report.own_panel import html, markdown, panel_report
from judgekit.report.own_panel_evidence import action_words, evidence_lines, unsupported, with_evidence
from judgekit.report.own_panel_svg import frontier_svg, roles_svg
from judgekit.report.plots.own_panel import plot_own_frontier, plot_own_roles
from judgekit.report.tables.own_panel import audit_size
from judgekit.roles import roles_frame
from judgekit.sources.own_panel import SAMPLE, PanelOptions, read_panel
from judgekit.studies.own_panel import PanelSettings, study_own_panel
from judgekit.studies.panel_check import check_panel

NASTY = 'a|b <script>alert("x")</script>'


def studied(file, *, priced):
    """Check, study and report of a file with the slices topic."""
    panel = read_panel(file, PanelOptions(slices=("topic",)))
    study = study_own_panel(
        panel.pools,
        columns=panel.columns,
        support=panel.support,
        prices=panel.prices,
        settings=PanelSettings(splits=3, repeats=2),
    )
    check = check_panel(panel.alignment, study.pool)
    return check, study, panel_report(check, study, priced=priced)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Check, study and report of the sample, with a judge whose name is markup."""
    frame = pd.read_csv(SAMPLE).replace({"judge": {"weak": NASTY}})
    file = tmp_path_factory.mktemp("own") / "mine.csv"
    frame.to_csv(file, index=False)
    return studied(file, priced=True)


def test_names_are_text_on_the_page_and_in_markdown(found):
    report = found[2]
    assert "<script" not in html(report)
    assert "&lt;script" in html(report)
    assert "<script" not in markdown(report)
    rows = [line for line in markdown(report).splitlines() if line.startswith("| a\\|b")]
    assert rows


def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_head(found):
    tables = markdown(found[2]).split("\n\n")
    for table in (part for part in tables if part.startswith("| ")):
        widths = {line.replace("\\|", "").count("|") for line in table.splitlines()}
        assert len(widths) == 1, table


def test_every_section_says_something(found):
    report = found[2]
    assert all(section.lines for section in report.sections)
    assert [section.name for section in report.sections] == [
        "check", "roles", "plan", "regime", "frontier", "saving", "audit", "method",
    ]  # fmt: skip


def test_pictures_are_well_formed_and_mark_every_policy_and_judge(found):
    frames = found[2].frames
    frontier = ET.fromstring(frontier_svg(frames["frontier"], chosen=found[1].policy))
    names = [text.text for text in frontier.iter("{http://www.w3.org/2000/svg}text")]
    assert sum("(your plan)" in str(name) for name in names) == 1
    circles = list(frontier.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == len(frames["frontier"])
    gains = ET.fromstring(roles_svg(frames["roles"]))
    assert len(list(gains.iter("{http://www.w3.org/2000/svg}circle"))) == 6


def test_a_picture_of_equal_points_is_still_drawn():
    same = pd.DataFrame(
        {"policy": ["single_best", "flat_all"], "risk": 0.1, "cost": 1.0, "on_frontier": True}
    )
    ET.fromstring(frontier_svg(same, chosen="flat_all"))


def test_plots_show_the_tables(found):
    frames = found[2].frames
    roles = plot_own_roles(frames["roles"], where="code")
    assert [label.get_text() for label in roles.get_yticklabels()][:2] == ["large", "small"]
    frontier = plot_own_frontier(frames["frontier"], chosen=found[1].policy)
    assert len(frontier.collections) == len(frames["frontier"]) + 1
    plt.close("all")


def test_a_large_audit_is_called_large_enough(found):
    study = found[1]
    roles = roles_frame(study.record.roles)
    sure = roles.assign(low=roles["gain"] - 1e-4, high=roles["gain"] + 1e-4, settled=True)
    lines = words.audit_lines(study, sure, audit_size(study, sure))
    assert "is large enough" in lines[0]
    assert not any("would bring it" in line for line in lines)
    doubtful = words.audit_lines(study, roles, audit_size(study, roles))
    assert "too small to be sure" in doubtful[0]


def test_a_threshold_of_zero_needs_no_number_of_rows(found):
    study = found[1]
    roles = roles_frame(study.record.roles).assign(threshold=0.0)
    size = audit_size(study, roles)
    assert np.isinf(size["ratio"]).all()
    assert "infinitely wider" in words.audit_lines(study, roles, size)[0]


def test_rare_labels_constant_judges_and_small_slices_are_told(found):
    check = found[0]
    labels = pd.DataFrame({"label": [0.0, 1.0], "items": [196, 10], "share": [196 / 206, 10 / 206]})
    judges = check.judges.assign(share=[0.995, *[0.5] * 5], top_ties=[0, 0.25, 0, 0, 0, 0])
    slices = check.slices.assign(items=[12, 100, 94])
    told = "\n".join(words.check_lines(replace(check, labels=labels, judges=judges, slices=slices)))
    for line in (
        "only 10 have the other",
        "large says 0 on 99.5% of the items",
        "small gives its two likeliest buckets the same probability on 25.0%",
        "Slice chat has 12 items: too few",
    ):
        assert line in told


def test_a_stack_that_is_advised_is_said_to_be_no_plan(found):
    study = found[1]
    regime = replace(study.regime, policy="slice_stack", name="call everything")
    advised = replace(study, record=replace(study.record, regime=regime))
    assert words.regime_lines(advised)[-1].startswith("A plan file cannot hold slice-aware stack")


@pytest.mark.parametrize(
    ("role", "called", "told"),
    [
        ("copy", "no", "do not call"),
        ("both", "panel", "call on every row, first on its slices"),
        ("copy", "panel", "the plan calls it on every row; the evidence does not support it"),
        ("copy", "routed", "the plan routes it; the evidence does not support it"),
        ("both", "routed", "the plan routes it; its mean gain would call it on every row"),
        ("complement", "no", "the plan leaves it out; its mean gain would call it on every row"),
    ],
)
def test_an_action_says_what_the_plan_does_where_the_role_asks_for_another(role, called, told):
    assert action_words(role, called) == told


def test_planned_calls_carry_what_the_measured_gain_says():
    plan = pd.DataFrame({"slice": ["all", "all", "all", "code"], "judge": ["a", "b", "c", "d"]})
    roles = pd.DataFrame(
        [
            ("a", "all", "panel", True, True),
            ("b", "all", "panel", False, False),
            ("c", "all", "no", False, True),
            ("d", "all", "routed", False, True),
            ("d", "code", "routed", False, True),
        ],
        columns=["judge", "slice", "called", "reached", "settled"],
    )
    found = with_evidence(plan, roles)
    assert list(found["evidence"]) == [
        "supports the call",
        "does not support the call",
        "called to tell the slice",
        "speaks against the call",
    ]
    assert unsupported(found) == "b (all), d (code)"


def test_the_report_names_every_planned_call_that_the_gains_do_not_support(found):
    study, report = found[1], found[2]
    roles, plan = report.frames["roles"], report.frames["plan"]
    lines = evidence_lines(study, roles)
    doubtful = roles.merge(plan[["slice", "judge"]])
    doubtful = doubtful[~doubtful["reached"]]
    assert len(doubtful)
    for row in doubtful.to_dict("records"):
        where = "on every row" if row["slice"] == "all" else f"on {row['slice']}"
        told = [line for line in lines if line.startswith(f"{row['judge']} {where}: the plan calls it")]
        assert len(told) == 1
        assert "the evidence does not support it" in told[0]
        assert f"{row['judge']} ({row['slice']})" in " ".join(report.summary)
    sure = roles.assign(reached=(roles["called"] == "panel") | (roles["slice"] != "all"))
    assert evidence_lines(study, sure) == []


def study_of(tmp_path, rows):
    """Study and summary of made-up rows: item, judge, score, label, topic."""
    file = tmp_path / "mine.csv"
    pd.DataFrame(rows, columns=["item", "judge", "score", "label", "topic"]).to_csv(file, index=False)
    _, study, report = studied(file, priced=False)
    return study, report.summary


def verdicts(topic, *, items=40, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, items)
    right = rng.random((items, 2)) < (0.9, 0.6)
    return [
        (f"i{place}", judge, int(label == good), int(label), topic)
        for place, label in enumerate(labels)
        for judge, good in zip("ab", right[place].astype(int), strict=True)
    ]


def test_a_slice_column_without_values_is_told(tmp_path):
    _, summary = study_of(tmp_path, verdicts(""))
    assert "No complete row has a value in topic: nothing can route on it." in summary


def test_dropped_items_are_told_at_the_end_too(tmp_path):
    rows = verdicts("x")
    rows[0] = (*rows[0][:2], np.nan, *rows[0][3:])
    _, summary = study_of(tmp_path, rows)
    assert summary[0].startswith("1 item is dropped: most outputs were lost by a (1 empty or unread")


def test_a_kept_plan_unlike_its_regime_is_told(tmp_path):
    study, _ = study_of(tmp_path, verdicts("x"))
    plan = replace(study.record.plan, panel=(0, 1), routes={}, slice_tables={})
    regime = replace(study.regime, name="route")
    scores = study.scores.assign(calls=1.0)
    told = words.kept_lines(
        replace(study, record=replace(study.record, plan=plan, regime=regime), scores=scores)
    )
    assert told[0].startswith("Made on all rows, the plan has no route left")
    assert told[1].startswith("On the rows given it makes 2,000 calls per 1,000; plans made on halves")
    assert told[1].endswith("1,000.")
    scores = study.scores.assign(calls=2.01)
    again = replace(study, record=replace(study.record, plan=plan), scores=scores)
    assert not any("makes" in line for line in words.kept_lines(again))
