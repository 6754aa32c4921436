"""Judges with known truth: difficulty, accuracy by slice, shared errors, copies, verifiers, lost outputs."""

from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd
from scipy.stats import norm

from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame, one_hot

COSTS = {"unit_cost": 1.0, "price": 1.0}
VERIFIER_COSTS = {"unit_cost": 0.1, "price": 0.05}


@dataclass(frozen=True)
class SimulatedJudge:
    """One judge of a scenario.

    Attributes
    ----------
    accuracy : float or dict of str to float
        Probability of a right verdict, in all slices or in each.
    family, kind : str
    unit_cost, price : float, optional
        Default: 1 and 1, for a verifier 0.1 and 0.05.
    copies : str or None
        Name of an earlier judge whose verdicts this one repeats.
    flip : float
        Share of a copy's verdicts turned round, at random; 0 = an exact copy, 0.5 = independent of it.
    unparsed : float
        Share of outputs lost, at random.
    """

    accuracy: float | dict[str, float] = 0.5
    family: str = "simulated"
    kind: str = "llm"
    unit_cost: float | None = None
    price: float | None = None
    copies: str | None = None
    flip: float = 0.0
    unparsed: float = 0.0

    def cost(self, column: str) -> float:
        """What a call costs: `unit_cost` or `price`."""
        given: float | None = getattr(self, column)
        return (VERIFIER_COSTS if self.kind == "verifier" else COSTS)[column] if given is None else given


@dataclass(frozen=True)
class Scenario:
    """Binary judgments with a Gaussian latent error.

    Judge j is right on row i when ``a_i + b_g(i),j + e_ij <= Phi^-1(accuracy)``, where the row's difficulty
    a, the group's b and the noise e are normal with variances `shared_error`, `group_error` and the rest:
    marginal accuracies are exact, errors of two judges correlate through a, and those of two rows of a group
    through b.

    Attributes
    ----------
    judges : dict of str to SimulatedJudge
    slices : dict of str to float
        Share of groups in each slice; shares sum to one.
    groups : int
    rows_per_group : int
        With two or more, labels alternate within a group, as the two orders of a pair do.
    base_rate : float
        Share of positive labels where a group has one row.
    shared_error, group_error : float
        Variance parts of the latent error, each >= 0, together at most 1.
    """

    judges: dict[str, SimulatedJudge]
    slices: dict[str, float] = field(default_factory=lambda: {"all": 1.0})
    groups: int = 400
    rows_per_group: int = 1
    base_rate: float = 0.5
    shared_error: float = 0.3
    group_error: float = 0.0

    def __post_init__(self) -> None:
        rates: dict[str, object] = {"base_rate": self.base_rate}
        for name, judge in self.judges.items():
            rates |= {f"judges.{name}.flip": judge.flip, f"judges.{name}.unparsed": judge.unparsed}
            rates |= {f"judges.{name}.accuracy.{key}": value for key, value in self.accuracies(judge).items()}
        for field_name, value in rates.items():
            if not (isinstance(value, Real) and 0 <= float(value) <= 1):
                raise InvalidInput(field_name, "a number in [0, 1]", value)
        for name, judge in self.judges.items():
            if judge.flip and judge.copies is None:
                raise InvalidInput(f"judges.{name}.flip", "0 for a judge that copies none", judge.flip)
        if min(self.shared_error, self.group_error) < 0 or self.shared_error + self.group_error > 1:
            raise InvalidInput(
                "shared_error, group_error", "parts >= 0 of 1", (self.shared_error, self.group_error)
            )
        if abs(sum(self.slices.values()) - 1) > 1e-6 or min(self.slices.values()) < 0:
            raise InvalidInput("slices", "shares that sum to 1", self.slices)
        if self.groups < 1 or self.rows_per_group < 1:
            raise InvalidInput("groups, rows_per_group", "at least 1", (self.groups, self.rows_per_group))

    def accuracies(self, judge: SimulatedJudge) -> dict[str, float]:
        """Accuracy of a judge in each slice."""
        if isinstance(judge.accuracy, dict):
            if judge.accuracy.keys() != self.slices.keys():
                raise InvalidInput(
                    "accuracy", f"a number for each slice of {list(self.slices)}", list(judge.accuracy)
                )
            return {name: judge.accuracy[name] for name in self.slices}
        return dict.fromkeys(self.slices, judge.accuracy)


def simulate(scenario: Scenario, *, rng: np.random.Generator) -> Judgments:
    """Draw one data set from a scenario.

    Raises
    ------
    InvalidInput
        A copy of a judge that does not stand before it.

    Examples
    --------
    >>> scenario = Scenario({"a": SimulatedJudge(0.9), "b": SimulatedJudge(copies="a")}, groups=50)
    >>> codes = simulate(scenario, rng=np.random.default_rng(0)).codes
    >>> bool((codes[:, 0] == codes[:, 1]).all())
    True
    """
    slice_names = list(scenario.slices)
    # shares are met by counts, not by chance, so that a slice is never empty by bad luck
    edges = np.round(np.cumsum(list(scenario.slices.values())) * scenario.groups).astype(int)
    edges[-1] = scenario.groups
    group_slice = rng.permutation(np.searchsorted(edges, np.arange(scenario.groups), side="right"))
    group = np.repeat(np.arange(scenario.groups), scenario.rows_per_group)
    order = np.tile(np.arange(scenario.rows_per_group), scenario.groups)
    if scenario.rows_per_group == 1:
        label = (rng.random(scenario.groups) < scenario.base_rate).astype(int)
    else:
        label = (rng.integers(0, 2, scenario.groups)[group] + order) % 2
    difficulty = np.sqrt(scenario.shared_error) * rng.standard_normal(len(group))
    own = np.sqrt(1 - scenario.shared_error - scenario.group_error)
    codes = np.empty((len(group), len(scenario.judges)), dtype=np.int8)
    names = list(scenario.judges)
    for column, judge in enumerate(scenario.judges.values()):
        together = np.sqrt(scenario.group_error) * rng.standard_normal(scenario.groups)[group]
        latent = difficulty + together + own * rng.standard_normal(len(group))
        bar = norm.ppf(list(scenario.accuracies(judge).values()))[group_slice[group]]
        codes[:, column] = np.where(latent <= bar, label, 1 - label)
        turned = rng.random(len(group)) < judge.flip
        if judge.copies is not None:
            if judge.copies not in names[:column]:
                raise InvalidInput(
                    f"judges.{names[column]}.copies", f"a judge among {names[:column]}", judge.copies
                )
            original = codes[:, names.index(judge.copies)]
            codes[:, column] = np.where(turned, 1 - original, original)
    for column, judge in enumerate(scenario.judges.values()):
        codes[rng.random(len(group)) < judge.unparsed, column] = -1
    items = pd.DataFrame(
        {
            "item": [f"{g:05d}/{o}" for g, o in zip(group, order, strict=True)],
            "group": [f"{g:05d}" for g in group],
            "slice": np.array(slice_names, dtype=object)[group_slice[group]],
        }
    )
    judges = scenario.judges.values()
    details: dict[str, list[object]] = {
        column: [getattr(judge, column) for judge in judges] for column in ("family", "kind")
    }
    details |= {column: [judge.cost(column) for judge in judges] for column in COSTS}
    return Judgments(
        probs=one_hot(codes, 2),
        support=np.array([0.0, 1.0]),
        target=label.astype(np.float64),
        items=items,
        judges=judge_frame(names, details),
    )
