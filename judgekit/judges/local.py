"""A finished run as a recorded data set: what the `local` profile reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from judgekit.judges.answers import OK
from judgekit.judges.freeze import read_frozen
from judgekit.sources.recording import Recording

_BESIDE_SLICES = frozenset({"label", "response", "response_a", "response_b", "instruction", "reference"})


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
    kept_part = part[kept].assign(hard=score, raw_score=score, parse_ok=part["outcome"] == OK)
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
                    "kind": judge["kind"],
                    "read_out": "hard" if protocol["read_out"] == "hard" else "distribution",
                    "support": " ".join(f"{score:g}" for score in protocol["scores"]),
                    "active_parameters": size["active_parameters"] or size["parameters"] or np.nan,
                    "unit_cost": judge["price"]["unit"],
                }
            )
    return pd.DataFrame(rows)
