"""A finished run as a recorded data set: what the `local` profile reads."""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput, MissingData
from judgekit.sources.recording import Recording

RUNS = Path(__file__).resolve().parents[2] / "data" / "runs"
OUTPUTS = "outputs.parquet"
ITEMS = "items.parquet"
RUN = "run.json"
OK = "ok"
_BESIDE_SLICES = frozenset({"label", "response", "response_a", "response_b", "instruction", "reference"})


def run_folder() -> Path:
    """The run that the profile `local` reads: $JUDGEKIT_RUN, else the one under data/runs that ended last.

    Raises MissingData where there is none.
    """
    named = os.environ.get("JUDGEKIT_RUN")
    if named:
        found = [Path(named)] if (Path(named) / RUN).is_file() else []
    else:
        found = sorted(RUNS.glob(f"*/{RUN}"), key=lambda file: file.stat().st_mtime_ns)
        found = [file.parent for file in found]
    if not found:
        where = f"a finished run in {named}" if named else "a finished run of your judges"
        raise MissingData(where, "judgekit judge POOL ITEMS")
    return found[-1]


def local_run() -> Recording:
    """The run that the profile `local` reads, as frames; read once as long as it does not change."""
    folder = run_folder()
    return _kept(folder, sha256_of(folder / RUN))


@lru_cache(maxsize=1)
def _kept(folder: Path, digest: str) -> Recording:
    return recording(folder)


