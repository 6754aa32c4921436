"""Recorded data sets as frames: parsed once from the upstream files, then kept as Parquet under the cache."""

import ast
import hashlib
import importlib
import importlib.util
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from judgekit.errors import InvalidInput, JudgekitError
from judgekit.sources.cache import cache_folder, disk_faults, mirror_folder, one_at_a_time
from judgekit.sources.download import Files, at_hand, fetch
from judgekit.sources.progress import say
from judgekit.sources.recording import Recording
from judgekit.sources.registry import read_registry

FRAMES = ("judgments", "items", "labels", "judges")
_CHECKSUMS = "sha256.json"
# Modules that bring bytes but do not decide what is parsed from them.
_NOT_PARSING = ("download", "registry", "cache", "mirror", "remote", "progress")


def load(
    dataset: str,
    *,
    columns: Sequence[str] | None = None,
    cache: Path | None = None,
    progress: Callable[[str], None] = say,
) -> Recording:
    """One recorded data set as checked frames.

    The first call fetches and parses; later ones read Parquet, as long as registry, loader and frame contract
    stay what they were.

    Parameters
    ----------
    dataset : str
        Name in `data/registry.csv`.
    columns : sequence of str, optional
        Columns of the judgments frame to read; all by default.
    cache : Path, optional
        By default `cache_folder()`.
    progress : callable
        Takes each line of progress.

    Raises
    ------
    InvalidInput
        Unknown data set or column, or frames that break the contract of `Recording`.
    MissingData
        Neither parsed data nor its upstream files can be had.
    """
    cache = cache or cache_folder()
    folder = parsed_folder(dataset, cache=cache)
    if importlib.util.find_spec(f"judgekit.sources.{dataset}") is None:
        raise InvalidInput("dataset", "one that judgekit.sources has a loader for", dataset)
    kept = _read(folder, dataset, columns)
    if kept is not None:
        return kept
    with one_at_a_time(
        folder.parent / "lock", lambda: progress(f"{dataset}: another process parses it; waiting")
    ):
        kept = _read(folder, dataset, columns)
        if kept is not None:
            return kept
        if folder.exists():
            progress(f"{dataset}: the parsed copy is damaged; parsing again")
        recording = _parse(dataset, fetch(dataset, cache=cache, progress=progress))
        try:
            _keep(folder, recording)
        except JudgekitError as error:
            progress(f"{dataset}: parsed, but not kept for the next time: {error}")
            return _as_read(recording, columns)
    stored = _read(folder, dataset, columns)
    return stored if stored is not None else _as_read(recording, columns)


def available(dataset: str, *, cache: Path | None = None) -> bool:
    """Whether `load` can do without a network: parsed, or every upstream file in the cache or a mirror.

    Looks at names and sizes only; `judgekit data verify` hashes.
    """
    cache, mirror = cache or cache_folder(), mirror_folder()
    if (parsed_folder(dataset, cache=cache) / _CHECKSUMS).is_file():
        return True
    rows = read_registry().of(dataset)
    return all(at_hand(row, cache=cache, mirror=mirror) is not None for row in rows)


def data_digest(dataset: str) -> str:
    """SHA-256 over the registry rows of a data set: changes when anything upstream that it reads does."""
    return read_registry().digest(dataset)


def parsed_folder(dataset: str, *, cache: Path) -> Path:
    """Folder of the parsed frames, keyed by registry digest, the loader's source and the frame contract."""
    key = hashlib.sha256(read_registry().digest(dataset).encode())
    for source in sorted(_parsing_sources(dataset)):
        key.update(hashlib.sha256(source.read_bytes()).digest())
    return cache / "parsed" / dataset / key.hexdigest()[:16]


def _parsing_sources(dataset: str) -> set[Path]:
    """Source files of the loader, of the modules of judgekit it imports, and of the frame contract."""
    found: set[Path] = set()
    names = [f"judgekit.sources.{dataset}", "judgekit.sources.recording"]
    while names:
        spec = importlib.util.find_spec(names.pop())
        if spec is None or spec.origin is None or Path(spec.origin) in found:
            continue
        found.add(Path(spec.origin))
        for node in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("judgekit"):
                names += [name for name in _imported(node) if name.split(".")[-1] not in _NOT_PARSING]
    return found


def _imported(node: ast.ImportFrom) -> list[str]:
    package = importlib.util.find_spec(node.module or "")
    if package is None or package.submodule_search_locations is None:
        return [node.module or ""]
    return [f"{node.module}.{alias.name}" for alias in node.names]


def _parse(dataset: str, files: Files) -> Recording:
    module = importlib.import_module(f"judgekit.sources.{dataset}")
    recording: Recording = module.parse(files)
    return recording.validate()


def _read(folder: Path, dataset: str, columns: Sequence[str] | None) -> Recording | None:
    """Parsed frames in `folder`; None where one is absent, truncated or altered."""
    try:
        checksums = json.loads((folder / _CHECKSUMS).read_bytes())
        content = {name: (folder / f"{name}.parquet").read_bytes() for name in FRAMES}
    except (OSError, ValueError):
        return None
    if checksums != {name: hashlib.sha256(content[name]).hexdigest() for name in FRAMES}:
        return None
    if columns is not None:
        _refuse_unknown(dataset, columns, pq.read_schema(io.BytesIO(content["judgments"])).names)
    chosen = {"judgments": list(columns)} if columns is not None else {}
    frames = {name: pd.read_parquet(io.BytesIO(content[name]), columns=chosen.get(name)) for name in FRAMES}
    return Recording(dataset, **frames)


def _keep(folder: Path, recording: Recording) -> None:
    """Write the frames and their checksums into `folder`, all or none; a damaged folder there is replaced."""
    with disk_faults(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as temporary:
            fresh = Path(temporary) / "fresh"
            fresh.mkdir()
            checksums = {}
            for name in FRAMES:
                content = getattr(recording, name).to_parquet(index=False, compression="zstd")
                checksums[name] = hashlib.sha256(content).hexdigest()
                (fresh / f"{name}.parquet").write_bytes(content)
            (fresh / _CHECKSUMS).write_text(json.dumps(checksums, indent=1) + "\n", encoding="utf-8")
            if folder.exists():
                folder.rename(Path(temporary) / "damaged")
            fresh.rename(folder)


def _as_read(recording: Recording, columns: Sequence[str] | None) -> Recording:
    """What reading the kept frames would give: rows numbered from 0, the chosen columns alone."""
    frames = {name: getattr(recording, name).reset_index(drop=True) for name in FRAMES}
    if columns is not None:
        _refuse_unknown(recording.dataset, columns, list(recording.judgments.columns))
        frames["judgments"] = frames["judgments"][list(columns)]
    return Recording(recording.dataset, **frames)


def _refuse_unknown(dataset: str, columns: Sequence[str], known: Sequence[str]) -> None:
    unknown = [column for column in columns if column not in known]
    if unknown:
        raise InvalidInput(f"{dataset} columns", f"some of {', '.join(known)}", ", ".join(unknown))
