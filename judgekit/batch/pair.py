"""Keeping a notebook's two files in step: the py:percent source that is read, and the .ipynb that is run.

``python -m judgekit.batch.pair [NOTEBOOK...]`` brings each pair in step, the file changed last deciding, as
``jupytext --sync`` does; the .ipynb then carries no outputs, and its cell ids follow from the cells' text, so
that an unchanged cell never shows in a diff. JupyterLab keeps pairs in step too (notebooks/jupytext.toml).
"""

import hashlib
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat

from judgekit.errors import InvalidInput

COMMAND = "python -m judgekit.batch.pair"
FORMATS = "ipynb,py:percent"

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def ipynb_text(source: Path) -> str:
    """The .ipynb that belongs to a py:percent source: no outputs, ids that follow from each cell's text."""
    import jupytext

    return _ipynb(jupytext.read(source, fmt="py:percent"))


def source_text(path: Path) -> str:
    """The py:percent source that belongs to an .ipynb: cells and their tags, no header."""
    import jupytext

    notebook = nbformat.read(str(path), as_version=4)
    metadata = {"jupytext": {"notebook_metadata_filter": "-all", "cell_metadata_filter": "tags,-all"}}
    text: str = jupytext.writes(
        nbformat.v4.new_notebook(cells=_cells(notebook), metadata=metadata), fmt="py:percent"
    )
    return text


def in_step(path: Path) -> bool:
    """Whether the cells of an .ipynb (text, kind, tags) are those of the .py beside it."""
    import jupytext

    ours, theirs = (
        nbformat.read(str(path), as_version=4),
        jupytext.read(path.with_suffix(".py"), fmt="py:percent"),
    )
    return _cells(ours) == _cells(theirs)


def refuse_out_of_step(path: Path) -> None:
    """Raise InvalidInput where an .ipynb says something else than the .py beside it, if there is one."""
    if path.with_suffix(".py").is_file() and not in_step(path):
        allowed = f"a .py and an .ipynb with the same cells (bring them in step with: {COMMAND})"
        raise InvalidInput(path.stem, allowed, "two that differ")


def sync(path: Path) -> list[Path]:
    """Bring the pair that `path` belongs to in step, making an absent file; returns the files written.

    Raises
    ------
    InvalidInput
        Neither file is there.
    """
    source, notebook = path.with_suffix(".py"), path.with_suffix(".ipynb")
    if not source.is_file() and not notebook.is_file():
        raise InvalidInput("notebook", "a .py or .ipynb file", path)
    written = []
    newer_notebook = notebook.is_file() and (
        not source.is_file() or (notebook.stat().st_mtime > source.stat().st_mtime and not in_step(notebook))
    )
    if newer_notebook:
        written += _write(source, source_text(notebook))
    return written + _write(notebook, ipynb_text(source))


def main(arguments: list[str]) -> int:
    """Bring the notebooks named, or all of the checkout's, in step; prints what was written."""
    from judgekit.batch.layout import Layout

    folder = Layout.of_checkout().notebooks
    found = {path.with_suffix("") for path in [*folder.glob("*.py"), *folder.glob("*.ipynb")]}
    for path in [Path(argument) for argument in arguments] or sorted(found):
        for written in sync(path.with_suffix(".py")):
            sys.stdout.write(f"{written.name} written\n")
    return 0


def _ipynb(notebook: Any) -> str:
    metadata = {
        "jupytext": {"formats": FORMATS},
        "kernelspec": _KERNEL,
        "language_info": {"name": "python"},
    }
    return nbformat.writes(nbformat.v4.new_notebook(cells=_cells(notebook), metadata=metadata)) + "\n"


def _cells(notebook: Any) -> list[Any]:
    """Cells with text, tags and an id that follows from the text; no outputs, nothing else."""
    kinds = nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell, nbformat.v4.new_raw_cell
    new = dict(zip(("code", "markdown", "raw"), kinds, strict=True))
    seen: Counter[str] = Counter()
    cells = []
    for cell in notebook.cells:
        text = f"{cell.cell_type}\n{cell.source}"
        seen[text] += 1
        name = hashlib.sha256(f"{text}\n{seen[text]}".encode()).hexdigest()[:12]
        tags = {"tags": list(cell.metadata["tags"])} if cell.metadata.get("tags") else {}
        cells.append(new[cell.cell_type](cell.source, metadata=tags, id=name))
    return cells


def _write(path: Path, text: str) -> list[Path]:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return []
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)
    return [path]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
