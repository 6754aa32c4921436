"""Marks, lines and legends of policies, alike in every figure that compares them."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from judgekit.report.plots.palette import BLACK, DASHED, HOLLOW, POLICY_NAMES, POLICY_STYLE

_SHORT = {"flat_all": "all judges", "reliability_jury": "jury", "full_stack": "stack"}
_SAME = 1e-9


def in_order(policies: pd.Series) -> list[str]:
    """The policies that occur, in the order of the palette."""
    return [policy for policy in POLICY_STYLE if policy in set(policies)]


def mark(policy: str, *, hollow: bool = False) -> dict[str, Any]:
    """How `scatter` draws a policy."""
    colour, marker = POLICY_STYLE[policy]
    if marker in "x|":
        return {"marker": marker, "color": colour, "linewidths": 1.4 if marker == "x" else 2.2}
    face = "none" if hollow else "white" if policy in HOLLOW else colour
    return {"marker": marker, "facecolor": face, "edgecolor": colour}


def line(policy: str) -> dict[str, Any]:
    """How `plot` draws a policy: dashed where it only refits tables by slice, open as the palette says."""
    colour, marker = POLICY_STYLE[policy]
    thick = 2.2 if policy == "role_routed" else 1.3
    size = 8 if marker == "|" else 6 if marker == "x" else 5
    return {
        "color": colour,
        "marker": marker,
        "linewidth": thick,
        "markersize": size,
        "markerfacecolor": "white" if policy in HOLLOW else colour,
        "linestyle": "--" if policy in DASHED else "-",
    }


def legend(
    figure: Figure,
    policies: Sequence[str],
    *,
    lines: bool = True,
    hollow: str = "",
    extra: dict[str, dict[str, Any]] | None = None,
) -> None:
    """A legend above the figure: policies, then further lines as `Line2D` takes them, by their words."""
    handles = []
    for policy in policies:
        style = line(policy) if lines else line(policy) | {"linestyle": "none"}
        face: dict[str, Any] = {"markerfacecolor": "none"} if policy == hollow else {}
        handles.append(Line2D([], [], label=POLICY_NAMES[policy], **(style | face)))
    handles += [Line2D([], [], label=label, **style) for label, style in (extra or {}).items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, columnspacing=1.2)


def panels(means: pd.DataFrame, x: str, measures: dict[str, str], label: str) -> np.ndarray:
    """Lines of policies over `x`: rows of panels are measures, columns settings.

    Below the first measure, policies that lie on one line share a black one with their names on it.
    """
    settings = means["setting"].unique()
    size = (3.1 * len(settings) + 0.6, 2.3 * len(measures) + 0.9)
    figure, axes = plt.subplots(
        len(measures), len(settings), figsize=size, squeeze=False, sharex=True, sharey="row"
    )
    first = next(iter(measures))
    for column, setting in enumerate(settings):
        for ax, (measure, name) in zip(axes[:, column], measures.items(), strict=True):
            draw_lines(ax, means[means["setting"] == setting], x, measure, shared=measure != first)
            if column == 0:
                ax.set_ylabel(name)
        axes[0, column].set_title(setting, fontsize=9.5)
        axes[-1, column].set_xlabel(label)
    legend(figure, in_order(means["policy"]))
    return axes


def draw_lines(ax: Axes, frame: pd.DataFrame, x: str, y: str, *, shared: bool = False) -> None:
    """One line a policy; where `shared`, those that call every judge and coincide become one named line."""
    wide = frame.pivot(index=x, columns="policy", values=y).sort_index()
    together = same_values(wide) if shared else []
    for policy in in_order(frame["policy"]):
        if policy not in together:
            ax.plot(wide.index, wide[policy], **line(policy))
    if together:
        values = wide[together[0]].to_numpy()
        ax.plot(wide.index, values, color=BLACK, linewidth=1.3)
        words: dict[str, Any] = {"text": names(together), "fontsize": 7.5, "textcoords": "offset points"}
        if abs(values[-1] - values[0]) > _SAME:
            middle = len(values) // 2
            ax.annotate(xy=(wide.index[middle], values[middle]), xytext=(-9, 2), ha="right", **words)
        else:
            ax.annotate(xy=(wide.index[-1], values[-1]), xytext=(0, -4), ha="right", va="top", **words)


def same_values(wide: pd.DataFrame) -> list[str]:
    """Policies that call every judge and equal the first of them in every row; empty where there is one."""
    every = wide[[policy for policy in _SHORT if policy in wide]]
    if every.empty:
        return []
    gaps = every.sub(every.iloc[:, 0], axis=0).abs().max()
    found = [str(name) for name in every.columns[gaps <= _SAME]]
    return found if len(found) > 1 else []


def names(policies: Sequence[str]) -> str:
    """Short names, as in "all judges, jury, stack"."""
    return ", ".join(_SHORT[policy] for policy in policies)
