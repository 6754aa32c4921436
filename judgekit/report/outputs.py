"""What a notebook hands over for keeps: tables and figures, written only where the batch asks for them.

The batch sets ``$JUDGEKIT_OUTPUT`` to a staging folder. Where it is unset (Run All, stock papermill) nothing
is written, and a notebook reads the same either way.
"""

import io
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VARIABLE = "JUDGEKIT_OUTPUT"
NAME = re.compile(r"[a-z0-9][a-z0-9_]*(/[a-z0-9][a-z0-9_]*)*")
DECIMALS = 6
MARKS = 2000

Drawing = TypeVar("Drawing")


@dataclass(frozen=True)
class Outputs:
    """Destination of a notebook's tables and figures.

    Attributes
    ----------
    folder : Path or None
        Folder that receives ``tables/NAME.csv`` and ``figures/NAME.svg``; None = write nothing.
    """

    folder: Path | None

    def table(self, frame: pd.DataFrame, name: str) -> pd.DataFrame:
        """Write a tidy frame as ``tables/NAME.csv`` and return it unchanged.

        Floats carry six decimals (a missing one is empty, minus zero is zero), lines end in a line feed, text
        is UTF-8. Named index levels become the first columns; an unnamed whole-number index is left out.

        Raises
        ------
        InvalidInput
            The name is malformed or was used before, or the frame has no rows, nested or repeated column
            names, or an unnamed index that is not whole numbers.

        Examples
        --------
        >>> Outputs(None).table(pd.DataFrame({"risk": [0.25]}), "roles/table03_policy_comparison")
           risk
        0  0.25
        """
        name = checked_name(name)
        text = csv_text(frame, name)
        if self.folder is not None:
            _write_once(self.folder / "tables" / f"{name}.csv", text.encode())
        return frame

    def figure(self, drawing: Drawing, name: str) -> Drawing:
        """Write a figure as ``figures/NAME.svg`` and return it unchanged.

        Parameters
        ----------
        drawing : Figure, Axes, array of Axes or seaborn grid
            What to write; of Axes, the whole figure that they belong to.
        name : str
            Such as ``roles/figure01_regimes``.

        Raises
        ------
        InvalidInput
            The name is malformed or was used before, or `drawing` belongs to no figure.
        """
        name = checked_name(name)
        figure = _figure_of(drawing)
        if self.folder is not None:
            _write_once(self.folder / "figures" / f"{name}.svg", svg_bytes(figure))
        return drawing


def current() -> Outputs:
    """Outputs of the running notebook: below ``$JUDGEKIT_OUTPUT``, or nowhere where that is unset."""
    named = os.environ.get(VARIABLE)
    return Outputs(Path(named).resolve() if named else None)


def checked_name(name: str) -> str:
    """Return `name` where it can name an output; raises InvalidInput where it cannot.

    >>> checked_name("roles/table03_policy_comparison")
    'roles/table03_policy_comparison'
    """
    if NAME.fullmatch(name) is None:
        allowed = "lower-case letters, digits, _ and / between folders, such as roles/table03"
        raise InvalidInput("output name", allowed, repr(name))
    return name


def csv_text(frame: pd.DataFrame, name: str = "frame") -> str:
    """CSV of a tidy frame with six decimals; `name` is what an error calls it. Raises as `Outputs.table`."""
    if frame.index.names != [None] * frame.index.nlevels:
        frame = frame.reset_index()
    elif frame.index.nlevels > 1 or not pd.api.types.is_integer_dtype(frame.index.dtype):
        raise InvalidInput(f"table {name}", "a whole-number index or a named one", frame.index[:3].tolist())
    if frame.empty:
        raise InvalidInput(f"table {name}", "at least one row and one column", f"shape {frame.shape}")
    if frame.columns.nlevels > 1 or not frame.columns.is_unique:
        raise InvalidInput(f"table {name}", "one level of unique column names", frame.columns.tolist())
    shown = pd.DataFrame({column: _fixed_decimals(frame[column]) for column in frame}, dtype=object)
    return shown.to_csv(index=False, lineterminator="\n")


def svg_bytes(figure: "Figure") -> bytes:
    """SVG of a figure, equal bytes for equal drawings: fixed ids, no date or version, text as paths."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "judgekit", "svg.fonttype": "path", "svg.image_inline": True}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    # Saving leaves the mark of a change, for which pyplot would draw once more, unseen, where a cell ends.
    figure.stale = False
    return buffer.getvalue()


def rasterize_marks(ax: "Axes", *, limit: int = MARKS) -> "Axes":
    """Draw every collection or line of more than `limit` marks as an image, so that its SVG stays small.

    Parameters
    ----------
    ax : Axes
        Changed in place and returned.
    limit : int
        Largest number of marks that are still drawn one by one.
    """
    for collection in ax.collections:
        if max(np.shape(collection.get_offsets())[0], len(collection.get_paths())) > limit:
            collection.set_rasterized(True)
    for line in ax.lines:
        if line.get_marker() not in ("None", "none", " ", "", None) and np.size(line.get_xdata()) > limit:
            line.set_rasterized(True)
    return ax


def _fixed_decimals(column: "pd.Series[Any]") -> list[object]:
    if pd.api.types.is_float_dtype(column.dtype):
        return [_fixed(value) for value in column.to_numpy(dtype=float, na_value=np.nan)]
    return [_fixed(value) if isinstance(value, float) else value for value in column.astype(object)]


def _fixed(value: float) -> str:
    if np.isnan(value):
        return ""
    # Adding zero turns the minus zero of a rounded -1e-12 into zero: its sign is noise.
    return f"{round(float(value), DECIMALS) + 0.0:.{DECIMALS}f}"


def _figure_of(drawing: object) -> "Figure":
    from matplotlib.figure import Figure

    first = drawing.flat[0] if isinstance(drawing, np.ndarray) and drawing.size else drawing
    found = first if isinstance(first, Figure) else getattr(first, "figure", None)
    found = found if isinstance(found, Figure) else getattr(found, "figure", None)
    if not isinstance(found, Figure):
        raise InvalidInput("figure", "a matplotlib Figure or Axes, or a seaborn grid", type(drawing).__name__)
    return found


def _write_once(path: Path, content: bytes) -> None:
    if path.exists():
        raise InvalidInput("output name", "a name that this run has not used yet", path.stem)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
