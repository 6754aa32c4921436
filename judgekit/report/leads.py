"""JudgeMoE's lead over each simpler pool, printed and rebuilt: the comparison that its page opens with."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from judgekit.report.counterparts import counterparts
from judgekit.report.format import ABSENT, rounded, shown, signed
from judgekit.report.published import printed_values
from judgekit.report.strip import Axis, Mark, Strip, StripLine
from judgekit.report.views import Line, TableView
from judgekit.studies.aggregation import METHODS

# Claims that print a lead over all 16 cells, by our name of the pool behind, and the one that prints a mean.
PRINTED = {"uniform_log": "jm-025", "single_best": "jm-024", "covariance_log": "jm-026"}
PRINTED_MEAN = "jm-042"
OVER = {
    "uniform_log": "the uniform log pool",
    "single_best": "the judge that validation picks",
    "covariance_log": "the covariance-aware pool",
    "uniform_linear": "the uniform linear pool",
    "fixed_subset": "the best fixed subset",
    "single_best_by_test": "the best judge by test, a bound",
    "ridge": "ridge on expected scores",
    "boosting": "boosting on summaries",
}
_NEEDED = ("scope", "unit", "baseline", "n", "mean_gain", "low", "high", "positive", "p_one_sided")
_COLUMNS = ("Lead", "95% interval", "Cells ahead", "Signed-rank p, one-sided", "Its mean Spearman")
_LEVEL = 0.05


@dataclass(frozen=True)
class Printed:
    """A printed lead: mean gain in Spearman, cells ahead as "12/16", one-sided p; all as printed."""

    gain: str
    ahead: str
    p: str


@dataclass(frozen=True)
class Rebuilt:
    """A rebuilt lead in mean Spearman over `cells` benchmark cells, with its 95% interval and one-sided p."""

    gain: float
    low: float
    high: float
    ahead: int
    cells: int
    p: float

    @property
    def within_chance(self) -> bool:
        """Whether the interval holds zero."""
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class Lead:
    """JudgeMoE's lead over one pool; None where it was not printed, or not rebuilt.

    Attributes
    ----------
    over : str
        The pool, in words.
    printed, rebuilt : Printed or None, Rebuilt or None
    mean : float
        Rebuilt mean Spearman of that pool; NaN where it is not known.
    """

    over: str
    printed: Printed | None
    rebuilt: Rebuilt | None
    mean: float


def leads(comparisons: pd.DataFrame | None, means: pd.DataFrame | None) -> tuple[Lead, ...]:
    """Leads over all cells: the three that the paper prints, largest first, then those over our own bars.

    Parameters
    ----------
    comparisons, means : DataFrame or None
        Rebuilt tables `judgemoe/comparisons` and `judgemoe/method_means`. Without the first, or where its
        columns are others, only the printed leads are found.
    """
    rebuilt = {}
    if comparisons is not None and set(_NEEDED) <= set(comparisons.columns):
        rows = comparisons[(comparisons["scope"] == "all cells") & (comparisons["unit"] == "cells")]
        rebuilt = {str(row["baseline"]): _rebuilt(row) for row in rows.to_dict("records")}
    return tuple(
        Lead(
            words,
            _printed(pool) if pool in PRINTED else None,
            rebuilt.get(pool),
            method_mean(means, pool),
        )
        for pool, words in OVER.items()
        if pool in PRINTED or pool in rebuilt
    )


def method_mean(means: pd.DataFrame | None, method: str) -> float:
    """Rebuilt mean Spearman of one method over choose and confirm cells; NaN where there is none."""
    if means is None or not {"method", "all_cells"} <= set(means.columns):
        return math.nan
    found = means.loc[means["method"] == METHODS[method], "all_cells"]
    return float(found.iloc[0]) if len(found) else math.nan


def lead_strips(found: Sequence[Lead]) -> Strip:
    """The leads as a picture: one line a pool, the printed lead outlined, ours filled on its interval."""
    rebuilt = [lead.rebuilt for lead in found if lead.rebuilt]
    values = [float(lead.printed.gain) for lead in found if lead.printed]
    values += [value for each in rebuilt for value in (each.gain, each.low, each.high)]
    axis = Axis.around(value for value in values if math.isfinite(value))
    groups = {
        "compared in the paper": tuple(_line(lead, axis) for lead in found if lead.printed),
        "not in the paper": tuple(_line(lead, axis) for lead in found if not lead.printed),
    }
    kept = {head: group for head, group in groups.items() if group}
    return Strip(
        tuple(kept.values()),
        "lead in mean Spearman",
        axis.ticks,
        (("diamond", "JudgeMoE's mean Spearman less that of the pool named"),),
        zero=axis.place(0.0),
        bars="95% interval over benchmark cells" if rebuilt else "",
        heads=tuple(kept),
    )


def lead_view(found: Sequence[Lead], mean: float) -> TableView:
    """The leads as a table: as printed, as rebuilt, and whether both say the same.

    Parameters
    ----------
    found : sequence of Lead
    mean : float
        Rebuilt mean Spearman of JudgeMoE itself; NaN where it is not known.
    """
    kinds = counterparts().kinds
    blank = ("",) * (len(_COLUMNS) - 1)
    itself = [Line("JudgeMoE itself", "printed", (*blank, _printed_mean()), "best of four gates, 10 cells")]
    if math.isfinite(mean):
        badge = kinds["analogue"].badge
        cells = (*blank, shown(mean, 4))
        itself.append(Line("recorded", "rebuilt", cells, "", "rebuilt", badge, "analogue"))
    groups = [tuple(itself)]
    for lead in found:
        name, lines = f"over {lead.over}", []
        if lead.printed:
            lines.append(Line(name, "printed", _printed_cells(lead.printed)))
        if lead.rebuilt:
            kind = "analogue" if lead.printed else "own"
            head, role = ("recorded", "rebuilt") if lead.printed else (name, "rebuilt named")
            cells = _rebuilt_cells(lead.rebuilt, lead.mean)
            lines.append(Line(head, role, cells, "", "rebuilt", kinds[kind].badge, kind))
        if lead.printed and lead.rebuilt:
            outcome = _outcome(lead.printed, lead.rebuilt)
            lines.append(Line("outcome", "orders", spoken=f"of the lead {name}", orders=(outcome,)))
        groups.append(tuple(lines))
    return TableView(_COLUMNS, (True,) * len(_COLUMNS), "JudgeMoE's lead", tuple(groups))


def lead_words(found: Sequence[Lead]) -> str:
    """What the rebuilt leads say, in a few sentences; empty where none was rebuilt."""
    rebuilt = [(lead.over, lead.rebuilt) for lead in found if lead.rebuilt]
    sorts = {
        "ahead of": [over for over in rebuilt if over[1].low > 0],
        "within chance (zero lies in the interval) of": [over for over in rebuilt if over[1].within_chance],
        "behind": [over for over in rebuilt if over[1].high < 0],
    }
    told = [f"{words} {_listed(named)}" for words, named in sorts.items() if named]
    if not told:
        return ""
    said = (
        "By the 95% bootstrap interval of its lead over cells, JudgeMoE on recorded judges is "
        f"{'; '.join(told)}."
    )
    if ahead := [
        each for each in rebuilt if each[1].within_chance and each[1].gain > 0 and each[1].p < _LEVEL
    ]:
        said += (
            f" The paper's criterion, a one-sided signed-rank p below {_LEVEL}, also counts a lead over "
            f"{_listed(ahead)}."
        )
    return said


def _listed(named: Sequence[tuple[str, Rebuilt]]) -> str:
    *first, last = [f"{over} ({_signed(lead.gain, 3)})" for over, lead in named]
    return f"{', '.join(first)} and {last}" if first else last


def _printed(pool: str) -> Printed:
    values = printed_values("judgemoe")
    mine = values[values["claim"] == PRINTED[pool]].set_index("key")["value"]
    return Printed(mine["mean_spearman_gain"], mine["positive_cells"], mine["p_one_sided"])


def _printed_mean() -> str:
    values = printed_values("judgemoe")
    return str(
        values.loc[(values["claim"] == PRINTED_MEAN) & (values["key"] == "mean_spearman"), "value"].iloc[0]
    )


def _rebuilt(row: dict) -> Rebuilt:
    gain, low, high = (float(row[name]) for name in ("mean_gain", "low", "high"))
    return Rebuilt(gain, low, high, int(row["positive"]), int(row["n"]), float(row["p_one_sided"]))


def _line(lead: Lead, axis: Axis) -> StripLine:
    marks, bar = [], None
    if lead.printed:
        value = float(lead.printed.gain)
        marks.append(Mark("diamond", axis.place(value), f"printed {_signed(value)}", filled=False))
    if lead.rebuilt:
        ours = lead.rebuilt
        words = f"recorded {_signed(ours.gain)}, 95% interval {_span(ours)}"
        marks.append(Mark("diamond", axis.place(ours.gain), words, filled=True))
        if math.isfinite(ours.low) and math.isfinite(ours.high):
            bar = (axis.place(ours.low), axis.place(ours.high))
    kind = "analogue" if lead.printed else "own"
    return StripLine(f"over {lead.over}", "both", kind, tuple(marks), bar)


def _printed_cells(lead: Printed) -> tuple[str, ...]:
    return _signed(float(lead.gain)), ABSENT, lead.ahead.replace("/", " of "), lead.p, ABSENT


def _rebuilt_cells(lead: Rebuilt, mean: float) -> tuple[str, ...]:
    ahead = f"{lead.ahead} of {lead.cells}"
    return _signed(lead.gain), _span(lead), ahead, shown(lead.p, 4), shown(mean, 4)


def _span(lead: Rebuilt) -> str:
    return f"{_signed(lead.low)} to {_signed(lead.high)}"


def _signed(value: float, digits: int = 4) -> str:
    return signed(rounded(value, digits))


def _outcome(printed: Printed, rebuilt: Rebuilt) -> tuple[bool, str]:
    """Whether both leads have the same sign and the same side of p = 0.05, and that in words."""
    theirs, ours = _in_words(float(printed.gain), float(printed.p)), _in_words(rebuilt.gain, rebuilt.p)
    return ours == theirs, ours if ours == theirs else f"{ours} (printed: {theirs})"


def _in_words(gain: float, p: float) -> str:
    where = "ahead" if gain > 0 else "not ahead"
    return f"{where}, one-sided signed-rank p {'below' if p < _LEVEL else 'not below'} {_LEVEL}"
