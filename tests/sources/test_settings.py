import shutil

import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.sources import declarations
from judgekit.sources.recording import Recording
from judgekit.sources.settings import load_role_pool, role_settings, select_judgments

# rows before and after complete-case filtering, judges, buckets, groups left; from the parsed frames by hand:
# llmbar_gpt4 loses the 2 unparsed LLaMA2 rows, llmbar_palm2 also 8 of PaLM2's, triviaqa 135 of Llama-70B's
RECORDED = {
    "llmbar_gpt4": (838, 836, 5, 2, 419),
    "llmbar_palm2": (838, 828, 5, 2, 415),
    "llmbar_all": (838, 828, 6, 2, 415),
    "llmbar_prompts": (838, 812, 10, 2, 415),
    "jbb_proxy": (300, 300, 7, 2, 300),
    "jbb_disagreement": (300, 300, 7, 2, 300),
    "jbb_repeats": (300, 300, 9, 2, 300),
    "triviaqa": (3600, 3465, 10, 2, 400),
    "triviaqa_contains": (3600, 3465, 10, 2, 400),
    "codereval": (3133, 2940, 7, 2, 375),
    "judgebench_reward": (700, 700, 6, 3, 350),
    "judgebench_llm": (540, 240, 6, 3, 139),
    "roscoe_gsm8k": (200, 187, 7, 5, 187),
    "summeval_scalar": (1600, 1600, 7, 5, 100),
    "mr_math_steps": (2995, 2995, 8, 3, 300),
}


@pytest.mark.needs("mirror")
@pytest.mark.parametrize("name", role_settings("recorded"))
def test_every_recorded_setting_loads(name):
    pool = load_role_pool("recorded", name)
    assert (
        pool.rows_given,
        len(pool.target),
        len(pool.judges),
        pool.levels,
        len(np.unique(pool.groups)),
    ) == RECORDED[name]
    assert set(pool.signal.judges) <= set(pool.judges)
    assert 0 < pool.target.mean() < 1
    assert pool.codes.min() == 0
    assert pool.codes.max() < pool.levels
    declared = role_settings("recorded")[name]["slice"]
    assert bool(pool.slice_names) == (declared != {"signal": "metadata"})


@pytest.mark.needs("mirror")
def test_verifiers_and_interfaces_have_their_price():
    unit, price = (load_role_pool("recorded", "triviaqa", cost_column=c) for c in ("unit_cost", "price"))
    costs = dict(zip(unit.judges, zip(unit.costs, price.costs, strict=True), strict=True))
    assert costs["EM"] == costs["Contains"] == (0.1, 0.05)
    assert costs["GPT-4"] == (1.0, 5.0)
    assert costs["Llama-70B"] == (1.0, 1.0)


@pytest.mark.needs("mirror")
def test_lost_outputs_are_counted_by_judge():
    pool = load_role_pool("recorded", "llmbar_all")
    assert {name: lost for name, lost in pool.missing.items() if lost} == {"PaLM2": 8, "LLaMA2": 2}


@pytest.mark.needs("mirror")
def test_a_setting_is_added_by_copying_five_lines(tmp_path, monkeypatch):
    shutil.copytree(declarations.SETTINGS, tmp_path / "settings")
    path = tmp_path / "settings" / "recorded.yaml"
    lines = path.read_text().splitlines()
    start = lines.index("  llmbar_gpt4:")
    end = next(place for place in range(start + 1, len(lines)) if not lines[place].strip())
    copied = [
        line.replace("llmbar_gpt4", "mine").replace("[GPT-4 / Vanilla, ", "[") for line in lines[start:end]
    ]
    assert len(copied) <= 5
    path.write_text("\n".join([*lines, "", *copied, ""]))
    monkeypatch.setattr(declarations, "SETTINGS", tmp_path / "settings")
    assert len(load_role_pool("recorded", "mine").judges) == 4


@pytest.mark.parametrize("name", role_settings("simulated"))
def test_every_simulated_setting_loads_under_a_name_of_its_own(name):
    pool = load_role_pool("simulated", name)
    assert name.startswith("sim_")
    assert len(pool.judges) >= 5
    assert pool.slice_names or role_settings("simulated")[name]["slice"] == {"signal": "metadata"}
    again = load_role_pool("simulated", name)
    np.testing.assert_array_equal(pool.codes, again.codes)


def write(tmp_path, monkeypatch, text, profile="simulated"):
    (tmp_path / f"{profile}.yaml").write_text(text)
    monkeypatch.setattr(declarations, "SETTINGS", tmp_path)


SMALL = (
    "settings:\n  mine:\n    seed: 1\n    groups: 20\n    judges: {a: {accuracy: 0.8}, b: {accuracy: 0.7}}\n"
)


