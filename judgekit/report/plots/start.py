"""Figures of the introduction: judges by slice, and pooled score distributions."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.plots.palette import BLUE, GREY, VERMILION


def plot_accuracy_by_slice(accuracy: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Share of right verdicts of each judge in each slice.

    Parameters
    ----------
    accuracy : DataFrame
        Rows judges, columns slices, values 0..1.
    ax : Axes, optional

    Returns
    -------
    Axes
        One row a judge; every cell carries its number, so that the colour only helps the eye.
    """
    ax = ax or plt.subplots(figsize=(1.5 + 1.25 * accuracy.shape[1], 0.9 + 0.34 * accuracy.shape[0]))[1]
    ax.imshow(accuracy, cmap="RdBu", vmin=0, vmax=1, aspect="auto", alpha=0.75)
    for row, judge in enumerate(accuracy.index):
        for column, name in enumerate(accuracy.columns):
            ax.text(column, row, f"{accuracy.loc[judge, name]:.2f}", ha="center", va="center", fontsize=9)
    ax.set_xticks(range(accuracy.shape[1]), [name.replace("_", "\n") for name in accuracy.columns])
    ax.set_yticks(range(accuracy.shape[0]), accuracy.index)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.set_title("share of right verdicts (0.5 is a coin)")
    return ax


def plot_distributions(distributions: pd.DataFrame, *, pools: tuple[str, ...] = ()) -> Axes:
    """Small bars of several score distributions, each with its mean.

    Parameters
    ----------
    distributions : DataFrame
        One row a distribution; columns are the scores of the support.
    pools : tuple of str
        Rows that are pools, drawn in another colour.

    Returns
    -------
    Axes
        The first of the row of panels; a triangle on the axis marks each mean.
    """
    support = distributions.columns.to_numpy(float)
    size = (1.75 * len(distributions), 2.0)
    panels = np.atleast_1d(plt.subplots(1, len(distributions), figsize=size, sharey=True)[1])
    for ax, (name, values) in zip(panels, distributions.iterrows(), strict=True):
        ax.bar(support, values, color=VERMILION if name in pools else BLUE, width=0.8)
        mean = float(values.to_numpy() @ support)
        ax.plot([mean], [-0.03], marker="^", color="black", clip_on=False, markersize=6)
        ax.tick_params(axis="x", pad=8)
        ax.set_xlabel("score", fontsize=9)
        ax.set_title(f"{name}\nmean {mean:.2f}", fontsize=9, fontweight="normal")
        ax.set_xticks(support)
        ax.grid(visible=False)
    panels[0].set_ylabel("probability")
    panels[0].set_ylim(bottom=0)
    return panels[0]


def plot_risks(risks: pd.Series, calls: pd.Series, *, ax: Axes | None = None) -> Axes:
    """Risk of a few policies as bars, with the calls a row beside each.

    Parameters
    ----------
    risks, calls : Series
        By policy name, in reading order.
    ax : Axes, optional
    """
    ax = ax or plt.subplots(figsize=(6.2, 0.8 + 0.38 * len(risks)))[1]
    places = np.arange(len(risks))
    lowest = risks == risks.min()
    ax.barh(places, risks, color=[BLUE if low else GREY for low in lowest], height=0.62)
    for place, (risk, spent) in enumerate(zip(risks, calls, strict=True)):
        ax.text(risk, place, f"  {risk:.3f}  at {spent:.1f} calls", va="center", fontsize=9)
    ax.set_yticks(places, risks.index)
    ax.invert_yaxis()
    ax.set_xlim(0, float(risks.max()) * 1.35)
    ax.set_xlabel("risk on the test half (lower is better)")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    return ax
