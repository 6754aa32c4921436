"""Folds: pairs of fit and validation rows, and the pattern tables of the panels that grow on them."""

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from judgekit.audit import AuditSet, RolePool
from judgekit.calibration import PatternTable
from judgekit.errors import InvalidInput

STAY = -1
# Verdicts counted at a time: on few rows candidates share a call, on many each part stays in cache.
_BLOCK = 1 << 16
# Cells of candidates' tables held at a time.
_TABLES = 1 << 20

Sums = tuple[np.ndarray, np.ndarray]


class FoldRows(NamedTuple):
    """Rows of a pool, each with the number of its fold; a row may stand in several folds."""

    rows: np.ndarray
    fold: np.ndarray


class Folds:
    """Pairs of fit and validation rows, and on each pair the pattern table of the panel grown there so far.

    Tables are fitted on the fit rows. The validation risk of a panel with one more judge is read from counts
    per cell: all candidates on all folds take two passes over integers. A validation row whose pattern the
    fit rows lack keeps the prediction of the shorter pattern from then on.

    Parameters
    ----------
    pool : RolePool
    fit, validation : FoldRows
        Folds are numbered from 0.
    count : int
        Number of folds.
    smoothing : float
        Pseudo-counts at the base rate of a fold's fit rows, or at the prediction of a table that is followed.

    Raises
    ------
    InvalidInput
        A fold without fit or validation rows.
    """

    def __init__(
        self, pool: RolePool, fit: FoldRows, validation: FoldRows, *, count: int, smoothing: float = 1.0
    ) -> None:
        sizes = np.stack([np.bincount(part.fold, minlength=count) for part in (fit, validation)])
        if not sizes.all():
            empty = sizes[:, np.argmin(sizes.min(axis=0))]
            raise InvalidInput("audit set", "fit and validation rows", f"{empty[0]}, {empty[1]}")
        self.levels, self.smoothing = pool.levels, smoothing
        by_judge = np.ascontiguousarray(pool.codes.T)
        self._fit, self._validation = (_Cells(pool, by_judge, part, count) for part in (fit, validation))
        base_rate = np.bincount(fit.fold, pool.target[fit.rows], minlength=count) / sizes[0]
        missed = (base_rate[validation.fold] - pool.target[validation.rows]) ** 2
        self.risks = np.bincount(validation.fold, missed, minlength=count) / sizes[1]
        # Patterns stand fold by fold.
        self._value = self._toward = base_rate
        self._fold = self._first = np.arange(count)
        self._settled = np.zeros(count)

    @property
    def judges(self) -> int:
        """Number of judges of the pool."""
        return len(self._fit.codes)

    @property
    def patterns(self) -> np.ndarray:
        """Number of patterns in each fold's table: int64 [folds]."""
        return np.diff(self._first, append=len(self._value))

    def copy(self) -> "Folds":
        """The same folds with the same panels, to grow on their own."""
        twin = copy.copy(self)
        twin._fit, twin._validation = copy.copy(self._fit), copy.copy(self._validation)
        return twin

    def only(self, folds: np.ndarray) -> "Folds":
        """Some of the folds, in ascending order, numbered anew."""
        inside = np.zeros(len(self.risks), dtype=bool)
        inside[folds] = True
        kept, number = inside[self._fold], np.cumsum(inside) - 1
        pattern = np.append(np.cumsum(kept) - 1, kept.sum())
        twin = copy.copy(self)
        twin._fit, twin._validation = (
            part.only(inside, number, pattern) for part in (self._fit, self._validation)
        )
        twin.risks, twin._settled = self.risks[inside], self._settled[inside]
        twin._value, twin._toward = self._value[kept], self._toward[kept]
        twin._number_patterns(number[self._fold[kept]])
        return twin

    def risks_with(self, judges: Sequence[int] | np.ndarray) -> np.ndarray:
        """Validation risk of each fold's panel with one more judge: float64 [candidates, folds]."""
        judges = np.asarray(judges, dtype=np.int64)
        block = max(1, _TABLES // ((len(self._value) + 1) * self.levels))
        losses = [self._losses(judges[at : at + block]) for at in range(0, len(judges), block)]
        return self._mean(np.concatenate(losses) if losses else np.empty((0, len(self.risks))))

    def add(self, judges: int | np.ndarray) -> None:
        """Extend the panels by one judge: the same on all folds, or one a fold, where STAY adds none."""
        judges = np.broadcast_to(judges, len(self.risks))
        verdicts = self._fit.verdicts(judges)
        fitted = self._fit.sums(verdicts, [0], len(self._value))
        kept = fitted[0][0] > 0
        kept[np.flatnonzero(judges[self._fold] == STAY) * self.levels] = True
        keys = np.flatnonzero(kept)
        self._advance(judges, verdicts, fitted, keys, self._toward[keys // self.levels])

    def follow(self, tables: Sequence[PatternTable]) -> None:
        """Take over panel and patterns of one table a fold, and shrink each pattern toward its prediction.

        Judges added later are shrunk toward the same predictions. A table's patterns stay where no fit row
        shows them.
        """
        for depth in range(max(len(table.judges) for table in tables)):
            judges = np.array([t.judges[depth] if depth < len(t.judges) else STAY for t in tables])
            keys, toward = [], []
            for table, judge, first, size in zip(tables, judges, self._first, self.patterns, strict=True):
                own = np.arange(first, first + size)
                keys.append(own * self.levels if judge == STAY else first * self.levels + table.keys[depth])
                toward.append(self._toward[own] if judge == STAY else table.values[depth])
            verdicts = self._fit.verdicts(judges)
            fitted = self._fit.sums(verdicts, [0], len(self._value))
            self._advance(judges, verdicts, fitted, np.concatenate(keys), np.concatenate(toward))

    def _advance(
        self, judges: np.ndarray, verdicts: np.ndarray, fitted: Sums, keys: np.ndarray, toward: np.ndarray
    ) -> None:
        """Move the rows to the patterns of these keys; others keep the shorter pattern's value for good."""
        rows, mass = fitted[0][0], fitted[1][0]
        value = self._value.repeat(self.levels)
        value[keys] = (mass[keys] + self.smoothing * toward) / (rows[keys] + self.smoothing)
        tested = self._validation.verdicts(judges)
        loss = _squared_error(self._validation.sums(tested, [0], len(self._value) + 1), value)[0]
        self.risks = self._mean(self._per_fold(loss))
        loss[keys] = 0.0
        self._settled = self._settled + self._per_fold(loss)
        renumber = np.full((len(self._value) + 1) * self.levels, len(keys), dtype=np.int64)
        renumber[keys] = np.arange(len(keys))
        self._fit.move(verdicts, renumber)
        self._validation.move(tested, renumber)
        self._value, self._toward = value[keys], toward
        self._number_patterns(self._fold[keys // self.levels])

    def _number_patterns(self, fold: np.ndarray) -> None:
        self._fold, self._first = fold, np.searchsorted(fold, np.arange(len(self.risks)))

    def _losses(self, judges: np.ndarray) -> np.ndarray:
        """Squared error of the extended tables on each fold's rows that are not settled."""
        rows, mass = self._fit.sums(self._fit.codes, judges, len(self._value))
        value = np.empty(rows.shape)
        value[:] = self._value.repeat(self.levels)
        toward = self.smoothing * self._toward.repeat(self.levels)
        np.divide(mass + toward, rows + self.smoothing, out=value, where=rows > 0)
        tested = self._validation.sums(self._validation.codes, judges, len(self._value) + 1)
        return self._per_fold(_squared_error(tested, value))

    def _per_fold(self, loss: np.ndarray) -> np.ndarray:
        return np.asarray(np.add.reduceat(loss, self._first * self.levels, axis=-1))

    def _mean(self, loss: np.ndarray) -> np.ndarray:
        return np.asarray((loss + self._settled + self._validation.excess) / self._validation.rows)


def folds_of(halves: Sequence[AuditSet], *, smoothing: float) -> Folds:
    """Fit and validation rows of audit sets on one pool, a fold each, with empty panels."""
    fit, validation = (_joined(parts) for parts in _parts(halves))
    return Folds(halves[0].pool, fit, validation, count=len(halves), smoothing=smoothing)


def folds_within(halves: Sequence[AuditSet], numbers: np.ndarray, *, smoothing: float) -> Folds:
    """The same within slices.

    Parameters
    ----------
    halves : sequence of AuditSet
    numbers : int64 [halves, slices]
        Fold of each slice's rows of each half, from 0; -1 leaves them out.
    smoothing : float
    """
    parts = [rows_within(halves[0].pool, part, numbers) for part in _parts(halves)]
    fit, validation = (FoldRows(rows[fold >= 0], fold[fold >= 0]) for rows, fold in parts)
    return Folds(halves[0].pool, fit, validation, count=int(numbers.max()) + 1, smoothing=smoothing)


def rows_within(pool: RolePool, parts: Sequence[np.ndarray], numbers: np.ndarray) -> FoldRows:
    """Rows of one part of each half, with their folds, as in `folds_within`; -1 = left out."""
    rows, half = _joined(parts)
    # the number of a row without a slice, -1, finds the last column
    fold_of = np.concatenate([numbers, np.full((len(numbers), 1), -1)], axis=1)
    return FoldRows(rows, fold_of[half, pool.slices[rows]])


def _parts(halves: Sequence[AuditSet]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return [half.fit for half in halves], [half.validation for half in halves]


def _joined(parts: Sequence[np.ndarray]) -> FoldRows:
    return FoldRows(np.concatenate(parts), np.arange(len(parts)).repeat([len(part) for part in parts]))


class _Cells:
    """Rows and summed labels per (pattern, verdict) of one set of rows.

    The row's pattern is kept as an offset to which a candidate's verdict is added; binary labels are part of
    the offset, so that one count gives both sums.
    """

    def __init__(self, pool: RolePool, by_judge: np.ndarray, part: FoldRows, count: int) -> None:
        target = pool.target[part.rows]
        self.binary = bool(np.all((target == 0) | (target == 1)))
        self.excess = np.bincount(part.fold, target**2 - target, minlength=count)
        self.rows = np.bincount(part.fold, minlength=count)
        self.codes = np.take(by_judge, part.rows, axis=1)
        self._levels = pool.levels
        self._target = target.astype(np.int64) if self.binary else target
        self._fold = self._node = part.fold
        self._offset = self._offsets()

    def only(self, inside: np.ndarray, number: np.ndarray, pattern: np.ndarray) -> "_Cells":
        twin, rows = copy.copy(self), inside[self._fold]
        twin.excess, twin.rows = self.excess[inside], self.rows[inside]
        twin.codes, twin._target = np.compress(rows, self.codes, axis=1), self._target[rows]
        twin._fold, twin._node = number[self._fold[rows]], pattern[self._node[rows]]
        twin._offset = twin._offsets()
        return twin

    def verdicts(self, judges: np.ndarray) -> np.ndarray:
        """Verdict of the judge that joins the row's fold, the lowest one where none does: int [1, rows]."""
        if judges[0] != STAY and np.all(judges == judges[0]):
            return self.codes[judges[:1]]
        judge = judges[self._fold]
        return np.where(judge == STAY, 0, self.codes[judge, np.arange(len(self._target))])[None]

    def sums(self, codes: np.ndarray, judges: Sequence[int] | np.ndarray, patterns: int) -> Sums:
        """Rows and summed labels of each cell by some rows of `codes`: [judges, patterns * levels] each."""
        shape = (len(judges), patterns, 2 if self.binary else 1, self._levels)
        cells, count = int(np.prod(shape[1:])), len(self._target)
        step = min(max(_BLOCK, cells), count)
        group = min(max(1, _BLOCK // step), len(judges))
        rows = np.zeros((len(judges), cells), dtype=np.int64)
        mass = np.zeros((len(judges), 0 if self.binary else cells))
        for at in range(0, count, step):
            part = slice(at, at + step)
            offset = self._offset[part] + cells * np.arange(group)[:, None]
            for some in range(0, len(judges), group):
                those = judges[some : some + group]
                key, size = (codes[those, part] + offset[: len(those)]).ravel(), cells * len(those)
                rows[some : some + group] += np.bincount(key, minlength=size).reshape(-1, cells)
                if not self.binary:
                    weights = np.tile(self._target[part], len(those))
                    mass[some : some + group] += np.bincount(key, weights, size).reshape(-1, cells)
        if not self.binary:
            return rows, mass
        by_label, flat = rows.reshape(shape), (len(judges), patterns * self._levels)
        ones = by_label[:, :, 1].reshape(flat)
        return by_label[:, :, 0].reshape(flat) + ones, ones

    def move(self, verdicts: np.ndarray, renumber: np.ndarray) -> None:
        self._node = renumber[self._node * self._levels + verdicts[0]]
        self._offset = self._offsets()

    def _offsets(self) -> np.ndarray:
        return (2 * self._node + self._target if self.binary else self._node) * self._levels


def _squared_error(sums: Sums, value: np.ndarray) -> np.ndarray:
    """Squared error of `value` in each of its cells, for 0/1 labels of which `mass` are ones."""
    rows, mass = (part[:, : value.shape[-1]] for part in sums)
    return np.asarray((rows - mass) * value**2 + mass * (1 - value) ** 2)
