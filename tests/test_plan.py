import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.audit import RolePool
from judgekit.errors import InvalidInput
from judgekit.plan import CallPlan, PlanSettings, plan_calls, refit
from judgekit.signals import Signal
from judgekit.sources.settings import load_role_pool
from tests.obvious import DictTable, greedy
from tests.strategies import audited, cases, good_judges, halves, make_pool

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = {
    "gain_threshold": st.sampled_from([0.0, 0.0031, 0.0207]),
    "slice_gain_threshold": st.sampled_from([None, 0.0, 0.0113]),
    "cost_weight": st.sampled_from([0.0, 0.0017]),
    "smoothing": st.sampled_from([1.0, 0.0, 0.37]),
    "route_rule": st.sampled_from(["paper", "strict", "none"]),
    "slice_tables": st.sampled_from(["routed", "all"]),
}
options = st.fixed_dictionaries(SETTINGS)
shrunk = st.fixed_dictionaries(SETTINGS | {"slice_shrinkage": st.sampled_from([0.0, 4.0])})


def sliced_pool(rows: int = 400, seed: int = 0) -> RolePool:
    """Judge a is fair everywhere; b knows slice s1 and guesses on s0; c guesses."""
    rng = np.random.default_rng(seed)
    target, slices = rng.integers(0, 2, rows), rng.integers(0, 2, rows)
    right = np.column_stack(
        [rng.random(rows) < 0.75, rng.random(rows) < np.where(slices == 1, 0.97, 0.5), rng.random(rows) < 0.5]
    )
    return make_pool(np.where(right, target[:, None], 1 - target[:, None]), target, slices=slices)


def insert_copy(pool: RolePool, original: int, place: int) -> RolePool:
    """The pool with an exact copy of a judge at a later place."""
    return replace(
        pool,
        codes=np.insert(pool.codes, place, pool.codes[:, original], axis=1),
        judges=(*pool.judges[:place], "copy", *pool.judges[place:]),
        families=(*pool.families[:place], "copy", *pool.families[place:]),
        costs=np.insert(pool.costs, place, pool.costs[original]),
    )


def scored(pool: RolePool, split, plan: CallPlan):
    """Outcome on the test rows."""
    return plan.apply(pool.codes[split.test], pool.slices[split.test])


@given(cases(max_judges=4), options)
def test_panel_and_routes_agree_with_the_obvious_search(case, chosen):
    settings = PlanSettings(**chosen)
    plan = plan_calls(case.audit, settings)
    panel, routes = greedy(case.audit, settings)
    assert list(plan.panel) == panel
    assert {name: list(added) for name, added in plan.routes.items()} == routes


@given(cases(), options)
def test_answers_agree_with_dictionaries_of_tuples(case, chosen):
    pool, split, settings = case.pool, case.split, PlanSettings(**chosen)
    plan = plan_calls(case.audit, settings)
    rows = split.construction
    tables = {-1: DictTable(pool.codes[rows], pool.target[rows], plan.panel, settings.smoothing)}
    for number, name in enumerate(pool.slice_names):
        inside = rows[pool.slices[rows] == number]
        if name in plan.slice_tables:
            judges = plan.panel + plan.routes.get(name, ())
            tables[number] = DictTable(pool.codes[inside], pool.target[inside], judges, settings.smoothing)
    outcome = scored(pool, split, plan)
    for place, row in enumerate(split.test):
        table = tables.get(pool.slices[row], tables[-1])
        value, depth = table.answer(pool.codes[row])
        assert outcome.probability[place] == pytest.approx(value, abs=1e-12)
        assert outcome.fallback[place] == (depth < len(table.judges))
        assert set(np.flatnonzero(outcome.called[place])) == set(table.judges)


