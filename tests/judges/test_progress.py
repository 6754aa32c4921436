"""Progress in plain lines."""

from types import SimpleNamespace

from judgekit.judges import progress as module
from judgekit.judges.progress import Progress


def test_the_line_says_how_long_is_left():
    progress = Progress("a score", 40)
    progress.done = 10
    assert progress.line(29.0) == "a score: 10 of 40, 87 s left"
    progress.done = 40
    assert progress.line(30.0) == "a score: 40 of 40, took 30 s"


def test_lines_come_now_and_then_and_at_the_end(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 12.0, 13.0, 14.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    progress = Progress("a", 8)
    for _ in range(4):
        progress.add(2)
    progress.close()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["a: 4 of 8", "a: 8 of 8"]
