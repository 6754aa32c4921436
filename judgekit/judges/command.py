"""The `judgekit judge` command: run a pool of judges over a file of items."""

from pathlib import Path
from typing import Annotated

import typer

from judgekit.judges.estimate import counted, describe, estimate, workload_of
from judgekit.judges.items import read_items
from judgekit.judges.loading import open_backend
from judgekit.judges.pool import Pool, read_pool
from judgekit.judges.runner import RunReport, RunSettings, in_words, run_pool
from judgekit.sources.cache import cache_folder
from judgekit.sources.local_run import RUNS


def judge(
    pool: Annotated[str, typer.Argument(metavar="POOL", help="A pool of nbconfig/pools/, or a YAML file.")],
    items: Annotated[
        Path | None,
        typer.Argument(
            metavar="ITEMS", help="A .jsonl, .csv or .parquet file, as above. None: only estimate."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Run folder [default: data/runs/POOL-ITEMS]."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Ask timeouts and errors again.")] = False,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for another runner.")] = 0.0,
    only_estimate: Annotated[bool, typer.Option("--estimate", help="Estimate and stop.")] = False,
) -> None:
    """Run a pool of judges over items and keep every answer; type the same again to go on after a stop.

    Example: judgekit judge cpu_demo data/examples/answers.jsonl --limit 10

    ITEMS has a column item and the columns that the pool's prompts show: response, or response_a and
    response_b; optional are instruction, reference, group, label (label 1: response_a is the better one) and
    any slices. The run folder is what the profile local reads. Exit code 1 where a judge
    could not run to its end or gave no usable answer; the others' answers are kept.
    """
    chosen = read_pool(pool)
    if items is None:
        _say(["estimate for the pool file's own workload:", *describe(estimate(chosen))])
        return
    frame = read_items(items)
    frame = frame if limit is None else frame.head(limit)
    expected = describe(estimate(chosen, workload_of(chosen, frame)))
    _say([f"estimate for {counted(len(frame), 'item')}:", *expected])
    if only_estimate:
        return
    folder = out or RUNS / f"{chosen.name}-{items.stem}"
    models = cache_folder() / "models"
    report = run_pool(
        chosen,
        frame,
        folder,
        opener=lambda entry: open_backend(entry, models=models),
        settings=RunSettings(wait=wait, retry=retry),
    )
    _say(summary(report, chosen))
    if report.failures:
        raise typer.Exit(1)


def summary(report: RunReport, pool: Pool) -> list[str]:
    """What a run ended with, in plain lines."""
    lines = []
    for entry in pool.judges:
        counts = in_words(report.outcomes[entry.name])
        reused = report.reused.get(entry.name, 0)
        kept = f"; {reused} of them from before" if reused else ""
        lines.append(f"{entry.name}: {counts or 'nothing asked'}{kept}")
    for name, reason in report.failures.items():
        lines.append(f"{name} failed: {reason}")
    spent = report.spent
    tokens = f"{counted(spent['prompt_tokens'], 'token')} sent, {spent['completion_tokens']:,.0f} made"
    cost = f", price {spent['cost']:.4f}" if spent["cost"] else ""
    lines.append(f"all runs of this folder: {counted(spent['calls'], 'call')}, {tokens}{cost}")
    batches, outputs = report.interrupted
    if batches:
        lost = f"{counted(batches, 'batch', 'batches')} ({counted(outputs, 'output')})"
        whose = "was interrupted; its" if batches == 1 else "were interrupted; their"
        lines.append(f"{lost} {whose} tokens are not counted")
    return [*lines, f"{report.folder} (sha256 {report.digest[:12]})"]


def _say(lines: list[str]) -> None:
    for line in lines:
        typer.echo(line)