@given(cases(), shrunk, st.data())
def test_an_exact_copy_changes_no_digit_of_risk_and_no_call(case, chosen, data):
    settings = PlanSettings(**chosen)
    plan = plan_calls(case.audit, settings)
    original = data.draw(st.sampled_from([*plan.panel, *range(len(case.noise))]))
    place = data.draw(st.integers(original + 1, len(case.noise)))
    without = scored(case.pool, case.split, plan)
    pool = insert_copy(case.pool, original, place)
    with_copy = scored(pool, case.split, plan_calls(pool.audit(case.split), settings))
    np.testing.assert_array_equal(with_copy.probability, without.probability)
    np.testing.assert_array_equal(np.delete(with_copy.called, place, axis=1), without.called)
    assert not with_copy.called[:, place].any()


@pytest.mark.parametrize("slice_tables", ["routed", "all"])
@pytest.mark.parametrize("route_rule", ["paper", "strict"])
def test_exact_copies_change_no_digit_on_simulated_judges(route_rule, slice_tables):
    pool = load_role_pool("simulated", "sim_llmbar7")
    copied = pool.with_copies(np.array([0, 0, 3, 6]))
    settings = PlanSettings(route_rule=route_rule, slice_tables=slice_tables)
    for seed in range(10):
        split = halves(pool, seed)
        without = scored(pool, split, plan_calls(pool.audit(split), settings))
        with_copies = scored(copied, split, plan_calls(copied.audit(split), settings))
        np.testing.assert_array_equal(with_copies.probability, without.probability)
        np.testing.assert_array_equal(with_copies.called[:, : len(pool.judges)], without.called)
        assert not with_copies.called[:, len(pool.judges) :].any()


@given(cases(), st.floats(0, 0.1), st.floats(0, 0.1))
def test_a_larger_threshold_gives_a_prefix_of_the_panel(case, one, other):
    small, large = sorted([one, other])
    longer = plan_calls(case.audit, PlanSettings(gain_threshold=small)).panel
    shorter = plan_calls(case.audit, PlanSettings(gain_threshold=large)).panel
    assert longer[: len(shorter)] == shorter


@given(cases(), shrunk, st.integers(0, 99))
def test_labels_of_test_rows_change_nothing(case, chosen, seed):
    settings = PlanSettings(**chosen)
    test = case.split.test
    target = case.pool.target.copy()
    target[test] = np.random.default_rng(seed).permutation(target[test])
    plan = plan_calls(case.audit, settings)
    other = plan_calls(replace(case.pool, target=target).audit(case.split), settings)
    assert other.calls() == plan.calls()
    np.testing.assert_array_equal(
        scored(case.pool, case.split, other).probability, scored(case.pool, case.split, plan).probability
    )


def test_a_specialist_is_called_on_its_slice_alone():
    pool = sliced_pool()
    plan = plan_calls(audited(pool), PlanSettings(gain_threshold=0.5, slice_gain_threshold=0.03))
    first = "ab".index(pool.judges[plan.panel[0]])
    assert plan.panel == (first,)
    assert plan.routes == {f"s{1 - first}": (1 - first,)}
    outcome = scored(pool, halves(pool), plan)
    inside = pool.slices[halves(pool).test] == 1 - first
    np.testing.assert_array_equal(outcome.called[:, 1 - first], inside)
    assert outcome.called[:, first].all()
    assert not outcome.called[:, 2].any()


def test_free_slice_tables_call_nobody_else():
    pool = sliced_pool()
    plan = plan_calls(audited(pool), PlanSettings(route_rule="none", slice_tables="all"))
    assert plan.routes == {}
    assert set(plan.slice_tables) == {"s0", "s1"}
    outcome = scored(pool, halves(pool), plan)
    assert outcome.called.sum(axis=1).tolist() == [len(plan.panel)] * len(outcome.probability)


