"""The gate: a small network that weighs the judges of each item, and what it needs to be trained."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Int, Shaped
from scipy.special import softmax

from judgekit.axes import Probs, Scores, Support, Target
from judgekit.errors import InvalidInput
from judgekit.pooling import Pool, pool_linear, pool_log

ARCHITECTURES = ("deepsets", "mlp")
POOLS = ("log", "linear")

# Gates of one batched product: more of them leave the cache (36 on a SummEval cell took 14 s, in thirds 8 s).
_TOGETHER = 12

Inputs = Float[np.ndarray, "items judges features"]


@dataclass(frozen=True)
class GateSettings:
    """How a gate is built and trained.

    Attributes
    ----------
    architecture : str
        "deepsets": phi (two layers) of each judge's features and identity, mean over the judges present,
        rho (one layer), one logit a judge. "mlp": two layers on all judges' features side by side, one
        logit a judge.
    pool : str
        "log" or "linear".
    pool_temperature, floor : float
        As in `judgekit.pooling`.
    hidden : int
        Width of every layer.
    learning_rate : float
        Of Adam.
    epochs : int
        The one with the highest validation Spearman is kept, the earliest on a tie.
    batch_size : int
        Rows of a step in a cell of up to `large_cell` training rows.
    large_cell, large_batch_size : int
        Above so many training rows a step takes `large_batch_size` rows.
    pair_weight : float
        Weight of the Bradley-Terry loss where training rows come with pairs.
    precision : str
        "float32" or "float64".
    """

    architecture: str = "deepsets"
    pool: str = "log"
    pool_temperature: float = 0.7
    floor: float = 1e-4
    hidden: int = 64
    learning_rate: float = 1e-3
    epochs: int = 30
    batch_size: int = 64
    large_cell: int = 4096
    large_batch_size: int = 512
    pair_weight: float = 0.5
    precision: str = "float32"

    def __post_init__(self) -> None:
        for name, allowed in (
            ("architecture", ARCHITECTURES),
            ("pool", POOLS),
            ("precision", ("float32", "float64")),
        ):
            if getattr(self, name) not in allowed:
                raise InvalidInput(name, " or ".join(allowed), getattr(self, name))
        for name in ("pool_temperature", "floor", "learning_rate"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InvalidInput(name, "a finite number > 0", getattr(self, name))
        for name in ("hidden", "epochs", "batch_size", "large_batch_size"):
            if getattr(self, name) < 1:
                raise InvalidInput(name, "a whole number >= 1", getattr(self, name))
        if not self.pair_weight >= 0:
            raise InvalidInput("pair_weight", "a number >= 0", self.pair_weight)

    def rows_per_step(self, rows: int) -> int:
        """Batch size of a cell with so many training rows."""
        return self.batch_size if rows <= self.large_cell else self.large_batch_size


@dataclass(frozen=True)
class GateRows:
    """Rows a gate is trained, chosen or tested on.

    Attributes
    ----------
    features : array [items, judges, features]
        As from `judgekit.scores.features`; NaN rows are missing judges.
    probs : array [items, judges, buckets]
        NaN rows are missing judges.
    target : array [items]
        NaN rows take part in pairs only.
    pairs : int array [pairs, 2], optional
        Row numbers (preferred, other) for the Bradley-Terry loss.
    """

    features: Inputs
    probs: Probs
    target: Target
    pairs: Int[np.ndarray, "pairs 2"] | None = None


@dataclass(frozen=True)
class GateTask:
    """One gate to be fitted: training rows, validation rows, support and settings."""

    train: GateRows
    validation: GateRows
    support: Support
    settings: GateSettings = field(default_factory=GateSettings)


@dataclass(frozen=True)
class FittedGate:
    """A trained gate of one seed.

    Attributes
    ----------
    parameters : mapping of arrays
        Layers by name, at the best epoch.
    centre, scale : array [features]
        Standardisation, from the training rows.
    support : array [buckets]
    settings : GateSettings
    seed : int
        Number of the seed, 0, 1, 2, ...
    best_epoch : int
        Counted from 1.
    validation_spearman : array [epochs]
        NaN where the validation scores were constant.
    training_loss : array [epochs]
        Mean over the rows of the epoch, while training.
    train_rows, train_dropped, validation_rows : int
        Rows with a target and a judge that were used, training rows left out, validation rows used.
    """

    parameters: Mapping[str, Shaped[np.ndarray, "..."]]
    centre: Float[np.ndarray, " features"]
    scale: Float[np.ndarray, " features"]
    support: Support
    settings: GateSettings
    seed: int
    best_epoch: int
    validation_spearman: Float64[np.ndarray, " epochs"]
    training_loss: Float64[np.ndarray, " epochs"]
    train_rows: int
    train_dropped: int
    validation_rows: int

    def weights(self, features: Inputs) -> Scores:
        """Weight of each judge on each item, 0 for missing judges; NaN where no judge is present."""
        # In float64 whatever the training used, so that equal rows get equal weights.
        layers = {name: layer.astype(np.float64) for name, layer in self.parameters.items()}
        inputs, present = standardise(features, self.centre.astype(np.float64), self.scale)
        logits = gate_logits(layers, inputs, present, relu=lambda values: np.maximum(values, 0))
        weights = softmax(np.where(present, logits, -1e30), axis=1)
        return np.where(present.any(axis=1, keepdims=True), weights * present, np.nan)

    def predict(self, features: Inputs, probs: Probs) -> Pool:
        """Pool the judges with the gate's weights, uniform ones where no judge of the item has features."""
        weights = self.weights(features)
        weights[np.isnan(weights).any(axis=1)] = 1
        temperature, floor = self.settings.pool_temperature, self.settings.floor
        if self.settings.pool == "linear":
            return pool_linear(probs, self.support, weights=weights, pool_temperature=temperature)
        return pool_log(probs, self.support, weights=weights, pool_temperature=temperature, floor=floor)


