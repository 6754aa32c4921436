"""The command line: finds the command asked for, imports only that, and turns errors into one line."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from judgekit.errors import InvalidInput, JudgekitError

DEBUG = "--debug"
ABOUT = """Rebuild the tables and figures of two papers on pools of LLM judges, and plan calls to your own.

\b
Examples:
  judgekit doctor
  judgekit rebuild --profile recorded
"""


@dataclass(frozen=True)
class Place:
    """Home of one command.

    Attributes
    ----------
    module, name : str
        Where its function, or its `typer.Typer` if it has commands of its own, is found.
    summary : str
        Its line in `judgekit --help`, which thus imports none of them.
    shape : str
        Name, in that module, of the command class of a function that needs its own.
    """

    module: str
    name: str
    summary: str
    shape: str = ""


COMMANDS = {
    "data": Place("judgekit.sources.data_command", "app", "Fetch, verify, list or export the public data."),
    "rebuild": Place(
        "judgekit.batch.command",
        "rebuild",
        "Run the notebooks and keep their tables and figures.",
        "PairsCommand",
    ),
    "judge": Place("judgekit.judges.command", "judge", "Run a pool of judges over a file of items."),
    "plan": Place(
        "judgekit.panel_command", "plan", "Plan whom to call, from labelled judgments of your own."
    ),
    "call": Place("judgekit.judges.call_command", "call", "Execute a call plan on new items."),
    "claims": Place(
        "judgekit.report.claims.command", "claims", "Say which published claims hold on rebuilt tables."
    ),
    "doctor": Place("judgekit.doctor", "doctor", "Say what is installed, which data is here, what can run."),
}


def main() -> None:
    """Run `judgekit` on this process's arguments and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Exit code of `judgekit ARGUMENTS`: 0 = done, 2 = bad input or usage, 130 = stopped, 1 = anything else.

    Whatever goes wrong is one line on standard error; `--debug`, anywhere before `--`, shows the traceback.
    """
    debug, arguments = _without_debug(arguments)
    try:
        code = _call(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has gone, as in `judgekit data list | head`; nothing may be said to it, nor
        # may the interpreter's last flush fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, typer.Abort):
        return _say("stopped", 130)
    except (JudgekitError, typer.TyperException, OSError) as error:
        if debug:
            traceback.print_exc()
        return _say(_text(error), 1 if isinstance(error, OSError) else 2)
    except Exception as error:
        if debug:
            raise
        return _say(f"unexpected {type(error).__name__}: {error} ({DEBUG} shows where)", 1)
    return _say("stopped", code) if code == 130 else code


def _without_debug(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    before = list(arguments)
    after: list[str] = []
    if "--" in before:
        at = before.index("--")
        before, after = before[:at], before[at:]
    kept = [argument for argument in before if argument != DEBUG]
    return len(kept) < len(before), kept + after


def _call(arguments: list[str]) -> int:
    asked = next((argument for argument in arguments if not argument.startswith("-")), None)
    if asked is not None and asked not in COMMANDS:
        raise InvalidInput("command", f"one of {', '.join(COMMANDS)}", asked)
    command = typer.main.get_command(_program(asked))
    code = command.main(args=arguments or ["--help"], prog_name="judgekit", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _program(asked: str | None) -> typer.Typer:
    """Program that knows every command by name and help, and only the one asked for in full."""
    program = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    program.callback(help=ABOUT)(_root)
    for name, place in COMMANDS.items():
        found = _load(place) if name == asked else _listed
        if isinstance(found, typer.Typer):
            program.add_typer(found, name=name)
        else:
            shape = getattr(sys.modules[place.module], place.shape) if place.shape and name == asked else None
            program.command(name, cls=shape, help=None if name == asked else place.summary)(found)
    return program


def _root(debug: bool = typer.Option(False, DEBUG, help="Show the traceback of an error.")) -> None:
    """Declare the options of `judgekit` itself; `run` has read them by then."""


def _load(place: Place) -> Any:
    return getattr(importlib.import_module(place.module), place.name)


def _listed() -> None:
    """Stand in for a command that is only listed."""


def _text(error: Exception) -> str:
    if not isinstance(error, typer.TyperException):
        return str(error)
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "judgekit"
    # Typer leaves the refused value out of its own text; the validation error beneath it has it.
    refused: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
    given = f"; given {refused[0]['input']!r}" if refused else ""
    return f"{error.format_message().rstrip('.')}{given} (see {where} --help)"


def _say(text: str, code: int) -> int:
    typer.echo(f"judgekit: {' '.join(text.split())}", err=True)
    return code


if __name__ == "__main__":
    main()
