"""Claims on the role paper's own procedure: rebuilt values are shown beside them, but decide nothing."""

from collections.abc import Mapping

from judgekit.report.claims.reading import (
    Binding,
    Case,
    Reader,
    Tables,
    record,
    require_cases,
    settings_beside,
)

_CASES = "roles/table12_complete_case"
_POOLS = "roles/table11_pools"
_PATTERNS = "roles/table14_pattern_sparsity"
_SETTINGS = "roles/table02_settings"
_CASE_COLUMNS = {name: name for name in ("rows", "judges", "complete", "dropped")}
_CASE_ROWS = {
    "ra-009": "LLMBar-7",
    "ra-010": "JBB-7",
    "ra-011": "MBPP public-overfit",
    "ra-012": "SummEval-7",
    "ra-013": "Math/GSM8K correctness",
    "ra-014": "LLMBar prompt variants",
}
_POOL_ROWS = {"ra-015": "LLMBar-7", "ra-016": "RewardBench-7", "ra-017": "MATH-500"}


def bindings() -> list[Binding]:
    """Bindings whose values are shown beside a definition or a rule of the procedure."""
    found = [
        Binding(claim, (_CASES,), _numbers(_CASES, row, _CASE_COLUMNS), decides=False)
        for claim, row in _CASE_ROWS.items()
    ]
    found += [Binding(claim, (_POOLS,), _pool(row), decides=False) for claim, row in _POOL_ROWS.items()]
    sizes = {name: name for name in ("fit", "validation", "test")}
    splits = _numbers(_PATTERNS, "JBB-7", sizes)
    settings = _numbers(_SETTINGS, "JBB-7", {"rows": "rows", "judges": "judges", "slices": "slices"})
    return [
        *found,
        Binding("ra-006", (_PATTERNS,), splits, decides=False),
        Binding("ra-001", (_SETTINGS,), settings, decides=False),
    ]


def _numbers(table: str, row: str, columns: Mapping[str, str]) -> Reader:
    def read(tables: Tables) -> list[Case]:
        frame = tables.read(table)
        cases = []
        for setting, kind in settings_beside(tables, row):
            if (found := record(frame, {"setting": setting})) is not None:
                cases.append(
                    Case(setting, kind, {name: float(found[column]) for name, column in columns.items()})
                )
        return require_cases(cases, row)

    return read


def _pool(row: str) -> Reader:
    def read(tables: Tables) -> list[Case]:
        frame = tables.read(_POOLS)
        cases = []
        for setting, kind in settings_beside(tables, row):
            if (found := record(frame, {"setting": setting})) is not None:
                names = str(found["judges"])
                cases.append(Case(setting, kind, {"judges": len(names.split(";")), "pool": names}))
        return require_cases(cases, row)

    return read
