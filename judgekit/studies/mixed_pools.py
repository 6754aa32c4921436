"""Pools of judges, of scalar experts, and of both, under every way to pool, on the same test rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from judgekit.expert_cells import ExpertCell
from judgekit.gate import GateRows, GateSettings, GateTask, fit_gates
from judgekit.metrics import spearman, spearman_columns
from judgekit.pooling import covariance_weights, pool_log
from judgekit.scores import features
from judgekit.selection import search_subsets
from judgekit.studies.aggregation import CellParts
from judgekit.studies.experts import ExpertSettings, mix


@dataclass(frozen=True)
class LearnedSettings:
    """How the learned pool is trained: defaults of the gate, on scalar summaries.

    Attributes
    ----------
    seeds : int
        Gates a pool; Spearman is averaged over them.
    feature_set : str
        Key of `judgekit.scores.FEATURE_SETS`.
    gate : GateSettings
        Large steps from 2,048 training rows on: a part of WMT22 then trains as the whole of it does.
    """

    seeds: int = 3
    feature_set: str = "summaries"
    gate: GateSettings = field(default_factory=lambda: GateSettings(large_cell=2048))


@dataclass(frozen=True)
class _Pool:
    """Some members of one cell's mixed pool, under the name that the table gives them."""

    label: str
    parts: CellParts
    judges: int


def admitted(experts: pd.DataFrame) -> dict[str, list[str]]:
    """Experts that passed vetting, by benchmark cell, from the frame of `studies.experts.study_experts`."""
    return {
        str(cell): rows.loc[rows["admitted"], "expert"].tolist()
        for cell, rows in experts.groupby("benchmark_cell", sort=False)
    }


def study_mixed_pools(
    cells: Sequence[ExpertCell],
    passed: Mapping[str, Sequence[str]],
    learned: Mapping[str, Sequence[str]],
    *,
    seed: int,
    settings: ExpertSettings,
    gates: LearnedSettings,
) -> pd.DataFrame:
    """Test Spearman of homogeneous and mixed pools; every choice rests on training and validation rows.

    Parameters
    ----------
    cells : sequence of ExpertCell
    passed : mapping of benchmark cell to experts
        Those that passed vetting, before they were tested here.
    learned : mapping of benchmark cell to experts
        Cells whose learned pools are trained: the experts that join the judges one by one there, and "all"
        where all together do.
    seed : int
        Of the split and of the gates.
    settings : ExpertSettings
    gates : LearnedSettings

    Returns
    -------
    DataFrame
        One row a cell and pool ("judges", "experts", "judges + NAME", "judges + admitted", "judges + all"):
        benchmark_cell, dataset, pool, `judges` and `experts` (how many), `member` (best one by validation)
        and `single` (its test Spearman), `uniform_log`, `covariance_log`, `best_subset` (by validation,
        uniform log pool), `subset` (its members), `learned` (mean over seeds; NaN where not
        trained), test_rows.
        Reference items are left out throughout a cell as soon as one of its experts needs that.
    """
    pools = [
        (each, pool)
        for each in cells
        for pool in _pools(each, passed[each.cell.name], learned.get(each.cell.name, ()), seed, settings)
    ]
    trained = [place for place, (each, pool) in enumerate(pools) if _is_trained(each, pool, learned)]
    parts = [pools[place][1].parts for place in trained]
    values = dict(
        zip(trained, learned_spearman(parts, gates, rng=np.random.default_rng([seed, 4])), strict=True)
    )
    found = []
    for place, (each, pool) in enumerate(pools):
        about = {"benchmark_cell": each.cell.name, "dataset": each.cell.dataset}
        learned_value = values.get(place, float("nan"))
        found.append(
            {**about, **_fixed(pool), "learned": learned_value, "test_rows": len(pool.parts.split.test)}
        )
    return pd.DataFrame(found)


def learned_spearman(
    pools: Sequence[CellParts], settings: LearnedSettings, *, rng: np.random.Generator
) -> list[float]:
    """Test Spearman of a learned log pool of each pool, mean over seeds."""
    rows = [_gate_rows(parts, settings.feature_set) for parts in pools]
    tasks = [
        GateTask(train, validation, parts.cell.judgments.support, settings.gate)
        for parts, (train, validation, _) in zip(pools, rows, strict=True)
    ]
    found = []
    for (_, _, test), gates in zip(rows, fit_gates(tasks, rng=rng, seeds=settings.seeds), strict=True):
        scores = gates.scores(test.features, test.probs)
        found.append(float(np.mean(spearman_columns(scores, test.target))))
    return found


def _gate_rows(parts: CellParts, feature_set: str) -> list[GateRows]:
    """Training, validation and test rows as a gate takes them."""
    values = features(parts.probs, parts.cell.judgments.support, feature_set=feature_set).values
    split = (parts.split.fit, parts.split.validation, parts.split.test)
    return [GateRows(values[rows], parts.probs[rows], parts.target[rows]) for rows in split]


def _pools(
    each: ExpertCell, passed: Sequence[str], one_by_one: Sequence[str], seed: int, settings: ExpertSettings
) -> list[_Pool]:
    whole = mix(each.among(each.scalars.names), seed=seed, settings=settings)
    judges, experts = each.cell.judgments.names, list(each.scalars.names)
    members = {
        "judges": judges,
        "experts": experts,
        **{f"judges + {name}": [*judges, name] for name in one_by_one if name != "all"},
        "judges + admitted": [*judges, *passed],
        "judges + all": [*judges, *experts],
    }
    return [
        _Pool(label, whole.only(names), sum(name in judges for name in names))
        for label, names in members.items()
    ]


def _is_trained(each: ExpertCell, pool: _Pool, learned: Mapping[str, Sequence[str]]) -> bool:
    wanted = learned.get(each.cell.name)
    return wanted is not None and pool.label in {"judges", *(f"judges + {name}" for name in wanted)}


def _fixed(pool: _Pool) -> dict[str, object]:
    parts = pool.parts
    support, names = parts.cell.judgments.support, parts.cell.judgments.names
    split, target = parts.split, parts.target
    single = int(np.nanargmax(spearman_columns(parts.soft[split.validation], target[split.validation])))
    weights = covariance_weights(parts.soft[split.fit], target[split.fit]).weights
    best = list(search_subsets(parts.probs[split.validation], target[split.validation], support).best)
    held = parts.probs[split.test]
    scores = {
        "single": parts.soft[split.test, single],
        "uniform_log": pool_log(held, support).score,
        "covariance_log": pool_log(held, support, weights=weights).score,
        "best_subset": pool_log(held[:, best], support).score,
    }
    return {
        "pool": pool.label,
        "judges": pool.judges,
        "experts": len(names) - pool.judges,
        "member": names[single],
        **{name: spearman(values, target[split.test]) for name, values in scores.items()},
        "subset": " + ".join(names[place] for place in best),
    }
