"""Fetching a data set over real HTTP: resolution order, checks, resumption and each way it goes wrong."""

import errno
import io
import multiprocessing
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgekit.errors import InvalidInput, JudgekitError, MissingData
from judgekit.sources.cache import raw_file
from judgekit.sources.download import Files, MissingFiles, fetch
from judgekit.sources.mirror import archive_file, write_archive
from judgekit.sources.registry import FileRow, Registry
from judgekit.sources.remote import Network
from tests.sources import loopback
from tests.sources.loopback import ARCHIVE_URL, CONTENT, PACKED, RAW, REGISTRY, Site, raw_url

# Whole chunks are kept of a body that breaks off.
CHUNK = 16_384
KEPT = len(CONTENT[RAW, "first one.json"]) // 2 // CHUNK * CHUNK
FIRST, SECOND = "first one.json", "deep/second=x,y.csv"


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGEKIT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def site() -> Iterator[Site]:
    with loopback.serving() as served:
        yield served


class Fetcher:
    """`fetch` on the tiny registry and one cache, keeping the lines it says."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.lines: list[str] = []

    def __call__(
        self,
        dataset: str,
        network: Network | None = None,
        *,
        mirror: Path | None = None,
        registry: Registry = REGISTRY,
    ) -> Files:
        options = {"cache": self.cache, "mirror": mirror, "registry": registry, "network": network}
        return fetch(dataset, progress=self.lines.append, **options)

    def kept(self) -> set[str]:
        """Files below the cache but locks."""
        return {
            str(path.relative_to(self.cache / "raw"))
            for path in self.cache.rglob("*")
            if path.is_file() and path.suffix != ".lock"
        }


@pytest.fixture
def get(tmp_path: Path) -> Fetcher:
    return Fetcher(tmp_path / "cache")


def in_cache(repo: str, path: str) -> str:
    return f"{repo}/{loopback.COMMIT}/{path}"


def assert_clear(error: pytest.ExceptionInfo[BaseException], *parts: str) -> None:
    assert "\n" not in str(error.value)
    for part in parts:
        assert part in str(error.value)


def test_raw_files_come_over_http_and_then_from_the_cache(get: Fetcher, site: Site) -> None:
    files = get("raws", site.network)
    assert [files.read(path) for path in (FIRST, SECOND)] == [CONTENT[RAW, FIRST], CONTENT[RAW, SECOND]]
    assert get("raws").read(FIRST, RAW) == CONTENT[RAW, FIRST]
    assert len(site.asked) == 2


def test_total_size_is_said_before_the_first_request(get: Fetcher, site: Site) -> None:
    asked_when_said: list[int] = []
    fetch(
        "raws",
        cache=get.cache,
        registry=REGISTRY,
        network=site.network,
        progress=lambda line: asked_when_said.append(len(site.asked)) if "0.2 MB to fetch" in line else None,
    )
    assert asked_when_said == [0]


def test_truncated_body_is_resumed_where_it_broke_off(get: Fetcher, site: Site) -> None:
    site.moods[raw_url(FIRST)] = ["truncate"]
    assert get("raws", site.network).read(FIRST) == CONTENT[RAW, FIRST]
    assert [wanted for path, wanted in site.asked if path == raw_url(FIRST)] == [None, f"bytes={KEPT}-"]


def test_truncated_body_is_restarted_where_the_server_has_no_ranges(get: Fetcher, site: Site) -> None:
    site.moods[raw_url(FIRST)] = ["truncate", "no range"]
    assert get("raws", site.network).read(FIRST) == CONTENT[RAW, FIRST]


def test_next_run_goes_on_from_what_a_stalled_one_left(get: Fetcher) -> None:
    with loopback.serving(timeout=0.4) as site:
        site.moods[raw_url(FIRST)] = ["stall"]
        with pytest.raises(MissingData) as error:
            get("raws", site.network)
        assert_clear(error, "nothing more came within 0.4 s", f"{KEPT} bytes", "judgekit data fetch raws")
        assert get.kept() == {in_cache(RAW, FIRST) + ".part"}
        site.asked.clear()
        assert get("raws", site.network).read(FIRST) == CONTENT[RAW, FIRST]
        assert site.asked[0] == (raw_url(FIRST), f"bytes={KEPT}-")
        assert get.kept() == {in_cache(RAW, FIRST), in_cache(RAW, SECOND)}


def test_part_file_of_other_bytes_is_dropped_and_fetched_anew(get: Fetcher, site: Site) -> None:
    part = get.cache / "raw" / (in_cache(RAW, FIRST) + ".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"?" * 1000)
    assert get("raws", site.network).read(FIRST) == CONTENT[RAW, FIRST]


def test_oversized_part_file_is_fetched_anew(get: Fetcher, site: Site) -> None:
    part = get.cache / "raw" / (in_cache(RAW, FIRST) + ".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"?" * 200_000)
    assert get("raws", site.network).read(FIRST) == CONTENT[RAW, FIRST]


def test_wrong_hash_is_refused_and_not_kept(get: Fetcher, site: Site) -> None:
    site.moods[raw_url(SECOND)] = ["wrong"] * 3
    with pytest.raises(MissingData) as error:
        get("raws", site.network)
    assert_clear(error, SECOND, "sha256", "judgekit data fetch raws")
    assert get.kept() == {in_cache(RAW, FIRST)}


def test_longer_body_than_listed_is_refused(get: Fetcher, site: Site) -> None:
    site.bodies[raw_url(SECOND)] += b"more"
    with pytest.raises(MissingData) as error:
        get("raws", site.network)
    assert_clear(error, "3504 bytes, not 3500")


def test_absent_file_upstream_says_404_and_keeps_the_rest(get: Fetcher, site: Site) -> None:
    site.moods[raw_url(SECOND)] = ["404"]
    with pytest.raises(MissingFiles) as error:
        get("raws", site.network)
    assert_clear(error, "HTTP 404")
    assert not error.value.offline
    assert get.kept() == {in_cache(RAW, FIRST)}


def test_refused_connection_says_so_in_one_line(get: Fetcher) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(MissingFiles) as error:
            get("raws", Network(raw=address, archive=address))
    assert_clear(
        error, f"cannot reach {address[7:]}", "it takes a network or a mirror", "judgekit data fetch raws"
    )
    assert error.value.offline


def test_silent_server_is_given_up(get: Fetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(MissingFiles) as error:
            get("raws", Network(raw=address, archive=address, timeout=0.3))
    assert_clear(error, f"no answer from {address[7:]} within 0.3 s")


def test_silent_name_server_is_given_up(get: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def silence(*arguments: object, **options: object) -> None:
        released.wait(10)
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", silence)
    try:
        with pytest.raises(MissingFiles) as error:
            get("raws", Network(raw="http://host.invalid", timeout=0.3))
    finally:
        released.set()
    assert_clear(error, "no answer from host.invalid within 0.3 s")


def test_default_patience_is_below_ten_seconds() -> None:
    assert Network().timeout < 10


def test_archive_keeps_listed_members_alone(get: Fetcher, site: Site) -> None:
    assert get("packed", site.network).read("a/left.json") == CONTENT[PACKED, "a/left.json"]
    assert get.kept() == {in_cache(PACKED, "a/left.json"), in_cache(PACKED, "a/right.json")}


def test_archive_serves_every_data_set_that_reads_it(get: Fetcher, site: Site) -> None:
    get("packed", site.network)
    assert get("other").read("a/right.json") == CONTENT[PACKED, "a/right.json"]
    assert site.asked == [(ARCHIVE_URL, None)]


def test_members_that_point_outside_are_never_written(get: Fetcher, site: Site, tmp_path: Path) -> None:
    site.bodies[ARCHIVE_URL] = loopback.archive_bytes(
        {
            "../../../../../../escaped.txt": b"out",
            f"packed-{loopback.COMMIT}/../../../../../escaped.txt": b"out",
            str(tmp_path / "absolute.txt"): b"out",
            f"packed-{loopback.COMMIT}/a/left.json": CONTENT[PACKED, "a/left.json"],
        }
    )
    get("packed", site.network)
    assert get.kept() == {in_cache(PACKED, "a/left.json")}
    assert not list(tmp_path.rglob("*escaped*")) + list(tmp_path.rglob("*absolute*"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (loopback.archive_bytes({"packed/a/left.json": b"elsewhere"}), "has no member"),
        (
            loopback.archive_bytes({f"packed-{loopback.COMMIT}/a/left.json": b"altered"}),
            "7 bytes, not 100000",
        ),
        (b"<html>please log in</html>", "not a readable zip archive"),
    ],
    ids=["absent member", "altered member", "no archive"],
)
def test_archive_without_the_listed_file_is_refused(
    get: Fetcher, site: Site, body: bytes, reason: str
) -> None:
    site.bodies[ARCHIVE_URL] = body
    with pytest.raises(MissingData) as error:
        get("packed", site.network)
    assert_clear(error, reason)
    assert get.kept() == set()


def test_truncated_archive_is_resumed(get: Fetcher, site: Site) -> None:
    site.moods[ARCHIVE_URL] = ["truncate"]
    assert get("packed", site.network).read("a/left.json") == CONTENT[PACKED, "a/left.json"]
    kept = len(site.bodies[ARCHIVE_URL]) // 2 // CHUNK * CHUNK
    assert site.asked == [(ARCHIVE_URL, None), (ARCHIVE_URL, f"bytes={kept}-")]


def test_archive_part_that_does_not_fit_is_fetched_anew(get: Fetcher, site: Site) -> None:
    part = get.cache / "raw" / PACKED / f"{loopback.COMMIT}.zip.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"?" * 50)
    assert get("packed", site.network).read("a/left.json") == CONTENT[PACKED, "a/left.json"]


@pytest.mark.parametrize(
    "damage", [lambda old: old[:-1], lambda old: b"X" + old[1:]], ids=["truncated", "altered"]
)
def test_damaged_cache_file_is_fetched_again(get: Fetcher, site: Site, damage) -> None:
    path = get("raws", site.network).places[REGISTRY.rows[0]]
    path.write_bytes(damage(path.read_bytes()))
    assert get("raws", site.network).read(FIRST) == CONTENT[RAW, FIRST]
    assert any("damaged" in line for line in get.lines)
    assert path.read_bytes() == CONTENT[RAW, FIRST]


def test_damaged_cache_file_without_a_network_is_named_and_left(get: Fetcher, site: Site) -> None:
    path = get("raws", site.network).places[REGISTRY.rows[0]]
    path.write_bytes(b"altered")
    with pytest.raises(MissingData) as error:
        get("raws")
    assert_clear(error, FIRST, "7 bytes, not 180000", "judgekit data fetch raws")
    assert path.read_bytes() == b"altered"


def test_file_altered_after_fetching_is_not_handed_out(get: Fetcher, site: Site) -> None:
    files = get("raws", site.network)
    files.places[REGISTRY.rows[0]].write_bytes(b"altered")
    with pytest.raises(MissingData, match="7 bytes, not 180000"):
        files.read(FIRST)


def test_mirror_comes_before_the_network_and_fills_in_for_a_damaged_cache(
    get: Fetcher, site: Site, tmp_path: Path
) -> None:
    first = REGISTRY.rows[0]
    contents = {entry: CONTENT[RAW, entry.path] for entry in REGISTRY.of("raws")}
    write_archive(archive_file(tmp_path / "mirror", first), contents)
    raw_file(get.cache, first).parent.mkdir(parents=True)
    raw_file(get.cache, first).write_bytes(b"altered")
    assert get("raws", site.network, mirror=tmp_path / "mirror").read(FIRST) == CONTENT[RAW, FIRST]
    assert site.asked == []


def test_damaged_mirror_gives_way_to_the_network(get: Fetcher, site: Site, tmp_path: Path) -> None:
    path = archive_file(tmp_path / "mirror", REGISTRY.rows[0])
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PK no archive")
    assert get("raws", site.network, mirror=tmp_path / "mirror").read(FIRST) == CONTENT[RAW, FIRST]
    assert any("not a readable zip archive" in line for line in get.lines)


def test_mirror_variable_that_names_no_folder_is_said(
    get: Fetcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUDGEKIT_MIRROR", str(tmp_path / "absent"))
    with pytest.raises(MissingData) as error:
        get("raws")
    assert_clear(error, "2 of 2 files", "is no folder")


def test_full_disk_says_so_and_leaves_nothing_half_written(
    get: Fetcher, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("judgekit.sources.cache.os.replace", full)
    with pytest.raises(JudgekitError) as error:
        get("packed", site.network)
    assert_clear(error, "no space left on the disk")
    assert get.kept() == set()


def test_disk_that_fills_up_during_a_download_keeps_earlier_files(
    get: Fetcher, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    get("raws", site.network)
    second = raw_file(get.cache, REGISTRY.rows[1])
    second.unlink()
    plain_open = Path.open

    class Full(io.FileIO):
        """Takes 1000 bytes in all, the last of them as a part of a write, as a disk does."""

        def write(self, chunk: memoryview) -> int:
            if (room := 1000 - self.tell()) == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(chunk[:room])

    def open_full(path: Path, mode: str = "r", *arguments: object, **options: object) -> object:
        return Full(path, "w") if path.suffix == ".part" else plain_open(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(JudgekitError) as error:
        get("raws", site.network)
    assert_clear(error, "no space left on the disk", SECOND)
    assert get.kept() == {in_cache(RAW, FIRST)}


def test_two_fetches_at_once_ask_once(get: Fetcher, site: Site) -> None:
    site.moods[raw_url(FIRST)] = ["held"]
    fetched: list[bytes] = []

    def listen(line: str) -> None:
        if "another process is fetching it; waiting" in line:
            site.release.set()

    def work() -> None:
        files = fetch("raws", cache=get.cache, registry=REGISTRY, network=site.network, progress=listen)
        fetched.append(files.read(FIRST))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetched == [CONTENT[RAW, FIRST]] * 2
    assert len(site.asked) == 2
    assert site.release.is_set()


def _fetch_in_process(cache: Path, network: Network) -> None:
    fetch("raws", cache=cache, registry=REGISTRY, network=network, progress=lambda line: None).read(FIRST)


def test_two_processes_at_once_ask_once(get: Fetcher, site: Site) -> None:
    site.moods[raw_url(FIRST)] = ["slow"]
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_fetch_in_process, args=(get.cache, site.network), daemon=True)
        for _ in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(site.asked) == 2


def test_unknown_names_are_refused(get: Fetcher, site: Site) -> None:
    with pytest.raises(InvalidInput, match=r"raws, packed, other; given rawz"):
        get("rawz", site.network)
    with pytest.raises(InvalidInput, match=r"listed 0 times"):
        get("raws", site.network).read("third.json")


def test_path_that_two_repositories_have_needs_its_repository(tmp_path: Path) -> None:
    one = loopback.row("both", RAW, FIRST)
    two = FileRow("both", "owner/copy", loopback.COMMIT, FIRST, one.size, one.sha256, "MIT", "raw")
    (tmp_path / "file").write_bytes(CONTENT[RAW, FIRST])
    files = Files("both", "0" * 64, {one: tmp_path / "file", two: tmp_path / "file"})
    assert files.read(FIRST, "owner/copy") == CONTENT[RAW, FIRST]
    assert files.paths() == [FIRST]
    with pytest.raises(InvalidInput, match="listed 2 times"):
        files.read(FIRST)


def test_paths_are_sorted_and_filtered(get: Fetcher, site: Site) -> None:
    files = get("raws", site.network)
    assert files.paths() == [SECOND, FIRST]
    assert files.paths(prefix="deep/") == files.paths(suffix=".csv") == [SECOND]
    assert files.paths(repo=PACKED) == []
