"""Running a pool over items: one judge at a time, resumable at any moment, every outcome counted."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.judges.answers import OK, OUTCOMES, RETRIABLE
from judgekit.judges.asking import Item, ask, batches, pending, samples_of, wanted
from judgekit.judges.backend import Backend
from judgekit.judges.estimate import counted
from judgekit.judges.freeze import freeze
from judgekit.judges.pool import Judge, Pool
from judgekit.judges.progress import Progress
from judgekit.judges.protocol import Protocol
from judgekit.judges.store import Store, hold

Opener = Callable[[Judge], Backend]
_WORDS = {
    "parse_failure": ("parse failure", "parse failures"),
    "off_support": ("off the support", "off the support"),
    "refusal": ("refusal", "refusals"),
    "timeout": ("timeout", "timeouts"),
    "error": ("error", "errors"),
}

Job = tuple[Protocol, Sequence[Item]]


@dataclass(frozen=True)
class RunSettings:
    """How a run behaves.

    Attributes
    ----------
    wait : float
        Seconds to wait for another runner on the same folder.
    retry : bool
        Ask again where a timeout or an error is stored.
    quiet : bool
        No progress.
    """

    wait: float = 0.0
    retry: bool = False
    quiet: bool = False


@dataclass(frozen=True)
class RunReport:
    """What a run folder holds after a run.

    Attributes
    ----------
    folder : Path
        The run folder.
    outcomes : dict of str to dict
        Per judge: outputs by outcome, and `absent` = wanted but not there.
    reused : dict of str to int
        Per judge: outputs that were stored before this run.
    spent : dict of str to float
        Outputs, attempts, tokens, calls, seconds and cost over all runs of the folder.
    interrupted : tuple of int
        Batches that kills have lost, and the outputs they were to hold; their tokens are not in `spent`.
    failures : dict of str to str
        Judges that could not run to their end, or without one usable answer, and why.
    digest : str
        Sha256 of the frozen run.
    """

    folder: Path
    outcomes: dict[str, dict[str, int]]
    reused: dict[str, int]
    spent: dict[str, float]
    interrupted: tuple[int, int]
    failures: dict[str, str]
    digest: str


def run_pool(
    pool: Pool, items: pd.DataFrame, folder: Path, *, opener: Opener, settings: RunSettings | None = None
) -> RunReport:
    """Ask every judge of a pool about every item, keep each answer, and freeze the outputs.

    What `folder` already holds for the same item text, judge, model revision, protocol, order and sample is
    not asked again. A judge that fails is reported and the others go on; a kill loses at most one batch.

    Parameters
    ----------
    pool : Pool
        Judges and protocols.
    items : DataFrame
        `item` (unique) and the columns that the prompts show; `group`, `label` and slices travel along.
    folder : Path
        Made if absent.
    opener : callable
        Judge to open backend.
    settings : RunSettings
        Waiting, retries, progress.
    """
    chosen = settings or RunSettings()
    records = checked_items(pool, items)
    reused: dict[str, int] = {}
    failures: dict[str, str] = {}
    with hold(folder, wait=chosen.wait) as store:
        for judge in pool.judges:
            try:
                jobs = [(protocol, records) for protocol in pool.asked(judge)]
                reused[judge.name] = run_judge(store, judge, jobs, opener=opener, settings=chosen)
            # Without its store no judge can go on; `hold` tells what is wrong with it.
            except sqlite3.Error:
                raise
            # Whatever a backend raises (a broken driver, no memory, a lost server), the other judges go on.
            except Exception as error:
                failures[judge.name] = in_one_line(error)
        revisions = {judge.name: str(store.fact(f"revision.{judge.name}") or "") for judge in pool.judges}
        outcomes = {judge.name: _outcomes(store, pool, judge, records) for judge in pool.judges}
        for name, counts in outcomes.items():
            reason = no_answer(counts, store.note(name, revisions[name]))
            if reason:
                failures.setdefault(name, reason)
        digest = freeze(store, pool, items, revisions)
        return RunReport(folder, outcomes, reused, store.spent(), store.interrupted(), failures, digest)


def checked_items(pool: Pool, items: pd.DataFrame) -> list[Item]:
    """Items as mappings; InvalidInput on an absent or repeated name, or a column that a prompt needs."""
    if "item" not in items.columns or items.empty:
        raise InvalidInput("items", "a column item and at least one row", f"columns {list(items.columns)}")
    repeated = items.loc[items["item"].duplicated(), "item"]
    if len(repeated):
        raise InvalidInput("items.item", "each name once", f"{repeated.iloc[0]} twice")
    records = [{str(key): value for key, value in row.items()} for row in items.to_dict("records")]
    for protocol in pool.protocols:
        for record in records:
            protocol.item_digest(record)
    return list(records)


def in_one_line(error: BaseException) -> str:
    """Kind and message of an error, shortened to 200 characters."""
    return _shortened(f"{type(error).__name__}: {error}")


def no_answer(counts: Mapping[str, int], note: str) -> str:
    """Why a judge of these outcomes has failed, or "" where one answer at least is usable.

    `note` is an example of what went wrong, or "".
    """
    if counts.get(OK, 0) or not any(counts.values()):
        return ""
    example = f", such as: {_shortened(note)}" if note else ""
    again = any(counts.get(name) for name in RETRIABLE)
    return f"no usable answer ({in_words(counts)}){example}{'; --retry asks again' if again else ''}"


def in_words(counts: Mapping[str, int]) -> str:
    """Outcomes with their numbers: 10 ok, 1 timeout, 2 errors."""
    found = [(count, *_WORDS.get(name, (name, name))) for name, count in counts.items() if count]
    return ", ".join(counted(*each) for each in found)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:197] + "..."


def run_judge(
    store: Store, judge: Judge, jobs: Sequence[Job], *, opener: Opener, settings: RunSettings
) -> int:
    """Ask one judge what the store lacks; returns the number of outputs found stored.

    Parameters
    ----------
    store : Store
        Held by this process.
    judge : Judge
        Opened once, and closed whatever happens.
    jobs : sequence of (Protocol, items)
        What it is asked about what.
    opener, settings
        As in `run_pool`.
    """
    backend = opener(judge)
    stored = 0
    try:
        store.remember(f"revision.{judge.name}", backend.revision)
        store.remember(f"template.{backend.revision}", backend.chat_template)
        for protocol, items in jobs:
            lacking = pending(store, backend, judge.name, protocol, items=items, retry=settings.retry)
            stored += lacking.stored
            progress = None if settings.quiet else Progress(f"{judge.name} {protocol.name}", lacking.outputs)
            for batch in batches(lacking.tasks, judge.batch):
                outputs = sum(len(task.samples) for task in batch)
                number = store.begin(judge.name, outputs)
                store.finish(number, ask(backend, judge, protocol, batch))
                if progress:
                    progress.add(outputs)
            if progress:
                progress.close()
    finally:
        backend.close()
    return stored


def _outcomes(store: Store, pool: Pool, judge: Judge, items: Sequence[Item]) -> dict[str, int]:
    revision = str(store.fact(f"revision.{judge.name}") or "")
    counts: Counter[str] = Counter(dict.fromkeys((*OUTCOMES, "absent"), 0))
    for protocol in pool.asked(judge):
        found = store.outcomes(judge.name, revision, protocol.digest)
        for digest, order in wanted(protocol, items):
            counts.update(found.get((digest, order, n), "absent") for n in samples_of(protocol))
    return dict(counts)
