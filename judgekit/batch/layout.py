"""Where a batch reads and writes: notebooks, their settings, the package's sources, the reports."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from judgekit.errors import InvalidInput

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=+-]{0,80}")


@dataclass(frozen=True)
class Layout:
    """Folders of one checkout, or of a stand-in for it.

    Attributes
    ----------
    root : Path
        Folder that holds the package ``judgekit`` and ``data``.
    notebooks, nbconfig : Path
        Notebooks (``NAME.ipynb``) and their settings.
    reports : Path
        Receives ``PROFILE/{tables,figures,notebooks}`` and the manifests.
    """

    root: Path
    notebooks: Path
    nbconfig: Path
    reports: Path

    @classmethod
    def of_checkout(cls) -> "Layout":
        """Layout of the checkout that this package lies in."""
        root = Path(__file__).resolve().parents[2]
        return cls(root, root / "notebooks", root / "nbconfig", root / "reports")

    def with_reports(self, reports: Path) -> "Layout":
        """Same notebooks and settings, another place for what they write."""
        return replace(self, reports=reports)

    def notebook(self, name: str) -> Path:
        """Path of one notebook."""
        return self.notebooks / f"{name}.ipynb"

    def target(self, profile: str, run: str | None = None) -> Path:
        """Folder of a profile's results, or of a run with other parameters: ``runs/RUN/PROFILE``."""
        return self.reports / profile if run is None else self.reports / "runs" / run / profile

    def staging(self, profile: str, notebook: str, run: str | None = None) -> Path:
        """Folder where one notebook's results gather until all are there; on the reports' disk."""
        return self.reports / ".staging" / f"{run or ''},{profile},{notebook}"

    def failed(self, profile: str, notebook: str) -> Path:
        """Place of the executed notebook of a failed run, for a look at where it stopped."""
        return self.reports / "failed" / profile / f"{notebook}.ipynb"


def checked_run_name(name: str) -> str:
    """Return `name` where it can name a folder below ``reports/runs``; raises InvalidInput where it cannot.

    >>> checked_run_name("gain_threshold=0.01")
    'gain_threshold=0.01'
    """
    if RUN_NAME.fullmatch(name) is None:
        raise InvalidInput("--name", "up to 81 letters, digits and . _ = + -, a letter or digit first", name)
    return name
