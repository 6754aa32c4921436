"""Figures of the sparse repair study."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from judgekit.report.plots.palette import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION

METHOD_STYLE = {
    "single_best": ("best single judge", BLACK, "|"),
    "uniform_log": ("log pool, all", VERMILION, "s"),
    "uniform_linear": ("linear pool, all", ORANGE, "s"),
    "drop_weakest": ("log pool, weakest dropped", SKY, "o"),
    "sparse_pool": ("log pool, best two", SKY, "D"),
    "fixed_subset": ("log pool, best subset", GREEN, "d"),
    "full_gate": ("gate, all", BLUE, "s"),
    "repaired_gate": ("gate, weakest dropped", BLUE, "o"),
    "sparse_gate": ("gate, best two", BLUE, "D"),
}
FAMILY_STYLE = {
    "single": (BLACK, "|"),
    "fixed": (GREEN, "d"),
    "full": (BLUE, "s"),
    "sparse": (BLUE, "D"),
}


def plot_repair(tested: pd.DataFrame, cells: Sequence[str]) -> np.ndarray:
    """Test Spearman with its interval of every method, one panel a cell; the line is the full log pool.

    Parameters
    ----------
    tested : DataFrame
        From `studies.sparse.score_test`.
    cells : sequence of str
    """
    axes = _panels(len(cells), rows=len(METHOD_STYLE), width=2.3)
    for cell, ax in zip(cells, axes, strict=True):
        mine = tested[tested["benchmark_cell"] == cell].set_index("method")
        for place, (method, (_, colour, marker)) in enumerate(METHOD_STYLE.items()):
            if method not in mine.index:
                continue
            row = mine.loc[method]
            ax.hlines(place, row["low"], row["high"], color=colour, linewidth=1, alpha=0.6)
            ax.plot(row["spearman"], place, marker=marker, color=colour, markersize=7, linestyle="")
        ax.axvline(mine.loc["uniform_log", "spearman"], color=VERMILION, linewidth=0.8, zorder=0)
        ax.set_title(cell)
    axes[0].set_yticks(range(len(METHOD_STYLE)), [text for text, _, _ in METHOD_STYLE.values()])
    axes[0].set_ylim(len(METHOD_STYLE) - 0.5, -0.5)
    axes[0].figure.supxlabel(
        "Spearman on test rows, 95% interval over groups (vertical line: the log pool of all judges)",
        fontsize=9,
    )
    return axes


def plot_leave_one_out(lost: pd.DataFrame, cells: Sequence[str]) -> np.ndarray:
    """Change of the full log pool's validation Spearman when one judge is dropped, one panel a cell.

    Parameters
    ----------
    lost : DataFrame
        From `studies.sparse.leave_one_out_frame`.
    cells : sequence of str
        Cells with the same judges.
    """
    judges = list(dict.fromkeys(lost.loc[lost["benchmark_cell"].isin(cells), "judge"]))
    axes = _panels(len(cells), rows=len(judges), width=2.3)
    for cell, ax in zip(cells, axes, strict=True):
        mine = lost[lost["benchmark_cell"] == cell].set_index("judge").reindex(judges)
        colours = [VERMILION if gain > 0 else GREY for gain in mine["gain"]]
        ax.barh(range(len(judges)), mine["gain"], color=colours, height=0.6)
        ax.axvline(0, color=BLACK, linewidth=0.8)
        ax.set_title(cell)
    axes[0].set_yticks(range(len(judges)), judges)
    axes[0].set_ylim(len(judges) - 0.5, -0.5)
    axes[0].figure.supxlabel("gain in validation Spearman from dropping the judge", fontsize=9)
    return axes


def plot_subset_sizes(sizes: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Judges in the full pool (open) and in the fixed subset (filled), one row a cell.

    Parameters
    ----------
    sizes : DataFrame
        From `report.tables.sparse.subset_sizes`.
    """
    ax = ax or plt.subplots(figsize=(5.6, 0.9 + 0.24 * len(sizes)))[1]
    places = np.arange(len(sizes))
    ax.hlines(places, sizes["size"], sizes["judges"], color="#bbbbbb", linewidth=1.2, zorder=1)
    ax.scatter(sizes["judges"], places, s=34, facecolor="white", edgecolor=GREY, label="full pool", zorder=2)
    ax.scatter(sizes["size"], places, s=34, color=GREEN, marker="d", label="best subset", zorder=3)
    ax.set_yticks(places, sizes["benchmark_cell"], fontsize=8)
    ax.set_ylim(len(sizes) - 0.5, -0.5)
    ax.set_xticks(range(1, int(sizes["judges"].max()) + 1))
    ax.set_xlabel("judges")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return ax


