"""Figures of the protocol study."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.cells import text_cell
from judgekit.report.plots.palette import BLACK, BLUE, GREY, ORANGE, VERMILION

READ_OUT_STYLE = {"written": (GREY, "s"), "hard": (ORANGE, "o"), "soft": (BLUE, "D")}
_LIGHT = "#bbbbbb"


def plot_protocols(options: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Validation value of every protocol of every judge, one row a data set and judge.

    Parameters
    ----------
    options : DataFrame
        `ProtocolStudy.options`; values are averaged over the cells of a data set.
    ax : Axes, optional

    Returns
    -------
    Axes
        Rows in the order of the frame, data sets apart; marker and colour tell the read-out, the vertical
        stroke is the reference protocol.
    """
    keys = ["dataset", "judge", "prompt", "reference", "score_range", "read_out"]
    means = options.groupby(keys, sort=False, dropna=False)["validation"].mean().reset_index()
    rows = means[["dataset", "judge"]].drop_duplicates(ignore_index=True)
    places = np.arange(len(rows)) + 0.7 * (rows["dataset"] != rows["dataset"].shift()).cumsum().to_numpy()
    ax = ax or plt.subplots(figsize=(7.2, 1.2 + 0.24 * places[-1]))[1]
    accuracy = set(options.loc[options["metric"] == "accuracy", "dataset"])
    for place, row in zip(places, rows.itertuples(index=False), strict=True):
        mine = means[(means["dataset"] == row.dataset) & (means["judge"] == row.judge)]
        ax.hlines(
            place, mine["validation"].min(), mine["validation"].max(), color=_LIGHT, linewidth=1, zorder=1
        )
        ax.plot(mine["validation"].iloc[0], place, marker="|", markersize=11, color=BLACK, zorder=2)
        for read_out, group in mine.groupby("read_out"):
            colour, marker = READ_OUT_STYLE[str(read_out)]
            where = np.full(len(group), place)
            ax.scatter(group["validation"], where, s=22, marker=marker, color=colour, alpha=0.85, zorder=3)
    for dataset, first in rows.reset_index().groupby("dataset", sort=False)["index"].first().items():
        unit = f"{dataset}, accuracy" if dataset in accuracy else str(dataset)
        ax.text(
            0.005, places[first] - 0.75, unit, transform=ax.get_yaxis_transform(), style="italic", fontsize=8
        )
    for read_out, (colour, marker) in READ_OUT_STYLE.items():
        if read_out in set(means["read_out"]):
            ax.scatter([], [], s=22, marker=marker, color=colour, label=read_out)
    ax.plot([], [], marker="|", markersize=11, color=BLACK, linestyle="", label="reference protocol")
    ax.set_yticks(places, rows["judge"])
    ax.tick_params(axis="y", labelsize=8)
    ax.set_ylim(places[-1] + 0.7, places[0] - 1.4)
    ax.set_xlabel("Spearman on validation rows, mean over cells (or accuracy)")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=4, handletextpad=0.2, columnspacing=1.2)
    return ax


def plot_contrasts(
    contrasts: pd.DataFrame, names: Sequence[str], *, rows: str = "benchmark_cell"
) -> np.ndarray:
    """Paired differences between two kinds of protocol, a panel a contrast, a dot a pair of protocols.

    Parameters
    ----------
    contrasts : DataFrame
        `studies.protocol.contrast_protocols`.
    names : sequence of str
        Contrasts to show, left to right; those without a pair are left out.
    rows : {"benchmark_cell", "judge"}
        What a row stands for.

    Returns
    -------
    array of Axes
        Filled dots have an interval on one side of zero: blue to the right of it, vermilion to the left.
    """
    shown = contrasts[contrasts["contrast"].isin(names)]
    names = [name for name in names if name in set(shown["contrast"])]
    labels = list(dict.fromkeys(shown[rows]))
    figure, axes = plt.subplots(
        1,
        len(names),
        figsize=(7.2, 1.4 + 0.27 * len(labels)),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for name, ax in zip(names, axes[0], strict=True):
        panel = shown[shown["contrast"] == name]
        for place, label in enumerate(labels):
            mine = panel[panel[rows] == label].sort_values("difference")
            # Dots of one row fan out a little, in the order of their values.
            offsets = (
                place + np.linspace(-0.25, 0.25, len(mine)) if len(mine) > 1 else np.full(len(mine), place)
            )
            ax.hlines(offsets, mine["low"], mine["high"], color=_LIGHT, linewidth=0.8, zorder=1)
            for colour, chosen in _sides(mine):
                face = "white" if colour == GREY else colour
                ax.scatter(
                    mine["difference"][chosen],
                    offsets[chosen],
                    s=18,
                    facecolor=face,
                    edgecolor=colour,
                    zorder=2,
                )
        ax.axvline(0, color=BLACK, linewidth=0.8, zorder=0)
        ax.set_title(text_cell(name).replace(" minus ", "\nminus "), fontsize=9.5)
        ax.grid(axis="x")
        ax.grid(visible=False, axis="y")
    axes[0, 0].set_yticks(np.arange(len(labels)), labels, fontsize=8)
    axes[0, 0].set_ylim(len(labels) - 0.5, -0.5)
    figure.supxlabel("difference in Spearman (right of the line: the first is better)", fontsize=9)
    return axes[0]


def _sides(pairs: pd.DataFrame) -> list[tuple[str, np.ndarray]]:
    above, below = (pairs["low"] > 0).to_numpy(), (pairs["high"] < 0).to_numpy()
    return [(BLUE, above), (VERMILION, below), (GREY, ~above & ~below)]
