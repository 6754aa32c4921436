"""One notebook, executed by papermill in a process of its own, with what papermill lets pass held against it.

Started as ``python -m judgekit.batch.worker ORDER.json``; writes the executed notebook, its HTML page and a
verdict. The process ends, and its kernel with it, as soon as its standard input closes: whoever started it
has died or given up.
"""

import json
import os
import re
import shutil
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from judgekit.batch.disk import write_json
from judgekit.batch.kernels import Kernel
from judgekit.batch.page import write_page

GIVEN_UP = 75
START_SECONDS = 120

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_FRAME = re.compile(r"(judgekit/[\w/]+\.py):(\d+), in ")
_FAILING_LINE = re.compile(r"^-+> *(\d+) (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Order:
    """What to execute, all paths absolute.

    Attributes
    ----------
    notebook : str
        The notebook file.
    parameters : dict
        Values to inject.
    executed, page, verdict : str
        Files to write: executed notebook, HTML page, and what became of it.
    scratch : str
        Working directory of the kernel.
    links : dict
        Address, from the page, of files that the notebook links to.
    """

    notebook: str
    parameters: dict[str, object]
    executed: str
    page: str
    verdict: str
    scratch: str
    links: dict[str, str]


def execute(order: Order) -> str | None:
    """Execute a notebook and write its page; returns what went wrong in a few lines, or None."""
    import papermill
    from nbclient.exceptions import DeadKernelError

    Kernel.started.clear()
    died = False
    with tempfile.TemporaryDirectory(prefix="jk-") as sockets:
        try:
            papermill.execute_notebook(
                order.notebook,
                order.executed,
                parameters=order.parameters,
                kernel_name="python3",
                language="python",
                progress_bar=False,
                start_timeout=START_SECONDS,
                cwd=order.scratch,
                kernel_manager_class=_over_sockets(Path(sockets)),
            )
        except papermill.PapermillExecutionError:
            pass  # the notebook it wrote tells more
        except DeadKernelError:
            died = True
        except Exception as error:
            return f"{type(error).__name__}: {_first_line(str(error))}"
    notebook = nbformat.read(order.executed, as_version=4)
    _without_places(notebook, order)
    problem = _death(notebook) if died else fault_of_cells(notebook) or _fault_of_kernel()
    if problem is None:
        write_page(notebook, Path(order.page), order.links)
    return problem


def fault_of_cells(notebook: Any, *, stopped: str = "stopped before") -> str | None:
    """First code cell of an executed notebook that failed or never ran, in words; None where every cell ran.

    Parameters
    ----------
    notebook : NotebookNode
        As papermill wrote it.
    stopped : str
        How to begin the line about a cell that did not finish.
    """
    cells = _code(notebook)
    for number, cell in enumerate(cells, start=1):
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if errors:
            return _told(errors[0], cell, number, below=len(cells) - number)
        told = cell.metadata.get("papermill", {})
        if not cell.execution_count or not told.get("start_time") or told.get("status") != "completed":
            return f"{stopped} cell In [{number}]: {_first_line(cell.source)}"
    return None


def main(arguments: list[str]) -> int:
    """Execute the order in the file named by the only argument; 0 once a verdict is written."""
    threading.Thread(target=_end_with_starter, daemon=True).start()
    order = Order(**json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
    problem = execute(order)
    write_json(Path(order.verdict), {"problem": problem})
    return 0


def _end_with_starter() -> None:
    while os.read(0, 1024):
        pass
    for kernel in Kernel.started:
        kernel.kill()
        shutil.rmtree(Path(kernel.connection_file).parent, ignore_errors=True)
    os._exit(GIVEN_UP)


def _over_sockets(folder: Path) -> type[Kernel]:
    """Kernel class that talks over socket files: two kernels starting at once never fight over a port."""

    class SocketKernel(Kernel):
        def __init__(self, **settings: Any) -> None:
            super().__init__(transport="ipc", ip=str(folder / "k"), **settings)
            self.connection_file = str(folder / "kernel.json")

    return SocketKernel


def _death(notebook: Any) -> str:
    # papermill ends by calling cells it never reached "completed"; only their start time gives them away.
    begun = [cell for cell in _code(notebook) if cell.metadata.get("papermill", {}).get("start_time")]
    where = f"cell In [{len(begun)}]: {_first_line(begun[-1].source)}" if begun else "its first cell"
    when = "in or after the last one, " if len(begun) == len(_code(notebook)) else "in "
    return (
        f"the kernel died {when}{where} ({Kernel.started[-1].ending if Kernel.started else 'never started'})"
    )


def _code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def _fault_of_kernel() -> str | None:
    if not Kernel.started:
        return "no kernel was started"
    return next(filter(None, (kernel.fault() for kernel in Kernel.started)), None)


def _told(output: Any, cell: Any, number: int, *, below: int) -> str:
    traceback = _COLOURS.sub("", "\n".join(output.traceback))
    failing, frames = _FAILING_LINE.search(traceback), _FRAME.findall(traceback)
    where = f"cell In [{number}]: {_first_line(cell.source)}"
    if failing is not None and failing[2].strip() in cell.source:
        where = f"cell In [{number}], line {failing[1]}: {failing[2].strip()}"
    if output.ename == "SystemExit":
        lost = f": {below} more never ran" if below else ""
        return f"{where}\nSystemExit: {output.evalue or 0}{lost}"
    message, *more = [line for line in output.evalue.splitlines() if line.strip()][:3] or [""]
    raised = f" (raised in {frames[-1][0]}, line {frames[-1][1]})" if frames else ""
    return "\n".join([where, f"{output.ename}: {message}".removesuffix(": ") + raised, *more])


def _without_places(notebook: Any, order: Order) -> None:
    # Where this machine keeps its checkout is nobody's business in a file that may be passed on.
    notebook.metadata.get("papermill", {}).update(input_path=Path(order.notebook).name, output_path="")
    Path(order.executed).write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 120 else line[:117] + "..."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
