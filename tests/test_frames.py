import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.frames import from_long, read_table


def long(**columns) -> pd.DataFrame:
    """Two items by two judges with binary scores; columns replace or join."""
    frame = pd.DataFrame(
        {
            "item": ["x", "x", "y", "y"],
            "judge": ["a", "b", "a", "b"],
            "score": [1.0, 0.0, 0.0, 0.0],
            "label": [1.0, 1.0, 0.0, 0.0],
        }
    )
    return frame.assign(**columns)


def spread(vector, **columns) -> pd.DataFrame:
    """One item, one judge, one row a bucket of 1, 2, 3."""
    frame = pd.DataFrame({"item": "x", "judge": "a", "label": 2.0, "bucket": [1.0, 2.0, 3.0], "prob": vector})
    return frame.assign(**columns)


def test_rows_meet_columns_by_hand():
    alignment = from_long(long(group=["g", "g", "h", "h"], task=["t", "t", "u", "u"]), slices=["task"])
    judgments = alignment.judgments
    assert judgments.codes.tolist() == [[1, 0], [0, 0]]
    assert judgments.support.tolist() == [0.0, 1.0]
    assert judgments.target.tolist() == [1.0, 0.0]
    assert judgments.items.to_dict("list") == {"item": ["x", "y"], "group": ["g", "h"], "task": ["t", "u"]}
    assert judgments.names == ["a", "b"]
    assert set(judgments.judges["read_out"]) == {"hard"}
    assert alignment.counts.to_dict("list") == {
        "judge": ["a", "b"],
        "given": [2, 2],
        "unparsed": [0, 0],
        "off_support": [0, 0],
        "absent": [0, 0],
        "used": [2, 2],
    }


def test_an_item_is_its_own_group_unless_told():
    assert from_long(long()).judgments.items["group"].tolist() == ["x", "y"]


def test_what_is_lost_is_counted_by_reason():
    frame = long(score=[1.0, np.nan, 7.0, 0.0])[:3]
    alignment = from_long(frame, support=[0.0, 1.0])
    assert alignment.judgments.codes.tolist() == [[1, -1], [-1, -1]]
    counts = alignment.counts.set_index("judge")
    assert counts.loc["a"].to_dict() == {"given": 2, "unparsed": 0, "off_support": 1, "absent": 0, "used": 1}
    assert counts.loc["b"].to_dict() == {"given": 1, "unparsed": 1, "off_support": 0, "absent": 1, "used": 0}


def test_infinite_scores_are_off_the_support():
    assert from_long(long(score=[np.inf, 0.0, 1.0, 0.0])).counts["off_support"].tolist() == [1, 0]


def test_text_verdicts_go_through_the_mapping_and_the_rest_is_unparsed():
    alignment = from_long(long(score=["yes", "no", "perhaps", None]), mapping={"yes": 1.0, "no": 0.0})
    assert alignment.judgments.codes.tolist() == [[1, 0], [-1, -1]]
    assert alignment.counts["unparsed"].tolist() == [1, 1]


def test_protocols_part_a_judge_into_two():
    frame = long(judge="a", protocol=["v", "w", "v", "w"])
    judgments = from_long(frame).judgments
    assert judgments.names == ["a / v", "a / w"]
    assert judgments.judges["protocol"].tolist() == ["v", "w"]
    assert from_long(long(protocol="v")).judgments.names == ["a", "b"]


def test_distributions_by_hand():
    alignment = from_long(spread([0.2, 0.5, 0.3]))
    np.testing.assert_allclose(alignment.judgments.probs[0, 0], [0.2, 0.5, 0.3], rtol=1e-6)
    assert alignment.judgments.support.tolist() == [1.0, 2.0, 3.0]
    assert alignment.judgments.judges["read_out"].tolist() == ["distribution"]
    assert alignment.counts[["given", "used"]].to_numpy().tolist() == [[1, 1]]


