"""A finished run as a recorded data set."""

import numpy as np
import pytest

from judgekit.errors import MissingData
from judgekit.judges.runner import RunSettings, run_pool
from judgekit.sources.local_run import recording
from tests.judges.pools import PAIR, SAMPLES, SCORE, WORDS, fake, items, opener, pool


def ran(folder, *judges, protocols):
    run_pool(
        pool(*judges, protocols=protocols), items(6), folder, opener=opener, settings=RunSettings(quiet=True)
    )
    return recording(folder)


def test_probabilities_are_shares_and_the_mass_stands_beside_them(tmp_path):
    found = ran(tmp_path, fake("a", mass=0.3), protocols=(SCORE,))
    probs = found.judgments[[f"p_{n}" for n in range(5)]].to_numpy()
    np.testing.assert_allclose(probs.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(found.judgments["mass"], 0.3, rtol=1e-6)
    assert found.judges[["read_out", "support"]].to_numpy().tolist() == [["distribution", "1 2 3 4 5"]]
    assert (found.judgments["hard"] == probs.argmax(axis=1) + 1).all()
    assert set(found.items.columns) == {"item", "group", "topic"}


def test_position_flips_are_visible_because_each_order_is_an_item(tmp_path):
    found = ran(tmp_path, fake("a"), protocols=(PAIR,))
    assert sorted(found.items["item"]) == sorted(f"i{n}|{order}" for n in range(6) for order in ("ab", "ba"))
    assert found.items.groupby("group").size().tolist() == [4, 4, 4]
    labels = found.labels.set_index("item")["label"]
    assert (labels["i1|ab"], labels["i1|ba"], labels["i0|ab"], labels["i0|ba"]) == (1.0, 0.0, 0.0, 1.0)
    hard = found.judgments.set_index("item")["hard"]
    flips = [hard[f"i{n}|ab"] == hard[f"i{n}|ba"] for n in range(6)]
    assert any(flips)
    assert set(hard) == {0.0, 1.0}


def test_unparsed_answers_are_missing_and_never_a_score(tmp_path):
    judges = (fake("a", answer="no idea"), fake("b", answer="3"), fake("c", times_out_on="answer 1"))
    found = ran(tmp_path, *judges, protocols=(WORDS,)).judgments
    mute = found[found["judge"] == "a"]
    assert mute["hard"].isna().all()
    assert not mute["parse_ok"].any()
    assert (found.loc[found["judge"] == "b", "hard"] == 3).all()
    assert found.loc[found["judge"] == "c", "outcome"].value_counts()["timeout"] == 1


def test_samples_become_shares_of_those_that_parsed(tmp_path):
    found = ran(tmp_path, fake("a"), protocols=(SAMPLES,)).judgments
    assert len(found) == 6
    probs = found[[f"p_{n}" for n in range(5)]].to_numpy()
    np.testing.assert_allclose(probs * 3, np.round(probs * 3), atol=1e-6)
    assert (found["mass"] == 1.0).all()


def test_scales_of_different_length_stand_side_by_side(tmp_path):
    long = SCORE | {"high": 10, "name": "ten"}
    found = ran(tmp_path, fake("a"), protocols=(SCORE, long))
    short = found.judgments[found.judgments["protocol"] == "score"]
    assert short["p_9"].isna().all()
    assert short["p_4"].notna().all()
    assert found.judges["support"].tolist() == ["1 2 3 4 5", "1 2 3 4 5 6 7 8 9 10"]


def test_a_folder_without_a_run_says_what_to_type(tmp_path):
    with pytest.raises(MissingData, match="judgekit judge"):
        recording(tmp_path)
