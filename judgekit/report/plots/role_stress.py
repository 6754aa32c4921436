"""Figures of copies joining a pool, of smaller audit sets, of turned slice mixes and of leaking splits."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from judgekit.report.plots.palette import BLACK, GREY, POLICY_NAMES, POLICY_STYLE

_THIN = "#c4c4c4"


def plot_copy_changes(changes: pd.DataFrame) -> np.ndarray:
    """Table 9 as a picture: what copies do to each policy's risk and cost, one row a setting.

    Parameters
    ----------
    changes : DataFrame
        `report.tables.role_copies.copy_changes` of one condition.

    Returns
    -------
    array of Axes [2]
        Change of risk, change of cost a row; right of zero is worse.
    """
    settings = list(changes["setting"].unique())
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 1.5 + 0.3 * len(settings)), sharey=True)
    labels = {"risk_change": "change of risk", "cost_change": "change of cost a row"}
    for ax, (column, label) in zip(axes, labels.items(), strict=True):
        for policy in _in_order(changes["policy"]):
            here = changes[changes["policy"] == policy]
            places = [settings.index(name) for name in here["setting"]]
            size = 95 if policy == "role_routed" else 38
            ax.scatter(here[column], places, s=size, **_mark(policy, hollow=policy == "role_routed"))
        ax.axvline(0, color=BLACK, linewidth=0.8, zorder=0)
        ax.set_xlabel(label)
        ax.grid(axis="x")
    axes[0].set_yticks(range(len(settings)), settings)
    axes[0].set_ylim(len(settings) - 0.5, -0.5)
    _legend(figure, _in_order(changes["policy"]), lines=False, hollow="role_routed")
    return np.asarray(axes)


def plot_copy_curve(means: pd.DataFrame) -> np.ndarray:
    """Risk and cost of each policy as exact copies join, one column a setting.

    Parameters
    ----------
    means : DataFrame
        setting, policy, copies, risk, cost.

    Returns
    -------
    array of Axes [2, settings]
    """
    return _panels(means, "copies", {"risk": "risk", "cost": "cost a row"}, "exact copies of the best judge")


def plot_noisy_copies(means: pd.DataFrame, *, label: str) -> np.ndarray:
    """Risk of each policy, and copies each calls, as the copies leave their original.

    Parameters
    ----------
    means : DataFrame
        setting, policy, share, risk, copy_calls.
    label : str
        What the share is a share of.

    Returns
    -------
    array of Axes [2, settings]
    """
    return _panels(means, "share", {"risk": "risk", "copy_calls": "copies called a row"}, label)


def plot_audit_curves(means: pd.DataFrame, *, policies: Sequence[str]) -> np.ndarray:
    """Excess risk and plan overlap at each part of the audit set, over all settings.

    Parameters
    ----------
    means : DataFrame
        `report.tables.role_audits.audit_means`.
    policies : sequence of str
        The first one's settings are drawn as thin lines; thick lines are means over settings.

    Returns
    -------
    array of Axes [2]
        Dashed lines: overlap of the full audit set's plan with its own plan after halving the same rows anew.
    """
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 3.5))
    kept = means[means["halves"] == "kept"]
    labels = {
        "excess_risk": "risk above the full audit's",
        "plan_jaccard": "overlap with the full plan (Jaccard)",
    }
    for ax, (column, label) in zip(axes, labels.items(), strict=True):
        for _, line in kept[kept["policy"] == policies[0]].groupby("setting", sort=False):
            ax.plot(line["audit_percent"], line[column], color=_THIN, linewidth=0.8, zorder=1)
        for policy in policies:
            mean = kept[kept["policy"] == policy].groupby("audit_percent")[column].mean()
            ax.plot(mean.index, mean, zorder=3, **_line(policy))
        ax.set_xlabel("audit set used, %")
        ax.set_ylabel(label)
        ax.set_xticks(sorted(kept["audit_percent"].unique()))
    anew = means[means["halves"] == "anew"].groupby("policy")["plan_jaccard"].mean()
    for policy in policies:
        axes[1].axhline(anew[policy], color=POLICY_STYLE[policy][0], linestyle="--", linewidth=1, zorder=2)
    axes[0].axhline(0, color=BLACK, linewidth=0.8, zorder=0)
    axes[1].set_ylim(0, 1.03)
    _legend(figure, list(policies), extra={"dashed: all labels, halved anew": "--"})
    return np.asarray(axes)


def plot_enough(enough: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """How much of the audit set would have been enough, one row a setting.

    Parameters
    ----------
    enough : DataFrame
        `report.tables.role_audits.enough_audit` of one policy.
    ax : Axes, optional

    Returns
    -------
    Axes
        Filled: the mean risk stays within the margin; open: the upper end of its interval does too.
    """
    ax = ax or plt.subplots(figsize=(6.8, 1.3 + 0.3 * len(enough)))[1]
    places = np.arange(len(enough))
    colour = POLICY_STYLE[enough["policy"].iloc[0]][0]
    ax.hlines(places, enough["enough_percent"], enough["sure_percent"], color=_THIN, linewidth=2, zorder=1)
    ax.scatter(
        enough["sure_percent"],
        places,
        s=60,
        facecolor="white",
        edgecolor=colour,
        label="the upper end of its interval too",
    )
    ax.scatter(enough["enough_percent"], places, s=24, color=colour, label="mean risk within the margin")
    edge = ax.get_yaxis_transform()
    for place, rows in enumerate(enough["enough_rows"]):
        ax.text(1.02, place, f"{rows:.0f}", transform=edge, va="center", fontsize=8)
    ax.text(1.02, -1.0, "rows, mean", transform=edge, va="center", fontsize=8, style="italic")
    ax.set_yticks(places, enough["setting"])
    ax.set_ylim(len(enough) - 0.4, -1.4)
    ax.set_xlim(0, 104)
    ax.set_xlabel("audit set from which on the risk stays within the margin, %")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return ax


def plot_mix_curves(curves: pd.DataFrame) -> np.ndarray:
    """Risk on a deployment mix against the mix planned on; rows are deployment mixes, columns settings.

    Parameters
    ----------
    curves : DataFrame
        `report.tables.role_audits.mix_curves` with a column `part`, what the share is of.

    Returns
    -------
    array of Axes [deployments, settings]
        The vertical line stands where the construction mix is the deployment mix.
    """
    settings, rows = curves["setting"].unique(), curves["deployed_share"].unique()
    size = (3.9 * len(settings) + 0.4, 2.4 * len(rows) + 0.9)
    figure, axes = plt.subplots(len(rows), len(settings), figsize=size, squeeze=False, sharex=True)
    for (row, column), ax in np.ndenumerate(axes):
        here = curves[(curves["setting"] == settings[column]) & (curves["deployed_share"] == rows[row])]
        _draw_lines(ax, here, "share", "risk")
        ax.axvline(rows[row], color=GREY, linewidth=1, linestyle=":", zorder=0)
        name = here["deployment_mix"].iloc[0]
        ax.set_title(f"{settings[column]}, deployed {name}", fontsize=9)
        if row == len(rows) - 1:
            ax.set_xlabel(f"share of {here['part'].iloc[0]} planned on")
        if column == 0:
            ax.set_ylabel("risk")
    _legend(figure, _in_order(curves["policy"]), extra={"planned mix = used mix": ":"})
    return axes


def plot_twin_leak(leaks: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """What planning on the twins of the test rows gains each policy.

    Parameters
    ----------
    leaks : DataFrame
        `report.tables.role_audits.twin_leak`.
    ax : Axes, optional

    Returns
    -------
    Axes
        Thick: 95% interval for more draws of these rows; thin: corrected, for other rows of the kind.
    """
    settings, policies = list(leaks["setting"].unique()), _in_order(leaks["policy"])
    ax = ax or plt.subplots(figsize=(6.8, 1.3 + 0.75 * len(settings)))[1]
    shifts = np.linspace(-0.3, 0.3, len(policies)) if len(policies) > 1 else [0.0]
    for shift, policy in zip(shifts, policies, strict=True):
        here = leaks[leaks["policy"] == policy]
        places = np.array([settings.index(name) for name in here["setting"]]) + shift
        colour = POLICY_STYLE[policy][0]
        ax.hlines(places, here["low"], here["high"], color=colour, linewidth=0.8)
        ax.hlines(places, here["drawn_low"], here["drawn_high"], color=colour, linewidth=3)
        ax.scatter(here["leak"], places, s=32, label=POLICY_NAMES[policy], zorder=3, **_mark(policy))
    ax.axvline(0, color=BLACK, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(settings)), settings)
    ax.set_ylim(len(settings) - 0.5, -0.5)
    ax.set_xlabel("risk saved by having seen the twins (right: the split leaks)")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.45, 1), ncols=3)
    return ax


def _panels(means: pd.DataFrame, x: str, measures: dict[str, str], label: str) -> np.ndarray:
    """Rows of panels are measures, columns settings."""
    settings = means["setting"].unique()
    size = (3.1 * len(settings) + 0.6, 2.3 * len(measures) + 0.9)
    figure, axes = plt.subplots(
        len(measures), len(settings), figsize=size, squeeze=False, sharex=True, sharey="row"
    )
    for column, setting in enumerate(settings):
        for ax, (measure, name) in zip(axes[:, column], measures.items(), strict=True):
            _draw_lines(ax, means[means["setting"] == setting], x, measure)
            if column == 0:
                ax.set_ylabel(name)
        axes[0, column].set_title(setting, fontsize=9.5)
        axes[-1, column].set_xlabel(label)
    _legend(figure, _in_order(means["policy"]))
    return axes


def _draw_lines(ax: Axes, frame: pd.DataFrame, x: str, y: str) -> None:
    for policy in _in_order(frame["policy"]):
        line = frame[frame["policy"] == policy].sort_values(x)
        ax.plot(line[x], line[y], **_line(policy))


def _in_order(policies: pd.Series) -> list[str]:
    return [policy for policy in POLICY_STYLE if policy in set(policies)]


def _mark(policy: str, *, hollow: bool = False) -> dict[str, Any]:
    colour, marker = POLICY_STYLE[policy]
    if marker in "x|":
        return {"marker": marker, "color": colour, "linewidths": 1.4}
    return {"marker": marker, "facecolor": "none" if hollow else colour, "edgecolor": colour}


def _line(policy: str) -> dict[str, Any]:
    colour, marker = POLICY_STYLE[policy]
    thick = 2.2 if policy == "role_routed" else 1.3
    return {"color": colour, "marker": marker, "linewidth": thick, "markersize": 4.5}


def _legend(
    figure: Figure,
    policies: Sequence[str],
    *,
    lines: bool = True,
    hollow: str = "",
    extra: dict[str, str] | None = None,
) -> None:
    handles = []
    for policy in policies:
        style = _line(policy) if lines else _line(policy) | {"linestyle": "none"}
        face: dict[str, Any] = {"markerfacecolor": "none"} if policy == hollow else {}
        handles.append(Line2D([], [], label=POLICY_NAMES[policy], **style, **face))
    for label, dashes in (extra or {}).items():
        style = {"color": GREY, "linestyle": dashes, "linewidth": 1}
        handles.append(Line2D([], [], label=label, **style))
    figure.legend(handles=handles, loc="outside upper center", ncols=4, columnspacing=1.2)
