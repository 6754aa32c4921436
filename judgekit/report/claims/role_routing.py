"""Claims on role routing (Tables 3 to 8, 10, 18 to 20 and Figure 2), bound to rebuilt tables."""

from collections.abc import Mapping

from judgekit.report.claims.condition import Value
from judgekit.report.claims.reading import (
    Binding,
    Case,
    NotRebuilt,
    NotTestable,
    Reader,
    Tables,
    by_policy,
    by_row,
    by_steps,
    record,
    settings_beside,
)

_MAIN = "roles/table03_policy_comparison"
_STRONG = "roles/table04_strong_baselines"
_ALLOCATION = "roles/table05_allocation_baselines"
_THRESHOLDS = "roles/table08_threshold_sensitivity"
_PROXY = "roles/table10_jbb_proxy_routing"
_PRICES = "roles/table18_cost_sensitivity"
_PROMPTS = "roles/table19_prompt_variants"
_PAIRS = "roles/table20_pair_addition"
_SLICES = "roles/routed_slices"

_MAIN_COLUMNS = {
    "single_risk": "single_best_risk",
    "single_acc": "single_best_accuracy",
    "flat_risk": "flat_all_risk",
    "flat_acc": "flat_all_accuracy",
    "role_risk": "role_routed_risk",
    "role_acc": "role_routed_accuracy",
    "role_cost": "role_routed_cost",
    "role_judges": "role_routed_judges",
}
_STRONG_COLUMNS = {
    "full_call_risk": "full_call_risk",
    "full_call_cost": "full_call_cost",
    "matched_risk": "matched_non_role_risk",
    "matched_cost": "matched_non_role_cost",
    "role_risk": "role_risk",
    "role_cost": "role_cost",
}
_ALLOCATION_COLUMNS = {
    "jury_risk": "reliability_jury_risk",
    "jury_cost": "reliability_jury_cost",
    "cascade_risk": "frugal_cascade_risk",
    "cascade_cost": "frugal_cascade_cost",
    "role_risk": "role_risk",
    "role_cost": "role_cost",
}
_PAIR_COLUMNS = {name: name for name in ("splits", "pair_only_moves", "mean_single_gain", "max_pair_gain")}
_TAU = 0.005


def bindings() -> list[Binding]:
    """Bindings of the claims on Tables 3 to 8, 10 and 18 to 20."""
    found = [
        Binding(
            claim, (_MAIN,), by_row(_MAIN, row, _MAIN_COLUMNS, key="dataset"), figure="roles/figure01_regimes"
        )
        for claim, row in {
            "ra-027": "Hard GSM8K rationale",
            "ra-028": "MBPP public-overfit",
            "ra-029": "JBB-7",
            "ra-030": "LLMBar-7",
            "ra-031": "RewardBench-7",
            "ra-032": "Arena100K-7",
            "ra-033": "SummEval-7 scalar",
            "ra-034": "MATH-500-5",
        }.items()
    ]
    for claims, table, columns in (
        (_STRONG_ROWS, _STRONG, _STRONG_COLUMNS),
        (_ALLOCATION_ROWS, _ALLOCATION, _ALLOCATION_COLUMNS),
    ):
        found += [Binding(claim, (table,), by_row(table, row, columns)) for claim, row in claims.items()]
    llmbar = {"flat_acc": "flat_all_accuracy", "single_acc": "single_best_accuracy"}
    llmbar |= {"role_acc": "role_routed_accuracy", "calls": "role_routed_judges"}
    found += [
        Binding("ra-056", (_MAIN,), by_row(_MAIN, "LLMBar-7", llmbar, key="dataset")),
        Binding("ra-057", (_PROXY,), _stack_on_safety),
    ]
    steps = {"001": 0.001, "005": 0.005, "020": 0.02}
    columns = {"risk": "risk", "acc": "accuracy", "cost": "cost", "judges": "judges"}
    found += [
        Binding(
            claim, (_THRESHOLDS,), by_steps(_THRESHOLDS, row, columns, step="gain_threshold", steps=steps)
        )
        for claim, row in _THRESHOLD_ROWS.items()
    ]
    prices = {"l0": 0.0, "l002": 0.002, "l005": 0.005}
    columns = {"risk": "risk", "acc": "accuracy", "cost": "cost", "calls": "calls"}
    found += [
        Binding(claim, (_PRICES,), by_steps(_PRICES, row, columns, step="lambda", steps=prices))
        for claim, row in _PRICE_ROWS.items()
    ]
    found.append(Binding("ra-112", (_PRICES,), _one_api_anchor(prices)))
    found += [Binding(claim, (_PAIRS,), _pair_moves(row)) for claim, row in _PAIR_ROWS.items()]
    columns = {"risk": "risk", "acc": "accuracy", "cost": "cost"}
    found += [
        Binding("ra-070", (_PROXY,), by_policy(_PROXY, "JBB-7", _PROXY_POLICIES, columns)),
        Binding("ra-071", (_PROXY,), by_policy(_PROXY, "JBB-7", _PROXY_POLICIES, columns)),
        Binding("ra-072", (_SLICES,), _routed_on_proxy),
        Binding("ra-109", (_PROXY,), by_policy(_PROXY, "JBB-7", _PROXY_POLICIES, {"ci": "risk_half_width"})),
    ]
    prompts = by_policy(_PROMPTS, "LLMBar prompt variants", _PROMPT_POLICIES, columns)
    return [*found, Binding("ra-097", (_PROMPTS,), prompts), Binding("ra-098", (_PROMPTS,), prompts)]


