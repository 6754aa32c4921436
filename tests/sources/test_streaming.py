import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame
from judgekit.pooling import pool_linear, pool_log
from judgekit.sources import streaming
from judgekit.sources.streaming import StreamSettings

SUPPORT = np.arange(1.0, 6.0)


def made_up(items, seed=0):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.ones(5), size=(items, 3)).astype(np.float32)
    probs[rng.random((items, 3)) < 0.3] = np.nan
    return probs


def saved(probs, folder):
    items = pd.DataFrame({"item": [f"i{n}" for n in range(len(probs))], "group": "g"})
    judgments = Judgments(probs, SUPPORT, np.full(len(probs), 3.0), items, judge_frame(["a", "b", "c"]))
    return judgments.save(folder) / "probs.parquet"


@pytest.mark.parametrize(("kind", "pool"), [("log", pool_log), ("linear", pool_linear)])
def test_a_streamed_file_equals_the_pool_in_memory(tmp_path, kind, pool):
    probs = made_up(1000)
    weights = np.array([0.5, 0.3, 0.2])
    settings = StreamSettings(pool=kind, pool_temperature=0.7, batch_rows=64)
    found = streaming.pool_parquet(
        saved(probs, tmp_path), tmp_path / "pooled.parquet", SUPPORT, weights=weights, settings=settings
    )
    whole = pool(probs, SUPPORT, weights=weights, pool_temperature=0.7)
    frame = pd.read_parquet(found.path)
    assert frame.columns.tolist() == ["score", "q_0", "q_1", "q_2", "q_3", "q_4"]
    np.testing.assert_allclose(frame["score"], whole.score, atol=1e-6)
    np.testing.assert_allclose(frame.iloc[:, 1:], whole.probs, atol=1e-6)
    assert (found.rows, found.partial, found.empty) == (1000, whole.partial, whole.empty)


def test_batches_arrive_in_order_and_whole(tmp_path):
    probs = made_up(100)
    batches = list(streaming.probability_batches(saved(probs, tmp_path), 5, batch_rows=30))
    assert [len(batch) for batch in batches] == [30, 30, 30, 10]
    np.testing.assert_array_equal(np.concatenate(batches), probs)


def test_memory_does_not_grow_with_the_file(tmp_path):
    columns = [f"{judge}:{bucket}" for judge in range(3) for bucket in range(5)]
    flat = np.random.default_rng(0).random((100_000, 15), dtype=np.float32)
    block = pa.table({name: flat[:, number] for number, name in enumerate(columns)})
    peaks = []
    for blocks in (1, 4):
        source = tmp_path / f"{blocks}.parquet"
        # One row group, as pandas writes up to a million rows.
        pq.write_table(pa.concat_tables([block] * blocks), source, use_dictionary=False)
        before = pa.total_allocated_bytes()
        batches = streaming.probability_batches(source, 5, batch_rows=10_000)
        peaks.append(max(pa.total_allocated_bytes() - before for _ in batches))
    assert (tmp_path / "4.parquet").stat().st_size > 20e6
    assert peaks[1] < 1.2 * peaks[0] < 8e6


def test_a_file_of_another_shape_is_refused_and_nothing_is_written(tmp_path):
    source = saved(made_up(10), tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InvalidInput, match=r"probs\.parquet: allowed is columns judge:bucket, 4 buckets"):
        streaming.pool_parquet(source, tmp_path / "pooled.parquet", SUPPORT[:4])
    source.write_bytes(source.read_bytes()[:200])
    with pytest.raises(InvalidInput, match="a Parquet file"):
        streaming.pool_parquet(source, tmp_path / "pooled.parquet", SUPPORT)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("field", "value"), [("pool", "median"), ("batch_rows", 0)])
def test_settings_out_of_range_are_refused(field, value):
    with pytest.raises(InvalidInput, match=field):
        StreamSettings(**{field: value})
