"""Pattern tables: the mean label of every combination of verdicts, shortened where it was never seen."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from judgekit.axes import Codes, Target
from judgekit.errors import InvalidInput


@dataclass(frozen=True)
class TablePrediction:
    """Calibrated probabilities and the number of judges whose verdicts each one rests on.

    Attributes
    ----------
    probability : float64 [items]
    depth : int64 [items]
        Judges used; fewer than the table has where the pattern was unseen or an output is missing.
    """

    probability: np.ndarray
    depth: np.ndarray


@dataclass(frozen=True)
class PatternTable:
    """Mean label of each pattern of verdicts over an ordered panel, for the panel and each of its prefixes.

    Attributes
    ----------
    judges : tuple of int
        Columns of the code matrix, in the order in which the judges were added.
    levels : int
        Number of distinct verdicts a judge can give.
    base_rate : float
        Prediction of the empty pattern.
    keys, values, counts : tuple of arrays [patterns], one a depth
        Sorted keys (parent pattern * levels + verdict), calibrated probabilities and rows behind each.
    """

    judges: tuple[int, ...]
    levels: int
    base_rate: float
    keys: tuple[np.ndarray, ...]
    values: tuple[np.ndarray, ...]
    counts: tuple[np.ndarray, ...]

    @property
    def patterns(self) -> int:
        """Patterns over the whole panel that were seen."""
        return len(self.keys[-1]) if self.keys else 1

    def predict(self, codes: Codes) -> TablePrediction:
        """Look up each row's pattern, shortening it from the last-added judge until it was seen.

        Parameters
        ----------
        codes : int [items, judges of the pool]
            Verdicts; -1 = missing, which ends the pattern at the judge before, as a level never seen does.
        """
        probability = np.full(len(codes), self.base_rate)
        depth = np.zeros(len(codes), dtype=np.int64)
        for rows, value in self._walk(codes):
            probability[rows] = value
            depth[rows] += 1
        return TablePrediction(probability, depth)

    def path(self, codes: Codes) -> TablePrediction:
        """Predictions by the first judge, by the first two, and so on: arrays [items, judges of the table].

        Takes what `predict` takes, and its last column is what that returns.
        """
        probability = np.full((len(codes), len(self.judges)), self.base_rate)
        depth = np.zeros(probability.shape, dtype=np.int64)
        for place, (rows, value) in enumerate(self._walk(codes)):
            probability[rows, place:] = value[:, None]
            depth[rows, place:] += 1
        return TablePrediction(probability, depth)

    def _walk(self, codes: Codes) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows whose pattern was seen at each depth, and what it predicts."""
        rows, node, patterns = np.arange(len(codes)), np.zeros(len(codes), dtype=np.int64), 1
        for judge, keys, values in zip(self.judges, self.keys, self.values, strict=True):
            # the last place, which -1 finds, is that of a verdict not given
            place = np.full(patterns * self.levels + 1, -1, dtype=np.int64)
            place[keys] = np.arange(len(keys))
            verdict = codes[rows, judge]
            given = (verdict >= 0) & (verdict < self.levels)
            node = place[np.where(given, node * self.levels + verdict, -1)]
            if node.min(initial=0) < 0:
                rows, node = rows[node >= 0], node[node >= 0]
            yield rows, values[node]
            patterns = len(keys)


def fit_pattern_table(
    codes: Codes,
    target: Target,
    *,
    judges: tuple[int, ...],
    levels: int,
    smoothing: float = 1.0,
    prior: PatternTable | None = None,
) -> PatternTable:
    """Fit the table of a panel and of each of its prefixes (role paper, pattern tables; facts section 4).

    Parameters
    ----------
    codes : int [items, judges of the pool]
        Verdicts of complete rows.
    target : float64 [items]
        Labels scaled to 0..1.
    judges : tuple of int
        Panel, in the order in which its judges were added.
    levels : int
        Number of distinct verdicts.
    smoothing : float
        Pseudo-counts added to each pattern at the prior's prediction (default: at the base rate).
    prior : PatternTable, optional
        Table over the first judges of the panel, fitted on these rows among others: each pattern is shrunk
        toward its prediction there, and its patterns stay where these rows lack them. A slice table follows
        the global one.

    Raises
    ------
    InvalidInput
        No rows, a missing or too high verdict, negative smoothing, or a prior over other judges or rows.

    Examples
    --------
    >>> codes = np.array([[1], [1], [0], [0]])
    >>> table = fit_pattern_table(codes, np.array([1.0, 1.0, 0.0, 1.0]), judges=(0,), levels=2)
    >>> table.values[0].round(4).tolist()
    [0.5833, 0.9167]
    """
    if not len(target):
        raise InvalidInput("audit set", "at least one row for each table", "none")
    if not (np.isfinite(smoothing) and smoothing >= 0):
        raise InvalidInput("smoothing", "a finite number >= 0", smoothing)
    base_rate = float(target.mean())
    if prior is not None:
        if not smoothing or judges[: len(prior.judges)] != prior.judges:
            raise InvalidInput(
                "prior", f"a table over the first of {judges}, and smoothing > 0", prior.judges
            )
        base_rate = (float(target.sum()) + smoothing * prior.base_rate) / (len(target) + smoothing)
    toward = np.array([base_rate if prior is None else prior.base_rate])
    node = np.zeros(len(target), dtype=np.int64)
    patterns = 1
    keys, values, counts = [], [], []
    for depth, judge in enumerate(judges):
        verdict = codes[:, judge]
        if verdict.min() < 0 or verdict.max() >= levels:
            raise InvalidInput(
                "codes", f"complete rows, verdicts below {levels}", f"{verdict.min()}..{verdict.max()}"
            )
        key = node * levels + verdict
        rows, mass = cell_sums(key, target, patterns * levels)
        if prior is not None and depth < len(prior.judges):
            kept, toward = prior.keys[depth], prior.values[depth]
            if rows[kept].sum() != len(target):
                raise InvalidInput("prior", "a table fitted on these rows among others", "a pattern it lacks")
        else:
            kept = np.flatnonzero(rows)
            toward = np.repeat(toward, levels)[kept]
        keys.append(kept)
        values.append((mass[kept] + smoothing * toward) / (rows[kept] + smoothing))
        counts.append(rows[kept])
        renumber = np.zeros(patterns * levels, dtype=np.int64)
        renumber[kept] = np.arange(len(kept))
        node, patterns = renumber[key], len(kept)
    return PatternTable(judges, levels, base_rate, tuple(keys), tuple(values), tuple(counts))


def cell_sums(key: np.ndarray, target: Target, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and summed labels of each cell: int64 [cells], float64 [cells]."""
    return np.bincount(key, minlength=cells), np.bincount(key, weights=target, minlength=cells)
