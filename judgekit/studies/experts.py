"""Scalar experts joining pools of judges: vetting on training rows, gain, repair, learning curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from judgekit.axes import Pooled, Probs, Target
from judgekit.benchmark import BenchmarkCell
from judgekit.errors import InvalidInput
from judgekit.expert_cells import ExpertCell
from judgekit.experts import Vetting, fit_expert, vet
from judgekit.judgments import Judgments, judge_frame
from judgekit.metrics import residual_correlation, residual_correlation_matrix, spearman
from judgekit.pooling import covariance_weights, pool_log
from judgekit.resampling import bootstrap_spearman
from judgekit.selection import search_subsets
from judgekit.splits import group_folds
from judgekit.studies.aggregation import CellParts, split_cell

_ROWS_A_BIN = 10


@dataclass(frozen=True)
class ExpertSettings:
    """How experts are binned, vetted and tested.

    Attributes
    ----------
    bins : int
        Bins of equal count, fewer where a bin would hold less than ten training rows.
    smoothing : float
        Pseudo-counts of a bin at the distribution over all training rows.
    folds : int
        Folds of training groups over which the vetting rule is cross-fitted.
    draws : int
        Resamples of the test groups behind each interval.
    """

    bins: int = 10
    smoothing: float = 1.0
    folds: int = 5
    draws: int = 500

    def __post_init__(self) -> None:
        for name in ("bins", "folds"):
            if getattr(self, name) < 2:
                raise InvalidInput(name, "a whole number >= 2", getattr(self, name))


def expert_distribution(
    values: np.ndarray, target: Target, support: np.ndarray, train: np.ndarray, settings: ExpertSettings
) -> Pooled:
    """Distribution of every row's bin; bins and histograms rest on the rows `train` alone.

    Parameters
    ----------
    values : float64 [items]
    target : float64 [items]
        Read on `train` only.
    support : float64 [buckets]
    train : int64 [rows]
        Row numbers.
    settings : ExpertSettings
    """
    bins = max(2, min(settings.bins, len(train) // _ROWS_A_BIN))
    expert = fit_expert(values[train], target[train], support, bins=bins, smoothing=settings.smoothing)
    return expert.distribution(values)


def join_experts(
    cell: BenchmarkCell, distributions: Mapping[str, Pooled], kinds: Sequence[str]
) -> BenchmarkCell:
    """The cell with experts, each a distribution [items, buckets] a row, appended to its judges.

    Experts stay in float64: in float32 the expected scores of two bins that are equal differ by 1e-8, and
    ranks would tell them apart.
    """
    own = cell.judgments
    details = {"kind": list(kinds), "read_out": ["distribution"] * len(kinds)}
    added = np.stack(list(distributions.values()), axis=1).astype(np.float64)
    judges = pd.concat([own.judges, judge_frame(list(distributions), details)], ignore_index=True)
    probs = np.concatenate([own.probs, added], axis=1)
    return replace(cell, judgments=Judgments(probs, own.support, own.target, own.items, judges), truth=None)


def mix(expert_cell: ExpertCell, *, seed: int, settings: ExpertSettings) -> CellParts:
    """Judges and all experts of a cell as one pool, split by group; bins rest on the training rows."""
    parts, scalars = split_cell(expert_cell.cell, seed=seed), expert_cell.scalars
    support = parts.cell.judgments.support
    found = {
        name: expert_distribution(scalars.of(name), parts.target, support, parts.split.fit, settings)
        for name in scalars.names
    }
    return split_cell(join_experts(parts.cell, found, scalars.kinds), seed=seed)


def vet_expert(parts: CellParts, values: np.ndarray, *, seed: int, settings: ExpertSettings) -> Vetting:
    """The verdict on one expert from training rows alone, cross-fitted over folds of training groups.

    In each fold, bins are learnt on the other folds, and the uniform log pool with the expert is held
    against the one without on the fold.

    Parameters
    ----------
    parts : CellParts
        Of the judges.
    values : float64 [items]
        The metric.
    seed : int
        Of the folds.
    settings : ExpertSettings
    """
    support, train = parts.cell.judgments.support, parts.split.fit
    fold_of = group_folds(parts.cell.groups[train], settings.folds, rng=np.random.default_rng([seed, 1]))
    gains = []
    for fold in range(settings.folds):
        held, rest = train[fold_of == fold], train[fold_of != fold]
        distribution = expert_distribution(values, parts.target, support, rest, settings)
        gains.append(_gain(parts, distribution, held))
    return vet(np.array(gains))


def study_experts(cells: Sequence[ExpertCell], *, seed: int, settings: ExpertSettings) -> pd.DataFrame:
    """Every expert beside the judges of its cell, one at a time.

    Returns
    -------
    DataFrame
        One row a cell and expert: benchmark_cell, dataset, expert, kind, reference_based, rows, left_out
        (reference items); from validation rows `pool_correlation` (mean residual correlation of the judges)
        and `residual_correlation` (mean of the expert with each judge); from training rows `vetting_gain`,
        `folds_won` and `admitted`; Spearman on test rows of the `expert` alone, the best `single` judge
        (chosen on validation), the uniform log `pool` and the pool with the expert, `mixed`;
        `validation_gain`, `test_gain` with its interval `low`..`high`; `covariance_validation_gain` and
        `covariance_test_gain`; `repaired` (test Spearman of the best subset of judges and expert by
        validation) and `repair_keeps` (whether the expert is in it); `right` (the verdict
        has the sign of `test_gain`).
    """
    found = []
    for each in cells:
        for name in each.scalars.names:
            found.append(_one_expert(each.among([name]), len(each.scalars.items), seed, settings))
    return pd.DataFrame(found)


def study_verdicts(
    cells: Sequence[ExpertCell], *, seeds: Sequence[int], settings: ExpertSettings
) -> pd.DataFrame:
    """Verdict and test gain of every expert on several splits: how often the vetting rule is right.

    Returns
    -------
    DataFrame
        One row a cell, expert and split: benchmark_cell, dataset, expert, seed, vetting_gain, admitted,
        validation_gain, test_gain, right.
    """
    found = []
    for each in cells:
        for name in each.scalars.names:
            chosen = each.among([name])
            for seed in seeds:
                parts, values = split_cell(chosen.cell, seed=seed), chosen.scalars.values[:, 0]
                verdict, gains = _verdict(parts, values, seed, settings)
                about = {
                    "benchmark_cell": each.cell.name,
                    "dataset": each.cell.dataset,
                    "expert": name,
                    "seed": seed,
                }
                found.append({**about, **verdict, **gains})
    return pd.DataFrame(found)


def _one_expert(chosen: ExpertCell, items: int, seed: int, settings: ExpertSettings) -> dict[str, object]:
    cell, name, values = chosen.cell, chosen.scalars.names[0], chosen.scalars.values[:, 0]
    parts, both = split_cell(cell, seed=seed), mix(chosen, seed=seed, settings=settings)
    support, split, target = cell.judgments.support, parts.split, parts.target
    errors = residual_correlation_matrix(both.soft[split.validation], target[split.validation])[-1, :-1]
    verdict, gains = _verdict(parts, values, seed, settings, both=both)
    without, mixed = (
        uniform_score(parts.probs[split.test], support),
        uniform_score(both.probs[split.test], support),
    )
    interval = bootstrap_spearman(
        np.column_stack([mixed, without]),
        target[split.test],
        cell.groups[split.test],
        rng=np.random.default_rng([seed, 2]),
        draws=settings.draws,
    ).difference(0, 1)
    best = search_subsets(both.probs[split.validation], target[split.validation], support).best
    repaired = uniform_score(both.probs[split.test][:, list(best)], support)
    covariance = {
        f"covariance_{part}_gain": covariance_spearman(both.probs, both, split.fit, rows)
        - covariance_spearman(parts.probs, parts, split.fit, rows)
        for part, rows in (("validation", split.validation), ("test", split.test))
    }
    return {
        "benchmark_cell": cell.name,
        "dataset": cell.dataset,
        "expert": name,
        "kind": chosen.scalars.kinds[0],
        "reference_based": bool(chosen.scalars.reference_based[0]),
        "rows": len(target),
        "left_out": items - len(target),
        "pool_correlation": residual_correlation(parts.soft[split.validation], target[split.validation]),
        "residual_correlation": float(np.nanmean(errors)),
        "expert_alone": spearman(both.soft[split.test, -1], target[split.test]),
        "single": best_single(parts)[1],
        "pool": spearman(without, target[split.test]),
        "mixed": spearman(mixed, target[split.test]),
        **verdict,
        **gains,
        "low": interval.low,
        "high": interval.high,
        **covariance,
        "repaired": spearman(repaired, target[split.test]),
        "repair_keeps": len(both.cell.judgments.names) - 1 in best,
    }


def _verdict(
    parts: CellParts, values: np.ndarray, seed: int, settings: ExpertSettings, both: CellParts | None = None
) -> tuple[dict[str, object], dict[str, object]]:
    """The vetting rule's verdict, and the gains it is held against."""
    vetting = vet_expert(parts, values, seed=seed, settings=settings)
    if both is None:
        support = parts.cell.judgments.support
        distribution = expert_distribution(values, parts.target, support, parts.split.fit, settings)
    else:
        distribution = both.probs[:, -1]
    validation, test = (_gain(parts, distribution, r) for r in (parts.split.validation, parts.split.test))
    verdict: dict[str, object] = {
        "vetting_gain": vetting.gain,
        "folds_won": int((vetting.fold_gains > 0).sum()),
        "admitted": vetting.admitted,
    }
    right = vetting.admitted == (test > 0)
    return verdict, {"validation_gain": validation, "test_gain": test, "right": bool(right)}


