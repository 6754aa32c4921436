"""Published beside rebuilt as one small frame, for a notebook."""

import pandas as pd

from judgekit.report.captions import studies
from judgekit.report.compare import compare


def beside(
    name: str, rebuilt: pd.DataFrame, *, profile: str, columns: list[str] | None = None
) -> pd.DataFrame:
    """Printed values, rebuilt values and their difference, one row a value.

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
        Index: published row, setting, kind of comparison, further keys; columns (column, printed | rebuilt |
        difference). Empty where no rebuilt row is a counterpart of a printed one, as in a local run.
    """
    caption = next(study.table(name) for study in studies() if name in {t.name for t in study.tables})
    frame = compare(caption, rebuilt, simulated=profile == "simulated").frame()
    if frame.empty:
        return frame
    wanted = columns or list(caption.lead) or list(frame["column"].unique())
    frame = frame[frame["column"].isin(wanted)]
    index = [column for column in frame if column not in ("column", "printed", "rebuilt", "difference")]
    wide = frame.pivot(index=index, columns="column").swaplevel(axis=1)
    order = [(column, part) for column in wanted for part in ("printed", "rebuilt", "difference")]
    rows = pd.MultiIndex.from_frame(frame[index].drop_duplicates())
    return wide.reindex(index=rows, columns=pd.MultiIndex.from_tuples(order))
