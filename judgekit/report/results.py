"""What lies under reports/PROFILE: tables, figures, executed notebooks, and what each of them rests on."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from judgekit.batch.manifest import Built, built_here, read_built, read_manifest
from judgekit.batch.stamps import digest_of

PROFILES = ("recorded", "local", "simulated")
HERE, REPOSITORY, ALTERED, UNSTAMPED = "here", "repository", "altered", "unstamped"


@dataclass(frozen=True)
class Evidence:
    """Where one table or figure comes from.

    Attributes
    ----------
    state : str
        "here" (rebuilt on this machine), "repository" (committed, not rebuilt here), "altered" (differs from
        the manifest) or "unstamped" (no manifest names it).
    when : str
        End of the run that wrote it, UTC, ISO 8601; empty where unknown.
    notebook : str
        Name of the notebook that wrote it; empty where unknown.
    data : tuple of str
        Recorded data sets that the notebook read.
    """

    state: str
    when: str = ""
    notebook: str = ""
    data: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The state in words, with its date."""
        if self.state == HERE:
            return f"rebuilt here, {minute(self.when)}"
        if self.state == ALTERED:
            return "differs from its manifest: rebuild it"
        built = f" (built {self.when[:10]})" if self.when else ""
        return f"from the repository, not rebuilt here{built}"


@dataclass(frozen=True)
class Results:
    """One profile's folder under reports/.

    Attributes
    ----------
    profile : str
        simulated, recorded or local.
    folder : Path
        reports/PROFILE, which need not exist.
    """

    profile: str
    folder: Path

    def table(self, study: str, name: str) -> pd.DataFrame | None:
        """A rebuilt table at full precision; None where there is none, or where the file cannot be read."""
        path = self.folder / "tables" / study / f"{name}.csv"
        if not path.is_file():
            return None
        try:
            return pd.read_csv(path)
        except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError):
            return None

    def table_names(self, study: str) -> list[str]:
        """Tables of one study, sorted by name."""
        return sorted(path.stem for path in (self.folder / "tables" / study).glob("*.csv"))

    def figure(self, study: str, name: str) -> Path | None:
        """File of a figure; None where there is none."""
        path = self.folder / "figures" / study / f"{name}.svg"
        return path if path.is_file() else None

    def figure_names(self, study: str) -> list[str]:
        """Figures of one study, sorted by name."""
        return sorted(path.stem for path in (self.folder / "figures" / study).glob("*.svg"))

    def notebooks(self) -> list[str]:
        """Executed notebooks that can be read as pages, sorted by name."""
        return sorted(path.stem for path in (self.folder / "notebooks").glob("*.html"))

    def evidence(self, output: str) -> Evidence:
        """Where an output comes from.

        Parameters
        ----------
        output : str
            Path below the profile's folder, such as `tables/roles/table03_policy_comparison.csv`.
        """
        for notebook, run in self._built.items():
            if output in run.files:
                data = _names(run.stamp.get("data"))
                return Evidence(HERE, run.when, notebook, data)
        for notebook, entry in self._manifest.items():
            outputs = entry.get("outputs")
            if isinstance(outputs, dict) and output in outputs:
                same = outputs[output] == digest_of(self.folder / output)
                state = REPOSITORY if same else ALTERED
                return Evidence(state, str(entry.get("when", "")), notebook, _names(entry.get("data")))
        return Evidence(UNSTAMPED)

    def states(self) -> dict[str, Evidence]:
        """Evidence of every table and figure, by path below the profile's folder."""
        paths = sorted(self.folder.glob("tables/*/*.csv")) + sorted(self.folder.glob("figures/*/*.svg"))
        names = [path.relative_to(self.folder).as_posix() for path in paths]
        return {name: self.evidence(name) for name in names}

    @cached_property
    def _manifest(self) -> dict[str, dict[str, Any]]:
        return read_manifest(self.folder)

    @cached_property
    def _built(self) -> dict[str, Built]:
        """Runs on this machine whose files are all as they left them."""
        intact = built_here(self.folder)
        return {name: run for name, run in read_built(self.folder).items() if name in intact}


def minute(when: str) -> str:
    """A UTC time to the minute.

    Examples
    --------
    >>> minute("2026-11-30T10:12:33+00:00")
    '2026-11-30 10:12 UTC'
    """
    return f"{when[:10]} {when[11:16]} UTC"


def _names(data: object) -> tuple[str, ...]:
    return tuple(sorted(data)) if isinstance(data, dict) else ()
