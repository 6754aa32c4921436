"""The data check: every number against a slow count in pandas."""

import numpy as np
import pandas as pd
import pytest

from judgekit.audit import role_pool
from judgekit.frames import from_long
from judgekit.signals import Signal
from judgekit.studies.panel_check import check_panel


def checked(frame, **options):
    slices = ["topic"] if "topic" in frame else []
    alignment = from_long(frame, slices=slices, unlabelled="count", **options)
    column = slices[0] if slices else None
    return check_panel(
        alignment, role_pool("x", alignment.judgments, slice_column=column, signal=Signal("metadata"))
    )


def long(scores: dict[str, list], label: list, **columns: list) -> pd.DataFrame:
    items = [f"i{number}" for number in range(len(label))]
    frames = [
        pd.DataFrame({"item": items, "judge": judge, "score": values, "label": label, **columns})
        for judge, values in scores.items()
    ]
    return pd.concat(frames, ignore_index=True)


def test_a_tiny_file_is_counted_by_hand():
    nothing = np.nan
    frame = long(
        {"a": [1, 1, 0, 0, 1], "b": [1, 0, 0, nothing, 1], "c": [1, 0, 0, 1, 1]},
        [1, 1, 0, 0, nothing],
        topic=["x", "x", "y", "y", "y"],
    )
    check = checked(frame)
    assert (check.items, check.kept, check.unlabelled, check.groups) == (5, 3, 1, 3)
    judges = check.judges.set_index("judge")
    assert judges["unparsed"].to_dict() == {"a": 0, "b": 1, "c": 0}
    assert judges["right"].to_dict() == pytest.approx({"a": 1.0, "b": 2 / 3, "c": 2 / 3})
    assert judges["share"].to_dict() == pytest.approx({"a": 2 / 3, "b": 2 / 3, "c": 2 / 3})
    assert check.pairs[["first", "second", "agreement", "copy"]].iloc[0].tolist() == ["b", "c", 1.0, True]
    assert check.copies["agreement"].tolist() == [1.0]
    assert check.labels["items"].tolist() == [1, 2]
    assert check.slices[["slice", "items"]].to_numpy().tolist() == [["x", 2], ["y", 1]]
    assert check.split_votes == 0


def test_even_votes_are_split():
    check = checked(long({"a": [1, 1, 0, 0], "b": [0, 1, 1, 0]}, [1, 1, 0, 0]))
    assert check.split_votes == 0.5


def test_equal_likeliest_buckets_are_ties():
    frame = long({"a": [0, 0], "b": [0, 0]}, [1, 0]).drop(columns="score")
    tied = [
        frame.assign(bucket=bucket, prob=np.where(frame["judge"] == "a", 0.5, [0.9, 0.1][bucket]))
        for bucket in (0, 1)
    ]
    check = checked(pd.concat(tied))
    assert check.judges.set_index("judge")["top_ties"].to_dict() == {"a": 1.0, "b": 0.0}


def test_labels_of_many_values_are_counted_at_the_nearest_score():
    label = [1 + 0.29 * number for number in range(13)]
    score = [round(value) for value in label]
    check = checked(long({"a": score, "b": score[::-1]}, label), support=[1.0, 2.0, 3.0, 4.0, 5.0])
    assert check.labels["label"].tolist() == [1, 2, 3, 4]
    assert check.labels["items"].sum() == 13
    assert check.judges["right"].iloc[0] == 1.0


def test_an_uneven_support_finds_the_nearest_score():
    check = checked(long({"a": [0, 1, 10], "b": [0, 1, 10]}, [0, 1.5, 9]), support=[0.0, 1.0, 10.0])
    assert check.judges["right"].tolist() == [1.0, 1.0]


def test_items_of_unknown_slice_are_shown():
    frame = long({"a": [1, 0, 1], "b": [1, 0, 0]}, [1, 0, 1], topic=["x", None, "x"])
    assert checked(frame).slices[["slice", "items"]].to_numpy().tolist() == [["x", 2], ["(unknown)", 1]]