def read_frozen(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Outputs, items and record of a run folder; InvalidInput where a file was altered since."""
    if not (folder / RUN).is_file():
        raise MissingData(f"a finished run in {folder}", "judgekit judge POOL ITEMS --out DIR")
    try:
        record = json.loads((folder / RUN).read_text(encoding="utf-8"))
        wanted = {name: record["sha256"][name] for name in (OUTPUTS, ITEMS)}
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(str(folder / RUN), "the record of a run", error) from error
    for name, digest in wanted.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != digest:
            raise InvalidInput(str(folder / name), f"the file whose digest {RUN} holds", "another, or none")
    return pd.read_parquet(folder / OUTPUTS), pd.read_parquet(folder / ITEMS), record


def recording(folder: Path | str) -> Recording:
    """Frames of a run folder.

    Sampled answers of one prompt become the share of each score among those that parsed (read-out
    `distribution`, mass = the share of all samples that parsed). In pairwise protocols each order is an item
    of its own, `ITEM|ab` and `ITEM|ba`, of the group of `ITEM`; its label turns with the order. A label 1 in
    the items file means that `response_a` is better.

    Raises MissingData where the folder holds no finished run, InvalidInput where its files were altered.
    """
    outputs, items, record = read_frozen(Path(folder))
    protocols: Mapping[str, Mapping[str, Any]] = record["protocols"]
    pairwise = {name for name, protocol in protocols.items() if protocol["kind"] == "pairwise"}
    ordered = bool(pairwise)
    frames = [
        _judgments(part, protocols[str(name)], ordered=ordered)
        for (_, name), part in outputs.groupby(["judge", "protocol"], sort=True)
    ]
    return Recording(
        Path(folder).name,
        pd.concat(frames, ignore_index=True) if frames else _judgments(outputs, {}, ordered=ordered),
        _items(items, ordered=ordered),
        _labels(items, sorted({str(p["aspect"]) for p in protocols.values()}), ordered=ordered),
        _judges(record),
    ).validate()


def _judgments(part: pd.DataFrame, protocol: Mapping[str, Any], *, ordered: bool) -> pd.DataFrame:
    scores = np.asarray(protocol["scores"], dtype=float)
    names = [f"p_{place}" for place in range(len(scores))]
    part = part.assign(item=_item_names(part, ordered=ordered), aspect=protocol["aspect"])
    if protocol["read_out"] == "sampled":
        part = _from_samples(part, scores, names)
    else:
        known = part[names].sum(axis=1).where(part["mass"].notna())
        part = part.assign(**{name: part[name] / known for name in names})
    score = part["score"].where(part["outcome"] == OK).astype("float32")
    floats = dict.fromkeys([*names, "mass"], "float32")
    kept = ["aspect", "item", "judge", "protocol", "outcome", "ordering", "unread", "mass", *names]
    # Where probabilities are read off, nothing is written.
    written = score if protocol["read_out"] == "hard" else np.float32(np.nan)
    kept_part = part[kept].assign(hard=score, raw_score=written, parse_ok=part["outcome"] == OK)
    return kept_part.astype(floats)


def _from_samples(part: pd.DataFrame, scores: np.ndarray, names: list[str]) -> pd.DataFrame:
    """Shares of the scores over the samples of each prompt; the score is the most frequent, low on a tie."""
    parsed = part["outcome"] == OK
    keys = ["aspect", "item", "judge", "protocol", "ordering"]
    for name, score in zip(names, scores, strict=True):
        part = part.assign(**{name: ((part["score"] == score) & parsed).astype(float)})
    grouped = part.assign(parsed=parsed).groupby(keys, sort=False)
    counts = grouped[names].sum()
    total = counts.sum(axis=1)
    shares = counts.div(total.where(total > 0), axis=0)
    best = scores[counts.to_numpy().argmax(axis=1)]
    return shares.assign(
        score=np.where(total > 0, best, np.nan),
        outcome=np.where(total > 0, OK, grouped["outcome"].first()),
        mass=grouped["parsed"].mean(),
        unread=np.nan,
    ).reset_index()


def _item_names(part: pd.DataFrame, *, ordered: bool) -> pd.Series:
    return part["item"] + "|" + part["ordering"] if ordered else part["item"]


def _both_orders(items: pd.DataFrame) -> pd.DataFrame:
    parts = [items.assign(item=items["item"] + "|" + order, ordering=order) for order in ("ab", "ba")]
    return pd.concat(parts, ignore_index=True)


def _items(items: pd.DataFrame, *, ordered: bool) -> pd.DataFrame:
    group = items["group"] if "group" in items.columns else items["item"]
    frame = items.drop(columns=[name for name in items.columns if name in _BESIDE_SLICES])
    frame = frame.assign(group=group.astype(str))
    frame = _both_orders(frame) if ordered else frame
    first = ["item", "group"]
    return frame[first + [name for name in frame.columns if name not in first]]


def _labels(items: pd.DataFrame, aspects: list[str], *, ordered: bool) -> pd.DataFrame:
    parts = []
    for aspect in aspects:
        column = f"label_{aspect}" if f"label_{aspect}" in items.columns else "label"
        label = items[column].astype("float64") if column in items.columns else np.nan
        parts.append(pd.DataFrame({"aspect": aspect, "item": items["item"], "label": label}))
    labels = pd.concat(parts, ignore_index=True)
    if ordered:
        labels = _both_orders(labels)
        labels["label"] = labels["label"].where(labels["ordering"] == "ab", 1.0 - labels["label"])
        labels = labels.drop(columns="ordering")
    return labels


def _judges(record: Mapping[str, Any]) -> pd.DataFrame:
    rows = []
    for judge in record["pool"]["judges"]:
        for name, protocol in record["protocols"].items():
            if judge["protocols"] and name not in judge["protocols"]:
                continue
            size = judge["size"]
            rows.append(
                {
                    "judge": judge["name"],
                    "protocol": name,
                    "family": judge["family"] or judge["name"],
                    "backend": judge["backend"],
                    "kind": judge["kind"],
                    "read_out": "hard" if protocol["read_out"] == "hard" else "distribution",
                    "support": " ".join(f"{score:g}" for score in protocol["scores"]),
                    "active_parameters": size["active_parameters"] or size["parameters"] or np.nan,
                    "unit_cost": judge["price"]["unit"],
                }
            )
    return pd.DataFrame(rows)


def sha256_of(path: Path) -> str:
    """Sha256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
