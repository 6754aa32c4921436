"""Role settings declared in YAML: which judges of which data set, what slices them, what a call costs."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from judgekit.audit import RolePool, role_pool
from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame, one_hot
from judgekit.signals import parse_signal
from judgekit.sources.declarations import declarations
from judgekit.sources.local_run import local_run
from judgekit.sources.local_settings import role_settings_of
from judgekit.sources.recorded import load
from judgekit.sources.recording import Recording
from judgekit.sources.simulator import Scenario, SimulatedJudge, simulate

PROFILES = ("simulated", "recorded", "local")
_RECORDED_KEYS = {"dataset", "judges", "slice", "rows", "aspect", "positive_from", "signal_cost"}
_SIMULATED_KEYS = {f.name for f in fields(Scenario)} | {"seed", "slice", "tuned"}


def role_settings(profile: str) -> dict[str, dict[str, Any]]:
    """Role settings of a profile by name, as declared; those of a local run follow from its scales.

    Raises
    ------
    InvalidInput
        Unknown profile, a file that is no settings file, or a run without labels or a second judge.
    MissingData
        The local profile without a run.
    """
    if profile not in PROFILES:
        raise InvalidInput("profile", ", ".join(PROFILES), profile)
    return _declared(profile)["settings"]


def load_role_pool(profile: str, name: str, *, cost_column: str = "unit_cost") -> RolePool:
    """Build the pool of one setting.

    Parameters
    ----------
    profile : {"simulated", "recorded", "local"}
    name : str
        Setting, such as llmbar_all or sim_llmbar7.
    cost_column : {"unit_cost", "price"}
        Which cost a call has.

    Raises
    ------
    InvalidInput
        Unknown profile or setting, or a declaration that does not fit its data set.
    MissingData
        The data set is not here.
    """
    declared = role_settings(profile)
    if name not in declared:
        raise InvalidInput("setting", f"one of {', '.join(declared)}", name)
    entry = declared[name]
    allowed = _SIMULATED_KEYS if profile == "simulated" else _RECORDED_KEYS
    unknown = sorted(set(entry) - allowed)
    if unknown:
        raise InvalidInput(f"settings.{name}", ", ".join(sorted(allowed)), unknown)
    needed = ("judges", "slice", "seed" if profile == "simulated" else "dataset")
    absent = [key for key in needed if entry.get(key) in (None, [], {})]
    if absent:
        raise InvalidInput(f"settings.{name}", f"a value for {', '.join(needed)}", f"none for {absent}")
    route = entry["slice"]
    if not isinstance(route, dict) or "signal" not in route or set(route) - {"column", "signal"}:
        raise InvalidInput(f"settings.{name}.slice", "a signal and, if it reads one, a column", route)
    signal = parse_signal(route["signal"])
    if profile == "simulated":
        judgments = simulate(_scenario(name, entry), rng=np.random.default_rng(entry["seed"]))
    else:
        recording = local_run() if profile == "local" else load(entry["dataset"])
        judgments = select_judgments(recording, entry, _declared(profile)["defaults"])
    return role_pool(
        name,
        judgments,
        slice_column=route.get("column"),
        signal=signal,
        cost_column=cost_column,
        signal_cost=_number(entry, "signal_cost") or 0.0,
        positive_from=_number(entry, "positive_from"),
    )


def load_role_pools(
    profile: str, names: Sequence[str] = (), *, cost_column: str = "unit_cost"
) -> list[RolePool]:
    """Pools of the named settings, or of every setting of the profile."""
    return [
        load_role_pool(profile, name, cost_column=cost_column) for name in names or role_settings(profile)
    ]


def select_judgments(
    recording: Recording, entry: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Judgments:
    """The items and judges of a recorded setting, as hard scores, with their costs.

    Raises
    ------
    InvalidInput
        A judge, column, value or aspect that the data set lacks.
    """
    items = recording.items
    for column, value in entry.get("rows", {}).items():
        if column not in items or not (items[column] == value).any():
            raise InvalidInput(f"rows.{column}", f"a column and value of {recording.dataset}", value)
        items = items[items[column] == value]
    aspect = entry.get("aspect", "")
    labels = recording.labels[recording.labels["aspect"] == aspect]
    if labels.empty:
        raise InvalidInput("aspect", f"one of {sorted(recording.labels['aspect'].unique())}", repr(aspect))
    judges = _judges(recording, entry["judges"])
    support, ends = _common_support(judges)
    rows = recording.judgments[recording.judgments["aspect"] == aspect]
    rows = rows.assign(name=rows["judge"].astype(str) + " / " + rows["protocol"].astype(str))
    rows = rows[rows["name"].isin(judges["name"])]
    score = np.where(rows["parse_ok"], rows["hard"], np.nan)
    wide = pd.Series(score, index=pd.MultiIndex.from_frame(rows[["item", "name"]])).unstack("name")
    hard = wide.reindex(index=items["item"], columns=judges["name"]).to_numpy(np.float64)
    hard = np.where(ends, support[0] + hard * (support[-1] - support[0]), hard)
    place = np.minimum(np.searchsorted(support, hard), len(support) - 1)
    codes = np.where(support[place] == hard, place, -1)
    target = labels.set_index("item")["label"].reindex(items["item"]).to_numpy(np.float64)
    return Judgments(
        probs=one_hot(codes, len(support)),
        support=support,
        target=target,
        items=items.reset_index(drop=True),
        judges=judge_frame(_short_names(judges), _details(judges, defaults)),
    )


def _number(entry: Mapping[str, Any], key: str) -> float | None:
    value = entry.get(key)
    if value is not None and not isinstance(value, int | float):
        raise InvalidInput(key, "a number", repr(value))
    return None if value is None else float(value)


def _judges(recording: Recording, wanted: list[str]) -> pd.DataFrame:
    known = recording.judges.assign(name=recording.judges["judge"] + " / " + recording.judges["protocol"])
    absent = [name for name in wanted if name not in set(known["name"])]
    if absent:
        raise InvalidInput(
            "judges", f"judges of {recording.dataset}, such as {known['name'].iloc[0]!r}", absent
        )
    repeated = [name for name in wanted if wanted.count(name) > 1]
    if repeated:
        raise InvalidInput("judges", "unique names", f"{repeated[0]!r} twice")
    return known.set_index("name").loc[wanted].reset_index()


def _short_names(judges: pd.DataFrame) -> list[str]:
    """The judge's name alone where the pool holds it once, else with its protocol."""
    repeated = judges["judge"].duplicated(keep=False)
    return judges["name"].where(repeated, judges["judge"]).tolist()


