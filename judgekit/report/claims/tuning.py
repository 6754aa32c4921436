"""What the simulator was tuned to: claims that rest on nothing else are tuned on, not tested."""

from functools import cache

from judgekit.report.claims.reading import Case
from judgekit.sources.declarations import declarations

SOURCES = {"simulated": "settings", "simulated_cells": "cells"}
_POLICIES = {"single best": "single", "flat all": "flat", "role routed": "role"}
_PLAIN = {
    "roles/table03_policy_comparison",
    "roles/table13_split_intervals",
    "roles/table19_prompt_variants",
}
_COUNTS = ("role_judges", "role_cost", "calls")


@cache
def tuned_lists() -> dict[str, tuple[str, ...]]:
    """The `tuned` list of every simulated setting and benchmark cell, by name."""
    found: dict[str, tuple[str, ...]] = {}
    for source, part in SOURCES.items():
        entries = declarations(source, {part: dict})[part]
        found |= {name: tuple(map(str, entry.get("tuned", ()))) for name, entry in entries.items()}
    return found


def tuned_names(setting: str) -> frozenset[str]:
    """Variables of role claims that a simulated setting was tuned to.

    Risks named in the setting's `tuned` list, the accuracies and intervals that follow from those very
    judges, and the calls of the routed plan where the list names calls.

    Examples
    --------
    >>> "role_risk" in tuned_names("sim_llmbar7"), "role_risk" in tuned_names("sim_arena100k7")
    (True, False)
    """
    text = ", ".join(tuned_lists().get(setting, ()))
    short = [name for words, name in _POLICIES.items() if words in text]
    names = {f"{name}_{quantity}" for name in short for quantity in ("risk", "acc", "ci")}
    return frozenset(names | (set(_COUNTS) if "calls" in text else set()))


def is_tuned(cases: list[Case], names: tuple[str, ...], read_from: tuple[str, ...]) -> bool:
    """Whether every variable of a condition was tuned to in every simulated setting it is read from.

    Only tables of the plain ten splits count: a setting was tuned there, not under copies or another mix.
    """
    if not set(read_from) <= _PLAIN:
        return False
    known = tuned_lists()
    named = [case.setting for case in cases if case.setting in known]
    return bool(named) and all(set(names) <= tuned_names(setting) for setting in named)
