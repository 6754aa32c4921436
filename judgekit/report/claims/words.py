"""Verdicts in words for a reader: printed and rebuilt values, links, and the ledger as Markdown."""

import math
import os.path
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from judgekit.report.claims.ledger import counts
from judgekit.report.claims.reading import CELLS, SEVERAL
from judgekit.report.claims.records import PAPERS, Claim
from judgekit.report.claims.verdict import WORDS, Outcome, Verdict
from judgekit.report.format import ABSENT, difference, plain_digits, shown, signed

STUDIES = {
    "protocol": "Protocol and procedure",
    "conditional_aggregation": "Conditional aggregation",
    "sparse_repair": "Sparse repair and the selector",
    "experts": "Experts and prompts",
    "statistics": "Statistics",
    "cost": "Cost",
    "theory": "Theory",
    "role_routing": "Role routing",
    "copy_stress": "Copies",
    "audit_shift": "Audit size and shift",
}
_SHOWN_SETTINGS = 6
# An analogue has other rows and a simulated setting was tuned: their distance from print says nothing.
_MEASURED = ("same_rows", SEVERAL, CELLS)
_SIGN = {True: "yes", False: "no", None: ""}


def number_words(value: object, digits: int | None = None) -> str:
    """A value for reading: text as it is, counts whole, other numbers to `digits` or four decimals.

    Examples
    --------
    >>> number_words(0.10938), number_words(3.0), number_words("fixed"), number_words(float("nan"))
    ('0.1094', '3', 'fixed', '–')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return shown(float(value), plain_digits([value]) if digits is None else digits)


def values_words(values: Mapping[str, object], digits: Mapping[str, int]) -> str:
    """Named values in a row, such as `role_risk 0.1094, single_risk 0.1183`."""
    return ", ".join(f"{name} {number_words(value, digits.get(name))}" for name, value in values.items())


def compared_words(outcome: Outcome, verdict: Verdict) -> str:
    """Rebuilt values of one setting, each with its difference from the printed one where both are numbers.

    There is no difference for an analogue, for simulated judges, or where nothing is decided.
    """
    claim, parts = verdict.claim, []
    measured = verdict.profile != "simulated" and outcome.kind in _MEASURED and outcome.holds is not None
    for name, value in outcome.values.items():
        printed, digits = claim.published.get(name), claim.digits.get(name)
        gap = ""
        if measured and _is_number(value) and _is_number(printed):
            left, right = float(str(value)), float(str(printed))
            number = difference(left, right, plain_digits([left, right]) if digits is None else digits)
            gap = f" (difference {signed(number)})"
        parts.append(f"{name} {number_words(value, digits)}{gap}")
    return ", ".join(parts)


def untested_words(claim: Claim) -> str:
    """Printed values that stand beside those of the condition and that it does not name; "" without any."""
    names = claim.condition.names if claim.condition else tuple(claim.published)
    return values_words({k: v for k, v in claim.published.items() if k not in names}, claim.digits)


def run_words(run: str) -> tuple[str, str]:
    """The command of a run, and what has to be at hand for it.

    Examples
    --------
    >>> run_words("judgekit judge POOL ITEMS, with the LLMBar pairs")
    ('judgekit judge POOL ITEMS', ', with the LLMBar pairs')
    """
    command, comma, rest = run.partition(", ")
    return command, comma + rest


def printed_words(claim: Claim) -> str:
    """Printed values that the condition names; a dash where it names none that is printed."""
    names = claim.condition.names if claim.condition else ()
    values = {name: claim.published[name] for name in names if name in claim.published}
    return values_words(values, claim.digits) or ABSENT


def outcome_words(outcome: Outcome, claim: Claim) -> str:
    """One setting with its values, and whether the condition is true there."""
    sign = f" ({_SIGN[outcome.holds]})" if outcome.holds is not None else ""
    return f"{outcome.setting}{sign}: {values_words(outcome.values, claim.digits)}"


def rebuilt_words(verdict: Verdict) -> list[str]:
    """A line a setting; beyond six settings, how many more there are."""
    lines = [outcome_words(outcome, verdict.claim) for outcome in verdict.outcomes[:_SHOWN_SETTINGS]]
    more = len(verdict.outcomes) - _SHOWN_SETTINGS
    return [*lines, f"and {more} more"] if more > 0 else lines


def explained(verdict: Verdict) -> list[str]:
    """A verdict in lines of plain text: claim, what it rests on, values, reason, run, note, sources."""
    claim = verdict.claim
    lines = ["", f"{claim.id}  {verdict.words}", f"  {claim.statement}", f"  rests on: {verdict.rests_on}"]
    lines += [f"  {line}" for line in rebuilt_words(verdict)]
    parts = {"why": verdict.reason, "run": verdict.run, "note": verdict.note}
    parts["read from"] = ", ".join([*verdict.tables, *verdict.figures, *verdict.see])
    return lines + [f"  {name}: {text}" for name, text in parts.items() if text]


def files_of(verdict: Verdict) -> list[tuple[str, str]]:
    """Label and path from the repository's top of everything a verdict was read from or points to."""
    base = f"reports/{verdict.profile}"
    found = [(name.split("/")[-1], f"{base}/tables/{name}.csv") for name in verdict.tables]
    found += [(f"figure {name.split('/')[-1]}", f"{base}/figures/{name}.svg") for name in verdict.figures]
    return [*found, *((os.path.basename(path), path) for path in verdict.see)]


