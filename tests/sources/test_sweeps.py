import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.sources.recording import Recording
from judgekit.sources.sweeps import build_sweeps, load_repairs, load_sweeps
from judgekit.studies.protocol import study_repairs

ENTRY = {
    "dataset": "made_up",
    "metric": "spearman",
    "cells": {"cell": {}},
    "judges": ["j"],
    "prompts": ["p", "q"],
}


@pytest.fixture
def recording():
    """Three items: p has probabilities over 1 and 2, q a score on 0-100, r_ref and r_noref a hard 1 or 2."""
    items = ["a", "b", "c"]
    p = pd.DataFrame({"item": items, "protocol": "p", "hard": [1.0, 2, np.nan], "raw_score": [1.0, 1, 2]})
    p = p.assign(parse_ok=[True, True, False], p_0=[0.6, 0.1, 0.5], p_1=[0.4, 0.9, 0.5])
    rest = [
        pd.DataFrame({"item": items, "protocol": "q", "hard": [5.0, 95, 50], "raw_score": [5.0, 95, 50]}),
        pd.DataFrame({"item": items, "protocol": "r_ref", "hard": [1.0, 2, 1], "raw_score": [1.0, 2, 1.5]}),
        pd.DataFrame(
            {"item": items, "protocol": "r_noref", "hard": [1.0, np.nan, 1], "raw_score": [1.0, np.nan, 1]}
        ),
    ]
    judgments = pd.concat([p, *(frame.assign(parse_ok=True) for frame in rest)], ignore_index=True)
    judgments = judgments.assign(aspect="", judge="j", mass=np.nan)
    judges = pd.DataFrame(
        {
            "judge": "j",
            "protocol": ["p", "q", "r_ref", "r_noref"],
            "family": "f",
            "kind": "llm",
            "read_out": ["distribution", "hard", "hard", "hard"],
            "support": ["1 2", "0-100", "1 2", "1 2"],
            "active_parameters": 7.0,
        }
    )
    frame = pd.DataFrame({"item": items, "group": ["g", "g", "h"]})
    labels = pd.DataFrame({"aspect": "", "item": items, "label": [1.0, 2.0, np.nan]})
    return Recording("made_up", judgments, frame, labels, judges).validate()


def test_every_read_out_of_every_prompt_is_an_option(recording):
    (sweep,) = build_sweeps(recording, ENTRY)
    assert sweep.options.to_numpy().tolist() == [
        ["p", "", "1-2", "written"],
        ["p", "", "1-2", "hard"],
        ["p", "", "1-2", "soft"],
        ["q", "", "0-100", "written"],
        ["q", "", "1-10", "written"],
    ]
    # The item without a label is gone.
    assert sweep.scores.tolist() == pytest.approx(
        np.array([[1, 1, 1.4, 5, 1], [1, 2, 1.9, 95, 10]]), abs=1e-7
    )
    assert sweep.groups.tolist() == [0, 0]


def test_suffixes_say_whether_a_reference_was_shown(recording):
    entry = ENTRY | {"prompts": ["r_ref", "r_noref"], "reference": {"_ref": "yes", "_noref": "no"}}
    (sweep,) = build_sweeps(recording, entry)
    assert sweep.options[["prompt", "reference"]].to_numpy().tolist() == [["r", "yes"], ["r", "no"]]


def test_verdicts_that_did_not_parse_keep_their_row_under_accuracy(recording):
    entry = ENTRY | {"prompts": ["r_noref"]}
    assert len(build_sweeps(recording, entry)[0].target) == 1
    assert len(build_sweeps(recording, entry | {"metric": "accuracy"})[0].target) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "sweeps"),
        ({"judges": ["z"]}, "judges"),
        ({"prompts": ["z"]}, "judges"),
        ({"cells": {"cell": {"aspect": "style"}}}, "aspect"),
        ({"cells": {"cell": {"rows": {"group": "z"}}}}, "rows"),
        ({"metric": "luck"}, "metric"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused(recording, change, message):
    with pytest.raises(InvalidInput, match=message):
        build_sweeps(recording, ENTRY | change)


def test_simulated_sweeps_hold_both_ranges_of_the_same_items():
    sweeps = load_sweeps("simulated")
    assert len(sweeps) == 48
    for sweep in sweeps:
        assert sweep.options["score_range"].tolist() == ["1-5", "1-5", "1-10", "1-10"]
        assert sweep.target.max() > 5
    # The same judge saw the same thing: its two soft scores nearly rank alike.
    both = sweeps[0].scores[:, [1, 3]]
    assert pd.DataFrame(both).corr(method="spearman").iloc[0, 1] > 0.99


def test_a_shift_of_one_row_hides_every_skilled_judge():
    repaired = study_repairs(load_repairs("simulated")).set_index("judge")
    skilled = repaired.loc[["gemma_2_9b", "gemma_3_12b", "qwen2.5_7b"]]
    assert (skilled["repaired_label"] > skilled["published_label"] + 0.15).all()


@pytest.mark.needs("mirror")
def test_recorded_sweeps_cover_what_was_recorded():
    sweeps = load_sweeps("recorded")
    assert len(sweeps) == 61
    prompts = {(s.benchmark_cell, s.judge): s.options["prompt"].nunique() for s in sweeps}
    assert prompts[("summeval_coherence", "gpt-3.5-turbo-0301")] == 5
    assert prompts[("summeval_coherence", "gpt-4o-mini-2024-07-18")] == 6
    assert prompts[("summeval_fluency", "gpt-4o-mini-2024-07-18")] == 1
    assert sum(count for (cell, _), count in prompts.items() if cell == "llmbar") == 65
    assert all(len(s.options) == 12 for s in sweeps if s.dataset == "wmt22_zhen")


@pytest.mark.needs("mirror")
def test_repairs_reproduce_the_notes():
    """Reproduced: tail_joined of the ROSCOE note, coherence under both labels of the DialSummEval note."""
    found = study_repairs(load_repairs("recorded")).set_index(["benchmark_cell", "judge"])
    gsm8k = found.loc["roscoe_gsm8k"]["repaired_label"]
    assert gsm8k["Qwen2.5-72B-Instruct / geval"] == pytest.approx(0.866, abs=6e-4)
    assert gsm8k["gpt-4o-mini-2024-07-18 / socreval"] == pytest.approx(0.868, abs=6e-4)
    assert (found.loc["roscoe_gsm8k"]["published_label"].abs() < 0.11).all()
    coherence = found.loc[("dialsumm_coherence", "DeepSeek-R1-Distill-Qwen-32B / geval")]
    assert coherence["published_label"] == pytest.approx(0.3733, abs=6e-5)
    assert coherence["repaired_label"] == pytest.approx(0.4633, abs=6e-5)
    assert coherence["changed"] == 654
