"""Pool judgments too many for memory: Parquet in, Parquet out, a batch of rows at a time."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from judgekit.axes import Costs, Probs, Support
from judgekit.errors import InvalidInput
from judgekit.pooling import FLOOR, Pool, pool_linear, pool_log

BATCH_ROWS = 1 << 16


@dataclass(frozen=True)
class StreamSettings:
    """How a file is pooled.

    Attributes
    ----------
    pool : str
        "log" or "linear".
    pool_temperature, floor : float
        As in `judgekit.pooling`.
    batch_rows : int
        Rows in memory at a time.
    threads : int
        Of each batch.
    """

    pool: str = "log"
    pool_temperature: float = 1.0
    floor: float = FLOOR
    batch_rows: int = BATCH_ROWS
    threads: int = 2

    def __post_init__(self) -> None:
        if self.pool not in ("log", "linear"):
            raise InvalidInput("pool", "log or linear", self.pool)
        if self.batch_rows < 1:
            raise InvalidInput("batch_rows", "a whole number >= 1", self.batch_rows)


@dataclass(frozen=True)
class PooledFile:
    """What was written.

    Attributes
    ----------
    path : Path
        Parquet with columns `score` and `q_0 ... q_{buckets-1}`, rows in the order of the source.
    rows : int
    partial, empty : int
        Rows pooled from some of the judges only, and rows without any (NaN).
    settings : StreamSettings
    """

    path: Path
    rows: int
    partial: int
    empty: int
    settings: StreamSettings


def pool_parquet(
    source: str | Path,
    destination: str | Path,
    support: Support,
    *,
    weights: Costs | None = None,
    settings: StreamSettings | None = None,
) -> PooledFile:
    """Pool a file of probabilities to a file of distributions and expected scores, in constant memory.

    Parameters
    ----------
    source : path
        `probs.parquet` as `Judgments.save` writes it: columns `judge:bucket` by number, NaN where missing.
    destination : path
        Written beside itself and renamed at the end, so that a failure leaves no half file.
    support : array [buckets]
    weights : array [judges], optional
        Uniform if left out.
    settings : StreamSettings, optional

    Raises
    ------
    InvalidInput
        A file that is no such Parquet file or does not fit the support.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    settings = settings or StreamSettings()
    destination = Path(destination)
    schema = pa.schema([(name, pa.float32()) for name in ("score", *(f"q_{k}" for k in range(len(support))))])
    unfinished = destination.with_name(f".{destination.name}.{os.getpid()}.part")
    rows = partial = empty = 0
    try:
        with pq.ParquetWriter(unfinished, schema) as writer:
            for probs in probability_batches(source, len(support), batch_rows=settings.batch_rows):
                pool = _pool(probs, support, weights, settings)
                columns = [pool.score, *pool.probs.T]
                writer.write_batch(
                    pa.record_batch([pa.array(np.ascontiguousarray(c)) for c in columns], schema)
                )
                rows, partial, empty = rows + len(probs), partial + pool.partial, empty + pool.empty
        os.replace(unfinished, destination)
    finally:
        unfinished.unlink(missing_ok=True)
    return PooledFile(destination, rows, partial, empty, settings)


def probability_batches(source: str | Path, buckets: int, *, batch_rows: int = BATCH_ROWS) -> Iterator[Probs]:
    """Probabilities [rows, judges, buckets] of a file written by `Judgments.save`, a batch at a time.

    Raises InvalidInput on a file that is no Parquet file or whose columns are not judges times buckets.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = Path(source).name
    try:
        # Buffering ahead would read all row groups; whole column chunks would be read for large groups.
        file = pq.ParquetFile(source, pre_buffer=False, buffer_size=1 << 16)
    except (OSError, pa.ArrowException) as error:
        raise InvalidInput(name, "a Parquet file", error) from error
    with file:
        columns = [column for column in file.schema_arrow.names if ":" in column]
        judges = len(columns) // buckets
        expected = [f"{judge}:{bucket}" for judge in range(judges) for bucket in range(buckets)]
        if not expected or columns != expected:
            raise InvalidInput(name, f"columns judge:bucket, {buckets} buckets a judge", columns)
        for batch in file.iter_batches(batch_size=batch_rows, columns=columns):
            yield _matrix(batch).reshape(batch.num_rows, judges, buckets)


def _matrix(batch: Any) -> np.ndarray:
    found = np.empty((batch.num_rows, batch.num_columns), dtype=np.float32)
    for number, column in enumerate(batch.columns):
        found[:, number] = column.to_numpy(zero_copy_only=False)
    return found


def _pool(
    probs: np.ndarray, support: np.ndarray, weights: np.ndarray | None, settings: StreamSettings
) -> Pool:
    temperature, threads = settings.pool_temperature, settings.threads
    if settings.pool == "linear":
        return pool_linear(probs, support, weights=weights, pool_temperature=temperature, threads=threads)
    return pool_log(
        probs,
        support,
        weights=weights,
        pool_temperature=temperature,
        floor=settings.floor,
        threads=threads,
    )