def markdown(verdicts: Sequence[Verdict]) -> str:
    """The ledger of one profile as Markdown; its links start from `reports/PROFILE/`."""
    profile = verdicts[0].profile
    lines = [
        f"# Claims of both papers: {profile}",
        "",
        *_preamble(profile),
        "",
        "| status | claims |",
        "|---|---:|",
    ]
    lines += [f"| {WORDS[status]} | {number} |" for status, number in counts(verdicts).items()]
    for paper, of_paper in groupby(verdicts, key=lambda verdict: verdict.claim.paper):
        for study, group in _by_study(of_paper):
            lines += ["", f"## {PAPERS[paper]}: {STUDIES.get(study, study)}", ""]
            lines += [
                "| claim | printed | rebuilt | verdict | rests on | read from |",
                "|---|---|---|---|---|---|",
            ]
            lines += [_markdown_row(verdict) for verdict in group]
    return "\n".join([*lines, ""])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _preamble(profile: str) -> list[str]:
    if profile == "simulated":
        return [
            "Simulated judges are no evidence for a claim: rows are consistent or inconsistent with it, and"
            " what the generator was tuned to is not tested.",
        ]
    return [
        "Each claim's condition, evaluated on the rebuilt tables. Other judges scored these rows, and an"
        " analogue has other rows too: a failure says that the finding does not carry over, not that the"
        " paper erred.",
    ]


def _by_study(verdicts: Iterable[Verdict]) -> list[tuple[str, list[Verdict]]]:
    found: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.claim.study, []).append(verdict)
    return list(found.items())


def _markdown_row(verdict: Verdict) -> str:
    claim = verdict.claim
    place = f" ({claim.where})" if claim.where else ""
    statement = f"**{claim.id}**{place} {claim.statement}"
    if verdict.note:
        statement += f"<br>*Note.* {verdict.note}"
    command, needs = run_words(verdict.run)
    rests = "<br>".join(
        filter(None, [verdict.rests_on, verdict.reason, f"`{command}`{needs}" if command else ""])
    )
    links = ", ".join(
        f"[{label}]({os.path.relpath(path, f'reports/{verdict.profile}')})"
        for label, path in files_of(verdict)
    )
    cells = [
        statement,
        printed_words(claim),
        "<br>".join(rebuilt_words(verdict)) or ABSENT,
        f"**{verdict.words}**",
        rests,
        links,
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
