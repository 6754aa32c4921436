"""Sparse repair: find on validation rows which judge spoils a pool, keep fewer, retrain, score test once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from judgekit.family_selector import CellStatistics
from judgekit.gate import GateEnsemble, fit_gates
from judgekit.metrics import residual_correlation, spearman_columns
from judgekit.pooling import pool_linear, pool_log
from judgekit.resampling import GroupBootstrap, bootstrap_spearman
from judgekit.scores import features
from judgekit.selection import LeaveOneOut, SubsetSearch, SubsetSettings, leave_one_out, search_subsets
from judgekit.studies.aggregation import CellParts, Configuration

FAMILY_METHODS = {
    "single": "single_best",
    "fixed": "fixed_subset",
    "full": "full_gate",
    "sparse": "sparse_gate",
}
# The size that the paper keeps on WMT.
SPARSE_SIZE = 2


@dataclass(frozen=True)
class JudgeChoice:
    """Which judges the validation rows of a cell speak for.

    Attributes
    ----------
    single : int
        Judge of the highest Spearman.
    fixed, sparse : SubsetSearch
        Best subset of any size, and best subset of `SPARSE_SIZE` judges, both as uniform log pools.
    diagnosis : LeaveOneOut
        Of the uniform log pool of all judges.
    """

    single: int
    fixed: SubsetSearch
    sparse: SubsetSearch
    diagnosis: LeaveOneOut

    @property
    def without_weakest(self) -> tuple[int, ...]:
        """All judges but the one whose removal gains most."""
        judges = range(len(self.diagnosis.gain))
        return tuple(judge for judge in judges if judge != self.diagnosis.worst)


@dataclass(frozen=True)
class Families:
    """One cell with gates trained on its training rows and everything chosen on its validation rows.

    Attributes
    ----------
    parts : CellParts
    choice : JudgeChoice
    gates : dict of str to (tuple of int, GateEnsemble)
        Judges and gates of full_gate, sparse_gate and, where it was asked for, repaired_gate (without the
        weakest judge).
    feature_set : str
        Key of `judgekit.scores.FEATURE_SETS`.
    """

    parts: CellParts
    choice: JudgeChoice
    gates: Mapping[str, tuple[tuple[int, ...], GateEnsemble]]
    feature_set: str

    @property
    def judges(self) -> dict[str, tuple[int, ...]]:
        """Judges that each method calls."""
        everyone = tuple(range(self.parts.probs.shape[1]))
        return {
            "single_best": (self.choice.single,),
            "uniform_log": everyone,
            "uniform_linear": everyone,
            "drop_weakest": self.choice.without_weakest,
            "sparse_pool": self.choice.sparse.best,
            "fixed_subset": self.choice.fixed.best,
            **{name: judges for name, (judges, _) in self.gates.items()},
        }

    @property
    def statistics(self) -> CellStatistics:
        """What the selector may know: validation Spearman of each family, and two diagnoses."""
        rows = self.parts.split.validation
        soft, target = self.parts.soft[rows], self.parts.target[rows]
        return CellStatistics(
            benchmark_cell=self.parts.name,
            single=float(spearman_columns(soft, target)[self.choice.single]),
            fixed=self.choice.fixed.spearman,
            full=self.gates["full_gate"][1].validation_spearman,
            sparse=self.gates["sparse_gate"][1].validation_spearman,
            leave_one_out_gain=self.choice.diagnosis.best_gain,
            residual_correlation=residual_correlation(soft, target),
        )

    def scores(self, rows: np.ndarray, methods: Iterable[str] = ()) -> dict[str, np.ndarray]:
        """Scores of some methods (default: all) on some rows: [rows, 1], or [rows, seeds] of a gate.

        Where a method has none, its mean over the training rows stands, so that all methods share rows.
        """
        found = {}
        for method in tuple(methods) or self.judges:
            values = self._score(method, rows)
            if np.isnan(values).any():
                middle = np.nanmean(self._score(method, self.parts.split.fit), axis=0)
                values = np.where(np.isnan(values), middle, values)
            found[method] = values
        return found

    def _score(self, method: str, rows: np.ndarray) -> np.ndarray:
        chosen, support = list(self.judges[method]), self.parts.support
        if method == "single_best":
            return self.parts.soft[rows][:, chosen]
        probs = self.parts.probs[rows][:, chosen]
        if method in self.gates:
            inputs = features(probs, support, feature_set=self.feature_set).values
            return self.gates[method][1].scores(inputs, probs)
        pool = pool_linear if method == "uniform_linear" else pool_log
        return pool(probs, support).score[:, None]


def choose_judges(parts: CellParts) -> JudgeChoice:
    """Choose judges on the validation rows of a cell; no other row is read."""
    rows, support = parts.split.validation, parts.support
    probs, target = parts.probs[rows], parts.target[rows]
    two = SubsetSettings(smallest=SPARSE_SIZE, largest=SPARSE_SIZE)
    return JudgeChoice(
        single=int(np.nanargmax(spearman_columns(parts.soft[rows], target))),
        fixed=search_subsets(probs, target, support),
        sparse=search_subsets(probs, target, support, settings=two),
        diagnosis=leave_one_out(probs, target, support),
    )


def fit_families(
    cells: Sequence[CellParts],
    configuration: Configuration,
    *,
    rng: np.random.Generator,
    seeds: int = 3,
    repaired: Sequence[str] = (),
) -> list[Families]:
    """Choose judges in every cell, then train the gates of all cells in one call.

    Parameters
    ----------
    cells : sequence of CellParts
    configuration : Configuration
        Feature set and gate, the same in every cell.
    rng : Generator
    seeds : int
        Gates a task.
    repaired : sequence of str
        Cells that also get a gate on all judges but the weakest.
    """
    choices = [choose_judges(parts) for parts in cells]
    wanted = []
    for place, (parts, choice) in enumerate(zip(cells, choices, strict=True)):
        wanted.append((place, "full_gate", tuple(range(parts.probs.shape[1]))))
        wanted.append((place, "sparse_gate", choice.sparse.best))
        if parts.name in repaired:
            wanted.append((place, "repaired_gate", choice.without_weakest))
    tasks = [_only(cells[place], judges).task(configuration) for place, _, judges in wanted]
    fitted = fit_gates(tasks, rng=rng, seeds=seeds)
    gates: list[dict[str, tuple[tuple[int, ...], GateEnsemble]]] = [{} for _ in cells]
    for (place, name, judges), ensemble in zip(wanted, fitted, strict=True):
        gates[place][name] = (judges, ensemble)
    together = zip(cells, choices, gates, strict=True)
    return [Families(*each, configuration.feature_set) for each in together]


def score_test(families: Sequence[Families], *, seed: int, draws: int = 1_000) -> pd.DataFrame:
    """Spearman of every method on the test rows of every cell: the only place where test labels are read.

    A gate's value is the mean over its seeds; a missing score is the method's mean over the training rows.
    Intervals are percentiles of a paired bootstrap over groups.

    Parameters
    ----------
    families : sequence of Families
    seed, draws : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        benchmark_cell, dataset, role, score_range, method, `size` and `judges` called, spearman, low, high,
        `gain` over the uniform log pool with gain_low and gain_high, judges_with_probabilities,
        judges_hard_only, rows, groups; `spearman_answered` on the `rows_answered`
        rows that every judge answered, where nothing is filled in.
    """
    found = []
    for fitted in families:
        parts, methods = fitted.parts, fitted.judges
        cell, names = parts.cell, parts.cell.judgments.names
        scores = fitted.scores(parts.split.test)
        measured = _bootstrap(fitted, scores, np.random.default_rng([seed, 1]), draws)
        complete = ~np.isnan(parts.soft[parts.split.test]).any(axis=1)
        target = parts.target[parts.split.test][complete]
        base = list(methods).index("uniform_log")
        for place, (method, judges) in enumerate(methods.items()):
            value, gain = measured.interval(place), measured.difference(place, base)
            called = [names[judge] for judge in judges]
            found.append(
                {
                    "benchmark_cell": cell.name,
                    "dataset": cell.dataset,
                    "role": cell.role,
                    "score_range": cell.score_range,
                    "method": method,
                    "size": len(judges),
                    "judges": ", ".join(called) if len(called) < len(names) else "all",
                    "spearman": value.estimate,
                    "low": value.low,
                    "high": value.high,
                    "gain": gain.estimate,
                    "gain_low": gain.low,
                    "gain_high": gain.high,
                    "judges_with_probabilities": sum(name not in cell.hard_only for name in called),
                    "judges_hard_only": sum(name in cell.hard_only for name in called),
                    "rows": measured.kept,
                    "groups": measured.groups,
                    "spearman_answered": float(np.mean(spearman_columns(scores[method][complete], target))),
                    "rows_answered": int(complete.sum()),
                }
            )
    return pd.DataFrame(found)


def leave_one_out_frame(families: Sequence[Families]) -> pd.DataFrame:
    """What dropping each judge does to the full log pool on validation rows, one row a cell and judge.

    `alone` is the judge's own Spearman, `full` and `without` that of the pool with and without it, `gain`
    their difference; `weakest` marks the judge that the diagnosis drops.
    """
    frames = []
    for fitted in families:
        parts, diagnosis = fitted.parts, fitted.choice.diagnosis
        rows, names = parts.split.validation, parts.cell.judgments.names
        frames.append(
            pd.DataFrame(
                {
                    "benchmark_cell": parts.name,
                    "judge": names,
                    "alone": spearman_columns(parts.soft[rows], parts.target[rows]),
                    "full": diagnosis.full,
                    "without": diagnosis.without,
                    "gain": diagnosis.gain,
                    "weakest": np.arange(len(names)) == diagnosis.worst,
                    "rows": diagnosis.kept,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def _only(parts: CellParts, judges: Sequence[int]) -> CellParts:
    names = parts.cell.judgments.names
    return parts if len(judges) == len(names) else parts.only([names[judge] for judge in judges])


def _bootstrap(
    fitted: Families, scores: Mapping[str, np.ndarray], rng: np.random.Generator, draws: int
) -> GroupBootstrap:
    """Resampled Spearman of each method on test rows, gates averaged over their seeds in every resample."""
    rows = fitted.parts.split.test
    columns = np.concatenate(list(scores.values()), axis=1)
    seeds = [values.shape[1] for values in scores.values()]
    owner = np.repeat(np.arange(len(seeds)), seeds)
    mean = (owner[:, None] == np.arange(len(seeds))) / np.array(seeds)
    drawn = bootstrap_spearman(
        columns, fitted.parts.target[rows], fitted.parts.cell.groups[rows], rng=rng, draws=draws
    )
    return replace(drawn, estimate=drawn.estimate @ mean, draws=drawn.draws @ mean)
