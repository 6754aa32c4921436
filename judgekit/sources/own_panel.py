"""A reader's own judgments: one Parquet or CSV file, and the pools it can be planned as."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from judgekit.audit import RolePool, role_pool
from judgekit.errors import InvalidInput, MissingData
from judgekit.frames import NO_NUMBER, Alignment, from_long, read_table
from judgekit.signals import Signal, parse_signal

SAMPLE = Path(__file__).parents[2] / "data" / "examples" / "panel_sample.csv"
LEAST_GROUPS = 8
MOST_SLICES = 50
_IN_COLUMNS = ("metadata", "label")


@dataclass(frozen=True)
class PanelOptions:
    """How a file of judgments is to be read.

    Attributes
    ----------
    slices : tuple of str
        Each a COLUMN whose value is known beforehand, or COLUMN=label (known only afterwards: analysed,
        never routed on), or NAME=verifier:JUDGE, NAME=judge:JUDGE, NAME=disagreement:A,B, which are read
        from verdicts and need no column.
    mapping : mapping of str to float, optional
        Score of each text verdict, and of text labels.
    support : tuple of float, optional
        Scores that a verdict can be; default: those found.
    cost_column : {"unit_cost", "price"}
        The cost that a plan's `cost_weight` charges.
    drop_unlabelled : bool
        Drop items without a label instead of refusing the file.
    """

    slices: tuple[str, ...] = ()
    mapping: Mapping[str, float] | None = None
    support: tuple[float, ...] | None = None
    cost_column: str = "unit_cost"
    drop_unlabelled: bool = False


@dataclass(frozen=True)
class OwnPanel:
    """What a file holds, ready to be checked and planned.

    Attributes
    ----------
    alignment : Alignment
        All items, and the account of what was given for each judge.
    pools : tuple of RolePool
        Complete items, once for every slice declared; one without slices if none is.
    columns : tuple of str or None
        Column behind the slices of each pool; None where they are read from verdicts, or there are none.
    titles : tuple of str
        What each pool's slices are called; "none" without any.
    priced : bool
        Whether the file has a `price` column, so that savings can be told in money.
    """

    alignment: Alignment
    pools: tuple[RolePool, ...]
    columns: tuple[str | None, ...]
    titles: tuple[str, ...]
    priced: bool

    @property
    def support(self) -> tuple[float, ...]:
        """Score of each bucket."""
        return tuple(float(score) for score in self.alignment.judgments.support)

    @property
    def prices(self) -> np.ndarray:
        """Price of one call of each judge: float64 [judges]."""
        return self.alignment.judgments.costs("price")


def read_panel(path: str | Path, options: PanelOptions | None = None) -> OwnPanel:
    """Read a file of judgments: columns item, judge, label, and score (or bucket and prob).

    Optional columns: group, the slices, protocol, family, kind, unit_cost, price.

    Raises
    ------
    InvalidInput
        A file that cannot be read or planned on; the field, what is allowed and what was given are named.
    """
    options = options or PanelOptions()
    declared = [parse_slice(text) for text in options.slices]
    if repeated := [
        name for k, (name, _) in enumerate(declared) if name in [each for each, _ in declared[:k]]
    ]:
        raise InvalidInput("slice", "each column once", repeated[0])
    frame = read_table(path)
    columns = [name for name, signal in declared if signal.kind in _IN_COLUMNS]
    for column in columns:
        if column not in frame.columns:
            raise InvalidInput("slice", f"a column among {', '.join(map(str, frame.columns))}", column)
    if options.mapping is not None:
        frame = _with_mapped_labels(frame, options.mapping)
    alignment = from_long(
        frame,
        slices=columns,
        support=options.support,
        mapping=options.mapping,
        unlabelled="count" if options.drop_unlabelled else "refuse",
    )
    names = alignment.judgments.names
    if len(names) < 2:
        raise InvalidInput("judge", "at least two judges, so that there is something to plan", repr(names[0]))
    pools = [_pool(Path(path).stem, alignment, name, signal, options) for name, signal in declared]
    pools = pools or [_pool(Path(path).stem, alignment, None, Signal("metadata"), options)]
    _check_rows(pools[0])
    return OwnPanel(
        alignment,
        tuple(pools),
        tuple(name if signal.kind in _IN_COLUMNS else None for name, signal in declared) or (None,),
        tuple(name for name, _ in declared) or ("none",),
        "price" in frame.columns,
    )


def parse_slice(text: str) -> tuple[str, Signal]:
    """Name and signal of a slice as written on the command line.

    Examples
    --------
    >>> parse_slice("topic")
    ('topic', Signal(kind='metadata', judges=()))
    >>> parse_slice("doubt=disagreement:A,B")[1].judges
    ('A', 'B')
    """
    name, equals, signal = text.partition("=")
    if not name.strip() or (equals and not signal):
        raise InvalidInput("slice", "COLUMN or COLUMN=SIGNAL", repr(text))
    return name.strip(), parse_signal(signal.strip() if equals else "metadata")


def parse_mapping(text: str) -> dict[str, float]:
    """Scores of text verdicts, as in yes=1,no=0.

    Examples
    --------
    >>> parse_mapping("yes=1,no=0")
    {'yes': 1.0, 'no': 0.0}
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        try:
            score = float(number)
        except ValueError:
            score = float("nan")
        if not name.strip() or not np.isfinite(score) or name.strip() in found:
            raise InvalidInput("mapping", "TEXT=NUMBER pairs such as yes=1,no=0, each text once", repr(part))
        found[name.strip()] = score
    return found


