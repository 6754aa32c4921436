"""Train gates of equal shape as one batched product in torch; `judgekit.gate` is the way in."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from judgekit.errors import InvalidInput
from judgekit.gate import FittedGate, GateRows, GateSettings, GateTask, gate_logits, standardise
from judgekit.metrics import spearman_columns
from judgekit.scores import nearest_bucket

# Hidden units of one validation block: larger ones only leave the cache.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Rows:
    """Rows as the network takes them.

    Attributes
    ----------
    inputs : array [rows, judges, features]
        Standardised, 0 for missing judges.
    present : bool array [rows, judges]
    values : array [rows, judges, buckets]
        Log probabilities above the floor (log pool) or probabilities (linear pool); 0 for missing judges.
    target : array [rows]
        In steps between buckets, counted from the lowest.
    bucket : int array [rows]
        Bucket nearest to the target; -1 without one.
    """

    inputs: np.ndarray
    present: np.ndarray
    values: np.ndarray
    target: np.ndarray
    bucket: np.ndarray

    @classmethod
    def of(cls, rows: GateRows, task: GateTask, centre: np.ndarray, scale: np.ndarray) -> "Rows":
        """Lay out all rows; a judge lacking features or probabilities is missing."""
        dtype, low, step = centre.dtype, task.support.min(), _bucket_step(task.support)
        inputs, present = standardise(rows.features.astype(dtype), centre, scale)
        present &= ~np.isnan(rows.probs).any(axis=2)
        values = rows.probs.astype(dtype)
        if task.settings.pool == "log":
            values = np.log(np.maximum(values, dtype.type(task.settings.floor)))
        there = present[..., None]
        bucket = nearest_bucket(rows.target, task.support)
        target = ((rows.target - low) / step).astype(dtype)
        return cls(np.where(there, inputs, 0), present, np.where(there, values, 0), target, bucket)

    @property
    def usable(self) -> np.ndarray:
        """Rows with a target and a judge."""
        return self.present.any(axis=1) & (self.bucket >= 0)

    def take(self, rows: np.ndarray) -> "Rows":
        """These rows only."""
        return Rows(*(getattr(self, part.name)[rows] for part in fields(self)))


@dataclass(frozen=True)
class Member:
    """One gate of a batched product: a task with a seed."""

    settings: GateSettings
    support: np.ndarray
    seed: int
    rng: np.random.Generator
    standard: tuple[np.ndarray, np.ndarray]
    train: Rows
    preferred: Rows
    other: Rows
    validation: Rows
    dropped: int

    @classmethod
    def of(cls, task: GateTask, seed: int, rng: np.random.Generator) -> "Member":
        """Standardise, leave out rows without target or judge, and lay out the pairs."""
        for name in ("features", "probs"):
            shapes = [getattr(rows, name).shape[1:] for rows in (task.train, task.validation)]
            if shapes[0] != shapes[1]:
                raise InvalidInput(f"validation.{name}", f"shaped as in training, {shapes[0]}", shapes[1])
        features = task.train.features.astype(task.settings.precision)
        there = features[~np.isnan(features).any(axis=2)]
        if not len(there):
            raise InvalidInput("train.features", "at least one judge that is present", "none")
        scale = there.std(axis=0)
        standard = (there.mean(axis=0), np.where(scale > 1e-6, scale, 1).astype(scale.dtype))
        train, validation = (Rows.of(rows, task, *standard) for rows in (task.train, task.validation))
        labelled, judged = train.usable, validation.usable
        for name, usable in (("train", labelled), ("validation", judged)):
            if usable.sum() < 2:
                raise InvalidInput(name, "at least 2 rows with a target and a judge", int(usable.sum()))
        pairs = np.empty((0, 2), dtype=int) if task.train.pairs is None else task.train.pairs
        pairs = pairs[np.asarray(train.present.any(axis=1))[pairs].all(axis=1)]
        sides = (
            train.take(labelled),
            train.take(pairs[:, 0]),
            train.take(pairs[:, 1]),
            validation.take(judged),
        )
        return cls(task.settings, task.support, seed, rng, standard, *sides, int((~labelled).sum()))

    @property
    def shape(self) -> tuple[object, ...]:
        """What gates must share to be trained as one product."""
        settings, rows = self.settings, len(self.train.target)
        training = (settings.learning_rate, settings.epochs, settings.rows_per_step(rows))
        sizes = (*self.train.values.shape, len(self.preferred.target), len(self.validation.target))
        return (settings.architecture, settings.hidden, settings.precision, *training, *sizes)

    @property
    def numbers(self) -> int:
        """How many numbers the rows of this gate take, in round figures."""
        per_row = self.train.inputs[0].size + self.train.values[0].size
        rows = len(self.train.target) * 2 + len(self.preferred.target) * 2 + len(self.validation.target)
        return per_row * rows

    def initial(self) -> dict[str, np.ndarray]:
        """Layers before training: uniform in +-1/sqrt(inputs); the last zero, which is the uniform pool."""
        judges, features = self.train.inputs.shape[1:]
        hidden, dtype = self.settings.hidden, self.train.inputs.dtype

        def layer(inputs: int, *shape: int) -> np.ndarray:
            bound = inputs**-0.5
            return self.rng.uniform(-bound, bound, size=shape).astype(dtype)

        if self.settings.architecture == "mlp":
            width = judges * features
            layers = {"input": layer(width, judges, features, hidden), "input_bias": layer(width, 1, hidden)}
        else:
            width = judges + features
            layers = {"input": layer(width, features, hidden), "judge": layer(width, judges, hidden)}
            layers |= {"rho": layer(hidden, hidden, hidden), "rho_bias": layer(hidden, 1, hidden)}
        layers |= {"hidden": layer(hidden, hidden, hidden), "hidden_bias": layer(hidden, 1, hidden)}
        return layers | {
            "logit": np.zeros((hidden, judges), dtype),
            "logit_bias": np.zeros((1, judges), dtype),
        }


class Network:
    """The layers of all gates of a group stacked along a first axis, and their losses."""

    def __init__(self, members: list[Member]) -> None:
        import torch

        self.torch = torch
        self.features = [member.train.inputs.shape[2] for member in members]
        widest = max(self.features)
        layers = [member.initial() for member in members]
        for layer in layers:
            layer["input"] = _padded(layer["input"], widest, axis=-2)
        self.layers = {
            name: torch.from_numpy(np.stack([layer[name] for layer in layers])).requires_grad_()
            for name in layers[0]
        }
        settings = [member.settings for member in members]
        dtype = members[0].train.inputs.dtype
        buckets = [(m.support - m.support.min()) / _bucket_step(m.support) for m in members]
        self.steps = torch.from_numpy(np.stack(buckets)[:, :, None].astype(dtype))
        self.sharpness = self._column([1 / one.pool_temperature for one in settings], dtype)
        self.floor = self._column([one.floor for one in settings], dtype)
        self.pair_weight = self._column([one.pair_weight for one in settings], dtype)[:, 0, 0]
        self.is_log = torch.tensor([one.pool == "log" for one in settings])[:, None, None]
        self.all_log = bool(self.is_log.all())

    def _column(self, values: list[float], dtype: np.dtype) -> Any:
        return self.torch.from_numpy(np.array(values, dtype)[:, None, None])

    def forward(self, batch: Mapping[str, Any]) -> tuple[Any, Any]:
        """Log of the pooled distribution [gates, rows, buckets] and expected score [gates, rows] in steps."""
        torch = self.torch
        present = batch["present"]
        logits = gate_logits(self.layers, batch["inputs"], present, relu=torch.relu_)
        weights = torch.softmax(logits.masked_fill(~present, -1e30), dim=-1)
        mixed = (weights[..., None] * batch["values"]).sum(-2)
        if not self.all_log:
            mixed = torch.where(self.is_log, mixed, torch.log(torch.maximum(mixed, self.floor)))
        pooled = torch.log_softmax(mixed * self.sharpness, dim=-1)
        return pooled, (pooled.exp() @ self.steps)[..., 0]

    def loss(self, batch: Mapping[str, Any]) -> Any:
        """Squared error of the expected score plus cross-entropy to the nearest bucket, a mean a gate."""
        pooled, score = self.forward(batch)
        entropy = -pooled.gather(-1, batch["bucket"][..., None])[..., 0]
        return ((score - batch["target"]).square() + entropy).mean(1)

    def pair_loss(self, preferred: Mapping[str, Any], other: Mapping[str, Any]) -> Any:
        """Bradley-Terry loss of the score differences, mean a gate times its weight [gates]."""
        difference = self.forward(preferred)[1] - self.forward(other)[1]
        return self.pair_weight * self.torch.nn.functional.softplus(-difference).mean(1)

    def scores(self, rows: Mapping[str, Any]) -> np.ndarray:
        """Expected scores of all gates [rows, gates], in steps, block by block."""
        gates, total, judges = rows["present"].shape
        block = max(1, _BLOCK // (gates * judges * self.layers["hidden"].shape[-1]))
        with self.torch.no_grad():
            parts = [self.forward(_cut(rows, start, block))[1] for start in range(0, total, block)]
        return self.torch.cat(parts, dim=1).numpy().T


def train_group(members: list[Member]) -> list[FittedGate]:
    """Train gates of one shape together; each comes out as if trained alone."""
    import torch

    network, settings = Network(members), members[0].settings
    adam = torch.optim.Adam(list(network.layers.values()), lr=settings.learning_rate, fused=True)
    train, preferred, other, validation = (
        _stacked([getattr(member, side) for member in members], max(network.features))
        for side in ("train", "preferred", "other", "validation")
    )
    rows, pairs = train["target"].shape[1], preferred["target"].shape[1]
    step = settings.rows_per_step(rows)
    pair_step = -(-pairs // -(-rows // step))
    truth = [member.validation.target for member in members]
    spearman, losses = np.full((2, settings.epochs, len(members)), np.nan)
    keeper = _Keeper(network)
    for epoch in range(settings.epochs):
        (shuffled,) = _shuffled(members, rows, train)
        first, second = _shuffled(members, pairs, preferred, other)
        total = torch.zeros(len(members), dtype=shuffled["target"].dtype)
        for number, start in enumerate(range(0, rows, step)):
            batch = _cut(shuffled, start, step)
            loss = network.loss(batch)
            if number * pair_step < pairs:
                chosen = (number * pair_step, pair_step)
                loss = loss + network.pair_loss(_cut(first, *chosen), _cut(second, *chosen))
            adam.zero_grad(set_to_none=True)
            loss.sum().backward()
            adam.step()
            total += loss.detach() * batch["target"].shape[1]
        losses[epoch] = total.numpy() / rows
        scores = network.scores(validation)
        spearman[epoch] = [spearman_columns(s[:, None], t)[0] for s, t in zip(scores.T, truth, strict=True)]
        keeper.see(epoch + 1, spearman[epoch])
    return [
        FittedGate(
            parameters=keeper.layers(number),
            centre=member.standard[0],
            scale=member.standard[1],
            support=member.support,
            settings=member.settings,
            seed=member.seed,
            best_epoch=int(keeper.epoch[number]),
            validation_spearman=spearman[:, number].copy(),
            training_loss=losses[:, number].copy(),
            train_rows=rows,
            train_dropped=member.dropped,
            validation_rows=len(member.validation.target),
        )
        for number, member in enumerate(members)
    ]


class _Keeper:
    """The layers of each gate at its best epoch so far; undefined correlations count below all others."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.best = {name: layer.detach().clone() for name, layer in network.layers.items()}
        self.epoch = np.zeros(len(network.features), dtype=int)
        self.highest = np.full(len(network.features), -np.inf)

    def see(self, epoch: int, spearman: np.ndarray) -> None:
        defined = np.where(np.isnan(spearman), -np.inf, spearman)
        better = (defined > self.highest) | np.isneginf(self.highest)
        self.highest = np.maximum(self.highest, defined)
        self.epoch[better] = epoch
        chosen = self.network.torch.from_numpy(better)
        for name, layer in self.network.layers.items():
            self.best[name][chosen] = layer.detach()[chosen]

    def layers(self, gate: int) -> dict[str, np.ndarray]:
        found = {name: layer[gate].numpy().copy() for name, layer in self.best.items()}
        return found | {"input": found["input"][..., : self.network.features[gate], :].copy()}


