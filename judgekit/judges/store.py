"""Where outputs are kept while judges run: SQLite, each batch whole or absent, one runner at a time."""

import errno
import json
import os
import socket
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from judgekit.errors import InvalidInput, JudgekitError
from judgekit.sources.cache import disk_faults

DATABASE = "store.sqlite"
OTHER_FOLDER = "name a folder on another disk with --out"
_VERSION = 1
_PROBE = 1 << 20
_REFUSED = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)


@dataclass(frozen=True)
class Key:
    """What an output belongs to; nothing is reused across a difference in any field.

    Attributes
    ----------
    item_digest : str
        Of what the prompt shows of the item.
    judge : str
        Name in the pool.
    revision : str
        Model, its revision, chat template and precision.
    protocol : str
        Digest of the protocol record.
    ordering : str
        `ab` or `ba`.
    sample : int
        Number of the answer, where several are sampled.
    """

    item_digest: str
    judge: str
    revision: str
    protocol: str
    ordering: str
    sample: int


@dataclass(frozen=True)
class Output:
    """One stored output: what was read, how it ended, and what it took.

    Attributes
    ----------
    outcome : str
        One of `answers.OUTCOMES`.
    score : float or None
        Score stated, or the most probable label's; None unless the outcome is `ok`.
    probs : tuple of float
        Label probabilities as read, never rescaled; () for answers in words.
    mass, unread : float or None
        Mass on the labels; upper bound on label mass that could not be seen.
    method : str
        `exact`, `top_logprobs`, `text`.
    answer, note : str
        The words; what went wrong.
    prompt_tokens, completion_tokens, calls : int
        Use, added up over attempts.
    seconds, cost : float
        The same.
    """

    outcome: str
    score: float | None
    probs: tuple[float, ...]
    mass: float | None
    unread: float | None
    method: str
    answer: str
    note: str
    prompt_tokens: int
    completion_tokens: int
    calls: int
    seconds: float
    cost: float


_KEYS = tuple(field.name for field in fields(Key))
_VALUES = tuple(field.name for field in fields(Output))
_ADDED = ("prompt_tokens", "completion_tokens", "calls", "seconds", "cost")
_SCHEMA = f"""
create table if not exists outputs ({", ".join(_KEYS)}, {", ".join(_VALUES)}, attempts,
    primary key ({", ".join(_KEYS)})) without rowid;
create table if not exists batches (number integer primary key, judge, outputs, finished);
create table if not exists facts (name primary key, value);
"""
_INSERT = f"""
insert into outputs ({", ".join((*_KEYS, *_VALUES))}, attempts)
values ({", ".join("?" * len((*_KEYS, *_VALUES)))}, 1)
on conflict do update set {", ".join(f"{name} = excluded.{name}" for name in _VALUES if name not in _ADDED)},
    {", ".join(f"{name} = {name} + excluded.{name}" for name in _ADDED)}, attempts = attempts + 1
"""


