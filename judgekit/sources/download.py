"""Upstream files of recorded data: from the cache, a mirror folder or GitHub, each checked by its hash."""

import os
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from judgekit.errors import InvalidInput, MissingData
from judgekit.sources.cache import cache_folder, mirror_folder, one_at_a_time, raw_file
from judgekit.sources.mirror import archive_file, open_archive, read_member
from judgekit.sources.progress import megabytes, say
from judgekit.sources.registry import BadFile, FileRow, Registry, read_registry
from judgekit.sources.remote import GITHUB, Network, Unreachable, fetch_archive, fetch_raw


@dataclass(frozen=True)
class Files:
    """The upstream files of one data set, at hand and checked.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    digest : str
        SHA-256 over its registry rows.
    places : dict
        Where each file lies: its file in the cache, or the archive in a mirror folder that holds it.
    """

    dataset: str
    digest: str
    places: dict[FileRow, Path] = field(repr=False)
    _archives: dict[Path, zipfile.ZipFile] = field(default_factory=dict, repr=False, compare=False)

    def read(self, path: str, repo: str | None = None) -> bytes:
        """Bytes of one file, hashed as they are read.

        Parameters
        ----------
        path : str
            Path inside the upstream repository.
        repo : str, optional
            OWNER/REPO; needed only where two repositories of the data set have that path.

        Raises
        ------
        InvalidInput
            The data set lists no such file, or several.
        MissingData
            The file was altered or removed since it was fetched.
        """
        rows = [row for row in self.places if row.path == path and repo in (None, row.repo)]
        if len(rows) != 1:
            given = f"{path} of {repo or 'any repository'}, listed {len(rows)} times"
            raise InvalidInput(f"{self.dataset} file", "one listed path, with repo where two have it", given)
        place = self.places[rows[0]]
        try:
            if place.name != f"{rows[0].commit}.zip":
                return read_cached(place, rows[0])
            if place not in self._archives:
                self._archives[place] = open_archive(place)
            return read_member(self._archives[place], rows[0])
        except BadFile as error:
            raise MissingFiles([self.dataset], str(error)) from None

    def paths(self, prefix: str = "", suffix: str = "", repo: str | None = None) -> list[str]:
        """Sorted upstream paths from `prefix` to `suffix`, of one repository where `repo` names it."""
        found = {row.path for row in self.places if repo in (None, row.repo)}
        return sorted(path for path in found if path.startswith(prefix) and path.endswith(suffix))


@dataclass(frozen=True)
class Located:
    """What of a data set is here: places of intact files, absent files, a line for each damaged one."""

    places: dict[FileRow, Path]
    absent: tuple[FileRow, ...]
    damaged: tuple[str, ...]


class MissingFiles(MissingData):
    """Upstream files that cannot be had: of which data sets, why, and whether for want of a network."""

    def __init__(self, datasets: Sequence[str], why: str, *, offline: bool = False) -> None:
        self.datasets, self.why, self.offline = tuple(datasets), why, offline
        named = os.environ.get("JUDGEKIT_MIRROR")
        lost = bool(named) and mirror_folder() is None
        hint = f"JUDGEKIT_MIRROR={named} is no folder" if lost else "it takes a network or a mirror"
        what = f"{', '.join(datasets)} ({why}{f'; {hint}' if offline or lost else ''})"
        super().__init__(what, f"judgekit data fetch {' '.join(datasets)}")


def read_cached(path: Path, row: FileRow) -> bytes:
    """Checked bytes of a cache file; raises BadFile where they cannot be read or are not the listed ones."""
    try:
        return row.checked(path.read_bytes(), str(path.parent))
    except OSError as error:
        raise BadFile(f"{path}: cannot be read ({error.strerror})") from error


def at_hand(row: FileRow, *, cache: Path, mirror: Path | None) -> str | None:
    """Where a file can be had without a network, by names and sizes alone: "cache", "mirror" or None."""
    path = raw_file(cache, row)
    if path.is_file() and path.stat().st_size == row.size:
        return "cache"
    return "mirror" if mirror is not None and archive_file(mirror, row).is_file() else None


