"""The repository: what it holds at the top, what it pins, and what must stand in no file."""

import importlib.metadata
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import judgekit
from judgekit.doctor import pins

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "nbconfig" / "lock.txt"
TORCH = ROOT / "nbconfig" / "lock-torch.txt"
ENVIRONMENTS = {"full": ROOT / "environment.yml", "cpu": ROOT / "nbconfig" / "environment-cpu.yml"}
TOP_LEVEL = {
    "README.md", "environment.yml", "notebooks", "judgekit", "reports", "tests", "data", "nbconfig",
    "pyproject.toml", "Makefile", "LICENSE", ".gitignore", ".ci",
}  # fmt: skip
USERS_PACKAGES = {
    "jupyterlab", "papermill", "jupytext", "torch", "vllm", "pandas", "scipy", "statsmodels", "matplotlib",
    "seaborn",
}  # fmt: skip
LINES = 350
# Written in two halves, so that this file does not hold what it forbids.
UNRELATED = re.compile(
    r"(pip3?|uv|uvx|pipx|conda|mamba)\b[^\n`]*\b(install|add|run)\b[^\n`]*\sjudge" + r"kit(?![-\w./])"
)
MACHINE = re.compile(r"(?<![\w.])/(work|home|root|Users|opt|mnt|workspace)" + r"/\w")
REGISTRY = re.compile(r"(pypi|pythonhosted|npmjs|anaconda|debian)" + r"\.(org|com)", re.IGNORECASE)


@cache
def tracked() -> tuple[Path, ...]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return tuple(ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file())


@cache
def texts() -> dict[str, str]:
    found = {}
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content:
            found[path.relative_to(ROOT).as_posix()] = content.decode("utf-8")
    return found


@cache
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in requirements}


def environment(which: str) -> dict[str, str]:
    """Pin of each package in a conda environment, under the name that pip knows it by; "" where unpinned."""
    listed = yaml.safe_load(ENVIRONMENTS[which].read_text(encoding="utf-8"))["dependencies"]
    pairs = [line.partition("=")[::2] for line in listed if isinstance(line, str)]
    pairs += [line.partition("==")[::2] for line in listed[-1]["pip"] if not line.startswith("-e")]
    known = {"pytorch-cpu": "torch"}
    return {known.get(name, canonicalize_name(name)): pin for name, pin in pairs}


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}: {line.strip()[:120]}"
        for name, text in texts().items()
        if pattern.search(text)
        for line in text.splitlines()
        if pattern.search(line)
    ]


def test_judgekit_is_imported_from_this_checkout():
    assert Path(judgekit.__file__) == ROOT / "judgekit" / "__init__.py"


def test_the_distribution_is_not_named_like_the_unrelated_one():
    assert project()["name"] == "judgekit-companion"
    providers = importlib.metadata.packages_distributions().get("judgekit", [])
    assert {canonicalize_name(name) for name in providers} <= {"judgekit-companion"}


def test_the_console_script_exists():
    assert project()["scripts"] == {"judgekit": "judgekit.cli:main"}


@pytest.mark.parametrize(
    "advice",
    ["pip install judge" + "kit", "pip install -U judge" + "kit", "!pip install 'x' judge" + "kit\n"],
)
def test_advice_to_install_the_unrelated_package_is_recognised(advice):
    assert UNRELATED.search(advice)


def test_no_file_says_to_install_the_unrelated_package():
    assert lines_matching(UNRELATED) == []


def test_no_file_names_a_path_of_one_machine():
    assert lines_matching(MACHINE) == []


def test_no_file_names_a_package_registrys_host():
    assert lines_matching(REGISTRY) == []


def test_the_top_level_holds_only_what_the_design_allows():
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} <= TOP_LEVEL


def test_no_module_is_longer_than_the_limit():
    lengths = {path.name: path.read_text("utf-8").count("\n") for path in (ROOT / "judgekit").rglob("*.py")}
    assert {name: lines for name, lines in lengths.items() if lines > LINES} == {}


def test_no_module_is_a_drawer_for_odds_and_ends():
    assert [
        name for name in texts() if Path(name).stem in {"utils", "util", "helpers", "common", "misc"}
    ] == []


def test_every_link_of_the_readme_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(links) > 3
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_the_readme_says_what_every_notebook_rebuilds():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    notebooks = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert [name for name in notebooks if f"(notebooks/{name})" not in readme] == []


@pytest.mark.parametrize("lock", ["lock.txt", "lock-demo-model.txt"])
def test_every_pin_has_a_hash(lock):
    text = (ROOT / "nbconfig" / lock).read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=[a-zA-Z0-9])", text) if not entry.startswith("#")]
    assert entries
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_the_locks_pin_every_dependency():
    locked = pins(LOCK.read_text(encoding="utf-8")) | pins(TORCH.read_text(encoding="utf-8"))
    needed = [
        Requirement(line) for line in project()["dependencies"] + project()["optional-dependencies"]["dev"]
    ]
    assert [str(each) for each in needed if locked[canonicalize_name(each.name)] not in each.specifier] == []


def test_torch_is_locked_apart_and_what_it_needs_with_the_rest():
    locked = pins(LOCK.read_text(encoding="utf-8"))
    assert list(pins(TORCH.read_text(encoding="utf-8"))) == ["torch"]
    assert "torch" not in locked
    needed = names([line for line in importlib.metadata.requires("torch") or [] if "extra" not in line])
    assert [
        name for name in needed - locked.keys() if not name.startswith(("nvidia", "cuda", "triton"))
    ] == []


@pytest.mark.parametrize("which", ENVIRONMENTS)
def test_a_conda_environment_pins_what_the_lock_pins(which):
    given = environment(which)
    machine = {"python_full_version": given["python"] + ".9", "sys_platform": "linux"}
    locked = pins(LOCK.read_text("utf-8"), machine=machine) | pins(TORCH.read_text("utf-8"))
    for name in given.keys() - {"python", "pip", "vllm"}:
        assert given[name] == locked[name], name


@pytest.mark.parametrize("which", ENVIRONMENTS)
def test_a_conda_environment_names_every_dependency(which):
    assert names(project()["dependencies"]) <= environment(which).keys()


def test_the_full_environment_names_all_of_the_users_packages():
    given = environment("full")
    assert given.keys() >= USERS_PACKAGES
    assert given["vllm"] in Requirement(project()["optional-dependencies"]["gpu"][0]).specifier


def test_the_cpu_environment_leaves_only_vllm_out():
    assert environment("full").keys() - environment("cpu").keys() == {"vllm"}
