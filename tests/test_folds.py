from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit import folds as folds_module
from judgekit.audit import AuditSet, halve_again
from judgekit.calibration import fit_pattern_table
from judgekit.errors import InvalidInput
from judgekit.folds import STAY, Folds, folds_of, folds_within
from tests.obvious import panel_risk
from tests.strategies import cases, make_pool

SMOOTHING = st.sampled_from([1.0, 0.0, 0.37])


def fold_of(case, smoothing=1.0) -> Folds:
    return folds_of([case.audit], smoothing=smoothing)


def risk_of(half, panel, smoothing=1.0) -> float:
    return panel_risk(half.pool.codes, half.pool.target, half.fit, half.validation, panel, smoothing)


def halvings(case, repeats: int = 2) -> tuple[AuditSet, ...]:
    return halve_again(case.audit, repeats=repeats, rng=np.random.default_rng(case.seed))


def test_risk_of_one_judge_by_hand():
    # fit: base rate 1/2, a says 1 on both ones and one zero; smoothed cells 2.5/4 and 0.5/2
    codes = np.array([[1, 1, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]]).T
    pool = make_pool(codes, np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0]))
    fold = folds_of([AuditSet(pool, np.arange(4), np.array([4, 5]))], smoothing=1.0)
    assert fold.risks.tolist() == [0.25]
    assert fold.risks_with([0])[0, 0] == pytest.approx(((1 - 0.625) ** 2 + 0.25**2) / 2, abs=1e-15)


@given(cases(), SMOOTHING, st.data())
def test_risks_agree_with_refitting_and_predicting(case, smoothing, data):
    order = data.draw(st.permutations(range(len(case.noise))))
    fold, half = fold_of(case, smoothing), case.audit
    assert fold.risks[0] == pytest.approx(risk_of(half, [], smoothing), abs=1e-12)
    for place, judge in enumerate(order):
        expected = [risk_of(half, [*order[:place], candidate], smoothing) for candidate in order[place:]]
        np.testing.assert_allclose(fold.risks_with(order[place:])[:, 0], expected, atol=1e-12)
        fold.add(judge)
        assert fold.risks[0] == pytest.approx(risk_of(half, order[: place + 1], smoothing), abs=1e-12)
        table = fit_pattern_table(
            half.pool.codes[half.fit],
            half.pool.target[half.fit],
            judges=tuple(order[: place + 1]),
            levels=case.levels,
            smoothing=smoothing,
        )
        assert fold.patterns.tolist() == [table.patterns]


@given(cases(), st.data())
def test_many_folds_are_what_each_is_alone(case, data):
    halves = halvings(case)
    together, alone = folds_of(halves, smoothing=1.0), [folds_of([half], smoothing=1.0) for half in halves]
    everyone = range(len(case.noise))
    for _ in range(len(case.noise) - 1):
        joined = data.draw(st.lists(st.sampled_from([STAY, *everyone]), min_size=4, max_size=4))
        together.add(np.array(joined))
        for fold, judge in zip(alone, joined, strict=True):
            if judge != STAY:
                fold.add(judge)
        np.testing.assert_allclose(together.risks, [fold.risks[0] for fold in alone], atol=1e-12)
        expected = np.stack([fold.risks_with(everyone)[:, 0] for fold in alone], axis=1)
        np.testing.assert_allclose(together.risks_with(everyone), expected, atol=1e-12)
        assert together.patterns.tolist() == [fold.patterns[0] for fold in alone]
    kept = together.only(np.array([1, 3]))
    np.testing.assert_array_equal(kept.risks, together.risks[[1, 3]])
    np.testing.assert_allclose(
        kept.risks_with(everyone), together.risks_with(everyone)[:, [1, 3]], atol=1e-12
    )
    kept.add(0)
    np.testing.assert_allclose(kept.risks, together.risks_with([0])[0, [1, 3]], atol=1e-12)


