"""What the planner is told: thresholds, prices, route rule and tables."""

from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np

from judgekit.errors import InvalidInput


@dataclass(frozen=True)
class PlanSettings:
    """What the planner is told; the defaults are the role paper's.

    Attributes
    ----------
    gain_threshold : float
        tau: smallest net validation gain worth a call on every row.
    slice_gain_threshold : float or None
        The same within a slice; None = `gain_threshold`.
    cost_weight : float
        lambda: a gain counts net of `cost_weight * cost`.
    smoothing : float
        Pseudo-counts per pattern.
    route_rule : {"paper", "strict", "none"}
        What a routed judge must improve on: the global table, or the same panel's table refitted on the
        slice; "none" looks for no routes.
    slice_tables : {"routed", "all"}
        Whether only routed slices get a table of their own, or every slice, at no extra call.
    slice_shrinkage : float
        Pseudo-counts of a slice table at the global table's prediction; 0 = the paper's separate tables.
    tie_errors : float
        With cross-fitted gains: judges within so many standard errors of the best tie, to pool order.
    """

    gain_threshold: float = 0.005
    slice_gain_threshold: float | None = None
    cost_weight: float = 0.0
    smoothing: float = 1.0
    route_rule: Literal["paper", "strict", "none"] = "paper"
    slice_tables: Literal["routed", "all"] = "routed"
    slice_shrinkage: float = 0.0
    tie_errors: float = 0.0

    def __post_init__(self) -> None:
        for name in (
            "gain_threshold",
            "slice_gain_threshold",
            "cost_weight",
            "smoothing",
            "slice_shrinkage",
            "tie_errors",
        ):
            value = getattr(self, name)
            if value is None and name == "slice_gain_threshold":
                continue
            if not (isinstance(value, Real) and 0 <= float(value) < np.inf):
                raise InvalidInput(name, "a finite number >= 0", value)
        for name, allowed in (
            ("route_rule", ("paper", "strict", "none")),
            ("slice_tables", ("routed", "all")),
        ):
            if getattr(self, name) not in allowed:
                raise InvalidInput(name, ", ".join(allowed), getattr(self, name))

    @property
    def route_threshold(self) -> float:
        """Threshold within a slice."""
        return self.gain_threshold if self.slice_gain_threshold is None else self.slice_gain_threshold
