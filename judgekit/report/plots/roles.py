"""Figures of the role-allocation paper."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.plots.palette import BLUE, GREY, POLICY_NAMES, POLICY_STYLE, SKY
from judgekit.report.plots.policy_lines import in_order, legend, mark

_COMPARED = ("flat_all", "full_stack", "global_panel", "role_routed")


def plot_regimes(means: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Figure 1: risk of each policy relative to the single best judge, one row a setting.

    Parameters
    ----------
    means : DataFrame
        `report.tables.roles.policy_means`: setting, policy, risk, calls, judges; needs single_best.
    ax : Axes, optional

    Returns
    -------
    Axes
        Settings from top to bottom in the order of the frame; a point left of the line beats one judge.
        The routed plan's calls, of how many judges, stand at the right edge.
    """
    wide = means.pivot(index="setting", columns="policy", values="risk").loc[means["setting"].unique()]
    ratio = wide.div(wide["single_best"], axis=0)
    ax = ax or plt.subplots(figsize=(7.2, 1.3 + 0.36 * len(ratio)))[1]
    places = np.arange(len(ratio))
    shown = [policy for policy in _COMPARED if policy in ratio]
    ax.hlines(
        places, ratio[shown].min(axis=1), ratio[shown].max(axis=1), color="#bbbbbb", linewidth=1, zorder=1
    )
    for policy in shown:
        ax.scatter(ratio[policy], places, s=42, label=POLICY_NAMES[policy], **mark(policy))
    ax.axvline(1, color=POLICY_STYLE["single_best"][0], linewidth=1, zorder=0)
    routed = means[means["policy"] == "role_routed"].set_index("setting").loc[ratio.index]
    edge = ax.get_yaxis_transform()
    for place, (calls, judges) in enumerate(zip(routed["calls"], routed["judges"], strict=True)):
        ax.text(1.01, place, f"{calls:.1f} of {judges:.0f}", transform=edge, va="center", fontsize=8)
    ax.text(1.01, -0.75, "calls, routed", transform=edge, va="center", fontsize=8, style="italic")
    ax.set_yticks(places, ratio.index)
    ax.set_ylim(len(ratio) - 0.4, -1.1)
    ax.set_xlabel("risk relative to the single best judge (left of the line is better)")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4, handletextpad=0.2, columnspacing=1.2)
    return ax


def plot_frontier(frontier: pd.DataFrame, *, columns: int = 4) -> np.ndarray:
    """Figure 2: risk against cost of every policy, one panel a setting, with the line no policy lies below.

    Parameters
    ----------
    frontier : DataFrame
        `report.tables.roles.frontier`: setting, policy, risk, cost, on_frontier.
    columns : int
        Panels a row.

    Returns
    -------
    array of Axes [panels]
    """
    settings = frontier["setting"].unique()
    columns = min(columns, len(settings))
    rows = -(-len(settings) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(2.6 * columns, 2.25 * rows + 0.9), squeeze=False)
    for ax, setting in zip(grid.ravel(), settings, strict=False):
        here = frontier[frontier["setting"] == setting]
        best = here[here["on_frontier"]].sort_values("cost")
        ax.plot(best["cost"], best["risk"], color=GREY, linewidth=1, drawstyle="steps-post", zorder=1)
        for policy, cost, risk in here[["policy", "cost", "risk"]].itertuples(index=False):
            ax.scatter([cost], [risk], s=34, zorder=2, **mark(policy))
        ax.set_title(setting, fontsize=9)
        ax.margins(0.1)
    for ax in grid.ravel()[len(settings) :]:
        ax.set_visible(False)
    figure.supxlabel("cost a row", fontsize=9.5)
    figure.supylabel("risk", fontsize=9.5)
    legend(figure, in_order(frontier["policy"]), lines=False)
    return grid.ravel()[: len(settings)]


def plot_decomposition(gains: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """What routing gains over the global panel, split into recalibration by slice and extra calls.

    Parameters
    ----------
    gains : DataFrame
        `report.tables.roles.gain_decomposition`.
    ax : Axes, optional

    Returns
    -------
    Axes
        Two bars a setting, right of zero where the risk fell; lines are corrected 95% intervals over splits.
    """
    ax = ax or plt.subplots(figsize=(7.2, 1.2 + 0.46 * len(gains)))[1]
    places = np.arange(len(gains))
    parts = (
        ("recalibration_gain", "tables refitted by slice: no extra call", SKY, "///", -0.19),
        ("calls_gain", "routed calls on top", BLUE, "", 0.19),
    )
    for column, label, colour, hatch, shift in parts:
        ax.barh(
            places + shift, gains[column], 0.36, color=colour, hatch=hatch, edgecolor="white", label=label
        )
        half = gains[f"{column}_half_width"]
        ax.errorbar(gains[column], places + shift, xerr=half, fmt="none", ecolor="#444444", elinewidth=0.9)
    ax.axvline(0, color="#222222", linewidth=1)
    ax.set_yticks(places, gains["setting"])
    ax.invert_yaxis()
    ax.set_xlabel("drop of risk against the global panel (right is better)")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return ax
