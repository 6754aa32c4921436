"""The `judgekit call` command: execute a call plan on new items."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from judgekit.judges.estimate import counted
from judgekit.judges.execute import Execution, execute_plan
from judgekit.judges.items import read_items
from judgekit.judges.loading import open_backend
from judgekit.judges.pool import read_pool
from judgekit.judges.runner import RunSettings, in_words
from judgekit.plan_file import load_plan
from judgekit.sources.cache import cache_folder
from judgekit.sources.local_run import RUNS


def call(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan that `judgekit plan` wrote.")],
    items: Annotated[Path, typer.Argument(metavar="ITEMS", help="A .jsonl, .csv or .parquet file.")],
    pool: Annotated[str, typer.Option(metavar="POOL", help="The pool that holds the plan's judges.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Run folder [default: data/runs/PLAN-ITEMS].")
    ] = None,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for another runner.")] = 0.0,
    retry: Annotated[bool, typer.Option("--retry", help="Ask timeouts and errors again.")] = False,
) -> None:
    """Call the judges that a plan calls on each item, no others, and answer.

    Example: judgekit call plan.json data/examples/pairs.jsonl --pool roles

    The run folder gets answers.csv (item, slice, probability), calls.csv (who was called on what, and why)
    and events.csv (failures, and what answered instead). Exit code 1 where a judge could not run to its end
    or gave no usable answer; the three files are written all the same.
    """
    record, chosen, frame = load_plan(plan), read_pool(pool), read_items(items)
    folder = out or RUNS / f"{plan.stem}-{items.stem}"
    models = cache_folder() / "models"
    found = execute_plan(
        record,
        chosen,
        frame,
        folder,
        opener=lambda entry: open_backend(entry, models=models),
        settings=RunSettings(wait=wait, retry=retry),
    )
    for line in summary(found):
        typer.echo(line)
    typer.echo(folder)
    if found.failures:
        raise typer.Exit(1)


def summary(found: Execution) -> list[str]:
    """What a plan's execution called and saved, in plain lines."""
    ended = in_words(Counter(found.calls["outcome"]))
    saved = 1 - found.made / found.full
    cheaper = 1 - found.cost / found.full_cost if found.full_cost else 0.0
    fallen = int(found.answer.outcome.fallback.sum())
    astray = int(found.answer.astray.sum())
    calls = f"{counted(found.made, 'call')} ({ended})"
    lines = [
        f"{calls} instead of {found.full}: {saved:.0%} fewer, {cheaper:.0%} cheaper",
        f"{fallen} of {len(found.answer.items)} answered by a shorter pattern",
    ]
    if astray:
        why = "slice unknown or not in the plan"
        lines.append(f"{astray} of {len(found.answer.items)} answered by the global plan: {why}")
    return lines + [f"{name} failed: {reason}" for name, reason in found.failures.items()]
