import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba

from judgekit.report.captions import studies
from judgekit.report.plots.palette import BLUE, VERMILION
from judgekit.report.plots.protocol import plot_contrasts, plot_protocols
from judgekit.report.published import table_names
from judgekit.report.results import Results
from judgekit.report.site import study_page
from judgekit.report.tables.protocol import cells_overview, contrasts_summary, facts, picks_summary
from judgekit.sources.cells import cell_names, load_cell
from judgekit.sources.sweeps import load_sweeps

JUDGEMOE = next(study for study in studies() if study.name == "judgemoe")
PICKS = pd.DataFrame(
    {
        "dataset": ["s", "s", "t"],
        "protocol_range": [0.1, 0.3, 0.2],
        "difference": [0.2, -0.1, 0.0],
        "low": [0.1, -0.2, 0.0],
        "high": [0.3, -0.05, 0.0],
    }
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_picks_are_counted_by_the_side_of_their_interval():
    found = picks_summary(PICKS).set_index("dataset")
    assert found.loc["s", ["pairs", "better", "worse", "kept_reference"]].tolist() == [2, 1, 1, 0]
    assert found.loc["s", "gain"] == pytest.approx(0.05)
    assert found.loc["t", "kept_reference"] == 1


def test_contrasts_are_averaged_by_data_set():
    found = contrasts_summary(PICKS.assign(contrast="a - b")).set_index("dataset")
    assert found.loc["s", ["pairs", "positive", "above", "below"]].tolist() == [2, 1, 1, 1]


def test_facts_hold_printed_numbers_and_ours():
    cells = [load_cell("simulated", name) for name in cell_names("simulated")]
    found = facts(cells, load_sweeps("simulated")).set_index("quantity")
    assert found["printed"].tolist() == [24, 6, 3, 10, 6, 151]
    assert found["rebuilt"].tolist() == [48, 6, 3, 10, 6, 151]
    assert (found["difference"] == found["rebuilt"] - found["printed"]).all()


def test_cells_show_judges_and_losses():
    found = cells_overview([load_cell("simulated", "sim_roscoe_1_5")]).iloc[0]
    assert found[["judges_with_probabilities", "judges_hard_only", "rows", "groups"]].tolist() == [
        6,
        0,
        151,
        151,
    ]
    assert found["most_lost"] == "other_3"


def test_every_protocol_is_one_mark():
    options = pd.DataFrame(
        {
            "dataset": ["s"] * 3 + ["t"],
            "judge": ["j", "j", "k", "j"],
            "metric": ["spearman"] * 3 + ["accuracy"],
            "prompt": ["p", "q", "p", "p"],
            "reference": "",
            "score_range": "1-5",
            "read_out": ["hard", "soft", "hard", "hard"],
            "validation": [0.1, 0.4, 0.2, 0.9],
        }
    )
    ax = plot_protocols(options)
    places = [
        place for dots in ax.collections if isinstance(dots, PathCollection) for place in dots.get_offsets()
    ]
    marks = np.array(places)[:, 0]
    assert sorted(marks[~np.isnan(marks)].tolist()) == [0.1, 0.2, 0.4, 0.9]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["j", "k", "j"]
    assert "t, accuracy" in [text.get_text() for text in ax.texts]


def test_dots_are_coloured_by_the_side_of_their_interval():
    frame = PICKS.assign(contrast="a - b", benchmark_cell=["c", "d", "d"], judge="j")
    (ax,) = plot_contrasts(frame, ["a - b", "absent"])
    faces = {
        tuple(face)
        for dots in ax.collections
        if isinstance(dots, PathCollection)
        for face in dots.get_facecolor()
    }
    assert {to_rgba(BLUE), to_rgba(VERMILION)} <= faces
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "d"]


def test_captions_say_what_to_look_for_and_why_numbers_differ():
    for caption in (*JUDGEMOE.tables, *JUDGEMOE.figures):
        assert caption.look.strip()
        assert caption.look.count(". ") == 0
    assert all(table.why.endswith(".") for table in JUDGEMOE.tables if table.name.startswith("protocol_"))
    assert all(len(figure.alt) > 40 for figure in JUDGEMOE.figures)
    assert {table.study for table in JUDGEMOE.tables} == {"judgemoe"}


def test_a_study_without_transcribed_tables_still_has_its_page(tmp_path):
    assert "printed_values" not in table_names("judgemoe")
    folder = tmp_path / "recorded" / "tables" / "judgemoe"
    folder.mkdir(parents=True)
    pd.DataFrame({"dataset": ["summeval"], "pairs": [16]}).to_csv(
        folder / "protocol_summary.csv", index=False
    )
    page = study_page(JUDGEMOE, [Results("recorded", tmp_path / "recorded")])
    (section,) = [each for each in page.tables if each.name == "protocol_summary"]
    assert section.why
    assert section.parts[0].heading == "Rebuilt"
