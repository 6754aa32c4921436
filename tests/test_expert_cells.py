"""Scalar values beside judges: they stand on their own items, and reference items leave where they must."""

import numpy as np
import pytest

from judgekit.errors import InvalidInput
from judgekit.expert_cells import ExpertCell, ScalarValues
from judgekit.sources.cells import load_cell


@pytest.fixture(scope="module")
def expert_cell():
    cell = load_cell("simulated", "sim_roscoe_1_5")
    items = cell.judgments.items["item"].to_numpy()
    values = np.column_stack([np.arange(len(items)), -np.arange(len(items))]).astype(float)
    scalars = ScalarValues(items, values, ("close", "free"), ("metric", "metric"), np.array([True, False]))
    return ExpertCell(cell, scalars, np.arange(len(items)) < 10)


def test_values_in_another_order_of_items_fail(expert_cell):
    scalars = expert_cell.scalars
    turned = ScalarValues(
        scalars.items[::-1], scalars.values[::-1], scalars.names, scalars.kinds, scalars.reference_based
    )
    with pytest.raises(InvalidInput, match="other items"):
        ExpertCell(expert_cell.cell, turned, expert_cell.is_reference)


def test_values_of_too_few_items_fail(expert_cell):
    scalars = expert_cell.scalars
    fewer = ScalarValues(
        scalars.items[1:], scalars.values[1:], scalars.names, scalars.kinds, scalars.reference_based
    )
    with pytest.raises(InvalidInput, match="other items"):
        ExpertCell(expert_cell.cell, fewer, expert_cell.is_reference)


def test_reference_items_leave_with_a_reference_based_expert_only(expert_cell):
    with_reference, without = expert_cell.among(["close"]), expert_cell.among(["free"])
    assert len(without.scalars.items) == 151
    assert len(with_reference.scalars.items) == len(with_reference.cell.judgments.items) == 141
    assert not with_reference.is_reference.any()
    assert with_reference.scalars.of("close")[0] == 10
    assert (with_reference.cell.judgments.items["item"] == with_reference.scalars.items).all()


def test_one_reference_based_expert_among_several_is_enough(expert_cell):
    assert len(expert_cell.among(["free", "close"]).scalars.items) == 141


def test_unknown_experts_are_named(expert_cell):
    with pytest.raises(InvalidInput, match="nobody"):
        expert_cell.among(["nobody"])
