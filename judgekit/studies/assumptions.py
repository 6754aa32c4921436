"""What the propositions suppose of judges, measured on the judges of a benchmark cell."""

import numpy as np
import pandas as pd

from judgekit.benchmark import BenchmarkCell
from judgekit.metrics import residual_correlation_matrix
from judgekit.scores import nearest_bucket
from judgekit.studies.propositions import complete_rows
from judgekit.studies.theory import error_variance


def assumptions(cell: BenchmarkCell, *, veto: float = 1e-3) -> pd.DataFrame:
    """What real judges make of the propositions' assumptions, one row each.

    Parameters
    ----------
    cell : BenchmarkCell
    veto : float
        Mass below which a judge counts as having ruled a bucket out.

    Returns
    -------
    DataFrame
        assumption, `supposed`, `measured` (as text, with units) and `by_how_much`, a number.
    """
    rows = complete_rows(cell)
    errors = rows.scores - rows.target[:, None]
    bias = errors.mean(axis=0)
    variance = errors.var(axis=0)
    correlation = residual_correlation_matrix(rows.scores, rows.target)
    pairs = correlation[np.triu_indices(len(variance), 1)]
    formula = error_variance(float(np.sqrt(variance.mean())), float(pairs.mean()), len(variance))
    actual = float(errors.mean(axis=1).var())
    slopes = np.array([np.polyfit(column, rows.target, 1)[0] for column in rows.scores.T])
    nearest = nearest_bucket(rows.target, rows.support)
    mass = np.take_along_axis(rows.probs, nearest[:, None, None], axis=2)[:, :, 0]
    ruled_out = float((mass < veto).mean())
    found = [
        ("equal error variance", "ratio 1", _span(variance), float(variance.max() / variance.min())),
        ("equal error correlation", "one number", _span(pairs), float(pairs.max() - pairs.min())),
        ("variance formula", f"{formula:.4f}", f"{actual:.4f}", actual / formula),
        ("calibrated mean", "slope 1", _span(slopes), float(np.abs(slopes - 1).max())),
        ("unbiased", "bias 0", _span(bias), float(np.abs(bias).max())),
        ("no veto", f"no mass below {veto:g}", f"{ruled_out:.1%} of outputs", ruled_out),
    ]
    return pd.DataFrame(found, columns=["assumption", "supposed", "measured", "by_how_much"])


def _span(values: np.ndarray) -> str:
    return f"{values.min():.3f} to {values.max():.3f}"
