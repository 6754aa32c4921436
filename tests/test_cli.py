"""The command line: speed of `--help`, one line for every error, exit codes."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from judgekit import cli
from judgekit.errors import InvalidInput, MissingData

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"numpy", "pandas", "torch", "scipy", "matplotlib", "jaxtyping", "rich"}


@pytest.fixture
def command(monkeypatch):
    """Stand-in for a command: whatever function is handed over runs as `judgekit probe`."""

    def install(function):
        monkeypatch.setitem(cli.COMMANDS, "probe", cli.Place("tests", "probe", "A probe."))
        monkeypatch.setattr(cli, "_load", lambda place: function)

    return install


def raising(error: BaseException):
    def probe() -> None:
        raise error

    return probe


@pytest.mark.parametrize("arguments", [["--help"], []])
def test_help_lists_every_command_and_imports_none_of_them(arguments):
    script = f"""
import sys
from judgekit import cli
code = cli.run({arguments})
print(code, {HEAVY} & set(sys.modules))
"""
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ran.stdout.endswith("0 set()\n")
    for name, place in cli.COMMANDS.items():
        assert f"  {name}" in ran.stdout
        assert place.summary in ran.stdout


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_helps_with_an_example(name, capsys):
    assert cli.run([name, "--help"]) == 0
    assert f"judgekit {name}" in capsys.readouterr().out.partition("\n")[2]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InvalidInput("tau", "a number >= 0", -1), "judgekit: tau: allowed is a number >= 0; given -1\n"),
        (MissingData("llmbar", "judgekit data"), "judgekit: llmbar is not here; run: judgekit data\n"),
    ],
)
def test_an_intended_error_is_one_line_and_code_2(command, capsys, error, line):
    command(raising(error))
    assert cli.run(["probe"]) == 2
    assert capsys.readouterr() == ("", line)


@pytest.mark.parametrize("arguments", [["probe", "--debug"], ["--debug", "probe"]])
def test_debug_shows_the_traceback(command, capsys, arguments):
    command(raising(InvalidInput("tau", "a number >= 0", -1)))
    assert cli.run(arguments) == 2
    written = capsys.readouterr().err
    assert written.startswith("Traceback")
    assert written.endswith("judgekit: tau: allowed is a number >= 0; given -1\n")


def test_debug_after_two_dashes_belongs_to_the_command(command, capsys):
    def probe(words: list[str]) -> None:
        typer.echo(" ".join(words))

    command(probe)
    assert cli.run(["probe", "--", "--debug"]) == 0
    assert capsys.readouterr().out == "--debug\n"


def test_a_defect_is_one_line_and_code_1(command, capsys):
    command(raising(KeyError("a\nb")))
    assert cli.run(["probe"]) == 1
    assert capsys.readouterr().err == "judgekit: unexpected KeyError: 'a\\nb' (--debug shows where)\n"


def test_a_defect_under_debug_keeps_its_traceback(command):
    command(raising(KeyError("a")))
    with pytest.raises(KeyError):
        cli.run(["--debug", "probe"])


def test_a_full_disk_is_one_line_and_code_1(command, capsys):
    command(raising(OSError(28, "No space left on device", "reports/x.csv")))
    assert cli.run(["probe"]) == 1
    assert capsys.readouterr().err == "judgekit: [Errno 28] No space left on device: 'reports/x.csv'\n"


def test_a_stop_from_the_keyboard_is_one_line_and_code_130(command, capsys):
    command(raising(KeyboardInterrupt()))
    assert cli.run(["probe"]) == 130
    assert capsys.readouterr().err == "judgekit: stopped\n"


def test_an_exit_code_of_a_command_is_kept(command, capsys):
    command(raising(typer.Exit(3)))
    assert cli.run(["probe"]) == 3
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rebuidl"], ["command", ", ".join(cli.COMMANDS), "rebuidl"]),
        (["--profile"], ["No such option", "--profile", "judgekit --help"]),
        (["probe", "--jobs", "many"], ["--jobs", "integer", "'many'", "judgekit probe --help"]),
        (["probe", "--jbos", "2"], ["No such option", "--jbos", "--jobs"]),
        (["probe", "--jobs"], ["--jobs", "requires an argument"]),
        (["probe", "extra"], ["unexpected extra argument", "extra"]),
    ],
)
def test_a_usage_error_is_one_line_that_names_the_field(command, capsys, arguments, words):
    def probe(jobs: int = 1) -> None:
        raise AssertionError("must not run")

    command(probe)
    assert cli.run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for word in ("judgekit: ", *words):
        assert word in err


def test_rebuild_reads_a_parameter_as_two_words(capsys):
    assert cli.run(["rebuild", "--explain", "-p", "gain_threshold", "high", "-p", "=1"]) == 2
    assert capsys.readouterr().err.startswith("judgekit: -p: allowed is a name and a value")


def test_a_reader_that_has_gone_leaves_no_traceback():
    script = "import typer; from judgekit import cli; cli._load = lambda place: probe\n"
    script += "def probe():\n    for _ in range(20000): typer.echo('a line')\n"
    script += "import sys; sys.exit(cli.run(['doctor']))"
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


def test_a_short_answer_to_a_reader_that_has_gone_leaves_no_traceback():
    ran = subprocess.run(
        f"{sys.executable} -c 'import time; from judgekit import cli; time.sleep(0.3); "
        'raise SystemExit(cli.run(["--help"]))\' | true; exit ${PIPESTATUS[0]}',
        shell=True,
        executable="/bin/bash",
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
