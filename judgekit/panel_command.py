"""The `judgekit plan` command: from a file of judgments to a call plan and a report, all of it or nothing."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from judgekit.batch.disk import disk_faults
from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings
from judgekit.plan_file import save_plan
from judgekit.report.own_panel import panel_report, write_report
from judgekit.sources.own_panel import PanelOptions, parse_mapping, parse_support, read_panel
from judgekit.studies.own_panel import PanelSettings, study_own_panel
from judgekit.studies.panel_check import check_panel

RUNS = Path(__file__).resolve().parents[1] / "data" / "runs"
PLAN = "plan.json"


def plan(
    judgments: Annotated[Path, typer.Argument(metavar="JUDGMENTS", help="A .csv or .parquet file.")],
    slices: Annotated[
        list[str] | None,
        typer.Option(
            "--slice",
            metavar="COLUMN[=SIGNAL]",
            help="What may route: a column known beforehand; NAME=verifier:JUDGE, NAME=judge:JUDGE or "
            "NAME=disagreement:A,B, read from verdicts; COLUMN=label is analysed, never routed on. May be "
            "repeated: the one that helps most is used.",
        ),
    ] = None,
    mapping: Annotated[
        str | None, typer.Option(metavar="TEXT=NUMBER,...", help="Scores of text verdicts: yes=1,no=0.")
    ] = None,
    support: Annotated[
        str | None,
        typer.Option(metavar="NUMBER,...", help="Scores that exist: 1,2,3,4,5 [default: those found]."),
    ] = None,
    gain_threshold: Annotated[float, typer.Option(help="Smallest drop of risk worth a call.")] = 0.005,
    cost_weight: Annotated[float, typer.Option(help="A gain counts net of this times the cost.")] = 0.0,
    cost: Annotated[str, typer.Option(metavar="COLUMN", help="unit_cost or price.")] = "unit_cost",
    drop_unlabelled: Annotated[
        bool, typer.Option("--drop-unlabelled", help="Leave out items without a label instead of refusing.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the random halvings.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Results [default: data/runs/FILE-plan].")
    ] = None,
) -> None:
    """Plan whom to call from labelled judgments: a call plan, a report and its tables.

    Example: judgekit plan data/examples/panel_sample.csv --slice topic

    The file has one row per (item, judge): item, judge, label, and score (or bucket and prob). Optional
    columns: group (items that belong together), the slices, family, kind, unit_cost, price. FOLDER gets
    plan.json (for `judgekit call`), report.html, report.md, tables/ and figures/; on an error it is left as
    it was.
    """
    options = PanelOptions(
        slices=tuple(slices or ()),
        mapping=None if mapping is None else parse_mapping(mapping),
        support=None if support is None else parse_support(support),
        cost_column=cost,
        drop_unlabelled=drop_unlabelled,
    )
    settings = PanelSettings(PlanSettings(gain_threshold, cost_weight=cost_weight), seed=seed)
    folder = out or RUNS / f"{judgments.stem}-plan"
    _check_target(folder)
    with tqdm(bar_format="{desc} ({elapsed})", disable=None, leave=False, file=sys.stderr) as bar:

        def say(line: str) -> None:
            if bar.disable:
                typer.echo(line)
            bar.set_description_str(line)

        bar.set_description_str(f"reading {judgments.name}")
        panel = read_panel(judgments, options)
        study = study_own_panel(
            panel.pools,
            columns=panel.columns,
            support=panel.support,
            prices=panel.prices,
            settings=settings,
            say=say,
        )
        report = panel_report(check_panel(panel.alignment, study.pool), study, priced=panel.priced)
    with _whole(folder) as unfinished:
        save_plan(study.record, unfinished / PLAN)
        write_report(report, unfinished)
    for line in report.summary:
        typer.echo(line)
    typer.echo(folder / "report.html")


def _check_target(folder: Path) -> None:
    """Refuse to replace what this command did not write."""
    if folder.exists() and not (folder / PLAN).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput("out", "a new or empty folder, or one with an earlier plan", folder.name)


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """A folder to fill beside `folder`; it replaces that once all is written, and else is removed."""
    with disk_faults(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            yield unfinished
            unfinished.chmod(0o755)
            earlier = unfinished.with_name(f"{unfinished.name}.earlier")
            if folder.exists():
                os.replace(folder, earlier)
            os.replace(unfinished, folder)
            shutil.rmtree(earlier, ignore_errors=True)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
