"""`judgekit data`: fetch, verify, list and export, with their exit codes and their single lines of error."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from judgekit.sources.cache import raw_file
from judgekit.sources.data_command import app, bring, export_mirror
from judgekit.sources.download import MissingFiles, fetch
from judgekit.sources.registry import read_registry
from judgekit.sources.remote import Network
from tests.sources import loopback
from tests.sources.loopback import ARCHIVE_URL, CONTENT, PACKED, RAW, REGISTRY, Site, raw_url


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Site]:
    monkeypatch.delenv("JUDGEKIT_MIRROR", raising=False)
    monkeypatch.setenv("JUDGEKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for where in ("data_command", "download"):
        monkeypatch.setattr(f"judgekit.sources.{where}.read_registry", lambda: REGISTRY)
    with loopback.serving() as served:
        monkeypatch.setattr("judgekit.sources.data_command.GITHUB", served.network)
        yield served


def typed(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_fetch_brings_all_and_says_the_size(site: Site) -> None:
    result = typed("fetch")
    assert result.exit_code == 0
    assert result.stderr.startswith("4 file(s) of 3 data sets, 0.4 MB in all, to fetch\n")
    assert "raws: 2 file(s), 0.2 MB to fetch" in result.stderr
    assert "packed: 1 file(s), 0.1 MB to fetch, by way of 1 commit archive(s)" in result.stderr
    assert result.stdout.splitlines() == [
        "raws: 2 files at hand, each checked",
        "packed: 1 files at hand, each checked",
        "other: 1 files at hand, each checked",
    ]


def test_fetch_of_one_leaves_the_others(site: Site) -> None:
    assert typed("fetch", "raws").exit_code == 0
    assert {path for path, _ in site.asked} == {raw_url(path) for repo, path in CONTENT if repo == RAW}


def test_unknown_data_set_is_refused_before_any_request(site: Site) -> None:
    result = typed("fetch", "raws", "rawz")
    assert "allowed is one of raws, packed, other; given rawz" in str(result.exception)
    assert site.asked == []


def test_one_data_set_that_fails_does_not_stop_the_rest(site: Site) -> None:
    del site.bodies[ARCHIVE_URL]
    result = typed("fetch", "packed", "raws", "other")
    assert result.exit_code != 0
    message = str(result.exception)
    assert message.startswith("packed, other (the first: ")
    assert "HTTP 404" in message
    assert message.endswith("run: judgekit data fetch packed other")
    assert "raws: 2 files at hand, each checked" in result.stderr


def test_network_is_tried_once_when_nothing_answers(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        lines: list[str] = []
        with pytest.raises(MissingFiles) as error:
            bring(REGISTRY.datasets, network=Network(address, address, timeout=0.2), progress=lines.append)
    assert error.value.datasets == ("raws", "packed", "other")
    assert error.value.offline
    assert [line for line in lines if "to fetch" in line] == [
        "4 file(s) of 3 data sets, 0.4 MB in all, to fetch",
        "raws: 2 file(s), 0.2 MB to fetch",
    ]


def test_verify_tells_intact_damaged_and_absent(site: Site, tmp_path: Path) -> None:
    assert typed("verify", "raws").exit_code == 1
    assert typed("verify").exit_code == 0
    typed("fetch", "raws")
    assert typed("verify", "raws").stdout == "raws: 2 of 2 files here and intact, 0 damaged\n"
    raw_file(tmp_path / "cache", REGISTRY.rows[0]).write_bytes(b"altered")
    damaged = typed("verify")
    assert damaged.exit_code == 1
    assert damaged.stdout.splitlines()[0] == "raws: 1 of 2 files here and intact, 1 damaged"
    assert "first one.json has 7 bytes, not 180000" in damaged.stderr


def test_list_shows_size_licence_and_presence(site: Site, tmp_path: Path) -> None:
    assert typed("list").stdout.splitlines()[0].split() == [
        *("raws", "2", "files", "0.2", "MB", "absent"),
        *("licence:", "none", "found"),
    ]
    typed("fetch", "raws")
    assert " cache " in typed("list").stdout.splitlines()[0]
    raw_file(tmp_path / "cache", REGISTRY.rows[0]).unlink()
    assert " partly " in typed("list").stdout.splitlines()[0]


@pytest.mark.parametrize("words", [["--export"], ["export"]])
def test_exported_mirror_stands_in_for_the_network(site: Site, tmp_path: Path, words: list[str]) -> None:
    assert typed(*words, str(tmp_path / "mirror")).exit_code == 0
    for name in REGISTRY.datasets:
        options = {"cache": tmp_path / "empty", "mirror": tmp_path / "mirror", "registry": REGISTRY}
        files = fetch(name, network=None, **options)
        for row in REGISTRY.of(name):
            assert files.read(row.path, row.repo) == CONTENT[row.repo, row.path]
    assert not (tmp_path / "empty").exists()


def test_export_adds_to_a_mirror_that_is_there(site: Site, tmp_path: Path) -> None:
    typed("export", str(tmp_path), "packed")
    typed("export", str(tmp_path), "other")
    for name in ("packed", "other"):
        fetch(name, cache=tmp_path / "empty", mirror=tmp_path, registry=REGISTRY, network=None)
    assert [path.name for path in (tmp_path / PACKED).iterdir()] == [f"{loopback.COMMIT}.zip"]


def test_command_without_words_shows_help_and_fails(site: Site) -> None:
    result = typed()
    assert result.exit_code == 2
    assert "Usage" in result.output


@pytest.mark.parametrize("command", [[], ["fetch"], ["verify"], ["list"], ["export"]])
def test_help_shows_an_example(command: list[str]) -> None:
    result = typed(*command, "--help")
    assert result.exit_code == 0
    assert " ".join(["Example: judgekit data", *command]) in result.stdout


@pytest.mark.needs("mirror")
def test_real_data_sets_survive_an_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["jbb", "roscoe", "triviaqa_judges"]
    export_mirror(tmp_path / "mirror", names, network=None, progress=lambda line: None)
    monkeypatch.setenv("JUDGEKIT_MIRROR", str(tmp_path / "mirror"))
    for name in names:
        files = fetch(name, cache=tmp_path / "empty", network=None)
        assert set(files.places) == set(read_registry().of(name))
