from pathlib import Path

import pytest

from judgekit.batch.kernels import surroundings


def around(tmp_path: Path) -> dict[str, str]:
    return surroundings(root=tmp_path, nbconfig=tmp_path, results=tmp_path / "out", scratch=tmp_path)


def test_what_could_move_a_result_is_settled(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setenv("PYTHONSTARTUP", "mine.py")
    monkeypatch.setenv("MINE", "kept")
    found = around(tmp_path)
    assert (found["OMP_NUM_THREADS"], found["PYTHONHASHSEED"], found["MINE"]) == ("1", "0", "kept")
    assert "PYTHONSTARTUP" not in found


@pytest.mark.parametrize("given", ["", "elsewhere"])
def test_modules_are_compiled_once_where_none_may_lie_beside_their_sources(tmp_path, monkeypatch, given):
    monkeypatch.setenv("JUDGEKIT_CACHE", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    if given:
        monkeypatch.setenv("PYTHONPYCACHEPREFIX", given)
    found = around(tmp_path)
    assert "PYTHONDONTWRITEBYTECODE" not in found
    assert found["PYTHONPYCACHEPREFIX"] == (given or str(tmp_path / "bytecode"))


def test_modules_are_compiled_where_python_puts_them(tmp_path, monkeypatch):
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        monkeypatch.delenv(name, raising=False)
    assert "PYTHONPYCACHEPREFIX" not in around(tmp_path)
