"""A desk to try the batch on: tiny notebooks, their settings and a reports folder, all below tmp_path."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from judgekit.batch.layout import Layout
from judgekit.batch.rebuild import Batch, rebuild
from judgekit.batch.tasks import Request

# Cells that tests put together; a table costs the import of pandas, a file of its name does not.
PARAMETERS = 'profile = "simulated"\nseed = 3\nsize = 4'
IMPORTS = "import numpy as np, pandas as pd\nfrom judgekit.report import outputs\nkeep = outputs.current()"
TABLE = 'risk = np.random.default_rng(seed).random(size)\nkeep.table(pd.DataFrame({"risk": risk}), "roles/a")'


@dataclass
class Desk:
    """Writes notebooks and settings, and runs the batch on them."""

    folder: Path
    layout: Layout
    kernel: str = "python3"
    said: list[str] = field(default_factory=list)
    table: ClassVar[tuple[str, str]] = (IMPORTS, TABLE)
    entries: dict[str, dict[str, dict[str, object]]] = field(default_factory=lambda: {"simulated": {}})

    def notebook(self, name: str, *cells: str, cell: str | None = PARAMETERS, **entry: object) -> Path:
        """Write one notebook of code cells, declared under the profile simulated as `entry` says."""
        tagged = [] if cell is None else [new_code_cell(cell, metadata={"tags": ["parameters"]})]
        book = new_notebook(cells=[new_markdown_cell(f"# {name}"), *tagged, *map(new_code_cell, cells)])
        book.metadata.kernelspec = {"name": self.kernel, "language": "python", "display_name": ""}
        path = self.layout.notebook(name)
        nbformat.write(book, path)
        self.entries["simulated"][name] = entry
        self.settle()
        return path

    def settle(self, smoke: dict[str, dict[str, object]] | None = None) -> None:
        """Write profiles.yaml from `entries`, and smoke.yaml."""
        (self.layout.nbconfig / "profiles.yaml").write_text(yaml.safe_dump(self.entries, sort_keys=False))
        (self.layout.nbconfig / "smoke.yaml").write_text(yaml.safe_dump(smoke or {}))

    def rebuild(self, *, bring=lambda datasets: {}, **request: object) -> Batch:
        """Run the batch; what it said is in `said`."""
        self.said.clear()
        return rebuild(Request(**request), self.layout, say=self.said.append, bring=bring)

    def statuses(self, **request: object) -> list[str]:
        """Run the batch and return each notebook's status."""
        outcomes = self.rebuild(**request).outcomes
        print(*(f"{outcome.status}: {outcome.detail}" for outcome in outcomes), sep="\n")
        return [outcome.status for outcome in outcomes]

    def failure(self, **request: object) -> str:
        """Run a batch whose only notebook must fail, and return what it said of it."""
        batch = self.rebuild(**request)
        assert [outcome.status for outcome in batch.outcomes] == ["failed"]
        assert batch.exit_code == 1
        return batch.outcomes[0].detail

    def results(self) -> dict[str, bytes]:
        """Every committed kind of file below reports, by path."""
        found = [path for suffix in ("csv", "svg") for path in self.layout.reports.glob(f"*/*/**/*.{suffix}")]
        return {path.relative_to(self.layout.reports).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(scope="session")
def new_desk():
    """Makes a desk in a folder."""

    def make(folder: Path) -> Desk:
        layout = Layout(
            Layout.of_checkout().root, folder / "notebooks", folder / "nbconfig", folder / "reports"
        )
        layout.notebooks.mkdir()
        layout.nbconfig.mkdir()
        return Desk(folder, layout)

    return make


@pytest.fixture
def desk(tmp_path, new_desk):
    return new_desk(tmp_path)
