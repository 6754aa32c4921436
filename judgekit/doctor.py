"""The `judgekit doctor` command: what is installed, which data is here, which profile could run."""

import importlib.metadata
import importlib.util
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
DISTRIBUTION = "judgekit-companion"
LOCKS = ("nbconfig/lock.txt", "nbconfig/lock-torch.txt")
REINSTALL = "remove .venv and type: make lint"


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes
    ----------
    topic : str
        What was looked at.
    state : str
        "ok", "note" (something to know, or a profile that cannot run) or "problem" (not even the default
        profile can run).
    detail : str
        What was found, and what to type where that helps.
    """

    topic: str
    state: Literal["ok", "note", "problem"]
    detail: str


def doctor() -> None:
    """Say what is installed, which data is here and which profile can run; exit 0 if the default one can.

    Example: judgekit doctor
    """
    found = list(examine())
    for finding in found:
        typer.echo(f"{finding.state:<8} {finding.topic:<24} {finding.detail}")
    raise typer.Exit(int(any(finding.state == "problem" for finding in found)))


def examine() -> Iterator[Finding]:
    """All findings, in reading order; where packages are missing, what needs them is not looked at."""
    python = sys.version_info
    yield Finding("python", "problem" if python < (3, 11) else "ok", ".".join(map(str, python[:3])))
    yield from _package()
    installed = list(_packages())
    yield from installed
    if any(finding.state == "problem" for finding in installed):
        yield Finding("data, profiles", "note", "not looked at before the missing packages are there")
        return
    accelerator = _accelerator()
    yield accelerator
    yield from _data()
    yield from _profiles(gpu=accelerator.detail.endswith("GPU available"))


def _package() -> Iterator[Finding]:
    project = ROOT / "pyproject.toml"
    ours = project.is_file() and tomllib.loads(project.read_text(encoding="utf-8"))["project"]["name"]
    if ours == DISTRIBUTION:
        installed = _version(DISTRIBUTION) or "not installed (make lint installs it)"
        yield Finding("judgekit", "ok", f"imported from this checkout; {DISTRIBUTION} {installed}")
    else:
        yield Finding("judgekit", "problem", f"{ROOT / 'judgekit'} is not in a checkout of {DISTRIBUTION}")
    for other in shadows(importlib.metadata.packages_distributions().get("judgekit", ())):
        yield Finding("judgekit", "problem", f"{other} installs a judgekit too: pip uninstall {other}")


def shadows(distributions: Iterable[str]) -> list[str]:
    """Distributions among those that install an import `judgekit` which are not this project's.

    >>> shadows(["judgekit_companion", "judgekit"])
    ['judgekit']
    """
    return sorted({name for name in distributions if canonicalize_name(name) != DISTRIBUTION})


def pins(lock: str, *, machine: Mapping[str, str] | None = None) -> dict[str, str]:
    r"""Version of each package that a lock file pins.

    Parameters
    ----------
    lock : str
        Text of the file.
    machine : mapping, optional
        Values of environment markers, such as `python_full_version`; the others are this interpreter's.

    >>> pins("jinja2==3.1.6\ntorch==2.13.0 ; python_full_version < '3'")
    {'jinja2': '3.1.6'}
    """
    found: dict[str, str] = {}
    for line in lock.splitlines():
        if line[:1].isalnum():
            pin = Requirement(line.removesuffix("\\").strip())
            if pin.marker is None or pin.marker.evaluate(machine):
                found[canonicalize_name(pin.name)] = next(iter(pin.specifier)).version
    return found


def _packages() -> Iterator[Finding]:
    locked = {name: pin for lock in LOCKS for name, pin in pins((ROOT / lock).read_text("utf-8")).items()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {canonicalize_name(Requirement(line).name) for line in project["dependencies"]}
    here = {name: version for name in locked if (version := _version(name)) is not None}
    missing = sorted(locked.keys() - here.keys())
    moved = [
        f"{name} {here[name]} (lock {locked[name]})" for name in sorted(here) if here[name] != locked[name]
    ]
    if needed & set(missing):
        yield Finding("packages", "problem", f"missing {_few(sorted(needed & set(missing)))}; {REINSTALL}")
    elif missing:
        yield Finding("packages", "note", f"missing, but not needed to run: {_few(missing)}; {REINSTALL}")
    if moved:
        yield Finding(
            "packages", "note", f"not as locked, so last digits may differ: {_few(moved)}; {REINSTALL}"
        )
    if not missing and not moved:
        yield Finding("packages", "ok", f"{len(locked)} as locked")


def _version(name: str) -> str | None:
    """Public part of the installed version: torch's build label, as in 2.13.0+cpu, is left out."""
    try:
        return Version(importlib.metadata.version(name)).public
    except importlib.metadata.PackageNotFoundError:
        return None


