"""A benchmark cell with scalar metrics beside its judges, item by item."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float64, Shaped

from judgekit.axes import Mask
from judgekit.benchmark import BenchmarkCell
from judgekit.errors import InvalidInput


@dataclass(frozen=True)
class ScalarValues:
    """Scalar metrics on named items.

    Attributes
    ----------
    items : array of str [items]
        Item of each row.
    values : float64 [items, experts]
        NaN where a metric has no value.
    names, kinds : tuple of str
        Name and kind ("metric" or "reward_model") of each expert.
    reference_based : bool [experts]
        Whether the expert compares with a reference answer.
    """

    items: Shaped[np.ndarray, " items"]
    values: Float64[np.ndarray, "items experts"]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    reference_based: Bool[np.ndarray, " experts"]

    def of(self, name: str) -> Float64[np.ndarray, " items"]:
        """Values of one expert."""
        return self.values[:, self.names.index(name)]

    def select(self, names: Sequence[str]) -> "ScalarValues":
        """These experts only, in this order."""
        if absent := [name for name in names if name not in self.names]:
            raise InvalidInput("experts", f"names among {', '.join(self.names)}", absent)
        columns = [self.names.index(name) for name in names]
        kinds = tuple(self.kinds[column] for column in columns)
        return ScalarValues(
            self.items, self.values[:, columns], tuple(names), kinds, self.reference_based[columns]
        )


@dataclass(frozen=True)
class ExpertCell:
    """A benchmark cell and the scalar experts that may join its pool.

    Attributes
    ----------
    cell : BenchmarkCell
    scalars : ScalarValues
        Of the cell's items, in the cell's order.
    is_reference : bool [items]
        Items that are themselves the reference: a metric that compares with it says nothing about them.

    Raises
    ------
    InvalidInput
        The values belong to other items, or stand in another order.
    """

    cell: BenchmarkCell
    scalars: ScalarValues
    is_reference: Mask

    def __post_init__(self) -> None:
        own = self.cell.judgments.items["item"].to_numpy()
        if len(own) != len(self.scalars.items) or (own != self.scalars.items).any():
            raise InvalidInput(
                f"{self.cell.name}.scalars", "a value for each item of the cell, in its order", "other items"
            )

    def among(self, names: Sequence[str]) -> "ExpertCell":
        """These experts only, without the reference items where one of them compares with the reference."""
        chosen = self.scalars.select(names)
        keep = ~self.is_reference if chosen.reference_based.any() else np.ones(len(chosen.items), dtype=bool)
        if keep.all():
            return replace(self, scalars=chosen)
        cell = replace(self.cell, judgments=self.cell.judgments.rows(keep), truth=None)
        scalars = replace(chosen, items=chosen.items[keep], values=chosen.values[keep])
        return ExpertCell(cell, scalars, self.is_reference[keep])
