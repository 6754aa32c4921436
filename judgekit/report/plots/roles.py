"""Figures of the role-allocation paper."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.plots.palette import POLICY_NAMES, POLICY_STYLE

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
        colour, marker = POLICY_STYLE[policy]
        face = "white" if policy == "global_panel" else colour
        name = POLICY_NAMES[policy]
        ax.scatter(ratio[policy], places, s=42, marker=marker, facecolor=face, edgecolor=colour, label=name)
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
