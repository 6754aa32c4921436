"""Commit archives in a mirror folder (OWNER/REPO/COMMIT.zip): reading single files, writing such archives."""

import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from judgekit.sources.cache import write_whole
from judgekit.sources.registry import BadFile, FileRow

# What reading a damaged or foreign archive can raise; NotImplementedError and RuntimeError are zipfile's
# words for an unknown compression and for an encrypted member.
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
_DATE = (1980, 1, 1, 0, 0, 0)


def archive_file(mirror: Path, row: FileRow) -> Path:
    """Place, in a mirror folder, of the archive that holds a file."""
    return mirror / row.repo / f"{row.commit}.zip"


def member_name(row: FileRow) -> str:
    """Name of a file inside the archive that GitHub serves for its commit: REPO-COMMIT/path."""
    return f"{row.repo.split('/')[1]}-{row.commit}/{row.path}"


def open_archive(path: Path) -> zipfile.ZipFile:
    """Archive at `path`; raises BadFile where there is no readable zip file."""
    try:
        return zipfile.ZipFile(path)
    except _FAULTS as error:
        raise BadFile(f"{path}: not a readable zip archive ({error})") from error


def read_member(archive: zipfile.ZipFile, row: FileRow) -> bytes:
    """Checked bytes of one file in a commit's archive.

    Only this member is read, by name, and never more than its listed size: what else the archive holds, and
    wherever its names point, stays untouched.

    Raises
    ------
    BadFile
        The member is absent, damaged, or not the listed file.
    """
    where = str(archive.filename)
    try:
        with archive.open(member_name(row)) as member:
            content = member.read(row.size + 1)
    except KeyError as error:
        raise BadFile(f"{where}: has no member {member_name(row)}") from error
    except _FAULTS as error:
        raise BadFile(f"{where}: {row.path} is damaged ({error})") from error
    return row.checked(content, where)


def intact_members(path: Path, rows: Iterable[FileRow]) -> dict[FileRow, bytes]:
    """Files among `rows` that the archive at `path` holds, checked; none where it is absent or damaged."""
    found: dict[FileRow, bytes] = {}
    if not path.is_file():
        return found
    try:
        with open_archive(path) as archive:
            for row in rows:
                try:
                    found[row] = read_member(archive, row)
                except BadFile:
                    continue
    except BadFile:
        return found
    return found


def write_archive(path: Path, contents: Mapping[FileRow, bytes]) -> None:
    """Write one commit's archive, whole or not at all; equal contents give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for row in sorted(contents, key=lambda row: row.path):
            info = zipfile.ZipInfo(member_name(row), date_time=_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, contents[row])
    write_whole(path, buffer.getvalue())