def test_a_small_setting_of_ones_own_loads(tmp_path, monkeypatch):
    write(tmp_path, monkeypatch, SMALL + "    slice: {signal: metadata}\n")
    assert load_role_pool("simulated", "mine").judges == ("a", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            SMALL + "    slice: {signal: metadata}\n    grups: 3\n",
            r"^settings.mine: allowed is .*; given \['grups'\]",
        ),
        (SMALL, r"^settings.mine: allowed is a value for judges, slice, seed; given none for \['slice'\]"),
        (
            SMALL + "    slice: metadata\n",
            r"^settings.mine.slice: allowed is a signal and, if it reads one, a column",
        ),
        (SMALL + "    slice: {signal: metadata, colum: x}\n", r"^settings.mine.slice: allowed is a signal"),
        (SMALL + "    slice: {signal: oracle}\n", r"^signal: allowed is metadata, verifier:NAME"),
        (
            SMALL + "    slice: {signal: 'judge:z'}\n",
            r"^judges: allowed is names among \['a', 'b'\]; given \['z'\]",
        ),
        (SMALL + "    slice: {signal: metadata, column: x}\n", r"^slice: allowed is a column among"),
        (
            SMALL.replace("accuracy: 0.8", "acuracy: 0.8") + "    slice: {signal: metadata}\n",
            r"^settings.mine.judges: allowed is the knobs of SimulatedJudge; .*acuracy",
        ),
        (
            SMALL.replace("groups: 20", "groups: 0") + "    slice: {signal: metadata}\n",
            r"^groups, rows_per_group: allowed is at least 1",
        ),
        (
            SMALL + "    slice: {signal: metadata}\n    seed: 1\n    tuned: []\n    slices: {a: 0.5}\n",
            r"^slices: allowed",
        ),
        (
            "settings: [mine]\n",
            r"^settings/simulated.yaml: allowed is a mapping with `settings`, a mapping; given",
        ),
        ("mine", r"^settings/simulated.yaml: allowed is a mapping with `settings`, a mapping; given"),
        ("settings: {mine", r"^settings/simulated.yaml: allowed is a YAML file"),
        ("", r"^settings/simulated.yaml: allowed is a mapping with `settings`, a mapping; given"),
    ],
)
def test_declarations_with_a_mistake_are_refused_by_name(tmp_path, monkeypatch, text, message):
    write(tmp_path, monkeypatch, text)
    with pytest.raises(InvalidInput, match=message) as caught:
        load_role_pool("simulated", "mine")
    assert "\n" not in str(caught.value)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(InvalidInput, match=r"^profile: allowed is simulated, recorded, local; given real"):
        role_settings("real")
    with pytest.raises(InvalidInput, match=r"^setting: allowed is one of sim_llmbar7.*; given llmbar7"):
        load_role_pool("simulated", "llmbar7")


def recording(hard=(5.0, 1.0, 3.0, 1.0), parse_ok=(True, True, True, True)) -> Recording:
    """Two items; judge S scores 1 to 5, judge V answers 0 or 1; a third judge gives scalars."""
    judges = pd.DataFrame({"judge": ["S", "V", "R"], "protocol": ["p", "p", "p"], "family": ["s", "v", "r"]})
    judges = judges.assign(
        kind=["llm", "verifier", "metric"],
        read_out="hard",
        support=["1 2 3 4 5", "0 1", ""],
        active_parameters=7.0,
    )
    rows = pd.DataFrame({"item": ["x", "x", "y", "y"], "judge": ["S", "V", "S", "V"], "hard": hard})
    return Recording(
        "made_up",
        rows.assign(aspect="", protocol="p", parse_ok=parse_ok, raw_score=np.nan, mass=np.nan),
        pd.DataFrame({"item": ["x", "y", "z"], "group": ["x", "y", "z"], "part": ["one", "one", "two"]}),
        pd.DataFrame({"aspect": "", "item": ["x", "y", "z"], "label": [5.0, 2.0, 4.0]}),
        judges,
    )


DEFAULTS = {
    "unit_cost": {"judge": 1.0, "verifier": 0.1},
    "price": {"api": 5.0, "local": 1.0, "verifier": 0.05},
    "api": ["S"],
}
BOTH = {"judges": ["S / p", "V / p"]}


def test_verdicts_of_two_answers_take_the_ends_of_the_longest_support():
    judgments = select_judgments(recording(), BOTH, DEFAULTS)
    assert judgments.support.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert judgments.codes.tolist() == [[4, 4], [2, 4], [-1, -1]]
    assert judgments.judges["unit_cost"].tolist() == [1.0, 0.1]
    assert judgments.judges["price"].tolist() == [5.0, 0.05]
    assert judgments.target.tolist() == [5.0, 2.0, 4.0]


def test_unparsed_and_off_support_scores_are_missing():
    judgments = select_judgments(recording((5.0, 1.0, 2.5, 1.0), (True, False, True, True)), BOTH, DEFAULTS)
    assert judgments.codes.tolist() == [[4, -1], [-1, 4], [-1, -1]]


def test_rows_can_be_narrowed():
    judgments = select_judgments(recording(), BOTH | {"rows": {"part": "one"}}, DEFAULTS)
    assert judgments.items["item"].tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            BOTH | {"rows": {"part": "three"}},
            r"^rows.part: allowed is a column and value of made_up; given three",
        ),
        (BOTH | {"rows": {"colour": "red"}}, r"^rows.colour: allowed is a column and value of made_up"),
        (BOTH | {"aspect": "fluency"}, r"^aspect: allowed is one of \[''\]; given 'fluency'"),
        ({"judges": ["S / q"]}, r"^judges: allowed is judges of made_up, such as 'S / p'; given \['S / q'\]"),
        ({"judges": ["S / p", "S / p"]}, r"^judges: allowed is unique names; given 'S / p' twice"),
        ({"judges": ["R / p"]}, r"^judges: allowed is scores on the support"),
    ],
)
def test_what_the_data_set_lacks_is_refused_by_name(entry, message):
    with pytest.raises(InvalidInput, match=message):
        select_judgments(recording(), entry, DEFAULTS)
