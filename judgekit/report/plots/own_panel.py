"""Figures of a reader's own panel: the frontier, and the gains that roles are named by."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.plots.palette import BLUE, GREY, POLICY_NAMES
from judgekit.report.plots.policy_lines import mark


def plot_own_frontier(frontier: pd.DataFrame, *, chosen: str, ax: Axes | None = None) -> Axes:
    """Risk against cost of every policy, the plan circled, with the line that no policy lies below.

    Parameters
    ----------
    frontier : DataFrame
        `report.tables.roles.frontier` of one setting: policy, risk, cost, on_frontier.
    chosen : str
        The policy that the plan is.
    ax : Axes, optional
    """
    ax = ax or plt.subplots(figsize=(7.2, 3.8))[1]
    best = frontier[frontier["on_frontier"]].sort_values("cost")
    ax.plot(best["cost"], best["risk"], color=GREY, linewidth=1, drawstyle="steps-post", zorder=1)
    for row in frontier.to_dict("records"):
        name = POLICY_NAMES[row["policy"]]
        ax.scatter([row["cost"]], [row["risk"]], s=44, zorder=2, label=name, **mark(row["policy"]))
        if row["policy"] == chosen:
            ax.scatter([row["cost"]], [row["risk"]], s=190, facecolor="none", edgecolor=BLUE, linewidth=1.6)
    ax.set_xlabel("cost a row (your plan is circled)")
    ax.set_ylabel("risk")
    ax.margins(0.08)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def plot_own_roles(roles: pd.DataFrame, *, where: str = "all", ax: Axes | None = None) -> Axes:
    """Gain of every judge on all rows, or in one slice, with its interval and the threshold.

    Parameters
    ----------
    roles : DataFrame
        `roles_frame`.
    where : str
        "all" or a slice.
    ax : Axes, optional

    Returns
    -------
    Axes
        One row a judge; filled marks lie clearly on one side of the dashed threshold.
    """
    rows = roles[roles["slice"] == where]
    ax = ax or plt.subplots(figsize=(7.2, 1.1 + 0.36 * len(rows)))[1]
    places = np.arange(len(rows))
    ax.hlines(places, rows["low"], rows["high"], color=GREY, linewidth=1.4, zorder=1)
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        face = BLUE if row["settled"] else "white"
        ax.scatter([row["gain"]], [place], s=42, facecolor=face, edgecolor=BLUE, zorder=2)
        ax.text(
            1.01, float(place), row["role"], transform=ax.get_yaxis_transform(), va="center", fontsize=8.5
        )
    bar = float(rows["threshold"].iloc[0] + rows["charge"].iloc[0])
    ax.axvline(bar, color="#222222", linestyle="--", linewidth=1)
    ax.set_yticks(places, rows["judge"])
    ax.invert_yaxis()
    ax.set_xlabel(f"drop of risk that the judge brings (dashed: the threshold, {bar:g})")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    return ax
