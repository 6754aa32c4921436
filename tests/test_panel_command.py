"""`judgekit plan`: what a good file gives, and the one line that a bad one gets."""

import json
import re

import pandas as pd
import pytest

from judgekit import cli
from judgekit.plan_file import load_plan
from judgekit.sources.own_panel import SAMPLE


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Folder that `judgekit plan` writes for the sample."""
    out = tmp_path_factory.mktemp("plan") / "out"
    assert cli.run(["plan", str(SAMPLE), "--slice", "topic", "--out", str(out)]) == 0
    return out


def judgments(items: int = 24, judges: tuple[str, ...] = ("a", "b", "c")) -> pd.DataFrame:
    """Made-up judgments: `a` errs on every seventh item, `b` on every third, `c` repeats `b`."""
    rows = []
    for number in range(items):
        label = number % 2
        verdicts = {"a": label ^ (number % 7 == 0), "b": label ^ (number % 3 == 0)}
        verdicts["c"] = verdicts["b"]
        rows += [
            {
                "item": f"i{number}",
                "judge": judge,
                "score": verdicts[judge],
                "label": label,
                "topic": "xy"[label],
            }
            for judge in judges
        ]
    return pd.DataFrame(rows)


def run(frame, folder, *options):
    file = folder / "mine.csv"
    file.write_text(frame if isinstance(frame, str) else frame.to_csv(index=False), encoding="utf-8")
    return cli.run(["plan", str(file), "--out", str(folder / "out"), *options])


def test_the_plan_can_be_loaded_and_routes_the_specialist(planned):
    record = load_plan(planned / "plan.json")
    plan = record.plan
    assert record.slice_column == "topic"
    assert plan.judges[plan.panel[0]] == "large"
    assert [plan.judges[judge] for judge in plan.routes["code"]] == ["coder"]
    assert plan.judges.index("small again") not in plan.panel
    assert record.roles is not None
    assert record.regime is not None


def test_report_and_tables_stand_beside_the_plan(planned):
    names = {path.relative_to(planned).as_posix() for path in planned.rglob("*") if path.is_file()}
    assert {"plan.json", "report.html", "report.md", "figures/frontier.svg", "tables/saving.csv"} <= names
    assert "small and small again agree on 100.0%" in (planned / "report.md").read_text("utf-8")


def test_the_page_asks_for_nothing_outside_itself(planned):
    page = (planned / "report.html").read_text("utf-8")
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page) == []
    assert "<svg" in page
    assert "<script" not in page


def test_the_same_file_and_seed_give_the_same_bytes(planned, tmp_path):
    assert cli.run(["plan", str(SAMPLE), "--slice", "topic", "--out", str(tmp_path / "again")]) == 0
    for path in planned.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "again" / path.relative_to(planned)).read_bytes(), (
                path.name
            )


def test_an_earlier_plan_is_replaced_whole(tmp_path):
    assert run(judgments(), tmp_path) == 0
    (tmp_path / "out" / "tables" / "stale.csv").write_text("old")
    assert run(judgments(), tmp_path, "--gain-threshold", "0.02") == 0
    assert not (tmp_path / "out" / "tables" / "stale.csv").exists()
    assert json.loads((tmp_path / "out" / "plan.json").read_text())["settings"]["gain_threshold"] == 0.02
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["mine.csv", "out"]


def test_a_folder_of_something_else_is_not_replaced(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    assert run(judgments(), tmp_path) == 2
    assert "out: allowed is a new or empty folder" in capsys.readouterr().err
    assert (tmp_path / "out" / "thesis.tex").read_text() == "years of work"


def test_text_verdicts_and_labels_are_mapped(tmp_path):
    words = {0: "no", 1: "yes"}
    frame = judgments().assign(score=lambda f: f["score"].map(words), label=lambda f: f["label"].map(words))
    assert run(frame, tmp_path, "--mapping", "yes=1,no=0") == 0
    assert load_plan(tmp_path / "out" / "plan.json").support == (0.0, 1.0)


def test_scalar_scores_and_labels_are_planned(tmp_path):
    frame = judgments(40).assign(score=lambda f: 1 + 3 * f["score"], label=lambda f: 1.5 + 2 * f["label"])
    assert run(frame, tmp_path, "--support", "1,2,3,4,5") == 0
    assert load_plan(tmp_path / "out" / "plan.json").support == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert "NaN" not in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_parquet_with_probabilities_is_planned(tmp_path):
    frame = judgments(40)
    buckets = [
        frame.drop(columns="score").assign(bucket=bucket, prob=(0.2 + 0.6 * (frame["score"] == bucket)))
        for bucket in (0, 1)
    ]
    pd.concat(buckets).to_parquet(tmp_path / "mine.parquet")
    arguments = ["plan", str(tmp_path / "mine.parquet"), "--slice", "doubt=disagreement:a,b"]
    assert cli.run([*arguments, "--out", str(tmp_path / "out")]) == 0
    assert load_plan(tmp_path / "out" / "plan.json").plan.slice_names == ("agree", "disagree")


def test_items_without_a_label_can_be_left_out(tmp_path):
    frame = judgments(40)
    frame["label"] = frame["label"].astype(float).where(frame["item"] != "i3")
    assert run(frame, tmp_path, "--drop-unlabelled") == 0
    assert "1 without a label" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_a_file_without_prices_is_not_told_in_money(tmp_path):
    assert run(judgments(), tmp_path) == 0
    assert "oney" not in (tmp_path / "out" / "report.md").read_text("utf-8")


def with_value(column, value, where=0):
    def change(frame):
        frame = frame.astype({column: object}) if column in frame else frame.assign(**{column: 1.0})
        frame.loc[where, column] = value
        return frame

    return change


def probabilities(frame):
    frame = frame.rename(columns={"score": "bucket"})
    other = frame.assign(bucket=1 - frame["bucket"], prob=0.3)
    return pd.concat([frame.assign(prob=0.6), other])


HOSTILE = {
    "duplicates": (lambda f: pd.concat([f, f.head(1)]), (), "item, judge: allowed is one row for each pair"),
    "a label that is not there": (
        lambda f: with_value("label", None, slice(0, 2))(f),
        (),
        "label: allowed is a number",
    ),
    "a single class": (lambda f: f.assign(label=1), (), "label: allowed is at least two distinct values"),
    "text verdicts": (lambda f: f.assign(score="yes"), (), "score: allowed is numbers, or text verdicts"),
    "a negative cost": (lambda f: f.assign(unit_cost=-1.0), (), "unit_cost: allowed is finite numbers >= 0"),
    "one judge": (lambda f: f[f["judge"] == "a"], (), "judge: allowed is at least two judges"),
    "an empty file": (lambda f: "", (), "mine.csv: allowed is a table with a header and rows"),
    "a header alone": (lambda f: f.head(0), (), "mine.csv: allowed is a table with rows"),
    "an unknown slice": (lambda f: f, ("--slice", "tpoic"), "slice: allowed is a column among"),
    "labels that disagree": (with_value("label", 1), (), "label: allowed is one value for each item"),
    "a mute judge": (
        lambda f: f.assign(score=f["score"].where(f["judge"] != "b")),
        (),
        "judges: allowed is judges that parse at least once; given ['b']",
    ),
    "too few rows": (lambda f: f.head(9), (), "rows: allowed is at least 8 groups"),
    "no distribution": (probabilities, (), "prob: allowed is vectors that sum to 1"),
    "a cost that is not there": (
        lambda f: f.assign(price=float("nan")),
        (),
        "price: allowed is finite numbers",
    ),
    "a slice that disagrees": (with_value("topic", "z"), ("--slice", "topic"), "topic: allowed is one value"),
    "a negative threshold": (lambda f: f, ("--gain-threshold", "-1"), "gain_threshold: allowed is a finite"),
    "an absent column": (
        lambda f: f.drop(columns="label"),
        (),
        "columns: allowed is item, judge, label, score",
    ),
    "a signal of no judge": (lambda f: f, ("--slice", "x=judge:z"), "slice: allowed is judges among a, b, c"),
    "a broken mapping": (lambda f: f, ("--mapping", "yes"), "mapping: allowed is TEXT=NUMBER pairs"),
    "a label in words": (
        lambda f: f.assign(label="good", score="yes"),
        ("--mapping", "yes=1,no=0"),
        "label: allowed is numbers, or texts among",
    ),
    "too many slices": (
        lambda f: pd.concat(judgments(120).assign(topic=lambda g: g["item"]) for _ in "x"),
        ("--slice", "topic"),
        "slice: allowed is at most 50 distinct values",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_bad_input_is_one_clear_line_and_leaves_nothing(name, tmp_path, capsys):
    change, options, line = HOSTILE[name]
    assert run(change(judgments()), tmp_path, *options) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"judgekit: {line}")
    assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_a_failure_while_writing_leaves_the_earlier_plan(tmp_path, capsys, monkeypatch):
    assert run(judgments(), tmp_path) == 0
    before = (tmp_path / "out" / "plan.json").read_bytes()
    from judgekit import panel_command

    def full(report, folder):
        (folder / "report.md").write_text("half of")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(panel_command, "write_report", full)
    assert run(judgments(), tmp_path, "--gain-threshold", "0.02") == 2
    assert "no space left on the disk" in capsys.readouterr().err
    assert (tmp_path / "out" / "plan.json").read_bytes() == before
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["mine.csv", "out"]
