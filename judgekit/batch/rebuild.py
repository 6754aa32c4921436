"""The batch: running what is stale, side by side, and keeping what it wrote; one failure stops no other."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime

from tqdm import tqdm

from judgekit.batch.data import Shelf
from judgekit.batch.kernels import require_ipykernel
from judgekit.batch.layout import Layout
from judgekit.batch.lock import only_batch
from judgekit.batch.manifest import Built
from judgekit.batch.needs import BESIDE_DATA
from judgekit.batch.publish import publish, recover
from judgekit.batch.run import Ran, Workers
from judgekit.batch.tasks import Request, Task, plan
from judgekit.errors import JudgekitError
from judgekit.report.format import counted

# Fetches data sets; returns those that cannot be had, each with the reason.
BringsData = Callable[[Sequence[str]], dict[str, str]]

REBUILT, FRESH, ABSENT, FAILED = "rebuilt", "up to date", "skipped", "failed"


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook: REBUILT, FRESH, ABSENT (its data is not here) or FAILED, and details."""

    profile: str
    notebook: str
    status: str
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Batch:
    """Outcomes of one batch, in order of profile and notebook."""

    outcomes: tuple[Outcome, ...]

    @property
    def exit_code(self) -> int:
        """1 where a notebook failed, else 0."""
        return int(any(outcome.status == FAILED for outcome in self.outcomes))


def rebuild(
    request: Request,
    layout: Layout,
    *,
    say: Callable[[str], None],
    bring: BringsData | None = None,
    kept: Callable[[], None] | None = None,
) -> Batch:
    """Run what is stale, keep its outputs, and tell what became of each notebook.

    Parameters
    ----------
    request : Request
        What to rebuild.
    layout : Layout
        Where.
    say : callable
        Takes each line of progress.
    bring : callable, optional
        Fetches the data that notebooks need; by default from cache, mirror or network.
    kept : callable, optional
        Called each time the results of a notebook were put in place and others are still to come.

    Raises
    ------
    JudgekitError
        As `plan`; or no ipykernel is installed, another batch is at work, or the disk is full.
    """
    require_ipykernel()
    with only_batch(layout.reports):
        for notebook in recover(layout):
            say(f"{notebook}: results of a batch that was cut short are now in place")
        tasks = plan(request, layout)
        batch = _Batch(request, layout, say, bring or Shelf(say).bring, kept or (lambda: None))
        outcomes = batch.carry_out(tuple(task for task in tasks if not task.entry.reads_tables))
        if any(task.entry.reads_tables for task in tasks):
            # Planned anew where what they read is there only now.
            changed = any(outcome.status == REBUILT for outcome in outcomes)
            again = plan(request, layout) if changed else tasks
            outcomes += batch.carry_out(tuple(task for task in again if task.entry.reads_tables))
    places = {(task.entry.profile, task.entry.notebook): place for place, task in enumerate(tasks)}
    return Batch(tuple(sorted(outcomes, key=lambda each: places[each.profile, each.notebook])))


