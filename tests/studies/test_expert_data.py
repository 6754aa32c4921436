"""Learning curves of experts: nested parts of the training groups, the whole of them as in the main study."""

import pytest

from judgekit.errors import InvalidInput
from judgekit.sources.cells import load_cell
from judgekit.sources.expert_values import simulated_experts
from judgekit.studies.expert_data import study_expert_data
from judgekit.studies.experts import ExpertSettings, study_experts

SETTINGS = ExpertSettings(draws=20)


@pytest.fixture(scope="module")
def expert_cell():
    entry = {"seed": 3, "experts": {"good": {"skill": 0.7, "echo": 0.0}}}
    return simulated_experts(load_cell("simulated", "sim_topicalchat_1_5"), entry)


def test_all_training_groups_give_the_gain_of_the_main_study(expert_cell):
    curve = study_expert_data(
        [expert_cell],
        [("sim_topicalchat_1_5", "good")],
        fractions=[0.1, 1.0],
        repeats=2,
        seed=0,
        settings=SETTINGS,
    )
    whole = study_experts([expert_cell.among(["good"])], seed=0, settings=SETTINGS).iloc[0]
    full = curve[curve["fraction"] == 1.0]
    assert full["mixed"].nunique() == 1
    assert full["mixed"].iloc[0] == pytest.approx(whole["mixed"], abs=1e-6)
    rows = curve.groupby("fraction")["train_rows"].max()
    assert rows[0.1] < rows[1.0] / 5


def test_a_fraction_above_one_is_refused(expert_cell):
    with pytest.raises(InvalidInput, match="fractions"):
        study_expert_data(
            [expert_cell],
            [("sim_topicalchat_1_5", "good")],
            fractions=[1.5],
            repeats=1,
            seed=0,
            settings=SETTINGS,
        )
