"""What one profile's results say, in at most ten lines: for the index, and for the end of a rebuild."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from judgekit.report.captions import studies
from judgekit.report.format import counted, order, rounded, shown, signed
from judgekit.report.leads import Lead, leads
from judgekit.report.results import ALTERED, HERE, Results, minute

_MAIN = "table03_policy_comparison"
_RISK_DIGITS = 4
_LEAD_DIGITS = 3


@dataclass(frozen=True)
class ProfileSummary:
    """One profile at a glance.

    Attributes
    ----------
    profile : str
        simulated, recorded or local.
    state : str
        "here", "repository", "mixed" or "absent".
    headline : str
        Whether and when the results were rebuilt here.
    lines : tuple of str
        At most nine findings and counts.
    """

    profile: str
    state: str
    headline: str
    lines: tuple[str, ...]


def profile_summary(results: Results) -> ProfileSummary:
    """Counts of what was rebuilt, and the main comparison's outcome over all settings of the profile."""
    states = results.states()
    if not states:
        return ProfileSummary(results.profile, "absent", "nothing here yet", ())
    here = [entry for entry in states.values() if entry.state == HERE]
    if len(here) == len(states):
        state, headline = "here", f"rebuilt here, {minute(max(entry.when for entry in here))}"
    elif here:
        state, headline = (
            "mixed",
            f"{len(here)} of {len(states)} files rebuilt here, the rest from the repository",
        )
    else:
        days = [entry.when[:10] for entry in states.values() if entry.when]
        built = f" (built {max(days)})" if days else ""
        state, headline = "repository", f"from the repository, not rebuilt here{built}"
    tables = sum(name.startswith("tables/") for name in states)
    lines = [f"{counted(tables, 'table')} and {counted(len(states) - tables, 'figure')}"]
    if executed := results.notebooks():
        lines.append(f"{counted(len(executed), 'executed notebook')} to read")
    if altered := [name for name, entry in states.items() if entry.state == ALTERED]:
        lines.append(f"differs from the manifest: {', '.join(altered)}")
    frame = results.table(studies()[0].name, _MAIN)
    if frame is not None:
        lines += _main_lines(frame)
    lines += _lead_lines(leads(results.table("judgemoe", "comparisons"), None))
    return ProfileSummary(results.profile, state, headline, tuple(lines[:9]))


def _main_lines(frame: pd.DataFrame) -> list[str]:
    """How often the role-routed plan comes out below the other policies, and at what share of the calls."""
    needed = {"single_best_risk", "flat_all_risk", "role_routed_risk", "role_routed_judges"}
    if not needed <= set(frame.columns):
        return []
    lines = []
    for column, words in (("single_best_risk", "the single best judge"), ("flat_all_risk", "all judges")):
        orders = [
            order(float(left), float(right), _RISK_DIGITS)
            for left, right in zip(frame["role_routed_risk"], frame[column], strict=True)
        ]
        lower, equal = orders.count("lower"), orders.count("equal")
        tied = f", equal in {equal}" if equal else ""
        lines.append(f"role-routed risk below {words} in {lower} of {len(orders)} settings{tied}")
    calls = shown(float(frame["role_routed_judges"].mean()), 2)
    lines.append(f"{calls} judges called per row on average")
    return lines


def _lead_lines(found: Sequence[Lead]) -> list[str]:
    """JudgeMoE's leads over the pools that the paper compares it with."""
    return [
        f"JudgeMoE ahead of {lead.over} in {lead.rebuilt.ahead} of {lead.rebuilt.cells} cells, "
        f"mean Spearman {signed(rounded(lead.rebuilt.gain, _LEAD_DIGITS))}"
        f"{', its 95% interval holds zero' if lead.rebuilt.within_chance else ''}"
        for lead in found
        if lead.printed and lead.rebuilt
    ]
