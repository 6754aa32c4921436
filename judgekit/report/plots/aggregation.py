"""Figures of the conditional-aggregation study."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from judgekit.report.cells import number_cell
from judgekit.report.plots.palette import BLACK, BLUE, GREY, ORANGE, VERMILION
from judgekit.studies.aggregation import METHODS

_LIGHT = "#bbbbbb"
_WIDEST = 20
_GAIN_PANELS = ("single_best", "uniform_log", "covariance_log", "ridge")
_SHORT = {
    "single_best": "single best",
    "uniform_log": "uniform log",
    "covariance_log": "covariance-aware",
    "ridge": "ridge",
}
_LEARNERS: Mapping[str, tuple[str, str, str]] = {
    "judgemoe": (BLUE, "o", "-"),
    "ridge": (ORANGE, "s", "-"),
    "covariance_log": (VERMILION, "^", "-"),
    "uniform_log": (GREY, "", "--"),
    "single_best": (BLACK, "", ":"),
}


def plot_gains(
    gains: pd.DataFrame, *, first: str = "judgemoe", baselines: Sequence[str] = _GAIN_PANELS
) -> np.ndarray:
    """Gain of one method over each baseline, a panel a baseline, a row a cell, with 95% intervals.

    Parameters
    ----------
    gains : DataFrame
        `studies.aggregation_stats.TestScores.gains`.
    first : {"judgemoe", "best_pipeline"}
    baselines : sequence of str

    Returns
    -------
    array of Axes
        Filled marks have an interval on one side of zero; the line parts choose, confirm and extra cells.
        The vertical stroke at the top is the mean over choose and confirm cells.
    """
    mine = gains[gains["first"] == first]
    cells = mine.drop_duplicates("benchmark_cell").reset_index(drop=True)
    places = np.arange(len(cells)) + 0.6 * (cells["role"] != cells["role"].shift()).cumsum().to_numpy()
    figure, axes = plt.subplots(
        1,
        len(baselines),
        figsize=(7.6, 1.3 + 0.23 * places[-1]),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for baseline, ax in zip(baselines, axes[0], strict=True):
        here = mine[mine["baseline"] == baseline].set_index("benchmark_cell").loc[cells["benchmark_cell"]]
        ax.hlines(places, here["low"], here["high"], color=_LIGHT, linewidth=1.2, zorder=1)
        for colour, marker, chosen in (
            (BLUE, "o", here["low"] > 0),
            (VERMILION, "D", here["high"] < 0),
            (GREY, "o", (here["low"] <= 0) & (here["high"] >= 0)),
        ):
            face = "white" if colour == GREY else colour
            at = chosen.to_numpy()
            ax.scatter(
                here["gain"][at], places[at], s=22, marker=marker, facecolor=face, edgecolor=colour, zorder=2
            )
        mean = here.loc[here["role"] != "extra", "gain"].mean()
        ax.plot([mean], [places[0] - 1.1], marker="|", markersize=10, markeredgewidth=1.8, color=BLACK)
        ax.axvline(0, color=BLACK, linewidth=0.8, zorder=0)
        ax.set_title(_SHORT.get(baseline, METHODS[baseline]), fontsize=9)
        ax.grid(axis="x")
        ax.grid(visible=False, axis="y")
    for role, first_place in zip(cells["role"], places, strict=True):
        if first_place == places[cells["role"] == role][0]:
            axes[0, 0].text(
                0.02,
                first_place - 0.62,
                role,
                transform=axes[0, 0].get_yaxis_transform(),
                style="italic",
                fontsize=7.5,
            )
    axes[0, 0].set_yticks([places[0] - 1.1, *places], ["mean", *cells["benchmark_cell"]], fontsize=8)
    axes[0, 0].set_ylim(places[-1] + 0.6, places[0] - 1.7)
    figure.supxlabel(
        f"Spearman of {METHODS[first]} minus the baseline (right of the line is better)", fontsize=9
    )
    return axes[0]


def plot_ablation(screen: pd.DataFrame, published: Mapping[str, float], *, ax: Axes | None = None) -> Axes:
    """Test Spearman of the gate on each feature set: a thin line a cell, the mean thick, the paper's beside.

    Parameters
    ----------
    screen : DataFrame
        `report.tables.aggregation.ablated_cells`: benchmark_cell, feature_set, test.
    published : mapping of str to float
        Printed mean of each feature set.
    ax : Axes, optional
    """
    ax = ax or plt.subplots(figsize=(5.6, 3.6))[1]
    names = list(published)
    wide = screen.pivot(index="benchmark_cell", columns="feature_set", values="test")[names]
    places = np.arange(len(names))
    for values in wide.to_numpy():
        ax.plot(places, values, color=_LIGHT, linewidth=0.9, zorder=1)
    ax.plot(places, wide.mean(), color=BLUE, marker="o", linewidth=2.2, label="mean, rebuilt", zorder=3)
    printed = list(published.values())
    ax.plot(
        places,
        printed,
        color=BLACK,
        marker="s",
        linestyle="--",
        label="mean, published (its own cells)",
        zorder=2,
    )
    ax.plot([], [], color=_LIGHT, label="one cell")
    ax.set_xticks(places, ["hard scores", "soft scores", "both", "summaries"])
    ax.set_ylabel("Spearman, test rows")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, columnspacing=1.2)
    return ax


def plot_temperatures(sweep: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean Spearman against the pool temperature, validation and test rows.

    Parameters
    ----------
    sweep : DataFrame
        `report.tables.aggregation.temperature_sweep`.
    ax : Axes, optional

    Returns
    -------
    Axes
        The dotted line is the printed temperature.
    """
    ax = ax or plt.subplots(figsize=(5.6, 3.2))[1]
    for column, colour, marker, line in (("validation", ORANGE, "s", "--"), ("test", BLUE, "o", "-")):
        ax.plot(
            sweep["pool_temperature"],
            sweep[column],
            color=colour,
            marker=marker,
            linestyle=line,
            label=f"{column} rows",
        )
    for value in sweep.loc[sweep["printed"].notna(), "pool_temperature"]:
        ax.axvline(value, color=BLACK, linewidth=1, linestyle=":", label="published choice")
    ax.set_xscale("log")
    ax.set_xticks(sweep["pool_temperature"], [f"{value:g}" for value in sweep["pool_temperature"]])
    ax.minorticks_off()
    ax.set_xlabel("pool temperature T (left: sharper)")
    ax.set_ylabel("Spearman, mean over choose cells")
    ax.legend()
    return ax


