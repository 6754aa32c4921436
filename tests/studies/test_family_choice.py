import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.family_selector import CellStatistics, FamilyRule
from judgekit.gate import GateSettings
from judgekit.sources.cells import load_cell
from judgekit.studies.aggregation import Configuration, split_cell
from judgekit.studies.family_choice import LearningHalf, learning_halves, study_selector
from judgekit.studies.sparse import FAMILY_METHODS

QUICK = Configuration(gate=GateSettings(epochs=1, hidden=4))


def statistics(name, gain, correlation=0.9, fixed=0.4):
    return CellStatistics(name, 0.1, fixed, 0.3, 0.2, gain, correlation)


def outcomes(best):
    return {family: 0.5 if family == best else 0.1 for family in FAMILY_METHODS}


def frame(best_by_cell):
    return pd.DataFrame(
        {"benchmark_cell": cell, "method": method, "spearman": outcomes(best)[family]}
        for cell, best in best_by_cell.items()
        for family, method in FAMILY_METHODS.items()
    )


# Sparse is right from a gain of 0.1 on, fixed below.
TRUTH = {"a": (0.3, "sparse"), "b": (0.12, "sparse"), "c": (0.0, "fixed"), "d": (0.09, "fixed")}
CELLS = [(name, statistics(name, gain)) for name, (gain, _) in TRUTH.items()]
HALVES = [LearningHalf(name, statistics(name, gain), outcomes(best)) for name, (gain, best) in TRUTH.items()]
TESTED = frame({name: best for name, (_, best) in TRUTH.items()})


def study(cells=CELLS, halves=HALVES, tested=TESTED):
    return study_selector(cells, halves, tested, rng=np.random.default_rng(0), draws=200)


def test_regret_by_hand():
    strategies = study().strategies.set_index("strategy")
    assert strategies.loc["best on test", "regret"] == 0
    assert strategies.loc["always full", ["spearman", "regret", "gain"]].tolist() == pytest.approx(
        [0.1, 0.4, 0]
    )
    assert strategies.loc["always sparse", "regret"] == pytest.approx(0.2)
    # 0.14 takes a for sparse and b, at 0.12, for fixed.
    assert strategies.loc["published thresholds", "regret"] == pytest.approx(0.1)
    assert strategies.loc["published thresholds", "families"] == "fixed 3, sparse 1"
    assert strategies.loc["best on validation", "families"] == "fixed 4"


def test_a_rule_is_learned_without_the_cell_it_is_used_on():
    cells = study().cells.set_index("benchmark_cell")
    # Without b nothing asks for a lower threshold than the published one, so b itself is missed.
    assert cells.loc["b", "gain_threshold"] == 0.14
    assert cells.loc["b", "learned"] == "fixed"
    assert cells.loc["a", "gain_threshold"] == 0.11
    assert cells.loc["a", "learned"] == "sparse"
    assert (cells["lessons"] == 3).all()


def test_folds_are_counted_by_the_rule_they_learned():
    agreement = study().agreement
    assert agreement["folds"].tolist() == [3, 1]
    assert agreement["gain_threshold"].tolist() == [0.11, 0.14]
    assert (agreement["of"] == 4).all()


def test_cells_of_one_data_set_are_left_out_together():
    halves = [HALVES[0], HALVES[1], *(LearningHalf("c", h.statistics, h.outcomes) for h in HALVES[2:])]
    cells = [CELLS[0], CELLS[1], ("c", CELLS[2][1]), ("c", CELLS[3][1])]
    found = study(cells, halves).cells.set_index("benchmark_cell")
    assert found["learned_without_dataset"].notna().all()
    alone = study(
        [("one", cell) for _, cell in CELLS], [LearningHalf("one", h.statistics, h.outcomes) for h in HALVES]
    )
    assert alone.cells["learned_without_dataset"].tolist() == alone.cells["published_rule"].tolist()


def test_lessons_of_cells_out_of_scope_are_not_used():
    extra = LearningHalf("z", statistics("z", 0.05), outcomes("sparse"))
    pd.testing.assert_frame_equal(study(halves=[*HALVES, extra]).cells, study().cells)


def test_one_cell_is_refused():
    with pytest.raises(InvalidInput, match="at least 2"):
        study(CELLS[:1])


def test_halves_share_no_group_and_stay_in_validation(monkeypatch):
    parts = split_cell(load_cell("simulated", "sim_topicalchat_1_5"), seed=0)
    seen = []

    def spy(cells, configuration, *, rng, seeds):
        seen.extend(cells)
        return []

    monkeypatch.setattr("judgekit.studies.family_choice.fit_families", spy)
    with pytest.raises(ValueError, match="zip"):
        learning_halves([parts], QUICK, rng=np.random.default_rng(0))
    first, second = (each.split.validation for each in seen)
    assert sorted([*first, *second]) == parts.split.validation.tolist()
    assert not set(parts.cell.groups[first]) & set(parts.cell.groups[second])
    assert all((each.split.test == parts.split.test).all() for each in seen)


def test_each_half_is_a_lesson():
    parts = split_cell(load_cell("simulated", "sim_topicalchat_1_5"), seed=0)
    halves = learning_halves([parts], QUICK, rng=np.random.default_rng(0))
    assert [half.dataset for half in halves] == ["sim_topicalchat"] * 2
    assert all(set(half.outcomes) == set(FAMILY_METHODS) for half in halves)
    assert halves[0].statistics != halves[1].statistics


def test_the_published_rule_has_the_printed_thresholds():
    assert (FamilyRule().gain_threshold, FamilyRule().correlation_threshold) == (0.14, 0.5)
