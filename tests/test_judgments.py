import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame, load_judgments, one_hot


def made(codes=((0, 1), (1, 1), (2, -1)), **changes) -> Judgments:
    """Three items, two judges, scores 1 to 3."""
    codes = np.array(codes)
    names = [f"j{judge}" for judge in range(codes.shape[1])]
    whole = {
        "probs": one_hot(codes, 3),
        "support": np.array([1.0, 2.0, 3.0]),
        "target": np.arange(len(codes)) % 3 + 1.0,
        "items": pd.DataFrame({"item": [f"i{row}" for row in range(len(codes))], "group": "g"}),
        "judges": judge_frame(names),
    }
    return Judgments(**(whole | changes))


def judges(**columns) -> pd.DataFrame:
    return judge_frame(["j0", "j1"], columns)


def probs(vector) -> np.ndarray:
    found = made().probs.copy()
    found[1, 0] = vector
    return found


items = made().items


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"probs": probs([-0.2, 0.6, 0.6])},
            "^prob: allowed is numbers between 0 and 1; given a value outside",
        ),
        ({"probs": probs([1.2, -0.1, -0.1])}, "^prob: allowed is numbers between 0 and 1"),
        ({"probs": probs([np.inf, 0, 0])}, "^prob: allowed is numbers between 0 and 1"),
        (
            {"probs": probs([0.5, 0.4, 0.0])},
            "^prob: allowed is vectors that sum to 1; .* item 'i1', judge 'j0'",
        ),
        ({"probs": probs([np.nan, 0.5, 0.5])}, "^prob: allowed is a whole vector or none; .* item 'i1'"),
        ({"items": items.assign(item="twin")}, "^item: allowed is unique names; given 'twin' twice"),
        ({"items": items.assign(item=["a", None, "c"])}, "^item: allowed is a name in every row"),
        ({"items": items.drop(columns="item")}, "^item: allowed is a name in every row"),
        ({"items": items.assign(group=["a", None, "c"])}, "^group: allowed is a value for every item"),
        ({"items": items.drop(columns="group")}, "^group: allowed is a value for every item"),
        ({"items": items[:2]}, "^items: allowed is 3 rows"),
        ({"judges": judge_frame(["j", "j"])}, "^name: allowed is unique names; given 'j' twice"),
        ({"judges": judge_frame(["j"])}, "^judges: allowed is 2 rows"),
        (
            {"judges": judges(unit_cost=[-1.0, 1.0])},
            "^unit_cost: allowed is finite numbers >= 0; given .-1.0",
        ),
        ({"judges": judges(price=[1.0, np.nan])}, "^price: allowed is finite numbers >= 0"),
        (
            {"judges": judges(price=["cheap", "dear"])},
            "^price: allowed is finite numbers >= 0; given .'cheap'",
        ),
        ({"support": np.array([1.0, 3.0, 2.0])}, "^support: allowed is finite scores in increasing order"),
        ({"support": np.array([1.0, 2.0, np.nan])}, "^support: allowed is finite scores in increasing order"),
        ({"target": np.array([1.0, 2.0, 9.0])}, r"^label: allowed is values in 1\.\.3; given 9.0"),
        ({"target": np.array([1.0, 2.0, np.inf])}, r"^label: allowed is values in 1\.\.3; given inf"),
    ],
)
def test_bad_input_is_refused_by_name_in_one_line(changes, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        made(**changes)
    assert "\n" not in str(caught.value)


def test_no_items_or_no_judges_are_refused():
    empty = np.empty((0, 2), dtype=int)
    with pytest.raises(
        InvalidInput, match=r"^judgments: allowed is at least one item and one judge; given 0 items"
    ):
        made(empty, items=items[:0], target=np.empty(0))


def test_codes_scores_and_gaps_by_hand():
    judgments = made(probs=probs([0.4, 0.4, 0.2]))
    assert judgments.codes.tolist() == [[0, 1], [0, 1], [2, -1]]
    assert judgments.codes.dtype == np.int8
    assert judgments.missing.tolist() == [[False, False], [False, False], [False, True]]
    assert judgments.scaled_target.tolist() == [0.0, 0.5, 1.0]
    assert judgments.names == ["j0", "j1"]


def test_many_buckets_need_wider_codes():
    wide = Judgments(
        one_hot(np.array([[99], [-1]]), 100),
        np.arange(100.0),
        np.array([0.0, 99.0]),
        items[:2],
        judge_frame(["j"]),
    )
    assert wide.codes.dtype == np.int16
    assert wide.codes.tolist() == [[99], [-1]]


def test_costs_come_from_the_asked_column():
    judgments = made(judges=judges(unit_cost=[1.0, 0.1], price=[5.0, 0.05]))
    assert judgments.costs().tolist() == [1.0, 0.1]
    assert judgments.costs("price").tolist() == [5.0, 0.05]
    with pytest.raises(InvalidInput, match=r"^costs: allowed is unit_cost or price; given family"):
        judgments.costs("family")


def test_select_keeps_the_asked_order_and_refuses_strangers():
    swapped = made().select(["j1", "j0"])
    assert swapped.names == ["j1", "j0"]
    assert swapped.codes.tolist() == [[1, 0], [1, 1], [-1, 2]]
    with pytest.raises(InvalidInput, match=r"^judges: allowed is names among \['j0', 'j1'\]; given \['j7'\]"):
        made().select(["j0", "j7"])


def test_rows_by_mask_and_by_number_agree():
    by_mask = made().rows(np.array([True, False, True]))
    by_number = made().rows(np.array([0, 2]))
    pd.testing.assert_frame_equal(by_mask.items, by_number.items)
    np.testing.assert_array_equal(by_mask.codes, by_number.codes)
    assert by_mask.items.index.tolist() == [0, 1]


def test_complete_case_counts_all_that_it_drops():
    codes = np.array([[0, 1], [1, -1], [-1, -1], [2, 2], [0, 0]])
    complete = made(codes, target=np.array([1.0, 2.0, 3.0, np.nan, 1.0])).complete_case()
    assert complete.judgments.items["item"].tolist() == ["i0", "i4"]
    assert complete.missing.to_dict() == {"j0": 1, "j1": 2}
    assert (complete.rows, complete.dropped, complete.unlabelled) == (5, 3, 1)


def test_a_judge_that_never_parses_is_named():
    with pytest.raises(
        InvalidInput, match=r"^judges: allowed is judges that parse at least once; given \['j1'\]: 0 of 2"
    ):
        made([[0, -1], [1, -1]]).complete_case()


def test_nothing_complete_is_refused():
    with pytest.raises(
        InvalidInput, match=r"^judgments: allowed is at least one item with a label and every output"
    ):
        made([[0, -1], [-1, 1]]).complete_case()


@given(arrays(np.int64, (5, 2), elements=st.integers(-1, 2)))
def test_one_hot_and_codes_undo_each_other(codes):
    np.testing.assert_array_equal(made(codes).codes, codes)


@given(st.data())
def test_saved_judgments_come_back_equal(tmp_path_factory, data):
    shape = (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4)), 3)
    raw = data.draw(arrays(np.float32, shape, elements=st.floats(0, 1, width=32))) + np.float32(0.01)
    vectors = raw / raw.sum(axis=2, keepdims=True)
    vectors[data.draw(arrays(bool, shape[:2]))] = np.nan
    frame = pd.DataFrame({"item": [str(row) for row in range(shape[0])], "group": "g", "target": "a slice"})
    judgments = Judgments(
        vectors,
        np.array([0.1, 1 / 3, 2.0]),
        np.where(np.arange(shape[0]) % 3 == 1, np.nan, 1.0),
        frame,
        judge_frame([f"j{judge}" for judge in range(shape[1])], {"unit_cost": [0.1] * shape[1]}),
    )
    folder = judgments.save(tmp_path_factory.mktemp("judgments"))
    read = load_judgments(folder)
    np.testing.assert_array_equal(read.probs, judgments.probs)
    assert read.probs.dtype == np.float32
    np.testing.assert_array_equal(read.support, judgments.support)
    np.testing.assert_array_equal(read.target, judgments.target)
    pd.testing.assert_frame_equal(read.items, judgments.items)
    pd.testing.assert_frame_equal(read.judges, judgments.judges)