def _gain(parts: CellParts, distribution: Pooled, rows: np.ndarray) -> float:
    """Spearman of the uniform log pool with the expert minus without, on some rows."""
    support, target = parts.cell.judgments.support, parts.target[rows]
    # `distribution` covers all items, `rows` picks from it.
    mixed = np.concatenate([parts.probs[rows], distribution[rows][:, None]], axis=1)
    return spearman(uniform_score(mixed, support), target) - spearman(
        uniform_score(parts.probs[rows], support), target
    )


def uniform_score(probs: Probs, support: np.ndarray) -> np.ndarray:
    """Expected score of the uniform log pool: float64 [items]."""
    return pool_log(probs, support).score


def covariance_spearman(probs: Probs, parts: CellParts, train: np.ndarray, rows: np.ndarray) -> float:
    """Spearman of the covariance-aware log pool on some rows, its weights learnt on others."""
    support = parts.cell.judgments.support
    weights = covariance_weights(probs[train] @ support, parts.target[train]).weights
    return spearman(pool_log(probs[rows], support, weights=weights).score, parts.target[rows])


def best_single(parts: CellParts) -> tuple[int, float]:
    """The judge of highest validation Spearman, and its test Spearman."""
    validation, test = parts.split.validation, parts.split.test
    values = [spearman(column[validation], parts.target[validation]) for column in parts.soft.T]
    best = int(np.nanargmax(values))
    return best, spearman(parts.soft[test, best], parts.target[test])
