"""The main comparison as a picture: one line a setting, one mark a policy, placed by risk."""

import math
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
    """One policy of one line: its shape, its place in percent of the axis, and its risk in words."""

    shape: str
    place: float
    words: str


@dataclass(frozen=True)
class StripLine:
    """One published or rebuilt row: heading, what it rests on, marks."""

    head: str
    role: str
    badge: str
    marks: tuple[Mark, ...]

    @property
    def words(self) -> str:
        """The line read aloud."""
        return f"{self.head}, {self.badge}: " + ", ".join(mark.words for mark in self.marks)


@dataclass(frozen=True)
class Strip:
    """The whole picture: groups of lines (published row first), ticks of the axis, names of the shapes."""

    groups: tuple[tuple[StripLine, ...], ...]
    ticks: tuple[tuple[float, str], ...]
    legend: tuple[tuple[str, str], ...]


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
    highest = max(mark for group in values for line in group for _, _, mark in _risks(line[3]))
    steps = int(highest / _TICK) + 1
    end = steps * _TICK
    groups = tuple(
        tuple(StripLine(head, role, badge, _marks(numbers, end)) for head, role, badge, numbers in group)
        for group in values
    )
    ticks = tuple((100 * step / steps, shown(step * _TICK, 2)) for step in range(steps + 1))
    return Strip(groups, ticks, tuple((shape, words) for _, words, shape in POLICIES))


def _marks(numbers: dict, end: float) -> tuple[Mark, ...]:
    return tuple(
        Mark(shape, round(100 * risk / end, 2), f"{words} {shown(risk, 4)}")
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
