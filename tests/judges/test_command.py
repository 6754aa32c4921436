"""The command `judgekit judge`, and files of items."""

import json
from pathlib import Path

import pandas as pd
import pytest
import typer
import yaml
from typer.testing import CliRunner

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.command import judge, summary
from judgekit.judges.items import read_items
from judgekit.judges.runner import RunReport
from judgekit.sources.local_run import read_frozen

from .pools import PAIR, SCORE, WORDS, fake, items, pool

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"


@pytest.fixture
def type_in():
    program = typer.Typer()
    program.command()(judge)
    return lambda *words: CliRunner().invoke(program, [str(word) for word in words])


@pytest.fixture
def pool_file(tmp_path):
    def written(*judges):
        path = tmp_path / "mine.yaml"
        path.write_text(yaml.safe_dump({"judges": list(judges), "protocols": [SCORE]}))
        return path

    return written


def test_a_run_says_the_estimate_first_then_what_came_of_it(tmp_path, pool_file, type_in):
    said = type_in(
        pool_file(fake("a"), fake("b")), EXAMPLES / "answers.jsonl", "--limit", 6, "--out", tmp_path / "r"
    )
    assert said.exit_code == 0
    lines = said.output.splitlines()
    assert lines[0] == "estimate for 6 items:"
    assert "a: 6 ok" in lines
    assert len(read_frozen(tmp_path / "r")[0]) == 12
    again = type_in(
        pool_file(fake("a"), fake("b")), EXAMPLES / "answers.jsonl", "--limit", 8, "--out", tmp_path / "r"
    )
    assert "a: 8 ok; 6 of them from before" in again.output


def test_estimate_alone_asks_nothing(tmp_path, pool_file, type_in):
    said = type_in(pool_file(fake("a")), EXAMPLES / "answers.jsonl", "--estimate", "--out", tmp_path / "r")
    assert said.exit_code == 0
    assert not (tmp_path / "r").exists()
    assert type_in(pool_file(fake("a"))).exit_code == 0


def test_a_failed_judge_is_exit_code_one_and_the_rest_is_kept(tmp_path, pool_file, type_in):
    pool = pool_file(fake("a", breaks_on="Nile"), fake("b"))
    said = type_in(pool, EXAMPLES / "answers.jsonl", "--out", tmp_path / "r")
    assert said.exit_code == 1
    assert "a failed: JudgekitError: toy: asked to break on 'Nile'" in said.output
    assert "b: 40 ok" in said.output


def test_a_judge_without_one_usable_answer_has_failed_and_can_be_asked_again(tmp_path, pool_file, type_in):
    words = (EXAMPLES / "answers.jsonl", "--limit", 3, "--out", tmp_path / "r")
    said = type_in(pool_file(fake("a"), fake("b", fails_on="Rate")), *words)
    assert said.exit_code == 1
    line = "b failed: no usable answer (3 errors), such as: asked to fail; --retry asks again"
    assert {"a: 3 ok", "b: 3 errors", line} <= set(said.output.splitlines())
    again = type_in(pool_file(fake("a"), fake("b")), *words, "--retry")
    assert again.exit_code == 0
    assert {"a: 3 ok; 3 of them from before", "b: 3 ok"} <= set(again.output.splitlines())


def test_a_judge_that_never_parses_has_failed(tmp_path, type_in):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"judges": [fake("a", answer="dunno")], "protocols": [WORDS]}))
    said = type_in(path, EXAMPLES / "answers.jsonl", "--limit", 2, "--out", tmp_path / "r")
    assert said.exit_code == 1
    assert "a failed: no usable answer (2 parse failures)" in said.output.splitlines()


def test_a_single_thing_is_told_in_the_singular(tmp_path, pool_file, type_in):
    words = (EXAMPLES / "answers.jsonl", "--limit", 1, "--out", tmp_path / "r")
    said = type_in(pool_file(fake("a")), *words).output
    assert "estimate for 1 item:" in said
    assert "a: 1 call, " in said
    assert "all runs of this folder: 1 call, " in said
    spent = dict.fromkeys(("prompt_tokens", "completion_tokens", "calls", "cost"), 1.0)
    lines = summary(RunReport(tmp_path, {"a": {}}, {}, spent, (1, 4), {}, "0" * 64), pool(fake("a")))
    assert "1 batch (4 outputs) was interrupted; its tokens are not counted" in lines
    assert "all runs of this folder: 1 call, 1 token sent, 1 made, price 1.0000" in lines


@pytest.mark.parametrize("name", ["answers.jsonl", "pairs.jsonl"])
def test_the_example_items_suit_our_prompts(name):
    from judgekit.judges.protocol_entry import protocol_from

    frame = read_items(EXAMPLES / name)
    protocol = protocol_from(PAIR if name == "pairs.jsonl" else SCORE)
    for record in frame.to_dict("records"):
        protocol.messages({str(key): value for key, value in record.items()})
    assert frame["item"].is_unique
    assert frame["label"].dtype == "float64"


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_items_are_the_same_from_every_kind_of_file(tmp_path, suffix):
    frame = items(4).assign(response=["NA", "007", "nan", 'a "b", c\nd'], label=[1.0, None, 0.0, 1.0])
    path = tmp_path / f"x{suffix}"
    if suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in frame.to_dict("records")))
    elif suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    found = read_items(path)
    pd.testing.assert_frame_equal(found[["item", "response", "label"]], frame[["item", "response", "label"]])


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("x.jsonl", '{"item": 1}\n[2]\n', "x.jsonl line 2"),
        ("x.csv", "item,label\na,high\n", r"x\.csv\.label"),
        ("x.csv", "name\na\n", "a column item"),
        ("x.csv", "", "readable"),
        ("x.txt", "item", "a .jsonl, .csv or .parquet file"),
        ("x.parquet", "no", "readable"),
    ],
)
def test_a_wrong_items_file_is_told_in_a_line(tmp_path, name, content, error):
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidInput, match=error):
        read_items(tmp_path / name)


def test_an_absent_items_file_is_told(tmp_path):
    with pytest.raises(MissingData, match="no_items"):
        read_items(tmp_path / "no_items.csv")
