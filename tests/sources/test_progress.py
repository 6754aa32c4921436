"""Progress of downloads: a bar on a terminal, plain lines otherwise."""

import io
import sys

import pytest

from judgekit.sources.progress import byte_bar, say


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bar_is_silent_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with byte_bar("owner/repo", 100) as bar:
        bar.update(50)
        say("a line")
    assert capsys.readouterr() == ("", "a line\n")


def test_bar_shows_label_and_size_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with byte_bar("owner/repo", 2_000_000) as bar:
        bar.update(1_000_000)
        bar.refresh()
    assert "owner/repo:  50%" in terminal.getvalue()
    assert "1.00M/2.00M" in terminal.getvalue()
