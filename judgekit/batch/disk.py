"""Files of a batch on the disk: hashed, written whole or not at all, and a refusal told in one line."""

import hashlib
import json
import os
from contextlib import AbstractContextManager
from pathlib import Path

from judgekit.sources import cache


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


def disk_faults(folder: Path) -> AbstractContextManager[None]:
    """Turn an operating system's refusal to write below `folder` into one clear line.

    Raises
    ------
    JudgekitError
        In place of any OSError.
    """
    return cache.disk_faults(folder, instead=cache.OTHER_DISK)
