import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from judgekit import gate
from judgekit.errors import InvalidInput
from judgekit.gate import GateRows, GateSettings, GateTask
from judgekit.metrics import spearman
from judgekit.pooling import pool_log
from judgekit.scores import features

SUPPORT = np.arange(1.0, 6.0)
QUICK = GateSettings(epochs=3, hidden=8, precision="float64")


def made_up(seed, items=150, noise=(0.4, 1.0, 3.0), missing=0.05, feature_set="summaries"):
    """A cell whose judges differ in noise, with their distributions."""
    rng = np.random.default_rng(seed)
    target = np.clip(np.round(rng.uniform(1, 5, items) * 3) / 3, 1, 5)
    seen = target[:, None] + rng.normal(size=(items, len(noise))) * noise
    logits = -((SUPPORT - seen[..., None]) ** 2) / 2
    probs = np.exp(logits - logits.max(axis=2, keepdims=True))
    probs /= probs.sum(axis=2, keepdims=True)
    probs[rng.random((items, len(noise))) < missing] = np.nan
    return GateRows(features(probs, SUPPORT, feature_set=feature_set).values, probs, target)


def task(settings=QUICK, **options):
    return GateTask(made_up(0, **options), made_up(1, **options), SUPPORT, settings)


def fit(*tasks, seed=7, **options):
    return gate.fit_gates(tasks, rng=np.random.default_rng(seed), **options)


def test_weights_sum_to_one_over_the_judges_present():
    (ensemble,) = fit(task(), seeds=1)
    rows = made_up(2, missing=0.4)
    weights = ensemble.gates[0].weights(rows.features)
    gone = np.isnan(rows.features).any(axis=2)
    alone = gone.all(axis=1)
    assert alone.any()
    assert np.isnan(weights[alone]).all()
    np.testing.assert_allclose(weights[~alone].sum(axis=1), 1)
    assert (weights[~alone][gone[~alone]] == 0).all()


def test_prediction_is_the_pool_with_the_gates_weights():
    (ensemble,) = fit(task(), seeds=1)
    rows = made_up(2, missing=0)
    fitted = ensemble.gates[0]
    expected = pool_log(rows.probs, SUPPORT, weights=fitted.weights(rows.features), pool_temperature=0.7)
    found = fitted.predict(rows.features, rows.probs)
    np.testing.assert_array_equal(found.probs, expected.probs)
    assert found.pool_temperature == 0.7


def test_an_item_without_judges_has_no_prediction():
    (ensemble,) = fit(task(), seeds=1)
    rows = made_up(2, items=4, missing=0)
    rows.features[1], rows.probs[1] = np.nan, np.nan
    found = ensemble.gates[0].predict(rows.features, rows.probs)
    assert np.isnan(found.score).tolist() == [False, True, False, False]
    assert found.empty == 1


def test_the_gate_finds_the_judge_worth_listening_to():
    settings = GateSettings(epochs=12)
    ensemble = gate.fit_gate(
        made_up(0, 400), made_up(1, 200), SUPPORT, rng=np.random.default_rng(0), settings=settings
    )
    test = made_up(2, 400)
    assert np.nanmean(ensemble.weights(test.features), axis=0).argmax() == 0
    uniform = spearman(pool_log(test.probs, SUPPORT).score, test.target)
    gated = [spearman(column, test.target) for column in ensemble.scores(test.features, test.probs).T]
    assert len(gated) == 3
    assert min(gated) > uniform


def test_the_same_generator_gives_the_same_gates():
    one, other = (fit(task(), seeds=2)[0] for _ in range(2))
    for first, second in zip(one.gates, other.gates, strict=True):
        for name, layer in first.parameters.items():
            np.testing.assert_array_equal(layer, second.parameters[name])
    assert not np.array_equal(one.gates[0].parameters["hidden"], one.gates[1].parameters["hidden"])


def test_the_kept_epoch_is_the_first_best_on_validation():
    (ensemble,) = fit(task(replace(QUICK, epochs=8)), seeds=1)
    fitted = ensemble.gates[0]
    assert fitted.best_epoch == int(np.nanargmax(fitted.validation_spearman)) + 1
    validation = made_up(1)
    again = spearman(fitted.predict(validation.features, validation.probs).score, validation.target)
    assert again == pytest.approx(fitted.validation_spearman[fitted.best_epoch - 1], abs=1e-6)


