"""Running one notebook in a worker process: started, watched, ended in time, and its outputs counted."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat

from judgekit.batch.disk import digest_of, disk_faults, write_json
from judgekit.batch.kernels import surroundings
from judgekit.batch.layout import Layout
from judgekit.batch.profiles import Entry
from judgekit.batch.publish import RESULTS
from judgekit.batch.worker import Order, fault_of_cells

_PATIENCE = 10.0
# Bytes without which a worker cannot even say what went wrong.
_ROOM = 1 << 16


@dataclass(frozen=True)
class Ran:
    """What became of one notebook.

    Attributes
    ----------
    problem : str or None
        What went wrong, in a few lines; None where all went well.
    seconds : float
        How long it took.
    files : mapping
        SHA-256 of each file to keep, by path below the profile's folder; empty where something went wrong.
    """

    problem: str | None
    seconds: float
    files: Mapping[str, str]


class Workers:
    """The worker processes of one batch; those still at work can be ended together."""

    def __init__(self) -> None:
        self._live: set[subprocess.Popen[bytes]] = set()
        self._guard = threading.Lock()
        self._stopped = False

    def run(
        self,
        entry: Entry,
        parameters: Mapping[str, object],
        *,
        staging: Path,
        layout: Layout,
        timeout: float,
        links: Mapping[str, str] | None = None,
    ) -> Ran:
        """Execute one notebook in `staging` and check what it wrote there.

        Parameters
        ----------
        entry : Entry
            The notebook and the outputs it declares.
        parameters : mapping
            Values to inject.
        staging : Path
            Folder for this run alone; emptied first.
        layout : Layout
            Where the notebook lies; a failed run's notebook is left under ``reports/failed``.
        timeout : float
            Seconds after which worker and kernel are ended.
        links : mapping, optional
            Address, from the notebook's page, of files that it links to.

        Raises
        ------
        JudgekitError
            The disk is full or cannot be written.
        """
        began = time.monotonic()
        with disk_faults(layout.reports):
            order = _order(entry, parameters, staging, layout, links or {})
            environment = surroundings(
                root=layout.root,
                nbconfig=layout.nbconfig,
                results=staging / RESULTS,
                scratch=staging / "ipython",
            )
            problem = self._watch(order, staging, environment, timeout)
            if problem is None:
                problem = fault_of_outputs(staging / RESULTS, entry)
            kept = layout.failed(entry.profile, entry.notebook)
            files = {} if problem else {name: digest_of(path) for name, path in _files(staging / RESULTS)}
            kept.unlink(missing_ok=True)
            if problem is not None and Path(order.executed).is_file():
                kept.parent.mkdir(parents=True, exist_ok=True)
                os.replace(order.executed, kept)
            if problem is not None:
                shutil.rmtree(staging)
        return Ran(problem, round(time.monotonic() - began, 1), files)

    def stop(self) -> None:
        """End every worker at work, each with its kernel; later calls of `run` start none."""
        with self._guard:
            self._stopped = True
            for process in self._live:
                _close(process)

    def _watch(self, order: Order, staging: Path, environment: dict[str, str], timeout: float) -> str | None:
        path = staging / "order.json"
        write_json(path, asdict(order))
        with (staging / "worker.log").open("wb") as log, self._guard:
            if self._stopped:
                return "stopped before it began"
            process = subprocess.Popen(
                [sys.executable, "-m", "judgekit.batch.worker", str(path)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=staging,
                env=environment,
                start_new_session=True,
            )
            self._live.add(process)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            return _in_time(process, order, timeout)
        finally:
            _end(process)
            with self._guard:
                self._live.discard(process)
        return _verdict(order, process.returncode, staging / "worker.log")


def fault_of_outputs(results: Path, entry: Entry) -> str | None:
    """How the files below `results` differ from what the entry declares, in words; None where they agree."""
    beside = {f"notebooks/{entry.notebook}.ipynb", f"notebooks/{entry.notebook}.html"}
    written = {name for name, _ in _files(results)}
    if lacking := sorted({*entry.outputs, *beside} - written):
        return f"declared in profiles.yaml but not written: {', '.join(lacking)}"
    if excess := sorted(written - beside - set(entry.outputs)):
        return f"written but not declared in profiles.yaml: {', '.join(excess)}"
    return None


def _order(
    entry: Entry,
    parameters: Mapping[str, object],
    staging: Path,
    layout: Layout,
    links: Mapping[str, str],
) -> Order:
    shutil.rmtree(staging, ignore_errors=True)
    for folder in (f"{RESULTS}/notebooks", "ipython", "work"):
        (staging / folder).mkdir(parents=True)
    executed = staging / RESULTS / "notebooks" / f"{entry.notebook}.ipynb"
    return Order(
        notebook=str(layout.notebook(entry.notebook)),
        parameters=dict(parameters),
        executed=str(executed),
        page=str(executed.with_suffix(".html")),
        verdict=str(staging / "verdict.json"),
        scratch=str(staging / "work"),
        links=dict(links),
    )


def _files(folder: Path) -> list[tuple[str, Path]]:
    return [
        (path.relative_to(folder).as_posix(), path) for path in sorted(folder.rglob("*")) if path.is_file()
    ]


def _close(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None and not process.stdin.closed:
        process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    # Closing its input makes a worker end its kernel and itself; killing it leaves the kernel to notice.
    _close(process)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _in_time(process: subprocess.Popen[bytes], order: Order, timeout: float) -> str:
    _end(process)
    told = _from_executed(order, lambda notebook: fault_of_cells(notebook, stopped="it was in"))
    return f"not finished after {timeout:g} s (--timeout)" + (f"; {told}" if told else "")


def _verdict(order: Order, code: int, log: Path) -> str | None:
    try:
        problem = json.loads(Path(order.verdict).read_text(encoding="utf-8"))["problem"]
    except (OSError, ValueError, KeyError):
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        full = ", no space left on the disk" if shutil.disk_usage(log.parent).free < _ROOM else ""
        return "\n".join([f"its process ended early (exit code {code}){full}", *lines[-3:]])
    return None if problem is None else str(problem)


def _from_executed(order: Order, read: Callable[[object], str | None]) -> str | None:
    try:
        return read(nbformat.read(order.executed, as_version=4))
    except (OSError, ValueError):
        return None
