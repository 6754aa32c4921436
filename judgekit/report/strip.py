"""A comparison as a picture: lines of marks on one axis, outlined where printed, filled where rebuilt."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from judgekit.report.compare import Comparison
from judgekit.report.format import shown

POLICIES = (
    ("single_best_risk", "single best", "circle"),
    ("flat_all_risk", "all judges", "square"),
    ("role_routed_risk", "role-routed", "diamond"),
)
_TICK = 0.05


@dataclass(frozen=True)
class Mark:
    """One value of a line: its shape, its place in percent of the axis, the value in words, filled or not."""

    shape: str
    place: float
    words: str
    filled: bool


@dataclass(frozen=True)
class StripLine:
    """One line of the picture.

    Attributes
    ----------
    head : str
        Heading.
    role : str
        "printed", "rebuilt" or "both", where printed and rebuilt marks share the line.
    badge : str
        What the line rests on.
    marks : tuple of Mark
    bar : (float, float) or None
        Ends of an interval in percent of the axis.
    """

    head: str
    role: str
    badge: str
    marks: tuple[Mark, ...]
    bar: tuple[float, float] | None = None

    @property
    def words(self) -> str:
        """The line read aloud."""
        return f"{self.head}, {self.badge}: " + ", ".join(mark.words for mark in self.marks)


@dataclass(frozen=True)
class Strip:
    """The whole picture.

    Attributes
    ----------
    groups : tuple of tuples of StripLine
    axis : str
        Quantity of the axis.
    ticks : tuple of (float, str)
        Places in percent and their numbers.
    legend : tuple of (str, str)
        Shapes and what they stand for.
    zero : float or None
        Place of zero in percent, where it is drawn through all lines.
    bars : str
        What the intervals are; empty where there are none.
    heads : tuple of str
        A heading for each group; empty where groups need none.
    """

    groups: tuple[tuple[StripLine, ...], ...]
    axis: str
    ticks: tuple[tuple[float, str], ...]
    legend: tuple[tuple[str, str], ...]
    zero: float | None = None
    bars: str = ""
    heads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Axis:
    """An axis from `start` to `end`, both multiples of 0.05, that holds every value."""

    start: float
    end: float

    @classmethod
    def around(cls, values: Iterable[float]) -> "Axis":
        """The shortest such axis that has zero on it and ends above the highest value.

        Examples
        --------
        >>> Axis.around([-0.02, 0.13])
        Axis(start=-0.05, end=0.15)
        """
        found = [0.0, *values]
        below, above = math.ceil(-min(found) / _TICK), math.floor(max(found) / _TICK) + 1
        return cls(round(-below * _TICK, 2), round(above * _TICK, 2))

    def place(self, value: float) -> float:
        """Place of a value in percent."""
        return round(100 * (value - self.start) / (self.end - self.start), 2)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Places and numbers of all ticks."""
        steps = round((self.end - self.start) / _TICK)
        return tuple((100 * step / steps, shown(self.start + step * _TICK, 2)) for step in range(steps + 1))


def risk_strips(comparison: Comparison) -> Strip:
    """Risks of the single best judge, all judges and the role-routed plan, printed and rebuilt, on one axis.

    Simulated rows and settings without a printed row are left out.
    """
    values: list[tuple[tuple[str, str, str, dict], ...]] = []
    for row in comparison.rows:
        lines = [(row.name, "printed", "printed", row.printed)]
        lines += [
            (entry.setting, "rebuilt", entry.kind, entry.values)
            for entry in row.rebuilt
            if entry.kind in ("same_rows", "analogue")
        ]
        values.append(tuple(lines))
    axis = Axis.around(risk for group in values for line in group for _, _, risk in _risks(line[3]))
    groups = tuple(
        tuple(
            StripLine(head, role, badge, _marks(numbers, axis, filled=role == "rebuilt"))
            for head, role, badge, numbers in group
        )
        for group in values
    )
    legend = tuple((shape, words) for _, words, shape in POLICIES)
    return Strip(groups, "risk (Brier score)", axis.ticks, legend)


def _marks(numbers: dict, axis: Axis, *, filled: bool) -> tuple[Mark, ...]:
    return tuple(
        Mark(shape, axis.place(risk), f"{words} {shown(risk, 4)}", filled)
        for shape, words, risk in _risks(numbers)
    )


def _risks(numbers: dict) -> list[tuple[str, str, float]]:
    """Shape, name and risk of each policy that the row has a number for."""
    found = []
    for column, words, shape in POLICIES:
        risk = numbers.get(column)
        if isinstance(risk, (int, float)) and math.isfinite(risk):
            found.append((shape, words, float(risk)))
    return found
