"""Benchmark cells declared in YAML: a data set (and aspect) at one score range, judges as distributions."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from judgekit.axes import Target
from judgekit.benchmark import POOLS, ROLES, BenchmarkCell, CellCounts
from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame
from judgekit.scores import hundred_to_ten, smooth_one_hot
from judgekit.sources.declarations import declarations
from judgekit.sources.local_run import local_run
from judgekit.sources.local_settings import cells_of
from judgekit.sources.recorded import load
from judgekit.sources.recording import Recording
from judgekit.sources.score_simulator import score_scenario, simulate_scores

DECLARED_IN = {"recorded": "cells", "simulated": "simulated_cells"}
_RECORDED_KEYS = {"dataset", "pool", "support", "role", "aspect", "rows", "parts", "group", "scores", "label"}
_COLUMNS = ("aspect", "item", "judge", "protocol", "hard", "parse_ok")


def cell_names(profile: str, *, role: str | None = None) -> list[str]:
    """Names of the benchmark cells of a profile in declared order, or of those with one role.

    Raises
    ------
    InvalidInput
        Unknown profile or role.
    """
    if role is not None and role not in ROLES:
        raise InvalidInput("role", ", ".join(ROLES), role)
    cells = _declared(profile)["cells"]
    return [name for name, entry in cells.items() if role in (None, entry["role"])]


def load_cell(profile: str, name: str, *, part: str = "all", smoothing: float | None = None) -> BenchmarkCell:
    """Build one benchmark cell.

    Parameters
    ----------
    profile : {"simulated", "recorded", "local"}
    name : str
        Such as summeval_coherence, wmt22_sqm10 or sim_summeval_1_5.
    part : str
        "all" items, or a part that the cell declares, such as "core" of WMT22.
    smoothing : float, optional
        Mass that judges without probabilities spread evenly; default: what the file says.

    Raises
    ------
    InvalidInput
        Unknown profile, cell or part, or a declaration that does not fit its data set.
    MissingData
        The data set is not here.
    """
    declared = _declared(profile)
    if name not in declared["cells"]:
        raise InvalidInput("benchmark cell", f"one of {', '.join(declared['cells'])}", name)
    entry = declared["cells"][name]
    if profile == "simulated":
        if part != "all":
            raise InvalidInput("part", "all, for a simulated cell", part)
        return _simulated(name, entry, declared["defaults"])
    if absent := [key for key in ("dataset", "pool", "support", "role") if key not in entry]:
        raise InvalidInput(f"cells.{name}", "dataset, pool, support and role", f"no {', '.join(absent)}")
    if unknown := sorted(set(entry) - _RECORDED_KEYS):
        raise InvalidInput(f"cells.{name}", ", ".join(sorted(_RECORDED_KEYS)), unknown)
    if entry["pool"] not in declared["pools"]:
        raise InvalidInput(f"cells.{name}.pool", f"one of {', '.join(declared['pools'])}", entry["pool"])
    pools = declared["pools"][entry["pool"]]
    recording = local_run() if profile == "local" else _recording(entry["dataset"], len(entry["support"]))
    mass = declared.get("smoothing", 0.0) if smoothing is None else smoothing
    return build_cell(recording, name, entry, pools, part=part, smoothing=mass)


def build_cell(
    recording: Recording,
    name: str,
    entry: Mapping[str, Any],
    pools: Mapping[str, list[str]],
    *,
    part: str = "all",
    smoothing: float = 0.0,
) -> BenchmarkCell:
    """Build a cell from frames and its declaration; `pools` lists "JUDGE / PROTOCOL" by pool name.

    Raises
    ------
    InvalidInput
        A judge, column, value, aspect or support that does not fit the data set.
    """
    support = np.array(entry["support"], dtype=np.float64)
    items = _items(recording, entry, part)
    labels = recording.labels[recording.labels["aspect"] == entry.get("aspect", "")].set_index("item")
    if labels.empty:
        raise InvalidInput(
            "aspect", f"one of {sorted(recording.labels['aspect'].unique())}", entry.get("aspect", "")
        )
    target = on_support(labels["label"].reindex(items["item"]).to_numpy(), support, entry.get("label", {}))
    labelled = ~np.isnan(target)
    rows, items = len(items), items[labelled].reset_index(drop=True)
    judges = _judges(recording, list(pools["full"]))
    columns = [
        _column(recording, items, judge, entry, (support, smoothing)) for _, judge in judges.iterrows()
    ]
    repeated = judges["judge"].duplicated(keep=False)
    names = judges["full_name"].where(repeated, judges["judge"]).tolist()
    details = ("family", "protocol", "kind", "read_out", "active_parameters")
    judgments = Judgments(
        probs=np.stack([probs for probs, _ in columns], axis=1),
        support=support,
        target=target[labelled],
        items=items,
        judges=judge_frame(names, {column: judges[column].tolist() for column in details}),
    )
    lost = pd.Series(judgments.missing.sum(axis=0), index=names)
    off = pd.Series([count for _, count in columns], index=names)
    by_full_name = dict(zip(judges["full_name"], names, strict=True))
    return BenchmarkCell(
        name=name,
        dataset=recording.dataset,
        role=entry["role"],
        judgments=judgments,
        pools={pool: _members(pool, pools, by_full_name) for pool in POOLS},
        hard_only=judgments.judges.loc[judgments.judges["read_out"] == "hard", "name"].tolist(),
        smoothing=smoothing,
        counts=CellCounts(rows, int((~labelled).sum()), lost, off),
    )


def on_support(label: np.ndarray, support: np.ndarray, mapping: Mapping[str, Any]) -> Target:
    """Labels on the scale of the support: as they are, or by a fixed increasing map, so ranks stay.

    `{shape: affine, low: a, high: b}` maps a..b to the range of the support. `{shape: log, low: a, high: b}`
    measures the distance d below b on a log scale, `log(1 + d) / log(1 + b - a)`: MQM errors pile up near 0,
    and an affine map would put nearly every translation into the top bucket.

    Raises
    ------
    InvalidInput
        Another shape, or a label outside low..high.
    """
    label = np.asarray(label, dtype=np.float64)
    if not mapping:
        return label
    shape, low, high = (mapping.get(key) for key in ("shape", "low", "high"))
    if shape not in ("affine", "log") or low is None or high is None:
        raise InvalidInput("label", "shape affine or log, with low and high", dict(mapping))
    outside = ~np.isnan(label) & ((label < low) | (label > high))
    if outside.any():
        raise InvalidInput("label", f"values in {low:g}..{high:g}", label[outside][0])
    below = high - label
    share = np.log1p(below) / np.log1p(high - low) if shape == "log" else below / (high - low)
    return support[-1] - share * (support[-1] - support[0])


def _simulated(name: str, entry: Mapping[str, Any], defaults: Mapping[str, Any]) -> BenchmarkCell:
    own = entry.get("judges", {})
    if unknown := sorted(set(own) - set(defaults["judges"])):
        raise InvalidInput(f"cells.{name}.judges", f"some of {', '.join(defaults['judges'])}", unknown)
    judges = {judge: {**knobs, **own.get(judge, {})} for judge, knobs in defaults["judges"].items()}
    knobs = {**defaults, **entry, "judges": judges}
    scenario = score_scenario(
        name, {key: knobs[key] for key in knobs if key not in ("role", "seed", "tuned")}
    )
    drawn = simulate_scores(scenario, rng=np.random.default_rng(entry["seed"]))
    names = drawn.judgments.names
    lost = pd.Series(drawn.judgments.missing.sum(axis=0), index=names)
    return BenchmarkCell(
        name=name,
        dataset=name.rsplit("_", 2)[0],
        role=entry["role"],
        judgments=drawn.judgments,
        pools={
            "full": names,
            "compact": list(scenario.compact),
            "family_diverse": list(scenario.family_diverse),
        },
        hard_only=[],
        smoothing=0.0,
        counts=CellCounts(len(drawn.judgments.items), 0, lost, pd.Series(0, index=names)),
        truth=drawn.truth,
    )


def _items(recording: Recording, entry: Mapping[str, Any], part: str) -> pd.DataFrame:
    parts = entry.get("parts", {})
    if part != "all" and part not in parts:
        raise InvalidInput("part", f"one of {', '.join(['all', *parts])}", part)
    items = recording.items
    for column, wanted in {**entry.get("rows", {}), **parts.get(part, {})}.items():
        values = wanted if isinstance(wanted, list) else [wanted]
        if column not in items or not set(values) <= set(items[column]):
            raise InvalidInput(f"rows.{column}", f"a column and values of {recording.dataset}", wanted)
        items = items[items[column].isin(values)]
    group = entry.get("group", "group")
    if group not in items:
        raise InvalidInput("group", f"a column of {recording.dataset}", group)
    return items.assign(group=items[group].astype(str)).reset_index(drop=True)


def _judges(recording: Recording, wanted: list[str]) -> pd.DataFrame:
    known = recording.judges.assign(
        full_name=recording.judges["judge"].astype(str) + " / " + recording.judges["protocol"].astype(str)
    )
    if absent := [name for name in wanted if name not in set(known["full_name"])]:
        raise InvalidInput(
            "pool", f"judges of {recording.dataset}, such as {known['full_name'].iloc[0]!r}", absent
        )
    if len(set(wanted)) < len(wanted):
        raise InvalidInput("pool", "each judge once", wanted)
    return known.set_index("full_name").loc[wanted].reset_index()


def _column(
    recording: Recording,
    items: pd.DataFrame,
    judge: pd.Series,
    entry: Mapping[str, Any],
    options: tuple[np.ndarray, float],
) -> tuple[np.ndarray, int]:
    """Distributions of one judge [items, buckets], and how many scores were off the support."""
    support, smoothing = options
    rows = recording.judgments
    rows = rows[
        (rows["judge"] == judge["judge"])
        & (rows["protocol"] == judge["protocol"])
        & (rows["aspect"] == entry.get("aspect", ""))
        & rows["parse_ok"]
    ].set_index("item")
    if judge["read_out"] == "distribution":
        if [float(score) for score in judge["support"].split()] != support.tolist():
            raise InvalidInput(f"{judge['full_name']} support", judge["support"], support)
        columns = [f"p_{bucket}" for bucket in range(len(support))]
        return rows[columns].reindex(items["item"]).to_numpy(np.float32), 0
    if judge["read_out"] != "hard":
        raise InvalidInput(
            judge["full_name"], "a judge with a distribution or a hard score", judge["read_out"]
        )
    hard = rows["hard"].astype(np.float64).reindex(items["item"]).to_numpy()
    mapping = entry.get("scores", "as_given")
    if mapping == "hundred_to_ten":
        mapped = hundred_to_ten(hard)
        hard, outside = mapped.scores, mapped.off_support
    elif mapping == "as_given":
        # An answer that was parsed but is no score of the judge's own support has no hard score.
        outside = int((items["item"].isin(rows.index).to_numpy() & np.isnan(hard)).sum())
    else:
        raise InvalidInput("scores", "as_given or hundred_to_ten", mapping)
    smoothed = smooth_one_hot(hard[:, None], support, smoothing=smoothing)
    return smoothed.probs[:, 0], outside + smoothed.off_support


def _members(pool: str, pools: Mapping[str, list[str]], names: Mapping[str, str]) -> list[str]:
    wanted = pools.get(pool, [])
    if absent := [name for name in wanted if name not in names]:
        raise InvalidInput(f"pools.{pool}", "judges of the full pool", absent)
    return [names[name] for name in wanted]


@lru_cache(maxsize=8)
def _recording(dataset: str, buckets: int) -> Recording:
    known = load(dataset, columns=list(_COLUMNS[:1])).judges
    columns = [f"p_{bucket}" for bucket in range(buckets)] if "distribution" in set(known["read_out"]) else []
    return load(dataset, columns=[*_COLUMNS, *columns])


def _declared(profile: str) -> dict[str, Any]:
    if profile == "local":
        return cells_of(local_run())
    if profile not in DECLARED_IN:
        raise InvalidInput("profile", ", ".join([*DECLARED_IN, "local"]), profile)
    declared = declarations(DECLARED_IN[profile], {"cells": dict})
    for name, entry in declared["cells"].items():
        if entry.get("role") not in ROLES:
            raise InvalidInput(f"cells.{name}.role", ", ".join(ROLES), entry.get("role"))
    return declared
