import numpy as np
import pytest

from judgekit.metrics import spearman
from judgekit.sources.cells import load_cell
from judgekit.studies.aggregation import split_cell
from judgekit.studies.pool_temperature import study_pool_temperature

TEMPERATURES = (0.2, 1.0, 5.0)


@pytest.fixture(scope="module")
def parts():
    return split_cell(load_cell("simulated", "sim_topicalchat_1_5"), seed=0)


def test_measures_agree_with_the_pool_written_out(parts):
    found = study_pool_temperature(parts, TEMPERATURES)
    rows = parts.split.validation
    assert found.rows == len(rows)
    for temperature in TEMPERATURES:
        scores, losses = [], []
        for row in rows:
            logs = np.log(np.maximum(parts.probs[row], 1e-4))
            mass = np.exp(logs.mean(axis=0) / temperature)
            mass = mass / mass.sum()
            scores.append(mass @ parts.support)
            losses.append(-np.log(mass[np.abs(parts.support - parts.target[row]).argmin()]))
        assert found.measures.loc[temperature, "spearman"] == pytest.approx(
            spearman(np.array(scores), parts.target[rows]), abs=1e-3
        )
        assert found.measures.loc[temperature, "log_loss"] == pytest.approx(np.mean(losses), abs=1e-3)


def test_the_example_is_the_item_on_which_judges_differ_most_and_sharpens(parts):
    found = study_pool_temperature(parts, TEMPERATURES)
    items = parts.cell.judgments.items["item"].astype(str).tolist()
    spread = parts.soft.std(axis=1)
    assert spread[items.index(found.item)] == pytest.approx(np.nanmax(spread[parts.split.validation]))
    assert found.label == parts.target[items.index(found.item)]
    assert found.example.sum(axis=1).to_numpy() == pytest.approx(1.0)
    assert found.example.max(axis=1).is_monotonic_decreasing


def test_only_validation_rows_count(parts):
    probs = parts.probs.copy()
    probs[np.concatenate([parts.split.fit, parts.split.test])] = 0.2
    changed = study_pool_temperature(parts.with_probs(probs), TEMPERATURES)
    assert changed.measures.equals(study_pool_temperature(parts, TEMPERATURES).measures)


def test_an_item_that_no_judge_answered_is_left_out(parts):
    row = parts.split.validation[0]
    probs = parts.probs.copy()
    probs[row] = np.nan
    found = study_pool_temperature(parts.with_probs(probs), TEMPERATURES)
    assert found.rows == study_pool_temperature(parts, TEMPERATURES).rows - 1
    assert np.isfinite(found.measures.to_numpy()).all()
