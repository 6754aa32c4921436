from html import escape

from hypothesis import given
from hypothesis import strategies as st

from judgekit.report.typeset import breakable, linked, sheet, wordy
from judgekit.report.views import Line, TableView


def view(columns, rows, numeric=None):
    lines = tuple((Line(head, "plain", tuple(cells)),) for head, *cells in rows)
    return TableView(tuple(columns), tuple(numeric or [True] * len(columns)), "Setting", lines)


def test_names_break_behind_their_marks_and_nowhere_else():
    assert breakable("judgebench_reward") == "judgebench_<wbr>reward"
    assert breakable("internlm/internlm2-7b_x") == "internlm/<wbr>internlm2-7b_<wbr>x"
    for text in ("_private", "a _ b", "1 / 2", "risk, __all__", "choose"):
        assert "<wbr>" not in breakable(text)


@given(st.text(alphabet="ab_/ <&jm-0123", max_size=40))
def test_a_reader_sees_the_text_as_it_is(text):
    assert breakable(text).replace("<wbr>", "") == escape(text)
    assert linked(text, ()) == breakable(text)


def test_known_claims_alone_become_links():
    assert linked("see ra-005, xra-005", {"ra-005"}) == (
        'see <a href="claims.html#ra-005">ra-005</a>, xra-005'
    )


def test_a_column_of_long_text_gets_room():
    wide = view(["Judges", "Chosen", "n"], [("a", "x " * 20, "short", "0" * 40)], [False, False, True])
    assert wordy(wide) == (True, False, False)


def test_paper_is_turned_for_many_numbers_and_not_for_long_names():
    rows = [("a_b", *["0.1234"] * 30)]
    few, many, most = (view(["n"] * size, [row[: size + 1] for row in rows]) for size in (8, 16, 30))
    assert [sheet([each]) for each in (few, many, most)] == ["", "broad", "tight"]
    assert sheet([few, many]) == "broad"
    assert sheet([]) == ""
    assert sheet([view(["Why"], [("a", "one word after another " * 30)], [False])]) == "broad"
