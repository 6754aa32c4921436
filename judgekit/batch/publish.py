"""Moving a finished run from staging into the reports: all of its files or none, even across a kill.

A run is decided the moment its journal is written: a batch killed after that point is completed by the next
one, a batch killed before it leaves the earlier results as they were.
"""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from judgekit.batch.disk import disk_faults, write_json
from judgekit.batch.layout import Layout
from judgekit.batch.manifest import Built, read_manifest, record
from judgekit.batch.stamps import Stamp

JOURNAL = "journal.json"
RESULTS = "results"


@dataclass(frozen=True)
class Journal:
    """A decided run: what to move where.

    Attributes
    ----------
    target : str
        Folder of the results, from the reports' folder.
    notebook : str
        Name of the notebook.
    stamp, built : dict
        Records of the run.
    outputs : list of str
        Which of the run's files are committed results.
    obsolete : list of str
        Outputs of its earlier run that it no longer writes.
    """

    target: str
    notebook: str
    stamp: dict[str, object]
    built: dict[str, object]
    outputs: list[str]
    obsolete: list[str]


def publish(
    staging: Path, target: Path, notebook: str, stamp: Stamp, built: Built, *, layout: Layout
) -> None:
    """Move what lies in ``staging/results`` to `target`, drop what is no longer written, and record the run.

    Raises
    ------
    JudgekitError
        The disk is full or cannot be written.
    """
    with disk_faults(layout.reports):
        earlier = read_manifest(target)
        of_others = {
            name for other in earlier if other != notebook for name in earlier[other].get("outputs", ())
        }
        obsolete = set(earlier.get(notebook, {}).get("outputs", ())) - set(built.files) - of_others
        outputs = [name for name in built.files if name.startswith(("tables/", "figures/"))]
        journal = Journal(
            target.relative_to(layout.reports).as_posix(),
            notebook,
            stamp.record(),
            asdict(built),
            outputs,
            sorted(obsolete),
        )
        write_json(staging / JOURNAL, asdict(journal))
        _apply(staging, layout)


def recover(layout: Layout) -> list[str]:
    """Complete what a killed batch had decided and clear away the rest; returns the notebooks completed."""
    completed = []
    with disk_faults(layout.reports):
        for staging in sorted((layout.reports / ".staging").glob("*")):
            if (staging / JOURNAL).is_file():
                completed.append(_apply(staging, layout))
            else:
                shutil.rmtree(staging)
    return completed


def _apply(staging: Path, layout: Layout) -> str:
    # Every step can be repeated: a kill between two of them is made good by running all of them again.
    journal = Journal(**json.loads((staging / JOURNAL).read_text(encoding="utf-8")))
    target = layout.reports / journal.target
    built, stamp = Built(**journal.built), Stamp.from_record(journal.stamp)  # type: ignore[arg-type]
    for name in built.files:
        source, place = staging / RESULTS / name, target / name
        if source.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(source, place)
    for name in journal.obsolete:
        (target / name).unlink(missing_ok=True)
    if stamp is not None:
        record(target, journal.notebook, stamp, built, outputs=journal.outputs)
    (staging / JOURNAL).unlink()
    shutil.rmtree(staging)
    return journal.notebook
