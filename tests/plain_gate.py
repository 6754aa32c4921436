"""The gate's training written the plain way, one gate and one torch module at a time: the reference for speed
and agreement."""

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import nn


class PlainGate(nn.Module):
    def __init__(self, architecture, judges, features, hidden):
        super().__init__()
        self.architecture = architecture
        if architecture == "deepsets":
            self.first = nn.Linear(features + judges, hidden, bias=False)
            self.rho = nn.Linear(hidden, hidden)
        else:
            self.first = nn.Linear(judges * features, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.logit = nn.Linear(hidden, judges)

    def forward(self, inputs, present):
        rows, judges, _ = inputs.shape
        if self.architecture == "mlp":
            last = torch.relu(self.second(torch.relu(self.first(inputs.reshape(rows, -1)))))
        else:
            identity = torch.eye(judges, dtype=inputs.dtype).expand(rows, judges, judges)
            each = torch.relu(self.second(torch.relu(self.first(torch.cat([inputs, identity], dim=2)))))
            mean = (each * present[..., None]).sum(1) / present.sum(1)[:, None]
            last = torch.relu(self.rho(mean))
        return torch.softmax(self.logit(last).masked_fill(~present, -1e30), dim=1)


def set_layers(gate, layers):
    """Copy numpy layers, laid out as in `FittedGate.parameters`, into the module."""
    hidden = layers["hidden"].shape[0]
    first = layers["input"].reshape(-1, hidden)
    if gate.architecture == "deepsets":
        first = np.concatenate([first, layers["judge"]])
    named = {"first.weight": first.T, "second.weight": layers["hidden"].T, "logit.weight": layers["logit"].T}
    named |= {"second.bias": layers["hidden_bias"][0], "logit.bias": layers["logit_bias"][0]}
    if gate.architecture == "deepsets":
        named |= {"rho.weight": layers["rho"].T, "rho.bias": layers["rho_bias"][0]}
    else:
        named["first.bias"] = layers["input_bias"][0]
    gate.load_state_dict(
        {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in named.items()}
    )


def pooled_log(gate, settings, rows, steps):
    weights = gate(rows["inputs"], rows["present"])
    mixed = (weights[:, :, None] * rows["values"]).sum(1)
    if settings.pool == "linear":
        mixed = mixed.clamp(min=settings.floor).log()
    pooled = torch.log_softmax(mixed / settings.pool_temperature, dim=1)
    return pooled, pooled.exp() @ steps


def fit_plain(member, layers):
    """Train one gate from `layers`: validation Spearman by epoch and the best epoch's validation scores."""
    settings = member.settings
    train, preferred, other, validation = (
        {name: torch.from_numpy(np.asarray(values)) for name, values in vars(rows).items()}
        for rows in (member.train, member.preferred, member.other, member.validation)
    )
    rows, judges, features = train["inputs"].shape
    gate = PlainGate(settings.architecture, judges, features, settings.hidden).to(train["inputs"].dtype)
    set_layers(gate, layers)
    steps = torch.arange(train["values"].shape[2], dtype=train["inputs"].dtype)
    adam = torch.optim.Adam(gate.parameters(), lr=settings.learning_rate)
    pairs, batch = len(preferred["target"]), settings.rows_per_step(rows)
    batches = -(-rows // batch)
    pair_batch = -(-pairs // batches)
    history, best = [], None
    for _ in range(settings.epochs):
        order, pair_order = member.rng.permutation(rows), member.rng.permutation(pairs)
        for number in range(batches):
            chosen = torch.from_numpy(order[number * batch : (number + 1) * batch])
            part = {name: values[chosen] for name, values in train.items()}
            pooled, score = pooled_log(gate, settings, part, steps)
            loss = ((score - part["target"]) ** 2).mean() + nn.functional.nll_loss(pooled, part["bucket"])
            chosen = torch.from_numpy(pair_order[number * pair_batch : (number + 1) * pair_batch])
            if len(chosen):
                sides = [{n: v[chosen] for n, v in side.items()} for side in (preferred, other)]
                one, two = (pooled_log(gate, settings, side, steps)[1] for side in sides)
                loss = loss - settings.pair_weight * nn.functional.logsigmoid(one - two).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
        with torch.no_grad():
            score = pooled_log(gate, settings, validation, steps)[1].numpy()
        history.append(spearmanr(score, member.validation.target)[0])
        if best is None or history[-1] > best[0]:
            best = (history[-1], score)
    return np.array(history), best[1]
