"""Judges that give score distributions, truth known: skill, bias, temperature, shared error, specialists."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from judgekit.benchmark import ScoreTruth
from judgekit.errors import InvalidInput
from judgekit.judgments import Judgments, judge_frame

_WHOLE = {"all": 1.0}
_MOST_SKILL = 0.999


@dataclass(frozen=True)
class ScoreJudge:
    """One judge of a scenario.

    Attributes
    ----------
    skill : float or dict of str to float
        Correlation of what the judge sees with the latent quality, in all slices or in each; 0 sees noise,
        below 0 sees quality upside down. A specialist is good on one slice.
    claimed_skill : float, optional
        The skill the judge believes it has. Default: its skill. Above it, the judge is confident beyond what
        it sees; a contaminating judge has a low skill and claims a high one.
    bias : float
        Added to the judge's view of quality, in standard deviations of quality.
    judge_temperature : float
        Reported probabilities are `p^(1/temperature)`, normalised: below 1 too sharp, above 1 too flat.
    family : str
        Judges of one family share `family_error`.
    unparsed : float
        Share of outputs lost, at random.
    active_parameters : float
        In billions.
    """

    skill: float | dict[str, float] = 0.5
    claimed_skill: float | None = None
    bias: float = 0.0
    judge_temperature: float = 1.0
    family: str = "simulated"
    unparsed: float = 0.0
    active_parameters: float = float("nan")


@dataclass(frozen=True)
class ScoreScenario:
    """A benchmark cell of the simulator.

    Quality q is standard normal, a part `group_quality` of its variance shared within a group. Judge j sees
    `x = r q + sqrt(1 - r^2) n` with skill r and standard normal noise n, of which `shared_error` is common
    to all judges and `family_error` to those of a family. Each of `raters` people perceives `q + rater_noise
    e` and gives the bucket it falls in; cut points are such that buckets have the shares `marginal`. The
    target is their mean. A judge reports what its claimed skill lets it conclude about a rater's bucket: with
    claimed skill = skill, bias 0 and temperature 1 it is calibrated.

    Attributes
    ----------
    judges : dict of str to ScoreJudge
    support : tuple of float
        Score of each bucket, increasing.
    marginal : tuple of float
        Share of each bucket in the human scores; default: equal shares.
    groups, rows_per_group : int
    slices : dict of str to float
        Share of groups in each slice; shares sum to one.
    group_quality, shared_error, family_error : float
        Variance parts in [0, 1]; the last two together at most 1.
    skill_factor : float
        Multiplies every skill, and every claimed skill that is left to follow it: below 1 a harder task.
    raters : int
    rater_noise : float
        In standard deviations of quality.
    compact, family_diverse : tuple of str
        Judges of the two smaller pools.
    """

    judges: dict[str, ScoreJudge]
    support: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 5.0)
    marginal: tuple[float, ...] = ()
    groups: int = 100
    rows_per_group: int = 5
    slices: dict[str, float] = field(default_factory=lambda: dict(_WHOLE))
    group_quality: float = 0.3
    shared_error: float = 0.3
    family_error: float = 0.0
    skill_factor: float = 1.0
    raters: int = 3
    rater_noise: float = 0.5
    compact: tuple[str, ...] = ()
    family_diverse: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("group_quality", "shared_error", "family_error"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidInput(name, "a number in [0, 1]", getattr(self, name))
        if self.shared_error + self.family_error > 1:
            parts = (self.shared_error, self.family_error)
            raise InvalidInput("shared_error, family_error", "parts that sum to at most 1", parts)
        for name in ("groups", "rows_per_group", "raters"):
            if getattr(self, name) < 1:
                raise InvalidInput(name, "a whole number >= 1", getattr(self, name))
        if not self.rater_noise > 0:
            raise InvalidInput("rater_noise", "a number > 0", self.rater_noise)
        if self.marginal and (len(self.marginal) != len(self.support) or min(self.marginal) <= 0):
            raise InvalidInput("marginal", f"{len(self.support)} positive shares", self.marginal)
        for name, shares in (("marginal", self.marginal or (1,)), ("slices", self.slices.values())):
            if abs(sum(shares) - 1) > 1e-6:
                raise InvalidInput(name, "shares that sum to 1", tuple(shares))
        for name, judge in self.judges.items():
            self._check(f"judges.{name}", judge)
        if unknown := {*self.compact, *self.family_diverse} - self.judges.keys():
            raise InvalidInput(
                "compact, family_diverse", f"judges among {list(self.judges)}", sorted(unknown)
            )

    def _check(self, name: str, judge: ScoreJudge) -> None:
        if isinstance(judge.skill, dict) and judge.skill.keys() != self.slices.keys():
            raise InvalidInput(f"{name}.skill", f"a number for each of {list(self.slices)}", judge.skill)
        if max(map(abs, self.skills(judge))) > 1:
            raise InvalidInput(f"{name}.skill", "numbers in [-1, 1]", judge.skill)
        if judge.claimed_skill is not None and not 0 <= judge.claimed_skill <= 1:
            raise InvalidInput(f"{name}.claimed_skill", "a number in [0, 1]", judge.claimed_skill)
        if not judge.judge_temperature > 0:
            raise InvalidInput(f"{name}.judge_temperature", "a number > 0", judge.judge_temperature)
        if not 0 <= judge.unparsed < 1:
            raise InvalidInput(f"{name}.unparsed", "a number in [0, 1)", judge.unparsed)

    def skills(self, judge: ScoreJudge) -> list[float]:
        """Skill of a judge in each slice, the factor included."""
        given = judge.skill if isinstance(judge.skill, dict) else dict.fromkeys(self.slices, judge.skill)
        return [self.skill_factor * given[name] for name in self.slices]


@dataclass(frozen=True)
class SimulatedScores:
    """One drawn benchmark cell and what is known about it."""

    judgments: Judgments
    truth: ScoreTruth


def simulate_scores(scenario: ScoreScenario, *, rng: np.random.Generator) -> SimulatedScores:
    """Draw one benchmark cell.

    Examples
    --------
    >>> scenario = ScoreScenario({"a": ScoreJudge(0.8), "b": ScoreJudge(0.2)}, groups=50)
    >>> drawn = simulate_scores(scenario, rng=np.random.default_rng(0))
    >>> drawn.judgments.probs.shape, drawn.truth.calibrated.shape
    ((250, 2, 5), (250, 2, 5))
    """
    judges = list(scenario.judges.values())
    group = np.repeat(np.arange(scenario.groups), scenario.rows_per_group)
    slice_of = _slices(scenario, rng)[group]
    part = scenario.group_quality
    quality = np.sqrt(part) * rng.standard_normal(scenario.groups)[group]
    quality += np.sqrt(1 - part) * rng.standard_normal(len(group))
    cuts = _cuts(scenario)
    perceived = quality[:, None] + scenario.rater_noise * rng.standard_normal((len(group), scenario.raters))
    support = np.array(scenario.support, dtype=np.float64)
    target = support[np.searchsorted(cuts, perceived)].mean(axis=1)

    skill = np.array([scenario.skills(judge) for judge in judges]).T[slice_of]
    seen = skill * quality[:, None] + np.sqrt(1 - skill**2) * _noise(scenario, len(group), rng)
    bias = np.array([judge.bias for judge in judges])
    claimed = np.array([_claimed(scenario, judge) for judge in judges]).T[slice_of]
    reported = _buckets(claimed * seen + bias, 1 - claimed**2, scenario, cuts)
    reported **= 1 / np.array([judge.judge_temperature for judge in judges])[:, None]
    reported /= reported.sum(axis=2, keepdims=True)
    lost = rng.random(seen.shape) < np.array([judge.unparsed for judge in judges])
    probs = reported.astype(np.float32)
    probs[lost] = np.nan

    items = pd.DataFrame(
        {
            "item": [f"{place:06d}" for place in range(len(group))],
            "group": [f"{code:05d}" for code in group],
            "slice": np.array(list(scenario.slices), dtype=object)[slice_of],
        }
    )
    details: dict[str, list[Any]] = {
        column: [getattr(judge, column) for judge in judges] for column in ("family", "active_parameters")
    }
    details["read_out"] = ["distribution"] * len(judges)
    frame = judge_frame(list(scenario.judges), details)
    mean, variance = _together(scenario, seen, slice_of)
    truth = ScoreTruth(
        quality=quality,
        calibrated=_buckets(skill * seen, 1 - skill**2, scenario, cuts),
        best_pool=_buckets(mean[:, None], variance[:, None], scenario, cuts)[:, 0] @ support,
    )
    return SimulatedScores(Judgments(probs, support, target, items, frame), truth)


def score_scenario(name: str, entry: Mapping[str, Any]) -> ScoreScenario:
    """A scenario from its declaration in YAML; raises InvalidInput on a knob that does not exist."""
    known = {each.name for each in fields(ScoreScenario)}
    if unknown := sorted(set(entry) - known):
        raise InvalidInput(f"cells.{name}", ", ".join(sorted(known)), ", ".join(unknown))
    if not entry.get("judges"):
        raise InvalidInput(f"cells.{name}.judges", "at least one judge", "none")
    try:
        judges = {judge: ScoreJudge(**_floats(knobs)) for judge, knobs in entry["judges"].items()}
    except TypeError as error:
        raise InvalidInput(f"cells.{name}.judges", "the knobs of ScoreJudge", error) from error
    counts = {key: entry[key] for key in ("groups", "rows_per_group", "raters") if key in entry}
    rest = _floats({key: entry[key] for key in entry if key not in ("judges", *counts)})
    return ScoreScenario(judges=judges, **counts, **rest)


def _floats(knobs: Mapping[str, Any]) -> dict[str, Any]:
    """Knobs as YAML gives them with whole numbers as floats and lists as tuples."""
    found: dict[str, Any] = {}
    for key, value in knobs.items():
        if isinstance(value, Mapping):
            found[key] = _floats(value)
        elif isinstance(value, list):
            found[key] = tuple(float(each) if isinstance(each, int) else each for each in value)
        else:
            found[key] = float(value) if isinstance(value, int) else value
    return found


def _claimed(scenario: ScoreScenario, judge: ScoreJudge) -> list[float]:
    if judge.claimed_skill is None:
        return scenario.skills(judge)
    return [judge.claimed_skill] * len(scenario.slices)


def _slices(scenario: ScoreScenario, rng: np.random.Generator) -> np.ndarray:
    """Slice of each group; shares are met by counts, so that a slice is never empty by bad luck."""
    edges = np.round(np.cumsum(list(scenario.slices.values())) * scenario.groups).astype(int)
    edges[-1] = scenario.groups
    return rng.permutation(np.searchsorted(edges, np.arange(scenario.groups), side="right"))


def _cuts(scenario: ScoreScenario) -> np.ndarray:
    """Cut points on perceived quality between neighbouring buckets: float64 [buckets - 1]."""
    buckets = len(scenario.support)
    shares = scenario.marginal or (1 / buckets,) * buckets
    return np.sqrt(1 + scenario.rater_noise**2) * norm.ppf(np.cumsum(shares)[:-1])


def _noise(scenario: ScoreScenario, rows: int, rng: np.random.Generator) -> np.ndarray:
    families = [judge.family for judge in scenario.judges.values()]
    kinds, family = np.unique(families, return_inverse=True)
    own = max(0.0, 1 - scenario.shared_error - scenario.family_error)
    noise = np.sqrt(scenario.shared_error) * rng.standard_normal((rows, 1))
    noise = noise + np.sqrt(scenario.family_error) * rng.standard_normal((rows, len(kinds)))[:, family]
    return noise + np.sqrt(own) * rng.standard_normal((rows, len(families)))


def _buckets(mean: np.ndarray, variance: np.ndarray, scenario: ScoreScenario, cuts: np.ndarray) -> np.ndarray:
    """Probability of a rater's bucket when quality is normal [items, judges] -> [items, judges, buckets]."""
    spread = np.sqrt(variance + scenario.rater_noise**2)
    below = norm.cdf((cuts - mean[..., None]) / spread[..., None])
    edges = np.concatenate([np.zeros_like(below[..., :1]), below, np.ones_like(below[..., :1])], axis=-1)
    # Far tails underflow to equal cumulative values; a judge never gives an exact zero here.
    probs = np.maximum(np.diff(edges, axis=-1), 1e-12)
    return probs / probs.sum(axis=-1, keepdims=True)


def _together(
    scenario: ScoreScenario, seen: np.ndarray, slice_of: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of quality given what all judges saw: normal regression, slice by slice."""
    families = np.array([judge.family for judge in scenario.judges.values()])
    noise = np.full((len(families), len(families)), scenario.shared_error)
    noise += scenario.family_error * (families[:, None] == families)
    np.fill_diagonal(noise, 1.0)
    mean, variance = np.empty(len(seen)), np.empty(len(seen))
    for place in range(len(scenario.slices)):
        skill = np.array([scenario.skills(judge)[place] for judge in scenario.judges.values()])
        # Two flawless judges would make the matrix singular.
        skill = np.clip(skill, -_MOST_SKILL, _MOST_SKILL)
        deviation = np.sqrt(1 - skill**2)
        weights = np.linalg.solve(np.outer(skill, skill) + noise * np.outer(deviation, deviation), skill)
        rows = slice_of == place
        mean[rows] = seen[rows] @ weights
        variance[rows] = max(0.0, 1 - float(skill @ weights))
    return mean, variance