class _Batch:
    """One batch at work."""

    def __init__(
        self,
        request: Request,
        layout: Layout,
        say: Callable[[str], None],
        bring: BringsData,
        kept: Callable[[], None],
    ) -> None:
        self.request, self.layout, self.say, self.bring, self.kept = request, layout, say, bring, kept
        self.workers = Workers()

    def carry_out(self, tasks: tuple[Task, ...]) -> list[Outcome]:
        """Outcomes in the order of `tasks`."""
        outcomes: dict[int, Outcome] = {}
        running: dict[Future[Ran], int] = {}
        with ThreadPoolExecutor(self.request.jobs) as pool:
            try:
                for number in _starts(tasks, self.request.jobs):
                    known = self._without_running(tasks[number])
                    if known is None:
                        running[pool.submit(self._run, tasks[number])] = number
                    else:
                        outcomes[number] = self._tell(known)
                bar = tqdm(
                    as_completed(running), total=len(running), unit="notebook", disable=None, leave=False
                )
                for future in bar:
                    number = running[future]
                    outcomes[number] = self._tell(self._keep(tasks[number], future))
                    if outcomes[number].status == REBUILT and len(outcomes) < len(tasks):
                        self.kept()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.workers.stop()
                raise
        return [outcomes[number] for number in range(len(tasks))]

    def _without_running(self, task: Task) -> Outcome | None:
        entry = task.entry
        if task.problem is not None:
            return Outcome(entry.profile, entry.notebook, FAILED, task.problem)
        if not task.reasons:
            return Outcome(entry.profile, entry.notebook, FRESH)
        try:
            absent = self.bring(entry.needs)
        except JudgekitError as error:
            return Outcome(entry.profile, entry.notebook, FAILED, str(error))
        if not absent:
            return None
        sets = [need for need in absent if need not in BESIDE_DATA]
        details = [reason for need, reason in absent.items() if need in BESIDE_DATA]
        details += [f"data not here, run: judgekit data fetch {' '.join(sets)}"] if sets else []
        detail = "; ".join(details)
        status = FAILED if entry.profile in self.request.profiles else ABSENT
        return Outcome(entry.profile, entry.notebook, status, detail)

    def _run(self, task: Task) -> Ran:
        self.say(f"{task.entry.profile} {task.entry.notebook}: running, since {_first(task.reasons)}")
        return self.workers.run(
            task.entry,
            task.given,
            staging=task.staging,
            layout=self.layout,
            timeout=self.request.timeout,
            links=task.links,
        )

    def _keep(self, task: Task, future: Future[Ran]) -> Outcome:
        entry = task.entry
        try:
            ran = future.result()
            if ran.problem is None and task.stamp is not None:
                when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                built = Built(task.stamp.record(), when, ran.seconds, ran.files)
                publish(task.staging, task.target, entry.notebook, task.stamp, built, layout=self.layout)
        except JudgekitError as error:
            return Outcome(entry.profile, entry.notebook, FAILED, str(error))
        except Exception as error:  # whatever it is, the other notebooks go on
            return Outcome(
                entry.profile, entry.notebook, FAILED, f"unexpected {type(error).__name__}: {error}"
            )
        if ran.problem is None:
            wrote = f"{counted(len(entry.tables), 'table')}, {counted(len(entry.figures), 'figure')}"
            return Outcome(entry.profile, entry.notebook, REBUILT, wrote, ran.seconds)
        kept = self.layout.failed(entry.profile, entry.notebook)
        seen = f"\nexecuted so far: {kept.relative_to(self.layout.reports.parent)}" if kept.is_file() else ""
        return Outcome(entry.profile, entry.notebook, FAILED, ran.problem + seen, ran.seconds)

    def _tell(self, outcome: Outcome) -> Outcome:
        took = f" in {outcome.seconds:.1f} s" if outcome.seconds else ""
        detail = outcome.detail.replace("\n", "\n    ")
        line = f"{outcome.profile} {outcome.notebook}: {outcome.status}{took}"
        self.say(f"{line}{': ' if detail else ''}{detail}")
        return outcome


def _starts(tasks: Sequence[Task], jobs: int) -> list[int]:
    """Numbers of `tasks` in the order in which they start: each profile's as its file lists them, by turns.

    Those that need data stand back until every worker has one that needs none, so that none waits while data
    is fetched.
    """
    turns: dict[str, int] = {}
    keys = []
    for number, task in enumerate(tasks):
        turn = turns[task.entry.profile] = turns.get(task.entry.profile, -1) + 1
        keys.append((turn + (jobs - 1 if task.entry.needs else 0), bool(task.entry.needs), number))
    return [number for *_, number in sorted(keys)]


def _first(reasons: tuple[str, ...]) -> str:
    more = f" and {len(reasons) - 3} more" if len(reasons) > 3 else ""
    return ", ".join(reasons[:3]) + more
