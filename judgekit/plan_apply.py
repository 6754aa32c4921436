"""Running a call plan on new judgments by judge name: reads what it calls, and logs what it missed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments
from judgekit.plan import Outcome
from judgekit.plan_content import PlanRecord
from judgekit.signals import slice_labels


@dataclass(frozen=True)
class LogEntry:
    """One thing that did not go as planned.

    Attributes
    ----------
    item : str
    judge : str
        "" where no single judge is at fault.
    slice : str
        "" where it is unknown.
    event : str
    """

    item: str
    judge: str
    slice: str
    event: str


@dataclass(frozen=True)
class PlanAnswer:
    """What a plan says of new items, and the log of the run.

    Attributes
    ----------
    outcome : Outcome
        Arrays over items, and over the plan's pool in `called`.
    items : tuple of str
    slices : tuple of str
        Slice of each item; "" where it is unknown or the plan does not ask.
    astray : ndarray of bool, [items]
        Items whose slice the plan asks for and does not find among its own: its global table answers.
    log : tuple of LogEntry
        In item order.
    """

    outcome: Outcome
    items: tuple[str, ...]
    slices: tuple[str, ...]
    astray: np.ndarray
    log: tuple[LogEntry, ...]


def apply_plan(record: PlanRecord, judgments: Judgments) -> PlanAnswer:
    """Answer new items, reading the columns of the judges called on them and nothing else.

    The pool may hold other judges, in any order, and lack those that the plan does not call on these items.
    Where a called judge's verdict is missing, the shorter pattern answers; where the slice is unknown or new,
    the global plan does; both are logged.

    Raises
    ------
    InvalidInput
        A called judge, the slice column or the scores of the plan are not in the judgments: another pool.
    """
    plan = record.plan
    if tuple(judgments.support.tolist()) != record.support:
        raise InvalidInput("support", f"the plan's scores {list(record.support)}", judgments.support.tolist())
    everyone = [plan.judges[judge] for judge in (*plan.panel, *plan.signal_judges)]
    _require(everyone, judgments)
    labels = np.full(len(judgments.items), None, dtype=object)
    if plan.slice_tables:
        labels = slice_labels(judgments, plan.signal, record.slice_column)
    number = {name: place for place, name in enumerate(plan.slice_names)}
    slices = np.array([number.get(label, -1) for label in labels], dtype=np.int64)
    codes = np.full((len(labels), len(plan.judges)), -1, dtype=np.int16)
    called = np.zeros(codes.shape, dtype=bool)
    called[:, [plan.judges.index(name) for name in everyone]] = True
    for name, added in plan.routes.items():
        called[np.ix_(slices == number[name], np.array(added))] = True
    _require([plan.judges[judge] for judge in np.flatnonzero(called.any(axis=0))], judgments)
    for judge in np.flatnonzero(called.any(axis=0)):
        verdicts = judgments.select([plan.judges[judge]]).codes[:, 0]
        codes[:, judge] = np.where(called[:, judge], verdicts, -1)
    answer = PlanAnswer(
        outcome=plan.apply(codes, slices),
        items=tuple(judgments.items["item"].astype(str)),
        slices=tuple("" if label is None else str(label) for label in labels),
        astray=(slices < 0) & bool(plan.slice_tables),
        log=(),
    )
    return replace(answer, log=tuple(_log(answer, codes, names=plan.judges)))


def _require(names: list[str], judgments: Judgments) -> None:
    absent = [name for name in names if name not in judgments.names]
    if absent:
        raise InvalidInput(
            "judges", f"a pool with the judges the plan calls, {names}", f"one without {absent}"
        )


def _log(answer: PlanAnswer, codes: np.ndarray, *, names: Sequence[str]) -> Iterator[LogEntry]:
    outcome, astray = answer.outcome, answer.astray
    silent = outcome.called & (codes < 0)
    lost = np.asarray(silent.any(axis=1))
    for row in np.flatnonzero(lost | astray | outcome.fallback):
        item, name = answer.items[row], answer.slices[row]
        for judge in np.flatnonzero(silent[row]):
            yield LogEntry(item, names[judge], name, "no verdict: the pattern without it answers")
        if astray[row]:
            what = f"slice {name!r} is not in the plan" if name else "the slice is unknown"
            yield LogEntry(item, "", name, f"{what}: the global plan answers")
        if outcome.fallback[row] and not lost[row]:
            yield LogEntry(item, "", name, "pattern not in the audit rows: a shorter one answers")
