"""The rules that every notebook keeps, checked without running it: paired, output-free, short, no tricks.

``python -m judgekit.batch.check [FOLDER]`` prints one line per breach and exits 1 where there is any.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judgekit.batch.notebook import Cell, Notebook, declared_parameters, read_notebook
from judgekit.batch.pair import COMMAND, in_step, ipynb_text
from judgekit.errors import InvalidInput

CELL_LINES = 15
FUNCTION_LINES = 5
OPENING = ("rebuilds", "needs", "takes")

_INSTALLS = re.compile(r"^\s*(!|%%?(pip|conda|mamba|uv|sx|bash|sh|script|system|cd|env)\b)", re.MULTILINE)
_MAGIC = re.compile(r"^\s*%")
_TEST_WORDS = re.compile(r"(^|_)(smoke|pytest|test_?mode|is_test|headless|papermill)(_|$)", re.IGNORECASE)
_FILTERS = {"filterwarnings", "simplefilter", "catch_warnings"}
_ENVIRONMENT = {"environ", "getenv"}


@dataclass(frozen=True)
class Breach:
    """One rule that one notebook breaks.

    Attributes
    ----------
    notebook : str
        Its name.
    cell : int
        Number of the cell, from 1; 0 = the notebook as a whole.
    rule : str
        What is expected and what stands there.
    """

    notebook: str
    cell: int
    rule: str

    def __str__(self) -> str:
        where = f", cell {self.cell}" if self.cell else ""
        return f"{self.notebook}{where}: {self.rule}"


def check_folder(folder: Path) -> list[Breach]:
    """Breaches of every notebook in a folder, in order of name; a file without its other half is one too."""
    names = sorted({path.stem for suffix in ("py", "ipynb") for path in folder.glob(f"*.{suffix}")})
    return [breach for name in names for breach in check_pair(folder / f"{name}.ipynb")]


def check_pair(path: Path) -> list[Breach]:
    """Breaches of one notebook, given its .ipynb: those of the pair, then those of its cells."""
    for half in (path.with_suffix(".py"), path):
        if not half.is_file():
            return [Breach(path.stem, 0, f"{half.name} is absent; write it with: {COMMAND}")]
    try:
        notebook = read_notebook(path)
    except InvalidInput as error:
        return [Breach(path.stem, 0, str(error))]
    return [*_pairing(path, notebook), *check_cells(notebook)]


def check_cells(notebook: Notebook) -> list[Breach]:
    """Breaches of the rules that concern a notebook's cells."""
    breaches = [Breach(notebook.name, 0, rule) for rule in [*_parameters(notebook), *_opening(notebook)]]
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.has_outputs:
            breaches.append(Breach(notebook.name, number, f"carries outputs; clear them with: {COMMAND}"))
        if cell.kind == "code":
            breaches += [Breach(notebook.name, number, rule) for rule in _code(cell)]
    return breaches


def main(arguments: list[str]) -> int:
    """Check the folder named, by default the checkout's notebooks; prints the breaches."""
    from judgekit.batch.layout import Layout

    folder = Path(arguments[0]) if arguments else Layout.of_checkout().notebooks
    breaches = check_folder(folder)
    sys.stdout.writelines(f"{breach}\n" for breach in breaches)
    return int(bool(breaches))


def _pairing(path: Path, notebook: Notebook) -> Iterator[Breach]:
    if not in_step(path):
        rule = f"its .py and .ipynb differ; bring them in step with: {COMMAND}"
    elif any(cell.has_outputs for cell in notebook.cells):
        return
    elif path.read_text(encoding="utf-8") != ipynb_text(path.with_suffix(".py")):
        rule = f"cell ids or metadata of the .ipynb are not as written by: {COMMAND}"
    else:
        return
    yield Breach(path.stem, 0, rule)


def _parameters(notebook: Notebook) -> Iterator[str]:
    try:
        declared = declared_parameters(notebook)
    except InvalidInput as error:
        yield str(error)
        return
    if next(iter(declared), None) != "profile" or declared["profile"] != "simulated":
        yield 'the parameters cell starts with profile = "simulated"'


def _opening(notebook: Notebook) -> Iterator[str]:
    first = notebook.cells[0] if notebook.cells else Cell("code", "")
    if first.kind != "markdown" or not first.source.startswith("# "):
        yield "opens with a markdown cell that starts with a title (# ...)"
        return
    before_code = " ".join(cell.source for cell in _until_code(notebook))
    if lacking := [word for word in OPENING if not re.search(rf"\*{word}\b", before_code, re.IGNORECASE)]:
        yield f"says before any code what it *rebuilds*, *needs* and *takes*; lacking: {', '.join(lacking)}"


def _until_code(notebook: Notebook) -> Iterator[Cell]:
    for cell in notebook.cells:
        if cell.kind == "code":
            return
        yield cell


def _code(cell: Cell) -> Iterator[str]:
    lines = cell.source.rstrip().splitlines()
    if len(lines) > CELL_LINES:
        yield f"at most {CELL_LINES} lines in a code cell; it has {len(lines)}"
    if found := _INSTALLS.search(cell.source):
        yield f"no shell or install command; it has {found[0].strip()}"
        return
    try:
        tree = ast.parse("\n".join("pass" if _MAGIC.match(line) else line for line in lines))
    except SyntaxError as error:
        yield f"plain Python; it has {error.msg} (line {error.lineno})"
        return
    for node in ast.walk(tree):
        yield from _node(node)


def _node(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length > FUNCTION_LINES:
            yield f"at most {FUNCTION_LINES} lines in a function; {node.name} has {length}"
    elif isinstance(node, ast.ClassDef):
        yield f"no class; it defines {node.name}"
    elif isinstance(node, ast.Attribute):
        if node.attr == "path" and isinstance(node.value, ast.Name) and node.value.id == "sys":
            yield "no sys.path"
        yield from _name(node.attr)
    elif isinstance(node, ast.Name):
        yield from _name(node.id)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if (node.module, alias.name) == ("sys", "path"):
                yield "no sys.path"
            yield from _name(alias.name)


def _name(name: str) -> Iterator[str]:
    if name in _FILTERS:
        yield f"no warning filter; it has {name}"
    elif name in _ENVIRONMENT:
        yield f"no branch on the environment; it has {name}"
    elif _TEST_WORDS.search(name):
        yield f"no test branch (smoke sizes stand in nbconfig/smoke.yaml); it has {name}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
