"""The `judgekit data` command: fetch, verify and list recorded data, and export it as a mirror folder."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from judgekit.sources.cache import cache_folder, mirror_folder
from judgekit.sources.download import Files, MissingFiles, at_hand, fetch, locate
from judgekit.sources.mirror import archive_file, intact_members, write_archive
from judgekit.sources.progress import megabytes, say
from judgekit.sources.registry import FileRow, Registry, read_registry
from judgekit.sources.remote import GITHUB, Network

app = typer.Typer()

Names = Annotated[list[str] | None, typer.Argument(metavar="[DATASET]...", help="All if none is named.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write; made if absent.")]


def _export_and_leave(folder: Path | None) -> None:
    if folder is not None:
        export_mirror(folder, read_registry().datasets, network=GITHUB)
        raise typer.Exit


@app.callback()
def data(
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            callback=_export_and_leave,
            help="Write a mirror of all data sets, as `export DIR` does.",
        ),
    ] = None,
) -> None:
    """Fetch, verify, list and export the recorded data.

    Example: judgekit data fetch llmbar jbb

    Files come from the cache ($JUDGEKIT_CACHE, else data/cache), else from a mirror ($JUDGEKIT_MIRROR), else
    from GitHub; each is checked against the sha256 in data/registry.csv.
    """


@app.command("fetch")
def fetch_command(datasets: Names = None) -> None:
    """Bring data sets to this machine, the total size told first; what is here already is checked and kept.

    Example: judgekit data fetch llmbar jbb
    """
    for files in bring(_chosen(datasets), network=GITHUB):
        typer.echo(f"{files.dataset}: {len(files.places)} files at hand, each checked")


@app.command("verify")
def verify_command(datasets: Names = None) -> None:
    """Hash every file that is here; exit 1 where one is damaged, or a named data set is incomplete.

    Example: judgekit data verify llmbar
    """
    registry, sound = read_registry(), True
    for name in _chosen(datasets):
        rows = registry.of(name)
        found = locate(rows, cache=cache_folder(), mirror=mirror_folder())
        intact = f"{len(found.places)} of {len(rows)} files here and intact"
        typer.echo(f"{name}: {intact}, {len(found.damaged)} damaged")
        for line in found.damaged:
            say(line)
        sound = sound and not found.damaged and not (datasets and found.absent)
    if not sound:
        say("Damaged or absent files are replaced by: judgekit data fetch")
        raise typer.Exit(1)


@app.command("list")
def list_command() -> None:
    """Data sets with size, licences found upstream, and whether their files are here (by name, not hashed).

    Example: judgekit data list
    """
    registry = read_registry()
    for name in registry.datasets:
        rows = registry.of(name)
        licences = ", ".join(dict.fromkeys(row.licence for row in rows))
        size = megabytes(sum(row.size for row in rows))
        typer.echo(f"{name:<18}{len(rows):>5} files {size:>9}  {_presence(rows):<9} licence: {licences}")


@app.command("export")
def export_command(folder: Folder, datasets: Names = None) -> None:
    """Write a mirror folder for a machine without a network, and name it there in JUDGEKIT_MIRROR.

    Example: judgekit data export /media/stick/judge-data
    """
    export_mirror(folder, _chosen(datasets), network=GITHUB)


def bring(
    datasets: Sequence[str],
    *,
    network: Network | None,
    registry: Registry | None = None,
    progress: Callable[[str], None] = say,
) -> list[Files]:
    """Files of several data sets; one that cannot be had does not stop the others.

    Once no server answers, the network is left alone: the wait of seconds happens once.

    Raises
    ------
    MissingFiles
        At the end, one line for all that could not be had, with the first reason.
    """
    rows = [row for name in datasets for row in (registry or read_registry()).of(name)]
    lacking = [row for row in rows if at_hand(row, cache=cache_folder(), mirror=mirror_folder()) is None]
    if lacking and len(datasets) > 1:
        size = megabytes(sum(row.size for row in lacking))
        progress(f"{len(lacking)} file(s) of {len(datasets)} data sets, {size} in all, to fetch")
    had: list[Files] = []
    reasons: dict[str, MissingFiles] = {}
    for name in datasets:
        try:
            had.append(fetch(name, registry=registry, network=network, progress=progress))
        except MissingFiles as error:
            network = None if error.offline else network
            reasons[name] = error
    if len(reasons) == 1:
        raise next(iter(reasons.values()))
    if reasons:
        for files in had:
            progress(f"{files.dataset}: {len(files.places)} files at hand, each checked")
        first = next(iter(reasons.values()))
        raise MissingFiles(list(reasons), f"the first: {first.why}", offline=first.offline)
    return had


def export_mirror(
    folder: Path,
    datasets: Sequence[str],
    *,
    network: Network | None,
    registry: Registry | None = None,
    progress: Callable[[str], None] = say,
) -> None:
    """Write OWNER/REPO/COMMIT.zip below `folder` for every upstream commit the data sets read.

    Files of other data sets that an archive there holds already are kept, where intact.
    """
    registry = registry or read_registry()
    holders: dict[FileRow, Files] = {}
    for files in bring(datasets, registry=registry, network=network, progress=progress):
        holders |= dict.fromkeys(files.places, files)
    for repo, commit in dict.fromkeys((row.repo, row.commit) for row in holders):
        listed = registry.of_commit(repo, commit)
        path = archive_file(folder, listed[0])
        chosen = [row for row in holders if (row.repo, row.commit) == (repo, commit)]
        paths = {row.path for row in chosen}
        contents = intact_members(path, [row for row in listed if row.path not in paths])
        contents |= {row: holders[row].read(row.path, row.repo) for row in chosen}
        write_archive(path, contents)
        progress(f"{path}: {len(contents)} files")


def _chosen(datasets: Sequence[str] | None) -> Sequence[str]:
    registry = read_registry()
    for name in datasets or ():
        registry.of(name)
    return list(dict.fromkeys(datasets)) if datasets else registry.datasets


def _presence(rows: Sequence[FileRow]) -> str:
    places = {at_hand(row, cache=cache_folder(), mirror=mirror_folder()) for row in rows}
    if places == {None}:
        return "absent"
    return "partly" if None in places else " + ".join(sorted(place for place in places if place))
