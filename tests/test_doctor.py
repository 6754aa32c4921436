"""`judgekit doctor`: what it calls a problem, what only a note, and its exit code."""

import pytest

from judgekit import cli, doctor
from judgekit.doctor import Finding, examine, pins, shadows

PROJECT = '[project]\nname = "judgekit-companion"\ndependencies = ["numpy>=2"]\n'


def states(topic: str) -> list[tuple[str, str]]:
    return [(found.state, found.detail) for found in examine() if found.topic == topic]


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """A checkout whose lock holds the text given; the packages of this environment stay what they are."""

    def write(lock: str, project: str = PROJECT) -> None:
        (tmp_path / "nbconfig").mkdir()
        (tmp_path / "nbconfig" / "lock.txt").write_text(lock)
        (tmp_path / "nbconfig" / "lock-torch.txt").write_text("")
        (tmp_path / "nbconfig" / "profiles.yaml").write_text(
            "simulated:\n  00_start_here: {}\nrecorded: {}\nlocal: {}\n"
        )
        (tmp_path / "nbconfig" / "smoke.yaml").write_text("{}\n")
        (tmp_path / "pyproject.toml").write_text(project)
        monkeypatch.setattr(doctor, "ROOT", tmp_path)

    return write


@pytest.fixture
def installed(monkeypatch):
    """Versions that count as installed; what is not named is absent."""

    def install(**versions: str) -> None:
        monkeypatch.setattr(doctor, "_version", versions.get)

    return install


def test_every_topic_is_reported(monkeypatch, tmp_path):
    monkeypatch.setenv("JUDGEKIT_CACHE", str(tmp_path))
    monkeypatch.delenv("JUDGEKIT_MIRROR", raising=False)
    topics = [found.topic for found in examine()]
    assert topics[:4] == ["python", "judgekit", "packages", "torch"]
    assert topics[-3:] == ["profile simulated", "profile recorded", "profile local"]
    assert "data llmbar" in topics


def test_without_data_the_default_profile_still_runs(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("JUDGEKIT_CACHE", str(tmp_path))
    monkeypatch.delenv("JUDGEKIT_MIRROR", raising=False)
    assert cli.run(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    recorded = next(line for line in lines if "profile recorded" in line)
    assert recorded.startswith("note")
    assert "judgekit data fetch" in recorded


def test_a_mirror_that_is_no_folder_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("JUDGEKIT_CACHE", str(tmp_path))
    monkeypatch.setenv("JUDGEKIT_MIRROR", str(tmp_path / "absent"))
    assert states("JUDGEKIT_MIRROR") == [("note", f"{tmp_path / 'absent'} is no folder")]


@pytest.mark.needs("mirror")
def test_with_the_mirror_the_recorded_profile_runs(monkeypatch, tmp_path):
    monkeypatch.setenv("JUDGEKIT_CACHE", str(tmp_path))
    assert states("profile recorded") == [("ok", "can run: judgekit rebuild --profile recorded")]
    assert states("data jbb") == [("ok", "all files in the mirror")]


def test_a_missing_dependency_is_a_problem(locked, installed, monkeypatch, capsys):
    locked("numpy==2.3.5\npytest==9.2.0\n")
    installed(pytest="9.2.0")
    assert cli.run(["doctor"]) == 1
    written = capsys.readouterr().out
    assert "problem  packages                 missing numpy; remove .venv and type: make lint" in written
    assert "not looked at" in written


def test_a_missing_tool_is_only_a_note(locked, installed):
    locked("numpy==2.3.5\npytest==9.2.0\n")
    installed(numpy="2.3.5")
    [(state, detail)] = states("packages")
    assert state == "note"
    assert "pytest" in detail


def test_another_version_than_the_locked_one_is_a_note(locked, installed):
    locked("numpy==2.3.5\n")
    installed(numpy="2.3.6")
    [(state, detail)] = states("packages")
    assert state == "note"
    assert "numpy 2.3.6 (lock 2.3.5)" in detail


def test_a_judgekit_outside_its_checkout_is_a_problem(locked, installed):
    locked("numpy==2.3.5\n", PROJECT.replace("judgekit-companion", "something-else"))
    installed(numpy="2.3.5")
    assert states("judgekit")[0][0] == "problem"


def test_a_second_distribution_with_the_same_import_is_a_problem(monkeypatch):
    monkeypatch.setattr(
        doctor.importlib.metadata,
        "packages_distributions",
        lambda: {"judgekit": ["judgekit-companion", "other"]},
    )
    assert ("problem", "other installs a judgekit too: pip uninstall other") in states("judgekit")


def test_spelling_variants_of_our_own_name_are_no_shadow():
    assert shadows(["judgekit_companion", "Judgekit.Companion"]) == []


def test_pins_follow_markers_and_skip_hashes_and_comments():
    lock = (
        "# a comment\n"
        "numpy==2.4.6 ; python_full_version < '3.12' \\\n    --hash=sha256:00\n    # via scipy\n"
        "numpy==2.5.5 ; python_full_version >= '3.12' \\\n    --hash=sha256:00\n"
    )
    assert pins(lock, machine={"python_full_version": "3.11.9"}) == {"numpy": "2.4.6"}
    assert pins(lock, machine={"python_full_version": "3.14.0"}) == {"numpy": "2.5.5"}


def test_a_build_label_is_no_other_version(monkeypatch):
    monkeypatch.setattr(doctor.importlib.metadata, "version", lambda name: "2.13.0+cpu")
    assert doctor._version("torch") == "2.13.0"


def test_a_finding_is_printed_on_one_line(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "examine", lambda: iter([Finding("python", "ok", "3.12.1")]))
    assert cli.run(["doctor"]) == 0
    assert capsys.readouterr().out == "ok       python                   3.12.1\n"
