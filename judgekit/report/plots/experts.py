"""Figures of the study of experts."""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.plots.palette import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILION

_LIGHT = "#bbbbbb"
_MARKERS = ("o", "s", "D", "^", "v")
_COLOURS = (BLUE, ORANGE, GREEN, VERMILION, GREY)


def plot_expert_gains(experts: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Test gain of every expert with its interval, one row an expert, cells apart.

    Parameters
    ----------
    experts : DataFrame
        `studies.experts.study_experts`.
    ax : Axes, optional

    Returns
    -------
    Axes
        Filled: admitted on training rows; open: refused. Blue triangles to the right lie right of zero with
        their whole interval, vermilion ones to the left lie left, grey circles neither.
    """
    cells = experts["benchmark_cell"]
    places = np.arange(len(experts)) + 1.1 * (cells != cells.shift()).cumsum().to_numpy()
    ax = ax or plt.subplots(figsize=(7.0, 1.2 + 0.19 * places[-1]))[1]
    ax.hlines(places, experts["low"], experts["high"], color=_LIGHT, linewidth=1, zorder=1)
    sides = {
        "interval above 0": (experts["low"] > 0, BLUE, ">"),
        "interval below 0": (experts["high"] < 0, VERMILION, "<"),
        "interval holds 0": ((experts["low"] <= 0) & (experts["high"] >= 0), GREY, "o"),
    }
    for label, (chosen, colour, marker) in sides.items():
        face = np.where(experts.loc[chosen, "admitted"], colour, "white").tolist()
        ax.scatter(
            experts.loc[chosen, "test_gain"],
            places[chosen.to_numpy()],
            s=26,
            c=face,
            edgecolors=colour,
            marker=marker,
            zorder=2,
        )
        ax.scatter([], [], s=26, c=colour, marker=marker, label=label)
    ax.axvline(0, color=BLACK, linewidth=0.8, zorder=1)
    starts = np.flatnonzero((cells != cells.shift()).to_numpy())
    for start in starts:
        ax.text(
            0.01,
            places[start] - 0.95,
            cells.iloc[start],
            transform=ax.get_yaxis_transform(),
            style="italic",
            fontsize=8,
            va="center",
        )
    ax.scatter([], [], s=26, c=BLACK, marker="s", label="filled: admitted on training rows")
    ax.scatter([], [], s=26, c="white", edgecolors=BLACK, marker="s", label="open: refused")
    ax.set_yticks(places, [name.split("/")[-1] for name in experts["expert"]], fontsize=8)
    ax.set_ylim(places[-1] + 0.8, places[0] - 1.7)
    ax.set_xlabel("test gain in Spearman when the expert joins the uniform log pool")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, handletextpad=0.2, fontsize=8)
    return ax


def plot_vetting(verdicts: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Test gain against the gain that vetting saw, one mark an expert and split.

    Parameters
    ----------
    verdicts : DataFrame
        `studies.experts.study_verdicts`.
    ax : Axes, optional
        Filled marks were admitted; marker and colour tell the data set.
    """
    ax = ax or plt.subplots(figsize=(5.6, 4.0))[1]
    for place, (dataset, group) in enumerate(verdicts.groupby("dataset", sort=False)):
        colour, marker = _COLOURS[place % 5], _MARKERS[place % 5]
        face = np.where(group["admitted"], colour, "white")
        ax.scatter(
            group["vetting_gain"],
            group["test_gain"],
            s=22,
            marker=marker,
            c=face.tolist(),
            edgecolors=colour,
            linewidths=0.8,
        )
        ax.scatter([], [], s=22, marker=marker, c=colour, label=str(dataset))
    ax.axhline(0, color=BLACK, linewidth=0.8, zorder=0)
    ax.axvline(0, color=BLACK, linewidth=0.8, zorder=1)
    ax.set_xlabel("gain on training groups left out (vetting)")
    ax.set_ylabel("gain on test groups")
    ax.grid(axis="both")
    ax.legend(loc="lower right")
    return ax


def plot_prompts(prompts: pd.DataFrame) -> np.ndarray:
    """Residual correlation and quality before and after prompts are added, one row a benchmark cell.

    Parameters
    ----------
    prompts : DataFrame
        `studies.prompt_expansion.study_prompts`.

    Returns
    -------
    array of Axes
        Left: from the base pool's mean residual correlation (circle) to the expanded pool's (arrow head).
        Right: change of the uniform pool's quality with its interval; filled where the interval leaves zero.
    """
    places = np.arange(len(prompts))
    _, axes = plt.subplots(1, 2, figsize=(7.2, 1.3 + 0.27 * len(prompts)), sharey=True, layout="constrained")
    left, right = axes
    ends = prompts[["base_correlation", "expanded_correlation"]].to_numpy(float)
    for place, (base, expanded) in enumerate(ends):
        colour, head = (VERMILION, ">") if expanded > base else (BLUE, "<")
        left.hlines(place, base, expanded, color=colour, linewidth=1.4, zorder=1)
        left.scatter(expanded, place, s=22, marker=head, color=colour, zorder=2)
    left.scatter(prompts["base_correlation"], places, s=16, facecolor="white", edgecolor=BLACK, zorder=1.5)
    left.set_xlim(ends.min() - 0.05, ends.max() + 0.05)
    left.set_title("mean residual correlation", fontsize=10)
    right.hlines(places, prompts["low"], prompts["high"], color=_LIGHT, linewidth=1, zorder=1)
    side = np.select([prompts["low"] > 0, prompts["high"] < 0], [BLUE, VERMILION], GREY)
    face = np.where(side == GREY, "white", side)
    right.scatter(prompts["change"], places, s=24, c=face.tolist(), edgecolors=side.tolist(), zorder=2)
    right.axvline(0, color=BLACK, linewidth=0.8, zorder=1)
    right.locator_params(axis="x", nbins=5)
    right.set_xlabel("Spearman; accuracy for two buckets", fontsize=8.5)
    left.set_xlabel("from one prompt a model to several", fontsize=8.5)
    right.set_title("change of the uniform log pool", fontsize=10)
    for ax in axes:
        ax.grid(axis="x")
        ax.grid(visible=False, axis="y")
    left.set_yticks(places, prompts["benchmark_cell"], fontsize=8)
    left.set_ylim(len(prompts) - 0.5, -0.6)
    return axes


def plot_expert_data(curves: pd.DataFrame) -> np.ndarray:
    """Pool with an expert against the part of the training groups it learns from, a panel a curve.

    Parameters
    ----------
    curves : DataFrame
        `report.tables.experts.data_curves`.

    Returns
    -------
    array of Axes
        Three panels a row at most. Each weighting has its pool with the expert (line and full marks) and
        without (broken line): the gain is the distance between the two. The band holds 80% of the orders.
    """
    pairs = list(curves.groupby(["benchmark_cell", "expert"], sort=False))
    wide = min(3, len(pairs))
    rows = -(-len(pairs) // wide)
    size = (0.4 + 2.6 * wide, 0.9 + 2.5 * rows)
    figure, axes = plt.subplots(rows, wide, figsize=size, squeeze=False, layout="constrained")
    for ax, ((cell, expert), curve) in zip(axes.flat, pairs, strict=False):
        _draw_curve(ax, curve)
        name = fill(f"+ {str(expert).split('/')[-1]}", 24)
        ax.set_title(f"{cell}\n{name}", fontsize=8.5)
        ax.set_xticks([5, 25, 50, 75, 100])
    for ax in axes.flat[len(pairs) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("Spearman on test rows", fontsize=9)
    for ax in axes.flat[max(0, len(pairs) - wide) : len(pairs)]:
        ax.set_xlabel("training groups, %", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(wide, 3), columnspacing=1.2, fontsize=8
    )
    return axes.flat[: len(pairs)]


def _draw_curve(ax: Axes, curve: pd.DataFrame) -> None:
    percent = 100 * curve["fraction"]
    band = (curve["pool"] + curve["low"], curve["pool"] + curve["high"])
    ax.plot(percent, curve["uniform_mixed"], color=BLUE, marker="o", label="with expert, uniform")
    ax.plot(percent, curve["pool"], color=BLUE, linestyle=":", linewidth=1.5, label="judges only, uniform")
    ax.plot(percent, curve["covariance_mixed"], color=VERMILION, marker="s", label="with expert, covariance")
    ax.plot(
        percent,
        curve["covariance"],
        color=VERMILION,
        linestyle="-.",
        linewidth=1.2,
        label="judges only, covariance",
    )
    ax.fill_between(percent, *band, color=BLUE, alpha=0.15, lw=0, label="uniform: 10 to 90% of orders")
    ax.plot(percent, curve["single"], color=BLACK, linestyle="--", linewidth=1.1, label="best single judge")
