"""Executing a call plan: the calls it makes and no others, an account of each, and what that saved."""

import dataclasses
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.judges.freeze import freeze
from judgekit.judges.pool import Judge, Pool
from judgekit.judges.runner import (
    Job,
    Opener,
    RunSettings,
    checked_items,
    in_one_line,
    no_answer,
    run_judge,
)
from judgekit.judges.store import OTHER_FOLDER, Store, hold
from judgekit.judgments import Judgments, judge_frame, one_hot
from judgekit.plan_apply import PlanAnswer, apply_plan
from judgekit.plan_content import PlanRecord
from judgekit.signals import slice_labels
from judgekit.sources.cache import write_together
from judgekit.sources.local_run import recording


@dataclass(frozen=True)
class Execution:
    """What a plan answered on new items, whom it called for it, and what that saved.

    Attributes
    ----------
    answer : PlanAnswer
        As `apply_plan` gives it on the outputs of these calls.
    calls : DataFrame
        The audit log: one row a call planned (`item`, `judge`, `why`, `outcome`, `score`, `cost`), in the
        order in which they were made; `why` is panel, signal, or route: SLICE.
    events : DataFrame
        What did not go as planned: `item`, `judge`, `slice`, `event`.
    made, full : int
        Calls planned, and those of asking every judge of the plan about every item.
    cost, full_cost : float
        The same in the plan's costs.
    failures : dict of str to str
        Judges that could not run to their end, or without one usable answer, and why.
    """

    answer: PlanAnswer
    calls: pd.DataFrame
    events: pd.DataFrame
    made: int
    full: int
    cost: float
    full_cost: float
    failures: dict[str, str]


