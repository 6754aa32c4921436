"""The audit set: the labelled construction rows, all that planning and every policy may look at."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from judgekit.axes import Codes, Costs, Target
from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments
from judgekit.signals import Signal, slice_labels
from judgekit.splits import Split


@dataclass(frozen=True)
class RolePool:
    """A pool with slices, prices and the signal that tells a slice: what a role study of one setting needs.

    Attributes
    ----------
    name : str
        Name of the setting.
    codes : int [items, judges]
        Verdicts as bucket numbers; complete rows only.
    target : float64 [items]
        Labels scaled to 0..1.
    groups : array [items]
        Rows that never straddle a split.
    slices : int64 [items]
        Number of each item's slice; -1 = unknown.
    slice_names : tuple of str
    judges : tuple of str
    families : tuple of str
    costs : float64 [judges]
        Cost of a call.
    levels : int
        Number of buckets.
    signal : Signal
        What makes the slice known; its judges are charged wherever a plan routes.
    signal_cost : float
        Cost a row of a signal made outside the pool.
    rows_given, unlabelled : int
        Rows before complete-case filtering, and those of them without a label.
    missing : dict
        Missing outputs per judge name before filtering.
    """

    name: str
    codes: Codes
    target: Target
    groups: np.ndarray
    slices: np.ndarray
    slice_names: tuple[str, ...]
    judges: tuple[str, ...]
    families: tuple[str, ...]
    costs: Costs
    levels: int
    signal: Signal = field(default_factory=lambda: Signal("metadata"))
    signal_cost: float = 0.0
    rows_given: int = 0
    unlabelled: int = 0
    missing: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(set(self.judges)) != len(self.judges):
            raise InvalidInput("judges", "unique names", list(self.judges))
        if not np.all(np.isfinite(self.costs) & (self.costs >= 0)):
            raise InvalidInput("costs", "finite numbers >= 0", self.costs.tolist())
        if not np.all(np.isfinite(self.target)):
            raise InvalidInput("label", "a finite number for every row", "a missing one")

    def audit(self, split: Split) -> "AuditSet":
        """The construction rows of a split."""
        rows = split.construction
        return AuditSet(
            pool=self.rows(rows),
            fit=np.searchsorted(rows, split.fit),
            validation=np.searchsorted(rows, split.validation),
        )

    def rows(self, rows: np.ndarray) -> "RolePool":
        """The same pool on these rows."""
        return replace(
            self,
            codes=self.codes[rows],
            target=self.target[rows],
            groups=self.groups[rows],
            slices=self.slices[rows],
        )

    def with_copies(self, columns: np.ndarray, codes: Codes | None = None) -> "RolePool":
        """The pool with judges appended: exact copies of `columns`, or `codes` in their place."""
        added = self.codes[:, columns] if codes is None else codes
        suffixed = tuple(f"{self.judges[column]} copy {k}" for k, column in enumerate(columns, start=1))
        return replace(
            self,
            codes=np.concatenate([self.codes, added.astype(self.codes.dtype)], axis=1),
            judges=self.judges + suffixed,
            families=self.families + tuple(self.families[column] for column in columns),
            costs=np.concatenate([self.costs, self.costs[columns]]),
        )


@dataclass(frozen=True)
class AuditSet:
    """Construction rows of a pool, with the fit and validation rows among them.

    Attributes
    ----------
    pool : RolePool
        Construction rows only.
    fit, validation : int64
        Row numbers in `pool`.
    found : dict
        What was searched for on these rows already, by all that settles it: policies share it.
    """

    pool: RolePool
    fit: np.ndarray
    validation: np.ndarray
    found: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        target = self.pool.target
        if len(self.pool.judges) < 2:
            raise InvalidInput(
                "judges", "at least two, so that there is something to allocate", len(self.pool.judges)
            )
        if not len(self.fit) or not len(self.validation):
            raise InvalidInput(
                "audit set", "fit and validation rows", f"{len(self.fit)}, {len(self.validation)}"
            )
        if np.all(target == target[0]):
            raise InvalidInput(
                "label", "at least two distinct values in the audit set", f"only {target[0]:g}"
            )


def halve_again(audit: AuditSet, *, repeats: int, rng: np.random.Generator) -> tuple[AuditSet, ...]:
    """New random halvings of the same rows by group, each half in turn for fitting and for validation.

    Parameters
    ----------
    audit : AuditSet
    repeats : int
        Halvings; twice as many audit sets come back.
    rng : numpy Generator

    Raises
    ------
    InvalidInput
        Fewer than one repeat or than two groups.
    """
    values, code = np.unique(audit.pool.groups, return_inverse=True)
    if repeats < 1:
        raise InvalidInput("repeats", "at least 1", repeats)
    if len(values) < 2:
        raise InvalidInput("group", "at least 2 groups to halve", len(values))
    halves: list[AuditSet] = []
    for _ in range(repeats):
        first = np.isin(code, rng.permutation(len(values))[: len(values) // 2])
        one, other = np.flatnonzero(first), np.flatnonzero(~first)
        halves += [replace(audit, fit=one, validation=other), replace(audit, fit=other, validation=one)]
    return tuple(halves)


def role_pool(
    name: str,
    judgments: Judgments,
    *,
    slice_column: str | None,
    signal: Signal,
    cost_column: str = "unit_cost",
    signal_cost: float = 0.0,
    positive_from: float | None = None,
) -> RolePool:
    """Complete rows of a pool with its slices, ready for planning.

    Parameters
    ----------
    name : str
    judgments : Judgments
        Binary or bucketed verdicts; distributions are read by their most probable bucket.
    slice_column : str or None
        Column of the items frame for a metadata or label signal; None = no slices.
    signal : Signal
    cost_column : {"unit_cost", "price"}
    signal_cost : float
        Cost a row of a signal made outside the pool.
    positive_from : float, optional
        Read the label as binary: 1 from this value on.

    Raises
    ------
    InvalidInput
        A negative or non-finite cost; an absent slice column; a judge that never parses.
    """
    if not (np.isfinite(signal_cost) and signal_cost >= 0):
        raise InvalidInput("signal_cost", "a finite number >= 0", signal_cost)
    complete = judgments.complete_case()
    kept = complete.judgments
    labels = slice_labels(kept, signal, slice_column)
    names = tuple(sorted({label for label in labels if label is not None}))
    number = {label: k for k, label in enumerate(names)}
    return RolePool(
        name=name,
        codes=kept.codes,
        target=kept.scaled_target
        if positive_from is None
        else (kept.target >= positive_from).astype(np.float64),
        groups=kept.items["group"].to_numpy(),
        slices=np.array([number.get(label, -1) for label in labels], dtype=np.int64),
        slice_names=names,
        judges=tuple(kept.names),
        families=tuple(kept.judges["family"]),
        costs=kept.costs(cost_column),
        levels=len(kept.support),
        signal=signal,
        signal_cost=signal_cost,
        rows_given=complete.rows,
        unlabelled=complete.unlabelled,
        missing={str(judge): int(count) for judge, count in complete.missing.items()},
    )
