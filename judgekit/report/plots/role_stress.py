"""Figures of copies joining a pool, of smaller audit sets, of turned slice mixes and of leaking splits."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from judgekit.report.plots.palette import BLACK, GREY, POLICY_NAMES, POLICY_STYLE
from judgekit.report.plots.policy_lines import (
    draw_lines,
    in_order,
    legend,
    line,
    mark,
    names,
    panels,
    same_values,
)

_THIN = "#c4c4c4"
# Marks that lie on each other at zero are nested by size.
_SIZES = {"role_routed": 150, "flat_all": 75, "frugal_cascade": 26}
_ONE_SETTING = {"color": _THIN, "linewidth": 0.8}


def plot_copy_changes(changes: pd.DataFrame) -> np.ndarray:
    """Table 9 as a picture: what copies do to each policy's risk and cost, one row a setting.

    Parameters
    ----------
    changes : DataFrame
        `report.tables.role_copies.copy_changes` of one condition.

    Returns
    -------
    array of Axes [2]
        Change of risk, change of cost a row; right of zero is worse. What calls every judge and coincides
        is one black mark with the names above.
    """
    settings = list(changes["setting"].unique())
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 1.5 + 0.3 * len(settings)), sharey=True)
    labels = {"risk_change": "change of risk", "cost_change": "change of cost a row"}
    for ax, (column, label) in zip(axes, labels.items(), strict=True):
        wide = changes.pivot(index="setting", columns="policy", values=column).loc[settings]
        together = same_values(wide)
        for policy in in_order(changes["policy"]):
            if policy not in together:
                size = _SIZES.get(policy, 38)
                style = mark(policy, hollow=policy == "role_routed")
                ax.scatter(wide[policy], range(len(wide)), s=size, **style)
        if together:
            ax.scatter(wide[together[0]], range(len(wide)), s=38, color=BLACK, marker="D")
            ax.text(wide[together[0]].iloc[0], -0.5, names(together), ha="right", va="bottom", fontsize=7.5)
        ax.axvline(0, color=BLACK, linewidth=0.8, zorder=0)
        ax.set_xlabel(label)
        ax.grid(axis="x")
    axes[0].set_yticks(range(len(settings)), settings)
    axes[0].set_ylim(len(settings) - 0.5, -0.5)
    legend(figure, in_order(changes["policy"]), lines=False, hollow="role_routed")
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
    return panels(means, "copies", {"risk": "risk", "cost": "cost a row"}, "exact copies of the best judge")


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
    return panels(means, "share", {"risk": "risk", "copy_calls": "copies called a row"}, label)


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
        for _, part in kept[kept["policy"] == policies[0]].groupby("setting", sort=False):
            ax.plot(part["audit_percent"], part[column], **_ONE_SETTING, zorder=1)
        for policy in policies:
            mean = kept[kept["policy"] == policy].groupby("audit_percent")[column].mean()
            ax.plot(mean.index, mean, zorder=3, **line(policy))
        ax.set_xlabel("audit set used, %")
        ax.set_ylabel(label)
        ax.set_xticks(sorted(kept["audit_percent"].unique()))
    anew = means[means["halves"] == "anew"].groupby("policy")["plan_jaccard"].mean()
    for policy in policies:
        axes[1].axhline(anew[policy], color=POLICY_STYLE[policy][0], linestyle="--", linewidth=1, zorder=2)
    axes[0].axhline(0, color=BLACK, linewidth=0.8, zorder=0)
    axes[1].set_ylim(0, 1.03)
    extra = {
        f"{POLICY_NAMES[policies[0]]}, one setting": _ONE_SETTING,
        "all labels, halved anew": {"color": GREY, "linestyle": "--", "linewidth": 1},
    }
    legend(figure, list(policies), extra=extra)
    return np.asarray(axes)


def plot_enough(enough: pd.DataFrame, *, margin: float, ax: Axes | None = None) -> Axes:
    """How much of the audit set would have been enough, one row a setting.

    Parameters
    ----------
    enough : DataFrame
        `report.tables.role_audits.enough_audit` of one policy.
    margin : float
        The margin that was asked for.
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
    ax.scatter(enough["enough_percent"], places, s=24, color=colour, label=f"mean risk within {margin:g}")
    edge = ax.get_yaxis_transform()
    for place, rows in enumerate(enough["enough_rows"]):
        ax.text(1.02, place, f"{rows:.0f}", transform=edge, va="center", fontsize=8)
    ax.text(1.02, -1.0, "rows, mean", transform=edge, va="center", fontsize=8, style="italic")
    ax.set_yticks(places, enough["setting"])
    ax.set_ylim(len(enough) - 0.4, -1.4)
    ax.set_xlim(0, 104)
    ax.set_xlabel(f"audit set from which on the risk stays within {margin:g} of the full audit's, %")
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
        draw_lines(ax, here, "share", "risk")
        ax.axvline(rows[row], color=GREY, linewidth=1, linestyle=":", zorder=0)
        name = here["deployment_mix"].iloc[0]
        ax.set_title(f"{settings[column]}, deployed {name}", fontsize=9)
        if row == len(rows) - 1:
            ax.set_xlabel(f"share of {here['part'].iloc[0]} planned on")
        if column == 0:
            ax.set_ylabel("risk")
    planned = {"color": GREY, "linestyle": ":", "linewidth": 1}
    legend(figure, in_order(curves["policy"]), extra={"planned mix = used mix": planned})
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
    settings, policies = list(leaks["setting"].unique()), in_order(leaks["policy"])
    ax = ax or plt.subplots(figsize=(6.8, 1.3 + 0.75 * len(settings)))[1]
    shifts = np.linspace(-0.3, 0.3, len(policies)) if len(policies) > 1 else [0.0]
    for shift, policy in zip(shifts, policies, strict=True):
        here = leaks[leaks["policy"] == policy]
        places = np.array([settings.index(name) for name in here["setting"]]) + shift
        colour = POLICY_STYLE[policy][0]
        ax.hlines(places, here["low"], here["high"], color=colour, linewidth=0.8)
        ax.hlines(places, here["drawn_low"], here["drawn_high"], color=colour, linewidth=3)
        ax.scatter(here["leak"], places, s=32, label=POLICY_NAMES[policy], zorder=3, **mark(policy))
    ax.plot([], [], color=GREY, linewidth=3, label="95% interval, more draws of these rows")
    ax.plot([], [], color=GREY, linewidth=0.8, label="95% interval, other rows of the kind")
    ax.axvline(0, color=BLACK, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(settings)), settings)
    ax.set_ylim(len(settings) - 0.5, -0.5)
    ax.set_xlabel("risk saved by having seen the twins (right: the split leaks)")
    ax.grid(axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.45, 1), ncols=3)
    return ax
