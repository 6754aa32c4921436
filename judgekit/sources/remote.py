"""HTTP: raw files and commit archives into the cache, resumed where they broke off, checked before placed."""

import io
import os
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import requests
from tqdm import tqdm

from judgekit.errors import JudgekitError
from judgekit.sources.cache import disk_faults, raw_file, write_whole
from judgekit.sources.mirror import open_archive, read_member
from judgekit.sources.progress import byte_bar
from judgekit.sources.registry import BadFile, FileRow

# requests rather than pooch: pooch throws a broken download away instead of going on from it, has no place
# for an archive whose own hash GitHub does not promise, and waits as long as a silent name server makes it.

_ATTEMPTS = 3
# Of a chunk that breaks off nothing is kept.
_CHUNK = 1 << 14


@dataclass(frozen=True)
class Network:
    """Where upstream files are served, and how patient to be.

    Attributes
    ----------
    raw : str
        Serves RAW/OWNER/REPO/COMMIT/PATH.
    archive : str
        Serves ARCHIVE/OWNER/REPO/archive/COMMIT.zip.
    timeout : float
        Seconds without an answer, or without a further byte, after which a download gives up.
    """

    raw: str = "https://raw.githubusercontent.com"
    archive: str = "https://github.com"
    timeout: float = 9.0


GITHUB = Network()


class Unreachable(BadFile):
    """No server answers: asking it for another file will not help."""


def fetch_raw(wanted: Sequence[FileRow], *, cache: Path, network: Network) -> None:
    """Bring single files into the cache; those that are complete stay, whatever happens to a later one.

    Raises
    ------
    BadFile
        No answer, not the file, or a connection that breaks off (the next call goes on there).
    JudgekitError
        The disk is full or cannot be written.
    """
    repo = wanted[0].repo
    with requests.Session() as session, byte_bar(repo, sum(row.size for row in wanted)) as bar:
        for row in wanted:
            url = f"{network.raw}/{row.repo}/{row.commit}/{quote(row.path)}"
            target = raw_file(cache, row)
            part = target.with_name(target.name + ".part")
            resumed = part.exists()
            try:
                _place(session, url, row, part, network=network, bar=bar)
            except _NotListed:
                if not resumed:
                    raise
                _place(session, url, row, part, network=network, bar=bar)


class _NotListed(BadFile):
    """A complete download whose bytes are not the listed ones."""


def _place(
    session: requests.Session, url: str, row: FileRow, part: Path, *, network: Network, bar: tqdm
) -> None:
    _download(session, url, part, size=row.size, timeout=network.timeout, bar=bar)
    try:
        row.checked(part.read_bytes(), url)
    except BadFile as error:
        part.unlink(missing_ok=True)
        raise _NotListed(str(error)) from error
    with disk_faults(part):
        os.replace(part, part.with_suffix(""))


def fetch_archive(
    wanted: Sequence[FileRow], listed: Sequence[FileRow], *, cache: Path, network: Network
) -> None:
    """Bring the archive of one commit, keep its listed files, each checked, in the cache; drop the archive.

    Parameters
    ----------
    wanted : sequence of FileRow
        Files that must come out of it.
    listed : sequence of FileRow
        All files of that commit in the registry; other data sets' files are kept as well where intact.

    Raises
    ------
    BadFile, JudgekitError
        As `fetch_raw`; also where a wanted member is absent or altered.
    """
    repo, commit = wanted[0].repo, wanted[0].commit
    url = f"{network.archive}/{repo}/archive/{commit}.zip"
    part = cache / "raw" / repo / f"{commit}.zip.part"
    resumed = part.exists()
    with requests.Session() as session, byte_bar(repo, None) as bar:
        _download(session, url, part, size=None, timeout=network.timeout, bar=bar)
        try:
            _keep_listed(part, wanted, listed, cache)
        except BadFile:
            if not resumed:
                raise
            _download(session, url, part, size=None, timeout=network.timeout, bar=bar)
            _keep_listed(part, wanted, listed, cache)