def plot_weights(weights: pd.DataFrame, *, columns: int = 5) -> np.ndarray:
    """Mean gate weight of each judge against its own Spearman, a panel a cell.

    Parameters
    ----------
    weights : DataFrame
        `studies.gate_diagnostics.weigh_quality`.
    columns : int
        Panels a row.

    Returns
    -------
    array of Axes [panels]
        The dashed line is the uniform weight; the number in the title is the rank correlation.
    """
    cells = weights["benchmark_cell"].unique()
    columns = min(columns, len(cells))
    rows = -(-len(cells) // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(8.2, 1.5 * rows + 0.6), squeeze=False, layout="constrained"
    )
    for ax, cell in zip(grid.ravel(), cells, strict=False):
        here = weights[weights["benchmark_cell"] == cell]
        ax.axhline(1 / len(here), color=GREY, linewidth=0.8, linestyle="--")
        ax.scatter(here["spearman"], here["weight"], s=20, color=BLUE, edgecolor="white", linewidth=0.4)
        correlation = number_cell(here["rank_correlation"].iloc[0], 2, sign=True)
        name = cell.replace("_", "_\n", 1) + ", " if len(cell) > _WIDEST else f"{cell}\n"
        ax.set_title(f"{name}ρ = {correlation}", fontsize=6.5, fontweight="normal")
        ax.xaxis.set_major_locator(MaxNLocator(3))
        ax.tick_params(labelsize=7)
        ax.margins(0.15)
        ax.set_ylim(0, max(1.25 * here["weight"].max(), 1.6 / len(here)))
    for ax in grid.ravel()[len(cells) :]:
        ax.set_visible(False)
    figure.supxlabel(
        "the judge's own Spearman on test rows (ρ: its rank correlation with the weight)",
        fontsize=9,
    )
    figure.supylabel("mean gate weight (dashed: the uniform one)", fontsize=9)
    return grid.ravel()[: len(cells)]


def plot_data_efficiency(efficiency: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean test Spearman against the share of training groups, with what needs no training as lines.

    Parameters
    ----------
    efficiency : DataFrame
        `studies.training_signal.study_data_efficiency`.
    ax : Axes, optional
    """
    ax = ax or plt.subplots(figsize=(5.6, 3.4))[1]
    means = efficiency.groupby("fraction")[list(_LEARNERS)].mean()
    shares = 100 * means.index.to_numpy()
    for method, (colour, marker, line) in _LEARNERS.items():
        ax.plot(
            shares,
            means[method],
            color=colour,
            marker=marker,
            linestyle=line,
            label=METHODS[method],
            linewidth=1.6,
        )
    ax.set_xscale("log")
    ax.set_xticks(shares, [f"{share:g}" for share in shares])
    ax.minorticks_off()
    ax.set_xlabel("training groups used, %")
    ax.set_ylabel("Spearman, test rows")
    ax.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2, columnspacing=1.2)
    return ax
