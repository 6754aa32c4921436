"""Verdicts: a claim's condition on rebuilt tables of one profile, and what the verdict rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from judgekit.errors import InvalidInput
from judgekit.report.claims.assertions import DEFINITION, NOT_TESTABLE, Assertion, assertions, notes
from judgekit.report.claims.condition import Condition
from judgekit.report.claims.reading import CELLS, SEVERAL, Binding, Case, NotRebuilt, NotTestable, Tables
from judgekit.report.claims.records import Claim
from judgekit.report.claims.tuning import is_tuned

HOLDS, FAILS, MIXED, NOT_REBUILT = "holds", "fails", "mixed", "not_rebuilt"
CONSISTENT, INCONSISTENT, TUNED = "consistent", "inconsistent", "tuned"
STATUSES = (HOLDS, FAILS, MIXED, CONSISTENT, INCONSISTENT, TUNED, NOT_TESTABLE, NOT_REBUILT, DEFINITION)
WORDS = {
    HOLDS: "holds",
    FAILS: "fails",
    MIXED: "mixed",
    CONSISTENT: "consistent",
    INCONSISTENT: "inconsistent",
    TUNED: "tuned on, not tested",
    NOT_TESTABLE: "not testable here",
    NOT_REBUILT: "not rebuilt yet",
    DEFINITION: "definition",
}
NOTEBOOKS = {
    "roles": "role_routing copy_stress audit_shift",
    "judgemoe": "protocol conditional_aggregation sparse_repair experts theory",
}
_RESTS = {
    "same_rows": "same rows, other judges",
    "analogue": "analogue, directions only",
    "simulated": "simulated",
    "own": "other rows, other judges",
    SEVERAL: "same rows with other judges, and analogues",
    CELLS: "same rows with other judges for SummEval, e-SNLI and WMT22, other data sets for the rest",
}


@dataclass(frozen=True)
class Outcome:
    """A condition in one setting: the values it names, and whether it is true (None: a value is missing)."""

    setting: str
    kind: str
    values: Mapping[str, object]
    holds: bool | None


@dataclass(frozen=True)
class Verdict:
    """One claim under one profile.

    Attributes
    ----------
    claim : Claim
        The claim.
    profile : str
        simulated, recorded or local.
    status : str
        One of `STATUSES`.
    words : str
        The status in words, with counts where it is mixed.
    rests_on : str
        Same rows with other judges, an analogue, the simulator, or what else.
    outcomes : tuple of Outcome
        Setting by setting.
    reason : str
        Why it is no matter of data, or cannot be tested here.
    run : str
        The run that would test it, or rebuild what is absent.
    tables, figures : tuple of str
        Rebuilt tables and figures it was read from.
    see : tuple of str
        Files of the repository that state, assert or draw it.
    note : str
        What the printed numbers say against the paper's wording.
    """

    claim: Claim
    profile: str
    status: str
    words: str
    rests_on: str = ""
    outcomes: tuple[Outcome, ...] = ()
    reason: str = ""
    run: str = ""
    tables: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    note: str = ""


def judge(claim: Claim, binding: Binding | None, tables: Tables) -> Verdict:
    """Verdict on one claim.

    Raises
    ------
    InvalidInput
        The claim has neither a binding that decides nor an assertion, or a binding lacks a variable.
    """
    asserted = assertions().get(claim.id)
    if asserted is not None and (binding is None or not binding.decides):
        found = _asserted(claim, asserted, binding, tables)
    elif binding is None or not binding.decides or claim.condition is None:
        allowed = "a binding with a condition, or an entry in asserted.yaml"
        raise InvalidInput(f"claim {claim.id}", allowed, "neither")
    else:
        found = _decided(claim, claim.condition, binding, tables)
    return replace(found, note=notes().get(claim.id, ""))


def _asserted(claim: Claim, asserted: Assertion, binding: Binding | None, tables: Tables) -> Verdict:
    """Verdict by assertion; rebuilt values are shown beside it where there are any."""
    try:
        cases = binding.read(tables) if binding else []
    except (NotRebuilt, NotTestable):
        cases = []
    testable = asserted.status != NOT_TESTABLE
    return Verdict(
        claim,
        tables.profile,
        asserted.status,
        WORDS[asserted.status],
        "nothing measured: a statement, a rule or a theorem" if testable else "needs a local run",
        outcomes=tuple(Outcome(case.setting, case.kind, case.values, None) for case in cases),
        reason=asserted.reason,
        run=asserted.run,
        tables=binding.tables if binding and cases else (),
        see=asserted.see,
    )


def _decided(claim: Claim, condition: Condition, binding: Binding, tables: Tables) -> Verdict:
    """Verdict by the condition on rebuilt tables."""
    verdict = partial(Verdict, claim, tables.profile)
    simulated = tables.profile == "simulated"
    try:
        cases = binding.read(tables)
    except NotTestable as error:
        return verdict(
            NOT_TESTABLE,
            WORDS[NOT_TESTABLE],
            "needs a local run" if error.run else "nothing in this profile",
            reason=error.reason,
            run=error.run,
            see=("nbconfig/counterparts.yaml",),
        )
    except (NotRebuilt, KeyError) as error:
        studies = " ".join(dict.fromkeys(NOTEBOOKS[table.split("/")[0]] for table in binding.tables))
        return verdict(
            NOT_REBUILT,
            WORDS[NOT_REBUILT],
            "nothing yet",
            reason=f"no {error.args[0]}",
            run=f"judgekit rebuild {studies} --profile {tables.profile}",
            tables=binding.tables,
        )
    outcomes = tuple(
        Outcome(
            case.setting,
            case.kind,
            {name: case.values[name] for name in condition.names if name in case.values},
            condition.holds(case.values, claim.digits),
        )
        for case in cases
    )
    status, words = _status(outcomes, simulated=simulated)
    if {case.kind for case in cases} == {"analogue"} and status in (HOLDS, FAILS):
        words = f"{words} on an analogue"
    tuned = binding.tuned or is_tuned(cases, condition.names, binding.tables)
    if simulated and tuned and status != NOT_TESTABLE:
        status, words = TUNED, WORDS[TUNED]
    drawn = binding.figure and tables.results.figure(*binding.figure.split("/"))
    return verdict(
        status,
        words,
        _rests_on(cases, simulated=simulated),
        outcomes=outcomes,
        reason="a value that the condition names is missing" if status == NOT_TESTABLE else "",
        tables=binding.tables,
        figures=(binding.figure,) if drawn else (),
    )


def _status(outcomes: tuple[Outcome, ...], *, simulated: bool) -> tuple[str, str]:
    known = [outcome.holds for outcome in outcomes if outcome.holds is not None]
    if not known:
        return NOT_TESTABLE, WORDS[NOT_TESTABLE]
    true = sum(known)
    if 0 < true < len(known):
        return MIXED, f"{'consistent' if simulated else 'mixed: holds'} in {true} of {len(known)} settings"
    status = (CONSISTENT if true else INCONSISTENT) if simulated else (HOLDS if true else FAILS)
    return status, WORDS[status]


def _rests_on(cases: list[Case], *, simulated: bool) -> str:
    if simulated:
        return f"simulated, no evidence: {', '.join(case.setting for case in cases)}"
    kinds = dict.fromkeys(case.kind for case in cases)
    return "; ".join(
        f"{_RESTS[kind]}: {', '.join(case.setting for case in cases if case.kind == kind)}" for kind in kinds
    )
