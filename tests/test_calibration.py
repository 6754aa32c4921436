import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.calibration import fit_pattern_table
from judgekit.errors import InvalidInput
from tests.obvious import DictTable
from tests.strategies import cases

CODES = np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
TARGET = np.array([1.0, 0.0, 1.0, 0.0])


def test_two_judges_by_hand():
    # base rate 1/2; pattern (1,): 2 of 3; (0,): 0 of 1; (1, 0): 1 of 2; (1, 1): 1 of 1; (0, 1): 0 of 1
    table = fit_pattern_table(CODES, TARGET, judges=(0, 1), levels=2)
    assert table.base_rate == 0.5
    assert table.patterns == 3
    assert [count.tolist() for count in table.counts] == [[1, 3], [1, 2, 1]]
    found = table.predict(np.array([[1, 0], [1, 1], [0, 1], [0, 0]]))
    np.testing.assert_allclose(found.probability, [1.5 / 3, 1.5 / 2, 0.5 / 2, 0.5 / 2])
    # (0, 0) was never seen: (0,) answers
    assert found.depth.tolist() == [2, 2, 2, 1]


def test_a_missing_verdict_ends_the_pattern_before_it():
    table = fit_pattern_table(CODES, TARGET, judges=(0, 1), levels=2)
    found = table.predict(np.array([[1, -1], [-1, 1], [-1, -1]]))
    np.testing.assert_allclose(found.probability, [2.5 / 4, 0.5, 0.5])
    assert found.depth.tolist() == [1, 0, 0]


def test_a_verdict_above_the_levels_ends_the_pattern_before_it():
    found = fit_pattern_table(CODES, TARGET, judges=(0, 1), levels=2).predict(np.array([[1, 2], [2, 0]]))
    np.testing.assert_allclose(found.probability, [2.5 / 4, 0.5])
    assert found.depth.tolist() == [1, 0]


def test_without_smoothing_a_pattern_is_its_mean_label():
    table = fit_pattern_table(CODES, TARGET, judges=(0, 1), levels=2, smoothing=0.0)
    assert table.predict(CODES).probability.tolist() == [0.5, 0.5, 1.0, 0.0]


def test_order_of_the_panel_decides_what_a_fallback_keeps():
    unseen = np.array([[0, 0]])
    forward = fit_pattern_table(CODES, TARGET, judges=(0, 1), levels=2, smoothing=0.0)
    backward = fit_pattern_table(CODES, TARGET, judges=(1, 0), levels=2, smoothing=0.0)
    assert forward.predict(unseen).probability.tolist() == [0.0]
    assert backward.predict(unseen).probability.tolist() == [0.5]


def test_an_empty_panel_is_the_base_rate():
    table = fit_pattern_table(CODES, TARGET, judges=(), levels=2)
    assert table.predict(CODES).probability.tolist() == [0.5] * 4
    assert table.patterns == 1


@given(cases(), st.sampled_from([1.0, 0.0, 0.37]), st.data())
def test_agrees_with_a_dictionary_of_tuples(case, smoothing, data):
    codes, target = case.pool.codes, case.pool.target
    judges = data.draw(st.permutations(range(codes.shape[1])))
    judges = tuple(judges[: data.draw(st.integers(1, len(judges)))])
    fit = case.split.fit
    table = fit_pattern_table(
        codes[fit], target[fit], judges=judges, levels=case.pool.levels, smoothing=smoothing
    )
    obvious = DictTable(codes[fit], target[fit], judges, smoothing)
    holes = codes.copy()
    holes[np.random.default_rng(0).random(codes.shape) < 0.1] = -1
    found = table.predict(holes)
    answers = [obvious.answer(row) for row in holes]
    np.testing.assert_allclose(found.probability, [value for value, _ in answers], atol=1e-12)
    assert found.depth.tolist() == [depth for _, depth in answers]
    path = table.path(holes)
    for place in range(len(judges)):
        shorter = DictTable(codes[fit], target[fit], judges[: place + 1], smoothing)
        answers = [shorter.answer(row) for row in holes]
        np.testing.assert_allclose(path.probability[:, place], [value for value, _ in answers], atol=1e-12)
        assert path.depth[:, place].tolist() == [depth for _, depth in answers]
    np.testing.assert_array_equal(path.probability[:, -1], found.probability)


@given(cases(), st.integers(0, 4))
def test_an_exact_copy_in_the_panel_changes_no_digit(case, place):
    pool = case.pool
    judges = tuple(range(len(pool.judges)))
    place = min(place, len(judges))
    codes = np.concatenate([pool.codes, pool.codes[:, :1]], axis=1)
    longer = (*judges[: max(place, 1)], len(judges), *judges[max(place, 1) :])
    fit = case.split.fit
    one = fit_pattern_table(codes[fit], pool.target[fit], judges=judges, levels=pool.levels)
    two = fit_pattern_table(codes[fit], pool.target[fit], judges=longer, levels=pool.levels)
    np.testing.assert_array_equal(one.predict(codes).probability, two.predict(codes).probability)


def test_a_prior_is_where_a_pattern_is_shrunk_to():
    whole = fit_pattern_table(CODES, TARGET, judges=(0,), levels=2, smoothing=0.0)
    part = fit_pattern_table(CODES[2:], TARGET[2:], judges=(0, 1), levels=2, smoothing=2.0, prior=whole)
    assert part.base_rate == (1 + 2 * 0.5) / 4
    # rows 2 and 3 of the slice: (1, 1) labelled 1, (0, 1) labelled 0; the prior says 2/3 and 0
    found = part.predict(CODES)
    np.testing.assert_allclose(found.probability[2:], [(1 + 2 * 2 / 3) / 3, 0.0])
    # (1, 0) was never seen in the slice: (1,) answers, shrunk alike
    np.testing.assert_allclose(found.probability[:2], (1 + 2 * 2 / 3) / 3)


def test_a_heavy_prior_wins_and_a_light_one_gives_way():
    whole = fit_pattern_table(CODES, TARGET, judges=(0, 1), levels=2)
    rows = CODES[:3]
    heavy = fit_pattern_table(rows, TARGET[:3], judges=(0, 1), levels=2, smoothing=1e9, prior=whole)
    np.testing.assert_allclose(heavy.predict(rows).probability, whole.predict(rows).probability, atol=1e-8)
    light = fit_pattern_table(rows, TARGET[:3], judges=(0, 1), levels=2, smoothing=1e-9, prior=whole)
    np.testing.assert_allclose(light.predict(rows).probability, [0.5, 0.5, 1.0], atol=1e-8)


@pytest.mark.parametrize(
    ("codes", "options", "message"),
    [
        (CODES[:0], {}, "^audit set: allowed is at least one row for each table"),
        (np.array([[1, -1]]), {}, "^codes: allowed is complete rows"),
        (np.array([[1, 2]]), {}, "^codes: allowed is complete rows, verdicts below 2"),
        (CODES, {"smoothing": -1.0}, "^smoothing: allowed is a finite number >= 0; given -1.0"),
        (CODES, {"smoothing": np.nan}, "^smoothing: allowed is a finite number >= 0; given nan"),
    ],
)
def test_rows_that_make_no_table_are_refused(codes, options, message):
    with pytest.raises(InvalidInput, match=message):
        fit_pattern_table(codes, TARGET[: len(codes)], judges=(0, 1), levels=2, **options)