def _stacked(rows: list[Rows], features: int) -> dict[str, Any]:
    import torch

    parts = {part.name: [getattr(one, part.name) for one in rows] for part in fields(Rows)}
    parts["inputs"] = [_padded(inputs, features, axis=-1) for inputs in parts["inputs"]]
    return {name: torch.from_numpy(np.stack(values)) for name, values in parts.items()}


def _shuffled(members: list[Member], rows: int, *sides: Mapping[str, Any]) -> list[dict[str, Any]]:
    import torch

    order = torch.from_numpy(np.stack([member.rng.permutation(rows) for member in members]))
    gate = torch.arange(len(members))[:, None]
    return [{name: values[gate, order] for name, values in side.items()} for side in sides]


def _cut(rows: Mapping[str, Any], start: int, count: int) -> dict[str, Any]:
    return {name: values[:, start : start + count] for name, values in rows.items()}


def _padded(values: np.ndarray, size: int, *, axis: int) -> np.ndarray:
    shape = [(0, 0)] * values.ndim
    shape[axis] = (0, size - values.shape[axis])
    return np.pad(values, shape)


def _bucket_step(support: np.ndarray) -> float:
    return float(support.max() - support.min()) / (len(support) - 1)


@contextmanager
def torch_threads(threads: int) -> Iterator[Callable[[int], None]]:
    """Torch on so many threads, then on as many as before.

    Yields what sets the number for one more thread of the interpreter: each has a number of its own.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield torch.set_num_threads
    finally:
        torch.set_num_threads(before)
