"""A misbehaving web server on loopback, and a tiny registry whose files it serves."""

import hashlib
import io
import threading
import time
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from judgekit.sources.registry import FileRow, Registry
from judgekit.sources.remote import Network

COMMIT = "0123456789abcdef0123456789abcdef01234567"
RAW, PACKED = "owner/raws", "owner/packed"
CONTENT = {
    (RAW, "first one.json"): b"first " * 30_000,
    (RAW, "deep/second=x,y.csv"): b"second\n" * 500,
    (PACKED, "a/left.json"): b"left " * 20_000,
    (PACKED, "a/right.json"): b"right " * 20_000,
}


def row(dataset: str, repo: str, path: str) -> FileRow:
    content = CONTENT[repo, path]
    sha256, via = hashlib.sha256(content).hexdigest(), "raw" if repo == RAW else "archive"
    return FileRow(dataset, repo, COMMIT, path, len(content), sha256, "none found", via)


REGISTRY = Registry(
    (
        row("raws", RAW, "first one.json"),
        row("raws", RAW, "deep/second=x,y.csv"),
        row("packed", PACKED, "a/left.json"),
        row("other", PACKED, "a/right.json"),
    )
)


def archive_bytes(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def honest_archive() -> bytes:
    listed = {f"packed-{COMMIT}/{path}": body for (repo, path), body in CONTENT.items() if repo == PACKED}
    return archive_bytes(listed | {f"packed-{COMMIT}/unlisted.txt": b"not in the registry"})


def raw_url(path: str) -> str:
    return f"/{RAW}/{COMMIT}/{path}"


ARCHIVE_URL = f"/{PACKED}/archive/{COMMIT}.zip"


@dataclass
class Site:
    """What the server serves, how it misbehaves (a word a request, then it behaves), what it was asked."""

    network: Network
    bodies: dict[str, bytes] = field(default_factory=dict)
    moods: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        path, wanted = unquote(self.path), self.headers.get("Range")
        self.site.asked.append((path, wanted))
        mood = self.site.moods[path].pop(0) if self.site.moods[path] else ""
        body = self.site.bodies.get(path)
        if body is None or mood == "404":
            self.send_error(404)
            return
        if mood == "slow":
            time.sleep(0.3)
        if mood == "held":
            self.site.release.wait(10)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and mood != "no range" else 0
        if start >= len(body):
            self.send_error(416)
            return
        if mood == "wrong":
            body = b"x" * len(body)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        short = mood in ("truncate", "stall")
        self.wfile.write(body[start : start + (len(body) - start) // 2] if short else body[start:])
        if mood == "stall":
            self.wfile.flush()
            self.site.release.wait(10)


@contextmanager
def serving(*, timeout: float = 5.0) -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    site = Site(Network(raw=address, archive=address, timeout=timeout))
    site.bodies |= {raw_url(path): body for (repo, path), body in CONTENT.items() if repo == RAW}
    site.bodies[ARCHIVE_URL] = honest_archive()
    server.RequestHandlerClass = type("Handler", (_Handler,), {"site": site})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        site.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
