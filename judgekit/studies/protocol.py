"""How the same judge changes with prompt, score range and read-out: validation picks, test is read once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgekit.metrics import spearman, spearman_columns
from judgekit.resampling import GroupBootstrap, bootstrap_mean, bootstrap_spearman
from judgekit.splits import Split, split_three
from judgekit.sweeps import OPTION_COLUMNS, LabelRepair, ProtocolSweep

_TIE_DECIMALS = 12


@dataclass(frozen=True)
class Contrast:
    """Two kinds of protocol of one judge, alike in every other respect.

    Attributes
    ----------
    name : str
    first, second : dict of str to str
        What the options of either side have in the column (or columns) that tells them apart.
    alike : tuple of str
        Columns in which a pair of options agrees.
    """

    name: str
    first: Mapping[str, str]
    second: Mapping[str, str]
    alike: tuple[str, ...]


_ONE_PROMPT = ("prompt", "reference", "score_range")
CONTRASTS = (
    Contrast("soft - hard", {"read_out": "soft"}, {"read_out": "hard"}, _ONE_PROMPT),
    Contrast("soft - written", {"read_out": "soft"}, {"read_out": "written"}, _ONE_PROMPT),
    Contrast("1-10 - 1-5", {"score_range": "1-10"}, {"score_range": "1-5"}, ("reference", "read_out")),
    Contrast(
        "ten buckets - 0-100",
        {"score_range": "1-10"},
        {"score_range": "0-100"},
        ("prompt", "reference", "read_out"),
    ),
    Contrast(
        "with reference - without",
        {"reference": "yes"},
        {"reference": "no"},
        ("prompt", "score_range", "read_out"),
    ),
)


@dataclass(frozen=True)
class ProtocolStudy:
    """What validation says of every protocol, and what the picks score on test rows.

    Attributes
    ----------
    options : DataFrame
        One row a protocol: dataset, benchmark_cell, judge, metric, the option columns, `validation`,
        `missing` (answers lost over all rows), `rows` (validation rows), `picked`.
    picks : DataFrame
        One row a sweep: its number of `options`, `protocol_range` (best minus worst validation value), the
        picked option columns, `validation`, `test`, `reference_test` (the first protocol listed), and their
        `difference` with the interval `low`, `high` from a paired bootstrap over groups; `rows` and `groups`
        of the test part.
    """

    options: pd.DataFrame
    picks: pd.DataFrame


def study_protocols(sweeps: Sequence[ProtocolSweep], *, seed: int, draws: int = 1_000) -> ProtocolStudy:
    """Pick a protocol per sweep on validation rows, then score the pick and the reference on test rows.

    Each sweep is split 60/20/20 by group from the same seed: cells of one data set share their test groups.
    """
    options, picks = [], []
    for sweep in sweeps:
        split = split_three(sweep.groups, rng=np.random.default_rng(seed))
        measured = measure_options(sweep, split)
        picked = pick_option(measured["validation"].to_numpy())
        key = {"dataset": sweep.dataset, "benchmark_cell": sweep.benchmark_cell, "judge": sweep.judge}
        key["metric"] = sweep.metric
        measured["picked"] = np.arange(len(measured)) == picked
        options.append(pd.DataFrame([key] * len(measured)).join(measured))
        spread = measured["validation"].max() - measured["validation"].min()
        found: dict[str, Any] = {"options": len(measured), "protocol_range": float(spread)}
        found |= dict(sweep.options.iloc[picked]) | {"validation": measured["validation"].iloc[picked]}
        rng = np.random.default_rng([seed, 1])
        picks.append(key | found | _tested(sweep, split, picked, (rng, draws)))
    return ProtocolStudy(pd.concat(options, ignore_index=True), pd.DataFrame(picks))


def measure_options(sweep: ProtocolSweep, split: Split) -> pd.DataFrame:
    """Validation value of every protocol of a sweep, with answers lost; reads train and validation rows only.

    Every protocol is measured on the same rows. For Spearman an answer that is missing counts as the
    protocol's mean over the training rows; for accuracy it is wrong.
    """
    scores, target = _usable(sweep, split), sweep.target
    rows = split.validation
    if sweep.metric == "accuracy":
        value = (scores[rows] == target[rows, None]).mean(axis=0)
    else:
        value = spearman_columns(scores[rows], target[rows])
    lost = np.isnan(sweep.scores).sum(axis=0)
    return sweep.options.assign(validation=value, missing=lost, rows=len(rows))


def pick_option(validation: np.ndarray) -> int:
    """Place of the best value, the first on a tie to 1e-12; a value that is undefined loses to any other."""
    return int(np.argmax(np.where(np.isnan(validation), -np.inf, np.round(validation, _TIE_DECIMALS))))


def contrast_protocols(
    sweeps: Sequence[ProtocolSweep],
    *,
    seed: int,
    draws: int = 1_000,
    contrasts: Sequence[Contrast] = CONTRASTS,
) -> pd.DataFrame:
    """Paired differences between protocols of one judge, on all rows that every compared protocol answered.

    Nothing is chosen here, so all rows serve.

    Returns
    -------
    DataFrame
        One row a pair: contrast, dataset, benchmark_cell, judge, the option columns of the first side,
        `first` and `second` values, `difference` with `low`, `high` (paired bootstrap over groups), `rows`,
        `groups`.
    """
    found = []
    for sweep in sweeps:
        pairs = [(each, *pair) for each in contrasts for pair in contrast_pairs(sweep.options, each)]
        if not pairs:
            continue
        compared = sorted({place for _, first, second in pairs for place in (first, second)})
        rng, rows = np.random.default_rng(seed), np.arange(len(sweep.target))
        values = _bootstrap(sweep, rows, sweep.scores[:, compared], (rng, draws))
        for contrast, first, second in pairs:
            one, other = compared.index(first), compared.index(second)
            gap = values.difference(one, other)
            key = {
                "contrast": contrast.name,
                "dataset": sweep.dataset,
                "benchmark_cell": sweep.benchmark_cell,
            }
            key |= {"judge": sweep.judge} | dict(sweep.options.iloc[first])
            sides = {"first": values.estimate[one], "second": values.estimate[other]}
            gaps = {"difference": gap.estimate, "low": gap.low, "high": gap.high}
            found.append(key | sides | gaps | {"rows": values.kept, "groups": values.groups})
    columns = ["contrast", "dataset", "benchmark_cell", "judge", *OPTION_COLUMNS, "first", "second"]
    return pd.DataFrame(found, columns=[*columns, "difference", "low", "high", "rows", "groups"])


def contrast_pairs(options: pd.DataFrame, contrast: Contrast) -> list[tuple[int, int]]:
    """Places of the options on either side of a contrast that agree in everything it holds alike."""
    first, second = (
        np.flatnonzero((options[list(side)] == pd.Series(side)).all(axis=1).to_numpy())
        for side in (dict(contrast.first), dict(contrast.second))
    )
    alike = options[list(contrast.alike)].to_numpy()
    return [(int(i), int(j)) for i in first for j in second if (alike[i] == alike[j]).all()]


def study_repairs(repairs: Sequence[LabelRepair]) -> pd.DataFrame:
    """Spearman of each judge with the published and with the repaired label, on the rows that were wrong.

    Returns
    -------
    DataFrame
        dataset, benchmark_cell, defect, judge, `published_label`, `repaired_label`, `changed` (labels that
        differ), `rows`.
    """
    return pd.DataFrame(
        {
            "dataset": repair.dataset,
            "benchmark_cell": repair.benchmark_cell,
            "defect": repair.defect,
            "judge": judge,
            "published_label": spearman(repair.scores[:, column], repair.published),
            "repaired_label": spearman(repair.scores[:, column], repair.repaired),
            "changed": int((~np.isclose(repair.published, repair.repaired)).sum()),
            "rows": int((~np.isnan(repair.scores[:, column])).sum()),
        }
        for repair in repairs
        for column, judge in enumerate(repair.judges)
    )


def _usable(sweep: ProtocolSweep, split: Split) -> np.ndarray:
    """Scores in which every missing answer has a value that needs no test row."""
    if sweep.metric == "accuracy":
        return sweep.scores
    train = sweep.scores[split.fit]
    seen = ~np.isnan(train)
    mean = np.where(seen, train, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    return np.where(np.isnan(sweep.scores), mean, sweep.scores)


def _tested(
    sweep: ProtocolSweep, split: Split, picked: int, options: tuple[np.random.Generator, int]
) -> dict[str, float]:
    """The pick and the reference protocol on the test rows: the only place where test labels are read."""
    pair = _usable(sweep, split)[:, [picked, 0]]
    values = _bootstrap(sweep, split.test, pair, options)
    gap = values.difference(0, 1)
    return {
        "test": float(values.estimate[0]),
        "reference_test": float(values.estimate[1]),
        "difference": gap.estimate,
        "low": gap.low,
        "high": gap.high,
        "rows": values.kept,
        "groups": values.groups,
    }


def _bootstrap(
    sweep: ProtocolSweep, rows: np.ndarray, scores: np.ndarray, options: tuple[np.random.Generator, int]
) -> GroupBootstrap:
    rng, draws = options
    target, groups = sweep.target[rows], sweep.groups[rows]
    if sweep.metric == "accuracy":
        right = (scores[rows] == target[:, None]).astype(np.float64)
        return bootstrap_mean(right, groups, rng=rng, draws=draws)
    return bootstrap_spearman(scores[rows], target, groups, rng=rng, draws=draws)
