"""Figures of the propositions: small, and readable in grey."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.plots.palette import BLACK, BLUE, GREY, VERMILION


def plot_information(gaps: pd.Series, *, ax: Axes | None = None) -> Axes:
    """Error lost by keeping only the mean, by number of buckets (index)."""
    ax = ax or plt.subplots(figsize=(4.6, 2.6))[1]
    ax.bar(gaps.index.astype(str), gaps, color=BLUE, width=0.6)
    for place, gap in enumerate(gaps):
        ax.text(place, gap, f"{gap:.3f}" if gap > 0 else "0", ha="center", va="bottom", fontsize=9)
    ax.set_xlabel("buckets K")
    ax.set_ylabel("squared error lost")
    ax.margins(y=0.15)
    return ax


def plot_error_floor(
    curves: pd.DataFrame, *, marked: tuple[int, float] | None = None, ax: Axes | None = None
) -> Axes:
    """Variance of a pool's mean error against its size.

    Parameters
    ----------
    curves : DataFrame
        Index: judges; one column a correlation, values relative to one judge's variance.
    marked : (judges, correlation), optional
        A point to mark, on the formula.
    """
    ax = ax or plt.subplots(figsize=(5.6, 3.2))[1]
    styles = ("-", "--", "-.", ":")
    for place, correlation in enumerate(curves.columns.astype(float)):
        values = curves[correlation]
        ax.plot(curves.index, values, color=BLUE, linestyle=styles[place % 4])
        ax.axhline(correlation, color=GREY, linewidth=0.6, zorder=0)
        ax.text(curves.index[-1] * 1.02, values.iloc[-1], f"ρ = {correlation:g}", va="center", fontsize=8.5)
    if marked is not None:
        judges, correlation = marked
        height = correlation + (1 - correlation) / judges
        ax.plot([judges], [height], marker="o", color=VERMILION, zorder=3)
        point = (judges, height)
        ax.annotate(f"{height:.3f}", point, xytext=(6, -13), textcoords="offset points", fontsize=9)
    ax.set_xlabel("judges m")
    ax.set_ylabel("variance of the mean error")
    ax.set_ylim(0, 1.05)
    return ax


def plot_temperature(excess: pd.DataFrame, best: float, *, ax: Axes | None = None) -> Axes:
    """Squared error of the log pool over its temperature, with T* marked."""
    ax = ax or plt.subplots(figsize=(5.6, 3.0))[1]
    ax.plot(excess["pool_temperature"], excess["squared_error"], color=BLUE, label="computed")
    ax.plot(
        excess["pool_temperature"][::4],
        excess["predicted"][::4],
        linestyle="none",
        marker="x",
        color=BLACK,
        label="Eq. 22",
    )
    ax.axvline(best, color=VERMILION, linewidth=1)
    ax.text(best, ax.get_ylim()[1], f" T* = {best:.2f}", va="top", fontsize=9)
    ax.set_xlabel("pool temperature T")
    ax.set_ylabel("expected squared error")
    ax.legend()
    return ax


def plot_cell_temperatures(curves: pd.DataFrame, temperatures: pd.DataFrame) -> np.ndarray:
    """Squared error of each cell's log pool over its temperature: T* of the formula against the best T.

    Parameters
    ----------
    curves : DataFrame
        `studies.propositions.temperature_curves`: index pool temperatures, one column a benchmark cell.
    temperatures : DataFrame
        `T_star` and `T_squared` by benchmark cell.

    Returns
    -------
    array of Axes
        One panel a cell; a line at T*, a circle at the lowest error.
    """
    columns = min(4, curves.shape[1])
    lines = -(-curves.shape[1] // columns)
    size = (0.6 + 1.75 * columns, 0.9 + 1.45 * lines)
    figure, grid = plt.subplots(lines, columns, figsize=size, squeeze=False, layout="constrained")
    stars, bests = temperatures["T_star"], temperatures["T_squared"]
    for ax, cell in zip(grid.flat, curves.columns, strict=False):
        values, star, best = curves[cell], stars[cell], bests[cell]
        ax.plot(curves.index, values, color=BLUE)
        ax.axvline(star, color=VERMILION, linestyle="--", linewidth=1.2, label="T* of the formula")
        lowest = np.interp(np.log(best), np.log(curves.index), values)
        ax.plot(best, lowest, "o", markerfacecolor="white", markeredgecolor=BLACK, label="lowest error")
        ax.set_xscale("log")
        ax.set_xticks([0.5, 2, 8, 32], ["0.5", "2", "8", "32"])
        ax.set_xticks([], minor=True)
        ax.set_title(cell, fontsize=8.5)
        ax.margins(y=0.15)
    for ax in grid.flat[curves.shape[1] :]:
        ax.set_visible(False)
    figure.supxlabel("pool temperature T", fontsize=9)
    figure.supylabel("squared error", fontsize=9)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return grid.ravel()[: curves.shape[1]]


def plot_flips(flips: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Which pool one weak judge turns round, over the mass it leaves on the right bucket (log axis)."""
    ax = ax or plt.subplots(figsize=(5.6, 1.9))[1]
    for height, (pool, colour) in enumerate((("linear", BLUE), ("log", VERMILION))):
        turned = flips[pool]
        for shown, marker, text in ((~turned, "o", "right"), (turned, "X", "turned round")):
            ax.scatter(
                flips.loc[shown, "veto"],
                np.full(shown.sum(), height),
                marker=marker,
                facecolor=colour if marker == "X" else "white",
                edgecolor=colour,
                label=text if height else None,
                s=36,
            )
    ax.set_xscale("log")
    ax.set_yticks([0, 1], ["linear pool", "log pool"])
    ax.set_ylim(-0.6, 1.6)
    ax.set_xlabel("mass the weak judge leaves on the right bucket")
    ax.grid(visible=False)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return ax


def plot_bayes_actions(losses: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Expected squared and exact-match loss of every answer; the lowest point of each is marked."""
    ax = ax or plt.subplots(figsize=(5.6, 3.0))[1]
    squared = losses.sort_values("squared_loss", kind="stable").iloc[0]
    exact = losses.sort_values("exact_match_loss", kind="stable").iloc[0]
    scores = losses[losses["exact_match_loss"] < 1]
    ax.plot(losses["action"], losses["squared_loss"], color=BLUE, label="squared loss")
    ax.plot(
        scores["action"],
        scores["exact_match_loss"],
        linestyle="none",
        marker="s",
        color=VERMILION,
        label="exact-match loss",
    )
    marked = ((squared, "squared_loss", "mean", (-12, 9)), (exact, "exact_match_loss", "mode", (8, -10)))
    for best, column, text, shift in marked:
        place = (best["action"], best[column])
        ax.plot(*place, marker="o", markersize=11, markerfacecolor="none", markeredgecolor=BLACK)
        ax.annotate(f"{text} {place[0]:.2f}", place, xytext=shift, textcoords="offset points")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("answer")
    ax.set_ylabel("expected loss")
    ax.legend()
    return ax
