"""Claims that count settings, routes or frontier points over several settings, bound to rebuilt tables."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd

from judgekit.report.claims.condition import Value
from judgekit.report.claims.reading import (
    SEVERAL,
    Binding,
    Case,
    NotTestable,
    Reader,
    Tables,
    compared_settings,
    record,
    require_cases,
    settings_beside,
)
from judgekit.report.format import order

_STRONG = "roles/table04_strong_baselines"
_ALLOCATION = "roles/table05_allocation_baselines"
_ROUTES = "roles/table07_routed_specialists"
_FRONTIER = "roles/figure02_frontier"
_PRINTED_POLICIES = (
    "single_best", "flat_all", "matched_non_role", "full_stack", "reliability_jury", "frugal_cascade",
    "global_panel", "role_routed",
)  # fmt: skip
_LEAST = 5
_DIGITS = 4


def bindings() -> list[Binding]:
    """Bindings of the claims that are counts or means over settings."""
    return [
        Binding("ra-035", (_STRONG,), _matched_counts),
        Binding("ra-055", (_ALLOCATION,), _slice_advantage),
        Binding("ra-058", (_ROUTES,), _recurring("LLMBar-7 DeepSeek")),
        Binding("ra-059", (_ROUTES,), _recurring("LLMBar-7 Qwen3")),
        Binding("ra-060", (_ROUTES,), _recurring("LLMBar-7 JudgeLM")),
        Binding("ra-061", (_ROUTES,), _anchors),
        Binding("ra-068", (_FRONTIER,), _stack_below_role, figure=_FRONTIER),
        Binding("ra-069", (_FRONTIER,), _on_frontier, figure=_FRONTIER),
        Binding("ra-116", (_FRONTIER,), _undominated, figure=_FRONTIER),
    ]


def _matched_counts(tables: Tables) -> list[Case]:
    """Settings by sign of (matched baseline risk - role risk), ties at the printed digits."""
    frame = tables.read(_STRONG)
    compared = dict(compared_settings(tables, frame["setting"]))
    rows = [row for row in frame.to_dict("records") if row["setting"] in compared]
    signs = Counter(order(row["role_risk"], row["matched_non_role_risk"], _DIGITS) for row in rows)
    values = {"wins": signs["lower"], "ties": signs["equal"], "losses": signs["higher"]}
    return [_over(len(rows), {f"derived_{name}": count for name, count in values.items()})]


def _slice_advantage(tables: Tables) -> list[Case]:
    """Mean of (better of jury and cascade - role risk) on LLMBar and JBB, and on the other settings."""
    frame = tables.read(_ALLOCATION)
    names = [name for name, _ in compared_settings(tables, frame["setting"])]
    sliced = {name for row in ("LLMBar-7", "JBB-7") for name, _ in settings_beside(tables, row)}
    rows = frame.set_index("setting").loc[names]
    better = rows[["reliability_jury_risk", "frugal_cascade_risk"]].min(axis=1)
    advantage = better - rows["role_risk"]
    inside = advantage.index.isin(list(sliced))
    values = {"adv_slice": float(advantage[inside].mean()), "adv_other": float(advantage[~inside].mean())}
    return [_over(len(names), values)]


def _recurring(row: str) -> Reader:
    """Share of splits in which an anchor's third most frequent slice route recurs; 0 where there is none."""

    def read(tables: Tables) -> list[Case]:
        frame = tables.read(_ROUTES)
        cases = []
        for setting, kind in settings_beside(tables, row):
            shares = _routes(frame, setting)["share"].nlargest(3)
            third = float(shares.iloc[2]) if len(shares) == 3 else 0.0
            cases.append(Case(setting, kind, {"derived_min_frequency": third}))
        return require_cases(cases, row)

    return read


def _routes(frame: pd.DataFrame, setting: str) -> pd.DataFrame:
    routes = frame[frame["anchor"] == setting]
    return routes.assign(share=routes["count"] / routes["of"])


def _anchors(tables: Tables) -> list[Case]:
    """Anchors with a natural and an adversarial route in half of the splits; three are needed to decide."""
    frame = tables.read(_ROUTES)
    anchors = [name for name, _ in settings_beside(tables, "LLMBar-7") if name != "llmbar_all"]
    both = 0
    for name in anchors:
        routes = _routes(frame, name)
        slices = routes.loc[routes["share"] >= _LEAST / 10, "slice"].astype(str)
        both += bool((slices == "natural").any() and slices.str.startswith("adversarial").any())
    if len(anchors) < 3:
        raise NotTestable(
            f"asks for three anchors; {len(anchors)} at hand ({', '.join(anchors)}), of which {both} show"
            " a natural and an adversarial route in half of the splits",
            "judgekit judge nbconfig/pools/roles.yaml ITEMS, with the LLMBar pairs and each of three anchors",
        )
    return [Case(f"{len(anchors)} anchors", SEVERAL, {"n_anchors": both})]


def _policies(tables: Tables) -> dict[str, pd.DataFrame]:
    """Risk and cost of the policies that the paper has, by setting."""
    frame = tables.read(_FRONTIER)
    names = [name for name, _ in compared_settings(tables, frame["setting"])]
    kept = frame[frame["policy"].isin(_PRINTED_POLICIES)]
    return {name: kept[kept["setting"] == name].set_index("policy") for name in names}


def _on_frontier(tables: Tables) -> list[Case]:
    """Settings where a role policy is on the frontier of the paper's own policies."""
    found = _policies(tables)
    on = 0
    for rows in found.values():
        role = [name for name in ("role_routed", "global_panel") if name in rows.index]
        on += any(_beaten_by(rows, name) == 0 for name in role)
    return [_over(len(found), {"n_frontier": on, "n_settings": len(found)})]


def _undominated(tables: Tables) -> list[Case]:
    """Settings where no baseline of equal or lower cost has lower risk than the routed plan."""
    found = _policies(tables)
    free = 0
    for rows in found.values():
        points = rows[["risk", "cost"]].astype(float)
        risk, cost = map(float, points.loc["role_routed"].to_numpy())
        others = points.drop(index=["role_routed", "global_panel"])
        lower = others["risk"].round(_DIGITS) < round(risk, _DIGITS)
        free += not bool((lower & (others["cost"] <= cost + 1e-9)).any())
    return [_over(len(found), {"n_undominated": free, "n_settings": len(found)})]


def _beaten_by(rows: pd.DataFrame, policy: str) -> int:
    """Policies at least as good on risk and cost, at the printed digits, and better on one."""
    points = np.column_stack([rows["risk"].round(_DIGITS), rows["cost"].round(2)])
    own = points[list(rows.index).index(policy)]
    return int(np.sum((points <= own).all(axis=1) & (points < own).any(axis=1)))


def _stack_below_role(tables: Tables) -> list[Case]:
    frame = tables.read(_FRONTIER)
    values: dict[str, Value] = {}
    names = []
    for short, row in (("rewardbench", "RewardBench-7"), ("math", "MATH-500")):
        setting, kind = settings_beside(tables, row)[0]
        names.append(setting)
        for policy, label in (("full_stack", "stack"), ("role_routed", "role")):
            found = record(frame, {"setting": setting, "policy": policy})
            values[f"{short}_{label}"] = float("nan") if found is None else float(found["risk"])
    return [Case(" and ".join(names), kind, values)]


def _over(count: int, values: Mapping[str, Value]) -> Case:
    return Case(f"{count} settings", SEVERAL, values)
