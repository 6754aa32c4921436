import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from judgekit.report.plots import dials
from judgekit.report.plots.palette import POLICY_NAMES, POLICY_STYLE


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def title_of(ax):
    return ax.get_title(loc="left") or ax.get_title()


def marks_of(ax, policy):
    """Places and faces of a policy's marks, in the order drawn."""
    marks = [line for line in ax.lines if line.get_marker() == POLICY_STYLE[policy][1]]
    return [(*line.get_xydata()[0], line.get_markerfacecolor()) for line in marks]


def test_the_threshold_shows_the_plan_and_marks_its_place():
    calls = pd.DataFrame(
        {
            "gain_threshold": np.repeat([0.0, 0.01], 4), "slice": ["all", "all", "code", "code"] * 2,
            "judge": ["b", "a"] * 4, "share": [1, 0.5, 0, 0.2, 1, 0, 0, 0.1],
        }
    )  # fmt: skip
    path = pd.DataFrame({"gain_threshold": [0.0, 0.01], "risk": [0.2, 0.1], "calls": [3.0, 1.5]})
    others = pd.DataFrame({"policy": ["single_best", "full_stack"], "risk": [0.3, 0.05], "calls": [1, 4]})
    plan, plane = dials.plot_threshold(calls, path, others, gain_threshold=0.009)
    assert [text.get_text() for text in plan.get_yticklabels()] == ["b", "a"]
    assert [text.get_text() for text in plan.get_xticklabels()] == ["all", "code"]
    assert [text.get_text() for text in plan.texts] == ["100", "·", "·", "10"]
    assert marks_of(plane, "role_routed") == [(1.5, 0.1, POLICY_STYLE["role_routed"][0])]
    assert marks_of(plane, "full_stack")[0][:2] == (4, 0.05)
    assert plan.figure.get_suptitle() == "gain threshold 0.01"
    names = [text.get_text() for text in plan.figure.legends[0].get_texts()]
    assert names == [POLICY_NAMES[name] for name in ("role_routed", "single_best", "full_stack")]


def copy_curve():
    return pd.DataFrame(
        {
            "setting": "one", "policy": np.repeat(["flat_all", "role_routed"], 3), "copies": [0, 1, 2] * 2,
            "risk": [0.2, 0.2, 0.2, 0.1, 0.1, 0.1], "cost": [3, 4, 5, 1, 1, 1],
        }
    )  # fmt: skip


def test_copies_move_a_policy_from_its_open_to_its_filled_mark():
    (ax,) = dials.plot_copies(copy_curve(), copies=1)
    colour = POLICY_STYLE["flat_all"][0]
    assert marks_of(ax, "flat_all") == [(3, 0.2, "white"), (4, 0.2, colour)]
    assert [mark[:2] for mark in marks_of(ax, "role_routed")] == [(1, 0.1)] * 2
    assert title_of(ax) == "one"
    assert ax.figure.get_suptitle() == "1 copy of the best judge"


def test_the_copies_frame_stands_still_under_the_slider():
    limits = [dials.plot_copies(copy_curve(), copies=count)[0].axis() for count in (0, 2)]
    assert limits[0] == limits[1]
    assert limits[0][1] > 5


def test_audit_plans_show_each_split_against_its_own_full_plan():
    audits = pd.DataFrame(
        [
            (split, percent, halves, rows, risk + 0.1 * split, overlap)
            for split in (0, 1)
            for percent, halves, rows, risk, overlap in (
                (50, "kept", 20, 0.15, 0.25), (100, "kept", 40, 0.1, 1.0), (100, "anew", 40, 0.12, 0.5),
            )
        ],
        columns=["split", "audit_percent", "halves", "audit_rows", "risk", "plan_jaccard"],
    ).assign(setting="one")  # fmt: skip
    (ax,) = dials.plot_audit_plans(audits, percent=40)
    anew, part = (collection.get_offsets() for collection in ax.collections)
    np.testing.assert_allclose(anew, [[0.5, 0.02]] * 2)
    np.testing.assert_allclose(part, [[0.25, 0.05]] * 2)
    mean = next(line for line in ax.lines if line.get_marker() == "+")
    np.testing.assert_allclose(mean.get_xydata(), [[0.25, 0.05]])
    assert title_of(ax) == "one: 20 labels"
    assert ax.figure.get_suptitle() == "50% of the audit set"


def test_the_pool_temperature_shows_one_item_and_marks_both_curves():
    temperatures = pd.Index([0.5, 1.0, 2.0], name="pool_temperature")
    path = pd.DataFrame({"spearman": [0.4, 0.41, 0.42], "log_loss": [3.0, 2.0, 1.5]}, temperatures)
    example = pd.DataFrame([[0, 1], [0.2, 0.8], [0.4, 0.6]], temperatures, columns=[1.0, 2.0])
    item, order, mass = dials.plot_pool_temperature(path, example, label=1.5, pool_temperature=0.9)
    assert [bar.get_height() for bar in item.patches] == [0.2, 0.8]
    triangle = next(line for line in item.lines if line.get_marker() == "^")
    assert triangle.get_xdata()[0] == pytest.approx(1.8)
    for ax, height in ((order, 0.41), (mass, 2.0)):
        mark = next(line for line in ax.lines if line.get_marker() == "o")
        assert mark.get_xydata().tolist() == [[1.0, height]]