@given(cases())
def test_folds_within_slices_are_those_of_the_slices_rows(case):
    halves = halvings(case, repeats=1)
    slices = halves[0].pool.slices
    chosen, parts = np.full((2, case.slices), -1), []
    for number in range(case.slices):
        for place, half in enumerate(halves):
            rows = [part[slices[part] == number] for part in (half.fit, half.validation)]
            if all(map(len, rows)):
                chosen[place, number] = len(parts)
                parts.append(rows)
    if not parts:
        return
    folds = folds_within(halves, chosen, smoothing=1.0)
    folds.add(1)
    codes, target = halves[0].pool.codes, halves[0].pool.target
    expected = [[panel_risk(codes, target, *rows, panel, 1.0) for rows in parts] for panel in ([1], [1, 0])]
    np.testing.assert_allclose([folds.risks, folds.risks_with([0])[0]], expected, atol=1e-12)


@given(cases(), st.integers(1, 40))
@settings(max_examples=25)
def test_counting_in_parts_changes_nothing(case, block):
    everyone = range(len(case.noise))
    whole, parts = fold_of(case), fold_of(case)
    before = folds_module._BLOCK, folds_module._TABLES
    for _ in range(2):
        expected = whole.risks_with(everyone)
        whole.add(0)
        try:
            folds_module._BLOCK, folds_module._TABLES = block, block
            np.testing.assert_allclose(parts.risks_with(everyone), expected, atol=1e-12)
            parts.add(0)
        finally:
            folds_module._BLOCK, folds_module._TABLES = before
        np.testing.assert_allclose(parts.risks, whole.risks, atol=1e-12)


@settings(max_examples=15)
@given(cases())
def test_folds_that_follow_tables_agree_with_refitting_shrunk_tables(case):
    halves, pool = halvings(case, repeats=1), case.audit.pool
    options = {"levels": pool.levels, "smoothing": 2.5}
    # the second fold follows a longer table than the first
    panels = [(1,), (1, 0)]
    tables = [
        fit_pattern_table(pool.codes, pool.target, judges=panel, levels=pool.levels) for panel in panels
    ]
    folds = folds_of(halves, smoothing=2.5)
    folds.follow(tables)
    for more in ((), (0,)):
        for place, (half, panel, table) in enumerate(zip(halves, panels, tables, strict=True)):
            judges = panel + tuple(judge for judge in more if judge not in panel)
            shrunk = fit_pattern_table(
                pool.codes[half.fit], pool.target[half.fit], judges=judges, prior=table, **options
            )
            answered = shrunk.predict(pool.codes[half.validation]).probability
            risk = np.mean((answered - pool.target[half.validation]) ** 2)
            assert folds.risks[place] == pytest.approx(risk, abs=1e-12)
        if not more:
            folds.add(np.array([0, STAY]))


@given(cases())
def test_a_copy_grows_on_its_own(case):
    fold = fold_of(case)
    fold.add(0)
    before = fold.risks.tolist(), fold.risks_with([1]).tolist()
    twin = fold.copy()
    twin.add(1)
    assert (fold.risks.tolist(), fold.risks_with([1]).tolist()) == before
    assert twin.risks[0] == pytest.approx(before[1][0][0], abs=1e-12)


@given(cases())
def test_a_copy_of_a_panel_member_is_worth_nothing(case):
    fold = fold_of(case)
    for judge in range(len(case.noise)):
        fold.add(judge)
        assert fold.risks_with([0])[0, 0] == pytest.approx(fold.risks[0], abs=1e-12)


@pytest.mark.parametrize("empty", ["fit", "validation"])
def test_empty_halves_are_refused(empty):
    pool = make_pool(np.array([[1, 0], [0, 1]]), np.array([1.0, 0.0]))
    half = AuditSet(pool, np.array([0]), np.array([1]))
    object.__setattr__(half, empty, np.empty(0, dtype=np.int64))
    with pytest.raises(InvalidInput, match=r"^audit set: allowed is fit and validation rows"):
        folds_of([half], smoothing=1.0)


def test_a_verdict_beyond_eight_bits_finds_its_cell():
    codes = np.tile([[0, 119], [119, 0]], (8, 1)).astype(np.int8)
    pool = replace(make_pool(codes, np.tile([0.0, 1.0], 8)), levels=120)
    fold = folds_of([AuditSet(pool, np.arange(8), np.arange(8, 16))], smoothing=0.0)
    assert fold.risks_with([0, 1]).ravel().tolist() == [0.0, 0.0]