class Store:
    """Outputs of one run folder; open it with `hold`, which lets one runner in at a time.

    Parameters
    ----------
    folder : Path
        The run folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with _faults(folder):
            self._base = sqlite3.connect(folder / DATABASE, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._base.close()
                raise

    def close(self) -> None:
        """Close the database, its write-ahead log folded in."""
        self._base.close()

    def begin(self, judge: str, outputs: int) -> int:
        """Number of a batch about to start; one that never finishes is counted as interrupted."""
        cursor = self._base.execute(
            "insert into batches (judge, outputs, finished) values (?, ?, 0)", (judge, outputs)
        )
        return int(cursor.lastrowid or 0)

    def finish(self, batch: int, rows: Iterable[tuple[Key, Output]]) -> None:
        """Store a batch whole, in one transaction; asking again for a failed output adds to what it took."""
        values = [(*astuple(key), *_flat(output)) for key, output in rows]
        with self._transaction():
            self._base.executemany(_INSERT, values)
            self._base.execute("update batches set finished = 1 where number = ?", (batch,))

    def outcomes(self, judge: str, revision: str, protocol: str) -> dict[tuple[str, str, int], str]:
        """Outcome of every stored output of one judge and protocol, by (item digest, ordering, sample)."""
        rows = self._base.execute(
            "select item_digest, ordering, sample, outcome from outputs "
            "where judge = ? and revision = ? and protocol = ?",
            (judge, revision, protocol),
        )
        return {(digest, ordering, sample): outcome for digest, ordering, sample, outcome in rows}

    def rows(self, judge: str, revision: str, protocol: str) -> Iterator[tuple[Key, Output, int]]:
        """Every stored output of one judge and protocol, with the number of its attempts."""
        cut = len(_KEYS)
        query = f"select {', '.join((*_KEYS, *_VALUES))}, attempts from outputs"
        where = " where judge = ? and revision = ? and protocol = ? order by item_digest, ordering, sample"
        for row in self._base.execute(query + where, (judge, revision, protocol)):
            values = dict(zip(_VALUES, row[cut:-1], strict=True))
            values["probs"] = tuple(json.loads(values["probs"]))
            yield Key(*row[:cut]), Output(**values), int(row[-1])

    def spent(self, judge: str | None = None) -> dict[str, float]:
        """Everything ever taken, over all attempts: outputs, attempts, tokens, calls, seconds, cost."""
        sums = ", ".join(f"total({name})" for name in ("attempts", *_ADDED))
        where, values = (" where judge = ?", (judge,)) if judge is not None else ("", ())
        row = self._base.execute(f"select count(*), {sums} from outputs{where}", values).fetchone()
        return dict(zip(("outputs", "attempts", *_ADDED), map(float, row), strict=True))

    def interrupted(self) -> tuple[int, int]:
        """Batches begun and never stored, and the outputs they were to hold: what kills have lost."""
        row = self._base.execute("select count(*), total(outputs) from batches where finished = 0").fetchone()
        return int(row[0]), int(row[1])

    def note(self, judge: str, revision: str) -> str:
        """What went wrong with the first output of a judge that says so, or ""."""
        row = self._base.execute(
            "select note from outputs where judge = ? and revision = ? and note != '' limit 1",
            (judge, revision),
        ).fetchone()
        return "" if row is None else str(row[0])

    def fact(self, name: str) -> Any:
        """A remembered fact, or None."""
        row = self._base.execute("select value from facts where name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def remember(self, name: str, value: object) -> None:
        """Keep a fact about the run, as JSON."""
        self._base.execute("insert or replace into facts values (?, ?)", (name, json.dumps(value)))

    def _prepare(self) -> None:
        self._base.execute("pragma journal_mode = wal")
        # Committed batches must outlive the process, not a power cut, hence not full.
        self._base.execute("pragma synchronous = normal")
        self._base.executescript(_SCHEMA)
        found = self.fact("version")
        if found not in (None, _VERSION):
            raise InvalidInput(str(self.folder / DATABASE), f"version {_VERSION}", f"version {found}")
        self.remember("version", _VERSION)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("begin immediate")
        try:
            yield
            self._base.execute("commit")
        except BaseException:
            # A full disk has SQLite roll back by itself.
            if self._base.in_transaction:
                self._base.execute("rollback")
            raise


def _flat(output: Output) -> Sequence[object]:
    values = {field.name: getattr(output, field.name) for field in fields(Output)}
    return [json.dumps(value) if name == "probs" else value for name, value in values.items()]


@contextmanager
def hold(folder: Path, *, wait: float = 0.0) -> Iterator[Store]:
    """The store of a run folder, for this process alone.

    Another runner is waited for up to `wait` seconds; then InvalidInput says who holds the folder. The lock
    goes with its holder, however that ends. What the store meets while it is held (a full disk, an altered
    file) comes out as one line.
    """
    holder = folder / "holder.json"
    lock = FileLock(folder / "store.lock")
    with disk_faults(folder, instead=OTHER_FOLDER):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=wait)
        except Timeout as error:
            raise InvalidInput(
                "run folder", "one runner at a time", f"{folder}, held by {_who(holder)}"
            ) from error
    try:
        claim = {"process": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%F %T")}
        with disk_faults(holder, instead=OTHER_FOLDER):
            holder.write_text(json.dumps(claim))
        store = Store(folder)
        try:
            with _faults(folder):
                yield store
        finally:
            store.close()
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


@contextmanager
def _faults(folder: Path) -> Iterator[None]:
    """Turn what SQLite refuses into one clear line: a disk that takes no more, or a file that is no store."""
    path = folder / DATABASE
    try:
        yield
    except sqlite3.DatabaseError as error:
        # Extended codes hold the primary one in their low byte.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        with disk_faults(path, instead=OTHER_FOLDER):
            if code == sqlite3.SQLITE_FULL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
            if code == sqlite3.SQLITE_IOERR:
                # SQLite does not pass on why; the operating system says it of a write of the same kind.
                _try_writing(folder)
        if code in _REFUSED:
            raise JudgekitError(f"{path}: cannot be read or written ({error})") from error
        raise InvalidInput(str(path), "a store of judge outputs", error) from error


def _try_writing(folder: Path) -> None:
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(_PROBE))
        file.flush()


def _who(holder: Path) -> str:
    try:
        claim = json.loads(holder.read_text())
        return f"process {claim['process']} on {claim['host']} since {claim['since']}"
    except (OSError, ValueError, KeyError):
        return "another process"