@dataclass
class _Work:
    """A plan under way: what is asked of whom, and why."""

    record: PlanRecord
    pool: Pool
    rows: pd.DataFrame
    why: dict[tuple[int, int], str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def judge(self, number: int) -> Judge:
        name = self.record.plan.judges[number]
        return next(judge for judge in self.pool.judges if judge.name == name)


def execute_plan(
    record: PlanRecord,
    pool: Pool,
    items: pd.DataFrame,
    folder: Path,
    *,
    opener: Opener,
    settings: RunSettings | None = None,
) -> Execution:
    """Call the plan's panel on every item, then each slice's judges on its rows, then answer.

    Where a called judge fails, the shorter pattern answers. Outputs that `folder` holds already are not asked
    again. In pairwise protocols with two orders each order is an item of its own, as in a `local` profile.

    Parameters
    ----------
    record : PlanRecord
        As `load_plan` reads it.
    pool : Pool
        Must hold the judges that the plan calls, each with one protocol on the plan's scores.
    items : DataFrame
        As for `run_pool`, with the slice column where the plan's signal is metadata.
    folder : Path
        Run folder.
    opener, settings
        As for `run_pool`.

    Raises
    ------
    InvalidInput
        A judge that the pool lacks or asks something else, or items without the slice column.
    """
    chosen = settings or RunSettings()
    plan = record.plan
    checked_items(pool, items)
    _check_pool(record, pool)
    column = record.slice_column
    if plan.slice_tables and column is not None and column not in items.columns:
        raise InvalidInput("items", f"the column {column}, by which the plan routes", list(items.columns))
    work = _Work(record, pool, _rows(pool, items))
    with hold(folder, wait=chosen.wait) as store:
        everywhere = [(number, "panel") for number in plan.panel]
        everywhere += [(number, "signal") for number in plan.signal_judges if number not in plan.panel]
        for number, why in everywhere:
            _call(store, work, number, dict.fromkeys(range(len(work.rows)), why), opener, chosen)
        judgments = _judgments(store, work, items)
        slices: list[object] = []
        if plan.slice_tables:
            slices = list(slice_labels(judgments, plan.signal, record.slice_column))
        for number, places in _routed(record, slices).items():
            _call(store, work, number, places, opener, chosen)
        judgments = _judgments(store, work, items)
        return _execution(store, work, apply_plan(record, judgments))


def _check_pool(record: PlanRecord, pool: Pool) -> None:
    plan, known = record.plan, {judge.name: judge for judge in pool.judges}
    called = {*plan.panel, *plan.signal_judges, *(j for added in plan.routes.values() for j in added)}
    for name in (plan.judges[number] for number in sorted(called)):
        if name not in known:
            raise InvalidInput("pool", f"the judges that the plan calls, {name} among them", sorted(known))
        protocols = pool.asked(known[name])
        if len(protocols) != 1 or protocols[0].scores != record.support:
            given = [f"{protocol.name} {list(protocol.scores)}" for protocol in protocols]
            raise InvalidInput(name, f"one protocol on the scores {list(record.support)}", given)


def _rows(pool: Pool, items: pd.DataFrame) -> pd.DataFrame:
    """Items in the order in which answers come: as they are, or one row an order in pairwise pools."""
    group = items["group"] if "group" in items.columns else items["item"]
    pairwise = any(protocol.kind == "pairwise" for protocol in pool.protocols)
    orders = [order for order in ("ab", "ba") if any(order in p.orders for p in pool.protocols)]
    if not pairwise:
        return items.assign(row=items["item"], group=group, ordering="ab").reset_index(drop=True)
    parts = [items.assign(row=items["item"] + "|" + order, group=group, ordering=order) for order in orders]
    return pd.concat(parts, ignore_index=True)


def _routed(record: PlanRecord, slices: Sequence[object]) -> dict[int, dict[int, str]]:
    """Rows and reasons of every routed judge, so that each is opened once."""
    found: dict[int, dict[int, str]] = {}
    for place, name in enumerate(slices):
        for number in record.plan.routes.get(str(name), ()) if name is not None else ():
            found.setdefault(number, {})[place] = f"route: {name}"
    return found


def _call(
    store: Store, work: _Work, number: int, places: Mapping[int, str], opener: Opener, settings: RunSettings
) -> None:
    for place, why in places.items():
        work.why[place, number] = why
    judge = work.judge(number)
    try:
        run_judge(store, judge, _jobs(work, judge, list(places)), opener=opener, settings=settings)
    # Without its store no judge can go on; `hold` tells what is wrong with it.
    except sqlite3.Error:
        raise
    # The plan goes on without a judge that cannot be had: the shorter pattern answers.
    except Exception as error:
        work.failures[judge.name] = in_one_line(error)


def _jobs(work: _Work, judge: Judge, places: Sequence[int]) -> list[Job]:
    (protocol,) = work.pool.asked(judge)
    chosen = work.rows.iloc[list(places)]
    jobs: list[Job] = []
    for order, part in chosen.groupby("ordering", sort=True):
        records = [{str(key): value for key, value in row.items()} for row in part.to_dict("records")]
        jobs.append((dataclasses.replace(protocol, orders=(str(order),)), records))
    return jobs


def _judgments(store: Store, work: _Work, items: pd.DataFrame) -> Judgments:
    """Verdicts so far as the plan's pool would give them; NaN where a judge was not called or failed."""
    names = [judge.name for judge in work.pool.judges]
    revisions = {name: str(store.fact(f"revision.{name}") or "") for name in names}
    freeze(store, work.pool, items, revisions)
    found = recording(store.folder).judgments
    places = {name: place for place, name in enumerate(work.rows["row"])}
    bucket = {score: place for place, score in enumerate(work.record.support)}
    pool_names = list(work.record.plan.judges)
    codes = np.full((len(places), len(pool_names)), -1, dtype=np.int16)
    for row, name, score in zip(found["item"], found["judge"], found["hard"], strict=True):
        if name in pool_names and row in places:
            codes[places[row], pool_names.index(name)] = bucket.get(float(score), -1)
    frame = work.rows.drop(columns=["item", "ordering"]).rename(columns={"row": "item"})
    return Judgments(
        probs=one_hot(codes, len(bucket)),
        support=np.array(work.record.support),
        target=np.full(len(frame), np.nan),
        items=frame,
        judges=judge_frame(pool_names),
    )


def _execution(store: Store, work: _Work, answer: PlanAnswer) -> Execution:
    plan = work.record.plan
    found = recording(store.folder).judgments
    pairs = zip(found["judge"], found["item"], strict=True)
    verdicts = dict(zip(pairs, zip(found["outcome"], found["hard"], strict=True), strict=True))
    rows: list[dict[str, Any]] = []
    for (place, number), why in work.why.items():
        name, row = plan.judges[number], str(work.rows["row"].iloc[place])
        outcome, score = verdicts.get((name, row), ("absent", np.nan))
        cost = float(plan.costs[number])
        rows.append(
            {"item": row, "judge": name, "why": why, "outcome": outcome, "score": score, "cost": cost}
        )
    calls = pd.DataFrame(rows, columns=["item", "judge", "why", "outcome", "score", "cost"])
    events = pd.DataFrame([vars(entry) for entry in answer.log], columns=["item", "judge", "slice", "event"])
    answers = pd.DataFrame(
        {"item": answer.items, "slice": answer.slices, "probability": answer.outcome.probability}
    )
    tables = {"answers.csv": answers, "calls.csv": calls, "events.csv": events}
    contents = {store.folder / name: _csv(table) for name, table in tables.items()}
    write_together(contents, instead=OTHER_FOLDER)
    for name in calls["judge"].unique():
        ended = Counter(calls.loc[calls["judge"] == name, "outcome"])
        reason = no_answer(ended, store.note(name, str(store.fact(f"revision.{name}") or "")))
        if reason:
            work.failures.setdefault(name, reason)
    count = len(work.rows)
    return Execution(
        answer=answer,
        calls=calls,
        events=events,
        made=len(calls),
        full=count * len(plan.judges),
        cost=float(calls["cost"].sum()) + answer.outcome.extra_cost * count,
        full_cost=float(plan.costs.sum()) * count,
        failures=work.failures,
    )


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n").encode()
