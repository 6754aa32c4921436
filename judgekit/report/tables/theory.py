"""Tables of the propositions: what one of them comes to on the judges of each benchmark cell."""

import pandas as pd

from judgekit.errors import InvalidInput


def of_proposition(found: pd.DataFrame, proposition: str) -> pd.DataFrame:
    """One proposition's quantities as columns, a row a benchmark cell, both in the order of the study.

    Parameters
    ----------
    found : DataFrame
        `studies.propositions.study_propositions`.
    proposition : str

    Raises
    ------
    InvalidInput
        The study has no such proposition.
    """
    part = found[found["proposition"] == proposition]
    if part.empty:
        raise InvalidInput("proposition", ", ".join(found["proposition"].unique()), proposition)
    wide = part.pivot(index="benchmark_cell", columns="quantity", values="value")
    return wide.loc[part["benchmark_cell"].unique(), part["quantity"].unique()]