def test_test_labels_and_validation_order_do_not_enter_training():
    rows = made_up(1)
    shuffled = np.random.default_rng(3).permutation(len(rows.target))
    other = GateRows(rows.features[shuffled], rows.probs[shuffled], rows.target[shuffled])
    one, two = fit(GateTask(made_up(0), rows, SUPPORT, QUICK), GateTask(made_up(0), other, SUPPORT, QUICK))
    for first, second in zip(one.gates, two.gates, strict=True):
        np.testing.assert_allclose(first.parameters["hidden"], second.parameters["hidden"], atol=1e-12)


def test_rows_without_target_or_judge_are_left_out_and_counted():
    rows = made_up(0, missing=0)
    rows.target[:3] = np.nan
    rows.features[3], rows.probs[3] = np.nan, np.nan
    (ensemble,) = fit(GateTask(rows, made_up(1), SUPPORT, QUICK), seeds=1)
    assert (ensemble.gates[0].train_rows, ensemble.gates[0].train_dropped) == (146, 4)


def test_a_gate_of_one_judge_is_that_judge():
    (ensemble,) = fit(task(noise=(1.0,), missing=0.0), seeds=1)
    rows = made_up(2, noise=(1.0,), missing=0.0)
    assert (ensemble.gates[0].weights(rows.features) == 1).all()


def test_a_gate_that_never_orders_the_validation_rows_says_undefined():
    validation = made_up(1, items=6)
    validation.target[:] = 3.0
    (ensemble,) = fit(GateTask(made_up(0), validation, SUPPORT, QUICK), seeds=1)
    assert np.isnan(ensemble.validation_spearman)


def test_pairs_pull_preferred_rows_up():
    rows = made_up(0, noise=(2.0, 2.0, 0.3), missing=0.0)
    unlabelled = replace(rows, target=np.where(np.arange(150) < 10, rows.target, np.nan))
    groups = np.repeat(np.arange(15), 10)
    pairs = gate.score_pairs(rows.target, groups, rng=np.random.default_rng(0), limit=400)
    assert len(pairs) == 400
    assert (rows.target[pairs[:, 0]] > rows.target[pairs[:, 1]]).all()
    assert (groups[pairs[:, 0]] == groups[pairs[:, 1]]).all()
    settings = GateSettings(epochs=20, pair_weight=1.0)
    validation = made_up(1, noise=(2.0, 2.0, 0.3), missing=0.0)
    plain, joint = fit(
        GateTask(unlabelled, validation, SUPPORT, settings),
        GateTask(replace(unlabelled, pairs=pairs), validation, SUPPORT, settings),
        seeds=1,
    )
    test = made_up(2, noise=(2.0, 2.0, 0.3), missing=0.0)
    ordered = [
        stats.spearmanr(e.scores(test.features, test.probs)[:, 0], test.target)[0] for e in (plain, joint)
    ]
    assert ordered[1] > ordered[0] + 0.01


def test_no_pair_joins_equal_or_missing_targets():
    target = np.array([1.0, 1.0, np.nan, 2.0])
    pairs = gate.score_pairs(target, np.zeros(4, dtype=int), rng=np.random.default_rng(0))
    assert sorted(map(tuple, pairs.tolist())) == [(3, 0), (3, 1)]


def test_large_cells_take_the_stated_batch():
    settings = GateSettings()
    assert [settings.rows_per_step(rows) for rows in (100, 4096, 4097)] == [64, 64, 512]


def test_a_fitted_gate_survives_pickling():
    (ensemble,) = fit(task(), seeds=1)
    again = pickle.loads(pickle.dumps(ensemble)).gates[0]
    rows = made_up(2)
    np.testing.assert_array_equal(again.weights(rows.features), ensemble.gates[0].weights(rows.features))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("architecture", "transformer"),
        ("pool", "median"),
        ("precision", "float16"),
        ("pool_temperature", 0.0),
        ("learning_rate", float("nan")),
        ("epochs", 0),
        ("pair_weight", -0.5),
    ],
)
def test_settings_out_of_range_are_refused(field, value):
    with pytest.raises(InvalidInput, match=f"{field}: allowed is"):
        GateSettings(**{field: value})


def test_rows_that_cannot_train_a_gate_are_refused():
    rows = made_up(0, items=5)
    unlabelled = replace(rows, target=np.full(5, np.nan))
    with pytest.raises(
        InvalidInput, match="train: allowed is at least 2 rows with a target and a judge; given 0"
    ):
        fit(GateTask(unlabelled, rows, SUPPORT, QUICK))
    with pytest.raises(InvalidInput, match=r"validation\.features"):
        fit(GateTask(rows, made_up(1, feature_set="soft"), SUPPORT, QUICK))
    absent = replace(rows, features=np.full_like(rows.features, np.nan))
    with pytest.raises(InvalidInput, match=r"train\.features"):
        fit(GateTask(absent, rows, SUPPORT, QUICK))
