"""The stamp of a notebook run: everything its outputs depend on, so that a run can be told fresh or stale."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path
from platform import python_version

from judgekit.batch.disk import digest_of
from judgekit.batch.layout import Layout
from judgekit.batch.needs import BESIDE_DATA
from judgekit.batch.notebook import Notebook
from judgekit.batch.profiles import Entry
from judgekit.batch.reach import Package
from judgekit.errors import InvalidInput, MissingData

# What computes, draws or executes: another version of one of these can move a digit or a line.
DISTRIBUTIONS = (
    "numpy",
    "pandas",
    "scipy",
    "statsmodels",
    "scikit-learn",
    "torch",
    "matplotlib",
    "seaborn",
    "pyarrow",
    "papermill",
    "ipykernel",
    "nbconvert",
)
# Modules that shape every run though no notebook imports them.
MACHINERY = ("judgekit.batch.worker", "judgekit.batch.kernels")
_NOT_SETTINGS = ("profiles.yaml", "smoke.yaml")


@dataclass(frozen=True)
class Stamp:
    """What one run's outputs depend on; hashes are SHA-256 in hexadecimal.

    Attributes
    ----------
    notebook : str
        Hash of the cells' kinds, sources and tags.
    sources : mapping
        Hash of each file of the package that the notebook can reach, by path from the checkout.
    settings : mapping
        Hash of each settings file and published table, by path.
    parameters : mapping
        Every parameter in effect.
    data : mapping
        Digest of each recorded data set, run or model that the notebook needs, and of the tables it reads.
    versions : mapping
        Version of Python and of each package that computes, draws or executes.
    outputs : tuple of str
        Files that the run must write.
    """

    notebook: str
    sources: Mapping[str, str]
    settings: Mapping[str, str]
    parameters: Mapping[str, object]
    data: Mapping[str, str]
    versions: Mapping[str, str]
    outputs: tuple[str, ...]

    @property
    def seed(self) -> object:
        """The parameter named seed or seeds, None where the notebook declares neither."""
        return self.parameters.get("seed", self.parameters.get("seeds"))

    @property
    def data_digest(self) -> str:
        """One hash over the recorded data that the run reads; empty where it reads none."""
        return _hash(json.dumps(dict(self.data), sort_keys=True).encode()) if self.data else ""

    @property
    def digest(self) -> str:
        """One hash over all of it."""
        return _hash(json.dumps(asdict(self), sort_keys=True).encode())

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> "Stamp | None":
        """Stamp as kept in JSON; None where the record is of another shape, such as an older version's."""
        if set(record) != {field.name for field in fields(cls)}:
            return None
        values = dict(record)
        listed, maps = values.pop("outputs"), {name: values[name] for name in values if name != "notebook"}
        if not isinstance(listed, list) or not all(isinstance(value, dict) for value in maps.values()):
            return None
        return cls(outputs=tuple(listed), **values)  # type: ignore[arg-type]

    def record(self) -> dict[str, object]:
        """The stamp as plain values for JSON."""
        return {**asdict(self), "outputs": list(self.outputs)}

    def differences(self, earlier: "Stamp") -> list[str]:
        """What differs from an earlier stamp, one phrase each; empty where nothing does."""
        found = ["the notebook changed"] if self.notebook != earlier.notebook else []
        for ours, theirs, shows_values in (
            (self.sources, earlier.sources, False),
            (self.settings, earlier.settings, False),
            (_prefixed("data ", self.data), _prefixed("data ", earlier.data), False),
            (_prefixed("parameter ", self.parameters), _prefixed("parameter ", earlier.parameters), True),
            (self.versions, earlier.versions, True),
        ):
            found += _phrases(ours, theirs, shows_values=shows_values)
        if self.outputs != earlier.outputs:
            found.append("other outputs are declared")
        return found


def stamp_of(
    entry: Entry, notebook: Notebook, parameters: Mapping[str, object], layout: Layout, package: Package
) -> Stamp:
    """Stamp of running one notebook now.

    Parameters
    ----------
    entry : Entry
        Its declared outputs and data.
    notebook : Notebook
        The cells.
    parameters : mapping
        Every parameter in effect.
    layout : Layout
        Where settings lie.
    package : Package
        Where sources lie.

    Raises
    ------
    InvalidInput
        A data set that the entry needs is not in the registry.
    """
    imports = [f"import {name}" for name in MACHINERY]
    sources = package.reached([*(cell.source for cell in notebook.code), *imports])
    settings = [path for path in sorted(layout.nbconfig.glob("*.yaml")) if path.name not in _NOT_SETTINGS]
    settings += [path for path in [layout.nbconfig / "matplotlibrc"] if path.is_file()]
    published = layout.root / "data" / "published"
    settings += sorted(path for path in published.rglob("*") if path.is_file() and path.suffix != ".md")
    cells = [[cell.kind, cell.source, list(cell.tags)] for cell in notebook.cells]
    return Stamp(
        notebook=_hash(json.dumps(cells).encode()),
        sources={path.relative_to(layout.root).as_posix(): digest_of(path) for path in sources},
        settings={_short(path, layout): digest_of(path) for path in settings},
        parameters=dict(parameters),
        data={need: _data_digest(need, entry) for need in entry.needs} | _tables_read(entry, layout),
        versions=installed_versions(),
        outputs=entry.outputs,
    )


def _tables_read(entry: Entry, layout: Layout) -> dict[str, str]:
    """One digest over the profile's tables as they lie, for a notebook that reads them."""
    if not entry.reads_tables:
        return {}
    found = sorted((layout.target(entry.profile) / "tables").rglob("*.csv"))
    return {"tables": _hash("".join(f"{path.name} {digest_of(path)}\n" for path in found).encode())}


def installed_versions() -> dict[str, str]:
    """Versions of Python and of each distribution in `DISTRIBUTIONS`; "absent" where one is not installed."""
    found = {"python": python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return found


def _data_digest(dataset: str, entry: Entry) -> str:
    from judgekit.sources.registry import read_registry

    try:
        if dataset in BESIDE_DATA:
            return BESIDE_DATA[dataset]()
        return read_registry().digest(dataset)
    except MissingData:
        return "absent"
    except InvalidInput as error:
        where = f"profiles.yaml: {entry.profile}.{entry.notebook}.needs"
        raise InvalidInput(where, f"data sets of data/registry.csv ({error})", dataset) from error


def _short(path: Path, layout: Layout) -> str:
    base = layout.root if path.is_relative_to(layout.root) else layout.nbconfig.parent
    return path.relative_to(base).as_posix()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _prefixed(prefix: str, values: Mapping[str, object]) -> dict[str, object]:
    return {prefix + name: value for name, value in values.items()}


def _phrases(ours: Mapping[str, object], theirs: Mapping[str, object], *, shows_values: bool) -> list[str]:
    found = []
    for name in sorted({*ours, *theirs}):
        if name not in theirs:
            found.append(f"{name} is new")
        elif name not in ours:
            found.append(f"{name} is gone")
        elif ours[name] != theirs[name]:
            found.append(f"{name} {theirs[name]} -> {ours[name]}" if shows_values else f"{name} changed")
    return found
