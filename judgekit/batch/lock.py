"""One batch at a time: a lock that dies with its holder, and a line that says who holds it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from judgekit.batch.disk import disk_faults, write_json
from judgekit.errors import JudgekitError

LOCK = ".batch.lock"
HOLDER = ".batch.json"


@contextmanager
def only_batch(reports: Path) -> Iterator[None]:
    """Hold the reports' folder for one batch.

    The operating system drops the lock of a process that ends, however it ends, so none is ever stale.

    Raises
    ------
    JudgekitError
        Another process holds it (the line says which, and since when), or the folder cannot be written.
    """
    with disk_faults(reports):
        reports.mkdir(parents=True, exist_ok=True)
        lock = FileLock(reports / LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise JudgekitError(f"another batch is at work in {reports.name}/: {_holder(reports)}") from None
    try:
        since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        with disk_faults(reports):
            write_json(reports / HOLDER, {"pid": os.getpid(), "since": since})
        yield
    finally:
        (reports / HOLDER).unlink(missing_ok=True)
        lock.release()


def _holder(reports: Path) -> str:
    try:
        holder = json.loads((reports / HOLDER).read_text(encoding="utf-8"))
        pid, since = int(holder["pid"]), str(holder["since"])
        os.kill(pid, 0)
    except ProcessLookupError:
        return "it is just starting; try again in a moment"
    except (OSError, ValueError, KeyError, TypeError):
        return "it has not said which process it is; try again in a moment"
    return f"process {pid}, since {since}; wait for it or end it with: kill {pid}"
