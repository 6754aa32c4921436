"""One batch of one judge: which prompts are still to be asked, and what the backend's replies are worth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgekit.judges.answers import OK, RETRIABLE, verdict_of
from judgekit.judges.backend import Backend, Completion, Decoding, Prompt, Reading, Usage
from judgekit.judges.pool import Judge, Price
from judgekit.judges.protocol import Protocol
from judgekit.judges.store import Key, Output, Store

Item = Mapping[str, Any]


@dataclass(frozen=True)
class Task:
    """One prompt, and the numbers of the samples still to be had of it."""

    item_digest: str
    ordering: str
    samples: tuple[int, ...]
    prompt: Prompt


@dataclass(frozen=True)
class Pending:
    """Tasks of one judge and protocol, those with a common opening side by side, and outputs found stored."""

    tasks: tuple[Task, ...]
    stored: int

    @property
    def outputs(self) -> int:
        """Outputs to come."""
        return sum(len(task.samples) for task in self.tasks)


def wanted(protocol: Protocol, items: Sequence[Item]) -> dict[tuple[str, str], Item]:
    """Item of every (item digest, order) that a protocol asks about; equal texts are asked once."""
    return {(protocol.item_digest(item), order): item for item in items for order in protocol.orders}


def samples_of(protocol: Protocol) -> range:
    """Numbers of the answers wanted of each prompt."""
    return range(protocol.samples if protocol.read_out == "sampled" else 1)


def pending(
    store: Store,
    backend: Backend,
    judge: str,
    protocol: Protocol,
    *,
    items: Sequence[Item],
    retry: bool = False,
) -> Pending:
    """What a store lacks; with `retry`, timeouts and errors count as lacking."""
    stored = store.outcomes(judge, backend.revision, protocol.digest)
    tasks, found = [], 0
    for (digest, order), item in wanted(protocol, items).items():
        settled = {
            sample
            for sample in samples_of(protocol)
            if (outcome := stored.get((digest, order, sample))) is not None
            and not (retry and outcome in RETRIABLE)
        }
        found += len(settled)
        lacking = tuple(sample for sample in samples_of(protocol) if sample not in settled)
        if lacking:
            prompt = backend.prompt(protocol.messages(item, order), prefill=protocol.prefill)
            tasks.append(Task(digest, order, lacking, prompt))
    # Neighbours that open alike share their first tokens, which a backend then computes once.
    tasks.sort(key=lambda task: (task.samples, task.prompt.text, task.item_digest, task.ordering))
    return Pending(tuple(tasks), found)


def batches(tasks: Sequence[Task], size: int) -> Iterator[Sequence[Task]]:
    """Runs of at most `size` tasks that want the same samples."""
    start = 0
    for stop in range(1, len(tasks) + 1):
        full = stop - start == size
        if stop == len(tasks) or full or tasks[stop].samples != tasks[start].samples:
            yield tasks[start:stop]
            start = stop


def ask(
    backend: Backend, judge: Judge, protocol: Protocol, tasks: Sequence[Task]
) -> list[tuple[Key, Output]]:
    """Outputs of a batch of tasks that want the same samples."""
    prompts = [task.prompt for task in tasks]

    def key(task: Task, sample: int) -> Key:
        return Key(task.item_digest, judge.name, backend.revision, protocol.digest, task.ordering, sample)

    if protocol.read_out == "distribution":
        readings = backend.read(prompts, protocol)
        return [
            (key(task, 0), _of_reading(reading, protocol, judge.price))
            for task, reading in zip(tasks, readings, strict=True)
        ]
    samples = tasks[0].samples
    decoding = Decoding(len(samples), protocol.temperature, protocol.max_tokens, seed=samples[0])
    answers = backend.write(prompts, decoding)
    return [
        (key(task, sample), _of_completion(answer, protocol, judge.price))
        for task, found in zip(tasks, answers, strict=True)
        for sample, answer in zip(samples, found, strict=True)
    ]


def _of_reading(reading: Reading, protocol: Protocol, price: Price) -> Output:
    read = reading.finish == "stop"
    probs = tuple(float(value) for value in reading.probs) if read else ()
    return Output(
        outcome=OK if read else reading.finish,
        score=protocol.scores[int(np.argmax(reading.probs))] if read else None,
        probs=probs,
        mass=sum(probs) if read else None,
        unread=reading.unread if read else None,
        method=reading.method,
        answer="",
        note=reading.note,
        **_use(reading.usage, price),
    )


def _of_completion(answer: Completion, protocol: Protocol, price: Price) -> Output:
    verdict = verdict_of(answer, protocol)
    return Output(
        outcome=verdict.outcome,
        score=verdict.score,
        probs=(),
        mass=None,
        unread=None,
        method="text",
        answer=answer.text,
        note=answer.note,
        **_use(answer.usage, price),
    )


def _use(usage: Usage, price: Price) -> dict[str, Any]:
    cost = (usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion) / 1e6
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "calls": usage.calls,
        "seconds": usage.seconds,
        "cost": cost,
    }