def plot_selector(cells: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Test Spearman of each family below the best one of its cell; a ring marks the learned rule's choice.

    Parameters
    ----------
    cells : DataFrame
        `SelectorStudy.cells`.
    """
    ax = ax or plt.subplots(figsize=(6.6, 1.1 + 0.26 * len(cells)))[1]
    places = np.arange(len(cells))
    values = pd.DataFrame({family: cells[f"{family}_test"] for family in FAMILY_STYLE})
    behind = values.sub(values.max(axis=1), axis=0)
    ax.hlines(places, behind.min(axis=1), 0, color="#cccccc", linewidth=1, zorder=1)
    for family, (colour, marker) in FAMILY_STYLE.items():
        marks = ax.scatter(behind[family], places, s=40, color=colour, marker=marker, label=family, zorder=3)
        if family == "sparse":
            marks.set_facecolor("white")
    columns = [list(FAMILY_STYLE).index(family) for family in cells["learned"]]
    chosen = behind.to_numpy()[places, columns]
    ring = ax.scatter(chosen, places, s=130, linewidth=1.4, label="learned rule", zorder=4)
    ring.set(facecolor="none", edgecolor=VERMILION)
    ax.set_yticks(places, cells["benchmark_cell"], fontsize=8)
    ax.set_ylim(len(cells) - 0.4, -0.6)
    ax.set_xlabel("test Spearman, behind the best family of the cell")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=5, columnspacing=1.2, handletextpad=0.3)
    return ax


def plot_contamination(
    curve: pd.DataFrame, *, marked: float | None = None, title: str = "", ax: Axes | None = None
) -> Axes:
    """Both pools over the confidence of one bad judge, beside the pool without it and a good judge alone.

    Parameters
    ----------
    curve : DataFrame
        From `studies.contamination.contaminate`.
    marked : float, optional
        Mass left over at which both pools are marked (the nearest one computed).
    title : str
    """
    ax = ax or plt.subplots(figsize=(5.8, 3.3))[1]
    ax.plot(curve["left_over"], curve["log"], color=VERMILION, label="log pool")
    ax.plot(curve["left_over"], curve["linear"], color=BLUE, linestyle="--", label="linear pool")
    edge = curve["left_over"].iloc[-1]
    for column, text in (("clean_log", "without the bad judge"), ("alone", "a good judge alone")):
        ax.axhline(curve[column].iloc[0], color=GREY, linewidth=0.8, zorder=0)
        ax.text(edge, curve[column].iloc[0], text, ha="right", va="bottom", fontsize=8, color=GREY)
    if marked is not None:
        left_over = curve["left_over"].to_numpy()
        near = int(np.abs(np.log(left_over / marked)).argmin())
        for pool, colour in (("log", VERMILION), ("linear", BLUE)):
            place = (float(left_over[near]), float(curve[pool].iloc[near]))
            ax.plot([place[0]], [place[1]], marker="o", color=colour)
            ax.annotate(f"{place[1]:.2f}", place, xytext=(4, 5), textcoords="offset points", fontsize=8.5)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("mass that the bad judge leaves to the other buckets (surer to the right)")
    ax.set_ylabel("Spearman")
    ax.set_title(title, fontsize=10)
    ax.legend(loc="lower left")
    return ax


def plot_breaking(curves: dict[int, pd.DataFrame]) -> np.ndarray:
    """`plot_contamination` for several numbers of good judges, one panel each.

    Parameters
    ----------
    curves : dict of int to DataFrame
        By number of good judges.
    """
    size = (2.5 * len(curves), 2.7)
    axes = plt.subplots(1, len(curves), figsize=size, sharey=True, squeeze=False, layout="constrained")[1][0]
    for (judges, curve), ax in zip(curves.items(), axes, strict=True):
        plot_contamination(curve, title=f"{judges} good judge{'s' if judges > 1 else ''}", ax=ax)
        ax.set_xlabel("")
        for text in ax.texts:
            text.set_visible(ax is axes[-1])
        if ax is not axes[0]:
            ax.set_ylabel("")
            ax.get_legend().remove()
    axes[0].figure.supxlabel(
        "mass that the bad judge leaves to the other buckets (surer to the right)", fontsize=9
    )
    return axes


def _panels(count: int, *, rows: int, width: float) -> np.ndarray:
    size = (1.6 + width * count, 0.9 + 0.3 * rows)
    axes = plt.subplots(1, count, figsize=size, sharey=True, squeeze=False, layout="constrained")[1][0]
    for ax in axes:
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.grid(axis="x")
        ax.grid(visible=False, axis="y")
    return axes
