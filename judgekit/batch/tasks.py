"""What a request asks for, notebook by notebook: how each would run, and whether it has to and why."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from judgekit.batch.layout import Layout, checked_run_name
from judgekit.batch.links import page_links
from judgekit.batch.manifest import stale_because
from judgekit.batch.notebook import (
    check_parameters,
    declared_parameters,
    read_notebook,
    refuse_unknown,
    value_from_text,
)
from judgekit.batch.pair import refuse_out_of_step
from judgekit.batch.profiles import PROFILES, Entry, Profiles, read_profiles
from judgekit.batch.reach import Package
from judgekit.batch.stamps import Stamp, stamp_of
from judgekit.errors import InvalidInput

DEFAULT_PROFILES = ("simulated", "recorded")


@dataclass(frozen=True)
class Request:
    """What to rebuild.

    Attributes
    ----------
    studies : tuple of str
        Notebooks by number, name or both; empty = all.
    profiles : tuple of str
        Empty = simulated, and recorded where its data can be had.
    parameters : tuple of (name, text)
        Values over those of the profile; such a run goes to ``reports/runs/NAME``.
    name : str or None
        That NAME; None = made from the parameters.
    smoke : bool
        Use the sizes of `smoke.yaml`; such a run goes to ``reports/runs/smoke``.
    force : bool
        Run what is up to date too.
    jobs : int
        Notebooks that run at the same time.
    timeout : float
        Seconds that one notebook may take.
    """

    studies: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    name: str | None = None
    smoke: bool = False
    force: bool = False
    jobs: int = 1
    timeout: float = 900.0

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise InvalidInput("--jobs", "a whole number >= 1", self.jobs)
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise InvalidInput("--timeout", "a number of seconds > 0", self.timeout)
        for profile in self.profiles:
            if profile not in PROFILES:
                raise InvalidInput("--profile", ", ".join(PROFILES), profile)
        names = [name for name, _ in self.parameters]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput("-p", "each parameter once", f"{name} twice")
            if name == "profile":
                raise InvalidInput("-p", "parameters other than profile, which --profile sets", name)

    @property
    def run(self) -> str | None:
        """Name of the folder below ``reports/runs``; None where the profile's own results are rebuilt."""
        if self.name is not None:
            return checked_run_name(self.name)
        words = [f"{name}={value}" for name, value in self.parameters]
        words = ["smoke", *words] if self.smoke else words
        return re.sub(r"[^A-Za-z0-9._=+-]+", "-", "+".join(words)).lstrip("._=+-")[:80] or None


@dataclass(frozen=True)
class Task:
    """One notebook under one profile: how it would run, and whether it has to.

    Attributes
    ----------
    entry : Entry
        What `profiles.yaml` says of it.
    target, staging : Path
        Where its results belong, and where they gather first.
    given : mapping
        Parameters to inject.
    stamp : Stamp or None
        None where `problem` is set.
    reasons : tuple of str
        Why it has to run; empty where its results are up to date.
    problem : str or None
        Why it cannot run.
    links : mapping
        Address, from its page, of files that it links to.
    """

    entry: Entry
    target: Path
    staging: Path
    given: Mapping[str, object] = field(default_factory=dict)
    stamp: Stamp | None = None
    reasons: tuple[str, ...] = ()
    problem: str | None = None
    links: Mapping[str, str] = field(default_factory=dict)


def plan(request: Request, layout: Layout) -> tuple[Task, ...]:
    """Tasks of a request, each with the reasons why it has to run.

    Raises
    ------
    InvalidInput
        A study, profile or parameter of the request is unknown, or a settings file is malformed. What is
        wrong with one notebook is that task's `problem`.
    """
    profiles = read_profiles(layout.nbconfig)
    notebooks = tuple(profiles.resolve(study) for study in request.studies)
    entries: list[Entry] = []
    for profile in request.profiles or DEFAULT_PROFILES:
        found = profiles.of(profile, notebooks)
        lacking = set(notebooks) - {entry.notebook for entry in found}
        if request.profiles and (lacking or not found):
            given = f"{profile} with {', '.join(sorted(lacking)) or 'none'}"
            raise InvalidInput("--profile", "one that profiles.yaml gives these notebooks", given)
        entries += found
    package = Package(layout.root)
    return tuple(_task(entry, request, profiles, layout, package) for entry in entries)


def _task(entry: Entry, request: Request, profiles: Profiles, layout: Layout, package: Package) -> Task:
    target = layout.target(entry.profile, request.run)
    staging = layout.staging(entry.profile, entry.notebook, request.run)
    try:
        notebook = read_notebook(layout.notebook(entry.notebook))
        declared = declared_parameters(notebook)
        refuse_out_of_step(layout.notebook(entry.notebook))
        given: dict[str, object] = {"profile": entry.profile}
        check_parameters(given, declared, where=f"{entry.notebook}: the batch")
        where = f"profiles.yaml: {entry.profile}.{entry.notebook}"
        check_parameters(entry.parameters, declared, where=where)
        given.update(entry.parameters)
        if request.smoke:
            smoke = profiles.smoke.get(entry.notebook, {})
            check_parameters(smoke, declared, where=f"smoke.yaml: {entry.notebook}")
            given.update(smoke)
    except InvalidInput as error:
        return Task(entry, target, staging, problem=str(error))
    given.update(_typed(request.parameters, declared, entry.notebook))
    parameters = check_parameters(given, declared, where=f"{entry.notebook}, -p")
    stamp = stamp_of(entry, notebook, parameters, layout, package)
    reasons = stale_because(target, entry.notebook, stamp) or (["--force"] if request.force else [])
    named = {name: [each.notebook for each in profiles.of(name)] for name in PROFILES}
    links = page_links(target, entry.profile, named, layout)
    return Task(entry, target, staging, given, stamp, tuple(reasons), links=links)


def _typed(
    parameters: Iterable[tuple[str, str]], declared: Mapping[str, object], notebook: str
) -> dict[str, object]:
    found = {}
    for name, text in parameters:
        refuse_unknown(name, declared, where=f"{notebook} (name the notebooks it is for: STUDY), -p")
        found[name] = value_from_text(text, declared[name], name=name)
    return found
