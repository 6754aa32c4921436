"""Figures behind sliders: one value of a knob, shown among all the values that were computed before."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from judgekit.report.plots.palette import BLACK, BLUE, GREY, HOLLOW, POLICY_NAMES, POLICY_STYLE, VERMILION


def plot_threshold(
    calls: pd.DataFrame, path: pd.DataFrame, others: pd.DataFrame, *, gain_threshold: float
) -> np.ndarray:
    """Whom the routed plan calls at one gain threshold, and where that lies between risk and calls.

    Parameters
    ----------
    calls : DataFrame
        `report.tables.role_plans.call_shares`: gain_threshold, slice, judge, share.
    path : DataFrame
        gain_threshold, risk, calls: means over the same splits.
    others : DataFrame
        policy, risk, calls of the policies to compare with.
    gain_threshold : float
        The nearest threshold computed is shown.

    Returns
    -------
    array of Axes [2]
        Left, judges by slices: the number says in what share of the splits the plan makes the call, in
        percent. Right, the line joins all thresholds.
    """
    near = _nearest(path["gain_threshold"], gain_threshold)
    here = calls[calls["gain_threshold"] == near]
    share = here.pivot(index="judge", columns="slice", values="share")
    share = share.loc[here["judge"].unique(), here["slice"].unique()]
    size = (8.6, max(3.1, 1.9 + 0.27 * len(share)))
    axes = plt.subplots(1, 2, figsize=size, width_ratios=(1.5, 1), layout="constrained")[1]
    _draw_shares(axes[0], 100 * share)
    mark = path[path["gain_threshold"] == near].iloc[0]
    axes[1].plot(path["calls"], path["risk"], color=BLUE, marker=".", markersize=4, linewidth=1)
    for policy, made, risk in others[["policy", "calls", "risk"]].itertuples(index=False):
        axes[1].plot([made], [risk], **_mark(policy))
    axes[1].plot([mark["calls"]], [mark["risk"]], **_mark("role_routed", size=10))
    axes[1].set_title(f"{mark['calls']:.1f} calls, risk {mark['risk']:.3f}")
    axes[1].set_xlabel("calls a row")
    axes[1].set_ylabel("risk")
    axes[1].margins(0.12)
    axes[0].figure.suptitle(f"gain threshold {near:g}", fontsize=11)
    _legend(axes[0].figure, ["role_routed", *others["policy"]])
    return np.asarray(axes)


def plot_copies(curve: pd.DataFrame, *, copies: int) -> np.ndarray:
    """Where each policy moves between risk and cost as exact copies join, a panel a setting.

    Parameters
    ----------
    curve : DataFrame
        setting, policy, copies, risk, cost.
    copies : int
        Copies that have joined.

    Returns
    -------
    array of Axes [settings]
        Open marks: without copies; filled: with so many; the line goes through the numbers between. The
        limits are those of all numbers of copies, so that they stand still under a slider.
    """
    axes = _columns(list(curve["setting"].unique()), height=3.6)
    for setting, ax in axes.items():
        mine = curve[curve["setting"] == setting]
        for policy, line in mine.groupby("policy", sort=False):
            walked = line[line["copies"] <= copies].sort_values("copies")
            style = _mark(str(policy), size=9 if policy == "role_routed" else 6)
            ax.plot(walked["cost"], walked["risk"], color=style["color"], linewidth=1.1)
            ax.plot(walked["cost"].iloc[:1], walked["risk"].iloc[:1], **style | {"markerfacecolor": "white"})
            ax.plot(walked["cost"].iloc[-1:], walked["risk"].iloc[-1:], **style)
        ax.set_xlim(_span(mine["cost"]))
        ax.set_ylim(_span(mine["risk"]))
        ax.set_xlabel("cost a row")
    first = next(iter(axes.values()))
    first.set_ylabel("risk")
    first.figure.suptitle(f"{copies} cop{'y' if copies == 1 else 'ies'} of the best judge", fontsize=11)
    _legend(first.figure, list(curve["policy"].unique()))
    return np.array(list(axes.values()))


def plot_audit_plans(audits: pd.DataFrame, *, percent: int) -> np.ndarray:
    """What plans made on a part of the audit set share with the full plan, and what they lose by it.

    Parameters
    ----------
    audits : DataFrame
        `studies.audit_size.study_audit_sizes` of one policy.
    percent : int
        The nearest part computed is shown.

    Returns
    -------
    array of Axes [settings]
        A dot a split, the cross their mean; diamonds are plans made on all labels, halved anew into fit and
        validation rows. The limits are those of all parts.
    """
    key = ["setting", "split"]
    kept = audits[audits["halves"] == "kept"]
    full = kept[kept["audit_percent"] == 100].set_index(key)["risk"].rename("full_risk")
    audits = audits.join(full, on=key).assign(lost=lambda frame: frame["risk"] - frame["full_risk"])
    near = _nearest(kept["audit_percent"], percent)
    axes = _columns(list(audits["setting"].unique()), height=3.5)
    for setting, ax in axes.items():
        mine = audits[audits["setting"] == setting]
        anew = mine[mine["halves"] == "anew"]
        here = mine[(mine["halves"] == "kept") & (mine["audit_percent"] == near)]
        ax.axhline(0, color=BLACK, linewidth=0.8, zorder=0)
        ax.scatter(anew["plan_jaccard"], anew["lost"], s=22, marker="D", facecolor="none", edgecolor=GREY)
        ax.scatter(here["plan_jaccard"], here["lost"], s=26, color=BLUE)
        ax.plot([here["plan_jaccard"].mean()], [here["lost"].mean()], "+", color=VERMILION, markersize=16)
        ax.set_title(f"{setting}: {here['audit_rows'].mean():.0f} labels")
        ax.set_xlabel("overlap with the full plan")
        ax.set_xlim(-0.04, 1.04)
        ax.set_ylim(_span(mine["lost"].dropna()))
    first = next(iter(axes.values()))
    first.set_ylabel("risk above the full plan's")
    first.figure.suptitle(f"{near:g}% of the audit set", fontsize=11)
    labels: dict[str, dict[str, Any]] = {
        f"{near:g}% of the labels": {"marker": "o", "color": BLUE},
        "their mean": {"marker": "+", "color": VERMILION, "markersize": 12},
        "all labels, halved anew": {"marker": "D", "color": GREY, "markerfacecolor": "none"},
    }
    handles = [Line2D([], [], linestyle="none", label=text, **style) for text, style in labels.items()]
    first.figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return np.array(list(axes.values()))


def plot_pool_temperature(
    path: pd.DataFrame, example: pd.DataFrame, *, label: float, pool_temperature: float
) -> np.ndarray:
    """One item's pooled distribution at a temperature, and what the temperature does to order and to mass.

    Parameters
    ----------
    path : DataFrame
        Index: pool_temperature; spearman, log_loss.
    example : DataFrame
        Index: pool_temperature; a column a score of the support; pooled probabilities of one item.
    label : float
        Human score of that item.
    pool_temperature : float
        The nearest temperature computed is shown.

    Returns
    -------
    array of Axes [3]
    """
    near = _nearest(path.index.to_series(), pool_temperature)
    axes = plt.subplots(1, 3, figsize=(8.6, 2.7), layout="constrained")[1]
    support, values = example.columns.to_numpy(float), example.loc[near].to_numpy()
    axes[0].bar(support, values, color=BLUE, width=0.8 * float(np.diff(support).min()))
    axes[0].axvline(label, color=BLACK, linewidth=1, linestyle=":")
    axes[0].plot([values @ support], [-0.03], marker="^", color=BLACK, clip_on=False, markersize=7)
    axes[0].set_xticks(support)
    axes[0].set_ylim(0, 1)
    axes[0].tick_params(axis="x", pad=8)
    axes[0].set_title(f"one item, T = {near:g}")
    axes[0].set_xlabel("score (dotted: the human one; triangle: the mean)")
    axes[0].set_ylabel("probability")
    parts = (("spearman", "order: Spearman"), ("log_loss", "mass: log loss"))
    ticks = [tick for tick in (0.1, 0.3, 1.0, 3.0, 10.0) if path.index.min() <= tick <= path.index.max()]
    for ax, (column, title) in zip(axes[1:], parts, strict=True):
        height = float(path[column].loc[[near]].iloc[0])
        ax.plot(path.index, path[column], color=BLUE)
        ax.plot([near], [height], marker="o", color=VERMILION)
        ax.annotate(f"{height:.3f}", (near, height), (5, 6), textcoords="offset points")
        ax.set_xscale("log")
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
        ax.set_ylim(min(0.0, 1.1 * path[column].min()), max(1.0, 1.1 * path[column].max()))
        ax.set_title(title)
        ax.set_xlabel("pool temperature T")
    return np.asarray(axes)


def _draw_shares(ax: Axes, share: pd.DataFrame) -> None:
    ax.imshow(share, cmap="Blues", vmin=0, vmax=140, aspect="auto")
    for (row, column), value in np.ndenumerate(share.to_numpy()):
        ax.text(column, row, f"{value:.0f}" if value else "·", ha="center", va="center", fontsize=8.5)
    ax.set_xticks(range(share.shape[1]), [name.replace("_", "\n") for name in share.columns], fontsize=8)
    ax.set_yticks(range(share.shape[0]), share.index, fontsize=8)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.set_title("called in % of the splits, on")


def _columns(settings: Sequence[str], *, height: float) -> dict[str, Axes]:
    size = (min(3.6 * len(settings) + 0.6, 8.6), height)
    panels = plt.subplots(1, len(settings), figsize=size, squeeze=False, layout="constrained")[1][0]
    for setting, ax in zip(settings, panels, strict=True):
        ax.set_title(setting)
    return dict(zip(settings, panels, strict=True))


def _span(values: pd.Series) -> tuple[float, float]:
    """Lowest and highest value with a margin; a little of either where they are one."""
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 0.01
    return low - margin, high + margin


def _nearest(values: pd.Series, wanted: float | int) -> float:
    return float(values.iloc[int(np.abs(values.to_numpy(float) - wanted).argmin())])


def _mark(policy: str, *, size: int = 7) -> dict[str, Any]:
    colour, marker = POLICY_STYLE[policy]
    face = "white" if policy in HOLLOW else colour
    look = {"color": colour, "marker": marker, "markerfacecolor": face}
    return look | {"linestyle": "none", "markersize": size}


def _legend(figure: Figure | SubFigure, policies: Sequence[str]) -> None:
    handles = [Line2D([], [], label=POLICY_NAMES[policy], **_mark(policy)) for policy in policies]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handletextpad=0.3, columnspacing=1.2)
