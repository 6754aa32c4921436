"""The small frame that sets printed beside rebuilt values in a notebook."""

import pandas as pd
import pytest

from judgekit.report.beside import beside
from judgekit.report.counterparts import counterpart
from judgekit.report.published import published_table


@pytest.fixture
def rebuilt() -> pd.DataFrame:
    printed = published_table("table03_policy_comparison").set_index("dataset")
    near = (printed.loc[["JBB-7", "RewardBench-7"]] + 0.01).reset_index(drop=True)
    return near.assign(dataset=["jbb_proxy", "judgebench_reward"])


def test_same_rows_get_a_difference_and_analogues_none(rebuilt):
    frame = beside("table03_policy_comparison", rebuilt, profile="recorded", columns=["flat_all_risk"])
    risks = frame["All judges: risk"]
    printed, ours, difference = risks.xs("jbb_proxy", level="setting").item().split(" | ")
    assert (float(ours) - float(printed), difference) == (pytest.approx(0.01), "+0.0100")
    assert risks.xs("judgebench_reward", level="setting").str.count(r"\|").tolist() == [1]


def test_simulated_values_get_no_difference(rebuilt):
    simulated = rebuilt.assign(dataset=["sim_jbb7", "sim_rewardbench7"])
    frame = beside("table03_policy_comparison", simulated, profile="simulated")
    assert not frame.empty
    assert (frame.map(lambda text: text.count("|")) == 1).all().all()


def test_a_counterpart_is_the_profile_s_own():
    assert counterpart("JBB-7", "recorded") == "jbb_proxy"
    assert counterpart("JBB-7", "simulated") == "sim_jbb7"