@pytest.mark.parametrize("name", ["probs", "items", "judges"])
def test_a_truncated_file_is_named(tmp_path, name):
    path = made().save(tmp_path / "run") / f"{name}.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InvalidInput, match=rf"^run/{name}.parquet: allowed is the file Judgments.save wrote"):
        load_judgments(tmp_path / "run")


def test_files_of_two_saves_do_not_mix(tmp_path):
    first = made()
    first.save(tmp_path / "run")
    other = replace(first, items=first.items.assign(item=["x", "y", "z"])).save(tmp_path / "other")
    (tmp_path / "run" / "items.parquet").write_bytes((other / "items.parquet").read_bytes())
    with pytest.raises(InvalidInput, match=r"^run/items.parquet"):
        load_judgments(tmp_path / "run")


@pytest.mark.parametrize("content", [None, "", "[]", json.dumps({"probs": "0"})])
def test_a_folder_without_its_checksums_is_refused(tmp_path, content):
    folder = made().save(tmp_path / "run")
    if content is None:
        (folder / "sha256.json").unlink()
    else:
        (folder / "sha256.json").write_text(content)
    with pytest.raises(InvalidInput, match=r"^run"):
        load_judgments(folder)


def test_a_folder_that_is_absent_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"^nowhere: allowed is a folder written by Judgments.save"):
        load_judgments(tmp_path / "nowhere")


def test_a_failed_save_leaves_no_half_file(tmp_path, monkeypatch):
    folder = made().save(tmp_path / "run")

    def full(self, path):
        path.write_bytes(b"PAR1 half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", full)
    with pytest.raises(OSError, match="No space left"):
        made([[1, 1], [1, 1], [1, 1]]).save(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "items.parquet",
        "judges.parquet",
        "probs.parquet",
        "sha256.json",
    ]
    np.testing.assert_array_equal(load_judgments(folder).codes, made().codes)