def test_a_missing_verdict_is_answered_by_the_shorter_pattern_and_marked():
    pool = good_judges(300, [0.8, 0.75, 0.7])
    plan = plan_calls(audited(pool), PlanSettings(gain_threshold=0.0))
    assert len(plan.panel) >= 2
    codes = pool.codes[:4].copy()
    codes[0, plan.panel[-1]] = -1
    codes[1, plan.panel[0]] = -1
    outcome = plan.apply(codes, pool.slices[:4])
    shorter = plan.table.path(pool.codes[:4]).probability[0, -2]
    assert outcome.probability[0] == shorter
    assert outcome.probability[1] == pytest.approx(pool.target[audited(pool).pool.groups].mean(), abs=1e-12)
    assert outcome.fallback.tolist()[:2] == [True, True]


def test_only_called_columns_are_read():
    pool = sliced_pool()
    plan = plan_calls(audited(pool), PlanSettings(gain_threshold=0.02))
    called = {*plan.panel, *(judge for added in plan.routes.values() for judge in added)}
    spoiled = pool.codes.copy()
    spoiled[:, [judge for judge in range(3) if judge not in called]] = -1
    assert len(called) < 3
    np.testing.assert_array_equal(
        plan.apply(spoiled, pool.slices).probability, plan.apply(pool.codes, pool.slices).probability
    )


def test_a_slice_without_audit_rows_gets_the_global_plan_and_a_note():
    pool = sliced_pool()
    split = halves(pool)
    slices = pool.slices.copy()
    slices[split.test[:20]] = 2
    rare = replace(pool, slices=slices, slice_names=("s0", "s1", "rare"))
    plan = plan_calls(rare.audit(split), PlanSettings(slice_tables="all"))
    assert plan.notes == ("slice rare: 0 fit and 0 validation rows; the global plan answers",)
    assert "rare" not in plan.slice_tables
    outcome = plan.apply(rare.codes[split.test[:20]], rare.slices[split.test[:20]])
    np.testing.assert_array_equal(
        outcome.probability, plan.table.predict(rare.codes[split.test[:20]]).probability
    )


def test_a_slice_never_seen_gets_the_global_plan():
    pool = sliced_pool()
    plan = plan_calls(audited(pool), PlanSettings(slice_tables="all"))
    for unseen in (-1, 7):
        outcome = plan.apply(pool.codes, np.full(len(pool.target), unseen))
        np.testing.assert_array_equal(outcome.probability, plan.table.predict(pool.codes).probability)
        assert outcome.called.sum() == len(pool.target) * len(plan.panel)


def with_signal(text_kind: str, judges: tuple[str, ...], **changes) -> RolePool:
    """Slices known by the verdict of c, a judge that guesses but tells where b can be trusted."""
    pool = sliced_pool()
    codes = pool.codes.copy()
    codes[:, 2] = pool.slices
    return replace(pool, codes=codes, signal=Signal(text_kind, judges), **changes)


@pytest.mark.parametrize("kind", ["judge", "verifier"])
def test_a_judge_that_tells_the_slice_is_called_everywhere_once_slices_matter(kind):
    pool = with_signal(kind, ("c",))
    plan = plan_calls(audited(pool), PlanSettings(gain_threshold=0.5, slice_gain_threshold=0.02))
    assert plan.routes
    assert plan.signal_judges == (2,)
    assert ("all", "c") in plan.calls()
    assert scored(pool, halves(pool), plan).called[:, 2].all()
    unused = plan_calls(audited(pool), PlanSettings(gain_threshold=0.5, route_rule="none"))
    assert unused.signal_judges == ()
    assert scored(pool, halves(pool), unused).called.sum(axis=1).max() == 1


def test_disagreement_calls_both_judges_first():
    pool = sliced_pool()
    disagree = (pool.codes[:, 1] != pool.codes[:, 2]).astype(np.int64)
    pool = replace(
        pool, slices=disagree, slice_names=("agree", "disagree"), signal=Signal("disagreement", ("b", "c"))
    )
    plan = plan_calls(audited(pool), PlanSettings(gain_threshold=0.5, slice_tables="all"))
    assert plan.signal_judges == (1, 2)
    assert scored(pool, halves(pool), plan).called[:, [1, 2]].all()


