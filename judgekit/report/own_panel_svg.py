"""Pictures of a reader's report as SVG text: no plotting library to load, and the page's own colours."""

import math
from collections.abc import Sequence
from html import escape

import pandas as pd

from judgekit.report.format import shown
from judgekit.report.plots.palette import POLICY_NAMES

_INK, _SOFT = "var(--ink, #1b1d21)", "var(--soft, #5a5f66)"
_RULE, _ACCENT = "var(--rule, #dedbd3)", "var(--accent, #0b5f73)"
_FONT = 'font-family="-apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif" font-size="12"'
_WIDTH = 720.0


def frontier_svg(frontier: pd.DataFrame, *, chosen: str) -> str:
    """Risk against cost of every policy; those that no other beats on both are joined, the plan is filled.

    Parameters
    ----------
    frontier : DataFrame
        `report.tables.roles.frontier` of one setting: policy, risk, cost, on_frontier.
    chosen : str
        The policy that the plan is.
    """
    height, left, right, top, bottom = 330.0, 64.0, 24.0, 16.0, 46.0
    x = _Scale(frontier["cost"].tolist(), left, _WIDTH - right)
    y = _Scale(frontier["risk"].tolist(), height - bottom, top)
    parts = [*_grid(x, y, (left, _WIDTH - right), (top, height - bottom))]
    parts.append(_text(_WIDTH / 2, height - 8, "cost a row", anchor="middle"))
    parts.append(_text(14.0, height / 2, "risk", anchor="middle", turn=True))
    best = frontier[frontier["on_frontier"]].sort_values("cost")
    corners: list[str] = []
    for row in best.to_dict("records"):
        # a step: between two marks nothing better than the first can be bought
        corners += [f"{x(row['cost']):.1f},{corners[-1].partition(',')[2]}"] if corners else []
        corners.append(f"{x(row['cost']):.1f},{y(row['risk']):.1f}")
    parts.append(f'<polyline points="{" ".join(corners)}" fill="none" stroke="{_SOFT}" stroke-width="1"/>')
    taken: list[tuple[float, float, float]] = []
    for row in frontier.to_dict("records"):
        policy, cost, risk = str(row["policy"]), float(row["cost"]), float(row["risk"])
        here, mark = policy == chosen, (x(cost), y(risk))
        fill, stroke = (_ACCENT, _ACCENT) if here else ("var(--paper, #fff)", _INK)
        parts.append(
            f'<circle cx="{mark[0]:.1f}" cy="{mark[1]:.1f}" r="{6 if here else 4.5}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="1.5"/>'
        )
        name = POLICY_NAMES.get(policy, policy) + (" (your plan)" if here else "")
        place, anchor = _label_place(mark, 6.6 * len(name), taken)
        parts.append(_text(*place, name, anchor=anchor, colour=_ACCENT if here else _INK))
    return _svg(parts, height, "Risk against cost a row of every policy; your plan is filled.")


def roles_svg(roles: pd.DataFrame) -> str:
    """Overall gain of every judge with its interval, against the threshold.

    Parameters
    ----------
    roles : DataFrame
        `roles_frame`; the rows of slice "all" are drawn.
    """
    rows = roles[roles["slice"] == "all"]
    left, right, top, step = 190.0, 130.0, 14.0, 26.0
    height = top + step * len(rows) + 44
    bars = (rows["threshold"] + rows["charge"]).tolist()
    x = _Scale([*rows["low"], *rows["high"], *bars, 0.0], left, _WIDTH - right)
    foot = height - 40
    parts = [*_grid(x, None, (left, _WIDTH - right), (top, foot))]
    parts.append(_line(x(bars[0]), top, x(bars[0]), foot, colour=_ACCENT, dash=True))
    parts.append(_text(x(bars[0]), foot + 30, f"threshold {bars[0]:g}", anchor="middle", colour=_ACCENT))
    for place, row in enumerate(rows.to_dict("records")):
        middle = top + step * (place + 0.5)
        parts.append(_text(left - 12, middle + 4, _short(str(row["judge"])), anchor="end"))
        parts.append(_text(_WIDTH - right + 12, middle + 4, str(row["role"]), colour=_SOFT))
        if math.isfinite(row["low"]):
            parts.append(_line(x(row["low"]), middle, x(row["high"]), middle, colour=_INK, width=1.5))
        fill = _INK if row["settled"] else "var(--paper, #fff)"
        parts.append(
            f'<circle cx="{x(row["gain"]):.1f}" cy="{middle:.1f}" r="4.5" fill="{fill}" stroke="{_INK}" '
            'stroke-width="1.5"/>'
        )
    words = "Gain of every judge with its interval, and the threshold; filled marks are settled."
    return _svg(parts, height, words)


class _Scale:
    """Values to places along one axis, and its round tick values."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        finite = [float(value) for value in values if math.isfinite(value)]
        low, high = min(finite), max(finite)
        room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
        self.low, self.high, self.start, self.end = low - room, high + room, start, end
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        self.step = power * next(size for size in (1, 2, 5, 10) if size * power >= rough)

    def __call__(self, value: float) -> float:
        return self.start + (self.end - self.start) * (float(value) - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        digits = max(0, -math.floor(math.log10(self.step) + 1e-9))
        first = math.ceil(self.low / self.step)
        count = math.floor(self.high / self.step) - first + 1
        return [(self(k * self.step), shown(k * self.step, digits)) for k in range(first, first + count)]


def _grid(x: _Scale, y: _Scale | None, across: tuple[float, float], down: tuple[float, float]) -> list[str]:
    parts = []
    for place, words in x.ticks():
        parts += [_line(place, down[0], place, down[1]), _text(place, down[1] + 15, words, anchor="middle")]
    for place, words in y.ticks() if y else ():
        parts += [
            _line(across[0], place, across[1], place),
            _text(across[0] - 8, place + 4, words, anchor="end"),
        ]
    return parts


def _label_place(
    mark: tuple[float, float], width: float, taken: list[tuple[float, float, float]]
) -> tuple[tuple[float, float], str]:
    """First place beside a mark that covers no earlier label, else the last tried."""
    x, y = mark
    for lift in (-9.0, 17.0, -23.0, 31.0, 4.0):
        for side in (1, -1):
            start = x + 10 if side == 1 else x - 10 - width
            if start < 60 or start + width > _WIDTH:
                continue
            clear = all(
                abs(y + lift - other) > 12 or start > end or start + width < begin
                for begin, end, other in taken
            )
            if clear or lift == 4:
                taken.append((start, start + width, y + lift))
                return (x + 10 * side, y + lift), "start" if side == 1 else "end"
    return (x + 10, y + 4), "start"


def _short(name: str) -> str:
    return name if len(name) <= 26 else name[:25] + "…"


def _line(
    x1: float, y1: float, x2: float, y2: float, *, colour: str = _RULE, width: float = 1.0, dash: bool = False
) -> str:
    dashes = ' stroke-dasharray="4 3"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashes}/>'
    )


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", colour: str = _INK, turn: bool = False
) -> str:
    turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{turned}>{escape(words)}</text>'
    )


def _svg(parts: Sequence[str], height: float, words: str) -> str:
    box = f'viewBox="0 0 {_WIDTH:g} {height:g}" width="{_WIDTH:g}" height="{height:g}"'
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{escape(words)}" {_FONT}>'
    )
    return "\n".join([opening, *parts, "</svg>\n"])
