from itertools import combinations

import numpy as np
import pytest

from judgekit import selection
from judgekit.errors import InvalidInput
from judgekit.gate import GateRows, GateSettings
from judgekit.metrics import spearman
from judgekit.pooling import pool_linear, pool_log
from judgekit.scores import features
from judgekit.selection import SubsetSettings

SUPPORT = np.arange(1.0, 6.0)


def made_up(seed, items=120, noise=(0.5, 0.8, 1.5, 1.5), missing=0.0, inverted=()):
    """Distributions of judges that differ in noise; inverted judges score upside down."""
    rng = np.random.default_rng(seed)
    target = rng.uniform(1, 5, items)
    seen = target[:, None] + rng.normal(size=(items, len(noise))) * noise
    for judge in inverted:
        seen[:, judge] = 6 - seen[:, judge]
    logits = -((SUPPORT - seen[..., None]) ** 2)
    probs = np.exp(logits - logits.max(axis=2, keepdims=True))
    probs /= probs.sum(axis=2, keepdims=True)
    probs[rng.random((items, len(noise))) < missing] = np.nan
    return probs, target


def every_subset(judges):
    return [c for size in range(1, judges + 1) for c in combinations(range(judges), size)]


@pytest.mark.parametrize(("kind", "pool"), [("log", pool_log), ("linear", pool_linear)])
@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_all_subsets_at_once_equal_one_pool_at_a_time(kind, pool, temperature):
    probs, _ = made_up(0, missing=0.3)
    subsets = every_subset(4)
    members = np.array([[judge in subset for judge in range(4)] for subset in subsets])
    settings = SubsetSettings(pool=kind, pool_temperature=temperature)
    found = selection.subset_scores(probs, SUPPORT, members, settings=settings)
    for column, subset in enumerate(subsets):
        slow = pool(probs[:, list(subset)], SUPPORT, pool_temperature=temperature).score
        np.testing.assert_allclose(found[:, column], slow, atol=1e-11)


def test_blocks_change_nothing(monkeypatch):
    probs, _ = made_up(0, missing=0.1)
    members = np.random.default_rng(0).random((11, 4)) < 0.5
    whole = selection.subset_scores(probs, SUPPORT, members)
    monkeypatch.setattr(selection, "_BLOCK", 120 * 5 * 2)
    np.testing.assert_allclose(selection.subset_scores(probs, SUPPORT, members), whole, atol=1e-13)


def test_search_finds_the_best_of_all_subsets():
    probs, target = made_up(1, missing=0.05)
    rows = ~np.isnan(probs).any(axis=(1, 2))
    values = {
        subset: spearman(pool_log(probs[rows][:, list(subset)], SUPPORT).score, target[rows])
        for subset in every_subset(4)
    }
    found = selection.search_subsets(probs, target, SUPPORT)
    assert found.best == max(values, key=values.get)
    assert found.spearman == pytest.approx(max(values.values()))
    assert found.exhaustive
    assert (len(found.values), found.kept, found.dropped) == (15, rows.sum(), (~rows).sum())
    for size, value in found.best_by_size.items():
        assert value == pytest.approx(max(v for s, v in values.items() if len(s) == size))


def test_copies_tie_and_the_smaller_subset_wins():
    probs, target = made_up(2, noise=(0.5, 3.0))
    copied = probs[:, [0, 0, 1, 0]]
    found = selection.search_subsets(copied, target, SUPPORT)
    assert found.best == (0,)
    assert selection.search_subsets(copied[:, ::-1], target, SUPPORT).best == (0,)


def test_sizes_bound_the_search():
    probs, target = made_up(3)
    found = selection.search_subsets(probs, target, SUPPORT, settings=SubsetSettings(smallest=2, largest=2))
    assert len(found.best) == 2
    assert len(found.values) == 6
    with pytest.raises(InvalidInput, match="at most the pool's 4 judges; given 5"):
        selection.search_subsets(probs, target, SUPPORT, settings=SubsetSettings(smallest=5))


def test_greedy_search_adds_while_it_gains():
    probs, target = made_up(4, noise=(1.0, 1.0, 1.0, 6.0), inverted=(3,))
    settings = SubsetSettings(exhaustive_up_to=3)
    greedy = selection.search_subsets(probs, target, SUPPORT, settings=settings)
    full = selection.search_subsets(probs, target, SUPPORT)
    assert not greedy.exhaustive
    assert greedy.best == full.best == (0, 1, 2)
    assert len(greedy.values) == 4 + 3 + 2 + 1
    bounded = selection.search_subsets(
        probs, target, SUPPORT, settings=SubsetSettings(exhaustive_up_to=3, largest=2)
    )
    assert len(bounded.best) == 2


def test_leave_one_out_finds_the_contaminating_judge():
    probs, target = made_up(6, noise=(1.0, 1.0, 1.0, 0.3), inverted=(3,))
    found = selection.leave_one_out(probs, target, SUPPORT)
    assert found.worst == 3
    assert found.full == pytest.approx(spearman(pool_log(probs, SUPPORT).score, target))
    without = spearman(pool_log(probs[:, :3], SUPPORT).score, target)
    assert found.best_gain == pytest.approx(without - found.full)
    assert found.best_gain > 0.03


def test_too_little_to_choose_from_is_refused():
    probs, target = made_up(7, items=3)
    with pytest.raises(InvalidInput, match="at least 2 judges; given 1"):
        selection.leave_one_out(probs[:, :1], target, SUPPORT)
    with pytest.raises(InvalidInput, match="at least 2 rows with a target and every judge; given 0"):
        selection.search_subsets(probs, np.full(3, np.nan), SUPPORT)
    with pytest.raises(InvalidInput, match="constant scores only"):
        selection.search_subsets(np.full((5, 2, 5), 0.2), np.arange(5.0), SUPPORT)


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("pool", {"pool": "median"}),
        ("pool_temperature", {"pool_temperature": 0.0}),
        ("floor", {"floor": 0.0}),
        ("smallest", {"smallest": 0}),
        ("smallest", {"smallest": 3, "largest": 2}),
    ],
)
def test_settings_out_of_range_are_refused(field, options):
    with pytest.raises(InvalidInput, match=field):
        SubsetSettings(**options)


def test_sparse_repair_drops_the_contaminating_judge_and_recovers():
    noise, inverted = (1.0, 1.0, 0.3), (2,)
    sides = []
    for seed in (8, 9, 10):
        probs, target = made_up(seed, items=200, noise=noise, inverted=inverted)
        sides.append(GateRows(features(probs, SUPPORT).values, probs, target))
    train, validation, test = sides
    found = selection.sparse_repair(
        train,
        validation,
        SUPPORT,
        rng=np.random.default_rng(0),
        gate=GateSettings(epochs=4, hidden=8),
        seeds=2,
    )
    assert found.search.best == (0, 1)
    assert found.diagnosis.worst == 2
    scores = found.scores(test.probs, SUPPORT)
    assert scores.shape == (200, 2)
    full = spearman(pool_log(test.probs, SUPPORT).score, test.target)
    assert min(spearman(column, test.target) for column in scores.T) > full + 0.1
