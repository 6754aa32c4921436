from dataclasses import replace

import numpy as np
import pytest
import torch

from judgekit import gate, gate_training
from judgekit.errors import InvalidInput
from judgekit.gate import GateRows, GateSettings, GateTask
from judgekit.gate_training import Member, Network
from judgekit.scores import features
from tests.plain_gate import fit_plain

SUPPORT = np.array([0.0, 10.0, 20.0, 30.0])


def made_up(seed, feature_set="summaries", items=90, hidden_judge=None):
    rng = np.random.default_rng(seed)
    target = rng.uniform(0, 30, items)
    seen = target[:, None] + rng.normal(size=(items, 4)) * [3, 8, 15, 15]
    logits = -((SUPPORT - seen[..., None]) ** 2) / 150
    probs = np.exp(logits - logits.max(axis=2, keepdims=True))
    probs /= probs.sum(axis=2, keepdims=True)
    probs[rng.random((items, 4)) < 0.1] = np.nan
    if hidden_judge is not None:
        probs[:, hidden_judge] = np.nan
    probs[:, 0] = np.where(np.isnan(probs[:, 0]), 0.25, probs[:, 0])
    pairs = rng.integers(0, items, size=(50, 2))
    return GateRows(features(probs, SUPPORT, feature_set=feature_set).values, probs, target, pairs)


def variants():
    """Gates that differ in everything one batched product may hold, and in some that need another product."""
    base = GateSettings(epochs=4, hidden=16, batch_size=32, precision="float64")
    cases = []
    for architecture in ("deepsets", "mlp"):
        for pool, temperature, feature_set, hidden_judge in (
            ("log", 0.7, "summaries", None),
            ("linear", 0.7, "summaries", None),
            ("log", 2.0, "soft", None),
            ("log", 0.7, "both", 3),
        ):
            settings = replace(base, architecture=architecture, pool=pool, pool_temperature=temperature)
            rows = [made_up(seed, feature_set, hidden_judge=hidden_judge) for seed in (0, 1)]
            cases.append(GateTask(rows[0], rows[1], SUPPORT, settings))
    return cases


def member(task, base, seed):
    return Member.of(task, seed, np.random.default_rng([base, seed]))


def test_batched_products_equal_the_plain_loop():
    tasks = variants()
    ensembles = gate.fit_gates(tasks, rng=np.random.default_rng(5), seeds=2)
    base = int(np.random.default_rng(5).integers(2**62))
    assert len({member(task, base, 0).shape for task in tasks}) == 2
    for task, ensemble in zip(tasks, ensembles, strict=True):
        for seed, fitted in enumerate(ensemble.gates):
            alone = member(task, base, seed)
            history, score = fit_plain(alone, alone.initial())
            np.testing.assert_allclose(fitted.validation_spearman, history, atol=1e-5)
            assert fitted.best_epoch == int(np.argmax(history)) + 1
            if task.settings.pool == "log":
                found = fitted.predict(task.validation.features, task.validation.probs).score / 10
                np.testing.assert_allclose(found, score, atol=1e-5)


def test_a_gate_does_not_depend_on_its_company():
    tasks = variants()[:3]
    together = gate.fit_gates(tasks, rng=np.random.default_rng(5), seeds=2)
    alone = gate.fit_gates(tasks[2:], rng=np.random.default_rng(5), seeds=2)
    for first, second in zip(together[2].gates, alone[0].gates, strict=True):
        for name, layer in first.parameters.items():
            np.testing.assert_allclose(layer, second.parameters[name], atol=1e-10)


def test_two_workers_give_to_the_bit_what_one_gives():
    tasks = [variants()[0], variants()[4]]
    one = gate.fit_gates(tasks, rng=np.random.default_rng(5), seeds=1)
    two = gate.fit_gates(tasks, rng=np.random.default_rng(5), seeds=1, workers=2)
    for first, second in zip(one, two, strict=True):
        for name, layer in first.gates[0].parameters.items():
            np.testing.assert_array_equal(layer, second.gates[0].parameters[name])


def test_workers_leave_the_torch_threads_of_others_alone():
    before = torch.get_num_threads()
    gate.fit_gates(variants()[:1], rng=np.random.default_rng(5), seeds=1, threads=before + 1, workers=2)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("name", ["seeds", "threads", "workers"])
def test_none_of_what_it_needs_is_an_error(name):
    with pytest.raises(InvalidInput, match=f"{name}: allowed is a whole number >= 1; given 0"):
        gate.fit_gates(variants()[:1], rng=np.random.default_rng(5), **{name: 0})


@pytest.mark.parametrize("number", range(8))
def test_gradients_agree_with_finite_differences(number):
    tasks = variants()
    network = Network([member(tasks[number], 3, 0)])
    rng = np.random.default_rng(number)
    with torch.no_grad():
        # The last layer starts at zero, which hides every layer before it.
        network.layers["logit"] += torch.from_numpy(rng.normal(size=network.layers["logit"].shape))
    rows, first, second = (
        gate_training._stacked([side], side.inputs.shape[2])
        for side in (network_member(tasks[number], name) for name in ("train", "preferred", "other"))
    )

    def loss():
        return (network.loss(rows) + network.pair_loss(first, second)).sum()

    loss().backward()
    for layer in network.layers.values():
        for _ in range(3):
            place = tuple(rng.integers(size) for size in layer.shape)
            with torch.no_grad():
                values = []
                for step in (1e-6, -2e-6):
                    layer[place] += step
                    values.append(loss().item())
                layer[place] += 1e-6
            difference = (values[0] - values[1]) / 2e-6
            assert layer.grad[place].item() == pytest.approx(difference, abs=2e-7, rel=1e-5)


def network_member(task, side):
    return getattr(member(task, 3, 0), side)


def test_torch_threads_are_put_back():
    before = torch.get_num_threads()
    with gate_training.torch_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


def test_a_group_too_large_for_memory_is_cut():
    tasks = variants()[:1]
    one = member(tasks[0], 0, 0)
    cut = gate._within_memory([(0, one)] * 5, limit=2 * one.numbers)
    assert [len(part) for part in cut] == [2, 2, 1]
