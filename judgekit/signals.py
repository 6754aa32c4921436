"""Route signals: what tells, at call time, which slice an item is in, and which judges that takes."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments

FORMS = "metadata, verifier:NAME, judge:NAME, disagreement:A,B or label"


@dataclass(frozen=True)
class Signal:
    """How a slice is known before the routed calls.

    Attributes
    ----------
    kind : {"metadata", "verifier", "judge", "disagreement", "label"}
        `label` is known only afterwards: such slices are analysed and never route.
    judges : tuple of str
        Judges whose verdicts make the signal; they are called first, and charged.
    """

    kind: str
    judges: tuple[str, ...] = ()

    @property
    def routes(self) -> bool:
        """Whether a plan may route on it."""
        return self.kind != "label"

    def __str__(self) -> str:
        return f"{self.kind}:{','.join(self.judges)}" if self.judges else self.kind


def parse_signal(text: object) -> Signal:
    """Read a signal from its written form.

    Raises
    ------
    InvalidInput
        Another form, or a number of judges that the form does not take.

    Examples
    --------
    >>> parse_signal("disagreement:A,B")
    Signal(kind='disagreement', judges=('A', 'B'))
    """
    if not isinstance(text, str):
        raise InvalidInput("signal", FORMS, text)
    kind, _, names = text.partition(":")
    judges = tuple(name.strip() for name in names.split(",")) if names else ()
    takes = {"metadata": 0, "label": 0, "verifier": 1, "judge": 1, "disagreement": 2}
    if kind not in takes or len(set(judges)) != takes[kind] or "" in judges:
        raise InvalidInput("signal", FORMS, text)
    return Signal(kind, judges)


def slice_labels(judgments: Judgments, signal: Signal, column: str | None = None) -> np.ndarray:
    """Slice of each item: object [items] of str, None where it is unknown.

    A metadata or label signal reads `column` of the items frame; a verifier's or judge's verdict is its
    score; a disagreement is "agree" or "disagree". Without a column there are no slices.

    Raises
    ------
    InvalidInput
        An absent column or judge.
    """
    if signal.kind in ("metadata", "label"):
        if column is None:
            return np.full(len(judgments.items), None, dtype=object)
        if column not in judgments.items:
            raise InvalidInput("slice", f"a column among {list(judgments.items.columns)}", column)
        values = judgments.items[column]
        labels = np.array(values.astype(str), dtype=object)
        labels[values.isna()] = None
        return labels
    codes = judgments.select(signal.judges).codes
    known = np.all(codes >= 0, axis=1)
    if signal.kind == "disagreement":
        labels = np.where(codes[:, 0] == codes[:, 1], "agree", "disagree").astype(object)
    else:
        scores = pd.Series(judgments.support).map("{:g}".format).to_numpy(dtype=object)
        labels = scores[np.maximum(codes[:, 0], 0)]
    labels[~known] = None
    return labels
