"""Figure of the claim ledger: claims by status, one bar a study."""

from typing import TYPE_CHECKING

import pandas as pd

from judgekit.report.plots.palette import BLACK, BLUE, GREY, ORANGE, SKY, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATUS_STYLE = {
    "holds": (BLUE, ""),
    "fails": (VERMILION, ""),
    "mixed": (ORANGE, ""),
    "consistent": (SKY, "//"),
    "inconsistent": (ORANGE, "//"),
    "tuned on, not tested": ("#eeeeee", "..."),
    "not testable here": ("#cccccc", ""),
    "not rebuilt yet": ("#ffffff", "xx"),
    "definition": ("#e8e8e8", ""),
}


def plot_tally(tally: pd.DataFrame, *, ax: "Axes | None" = None) -> "Axes":
    """Claims of each study, stacked by status.

    Parameters
    ----------
    tally : DataFrame
        A row a study, a column a status in words, counts.
    ax : Axes, optional
        Where to draw; a new figure where not given.

    Returns
    -------
    Axes
    """
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(8, 0.45 * len(tally) + 1.2), layout="constrained")
    left = pd.Series(0, index=tally.index)
    for status in tally.columns:
        colour, hatch = STATUS_STYLE[str(status)]
        ax.barh(
            tally.index,
            tally[status],
            left=left,
            color=colour,
            hatch=hatch,
            edgecolor=GREY,
            label=str(status),
        )
        left = left + tally[status]
    ax.invert_yaxis()
    ax.set_xlabel("claims")
    ax.tick_params(axis="y", colors=BLACK)
    ax.legend(loc="lower right", frameon=False)
    return ax