def _common_support(judges: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The pool's longest support, and which judges answer 0 or 1 instead: those map to its two ends."""
    supports = [tuple(float(score) for score in text.split()) for text in judges["support"]]
    longest = max(supports, key=len)
    ends = np.array([support == (0.0, 1.0) and support != longest for support in supports])
    misfits = [
        name
        for name, support, two in zip(judges["name"], supports, ends, strict=True)
        if not two and not set(support) <= set(longest)
    ]
    if misfits or not longest:
        raise InvalidInput("judges", f"scores on the support {longest}, or 0 and 1", misfits or "scalars")
    return np.array(longest), ends


def _details(judges: pd.DataFrame, defaults: Mapping[str, Any]) -> dict[str, list[Any]]:
    verifier = judges["kind"] == "verifier"
    unit, price = defaults["unit_cost"], defaults["price"]
    paid = np.where(judges["judge"].isin(defaults["api"]), price["api"], price["local"])
    # The pool file of a run of one's own says what a call costs.
    costs = judges.get("unit_cost", np.where(verifier, unit["verifier"], unit["judge"]))
    kept = {column: judges[column].tolist() for column in ("family", "protocol", "kind", "active_parameters")}
    return kept | {
        "unit_cost": np.asarray(costs, dtype=np.float64).tolist(),
        "price": np.where(verifier, price["verifier"], paid).tolist(),
    }


def _scenario(name: str, entry: Mapping[str, Any]) -> Scenario:
    try:
        judges = {judge: SimulatedJudge(**knobs) for judge, knobs in entry["judges"].items()}
    except TypeError as error:
        raise InvalidInput(f"settings.{name}.judges", "the knobs of SimulatedJudge", error) from error
    knobs = {key: entry[key] for key in entry if key not in ("seed", "judges", "slice", "tuned")}
    return Scenario(judges=judges, **knobs)


def _declared(profile: str) -> dict[str, Any]:
    if profile == "local":
        return role_settings_of(local_run())
    return declarations(profile, {"settings": dict})
