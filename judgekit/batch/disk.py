"""Files of a batch on the disk: hashed, written whole or not at all, and a refusal told in one line."""

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from judgekit.errors import JudgekitError


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, content: object) -> None:
    """Write JSON so that a reader sees the old file or the whole new one; it is on the disk on return."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


@contextmanager
def disk_faults(folder: Path) -> Iterator[None]:
    """Turn an operating system's refusal to write below `folder` into one clear line.

    Raises
    ------
    JudgekitError
        In place of any OSError.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise JudgekitError(
                f"{folder.name}: no space left on the disk; nothing half-written is kept; free some and retry"
            ) from error
        shown = Path(error.filename).name if isinstance(error.filename, str) else folder.name
        raise JudgekitError(
            f"{folder.name}: {shown} cannot be written ({error.strerror or error})"
        ) from error
