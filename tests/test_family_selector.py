import pytest

from judgekit.errors import InvalidInput
from judgekit.family_selector import (
    FAMILIES,
    CellStatistics,
    FamilyRule,
    learn_rule,
    leave_one_cell_out,
)

NAN = float("nan")


def cell(name="c", **statistics):
    plain = {"single": 0.3, "fixed": 0.35, "full": 0.4, "sparse": 0.38}
    plain |= {"leave_one_out_gain": 0.0, "residual_correlation": 0.4}
    return CellStatistics(name, **(plain | statistics))


@pytest.mark.parametrize(
    ("statistics", "family"),
    [
        ({}, "full"),
        ({"leave_one_out_gain": 0.14}, "sparse"),
        ({"leave_one_out_gain": 0.139}, "full"),
        ({"residual_correlation": 0.5, "fixed": 0.4}, "fixed"),
        ({"residual_correlation": 0.5, "fixed": 0.39}, "full"),
        ({"residual_correlation": 0.49, "fixed": 0.5}, "full"),
        ({"leave_one_out_gain": 0.2, "residual_correlation": 0.9, "fixed": 0.9}, "sparse"),
        ({"leave_one_out_gain": NAN, "residual_correlation": NAN}, "full"),
        ({"single": 0.9}, "full"),
    ],
)
def test_the_published_rule(statistics, family):
    assert FamilyRule().choose(cell(**statistics)) == family


def test_a_single_judge_must_lead_by_the_margin():
    rule = FamilyRule(single_margin=0.05)
    assert rule.choose(cell(single=0.46)) == "single"
    assert rule.choose(cell(single=0.44)) == "full"
    assert rule.choose(cell(single=0.46, sparse=NAN)) == "single"


def outcome(best, reward=0.5):
    return {family: reward if family == best else 0.2 for family in FAMILIES}


def test_cells_that_do_not_tell_thresholds_apart_keep_the_published_rule():
    rule, mean = learn_rule([cell()], [outcome("full")])
    assert rule == FamilyRule()
    assert mean == 0.5


def test_thresholds_follow_the_outcomes():
    cells = [cell("a", leave_one_out_gain=0.06), cell("b", leave_one_out_gain=0.03)]
    rule, mean = learn_rule(cells, [outcome("sparse"), outcome("full")])
    assert rule.gain_threshold == 0.05
    assert mean == 0.5
    cells = [cell("a", residual_correlation=0.65, fixed=0.5), cell("b", residual_correlation=0.75, fixed=0.5)]
    rule, _ = learn_rule(cells, [outcome("full"), outcome("fixed")])
    assert rule.correlation_threshold == 0.7


def test_each_cell_is_chosen_by_a_rule_that_never_saw_it():
    cells = [cell(str(number), leave_one_out_gain=0.06) for number in range(3)]
    outcomes = [outcome("sparse"), outcome("sparse"), outcome("full")]
    found = leave_one_cell_out(cells, outcomes)
    assert [choice.benchmark_cell for choice in found] == ["0", "1", "2"]
    assert found[2].family == "sparse"
    assert found[2].cells == 2
    for number in range(3):
        changed = [*outcomes]
        changed[number] = outcome("single", reward=9.0)
        assert leave_one_cell_out(cells, changed)[number] == found[number]


@pytest.mark.parametrize(
    ("cells", "outcomes", "message"),
    [
        ([], [], "at least one"),
        ([cell()], [], "one mapping for each of 1 cells"),
        ([cell()], [{"single": 0.1}], "none for fixed, full, sparse"),
        ([cell()], [outcome("full") | {"full": NAN}], "none for full"),
    ],
)
def test_outcomes_that_cannot_teach_are_refused(cells, outcomes, message):
    with pytest.raises(InvalidInput, match=message):
        learn_rule(cells, outcomes)


def test_one_cell_has_nothing_to_learn_from():
    with pytest.raises(InvalidInput, match="cells: allowed is at least 2; given 1"):
        leave_one_cell_out([cell()], [outcome("full")])
