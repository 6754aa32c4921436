import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.splits import audit_subsample, mix_shift, split_by_group, split_three

grouped = st.lists(st.integers(0, 15), min_size=12, max_size=80).filter(lambda groups: len(set(groups)) >= 4)


def parts(split):
    return split.fit, split.validation, split.test


def assert_partition_by_group(split, groups, rows):
    """No row twice, no group on two sides."""
    assert sorted(np.concatenate(parts(split)).tolist()) == sorted(rows)
    sides = [set(groups[part].tolist()) for part in parts(split)]
    assert sum(map(len, sides)) == len(set.union(*sides))


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [
        (837, (209, 209, 419)),
        (298, (74, 75, 149)),
        (300, (75, 75, 150)),
        (802, (200, 201, 401)),
        (1600, (400, 400, 800)),
    ],
)
def test_row_level_sizes_are_those_of_table_14(rows, sizes):
    split = split_by_group(np.arange(rows), rng=np.random.default_rng(0))
    assert tuple(map(len, parts(split))) == sizes
    assert len(split.construction) == sizes[0] + sizes[1]


@given(grouped, st.integers(0, 99))
def test_groups_never_straddle_a_split(groups, seed):
    groups = np.array(groups)
    split = split_by_group(groups, rng=np.random.default_rng(seed))
    assert_partition_by_group(split, groups, range(len(groups)))
    count = len(set(groups.tolist()))
    assert len(set(groups[split.test].tolist())) == -(-count // 2)
    assert all(np.all(np.diff(part) > 0) for part in parts(split))


def test_names_of_groups_do_not_matter():
    groups = np.repeat(np.arange(30), 2)
    by_number = split_by_group(groups, rng=np.random.default_rng(5))
    by_name = split_by_group(np.array([f"g{group:02d}" for group in groups]), rng=np.random.default_rng(5))
    for first, second in zip(parts(by_number), parts(by_name), strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("groups", [[], [0] * 50, [0, 1, 2] * 20])
def test_too_few_groups_are_refused_however_many_rows(groups):
    with pytest.raises(InvalidInput, match=r"^group: allowed is at least 4 groups"):
        split_by_group(np.array(groups), rng=np.random.default_rng(0))


@given(grouped, st.floats(0.4, 1.0), st.integers(0, 99))
def test_audit_subsample_keeps_whole_groups_and_the_test_rows(groups, fraction, seed):
    groups = np.array(groups)
    split = split_by_group(groups, rng=np.random.default_rng(seed))
    available = len(set(groups[split.construction].tolist()))
    kept = round(fraction * available)
    if kept < 2:
        with pytest.raises(InvalidInput, match=r"^fraction: allowed is at least 2 groups left"):
            audit_subsample(split, groups, fraction=fraction, rng=np.random.default_rng(seed))
        return
    half = audit_subsample(split, groups, fraction=fraction, rng=np.random.default_rng(seed))
    np.testing.assert_array_equal(half.test, split.test)
    assert set(half.construction.tolist()) <= set(split.construction.tolist())
    sides = [set(groups[part].tolist()) for part in (half.fit, half.validation)]
    assert not sides[0] & sides[1]
    assert len(sides[0] | sides[1]) == kept
    assert len(sides[1]) == -(-kept // 2)
    for side, part in zip(sides, (half.fit, half.validation), strict=True):
        whole = [row for row in split.construction.tolist() if groups[row] in side]
        assert part.tolist() == whole


def test_the_whole_audit_is_the_split_itself():
    split = split_by_group(np.arange(40), rng=np.random.default_rng(0))
    assert audit_subsample(split, np.arange(40), fraction=1.0, rng=np.random.default_rng(9)) is split


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.5, float("nan")])
def test_fractions_that_are_none_are_refused(fraction):
    split = split_by_group(np.arange(40), rng=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match=r"^fraction: allowed is a number in"):
        audit_subsample(split, np.arange(40), fraction=fraction, rng=np.random.default_rng(0))


@given(st.integers(4, 20), st.integers(4, 20), st.floats(0, 1), st.integers(0, 99))
def test_mix_shift_swaps_the_mix_on_disjoint_groups(heavy, light, share, seed):
    groups = np.repeat(np.arange(heavy + light), 2)
    is_heavy = groups < heavy
    split = mix_shift(groups, is_heavy, share=share, rng=np.random.default_rng(seed))
    size = min(heavy, light)
    taken = round(share * size)
    assert len(split.construction) == len(split.test) == 2 * size
    assert is_heavy[split.construction].sum() == 2 * taken
    assert is_heavy[split.test].sum() == 2 * (size - taken)
    assert_partition_by_group(split, groups, np.concatenate([split.construction, split.test]))


@pytest.mark.parametrize(
    ("share", "heavy", "message"),
    [
        (-0.1, 10, "^share: allowed is a number in"),
        (float("nan"), 10, "^share: allowed is a number in"),
        (0.8, 3, "^slice mix: allowed is at least 4 groups on either side"),
        (0.8, 0, "^slice mix: allowed is at least 4 groups on either side"),
    ],
)
def test_mixes_that_cannot_be_drawn_are_refused(share, heavy, message):
    groups = np.arange(20)
    with pytest.raises(InvalidInput, match=message):
        mix_shift(groups, groups < heavy, share=share, rng=np.random.default_rng(0))


@given(grouped, st.integers(0, 99))
def test_three_parts_hold_whole_groups_and_none_is_empty(groups, seed):
    groups = np.array(groups)
    split = split_three(groups, rng=np.random.default_rng(seed))
    assert_partition_by_group(split, groups, range(len(groups)))
    assert all(len(part) for part in parts(split))


@pytest.mark.parametrize(
    ("shares", "sizes"), [((0.6, 0.2, 0.2), (60, 20, 20)), ((0.01, 0.495, 0.495), (1, 50, 49))]
)
def test_shares_are_met_in_whole_groups(shares, sizes):
    split = split_three(np.arange(100), shares, rng=np.random.default_rng(0))
    assert tuple(map(len, parts(split))) == sizes


def test_cells_of_one_data_set_get_the_same_groups_in_each_part():
    documents = np.repeat(np.arange(30), 4)
    some = documents[np.random.default_rng(1).permutation(120)[:100]]
    whole, part = (split_three(groups, rng=np.random.default_rng(7)) for groups in (documents, some))
    assert set(documents) == set(some)
    for one, other in zip(parts(whole), parts(part), strict=True):
        assert set(documents[one]) == set(some[other])


@pytest.mark.parametrize("shares", [(0.6, 0.4), (0.5, 0.2, 0.2), (1.0, 0.0, 0.0)])
def test_shares_that_are_not_three_parts_of_one_are_refused(shares):
    with pytest.raises(InvalidInput, match="three positive numbers"):
        split_three(np.arange(10), shares, rng=np.random.default_rng(0))


def test_two_groups_cannot_be_split_in_three():
    with pytest.raises(InvalidInput, match="at least 3 groups"):
        split_three(np.array([0, 0, 1]), rng=np.random.default_rng(0))


def test_a_row_without_a_group_is_refused():
    groups = np.array([1.0, 2.0, np.nan, 3.0, 4.0])
    with pytest.raises(InvalidInput, match="group: allowed is a group for every row; given 1 NaN"):
        split_by_group(groups, rng=np.random.default_rng(0))