def test_a_distribution_of_nan_is_unparsed():
    frame = pd.concat([spread([0.2, 0.5, 0.3]), spread([np.nan] * 3, item="y")])
    alignment = from_long(frame)
    assert alignment.judgments.missing.tolist() == [[False], [True]]
    assert alignment.counts[["given", "unparsed", "used"]].to_numpy().tolist() == [[2, 1, 1]]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (long().drop(columns="label"), "^columns: allowed is item, judge, label, score; given no label"),
        (long().drop(columns="score"), "^columns: allowed is item, judge, label, score; given no score"),
        (long()[:0], "^judgments: allowed is at least one row"),
        (long(item=["x", None, "y", "y"]), "^item: allowed is a name in every row; given 1 empty"),
        (long(judge=["a", None, "a", "b"]), "^judge: allowed is a name in every row; given 1 empty"),
        (
            pd.concat([long(), long()[:1]]),
            "^item, judge: allowed is one row for each pair; given 'x', 'a' twice",
        ),
        (
            long(label=[1.0, 0.0, 0.0, 0.0]),
            "^label: allowed is one value for each item; given 1.0 and 0.0 for 'x'",
        ),
        (long(label=[1.0, np.nan, 0.0, 0.0]), "^label: allowed is one value for each item"),
        (
            long(group=["g", "h", "g", "g"]),
            "^group: allowed is one value for each item; given 'g' and 'h' for 'x'",
        ),
        (
            long(task=["t", "t", "t", "u"]),
            "^task: allowed is one value for each item; given 't' and 'u' for 'y'",
        ),
        (long(unit_cost=[1.0, 1.0, 2.0, 1.0]), "^unit_cost: allowed is one value for each name; .* for 'a'"),
        (
            long(label=[np.nan, np.nan, 0.0, 0.0]),
            "^label: allowed is a number for every item; given 1 empty, .* 'x'",
        ),
        (long(label=["good", "good", "bad", "bad"]), r"^label: allowed is numbers; given \['bad', 'good'\]"),
        (long(label=[5.0, 5.0, 0.0, 0.0]), r"^label: allowed is values in 0\.\.1; given 5.0"),
        (
            long(score=["yes", "no", "no", "yes"]),
            "^score: allowed is numbers, or text verdicts with a mapping",
        ),
        (
            long(score=0.3),
            "^support: allowed is 2 to 20 distinct scores, or an explicit support; given 1 distinct",
        ),
        (long(unit_cost=-1.0), "^unit_cost: allowed is finite numbers >= 0"),
        (long(price=np.nan), "^price: allowed is finite numbers >= 0"),
        (long(price="cheap"), "^price: allowed is finite numbers >= 0"),
        (spread([-0.1, 0.6, 0.5]), "^prob: allowed is numbers between 0 and 1; .* item 'x', judge 'a'"),
        (spread([1.1, 0.0, 0.0]), "^prob: allowed is numbers between 0 and 1"),
        (spread([0.3, 0.3, 0.3]), "^prob: allowed is vectors that sum to 1"),
        (spread([0.5, 0.5, np.nan]), "^prob: allowed is a whole vector or none"),
        (spread(["much", 0.5, 0.5]), r"^prob: allowed is numbers; given \['much'\]"),
        (
            spread([0.2, 0.5, 0.3], bucket=[1.0, 2.0, None]),
            r"^bucket: allowed is values of the support \[1.0, 2.0\]",
        ),
        (spread([0.2, 0.5, 0.3], bucket="good"), "^bucket: allowed is the scores that buckets stand for"),
        (spread([0.2, 0.5, 0.3], bucket=[1.0, 2.0, 2.0]), "^item, judge: allowed is one row for each pair"),
        (spread([0.2, 0.5, 0.3])[:2], "^prob: allowed is vectors that sum to 1"),
    ],
)
def test_bad_rows_are_refused_by_name_in_one_line(frame, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        from_long(frame, slices=["task"] if "task" in frame else ())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("support", [[], [1.0], [1.0, 0.0], [0.0, float("nan")]])
def test_supports_that_are_none_are_refused(support):
    for frame in (long(), spread([0.2, 0.5, 0.3])):
        with pytest.raises(
            InvalidInput, match=r"^support: allowed is at least two scores in increasing order"
        ):
            from_long(frame, support=support)


def test_a_bucket_off_the_support_is_refused():
    with pytest.raises(
        InvalidInput, match=r"^bucket: allowed is values of the support \[1.0, 2.0\]; given 3.0"
    ):
        from_long(spread([0.2, 0.5, 0.3]), support=[1.0, 2.0])


def test_a_mapping_does_not_go_with_distributions():
    with pytest.raises(InvalidInput, match=r"^mapping: allowed is only with a score column"):
        from_long(spread([0.2, 0.5, 0.3]), mapping={"yes": 1.0})


def test_items_without_a_label_can_be_kept_and_counted():
    alignment = from_long(long(label=[np.nan, np.nan, 0.0, 0.0]), unlabelled="count")
    assert alignment.unlabelled == 1
    assert np.isnan(alignment.judgments.target).tolist() == [True, False]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=1, unique=True), st.randoms())
def test_alignment_agrees_with_a_pivot(cells, random):
    frame = pd.DataFrame(cells, columns=["item", "judge"])
    frame = frame.assign(
        item="i" + frame["item"].astype(str),
        judge="j" + frame["judge"].astype(str),
        score=[random.choice([1.0, 2.0, 3.0, np.nan]) for _ in cells],
        label=frame["item"] % 3 + 1.0,
    )
    judgments = from_long(frame, support=[1.0, 2.0, 3.0]).judgments
    wide = frame.pivot(index="item", columns="judge", values="score")
    wide = wide.reindex(index=judgments.items["item"], columns=judgments.names)
    scores = np.where(judgments.missing, np.nan, judgments.support[judgments.codes])
    np.testing.assert_array_equal(scores, wide.to_numpy())
    labels = frame.groupby("item")["label"].first().reindex(judgments.items["item"])
    np.testing.assert_array_equal(judgments.target, labels)