@dataclass(frozen=True)
class GateEnsemble:
    """The gates of one task, a gate a seed.

    Attributes
    ----------
    gates : tuple of FittedGate
    """

    gates: tuple[FittedGate, ...]

    @property
    def validation_spearman(self) -> float:
        """Mean over seeds of the best validation Spearman; NaN where a seed has none."""
        return float(np.mean([gate.validation_spearman[gate.best_epoch - 1] for gate in self.gates]))

    def scores(self, features: Inputs, probs: Probs) -> Float[np.ndarray, "items seeds"]:
        """Predicted scores, a column a seed: average the metric over columns, or the columns themselves."""
        return np.stack([gate.predict(features, probs).score for gate in self.gates], axis=1)

    def weights(self, features: Inputs) -> Scores:
        """Weights of the judges, mean over seeds."""
        return np.mean([gate.weights(features) for gate in self.gates], axis=0)


def fit_gate(
    train: GateRows,
    validation: GateRows,
    support: Support,
    *,
    rng: np.random.Generator,
    settings: GateSettings | None = None,
    seeds: int = 3,
) -> GateEnsemble:
    """Fit one gate with several seeds, trained together; see `fit_gates`."""
    task = GateTask(train, validation, support, settings or GateSettings())
    return fit_gates([task], rng=rng, seeds=seeds)[0]