def test_a_label_never_routes():
    pool = replace(sliced_pool(), signal=Signal("label"), signal_cost=0.3)
    plan = plan_calls(audited(pool), PlanSettings(slice_gain_threshold=0.0, slice_tables="all"))
    assert plan.routes == {}
    assert plan.slice_tables == {}
    assert scored(pool, halves(pool), plan).extra_cost == 0.0


def test_an_outside_signal_is_charged_only_where_slices_are_used():
    pool = replace(sliced_pool(), signal_cost=0.3)
    routed = plan_calls(audited(pool), PlanSettings(gain_threshold=0.5, slice_gain_threshold=0.01))
    assert scored(pool, halves(pool), routed).extra_cost == 0.3
    recalibrated = plan_calls(audited(pool), PlanSettings(route_rule="none", slice_tables="all"))
    assert scored(pool, halves(pool), recalibrated).extra_cost == 0.3
    stopped = plan_calls(audited(pool), PlanSettings(route_rule="none"))
    assert scored(pool, halves(pool), stopped).extra_cost == 0.0


def test_a_signal_from_outside_the_pool_is_refused():
    pool = replace(sliced_pool(), signal=Signal("judge", ("oracle",)))
    with pytest.raises(
        InvalidInput, match=r"^signal: allowed is judges among \['a', 'b', 'c'\]; given \['oracle'\]"
    ):
        plan_calls(audited(pool))


@pytest.mark.parametrize(
    "field", ["gain_threshold", "slice_gain_threshold", "cost_weight", "smoothing", "slice_shrinkage"]
)
@pytest.mark.parametrize("value", [-0.001, float("nan"), float("inf")])
def test_thresholds_that_are_none_are_refused(field, value):
    with pytest.raises(InvalidInput, match=rf"^{field}: allowed is a finite number >= 0; given {value}"):
        PlanSettings(**{field: value})


@pytest.mark.parametrize(
    ("field", "value"), [("route_rule", "loose"), ("slice_tables", "some"), ("gain_threshold", "0.005")]
)
def test_settings_of_another_type_are_refused_where_no_axes_are_checked(field, value):
    program = f"from judgekit.plan import PlanSettings; PlanSettings({field}={value!r})"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    last = ran.stderr.splitlines()[-1]
    assert last.startswith(f"judgekit.errors.InvalidInput: {field}: allowed is ")
    assert last.endswith(f"; given {value}")


def test_the_slice_threshold_follows_the_global_one_unless_told():
    assert PlanSettings(gain_threshold=0.02).route_threshold == 0.02
    assert PlanSettings(gain_threshold=0.02, slice_gain_threshold=0.0).route_threshold == 0.0


def test_refitting_on_the_same_rows_changes_nothing():
    pool = sliced_pool()
    audit = audited(pool)
    plan = plan_calls(audit)
    again = refit(plan, audit.pool, np.arange(len(audit.pool.target)))
    np.testing.assert_array_equal(
        again.apply(pool.codes, pool.slices).probability, plan.apply(pool.codes, pool.slices).probability
    )


@given(cases(), st.sampled_from([0.5, 8.0]), st.sampled_from(["paper", "strict"]))
def test_endless_shrinkage_answers_as_the_global_table_does(case, light, rule):
    settings = PlanSettings(route_rule=rule, slice_tables="all", slice_gain_threshold=0.02)
    heavy = plan_calls(case.audit, replace(settings, slice_shrinkage=1e9))
    assert heavy.routes == {}
    outcome = scored(case.pool, case.split, heavy)
    plain = heavy.table.predict(case.pool.codes[case.split.test]).probability
    np.testing.assert_allclose(outcome.probability, plain, atol=1e-6)
    probability = scored(
        case.pool, case.split, plan_calls(case.audit, replace(settings, slice_shrinkage=light))
    )
    assert np.all((probability.probability >= 0) & (probability.probability <= 1))