def locate(rows: Sequence[FileRow], *, cache: Path, mirror: Path | None) -> Located:
    """Where the files are, cache before mirror, each hashed; neither network nor writing."""
    places: dict[FileRow, Path] = {}
    damaged: list[str] = []
    for row in rows:
        path = raw_file(cache, row)
        if path.is_file():
            try:
                read_cached(path, row)
                places[row] = path
            except BadFile as error:
                damaged.append(str(error))
    sought: dict[Path, list[FileRow]] = {}
    for row in rows:
        if mirror is not None and row not in places and archive_file(mirror, row).is_file():
            sought.setdefault(archive_file(mirror, row), []).append(row)
    for path, members in sought.items():
        try:
            with open_archive(path) as archive:
                for row in members:
                    try:
                        read_member(archive, row)
                        places[row] = path
                    except BadFile as error:
                        damaged.append(str(error))
        except BadFile as error:
            damaged.append(str(error))
    return Located(places, tuple(row for row in rows if row not in places), tuple(damaged))


def fetch(
    dataset: str,
    *,
    cache: Path | None = None,
    mirror: Path | None = None,
    registry: Registry | None = None,
    network: Network | None = GITHUB,
    progress: Callable[[str], None] = say,
) -> Files:
    """Upstream files of a data set: each from the cache, else a mirror, else the network; each hashed first.

    Parameters
    ----------
    dataset : str
        Name in `data/registry.csv`.
    cache, mirror : Path, optional
        Folders; by default those of `cache_folder` and `mirror_folder`. Nothing is written into a mirror.
    registry : Registry, optional
        By default the one in the checkout.
    network : Network or None
        Addresses and patience; None = stay off the network.
    progress : callable
        Takes each line of progress.

    Raises
    ------
    InvalidInput
        Unknown data set.
    MissingFiles
        A file is neither here nor to be had, or what came is not the listed file; the line says why.
    JudgekitError
        The disk is full or cannot be written.
    """
    registry = registry or read_registry()
    rows, cache = registry.of(dataset), cache or cache_folder()
    found = locate(rows, cache=cache, mirror=mirror or mirror_folder())
    if found.damaged:
        progress(f"{dataset}: {len(found.damaged)} damaged file(s) left aside; the first: {found.damaged[0]}")
    if found.absent and network is None:
        why = found.damaged[0] if found.damaged else f"{len(found.absent)} of {len(rows)} files"
        raise MissingFiles([dataset], why, offline=True)
    places = dict(found.places)
    if found.absent and network is not None:
        progress(_announcement(dataset, found.absent))
        for repo, commit in dict.fromkeys((row.repo, row.commit) for row in found.absent):
            wanted = [row for row in found.absent if (row.repo, row.commit) == (repo, commit)]
            listed = registry.of_commit(repo, commit)
            try:
                _bring(wanted, listed, cache=cache, network=network, progress=progress)
            except BadFile as error:
                raise MissingFiles([dataset], str(error), offline=isinstance(error, Unreachable)) from None
            progress(f"{dataset}: {len(wanted)} file(s) of {repo} are here and checked")
        places |= {row: raw_file(cache, row) for row in found.absent}
    return Files(dataset, registry.digest(dataset), places)


def _bring(
    wanted: Sequence[FileRow],
    listed: Sequence[FileRow],
    *,
    cache: Path,
    network: Network,
    progress: Callable[[str], None],
) -> None:
    first = wanted[0]
    lock = cache / "raw" / first.repo / f"{first.commit}.lock"
    with one_at_a_time(lock, lambda: progress(f"{first.repo}: another process is fetching it; waiting")):
        absent = locate(wanted, cache=cache, mirror=None).absent
        if absent and first.via == "archive":
            fetch_archive(absent, listed, cache=cache, network=network)
        elif absent:
            fetch_raw(absent, cache=cache, network=network)


def _announcement(dataset: str, absent: Sequence[FileRow]) -> str:
    size = megabytes(sum(row.size for row in absent))
    archives = len({(row.repo, row.commit) for row in absent if row.via == "archive"})
    packed = f", by way of {archives} commit archive(s) that hold more than these" if archives else ""
    return f"{dataset}: {len(absent)} file(s), {size} to fetch{packed}"