def _few(names: Sequence[str]) -> str:
    rest = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + rest


def _accelerator() -> Finding:
    try:
        import torch
    except (ImportError, OSError) as error:
        return Finding("torch", "problem", f"does not import ({error}); {REINSTALL}")
    build = f"{torch.__version__}, {'CUDA ' + torch.version.cuda if torch.version.cuda else 'CPU build'}"
    if not torch.cuda.is_available():
        return Finding("torch", "ok", f"{build}, no GPU")
    return Finding("torch", "ok", f"{build}, {torch.cuda.get_device_name()}: GPU available")


def _data() -> Iterator[Finding]:
    from judgekit.sources.cache import cache_folder, mirror_folder
    from judgekit.sources.download import at_hand
    from judgekit.sources.progress import megabytes
    from judgekit.sources.recorded import parsed_folder
    from judgekit.sources.registry import read_registry

    cache, mirror, registry = cache_folder(), mirror_folder(), read_registry()
    if (named := os.environ.get("JUDGEKIT_MIRROR")) and mirror is None:
        yield Finding("JUDGEKIT_MIRROR", "note", f"{named} is no folder")
    for dataset in registry.datasets:
        rows = registry.of(dataset)
        places = Counter(at_hand(row, cache=cache, mirror=mirror) for row in rows)
        where = ["parsed"] if parsed_folder(dataset, cache=cache).is_dir() else []
        for place in ("cache", "mirror"):
            if places[place]:
                share = "all" if places[place] == len(rows) else f"{places[place]} of {len(rows)}"
                where.append(f"{share} files in the {place}")
        size = megabytes(sum(row.size for row in rows))
        yield Finding(f"data {dataset}", "ok" if where else "note", ", ".join(where) or f"not here ({size})")


def _profiles(*, gpu: bool) -> Iterator[Finding]:
    from judgekit.batch.profiles import read_profiles
    from judgekit.sources.recorded import available

    profiles = read_profiles(ROOT / "nbconfig")
    for profile in ("simulated", "recorded"):
        entries = profiles.of(profile)
        needs = sorted({dataset for entry in entries for dataset in entry.needs})
        absent = [dataset for dataset in needs if not available(dataset)]
        detail = f"can run: judgekit rebuild --profile {profile}"
        if absent:
            detail = f"needs {_few(absent)}: judgekit data fetch {' '.join(absent)}"
        yield Finding(f"profile {profile}", "note" if absent else "ok", detail)
    runs = sorted(path.name for path in (ROOT / "data" / "runs").glob("*") if path.is_dir())
    detail = f"runs in data/runs: {_few(runs)}" if runs else "no run in data/runs yet: judgekit judge --help"
    lacks = [] if importlib.util.find_spec("vllm") else ["vllm (.venv/bin/pip install -e '.[gpu]')"]
    lacks += [] if gpu else ["a GPU that torch can use"]
    detail += f"; judges under vLLM need {' and '.join(lacks)}" if lacks else "; vLLM can run"
    yield Finding("profile local", "ok" if runs else "note", detail)