def parse_support(text: str) -> tuple[float, ...]:
    """Scores in increasing order, as in 1,2,3,4,5.

    Examples
    --------
    >>> parse_support("1,2,3")
    (1.0, 2.0, 3.0)
    """
    try:
        scores = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidInput("support", "numbers such as 1,2,3,4,5", repr(text)) from None
    if len(scores) < 2 or not np.all(np.isfinite(scores)) or not np.all(np.diff(scores) > 0):
        raise InvalidInput("support", "two or more numbers in increasing order", repr(text))
    return scores


def panel_path(path: str, *, profile: str) -> Path:
    """The file a notebook is about: `path`, or the sample where it is empty and the profile is simulated.

    A relative path is looked for from the working directory, then from the checkout.

    Raises
    ------
    InvalidInput
        A profile without judgments of the reader's own.
    MissingData
        The local profile without a file, or a file that is not there.
    """
    if profile not in ("simulated", "local"):
        raise InvalidInput("profile", "simulated (the sample) or local (a file of your own)", profile)
    how = "judgekit rebuild 10_your_panel --profile local -p path FILE"
    if not path and profile == "local":
        raise MissingData("a file of your judgments", how)
    if not path:
        return SAMPLE
    places = [Path(path), SAMPLE.parents[2] / path]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise MissingData(Path(path).name, how)
    return found


def _with_mapped_labels(frame: pd.DataFrame, mapping: Mapping[str, float]) -> pd.DataFrame:
    """The frame with text labels as numbers; verdicts that are numbers already take no mapping."""
    label = frame.get("label")
    if label is not None and not pd.api.types.is_numeric_dtype(label):
        mapped = label.map(dict(mapping)).astype(np.float64)
        number = mapped.where(mapped.notna(), pd.to_numeric(label, errors="coerce"))
        unknown = label.notna() & number.isna() & ~label.isin(NO_NUMBER)
        if unknown.any():
            raise InvalidInput(
                "label", f"numbers, or texts among {list(mapping)}", repr(label[unknown].iloc[0])
            )
        frame = frame.assign(label=number.astype(np.float64))
    score = frame.get("score")
    if score is not None and pd.api.types.is_numeric_dtype(score):
        raise InvalidInput("mapping", "only where verdicts are text", f"numbers such as {score.iloc[0]}")
    return frame


def _pool(
    name: str, alignment: Alignment, title: str | None, signal: Signal, options: PanelOptions
) -> RolePool:
    judgments = alignment.judgments
    unknown = [judge for judge in signal.judges if judge not in judgments.names]
    if unknown:
        raise InvalidInput("slice", f"judges among {', '.join(judgments.names)}", f"{unknown[0]} in {signal}")
    pool = role_pool(
        name,
        judgments,
        slice_column=title if signal.kind in _IN_COLUMNS else None,
        signal=signal,
        cost_column=options.cost_column,
    )
    if len(pool.slice_names) > MOST_SLICES:
        given = f"{len(pool.slice_names)} in {title}"
        raise InvalidInput("slice", f"at most {MOST_SLICES} distinct values", given)
    # whole numbers compare faster than names, and nothing else asks for a group's name
    return replace(pool, groups=pd.factorize(pool.groups, sort=True)[0].astype(np.int64))


def _check_rows(pool: RolePool) -> None:
    labels = np.unique(pool.target)
    if len(labels) < 2:
        raise InvalidInput("label", "at least two distinct values among complete items", "one value only")
    groups = len(np.unique(pool.groups))
    if groups < LEAST_GROUPS:
        allowed = f"at least {LEAST_GROUPS} groups of complete items, to halve twice"
        raise InvalidInput("rows", allowed, f"{groups} ({len(pool.target)} complete items)")