def fit_gates(
    tasks: Sequence[GateTask],
    *,
    rng: np.random.Generator,
    seeds: int = 3,
    threads: int = 1,
    workers: int = 1,
) -> list[GateEnsemble]:
    """Fit many gates; those of equal shape (seeds and variants of a cell) as one batched product.

    The loss is the squared error of the expected score, in steps between buckets, plus the cross-entropy to
    the bucket nearest to the target, plus `pair_weight` times the logistic loss on score differences where
    there are pairs. Gates of one call share their seeds: the same initial weights (where shapes allow) and
    the same order of rows, so that variants are compared on equal terms. A gate does not depend on what is
    fitted beside it.

    Parameters
    ----------
    tasks : sequence of GateTask
        Feature counts, pools, temperatures and which judges are missing may differ within one batched
        product.
    rng : Generator
        One number is drawn from it.
    seeds : int
        Gates a task.
    threads : int
        Torch threads of each batched product; one is best for small cells.
    workers : int
        Batched products trained at the same time, each in a thread of its own: torch holds the interpreter
        for a small part of a step only, and a process would import torch anew.

    Raises
    ------
    InvalidInput
        Shapes that do not fit each other, or fewer than 2 rows with a target and a judge.
    """
    from judgekit.gate_training import Member, torch_threads, train_group

    for name, value in (("seeds", seeds), ("threads", threads), ("workers", workers)):
        if value < 1:
            raise InvalidInput(name, "a whole number >= 1", value)
    base = int(rng.integers(2**62))
    groups: dict[tuple[object, ...], list[tuple[int, Member]]] = defaultdict(list)
    for number, task in enumerate(tasks):
        for seed in range(seeds):
            member = Member.of(task, seed, np.random.default_rng([base, seed]))
            groups[member.shape].append((number, member))
    batches = [batch for group in groups.values() for batch in _within_memory(group)]
    batches.sort(key=lambda batch: -sum(member.numbers for _, member in batch))
    work = [[member for _, member in batch] for batch in batches]
    with (
        torch_threads(threads) as set_threads,
        ThreadPoolExecutor(workers, initializer=set_threads, initargs=(threads,)) as pool,
    ):
        trained = list(pool.map(train_group, work))
    found: list[list[FittedGate]] = [[] for _ in tasks]
    for batch, gates in zip(batches, trained, strict=True):
        for (number, _), gate in zip(batch, gates, strict=True):
            found[number].append(gate)
    return [GateEnsemble(tuple(sorted(gates, key=lambda gate: gate.seed))) for gates in found]


def score_pairs(
    target: Target, groups: Int[np.ndarray, " items"], *, rng: np.random.Generator, limit: int = 4096
) -> Int[np.ndarray, "pairs 2"]:
    """Pairs (preferred, other) of rows of one group (document) whose targets differ: Bradley-Terry's input.

    At most `limit` pairs, drawn without replacement. Rows with a NaN target form no pair.
    """
    found = [np.empty((0, 2), dtype=np.int64)]
    for group in np.unique(groups):
        rows = np.flatnonzero((groups == group) & ~np.isnan(target))
        first, second = np.nonzero(target[rows][:, None] > target[rows][None, :])
        found.append(np.stack([rows[first], rows[second]], axis=1))
    pairs = np.concatenate(found)
    if len(pairs) <= limit:
        return pairs
    return pairs[np.sort(rng.choice(len(pairs), limit, replace=False))]


def standardise(features: np.ndarray, centre: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standardised features with 0 for missing judges, and which judges are present [items, judges]."""
    present = ~np.isnan(features).any(axis=2)
    inputs = (features - centre) / scale
    return np.where(present[..., None], inputs, 0).astype(centre.dtype), present


def gate_logits(
    parameters: Mapping[str, Any], inputs: Any, present: Any, *, relu: Callable[[Any], Any]
) -> Any:
    """One logit a judge from inputs [..., rows, judges, features]; the same for NumPy and torch."""
    *gates, rows, judges, width = inputs.shape
    hidden = parameters["hidden"].shape[-1]
    if "judge" in parameters:
        each = inputs.reshape(*gates, rows * judges, width) @ parameters["input"]
        each = each.reshape(*gates, rows, judges * hidden) + parameters["judge"].reshape(*gates, 1, -1)
        each = relu(each).reshape(*gates, rows * judges, hidden)
        each = relu(each @ parameters["hidden"] + parameters["hidden_bias"])
        total = (each.reshape(*gates, rows, judges, hidden) * present[..., None]).sum(-2)
        mean = total / present.sum(-1)[..., None].clip(1)
        last = relu(mean @ parameters["rho"] + parameters["rho_bias"])
    else:
        flat = parameters["input"].reshape(*gates, judges * width, hidden)
        first = relu(inputs.reshape(*gates, rows, judges * width) @ flat + parameters["input_bias"])
        last = relu(first @ parameters["hidden"] + parameters["hidden_bias"])
    return last @ parameters["logit"] + parameters["logit_bias"]


def _within_memory(group: list, limit: int = 1 << 26) -> list[list]:
    size = max(1, min(_TOGETHER, limit // max(1, group[0][1].numbers)))
    return [group[start : start + size] for start in range(0, len(group), size)]