@given(st.permutations(range(12)))
def test_order_of_rows_changes_order_alone(order):
    frame = pd.DataFrame({"item": np.repeat(list("xyz"), 4), "judge": list("abcd") * 3})
    frame = frame.assign(score=np.arange(12.0) % 3, label=np.repeat([0.0, 1.0, 2.0], 4))
    straight = from_long(frame).judgments
    mixed = from_long(frame.iloc[list(order)]).judgments.select(straight.names)
    back = mixed.rows(np.argsort(mixed.items["item"].to_numpy()))
    np.testing.assert_array_equal(back.codes, straight.codes)
    np.testing.assert_array_equal(back.target, straight.target)


def test_a_million_items_align_within_a_gigabyte():
    items, judges = 1_000_000, 6
    rng = np.random.default_rng(0)
    label = np.repeat(rng.integers(0, 2, items), judges)
    frame = pd.DataFrame(
        {
            "item": np.repeat(np.arange(items), judges),
            "judge": pd.Categorical.from_codes(np.tile(np.arange(judges), items), list("abcdef")),
            "score": rng.integers(0, 2, items * judges),
            "label": label,
        }
    )
    tracemalloc.start()
    alignment = from_long(frame)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert alignment.counts["used"].tolist() == [items] * judges
    np.testing.assert_array_equal(alignment.judgments.codes.ravel(), frame["score"])
    assert peak < 1e9


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_are_read_as_written(tmp_path, suffix):
    path = tmp_path / f"judged{suffix}"
    frame = long(item=["01", "01", "2", "2"])
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    pd.testing.assert_frame_equal(read_table(path), frame, check_dtype=False)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("judged.xlsx", b"x", r"^judged.xlsx: allowed is a .csv or .parquet file; given .xlsx"),
        ("judged", b"x", r"^judged: allowed is a .csv or .parquet file; given no suffix"),
        ("judged.csv", None, "^judged.csv: allowed is a file that exists"),
        ("judged.parquet", None, "^judged.parquet: allowed is a file that exists"),
        ("judged.csv", b"", "^judged.csv: allowed is a table with a header and rows; given an empty file"),
        ("judged.parquet", b"", "^judged.parquet: allowed is a readable .parquet table"),
        ("judged.csv", b"item,judge\n", "^judged.csv: allowed is a table with rows; given a header alone"),
        ("judged.csv", b"a,b\n1\n1,2,3\n", "^judged.csv: allowed is a readable .csv table"),
        ("judged.csv", b"\xff\xfe\x00", "^judged.csv: allowed is a readable .csv table"),
    ],
)
def test_files_that_are_no_tables_are_named(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        read_table(tmp_path / name)


def test_a_truncated_parquet_file_is_named(tmp_path):
    path = tmp_path / "judged.parquet"
    long().to_parquet(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InvalidInput, match=r"^judged.parquet: allowed is a readable .parquet table"):
        read_table(path)


def csv_of(folder, text):
    path = folder / "panel.csv"
    path.write_text(text)
    return path


def test_names_and_slices_in_a_file_are_text_as_they_stand(tmp_path):
    path = csv_of(
        tmp_path,
        "item,group,judge,topic,score,label\nNA,007,None,01,1,1\nNA,007,b,01,0,1\n2,7,None,,1,0\n2,7,b,,0,0\n",
    )
    judgments = from_long(read_table(path), slices=["topic"]).judgments
    assert judgments.names == ["None", "b"]
    assert judgments.items["item"].tolist() == ["NA", "2"]
    assert judgments.items["group"].tolist() == ["007", "7"]
    assert judgments.items["topic"].iloc[0] == "01"
    assert pd.isna(judgments.items["topic"].iloc[1])


def test_a_word_for_no_number_is_missing_unless_it_is_a_verdict(tmp_path):
    text = "item,judge,score,label,active_parameters\nx,a,1,1,2\nx,b,NA,1,NA\ny,a,0,None,2\ny,b,1,None,NA\n"
    frame = read_table(csv_of(tmp_path, text))
    alignment = from_long(frame, unlabelled="count")
    assert alignment.unlabelled == 1
    assert alignment.counts.set_index("judge")["unparsed"].to_dict() == {"a": 0, "b": 1}
    assert pd.isna(frame["active_parameters"].iloc[1])
    words = read_table(csv_of(tmp_path, "item,judge,score,label\nx,a,None,1\ny,a,yes,0\n"))
    mapped = from_long(words, mapping={"yes": 1.0, "None": 0.0})
    assert mapped.judgments.codes.ravel().tolist() == [0, 1]
    assert mapped.counts["unparsed"].tolist() == [0]


@pytest.mark.parametrize("field", ["score", "label", "prob"])
def test_other_words_where_a_number_is_wanted_are_refused(field):
    frame = spread([0.2, 0.3, 0.5]) if field == "prob" else long()
    with pytest.raises(InvalidInput, match=rf"{field}: allowed is numbers.*given \['maybe'\]"):
        from_long(frame.assign(**{field: "maybe"}))
