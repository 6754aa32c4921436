"""Published beside rebuilt as one small frame, for a notebook."""

from collections.abc import Hashable
from typing import Any

import pandas as pd

from judgekit.report.captions import column_label, studies
from judgekit.report.cells import number_cell
from judgekit.report.compare import compare

HEAD = "printed | rebuilt | difference"


def beside(
    name: str, rebuilt: pd.DataFrame, *, profile: str, columns: list[str] | None = None
) -> pd.DataFrame:
    """Printed and rebuilt values at the printed digits, and their difference where the rows are the same.

    Parameters
    ----------
    name : str
        Table, such as "table03_policy_comparison".
    rebuilt : DataFrame
        With the printed columns.
    profile : {"simulated", "recorded", "local"}
        Simulated values were tuned to the printed ones and get no difference.
    columns : list of str, optional
        Printed columns to keep; default: the ones the report leads with, or all.

    Returns
    -------
    DataFrame
        Index: published row, setting, kind of comparison, further keys; each cell "printed | rebuilt |
        difference" as text, the last only on the same rows. Empty where no rebuilt row is a counterpart of a
        printed one, as in a local run.
    """
    caption = next(study.table(name) for study in studies() if name in {t.name for t in study.tables})
    compared = compare(caption, rebuilt, simulated=profile == "simulated")
    frame = compared.frame()
    if frame.empty:
        return frame
    wanted = columns or list(caption.lead) or list(frame["column"].unique())
    frame = frame[frame["column"].isin(wanted)]
    index = [column for column in frame if column not in ("column", "printed", "rebuilt", "difference")]
    texts = [_cell(row, compared.digits[row["column"]]) for row in frame.to_dict("records")]
    frame = frame.assign(text=texts, kind=frame["kind"].str.replace("_", " "))
    wide = frame.pivot(index=index, columns="column", values="text")
    rows = pd.MultiIndex.from_frame(frame[index].drop_duplicates())
    wide = wide.reindex(index=rows, columns=wanted).rename(columns=column_label)
    return wide.rename_axis(columns=HEAD)


def _cell(row: dict[Hashable, Any], digits: int) -> str:
    shown = [number_cell(row[part], digits) for part in ("printed", "rebuilt")]
    gap = row["difference"]
    return " | ".join(shown if pd.isna(gap) else [*shown, number_cell(gap, digits, sign=True)])
