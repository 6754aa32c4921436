"""Scalar experts and prompt pools declared in YAML, aligned with the items of a benchmark cell."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from judgekit.axes import Mask, Probs, Support
from judgekit.benchmark import BenchmarkCell
from judgekit.errors import InvalidInput
from judgekit.expert_cells import ExpertCell, ScalarValues
from judgekit.judgments import Judgments, judge_frame
from judgekit.sources.cells import build_cell, load_cell
from judgekit.sources.declarations import declarations
from judgekit.sources.recorded import load
from judgekit.sources.recording import Recording

_PARTS = ("experts", "curves", "learned", "stands_for", "prompts")


def declared(profile: str, part: str) -> Any:
    """One part of experts.yaml for a profile: experts, curves, learned, stands_for or prompts.

    Raises
    ------
    InvalidInput
        A profile or part that the file does not have.
    """
    if part not in _PARTS:
        raise InvalidInput("part", ", ".join(_PARTS), part)
    found = declarations("experts", {part: dict})[part]
    if profile not in found:
        raise InvalidInput("profile", ", ".join(found), profile)
    return found[profile]


def load_expert_cells(profile: str) -> list[ExpertCell]:
    """Every benchmark cell of a profile that scalar experts may join, with their values.

    Raises
    ------
    InvalidInput
        Unknown profile, or a declaration that does not fit its data set.
    MissingData
        A data set is not here.
    """
    entries = declared(profile, "experts")
    if profile == "simulated":
        return [simulated_experts(load_cell(profile, name), entry) for name, entry in entries.items()]
    return [_recorded(name, entry) for name, entry in entries.items()]


def align(rows: pd.DataFrame, items: pd.Series, name: str) -> np.ndarray:
    """Values of one metric in the order of `items`, by item name; NaN where it has none.

    Parameters
    ----------
    rows : DataFrame
        Columns item, raw_score: one row an item.
    items : Series of str
    name : str
        What an error calls the metric.

    Raises
    ------
    InvalidInput
        Two rows for one item, or no value for any item.

    Examples
    --------
    >>> rows = pd.DataFrame({"item": ["b", "a"], "raw_score": [2.0, 1.0]})
    >>> align(rows, pd.Series(["a", "b"]), "metric").tolist()
    [1.0, 2.0]
    """
    if rows["item"].duplicated().any():
        raise InvalidInput(
            f"{name}.item", "one value an item", rows["item"][rows["item"].duplicated()].iloc[0]
        )
    values = rows.set_index("item")["raw_score"].reindex(items).to_numpy(np.float64)
    if np.isnan(values).all():
        raise InvalidInput(f"{name}.raw_score", "a value for some item of the cell", "none")
    return values


def simulated_experts(cell: BenchmarkCell, entry: Mapping[str, Any]) -> ExpertCell:
    """Scalar experts made from the known quality of a simulated cell; experts.yaml states the formula.

    Raises
    ------
    InvalidInput
        A cell without truth, a skill outside [-1, 1] or an echo outside [0, 1].
    """
    if cell.truth is None:
        raise InvalidInput("cell", "a simulated cell, whose quality is known", cell.name)
    rng = np.random.default_rng(entry["seed"])
    quality, soft = cell.truth.quality, cell.soft
    mean = np.nanmean(np.where(np.isnan(soft).all(axis=1, keepdims=True), 0.0, soft), axis=1)
    slope = np.polyfit(quality, mean, 1)
    echoed = mean - np.polyval(slope, quality)
    echoed /= echoed.std()
    columns = []
    for name, knobs in entry["experts"].items():
        skill, echo = float(knobs["skill"]), float(knobs["echo"])
        if not (-1 <= skill <= 1 and 0 <= echo <= 1):
            raise InvalidInput(f"experts.{name}", "skill in [-1, 1] and echo in [0, 1]", dict(knobs))
        noise = np.sqrt(echo) * echoed + np.sqrt(1 - echo) * rng.standard_normal(len(quality))
        columns.append(skill * quality + np.sqrt(1 - skill**2) * noise)
    names = tuple(entry["experts"])
    scalars = ScalarValues(
        cell.judgments.items["item"].to_numpy(),
        np.column_stack(columns),
        names,
        ("metric",) * len(names),
        np.zeros(len(names), dtype=bool),
    )
    return ExpertCell(cell, scalars, np.zeros(len(quality), dtype=bool))


def load_prompt_pools(profile: str) -> list[BenchmarkCell]:
    """Benchmark cells whose pools are `base`, one prompt a model, and `expanded`, further prompts with them.

    All judges of a cell are read alike, see `read_alike`.

    Raises
    ------
    InvalidInput
        Unknown profile, or a declaration that does not fit its data set.
    MissingData
        A data set is not here.
    """
    entries = declared(profile, "prompts")
    if profile == "simulated":
        return [more_prompts(load_cell(profile, name), entry) for name, entry in entries.items()]
    return [_prompt_pool(name, entry) for name, entry in entries.items()]


def more_prompts(cell: BenchmarkCell, entry: Mapping[str, Any]) -> BenchmarkCell:
    """Further prompts of the judges of a simulated cell's compact pool: the same view, tilted at random.

    Raises
    ------
    InvalidInput
        A tilt that is negative, or fewer than one further prompt.
    """
    if entry["more"] < 1 or not entry["tilt"] >= 0:
        raise InvalidInput(f"prompts.{cell.name}", "more >= 1 and tilt >= 0", dict(entry))
    rng = np.random.default_rng(entry["seed"])
    base = cell.judgments.select(cell.pools["compact"])
    probs, names, families = [base.probs], list(base.names), base.judges["family"].tolist()
    for number in range(1, entry["more"] + 1):
        probs.append(tilt(base.probs, base.support, entry["tilt"], rng=rng))
        names += [f"{name} / prompt{number + 1}" for name in base.names]
        families += base.judges["family"].tolist()
    frame = judge_frame(names, {"family": families, "read_out": ["distribution"] * len(names)})
    judgments = Judgments(np.concatenate(probs, axis=1), base.support, base.target, base.items, frame)
    return replace(cell, judgments=judgments, pools={"base": list(base.names), "expanded": names}, truth=None)


def tilt(probs: Probs, support: Support, deviation: float, *, rng: np.random.Generator) -> Probs:
    """Distributions tilted towards higher or lower scores, `p_k exp(t z_k)` with t normal on every row."""
    standard = (support - support.mean()) / support.std()
    shift = deviation * rng.standard_normal(probs.shape[:2])
    tilted = probs * np.exp(shift[..., None] * standard)
    return (tilted / tilted.sum(axis=2, keepdims=True)).astype(probs.dtype)


def _recorded(name: str, entry: Mapping[str, Any]) -> ExpertCell:
    own = entry.get("cell")
    if own is None:
        cell = load_cell("recorded", name, part=entry.get("part", "all"))
        dataset = cell.dataset
    else:
        dataset = own["dataset"]
        entry_of_cell = {key: own[key] for key in own if key != "pool"}
        cell = _build(name, entry_of_cell, own["pool"], load(dataset))
    columns = ["aspect", "item", "judge", "protocol", "raw_score", "parse_ok"]
    recording = load(dataset, columns=columns)
    rows, judges = recording.judgments, recording.judges
    protocol, items = entry["protocol"], cell.judgments.items
    rows = rows[
        (rows["protocol"] == protocol) & (rows["aspect"] == entry.get("aspect", "")) & rows["parse_ok"]
    ]
    reference = entry.get("reference", [])
    names = [*reference, *entry.get("free", [])]
    known = judges[judges["protocol"] == protocol].set_index("judge")["kind"]
    if absent := [each for each in names if each not in known.index]:
        raise InvalidInput(f"experts.{name}", f"judges of {dataset} with protocol {protocol}", absent)
    scalars = ScalarValues(
        items["item"].to_numpy(),
        np.column_stack([align(rows[rows["judge"] == each], items["item"], each) for each in names]),
        tuple(names),
        tuple(known[names]),
        np.array([each in reference for each in names]),
    )
    return ExpertCell(cell, scalars, reference_items(items, entry.get("leave_out", {}), name))


def reference_items(items: pd.DataFrame, leave_out: Mapping[str, Any], name: str) -> Mask:
    """Items that are the reference: those whose column has the value; raises InvalidInput where none has."""
    found = np.zeros(len(items), dtype=bool)
    for column, value in leave_out.items():
        if column not in items or not (items[column] == value).any():
            raise InvalidInput(
                f"experts.{name}.leave_out", "a column and a value of the items", (column, value)
            )
        found |= (items[column] == value).to_numpy()
    return found


def _prompt_pool(name: str, entry: Mapping[str, Any]) -> BenchmarkCell:
    about = {key: entry[key] for key in ("dataset", "aspect", "support", "rows") if key in entry}
    names = [*entry["base"], *entry["more"]]
    recording = read_alike(load(entry["dataset"]), names)
    cell = _build(name, {**about, "role": "extra"}, names, recording)
    names = cell.judgments.names
    base = names[: len(entry["base"])]
    return replace(cell, pools={"base": base, "expanded": names})


def read_alike(recording: Recording, names: Sequence[str]) -> Recording:
    """The recording with these judges ("JUDGE / PROTOCOL") read as hard scores if one of them gives no more.

    A distribution beside hard scores of the same model errs otherwise for the read-out alone.
    """
    judges = recording.judges
    chosen = (judges["judge"] + " / " + judges["protocol"]).isin(names)
    if set(judges.loc[chosen, "read_out"]) != {"distribution", "hard"}:
        return recording
    return replace(recording, judges=judges.assign(read_out=judges["read_out"].mask(chosen, "hard")))


def _build(name: str, entry: Mapping[str, Any], pool: list[str], recording: Recording) -> BenchmarkCell:
    smoothing = float(declarations("experts", {"smoothing": float})["smoothing"])
    return build_cell(recording, name, entry, {"full": pool}, smoothing=smoothing)