_STRONG_ROWS = {
    "ra-036": "Hard GSM8K rationale",
    "ra-037": "MBPP public-overfit",
    "ra-038": "JBB-7 DeepSeek",
    "ra-039": "LLMBar-7 DeepSeek",
    "ra-040": "LLMBar-7 Qwen3",
    "ra-041": "LLMBar-7 JudgeLM",
    "ra-042": "RewardBench-7 DeepSeek",
    "ra-043": "Arena100K-7 DeepSeek",
    "ra-044": "SummEval-7 DeepSeek",
    "ra-045": "MATH-500-5",
}
_ALLOCATION_ROWS = {
    "ra-046": "Hard GSM8K rationale",
    "ra-047": "MBPP public-overfit",
    "ra-048": "JBB-7 DeepSeek",
    "ra-049": "LLMBar-7 DeepSeek",
    "ra-050": "LLMBar-7 JudgeLM",
    "ra-051": "LLMBar-7 Qwen3",
    "ra-052": "RewardBench-7 DeepSeek",
    "ra-053": "MATH-500-5",
}
_THRESHOLD_ROWS = {
    "ra-062": "Hard GSM8K rationale",
    "ra-063": "MBPP public-overfit",
    "ra-064": "JBB",
    "ra-065": "LLMBar",
    "ra-066": "MATH-500",
}
_PRICE_ROWS = {"ra-113": "LLMBar", "ra-114": "JBB proxy", "ra-115": "MBPP public-overfit"}
_PAIR_ROWS = {
    "ra-074": "LLMBar, seven judges",
    "ra-075": "MBPP public-overfit",
    "ra-076": "JBB safety",
    "ra-077": "LLMBar prompt variants",
}
_PROXY_POLICIES = {
    "single": "Single best",
    "flat": "Flat all",
    "cascade": "Frugal cascade",
    "stack": "Full-call stack",
    "global_stop": "Role global stop",
    "routed": "Role routed stop",
}
_PROMPT_POLICIES = {
    "single": "Single best",
    "flat": "Flat all prompt variants",
    "topk": "Matched top-k",
    "cascade": "Frugal confidence cascade",
    "stack": "Full-call logistic stack",
    "role": "Role-routed stop",
}


def _stack_on_safety(tables: Tables) -> list[Case]:
    frame = tables.read(_PROXY)
    setting, kind = settings_beside(tables, "JBB-7")[0]
    values: dict[str, Value] = {}
    for short, policy in (("role", "Role routed stop"), ("stack", "Full-call stack")):
        found = record(frame, {"policy": policy})
        if found is None:
            raise NotRebuilt(f"{_PROXY}: policy {policy}")
        values |= {f"{short}_risk": float(found["risk"]), f"{short}_calls": float(found["cost"])}
    return [Case(setting, kind, values)]


def _routed_on_proxy(tables: Tables) -> list[Case]:
    """Splits with any routed call where the proxy says safe, and where it says unsafe."""
    frame = tables.read(_SLICES)
    setting, kind = settings_beside(tables, "JBB-7")[0]
    slices = ("proxy_safe", "proxy_unsafe") if tables.profile == "simulated" else ("0", "1")
    values: dict[str, Value] = {}
    for name, each in zip(("safe", "unsafe"), slices, strict=True):
        found = record(frame, {"setting": setting, "slice": each})
        if found is None:
            raise NotRebuilt(f"{_SLICES}: {setting}, slice {each}")
        values[f"{name}_slice_splits"] = int(found["routed_splits"])
        values["splits"] = int(found["of"])
    return [Case(setting, kind, values)]


def _pair_moves(row: str) -> Reader:
    read_row = by_row(_PAIRS, row, _PAIR_COLUMNS)

    def read(tables: Tables) -> list[Case]:
        return [Case(case.setting, case.kind, {**case.values, "tau": _TAU}) for case in read_row(tables)]

    return read


def _one_api_anchor(prices: Mapping[str, float]) -> Reader:
    columns = {"cost": "cost", "calls": "calls"}
    read_steps = by_steps(_PRICES, "LLMBar", columns, step="lambda", steps=prices)

    def read(tables: Tables) -> list[Case]:
        if tables.profile != "simulated":
            raise NotTestable(
                "arithmetic on a pool with one API judge among local ones; the recorded pools have three or"
                " four API judges, so that cost minus calls is not one anchor's surcharge",
                "judgekit judge nbconfig/pools/roles.yaml ITEMS, with the LLMBar pairs",
            )
        price = {"api_cost": 5, "local_cost": 1}
        return [Case(case.setting, case.kind, {**case.values, **price}) for case in read_steps(tables)]

    return read
