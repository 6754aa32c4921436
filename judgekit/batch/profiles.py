"""Which notebook runs under which profile: `nbconfig/profiles.yaml` and `smoke.yaml`, read strictly."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from judgekit.errors import InvalidInput
from judgekit.report.outputs import checked_name

PROFILES = ("simulated", "recorded", "local")

_KEYS = ("parameters", "needs", "tables", "figures", "reads_tables")
_NOTEBOOK = re.compile(r"[0-9]{2}_[a-z0-9_]+")


@dataclass(frozen=True)
class Entry:
    """One notebook under one profile.

    Attributes
    ----------
    profile, notebook : str
        Profile, and notebook file without its suffix.
    parameters : mapping
        Values over the notebook's defaults.
    needs : tuple of str
        Recorded data sets, `run` (a finished run) or `demo-model`, which must be here.
    tables, figures : tuple of str
        Names that the notebook hands to `outputs.table` and `outputs.figure`.
    reads_tables : bool
        Whether it reads the tables of the profile's other notebooks: then it runs after them, and again
        whenever one of these tables changed.
    """

    profile: str
    notebook: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    reads_tables: bool = False

    @property
    def outputs(self) -> tuple[str, ...]:
        """Files below the profile's folder, such as ``tables/roles/table03_policy_comparison.csv``."""
        return (
            *(f"tables/{name}.csv" for name in self.tables),
            *(f"figures/{name}.svg" for name in self.figures),
        )


@dataclass(frozen=True)
class Profiles:
    """All entries of `profiles.yaml` in file order, and the smoke parameters by notebook."""

    entries: tuple[Entry, ...]
    smoke: Mapping[str, Mapping[str, object]]

    @property
    def notebooks(self) -> tuple[str, ...]:
        """Every notebook that some profile runs, in order of its number."""
        return tuple(sorted({entry.notebook for entry in self.entries}))

    def of(self, profile: str, notebooks: Iterable[str] = ()) -> tuple[Entry, ...]:
        """Entries of one profile, all or those of the notebooks named."""
        wanted = set(notebooks) or set(self.notebooks)
        return tuple(each for each in self.entries if each.profile == profile and each.notebook in wanted)

    def resolve(self, study: str) -> str:
        """Notebook that a study's name means: ``04``, ``role_routing``, ``04_role_routing`` or its file.

        Raises
        ------
        InvalidInput
            No notebook or more than one goes by that name.
        """
        name = Path(study).stem if study.endswith((".ipynb", ".py")) else study
        number = f"{int(name):02d}" if name.isascii() and name.isdigit() else name
        found = [each for each in self.notebooks if name == each or number in tuple(each.split("_", 1))]
        if len(found) != 1:
            raise InvalidInput("STUDY", f"one of {', '.join(self.notebooks)}, or its number or name", study)
        return found[0]


def read_profiles(nbconfig: Path) -> Profiles:
    """Profiles and smoke parameters in the folder `nbconfig`.

    Raises
    ------
    InvalidInput
        A file is absent or no YAML, a key is unknown or stands twice, a value is of the wrong kind, a name is
        malformed, or two notebooks of a profile declare the same output. The message names the key.
    """
    profiles = _mapping(_read_yaml(nbconfig / "profiles.yaml"), "profiles.yaml", keys=PROFILES)
    entries = tuple(
        _entry(profile, notebook, fields)
        for profile, notebooks in profiles.items()
        for notebook, fields in _mapping(notebooks, f"profiles.yaml: {profile}").items()
    )
    _refuse_shared_outputs(entries)
    known = tuple(dict.fromkeys(entry.notebook for entry in entries))
    smoke = _mapping(_read_yaml(nbconfig / "smoke.yaml"), "smoke.yaml", keys=known)
    return Profiles(
        entries, {name: _parameters(found, f"smoke.yaml: {name}") for name, found in smoke.items()}
    )


def _entry(profile: str, notebook: str, fields: object) -> Entry:
    where = f"profiles.yaml: {profile}.{notebook}"
    if _NOTEBOOK.fullmatch(notebook) is None:
        raise InvalidInput(where, "a notebook's name such as 04_role_routing", notebook)
    given = _mapping(fields, where, keys=_KEYS)
    named = {key: _names(given.get(key), f"{where}.{key}") for key in ("needs", "tables", "figures")}
    for key in ("tables", "figures"):
        for name in named[key]:
            try:
                checked_name(name)
            except InvalidInput as error:
                raise InvalidInput(f"{where}.{key}", "names such as roles/table03", name) from error
    reads_tables = given.get("reads_tables", False)
    if not isinstance(reads_tables, bool):
        raise InvalidInput(f"{where}.reads_tables", "true or false", reads_tables)
    parameters = _parameters(given.get("parameters"), f"{where}.parameters")
    return Entry(profile, notebook, parameters, reads_tables=reads_tables, **named)


def _parameters(value: object, where: str) -> dict[str, object]:
    found = _mapping(value, where)
    if "profile" in found:
        raise InvalidInput(where, "parameters other than profile, which the batch itself passes", "profile")
    return found


def _mapping(value: object, where: str, *, keys: Iterable[str] | None = None) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput(where, "a mapping of names to values", value)
    allowed = list(value) if keys is None else list(keys)
    for key in value:
        if not isinstance(key, str) or key not in allowed:
            raise InvalidInput(
                where, f"keys {', '.join(map(str, allowed))}" if keys else "names as keys", key
            )
    return value


def _names(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InvalidInput(where, "a list of names", value)
    if len(set(value)) != len(value):
        raise InvalidInput(where, "each name once", value)
    return tuple(value)


def _refuse_shared_outputs(entries: Iterable[Entry]) -> None:
    owners: dict[tuple[str, str], str] = {}
    for entry in entries:
        for output in entry.outputs:
            owner = owners.setdefault((entry.profile, output), entry.notebook)
            if owner != entry.notebook:
                given = f"{output} of {owner} and {entry.notebook}"
                raise InvalidInput(f"profiles.yaml: {entry.profile}", "each output from one notebook", given)


class _Strict(yaml.SafeLoader):
    """Loads plain values, and refuses a key that stands twice where YAML would keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Mapping of a node, its merge keys resolved."""
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<"]
        for key in keys:
            if keys.count(key) > 1:
                line = node.start_mark.line + 1
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key} stands twice from line {line} on"
                )
        return super().construct_mapping(node, deep)


def _read_yaml(path: Path) -> object:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Strict)
    except FileNotFoundError as error:
        raise InvalidInput(path.name, f"a file in {path.parent.name}/", "none") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidInput(path.name, "readable YAML", error) from error
