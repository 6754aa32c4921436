"""Claims on copies, audit size, slice mix, pattern tables and intervals (Tables 9 and 13 to 16), bound."""

from collections.abc import Mapping

from judgekit.report.claims.condition import Value
from judgekit.report.claims.reading import (
    Binding,
    Case,
    Reader,
    Tables,
    by_row,
    compared_settings,
    record,
    require_cases,
    settings_beside,
)

_MAIN = "roles/table03_policy_comparison"
_COPIES = "roles/table09_copy_stress"
_DUPLICATES = "roles/duplicate_gains"
_INTERVALS = "roles/table13_split_intervals"
_PATTERNS = "roles/table14_pattern_sparsity"
_AUDIT = "roles/table15_audit_size"
_MIXES = "roles/table16_slice_mix_shift"

_COPY_COLUMNS = {
    "flat_risk": "flat_all_risk",
    "flat_cost": "flat_all_cost",
    "jury_risk": "jury_all_risk",
    "jury_cost": "jury_all_cost",
    "cascade_risk": "cascade_risk",
    "cascade_cost": "cascade_cost",
    "role_risk": "role_risk",
    "role_cost": "role_cost",
}
_INTERVAL_COLUMNS = {
    "single_risk": "single_best_risk",
    "single_ci": "single_best_risk_half_width",
    "flat_risk": "flat_all_risk",
    "flat_ci": "flat_all_risk_half_width",
    "role_risk": "role_risk",
    "role_ci": "role_risk_half_width",
}
_PATTERN_COLUMNS = {
    "calls": "calls",
    "global_cells": "global_cells",
    "max_route_cells": "max_route_cells",
    "val_fallback_pct": "val_fallback_percent",
    "test_fallback_pct": "test_fallback_percent",
}
_AUDIT_COLUMNS = {"risk": "risk", "acc": "accuracy", "cost": "cost", "jaccard": "plan_jaccard"}
_MIX_COLUMNS = {
    "single_risk": "single_risk",
    "single_acc": "single_accuracy",
    "flat_risk": "flat_risk",
    "flat_acc": "flat_accuracy",
    "role_risk": "role_risk",
    "role_acc": "role_accuracy",
    "calls": "calls",
}
_INTERVAL_ROWS = {
    "ra-100": "Hard GSM8K rationale",
    "ra-101": "MBPP public-overfit",
    "ra-102": "JBB-7",
    "ra-103": "LLMBar-7",
    "ra-104": "RewardBench-7",
    "ra-105": "Arena100K-7",
    "ra-106": "SummEval-7 scalar",
    "ra-107": "MATH-500-5",
}
_PATTERN_ROWS = {
    "ra-092": "LLMBar-7",
    "ra-093": "JBB-7",
    "ra-094": "MBPP public-overfit",
    "ra-095": "MATH-500",
    "ra-096": "SummEval-7",
}
_AUDIT_ROWS = {"ra-082": "LLMBar", "ra-083": "JBB proxy", "ra-084": "MBPP public-overfit"}
_MIX_ROWS = {
    "ra-086": ("LLMBar-7", "natural-heavy"),
    "ra-087": ("LLMBar-7", "adversarial-heavy"),
    "ra-088": ("JBB-7", "proxy-safe-heavy"),
    "ra-089": ("JBB-7", "proxy-unsafe-heavy"),
}


def bindings() -> list[Binding]:
    """Bindings of the claims on Tables 9 and 13 to 16, and on what a duplicate adds."""
    conditions = {"base": {"condition": "base"}, "copies": {"condition": "+4 copies"}}
    audits = {"half": {"audit_percent": 50}, "full": {"audit_percent": 100}}
    found = [
        Binding(
            claim, (_COPIES,), _by_keys(_COPIES, row, _COPY_COLUMNS, conditions), figure="roles/copy_stress"
        )
        for claim, row in {"ra-079": "LLMBar-7", "ra-080": "JBB-7"}.items()
    ]
    found.append(Binding("ra-081", (_DUPLICATES,), _duplicates))
    found += [
        Binding(claim, (_AUDIT,), _by_keys(_AUDIT, row, _AUDIT_COLUMNS, audits), figure="roles/audit_curves")
        for claim, row in _AUDIT_ROWS.items()
    ]
    found += [
        Binding(claim, (_MIXES,), _by_mix(row, mix), figure="roles/mix_curves")
        for claim, (row, mix) in _MIX_ROWS.items()
    ]
    for rows, table, columns in (
        (_PATTERN_ROWS, _PATTERNS, _PATTERN_COLUMNS),
        (_INTERVAL_ROWS, _INTERVALS, _INTERVAL_COLUMNS),
    ):
        found += [Binding(claim, (table,), by_row(table, row, columns)) for claim, row in rows.items()]
    return [*found, Binding("ra-110", (_MAIN,), _brier)]


def _by_keys(
    table: str, row: str, columns: Mapping[str, str], suffixes: Mapping[str, Mapping[str, object]]
) -> Reader:
    """Reader of several rows a setting: `risk_half` is `risk` in the row that `half` stands for."""

    def read(tables: Tables) -> list[Case]:
        frame = tables.read(table)
        cases = []
        for setting, kind in settings_beside(tables, row):
            values: dict[str, Value] = {}
            for suffix, keys in suffixes.items():
                found = record(frame, {"setting": setting, **keys})
                for name, column in columns.items() if found is not None else ():
                    values[f"{name}_{suffix}"] = float(found[column]) if found else float("nan")
            if len(values) == len(columns) * len(suffixes):
                cases.append(Case(setting, kind, values))
        return require_cases(cases, row)

    return read


def _by_mix(row: str, mix: str) -> Reader:
    def read(tables: Tables) -> list[Case]:
        frame = tables.read(_MIXES)
        cases = []
        for setting, kind in settings_beside(tables, row):
            found = record(frame, {"setting": setting, "construction_mix": mix})
            if found is not None:
                cases.append(
                    Case(setting, kind, {name: float(found[column]) for name, column in _MIX_COLUMNS.items()})
                )
        return require_cases(cases, row)

    return read


def _duplicates(tables: Tables) -> list[Case]:
    frame = tables.read(_DUPLICATES)
    gains = frame.set_index("setting")["largest_gain"]
    return [
        Case(setting, kind, {"duplicate_gain": float(gains[setting])})
        for setting, kind in compared_settings(tables, frame["setting"])
    ]


def _brier(tables: Tables) -> list[Case]:
    """Accuracy and risk of the single best judge on the three settings that the claim names."""
    frame = tables.read(_MAIN)
    columns = {"acc": "single_best_accuracy", "risk": "single_best_risk"}
    others: dict[str, Value] = {}
    for short, row in (("gsm", "Hard GSM8K rationale"), ("rewardbench", "RewardBench-7")):
        found = record(frame, {"dataset": settings_beside(tables, row)[0][0]})
        for name, column in columns.items():
            others[f"{short}_single_{name}"] = float("nan") if found is None else float(found[column])
    cases = []
    for setting, _ in settings_beside(tables, "LLMBar-7"):
        found = record(frame, {"dataset": setting})
        if found is not None:
            own = {f"llmbar_single_{name}": float(found[column]) for name, column in columns.items()}
            cases.append(Case(f"{setting} with two analogues", "analogue", {**own, **others}))
    return require_cases(cases, "LLMBar-7")
