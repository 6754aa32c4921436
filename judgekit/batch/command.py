"""The `judgekit rebuild` command: run the notebooks that are out of date and keep what they write."""

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from judgekit.batch.layout import Layout
from judgekit.batch.rebuild import FAILED, Batch
from judgekit.batch.rebuild import rebuild as rebuild_notebooks
from judgekit.batch.tasks import Request, plan
from judgekit.errors import InvalidInput, JudgekitError
from judgekit.report.format import counted

REASONS = 6
# Seconds between two builds of the report while notebooks run; one takes about two.
PAUSE = 30.0

_PARAMETER = ("-p", "--parameter")


class PairsCommand(TyperCommand):
    """A command whose ``-p`` takes a name and a value as two words, as papermill's does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a command line after joining each ``-p name value`` to ``-p name=value``."""
        return super().parse_args(ctx, joined_pairs(args))


def joined_pairs(words: list[str]) -> list[str]:
    """Words of a command line with each ``-p name value`` as ``-p name=value``.

    >>> joined_pairs(["04", "-p", "gain_threshold", "-0.1", "-p", "seeds=3", "--smoke"])
    ['04', '-p', 'gain_threshold=-0.1', '-p', 'seeds=3', '--smoke']
    """
    joined: list[str] = []
    rest = list(words)
    while rest:
        joined.append(rest.pop(0))
        if joined[-1] == "--":
            return joined + rest
        if joined[-1] in _PARAMETER and rest:
            name = rest.pop(0)
            joined.append(name if "=" in name or not rest else f"{name}={rest.pop(0)}")
    return joined


def rebuild(
    study: Annotated[
        list[str] | None,
        typer.Argument(metavar="STUDY", help="04, role_routing or 04_role_routing; all if none is named."),
    ] = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROFILE",
            help="simulated, recorded or local; may be repeated. Left out: simulated, and recorded where its "
            "data can be had.",
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            *_PARAMETER,
            metavar="NAME VALUE",
            help="Another value of a notebook's parameter; may be repeated. Goes to reports/runs/NAME.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Put the results under reports/runs/NAME; made from -p if left out.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(help="Notebooks that run at the same time.", show_default="one a core, at most 4"),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="S", help="Seconds that one notebook may take.")] = 900.0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what would run and why, and run nothing.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Run what is up to date too.")] = False,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="Small sizes, to try everything; results go to reports/runs.")
    ] = False,
) -> None:
    """Run the notebooks whose results are out of date; keep tables, figures and executed notebooks.

    Examples: judgekit rebuild 04 --profile recorded

    judgekit rebuild 04 -p gain_threshold 0.01

    Exit code 0 = all is up to date, 1 = a notebook failed: the others ran, its earlier results stand.
    """
    layout = Layout.of_checkout()
    request = Request(
        studies=tuple(study or ()),
        profiles=tuple(dict.fromkeys(profile or ())),
        parameters=tuple(_pair(text) for text in parameter or ()),
        name=name,
        smoke=smoke,
        force=force,
        jobs=min(4, os.cpu_count() or 1) if jobs is None else jobs,
        timeout=timeout,
    )
    if explain:
        for line in explained(request, layout):
            typer.echo(line)
        return
    growing = _growing(layout) if request.run is None else None
    batch = rebuild_notebooks(request, layout, say=_say, kept=growing)
    for line in summary(batch, request, layout):
        typer.echo(line)
    raise typer.Exit(batch.exit_code)


def explained(request: Request, layout: Layout) -> list[str]:
    """One line per notebook: whether it would run, and why."""
    lines = []
    for task in plan(request, layout):
        label = f"{task.entry.profile} {task.entry.notebook}"
        if task.problem is not None:
            lines.append(f"{label}: cannot run: {task.problem}")
        elif task.reasons:
            more = len(task.reasons) - REASONS
            shown = [*task.reasons[:REASONS], *([f"{more} more"] if more > 0 else [])]
            lines.append(f"{label}: runs: {'; '.join(shown)}")
        else:
            lines.append(f"{label}: up to date")
    return lines


def summary(batch: Batch, request: Request, layout: Layout) -> list[str]:
    """Closing lines of a batch: counts, what each profile now says, and the page to open."""
    counts = [outcome.status for outcome in batch.outcomes]
    told = ", ".join(f"{counts.count(status)} {status}" for status in dict.fromkeys(counts))
    lines = ["", f"{counted(len(counts), 'notebook')}: {told}"]
    lines += [f"  {each.profile} {each.notebook}" for each in batch.outcomes if each.status == FAILED]
    profiles = list(dict.fromkeys(outcome.profile for outcome in batch.outcomes))
    from judgekit.report import site
    from judgekit.report.results import Results
    from judgekit.report.summary import profile_summary

    if request.run is not None:
        # Its pages link to the report's, which a first run would not find.
        if not (layout.reports / "index.html").is_file():
            site.build(layout.reports)
        return lines + [f"results: {_from_here(layout.target(profile, request.run))}" for profile in profiles]
    index = site.build(layout.reports)
    for profile in profiles:
        found = profile_summary(Results(profile, layout.reports / profile))
        lines += ["", f"{profile}: {found.headline}", *(f"  {line}" for line in found.lines)]
    return [*lines, "", f"open {_from_here(index)}"]


def _growing(layout: Layout) -> Callable[[], None]:
    """Builds the report, at most once in `PAUSE` seconds, so that it can be read while notebooks run."""
    told, before = False, -math.inf

    def build() -> None:
        nonlocal told, before
        if monotonic() - before < PAUSE:
            return
        from judgekit.report import site

        try:
            index = site.build(layout.reports)
        except JudgekitError as error:
            _say(f"the report waits for the other notebooks: {error}")
        else:
            if not told:
                _say(f"{_from_here(index)}: can be opened now, and fills while the other notebooks run")
            told = True
        before = monotonic()

    return build


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidInput("-p", "a name and a value, as in -p gain_threshold 0.01", text)
    return name, value


def _from_here(path: Path) -> str:
    return os.path.relpath(path)


def _say(line: str) -> None:
    from tqdm import tqdm

    tqdm.write(line, file=sys.stdout)
    sys.stdout.flush()
