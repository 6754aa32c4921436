"""Protocol sweeps and repaired labels, from recorded data sets and from the simulator."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from judgekit.benchmark import BenchmarkCell, expected_scores
from judgekit.errors import InvalidInput
from judgekit.scores import hard_score, hundred_to_ten
from judgekit.sources.cells import cell_names, load_cell
from judgekit.sources.declarations import declarations
from judgekit.sources.local_run import local_run
from judgekit.sources.local_settings import sweeps_of
from judgekit.sources.recorded import load
from judgekit.sources.recording import Recording
from judgekit.sweeps import OPTION_COLUMNS, LabelRepair, ProtocolSweep

_KEYS = {"dataset", "metric", "cells", "judges", "prompts", "reference"}
_HUNDRED = "0-100"


def load_sweeps(profile: str) -> list[ProtocolSweep]:
    """Every protocol sweep of a profile: those of protocols.yaml, of the simulated cells, or of a local run.

    Raises
    ------
    InvalidInput
        Unknown profile, or a declaration that does not fit its data set.
    MissingData
        A data set is not here.
    """
    if profile == "simulated":
        return _simulated_sweeps()
    if profile == "local":
        run = local_run()
        return [sweep for entry in sweeps_of(run) for sweep in build_sweeps(run, entry)]
    if profile != "recorded":
        raise InvalidInput("profile", "simulated, recorded, local", profile)
    declared = declarations("protocols", {"sweeps": list})["sweeps"]
    recordings = {name: load(name) for name in dict.fromkeys(entry["dataset"] for entry in declared)}
    return [sweep for entry in declared for sweep in build_sweeps(recordings[entry["dataset"]], entry)]


def build_sweeps(recording: Recording, entry: Mapping[str, Any]) -> list[ProtocolSweep]:
    """The sweeps of one declaration, one a cell and judge, cells in the outer loop.

    A judge is swept over the labelled rows on which any of its protocols has an answer; for accuracy over
    all labelled rows, since a verdict that did not parse is wrong.

    Raises
    ------
    InvalidInput
        A key, judge, aspect, column or value that does not fit, or a judge with none of the prompts.
    """
    if set(entry) - _KEYS or (_KEYS - {"reference"}) - set(entry):
        raise InvalidInput("sweeps", ", ".join(sorted(_KEYS)), ", ".join(sorted(entry)))
    found = []
    for name, about in entry["cells"].items():
        aspect = about.get("aspect", "")
        items = recording.items
        for column, value in about.get("rows", {}).items():
            if column not in items or not (items[column] == value).any():
                raise InvalidInput(
                    f"{name}.rows", f"columns and values of {recording.dataset}", (column, value)
                )
            items = items[items[column] == value]
        labels = recording.labels[recording.labels["aspect"] == aspect].set_index("item")["label"]
        if labels.empty:
            known = sorted(recording.labels["aspect"].unique())
            raise InvalidInput(f"{name}.aspect", ", ".join(known), aspect)
        target = labels.reindex(items["item"]).to_numpy(np.float64)
        answers = recording.judgments[recording.judgments["aspect"] == aspect]
        for judge in entry["judges"]:
            options, scores = _options(recording, answers[answers["judge"] == judge], judge, entry, items)
            answered = ~np.isnan(scores).all(axis=1) | (entry["metric"] == "accuracy")
            kept = answered & ~np.isnan(target)
            groups = np.unique(items["group"].astype(str).to_numpy()[kept], return_inverse=True)[1]
            sweep = (options, scores[kept], target[kept], groups)
            found.append(ProtocolSweep(recording.dataset, name, judge, entry["metric"], *sweep))
    return found


def load_repairs(profile: str) -> list[LabelRepair]:
    """Labels that were wrong, with the judges' soft scores on exactly the rows concerned.

    Simulated: the labels of the last tenth of a cell moved by one row. Recorded: what upstream got wrong.
    ROSCOE: the tails where prompts and labels ran out of step and the label could be joined again by text.
    DialSummEval: coherence, where one public file repeats the second rater in place of the third. Local: as
    simulated, on the run's first cell, so that the sign is seen on judges of one's own.
    """
    if profile == "simulated":
        return [_moved_labels(load_cell(profile, "sim_summeval_1_5"))]
    if profile == "local":
        return [_moved_labels(load_cell(profile, cell_names(profile)[0]))]
    roscoe, dialsumm = load("roscoe"), load("dialsumm")
    labels = roscoe.labels.merge(roscoe.items[["item", "set"]], on="item")
    found = []
    for name, rows in labels[labels["aligned"] == "rejoined"].groupby("set", observed=True):
        judges, scores = _soft(roscoe, "", rows["item"])
        defect = "prompts and labels out of step in the tail"
        pair = rows["label_in_judge_repo"].to_numpy(np.float64), rows["label"].to_numpy(np.float64)
        found.append(LabelRepair("roscoe", f"roscoe_{name}", defect, judges, scores, *pair))
    rows = dialsumm.labels[dialsumm.labels["aspect"] == "coherence"]
    judges, scores = _soft(dialsumm, "coherence", rows["item"])
    pair = rows["label_github_original"].to_numpy(np.float64), rows["label"].to_numpy(np.float64)
    defect = "third rater a copy of the second"
    return [*found, LabelRepair("dialsumm", "dialsumm_coherence", defect, judges, scores, *pair)]


def _options(
    recording: Recording, answers: pd.DataFrame, judge: str, entry: Mapping[str, Any], items: pd.DataFrame
) -> tuple[pd.DataFrame, np.ndarray]:
    known = recording.judges[recording.judges["judge"] == judge].set_index("protocol")
    prompts = [prompt for prompt in entry["prompts"] if prompt in set(answers["protocol"])]
    if not prompts:
        raise InvalidInput("judges", f"judges of {recording.dataset} with a prompt of the entry", judge)
    options, columns = [], []
    for prompt in prompts:
        rows = answers[answers["protocol"] == prompt].set_index("item").reindex(items["item"])
        shows, name = "", prompt
        for suffix, value in entry.get("reference", {}).items():
            if prompt.endswith(suffix):
                shows, name = value, prompt.removesuffix(suffix)
        for score_range, read_out, score in _read_outs(known.loc[prompt], rows, entry["metric"]):
            options.append((name, shows, score_range, read_out))
            columns.append(score)
    return pd.DataFrame(options, columns=list(OPTION_COLUMNS)), np.column_stack(columns)


def _read_outs(judge: pd.Series, rows: pd.DataFrame, metric: str) -> list[tuple[str, str, np.ndarray]]:
    """Score range, read-out and scores of each way to read one judge under one prompt."""
    written = rows["raw_score"].to_numpy(np.float64)
    support = str(judge["support"]).split()
    if metric == "accuracy":
        return [(_range(support), "hard", rows["hard"].to_numpy(np.float64))]
    if judge["read_out"] == "distribution":
        values = np.array([float(score) for score in support])
        probs = rows[[f"p_{bucket}" for bucket in range(len(values))]].to_numpy(np.float64)
        parsed = rows["parse_ok"].isin([True]).to_numpy()
        probs = np.where(parsed[:, None], probs, np.nan)
        soft = expected_scores(probs[:, None], values)[:, 0]
        hard = hard_score(probs, values)
        found = [(_range(support), "hard", hard), (_range(support), "soft", soft)]
        # A step judge writes nothing: its raw score is derived from the distribution.
        wrote = judge["kind"] == "llm" and not np.isnan(written).all()
        return [(_range(support), "written", written), *found] if wrote else found
    if support == [_HUNDRED]:
        return [(_HUNDRED, "written", written), ("1-10", "written", hundred_to_ten(written).scores)]
    return [(_range(support), "written", written)]


def _range(support: list[str]) -> str:
    return support[0] if len(support) == 1 else f"{support[0]}-{support[-1]}"


def _soft(recording: Recording, aspect: str, items: pd.Series) -> tuple[list[str], np.ndarray]:
    """Names and soft scores of the LLM judges with five-bucket distributions, sampled ones left out."""
    judges = recording.judges
    judges = judges[(judges["read_out"] == "distribution") & ~judges["protocol"].str.endswith("_samples")]
    names, columns = [], []
    for judge, protocol in zip(judges["judge"], judges["protocol"], strict=True):
        rows = recording.judgments
        rows = rows[(rows["judge"] == judge) & (rows["protocol"] == protocol) & (rows["aspect"] == aspect)]
        probs = (
            rows.set_index("item").reindex(items)[[f"p_{bucket}" for bucket in range(5)]].to_numpy(np.float64)
        )
        names.append(f"{judge} / {protocol}")
        columns.append(expected_scores(probs[:, None], np.arange(1.0, 6.0))[:, 0])
    return names, np.column_stack(columns)


def _moved_labels(cell: BenchmarkCell) -> LabelRepair:
    rows = np.arange(len(cell.judgments.target) * 9 // 10, len(cell.judgments.target))
    target = cell.judgments.target[rows]
    return LabelRepair(
        dataset=cell.dataset,
        benchmark_cell=cell.name,
        defect="labels one row late in the tail",
        judges=cell.judgments.names,
        scores=cell.soft[rows],
        published=np.roll(target, 1),
        repaired=target,
    )


def _simulated_sweeps() -> list[ProtocolSweep]:
    """Both ranges of each simulated data set, which hold the same items, against its finer human scores."""
    cells: dict[str, list[BenchmarkCell]] = {}
    for name in cell_names("simulated"):
        cell = load_cell("simulated", name)
        cells.setdefault(cell.dataset, []).append(cell)
    return [
        _simulated_sweep(ranges, judge)
        for ranges in cells.values()
        for judge in range(len(ranges[0].soft[0]))
    ]


def _simulated_sweep(ranges: list[BenchmarkCell], judge: int) -> ProtocolSweep:
    options, columns = [], []
    for cell in ranges:
        hard = hard_score(cell.probabilities, cell.judgments.support)
        for read_out, scores in (("hard", hard), ("soft", cell.soft)):
            options.append(("score", "", cell.score_range, read_out))
            columns.append(scores[:, judge])
    finest = ranges[-1]
    return ProtocolSweep(
        dataset=finest.dataset,
        benchmark_cell=finest.dataset,
        judge=finest.judgments.names[judge],
        metric="spearman",
        options=pd.DataFrame(options, columns=list(OPTION_COLUMNS)),
        scores=np.column_stack(columns),
        target=finest.judgments.target,
        groups=finest.groups,
    )
