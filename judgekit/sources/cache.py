"""Where downloaded and parsed data is kept, and how it gets there: whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from judgekit.errors import JudgekitError
from judgekit.sources.registry import FileRow

_CHECKOUT = Path(__file__).resolve().parents[2]
_OTHER_CACHE = "set JUDGEKIT_CACHE to a folder on another disk"
# What else helps where the report does not fit.
OTHER_DISK = "move the checkout to another disk"


def cache_folder() -> Path:
    """Folder of downloaded and parsed data: $JUDGEKIT_CACHE, else data/cache in the checkout.

    A relative path counts from the checkout, so that a notebook and the command line agree.
    """
    return _CHECKOUT / (os.environ.get("JUDGEKIT_CACHE") or "data/cache")


def mirror_folder() -> Path | None:
    """Folder of a mirror: $JUDGEKIT_MIRROR, from the checkout if relative; None where there is none."""
    named = os.environ.get("JUDGEKIT_MIRROR")
    folder = _CHECKOUT / named if named else None
    return folder if folder is not None and folder.is_dir() else None


def raw_file(cache: Path, row: FileRow) -> Path:
    """Place of one upstream file in the cache folder."""
    return cache / "raw" / row.repo / row.commit / row.path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old content or all of the new one, never a part.

    Raises
    ------
    JudgekitError
        The disk is full or the folder cannot be written; what was there before stays.
    """
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes], *, instead: str = _OTHER_CACHE) -> None:
    """Write files of one result: all lie beside their places, whole, before the first takes its own.

    `instead` and errors as for `disk_faults` and `write_whole`.
    """
    unplaced: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            with disk_faults(path, instead=instead):
                path.parent.mkdir(parents=True, exist_ok=True)
                handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
                unplaced[path] = Path(name)
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                unplaced[path].chmod(0o644)
        for path in list(unplaced):
            with disk_faults(path, instead=instead):
                os.replace(unplaced[path], path)
    finally:
        for temporary in unplaced.values():
            temporary.unlink(missing_ok=True)


@contextmanager
def disk_faults(path: Path, *, instead: str = _OTHER_CACHE) -> Iterator[None]:
    """Turn an operating system's refusal to write below `path` into one clear line.

    `instead` is what else helps against a full disk.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise JudgekitError(
                f"{path}: no space left on the disk; nothing half-written is kept, what was there stays; "
                f"free some space or {instead}, then run this again"
            ) from error
        raise JudgekitError(f"{path}: cannot be written ({error.strerror or error})") from error


@contextmanager
def one_at_a_time(path: Path, before_waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock file `path`, so that of two processes one works and the other waits and finds it done.

    The operating system drops the lock of a process that dies. `before_waiting` is called if there is a wait.
    """
    with disk_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            before_waiting()
            lock.acquire()
    try:
        yield
    finally:
        lock.release()
