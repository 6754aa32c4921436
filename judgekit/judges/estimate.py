"""What a pool will take before it starts: tokens, time, memory and price of every judge, from its file."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from judgekit.judges.pool import Device, Judge, Pool, Workload
from judgekit.judges.protocol import Protocol

CHARACTERS_PER_TOKEN = 4.0
RATIONALE_TOKENS = 150
_GIB = 2**30


@dataclass(frozen=True)
class Estimate:
    """Expected use of one judge; memory and seconds are NaN where the pool file does not say enough."""

    judge: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    memory_gib: float
    cost: float
    fits: bool


def workload_of(pool: Pool, items: pd.DataFrame) -> Workload:
    """Workload that items make: their number, and tokens of a rendered prompt at four characters a token."""
    lengths = []
    for protocol in pool.protocols:
        for record in items.head(50).to_dict("records"):
            item = {str(key): value for key, value in record.items()}
            text = "".join(message["content"] for message in protocol.messages(item, protocol.orders[0]))
            lengths.append(len(text) / CHARACTERS_PER_TOKEN)
    return Workload(len(items), math.ceil(sum(lengths) / max(len(lengths), 1)), pool.workload.shared_tokens)


def estimate(pool: Pool, workload: Workload | None = None) -> tuple[Estimate, ...]:
    """Estimate of every judge of a pool on its device, for its own workload where none is given.

    Time is `2 x active parameters x tokens` floating-point operations (JudgeMoE's compute note) at the rate
    the device reaches, shared prompt tokens counted once, plus loading; memory is weights, the attention
    cache of one batch, and a tenth for the rest.
    """
    load = workload or pool.workload
    return tuple(_of_judge(judge, pool.asked(judge), pool.device, load) for judge in pool.judges)


def as_frame(estimates: Sequence[Estimate]) -> pd.DataFrame:
    """One row a judge."""
    return pd.DataFrame([vars(entry) for entry in estimates])


def _of_judge(judge: Judge, protocols: tuple[Protocol, ...], device: Device, load: Workload) -> Estimate:
    calls = sum(load.items * len(p.orders) * (p.samples if p.read_out == "sampled" else 1) for p in protocols)
    made = 0
    for p in protocols:
        answer = (
            0 if p.read_out == "distribution" else min(p.max_tokens, RATIONALE_TOKENS if p.rationale else 4)
        )
        made += load.items * len(p.orders) * p.samples * answer
    sent = calls * load.prompt_tokens
    computed = calls * max(load.prompt_tokens - load.shared_tokens, 1) + load.shared_tokens * len(protocols)
    size, weights = judge.size, judge.size.parameters * 1e9 * judge.size.bytes_per_parameter / _GIB
    active = (size.active_parameters or size.parameters) * 1e9
    rate = device.teraflops * 1e12 * device.utilisation
    known = active > 0 and rate > 0 and device.load_gib_per_second > 0 and judge.backend != "http"
    seconds = (
        2 * active * (computed + made) / rate + weights / device.load_gib_per_second if known else math.nan
    )
    per_token = 2 * size.layers * size.key_value_heads * size.head_dim * size.bytes_per_parameter
    cache = per_token * load.prompt_tokens * judge.batch / _GIB
    memory = 1.1 * (weights + cache) if weights and judge.backend != "http" else math.nan
    cost = (sent * judge.price.prompt + made * judge.price.completion) / 1e6
    fits = not (memory > device.memory_gib > 0)
    return Estimate(judge.name, calls, sent, made, seconds, memory, cost, fits)


def describe(estimates: Sequence[Estimate]) -> list[str]:
    """The estimate in plain lines, one a judge and one in all."""
    lines = [_line(entry) for entry in estimates]
    tokens = sum(entry.prompt_tokens + entry.completion_tokens for entry in estimates)
    timed = [entry.seconds for entry in estimates if not math.isnan(entry.seconds)]
    cost = sum(entry.cost for entry in estimates)
    known = f", about {duration(sum(timed))} where the pool file says enough" if timed else ""
    priced = f", {cost:.2f} at the pool file's prices" if cost else ""
    return [*lines, f"in all: {counted(tokens, 'token')}{known}{priced}"]


def counted(count: int | float, one: str, many: str = "") -> str:
    """Number and noun: 1 call, 2 calls; `many` where an s does not make it."""
    return f"{count:,.0f} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Seconds in words: 45 s, 12 min, 3.4 h."""
    if math.isnan(seconds):
        return "unknown"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _line(entry: Estimate) -> str:
    parts: list[Any] = [f"{counted(entry.calls, 'call')}, {counted(entry.prompt_tokens, 'token')} sent"]
    if entry.completion_tokens:
        parts.append(f"up to {entry.completion_tokens:,} made")
    if not math.isnan(entry.seconds):
        parts.append(f"about {duration(entry.seconds)}")
    if not math.isnan(entry.memory_gib):
        parts.append(f"{entry.memory_gib:.1f} GiB{'' if entry.fits else ' (more than the device has)'}")
    if entry.cost:
        parts.append(f"price {entry.cost:.2f}")
    return f"{entry.judge}: {', '.join(parts)}"