def _keep_listed(part: Path, wanted: Sequence[FileRow], listed: Sequence[FileRow], cache: Path) -> None:
    faults: list[BadFile] = []
    needed = {row.path for row in wanted}
    try:
        with open_archive(part) as archive:
            for row in listed:
                try:
                    content = read_member(archive, row)
                except BadFile as error:
                    faults += [error] if row.path in needed else []
                    continue
                write_whole(raw_file(cache, row), content)
    finally:
        part.unlink(missing_ok=True)
    if faults:
        raise faults[0]


def _download(
    session: requests.Session, url: str, part: Path, *, size: int | None, timeout: float, bar: tqdm
) -> None:
    """Complete `part` from `url`, going on from what is there; a few attempts, as connections break off."""
    with disk_faults(part):
        part.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(_ATTEMPTS):
        if size is not None and _length(part) == size:
            return
        try:
            _append(session, url, part, size=size, timeout=timeout, bar=bar)
        except _BrokenOff as error:
            if attempt == _ATTEMPTS - 1:
                raise BadFile(str(error)) from error
        else:
            return


class _BrokenOff(BadFile):
    """A connection that ended before the file did."""


def _append(
    session: requests.Session, url: str, part: Path, *, size: int | None, timeout: float, bar: tqdm
) -> None:
    have = _length(part)
    response = _answer(session, url, have, timeout)
    with response:
        ranged = response.status_code == 206
        if response.status_code == 416 or (ranged and not _starts_at(response, have)):
            part.unlink(missing_ok=True)
            raise _BrokenOff(f"{url}: the server cannot go on from byte {have}")
        if response.status_code not in (200, 206):
            raise BadFile(f"{url}: the server answers HTTP {response.status_code} {response.reason}")
        if size is None:
            bar.total = int(response.headers.get("Content-Length", 0)) or None
        _write_body(response, part, have if ranged else 0, size=size, timeout=timeout, bar=bar)


def _write_body(
    response: requests.Response, part: Path, start: int, *, size: int | None, timeout: float, bar: tqdm
) -> None:
    got = start
    try:
        with disk_faults(part):
            file = part.open("ab" if start else "wb", buffering=0)
        with file:
            for chunk in response.iter_content(_CHUNK):
                with disk_faults(part):
                    _write_all(file, chunk)
                got += len(chunk)
                bar.update(len(chunk))
                if size is not None and got > size:
                    return
    except requests.exceptions.ChunkedEncodingError as error:
        raise _BrokenOff(_kept(response.url, got, "the connection broke off")) from error
    except requests.exceptions.RequestException as error:
        raise BadFile(_kept(response.url, got, f"nothing more came within {timeout:g} s")) from error
    except JudgekitError:
        part.unlink(missing_ok=True)
        raise
    if size is not None and got < size:
        raise _BrokenOff(_kept(response.url, got, f"the server sent {got} of {size} bytes"))


def _write_all(file: io.FileIO, chunk: bytes) -> None:
    # On a disk that fills up an unbuffered write takes a part, and says so by its count alone; a buffered one
    # would fail again on closing.
    rest = memoryview(chunk)
    while rest:
        rest = rest[file.write(rest) :]


def _kept(url: str, got: int, why: str) -> str:
    return f"{url}: {why}; the {got} bytes that came are kept and the next run goes on from there"


def _answer(session: requests.Session, url: str, have: int, timeout: float) -> requests.Response:
    """Response of the server, up to its headers, or BadFile within `timeout` seconds.

    The request runs in a thread of its own, because the timeout of requests counts neither name resolution
    nor trying several addresses of a host one after another.
    """
    # Sizes, ranges and hashes are those of the file itself, not of a compressed transfer.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    answers: queue.SimpleQueue[requests.Response | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(session.get(url, headers=headers, stream=True, timeout=timeout))
        except Exception as error:
            answers.put(error)

    host = urlsplit(url).netloc
    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=timeout)
    except queue.Empty:
        raise Unreachable(f"no answer from {host} within {timeout:g} s") from None
    if isinstance(answer, requests.exceptions.Timeout):
        raise Unreachable(f"no answer from {host} within {timeout:g} s") from answer
    if isinstance(answer, Exception):
        raise Unreachable(f"cannot reach {host} ({type(answer).__name__})") from answer
    return answer


def _starts_at(response: requests.Response, have: int) -> bool:
    return response.headers.get("Content-Range", "").startswith(f"bytes {have}-")


def _length(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
