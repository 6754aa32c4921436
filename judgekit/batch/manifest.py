"""What is known about a profile's results: the committed manifest, and this machine's own record.

`manifest.json` is committed. It says, for each notebook, which run first gave the outputs that lie there:
stamp, when, seconds, seed, parameters, data digests, versions and each output's hash. A run that gives the
same bytes from the same parameters and data leaves it as it is, so that a rebuild on another day or machine
changes nothing unless a result changes.

`built.json` stays on this machine. It keeps the whole stamp of the last run here and the hashes of all that
it wrote, executed notebook and page included: results are fresh while that stamp and those hashes hold.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from judgekit.batch.disk import digest_of, write_json
from judgekit.batch.stamps import Stamp

MANIFEST = "manifest.json"
BUILT = "built.json"


@dataclass(frozen=True)
class Built:
    """The last run of one notebook on this machine.

    Attributes
    ----------
    stamp : mapping
        Record of the run's stamp.
    when : str
        End of the run, UTC, ISO 8601.
    seconds : float
        How long it took.
    files : mapping
        SHA-256 of each file it wrote, by path below the profile's folder.
    """

    stamp: Mapping[str, object]
    when: str
    seconds: float
    files: Mapping[str, str]

    def damaged(self, target: Path) -> list[str]:
        """Files of this run that are gone from `target` or hold other bytes, one phrase each."""
        found = []
        for name, digest in self.files.items():
            if not (target / name).is_file():
                found.append(f"{name} is missing")
            elif digest_of(target / name) != digest:
                found.append(f"{name} was altered")
        return found


def read_built(target: Path) -> dict[str, Built]:
    """Last run on this machine of each notebook whose results lie in `target`; empty where none is known."""
    known = {}
    for name, run in _read(target / BUILT).items():
        if isinstance(run, dict) and set(run) == {"stamp", "when", "seconds", "files"}:
            known[name] = Built(**run)
    return known


def built_here(target: Path) -> frozenset[str]:
    """Notebooks whose results in `target` were rebuilt on this machine and are as that run left them."""
    return frozenset(name for name, built in read_built(target).items() if not built.damaged(target))


def read_manifest(target: Path) -> dict[str, dict[str, Any]]:
    """Entries of the committed manifest in `target`, by notebook; empty where it is absent or damaged."""
    return {name: entry for name, entry in _read(target / MANIFEST).items() if isinstance(entry, dict)}


def stale_because(target: Path, notebook: str, stamp: Stamp) -> list[str]:
    """Why a notebook has to run again, one phrase each; empty where what lies in `target` is fresh."""
    built = read_built(target).get(notebook)
    if built is None:
        return ["it has not been run on this machine"]
    earlier = Stamp.from_record(built.stamp)
    if earlier is None:
        return ["its record is of another version"]
    return [*stamp.differences(earlier), *built.damaged(target)]


def record(target: Path, notebook: str, stamp: Stamp, built: Built, *, outputs: Iterable[str]) -> None:
    """Enter one finished run into both records.

    Parameters
    ----------
    target : Path
        The profile's folder.
    notebook : str
        Name of the notebook.
    stamp : Stamp
        Its stamp.
    built : Built
        The run.
    outputs : iterable of str
        Which of the run's files are committed results.
    """
    entries = read_manifest(target)
    entry = {
        "stamp": stamp.digest,
        "when": built.when,
        "seconds": built.seconds,
        "seed": stamp.seed,
        "parameters": dict(stamp.parameters),
        "data": dict(stamp.data),
        "data_digest": stamp.data_digest,
        "versions": dict(stamp.versions),
        "outputs": {name: built.files[name] for name in sorted(outputs)},
    }
    result = ("seed", "parameters", "data", "outputs")
    earlier = entries.get(notebook, {})
    if any(earlier.get(key) != entry[key] for key in result):
        write_json(target / MANIFEST, {"notebooks": {**entries, notebook: entry}})
    runs = {name: asdict(run) for name, run in read_built(target).items()}
    write_json(target / BUILT, {"notebooks": {**runs, notebook: asdict(built)}})


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["notebooks"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
