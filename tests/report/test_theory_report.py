"""The propositions as tables and figures: order, names, and where the marks stand."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from judgekit.errors import InvalidInput
from judgekit.report.plots import theory as plots
from judgekit.report.tables.theory import of_proposition

FOUND = pd.DataFrame(
    [
        ("b", "veto", "log_turned", 0.2),
        ("b", "veto", "better", 0.5),
        ("b", "temperature", "T_star", 3.0),
        ("b", "temperature", "T_squared", 2.0),
        ("a", "veto", "log_turned", 0.1),
        ("a", "veto", "better", np.nan),
        ("a", "temperature", "T_star", 5.0),
        ("a", "temperature", "T_squared", 1.0),
    ],
    columns=["benchmark_cell", "proposition", "quantity", "value"],
)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_a_proposition_keeps_the_order_of_cells_and_quantities():
    table = of_proposition(FOUND, "veto")
    assert table.index.tolist() == ["b", "a"]
    assert table.columns.tolist() == ["log_turned", "better"]
    assert table.loc["b"].tolist() == [0.2, 0.5]
    assert np.isnan(table.loc["a", "better"])


def test_an_unknown_proposition_is_refused_with_those_there_are():
    with pytest.raises(InvalidInput, match="proposition: allowed is veto, temperature; given floor"):
        of_proposition(FOUND, "floor")


def test_each_cell_has_its_temperatures_marked():
    curves = pd.DataFrame({"b": [4.0, 1.0, 2.0], "a": [3.0, 2.0, 5.0]}, index=[0.5, 2.0, 8.0])
    axes = plots.plot_cell_temperatures(curves, of_proposition(FOUND, "temperature"))
    assert [ax.get_title(loc="left") or ax.get_title() for ax in axes] == ["b", "a"]
    for ax, star, best, lowest in zip(axes, (3.0, 5.0), (2.0, 1.0), (1.0, 2.5), strict=True):
        curve, line, circle = ax.get_lines()
        assert curve.get_xdata().tolist() == [0.5, 2.0, 8.0]
        assert line.get_xdata()[0] == star
        assert circle.get_xdata()[0] == best
        assert circle.get_ydata()[0] == pytest.approx(lowest)


def test_panels_beyond_the_cells_are_hidden():
    curves = pd.DataFrame({name: [1.0, 2.0] for name in "abcde"}, index=[0.5, 2.0])
    marks = pd.DataFrame({"T_star": 1.0, "T_squared": 1.0}, index=list("abcde"))
    axes = plots.plot_cell_temperatures(curves, marks)
    assert len(axes) == 5
    assert sum(ax.get_visible() for ax in axes[0].figure.axes) == 5


def test_the_marked_point_of_the_error_floor_lies_on_the_formula():
    curves = pd.DataFrame({0.5: [1.0, 0.75, 2 / 3]}, index=[1, 2, 3])
    ax = plots.plot_error_floor(curves, marked=(2, 0.5))
    assert ax.get_lines()[-1].get_xydata().tolist() == [[2.0, 0.75]]
