"""A notebook as the batch reads it: its cells, and the parameters that one cell of literals declares."""

import ast
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat

from judgekit.errors import InvalidInput

TAG = "parameters"

_KINDS: dict[type, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a dictionary",
    type(None): "None",
}
_WORDS = {"true": "True", "false": "False", "none": "None"}


@dataclass(frozen=True)
class Cell:
    """One cell: "code" or "markdown", its source, its tags, and whether it carries outputs or a count."""

    kind: str
    source: str
    tags: tuple[str, ...] = ()
    has_outputs: bool = False


@dataclass(frozen=True)
class Notebook:
    """The cells of one notebook file.

    Attributes
    ----------
    name : str
        File name without its suffix.
    cells : tuple of Cell
        In order.
    """

    name: str
    cells: tuple[Cell, ...]

    @property
    def code(self) -> tuple[Cell, ...]:
        """Code cells that hold anything, in order."""
        return tuple(cell for cell in self.cells if cell.kind == "code" and cell.source.strip())


def read_notebook(path: Path) -> Notebook:
    """Read a notebook file; raises InvalidInput where it is absent or no notebook."""
    try:
        raw = nbformat.read(str(path), as_version=4)
    except FileNotFoundError as error:
        raise InvalidInput(f"notebook {path.stem}", f"a file {path.name} under notebooks/", "none") from error
    except Exception as error:  # nbformat raises half a dozen unrelated kinds
        raise InvalidInput(f"notebook {path.name}", "a Jupyter notebook in format 4", error) from error
    cells = (
        Cell(
            cell.cell_type,
            cell.source,
            tuple(cell.metadata.get("tags", ())),
            bool(cell.get("outputs") or cell.get("execution_count")),
        )
        for cell in raw.cells
    )
    return Notebook(path.stem, tuple(cells))


def declared_parameters(notebook: Notebook) -> dict[str, object]:
    """Parameters and their defaults, in the order of the notebook's `parameters` cell.

    Raises
    ------
    InvalidInput
        Not exactly one code cell is tagged ``parameters``, or it holds more than ``name = literal`` lines.
    """
    tagged = [cell for cell in notebook.cells if cell.kind == "code" and TAG in cell.tags]
    if len(tagged) != 1:
        raise InvalidInput(
            notebook.name, f"exactly one code cell tagged '{TAG}'", f"{len(tagged)} such cells"
        )
    found: dict[str, object] = {}
    for name, value in _assignments(tagged[0].source, notebook.name):
        if name in found:
            raise InvalidInput(f"{notebook.name}, parameters cell", "each name once", f"{name} twice")
        found[name] = value
    return found


def _assignments(source: str, where: str) -> list[tuple[str, object]]:
    field, allowed = f"{where}, parameters cell", "only lines of the form name = literal"
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise InvalidInput(field, allowed, error) from error
    found = []
    for statement in statements:
        shown = ast.unparse(statement)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if not isinstance(statement, ast.Assign) or len(targets) != 1 or not isinstance(targets[0], ast.Name):
            raise InvalidInput(field, allowed, shown)
        try:
            value = ast.literal_eval(statement.value)
        except ValueError as error:
            raise InvalidInput(field, allowed, shown) from error
        if not _is_plain(value):
            raise InvalidInput(field, "numbers, text, True, False, None, lists and dictionaries", shown)
        found.append((targets[0].id, value))
    return found


def check_parameters(
    given: Mapping[str, object], declared: Mapping[str, object], *, where: str
) -> dict[str, object]:
    """Parameters in effect: `given` over `declared`, in the order declared.

    Parameters
    ----------
    given : mapping
        Values to pass.
    declared : mapping
        Defaults, as `declared_parameters` returns them; a default of None takes any value.
    where : str
        What an error names as the origin of `given`.

    Raises
    ------
    InvalidInput
        A name that the notebook does not declare, or a value of another kind than its default.

    Examples
    --------
    >>> check_parameters({"tau": 1}, {"seeds": 10, "tau": 0.5}, where="profiles.yaml")
    {'seeds': 10, 'tau': 1}
    """
    for name, value in given.items():
        refuse_unknown(name, declared, where=where)
        default = declared[name]
        if default is not None and not _same_kind(value, default):
            raise InvalidInput(f"{where}, parameter {name}", _KINDS[type(default)], repr(value))
        if not _is_plain(value):
            raise InvalidInput(f"{where}, parameter {name}", "a literal", repr(value))
    return {name: given.get(name, default) for name, default in declared.items()}


def refuse_unknown(name: str, declared: Mapping[str, object], *, where: str) -> None:
    """Raise InvalidInput, with the nearest name, where `name` is not a declared parameter."""
    if name in declared:
        return
    near = difflib.get_close_matches(name, declared, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise InvalidInput(f"{where}, parameter", f"one of {', '.join(declared)}{hint}", name)


def value_from_text(text: str, default: object, *, name: str) -> object:
    """Value of a parameter typed on a command line, read by the kind of its default.

    >>> value_from_text("10", "none", name="label"), value_from_text("10", 3, name="seeds")
    ('10', 10)
    """
    if isinstance(default, str):
        return text
    try:
        return ast.literal_eval(_WORDS.get(text.strip().lower(), text.strip()))
    except (ValueError, SyntaxError) as error:
        if default is None:
            return text
        raise InvalidInput(f"parameter {name}", _KINDS[type(default)], text) from error


def _same_kind(value: object, default: object) -> bool:
    if isinstance(value, bool) or isinstance(default, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, float):
        return isinstance(value, int | float)
    return isinstance(value, type(default))


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    return value is None or isinstance(value, bool | int | float | str)
