import pytest

from judgekit.batch.check import check_cells, check_folder, check_pair, main
from judgekit.batch.notebook import Cell, Notebook
from judgekit.batch.pair import sync

OPENING = "# A title\n\n**Rebuilds** Table 3. **Needs** nothing. **Takes** a minute."
PARAMETERS = Cell("code", 'profile = "simulated"\nseeds = 3', ("parameters",))
SOURCE = f"""# %% [markdown]
{chr(10).join(f"# {line}".rstrip() for line in OPENING.splitlines())}

# %% tags=["parameters"]
profile = "simulated"

# %%
1 + 1
"""


def rules(*cells, opening=OPENING, parameters=PARAMETERS):
    found = check_cells(Notebook("01_a", (Cell("markdown", opening), parameters, *cells)))
    return [str(breach) for breach in found]


def code(source):
    return rules(Cell("code", source))


def test_notebook_that_keeps_the_rules_has_no_breach():
    source = (
        "import numpy as np\nfrom os import path\nci_low, path = 1, np.testing\n%matplotlib inline\npath.x"
    )
    assert code(source) == []
    assert code("\n".join(["1"] * 15)) == []
    assert code("def f(x):\n    a = 1\n    b = 2\n    c = 3\n    return x") == []


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("\n".join(["1"] * 16), "at most 15 lines in a code cell; it has 16"),
        (
            "def f(x):\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    return x",
            "at most 5 lines in a function; f has 6",
        ),
        ("async def f(x):\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    return x", "f has 6"),
        ("class A:\n    pass", "no class; it defines A"),
        ("import sys\nsys.path.append('..')", "no sys.path"),
        ("from sys import path", "no sys.path"),
        ("!pip install x", "no shell or install command; it has !"),
        ("%pip install x", "it has %pip"),
        ("  %%bash\nls", "it has %%bash"),
        ("import warnings\nwarnings.filterwarnings('ignore')", "no warning filter; it has filterwarnings"),
        ("from warnings import simplefilter", "no warning filter; it has simplefilter"),
        ("with warnings.catch_warnings():\n    pass", "it has catch_warnings"),
        ("import os\nif os.environ.get('CI'):\n    n = 1", "no branch on the environment; it has environ"),
        ("from os import getenv", "it has getenv"),
        ("n = 1 if SMOKE else 10", "no test branch (smoke sizes stand in nbconfig/smoke.yaml); it has SMOKE"),
        ("if is_test:\n    n = 1", "it has is_test"),
        ("n = = 1", "plain Python; it has invalid syntax (line 1)"),
    ],
)
def test_breach_is_told_with_its_cell(source, says):
    (found,) = code(source)
    assert found.startswith("01_a, cell 3: ")
    assert says in found


@pytest.mark.parametrize(
    ("opening", "says"),
    [
        ("A title", "opens with a markdown cell that starts with a title"),
        ("## A title *rebuilds* *needs* *takes*", "opens with a markdown cell"),
        ("# A title\n*rebuilds* and *takes*", "lacking: needs"),
        ("# A title\nrebuilds needs takes", "lacking: rebuilds, needs, takes"),
    ],
)
def test_opening_says_what_is_rebuilt_needed_and_taken(opening, says):
    (found,) = rules(opening=opening)
    assert says in found


@pytest.mark.parametrize(
    ("source", "tags", "says"),
    [
        ("profile = 'simulated'", (), "exactly one code cell tagged 'parameters'"),
        ("seeds = 3", ("parameters",), "starts with profile"),
        ("seeds = 3\nprofile = 'simulated'", ("parameters",), "starts with profile"),
        ("profile = 'recorded'", ("parameters",), "starts with profile"),
        ("profile = f()", ("parameters",), "only lines of the form name = literal"),
    ],
)
def test_parameters_cell_is_held_to_its_form(source, tags, says):
    (found,) = rules(parameters=Cell("code", source, tags))
    assert says in found


def test_second_parameters_cell_is_a_breach():
    assert any("given 2 such cells" in found for found in rules(PARAMETERS))


def test_outputs_are_a_breach():
    (found,) = rules(Cell("code", "1", (), True))
    assert "cell 3: carries outputs" in found


def test_pair_is_held_in_step(tmp_path, capsys):
    path = tmp_path / "01_a.ipynb"
    path.with_suffix(".py").write_text(SOURCE)
    assert "01_a.ipynb is absent" in str(check_pair(path)[0])
    sync(path)
    assert check_folder(tmp_path) == []
    assert main([str(tmp_path)]) == 0
    text = path.read_text()
    path.write_text(text.replace('"1 + 1"', '"1 + 2"'))
    assert "differ" in str(check_pair(path)[0])
    path.write_text(text.replace('"language_info"', '"other": {},\n  "language_info"'))
    assert "cell ids or metadata" in str(check_pair(path)[0])
    path.write_text("{")
    assert "a Jupyter notebook in format 4" in str(check_pair(path)[0])
    capsys.readouterr()
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith("01_a: notebook 01_a.ipynb: allowed is")
    path.unlink()
    path.with_suffix(".py").unlink()
    assert check_folder(tmp_path) == []
