"""The registry of recorded data: the upstream files of each data set, with sizes and hashes."""

import csv
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from judgekit.errors import InvalidInput, JudgekitError

REGISTRY = Path(__file__).resolve().parents[2] / "data" / "registry.csv"
COLUMNS = ("dataset", "repo", "commit", "path", "bytes", "sha256", "licence", "via")

_PATTERNS = {
    "dataset": (r"[a-z][a-z0-9_]*", "a name of lower-case letters, digits and _"),
    "repo": (r"[\w-][\w.-]*/[\w-][\w.-]*", "OWNER/REPO"),
    "commit": (r"[0-9a-f]{40}", "40 hexadecimal digits"),
    "bytes": (r"[0-9]+", "a whole number"),
    "sha256": (r"[0-9a-f]{64}", "64 hexadecimal digits"),
    "licence": (r"\S.*", "the licence found upstream, or 'none found'"),
    "via": (r"raw|archive", "raw or archive"),
}


class BadFile(JudgekitError):
    """A listed file that is not to be had, or whose bytes are not the listed ones; the text says why."""


@dataclass(frozen=True)
class FileRow:
    """One upstream file that one data set reads.

    Attributes
    ----------
    dataset : str
        Data set that reads it.
    repo, commit, path : str
        OWNER/REPO on GitHub, the commit, and the path inside the repository as upstream writes it.
    size : int
        Bytes.
    sha256 : str
        Hash, in hexadecimal.
    licence : str
        Licence found upstream, or "none found".
    via : str
        "raw" = fetched as a single file, "archive" = kept from the archive of the whole commit.
    """

    dataset: str
    repo: str
    commit: str
    path: str
    size: int
    sha256: str
    licence: str
    via: str

    def checked(self, content: bytes, where: str) -> bytes:
        """`content` where size and sha256 are this file's; else raises BadFile, naming the source `where`."""
        if len(content) != self.size:
            raise BadFile(f"{where}: {self.path} has {len(content)} bytes, not {self.size}")
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise BadFile(f"{where}: {self.path} has sha256 {found[:12]}..., not {self.sha256[:12]}...")
        return content


@dataclass(frozen=True)
class Registry:
    """All rows of `data/registry.csv`, checked."""

    rows: tuple[FileRow, ...]

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, in file order."""
        return tuple(dict.fromkeys(row.dataset for row in self.rows))

    def of(self, dataset: str) -> tuple[FileRow, ...]:
        """Rows of one data set; raises InvalidInput for a name that is not in the registry."""
        found = tuple(row for row in self.rows if row.dataset == dataset)
        if not found:
            raise InvalidInput("dataset", f"one of {', '.join(self.datasets)}", dataset)
        return found

    def of_commit(self, repo: str, commit: str) -> tuple[FileRow, ...]:
        """Rows of one upstream commit, over all data sets, one per path."""
        rows = {row.path: row for row in self.rows if (row.repo, row.commit) == (repo, commit)}
        return tuple(rows.values())

    def digest(self, dataset: str) -> str:
        """SHA-256 over what is read for a data set: repository, commit, path, size and hash of each file."""
        lines = sorted(
            f"{row.repo}\t{row.commit}\t{row.path}\t{row.size}\t{row.sha256}\n" for row in self.of(dataset)
        )
        return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def read_registry(path: Path = REGISTRY) -> Registry:
    """Registry in the CSV file at `path`.

    Raises
    ------
    InvalidInput
        The file is absent or not UTF-8 text, a column is absent or unknown, a value is malformed (the message
        names the line), a path leaves its repository, or two rows contradict each other.
    """
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines, restkey="(beyond the last column)")
            if reader.fieldnames != list(COLUMNS):
                raise InvalidInput(f"{path.name} header", ",".join(COLUMNS), reader.fieldnames)
            rows = tuple(_row(record, f"{path.name} line {reader.line_num}") for record in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(str(path), "a readable CSV file in UTF-8", error) from error
    _refuse_contradictions(rows, path.name)
    return Registry(rows)


def _row(record: dict[str, str | None], where: str) -> FileRow:
    for column, (pattern, allowed) in _PATTERNS.items():
        if re.fullmatch(pattern, record[column] or "") is None:
            raise InvalidInput(f"{where}, {column}", allowed, record[column])
    if len(record) != len(COLUMNS):
        raise InvalidInput(where, "as many values as columns", list(record.values()))
    path = record["path"] or ""
    if any(part in ("", ".", "..") for part in path.split("/")) or "\\" in path or not path.isprintable():
        raise InvalidInput(f"{where}, path", "a path inside the repository", path)
    values: dict[str, str] = {column: value or "" for column, value in record.items()}
    return FileRow(size=int(values.pop("bytes")), **values)


def _refuse_contradictions(rows: Iterable[FileRow], name: str) -> None:
    seen: set[tuple[str, str, str]] = set()
    content: dict[tuple[str, str, str], tuple[int, str]] = {}
    via: dict[tuple[str, str], str] = {}
    for row in rows:
        key = (row.dataset, row.repo, row.path)
        if key in seen:
            raise InvalidInput(name, "one row per data set, repository and path", f"{' '.join(key)} twice")
        seen.add(key)
        own = (row.size, row.sha256)
        if content.setdefault((row.repo, row.commit, row.path), own) != own:
            raise InvalidInput(name, "one size and hash per upstream file", f"{row.repo} {row.path} with two")
        if via.setdefault((row.repo, row.commit), row.via) != row.via:
            raise InvalidInput(name, "one way (via) per upstream commit", f"{row.repo} with raw and archive")
