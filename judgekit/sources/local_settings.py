"""What a run of one's own declares: role settings, benchmark cells and sweeps, from its scales and labels."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.recording import Recording

MOST_SLICES = 50
_SMOOTHING = 0.05
_BESIDE_SLICES = {"item", "group", "ordering", "split"}


@dataclass(frozen=True)
class Scale:
    """The judges of a run that score one aspect on one support, where the items have labels for it.

    Attributes
    ----------
    name : str
        Such as local_1_5 or local_coherence_1_5.
    aspect : str
        "" where the prompts name none.
    support : tuple of float
        Score of each bucket.
    judges : tuple of str
        "JUDGE / PROTOCOL", in the order of the pool file.
    labels : tuple of float
        Ends of the labels' own scale: the shortest asked for that holds them, else least and greatest.
    """

    name: str
    aspect: str
    support: tuple[float, ...]
    judges: tuple[str, ...]
    labels: tuple[float, float]

    @property
    def holds_labels(self) -> bool:
        """Whether the labels are scores of this scale."""
        return self.labels == (self.support[0], self.support[-1])

    def entry(self, dataset: str) -> dict[str, Any]:
        """What role settings and cells declare alike."""
        return {"dataset": dataset} | ({"aspect": self.aspect} if self.aspect else {})


def scales(recording: Recording) -> list[Scale]:
    """Scales of a run in the order of its judges.

    Raises
    ------
    InvalidInput
        No item has a label.
    """
    labels = recording.labels.dropna(subset=["label"])
    answered = recording.judgments[["judge", "protocol", "aspect"]].drop_duplicates()
    known = recording.judges.merge(answered, on=["judge", "protocol"], how="left")
    known = known[known["aspect"].isin(set(labels["aspect"]))]
    if known.empty:
        raise InvalidInput(f"{recording.dataset} items", "a column label with numbers", "no labelled item")
    found = []
    for aspect, held in known.groupby("aspect", sort=False):
        values = labels.loc[labels["aspect"] == aspect, "label"]
        supports = {text: tuple(map(float, text.split())) for text in held["support"].unique()}
        low, high = float(values.min()), float(values.max())
        fitting = [scores for scores in supports.values() if scores[0] <= low and high <= scores[-1]]
        own = min(fitting, key=lambda scores: scores[-1] - scores[0], default=(low, high))
        for text, scores in supports.items():
            part = held[held["support"] == text]
            names = tuple(part["judge"].astype(str) + " / " + part["protocol"].astype(str))
            name = "_".join(["local", *str(aspect).split(), f"{scores[0]:g}", f"{scores[-1]:g}"])
            found.append(Scale(name, str(aspect), scores, names, (own[0], own[-1])))
    return found


def role_settings_of(recording: Recording) -> dict[str, Any]:
    """The run as a settings file would declare it: one setting a scale of the labels that judges share.

    Slices are the items' column `slice`, or else the first text column of two values or more.

    Raises
    ------
    InvalidInput
        No scale with labels on it is shared by two judges.
    """
    column = _slice_column(recording.items)
    route: dict[str, Any] = {"signal": "metadata"} | ({"column": column} if column else {})
    shared = [scale for scale in scales(recording) if len(scale.judges) > 1 and scale.holds_labels]
    if not shared:
        raise InvalidInput(f"{recording.dataset} judges", "two or more on the labels' scale", "fewer")
    settings = {
        scale.name: scale.entry(recording.dataset) | {"judges": list(scale.judges), "slice": route}
        for scale in shared
    }
    costs = {"judge": 1.0, "verifier": 0.1}
    prices = {"api": 5.0, "local": 1.0, "verifier": 0.05}
    hosted = recording.judges.loc[recording.judges["backend"] == "http", "judge"]
    defaults = {"unit_cost": costs, "price": prices, "api": sorted(set(hosted))}
    return {"defaults": defaults, "settings": settings}


def cells_of(recording: Recording) -> dict[str, Any]:
    """The run as a cells file would declare it: one cell a scale, all of them `choose`.

    Labels of another scale are mapped to the cell's by a straight line. A pool of one's own has no compact
    and no family-diverse part until somebody screens it.
    """
    found = scales(recording)
    cells = {
        scale.name: scale.entry(recording.dataset)
        | {"pool": scale.name, "support": list(scale.support), "role": "choose"}
        | ({} if scale.holds_labels else {"label": _line(scale.labels)})
        for scale in found
    }
    pools: dict[str, dict[str, list[str]]] = {
        scale.name: {"full": list(scale.judges), "compact": [], "family_diverse": []} for scale in found
    }
    return {"smoothing": _SMOOTHING, "pools": pools, "cells": cells}


def sweeps_of(recording: Recording) -> list[dict[str, Any]]:
    """The run as protocols.yaml would declare it: every judge under all its protocols, one entry an aspect.

    Verdicts on two scores are compared by accuracy, longer scales by Spearman. Protocols that differ in
    nothing but the range of their scale count as one prompt.
    """
    aspects: dict[str, list[Scale]] = {}
    for scale in scales(recording):
        aspects.setdefault(scale.aspect, []).append(scale)
    found = []
    for aspect, held in aspects.items():
        pairs = [name.rsplit(" / ", 1) for scale in held for name in scale.judges]
        ends = [f"_{scale.support[0]:g}_{scale.support[-1]:g}" for scale in held]
        suffix = "_".join(["", *aspect.split()])
        found.append(
            {
                "dataset": recording.dataset,
                "metric": "accuracy" if all(len(scale.support) == 2 for scale in held) else "spearman",
                "cells": {"_".join(["local", *aspect.split()]): {"aspect": aspect}},
                "judges": list(dict.fromkeys(judge for judge, _ in pairs)),
                "prompts": list(dict.fromkeys(protocol for _, protocol in pairs)),
                "reference": {end + suffix: "" for end in ends},
            }
        )
    return found


def _line(ends: tuple[float, float]) -> dict[str, object]:
    return {"shape": "affine", "low": ends[0], "high": ends[1]}


def _slice_column(items: pd.DataFrame) -> str | None:
    columns = [name for name in items.columns if name not in _BESIDE_SLICES]
    columns.sort(key=lambda name: name != "slice")
    for name in columns:
        is_text = not pd.api.types.is_numeric_dtype(items[name])
        if is_text and items[name].notna().all() and 1 < items[name].nunique() <= MOST_SLICES:
            return str(name)
    return None
