import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib._pylab_helpers import Gcf

from judgekit.errors import InvalidInput
from judgekit.report import outputs
from judgekit.report.outputs import Outputs


@pytest.fixture
def drawing():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_nothing_is_written_where_the_batch_asks_for_nothing(monkeypatch, tmp_path, drawing):
    monkeypatch.delenv(outputs.VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"risk": [0.5]})
    assert outputs.current().table(frame, "roles/a") is frame
    assert outputs.current().figure(drawing, "roles/b") is drawing
    assert list(tmp_path.iterdir()) == []


def test_batch_folder_receives_table_and_figure(monkeypatch, tmp_path, drawing):
    monkeypatch.setenv(outputs.VARIABLE, str(tmp_path))
    current = outputs.current()
    current.table(pd.DataFrame({"risk": [0.5]}), "roles/a")
    current.figure(drawing, "roles/b")
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert written == ["figures/roles/b.svg", "tables/roles/a.csv"]


def test_table_has_six_decimals_line_feeds_and_utf8(tmp_path):
    frame = pd.DataFrame(
        {
            "juge é": ["a,b", "c"],
            "n": [1, 2],
            "risk": [1 / 3, np.nan],
            "single": np.array([0.1, -1e-9], dtype=np.float32),
            "mixed": [0.5, "all"],
            "nullable": pd.array([0.25, None], dtype="Float64"),
        }
    )
    Outputs(tmp_path).table(frame, "t")
    assert (tmp_path / "tables" / "t.csv").read_bytes().decode() == (
        "juge é,n,risk,single,mixed,nullable\n"
        '"a,b",1,0.333333,0.100000,0.500000,0.250000\n'
        "c,2,,0.000000,all,\n"
    )


def test_named_index_becomes_columns_and_row_numbers_vanish():
    frame = pd.DataFrame({"risk": [0.5]}, index=pd.MultiIndex.from_tuples([("a", 1)], names=["pool", "seed"]))
    assert outputs.csv_text(frame) == "pool,seed,risk\na,1,0.500000\n"
    assert outputs.csv_text(pd.DataFrame({"risk": [0.5]}, index=[7])) == "risk\n0.500000\n"


@given(st.lists(st.floats(allow_infinity=False, width=64, min_value=-1e9, max_value=1e9), min_size=1))
def test_table_reads_back_within_half_a_millionth(values):
    lines = outputs.csv_text(pd.DataFrame({"n": range(len(values)), "x": values})).splitlines()[1:]
    read = [float(line.split(",")[1] or "nan") for line in lines]
    np.testing.assert_allclose(read, values, rtol=0, atol=6e-7)
    assert not any(line.endswith("-0.000000") for line in lines)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pd.DataFrame({"risk": []}), "at least one row"),
        (pd.DataFrame({"risk": [1.0]}, index=["a"]), "whole-number index"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "unique column names"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "one level"),
    ],
)
def test_table_that_is_not_tidy_is_refused(tmp_path, frame, says):
    with pytest.raises(InvalidInput, match=says):
        Outputs(tmp_path).table(frame, "t")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["", "../x", "/tmp/x", "a//b", "a/../b", "Table", "a.csv", "a b", "a/", "a\n", "a\\b", ".a"]
)
@pytest.mark.parametrize("folder", [True, False])
def test_name_that_could_leave_the_folder_is_refused(tmp_path, name, folder):
    with pytest.raises(InvalidInput, match="output name"):
        Outputs(tmp_path if folder else None).table(pd.DataFrame({"a": [1]}), name)


def test_name_used_twice_in_one_run_is_refused(tmp_path):
    frame = pd.DataFrame({"a": [1]})
    Outputs(tmp_path).table(frame, "t")
    with pytest.raises(InvalidInput, match="not used yet"):
        Outputs(tmp_path).table(frame * 2, "t")
    assert (tmp_path / "tables" / "t.csv").read_text() == "a\n1\n"


def test_figure_is_byte_stable_dateless_and_draws_text_as_paths():
    def draw():
        figure, ax = plt.subplots()
        ax.scatter([1, 2], [3, 4], label="risk by judge")
        ax.set_title("A title")
        ax.legend()
        try:
            return outputs.svg_bytes(figure)
        finally:
            plt.close(figure)

    once = draw()
    assert once == draw()
    text = once.decode()
    assert "dc:date" not in text
    assert mpl.__version__ not in text
    assert "<text" not in text
    assert "\r" not in text


def test_a_saved_figure_is_not_drawn_again_until_it_changes(monkeypatch):
    figure, ax = plt.subplots()
    drawn = []
    monkeypatch.setattr(figure.canvas, "draw_idle", lambda: drawn.append(figure))
    outputs.svg_bytes(figure)
    # what pyplot does where a notebook's cell ends
    Gcf.draw_all()
    assert drawn == []
    ax.set_title("Another")
    Gcf.draw_all()
    plt.close(figure)
    assert drawn == [figure]


def test_axes_grid_and_array_of_axes_lead_to_their_figure(tmp_path):
    figure, axes = plt.subplots(1, 2)
    for number, drawing in enumerate((figure, axes, axes[1], figure.subfigures()), start=1):
        assert Outputs(tmp_path).figure(drawing, f"f{number}") is drawing
    plt.close(figure)
    assert len(list((tmp_path / "figures").iterdir())) == 4
    with pytest.raises(InvalidInput, match="Figure or Axes"):
        Outputs(None).figure("plot.png", "f")


def test_only_dense_marks_are_rasterized(drawing):
    many, few = np.arange(11), np.arange(10)
    dense, sparse = drawing.scatter(many, many), drawing.scatter(few, few)
    (marked,) = drawing.plot(many, many, "o")
    (curve,) = drawing.plot(many, many)
    assert outputs.rasterize_marks(drawing, limit=10) is drawing
    flags = [bool(artist.get_rasterized()) for artist in (dense, sparse, marked, curve)]
    assert flags == [True, False, True, False]
    assert b"<image" in outputs.svg_bytes(drawing.figure)
