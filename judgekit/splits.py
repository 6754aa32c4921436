"""Splits by group: fit, validation and test halves, audit subsamples, slice-mix shifts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judgekit.axes import Mask
from judgekit.errors import InvalidInput


@dataclass(frozen=True)
class Split:
    """Three disjoint sets of rows.

    Attributes
    ----------
    fit, validation, test : int64 [rows]
        Row numbers, increasing. Tables are fitted on `fit`, choices are made on `validation`, and `test` is
        scored once.
    """

    fit: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    @property
    def construction(self) -> np.ndarray:
        """Fit and validation rows together, on which the final tables are refitted."""
        return np.sort(np.concatenate([self.fit, self.validation]))


def split_by_group(groups: np.ndarray, *, rng: np.random.Generator) -> Split:
    """Halve the groups into construction and test, then the construction groups into fit and validation.

    Test takes ceil(n/2) of n groups, validation ceil(rest/2) of the rest: the sizes of Table 14 of the role
    paper.

    Parameters
    ----------
    groups : array [items]
        Group of each row; give row numbers for a row-level split.
    rng : numpy Generator

    Raises
    ------
    InvalidInput
        Fewer than four groups, so that a part would be empty, or a NaN among them.

    Examples
    --------
    >>> split = split_by_group(np.arange(837), rng=np.random.default_rng(0))
    >>> len(split.fit), len(split.validation), len(split.test)
    (209, 209, 419)
    """
    named = np.asarray(groups)
    if (unnamed := named != named).any():
        raise InvalidInput("group", "a group for every row", f"{int(unnamed.sum())} NaN")
    _, code = np.unique(named, return_inverse=True)
    count = int(code.max()) + 1 if len(code) else 0
    if count < 4:
        raise InvalidInput("group", "at least 4 groups for fit, validation and test", count)
    order = rng.permutation(count)
    tested = -(-count // 2)
    validated = -(-(count - tested) // 2)
    part = np.empty(count, dtype=np.int8)
    part[order[:tested]] = 2
    part[order[tested : tested + validated]] = 1
    part[order[tested + validated :]] = 0
    rows = part[code]
    return Split(*(np.flatnonzero(rows == value) for value in (0, 1, 2)))


def split_three(
    groups: np.ndarray, shares: Sequence[float] = (0.6, 0.2, 0.2), *, rng: np.random.Generator
) -> Split:
    """Train (`fit`), validation and test rows by whole groups, in the given shares of the groups.

    The default is what JudgeMoE's cells use here where upstream has no split. The draw depends on the sorted
    values of the groups alone: cells of one data set get the same groups in each part from the same seed.

    Parameters
    ----------
    groups : array [items]
        Group (document, dialogue, solution) of each row.
    shares : three floats
        Of train, validation and test; positive, summing to one. Validation and test are rounded to whole
        groups, at least one each, and train takes the rest.
    rng : numpy Generator

    Raises
    ------
    InvalidInput
        Shares that are not three parts of one, or fewer than three groups.

    Examples
    --------
    >>> split = split_three(np.arange(100), rng=np.random.default_rng(0))
    >>> len(split.fit), len(split.validation), len(split.test)
    (60, 20, 20)
    """
    if len(shares) != 3 or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise InvalidInput("shares", "three positive numbers that sum to 1", tuple(shares))
    _, code = np.unique(np.asarray(groups), return_inverse=True)
    count = int(code.max()) + 1 if len(code) else 0
    if count < 3:
        raise InvalidInput("group", "at least 3 groups for train, validation and test", count)
    validated, tested = (max(1, round(share * count)) for share in shares[1:])
    # At extreme shares rounding could leave train empty.
    validated = min(validated, count - 2)
    tested = min(tested, count - validated - 1)
    order = rng.permutation(count)
    part = np.zeros(count, dtype=np.int8)
    part[order[:tested]] = 2
    part[order[tested : tested + validated]] = 1
    rows = part[code]
    return Split(*(np.flatnonzero(rows == value) for value in (0, 1, 2)))


def audit_subsample(split: Split, groups: np.ndarray, *, fraction: float, rng: np.random.Generator) -> Split:
    """Keep a fraction of the construction groups and halve them anew; the test rows stay (Table 15).

    Raises
    ------
    InvalidInput
        `fraction` outside (0, 1], or fewer than two groups left.
    """
    if not 0 < fraction <= 1:
        raise InvalidInput("fraction", "a number in (0, 1]", fraction)
    if fraction == 1:
        return split
    rows = split.construction
    values, code = np.unique(np.asarray(groups)[rows], return_inverse=True)
    kept = round(fraction * len(values))
    if kept < 2:
        raise InvalidInput("fraction", "at least 2 groups left", f"{kept} of {len(values)}")
    order = rng.permutation(len(values))[:kept]
    validated = -(-kept // 2)
    return Split(
        fit=rows[np.isin(code, order[validated:])],
        validation=rows[np.isin(code, order[:validated])],
        test=split.test,
    )


def mix_shift(groups: np.ndarray, heavy: Mask, *, share: float, rng: np.random.Generator) -> Split:
    """Construction rows rich in one part of the items and test rows rich in the other (Table 16).

    A group is heavy when its first row is. Construction takes `share` heavy groups, the test half `1 -
    share`, both as large as the scarcer part allows, on disjoint groups.

    Parameters
    ----------
    groups : array [items]
    heavy : bool [items]
        The part that construction is rich in.
    share : float
        Share of heavy groups in construction, in [0, 1].
    rng : numpy Generator

    Raises
    ------
    InvalidInput
        `share` outside [0, 1], or too few groups of a part for the asked mix.
    """
    if not 0 <= share <= 1:
        raise InvalidInput("share", "a number in [0, 1]", share)
    _, first, code = np.unique(np.asarray(groups), return_index=True, return_inverse=True)
    parts = [np.flatnonzero(heavy[first]), np.flatnonzero(~heavy[first])]
    size = min(len(part) for part in parts)
    if size < 4:
        raise InvalidInput("slice mix", "at least 4 groups on either side", [len(part) for part in parts])
    taken = [round(share * size), size - round(share * size)]
    shuffled = [rng.permutation(part) for part in parts]
    construction = rng.permutation(
        np.concatenate([part[:k] for part, k in zip(shuffled, taken, strict=True)])
    )
    test = np.concatenate([part[k:size] for part, k in zip(shuffled, taken, strict=True)])
    validated = -(-len(construction) // 2)
    pieces = (construction[validated:], construction[:validated], test)
    return Split(*(np.flatnonzero(np.isin(code, piece)) for piece in pieces))


def group_folds(groups: np.ndarray, folds: int, *, rng: np.random.Generator) -> np.ndarray:
    """Fold of each row, 0 to folds - 1: whole groups, as equal in number as they go.

    Raises
    ------
    InvalidInput
        More folds than groups.
    """
    _, code = np.unique(groups, return_inverse=True)
    count = int(code.max()) + 1
    if count < folds:
        raise InvalidInput("folds", f"at most {count}, the number of training groups", folds)
    return rng.permutation(np.arange(count) % folds)[code]
