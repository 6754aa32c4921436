"""Made-up rebuilt tables: every table and column that the ledger reads, filled by a generator."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from judgekit.report.counterparts import counterparts
from judgekit.report.results import Results

RECORDED_CELLS = {
    "summeval_coherence": "choose",
    "dialsumm_coherence": "choose",
    "roscoe_esnli": "confirm",
    "mr_math_steps": "confirm",
    "wmt22_stars": "confirm",
    "wmt22_da10": "confirm",
    "wmt22_sqm10": "confirm",
    "summeval_coherence_hard": "extra",
}
DATA_SETS = ("summeval", "topicalchat", "helpsteer", "wmt", "roscoe", "helpsteer2", "flask", "wildbench")
POLICIES = (
    "single_best", "single_best_sliced", "flat_all", "matched_non_role", "full_stack", "slice_stack",
    "reliability_jury", "frugal_cascade", "global_panel", "role_routed",
)  # fmt: skip
METHODS = (
    "uniform_log",
    "full_gate",
    "single_best",
    "sparse_pool",
    "drop_weakest",
    "sparse_gate",
    "repaired_gate",
)
POOLS = ("judgemoe", "judgemoe_compact", "judgemoe_family_diverse")
KEYS = ("gain_threshold", "lambda", "pool_temperature")
BASELINES = ("single_best", "uniform_log", "uniform_linear", "covariance_log", "fixed_subset")


@dataclass(frozen=True)
class MadeUp(Results):
    """Results with the tables of `frames`, by name, and no figures."""

    folder: Path = Path("nowhere")
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)

    def table(self, study: str, name: str) -> pd.DataFrame | None:
        return self.frames.get(f"{study}/{name}")

    def figure(self, study: str, name: str) -> None:
        return None


def made_up(profile: str, rng: np.random.Generator) -> MadeUp:
    """All tables of a profile with numbers drawn from -1 to 1, and counts from 0 to 10."""
    return MadeUp(profile, frames=_roles(profile, rng) | _judgemoe(profile, rng))


def levelled(results: MadeUp) -> MadeUp:
    """The same tables with zero in place of every drawn number: nothing differs from anything."""
    frames = {}
    for name, frame in results.frames.items():
        drawn = [column for column in frame.select_dtypes("floating") if column not in KEYS]
        frames[name] = frame.assign(**dict.fromkeys(drawn, 0.0))
    return MadeUp(results.profile, frames=frames)


def settings(profile: str) -> list[str]:
    """Settings of a profile that stand beside a published row."""
    rows = counterparts().rows
    named = [name for row in rows for name in (row.simulated if profile == "simulated" else row.recorded)]
    return list(dict.fromkeys(named))


def filled(keys: dict[str, list], columns: str, rng: np.random.Generator) -> pd.DataFrame:
    """A frame with the product of `keys`, and a random number in each of the columns named."""
    frame = pd.MultiIndex.from_product(keys.values(), names=list(keys)).to_frame(index=False)
    for name in columns.split():
        frame[name] = rng.uniform(-1, 1, len(frame))
    return frame


def _roles(profile: str, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    names = settings(profile)
    one = {"setting": names}
    risks = "risk risk_half_width accuracy cost"
    table10 = [
        "Single best",
        "Flat all",
        "Frugal cascade",
        "Full-call stack",
        "Role global stop",
        "Role routed stop",
    ]
    table19 = [
        "Single best", "Flat all prompt variants", "Matched top-k", "Frugal confidence cascade",
        "Full-call logistic stack", "Role-routed stop",
    ]  # fmt: skip
    slices = ["natural", "adversarial_neighbor", "adversarial_manual", "adversarial_gptout"]
    found = {
        "table02_settings": filled(one, "rows judges slices", rng),
        "table03_policy_comparison": filled(
            {"dataset": names},
            "single_best_risk single_best_accuracy flat_all_risk flat_all_accuracy role_routed_risk"
            " role_routed_accuracy role_routed_cost role_routed_judges",
            rng,
        ),
        "table04_strong_baselines": filled(
            one,
            "full_call_risk full_call_cost matched_non_role_risk matched_non_role_cost role_risk role_cost",
            rng,
        ),
        "table05_allocation_baselines": filled(
            one,
            "reliability_jury_risk reliability_jury_cost frugal_cascade_risk frugal_cascade_cost role_risk"
            " role_cost",
            rng,
        ),
        "table07_routed_specialists": filled({"anchor": names, "slice": slices, "judge": ["a"]}, "", rng),
        "routed_slices": filled(
            {"setting": names, "slice": ["0", "1", "proxy_safe", "proxy_unsafe"]}, "", rng
        ),
        "table08_threshold_sensitivity": filled(
            {"setting": names, "gain_threshold": [0.001, 0.005, 0.02]}, "risk accuracy cost judges", rng
        ),
        "table09_copy_stress": filled(
            {"setting": names, "condition": ["base", "+4 copies"]},
            "flat_all_risk flat_all_cost jury_all_risk jury_all_cost cascade_risk cascade_cost role_risk"
            " role_cost",
            rng,
        ),
        "duplicate_gains": filled(one, "largest_gain", rng),
        "table10_jbb_proxy_routing": filled({"policy": table10}, risks, rng),
        "table11_pools": filled(one, "", rng).assign(judges="a; b; c"),
        "table12_complete_case": filled(one, "rows judges complete dropped", rng),
        "table13_split_intervals": filled(
            one,
            "single_best_risk flat_all_risk role_risk single_best_risk_half_width flat_all_risk_half_width"
            " role_risk_half_width",
            rng,
        ),
        "table14_pattern_sparsity": filled(
            one,
            "fit validation test calls global_cells max_route_cells val_fallback_percent"
            " test_fallback_percent",
            rng,
        ),
        "table15_audit_size": filled(
            {"setting": names, "audit_percent": [50, 100]}, "risk accuracy cost plan_jaccard", rng
        ),
        "table16_slice_mix_shift": filled(
            {
                "setting": names,
                "construction_mix": [
                    "natural-heavy", "adversarial-heavy", "proxy-safe-heavy", "proxy-unsafe-heavy"
                ],
            },
            "single_risk single_accuracy flat_risk flat_accuracy role_risk role_accuracy calls",
            rng,
        ),
        "table18_cost_sensitivity": filled(
            {"setting": names, "lambda": [0.0, 0.002, 0.005]}, "risk accuracy cost calls", rng
        ),
        "table19_prompt_variants": filled({"policy": table19}, risks, rng),
        "table20_pair_addition": filled(one, "splits pair_only_moves mean_single_gain max_pair_gain", rng),
        "figure02_frontier": filled({"setting": names, "policy": list(POLICIES)}, "risk cost calls", rng),
    }  # fmt: skip
    routes = found["table07_routed_specialists"]
    routes["count"], routes["of"] = rng.integers(0, 11, len(routes)), 10
    routed = found["routed_slices"]
    routed["routed_splits"], routed["of"] = rng.integers(0, 11, len(routed)), 10
    return {f"roles/{name}": frame for name, frame in found.items()}


def _judgemoe(profile: str, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    simulated = profile == "simulated"
    cells = RECORDED_CELLS
    if simulated:
        cells = {
            f"sim_{name}_{span}": "choose" if place < 5 else "confirm"
            for place, name in enumerate(DATA_SETS)
            for span in ("1_5", "1_10")
        }
    names = list(cells)
    data_sets = (
        list(DATA_SETS) if simulated else ["summeval", "dialsumm", "roscoe", "mr_math_steps", "wmt22_zhen"]
    )
    wmt = [name for name in names if "wmt" in name]
    scopes = {"scope": ["all cells", "choose cells"], "unit": ["cells"], "baseline": list(BASELINES)}
    by_cell = {"benchmark_cell": names}
    found = {
        "protocol_summary": filled({"dataset": data_sets}, "protocol_range", rng),
        "protocol_contrast_means": filled(
            {"contrast": ["soft - hard"], "dataset": data_sets}, "difference", rng
        ),
        "protocol_cells": filled(by_cell, "", rng).assign(rows=rng.integers(0, 400, len(names))),
        "protocol_information": filled({**by_cell, "judge": ["a", "b"]}, "summary_gain", rng),
        "comparisons": filled(scopes, "mean_gain low p_one_sided p_two_sided", rng).assign(n=10),
        "cell_gains": filled(
            {**by_cell, "first": ["judgemoe", "best_pipeline"], "baseline": list(BASELINES)}, "gain low", rng
        ).assign(rows=100),
        "deployment": filled(by_cell, "regret_best_validation", rng),
        "power": filled({"baseline": list(BASELINES), "cells": [10, 16]}, "power", rng),
        "main": filled(
            {**by_cell, "method": ["judgemoe", "judgemoe_compact", "judgemoe_family_diverse"]},
            "spearman",
            rng,
        ),
        "feature_ablation": filled(
            {"feature_set": ["hard", "soft", "both", "summaries"]}, "rebuilt gain p_one_sided", rng
        ).assign(cells=10),
        "gate_by_pool": filled(
            {"architecture": ["deepsets", "mlp"], "pool": ["log", "linear"]}, "choose_test", rng
        ),
        "temperature_sweep": filled({"pool_temperature": [0.3, 0.5, 0.7, 1.0]}, "test", rng),
        "gate_weight_means": filled({"score_range": ["1-5", "1-10"]}, "rebuilt", rng).assign(cells=5),
        "residual_correlation": filled(by_cell, "full", rng),
        "residual_correlation_means": filled(
            {"pool": ["full", "compact", "family_diverse"]}, "rebuilt where_compact_exists", rng
        ).assign(cells=5),
        "pairwise": filled(by_cell, "accuracy_gain spearman_gain", rng),
        "sparse_wmt": filled({"benchmark_cell": wmt, "method": list(METHODS)}, "spearman", rng),
        "leave_one_out": filled({**by_cell, "judge": ["a", "b"]}, "gain", rng),
        "subset_sizes": filled(by_cell, "share", rng),
        "selector": filled(by_cell, "sparse_test full_test", rng),
        "selector_strategies": filled(
            {"strategy": ["learned rule", "always full", "best on test"]}, "spearman regret", rng
        ),
        "selector_eight": filled({"strategy": ["learned rule", "best on test"]}, "spearman regret", rng),
        "selector_rules": pd.DataFrame({"folds": rng.integers(1, 5, 2), "of": 4}),
        "expert_claims": _expert_claims(rng),
        "expert_verdicts": filled({"dataset": ["all"]}, "gain_admitted gain_refused", rng).assign(experts=9),
    }
    for name in ("protocol_cells", "cell_gains", "deployment", "main", "subset_sizes"):
        found[name]["role"] = found[name]["benchmark_cell"].map(cells)
    sweep = found["temperature_sweep"]
    sweep["cells_won_on_validation"] = 0
    sweep.loc[rng.choice(4, 2), "cells_won_on_validation"] = 3
    found["subset_sizes"]["smaller"] = rng.random(len(names)) < 0.9
    found["selector"]["test_best"] = rng.choice(["single", "fixed", "full", "sparse"], len(names))
    return {f"judgemoe/{name}": frame for name, frame in found.items()}


def _expert_claims(rng: np.random.Generator) -> pd.DataFrame:
    rows = [
        ("jm-064", "BERTScore: gain of the learned pool"),
        ("jm-065", "reward model: pool repaired on validation, minus judges only"),
        ("jm-066", "COMET alone"),
        ("jm-066", "uniform log pool with COMET"),
        ("jm-066", "learned pool with COMET"),
        ("jm-067", "COMET: gain of the learned pool"),
        ("jm-067", "translation BERTScore: gain of the learned pool"),
        ("jm-070", "more prompts: change of residual correlation"),
        ("jm-070", "more prompts: change of the learned pool"),
        ("jm-071", "settings above the best single judge at the least data"),
        ("jm-072", "BERTScore: fraction that is enough"),
        ("jm-072", "reward model: fraction that is enough"),
        ("jm-072", "fraction that is enough, reward minus BERTScore"),
    ]
    return pd.DataFrame(rows, columns=["claim", "quantity"]).assign(ours=rng.uniform(-1, 1, len(rows)))
