"""Imports go downward only, and each layer brings in no more than its own third-party packages."""

import ast
import graphlib
import importlib.metadata
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
CORE = {
    "errors", "axes", "judgments", "frames", "signals", "audit", "scores", "splits", "metrics", "stats",
    "resampling", "calibration", "pooling", "compute", "benchmark", "scaling", "sweeps", "expert_cells",
}  # fmt: skip
# A module of none of these layers belongs to the methods.
TOP = {"cli", "doctor", "panel_command"}
PACKAGES = ("studies", "sources", "judges", "report", "batch")
BELOW = {
    "core": {"core"},
    "method": {"core", "method"},
    "studies": {"core", "method", "studies"},
    "sources": {"core", "sources"},
    "judges": {
        "core",
        "judges",
        "judgekit.plan",
        "judgekit.sources.recording",
        "judgekit.sources.cache",
        "judgekit.sources.local_run",
        "judgekit.plan_apply",
        "judgekit.plan_content",
        "judgekit.plan_file",
    },
    "report": {"core", "method", "studies", "sources", "report", "batch"},
    "batch": {"core", "method", "studies", "sources", "report", "batch"},
    "top": {"core", "method", "studies", "sources", "judges", "report", "batch", "top"},
}
ARRAYS = {"numpy", "scipy", "jaxtyping"}
ALLOWED = {
    "core": ARRAYS,
    "method": ARRAYS,
    "studies": {*ARRAYS, "pandas"},
    "sources": {*ARRAYS, "pandas", "pyarrow", "yaml", "requests", "filelock", "tqdm", "typer"},
    "judges": {*ARRAYS, "pandas", "pyarrow", "yaml", "requests", "filelock", "tqdm", "typer", "jinja2"},
    "report": {
        "numpy", "pandas", "yaml", "jinja2", "markdown_it", "matplotlib", "seaborn", "ipywidgets", "IPython",
        "nbformat", "nbconvert", "typer",
    },
    "batch": {
        "yaml", "pandas", "filelock", "tqdm", "typer", "nbformat", "nbclient", "nbconvert", "papermill",
        "jupytext", "jupyter_client",
    },
    "top": {"typer", "packaging"},
}  # fmt: skip
# Modules that need one package more than their layer, each for the reason that the package is there.
BEYOND = {
    "judgekit.judgments": {"pandas", "pyarrow"},
    "judgekit.frames": {"pandas"},
    "judgekit.signals": {"pandas"},
    "judgekit.benchmark": {"pandas"},
    "judgekit.sweeps": {"pandas"},
    "judgekit.stats": {"statsmodels"},
    "judgekit.pooling": {"sklearn", "threadpoolctl"},
    "judgekit.regression": {"sklearn"},
    "judgekit.selection": {"sklearn"},
    "judgekit.baselines": {"sklearn"},
    "judgekit.roles": {"pandas"},
    "judgekit.plan_view": {"pandas"},
    "judgekit.gate_training": {"torch"},
    "judgekit.doctor": {"torch"},
    "judgekit.panel_command": {"tqdm"},
}
IN_JUDGES = {"torch", "transformers", "vllm", "gguf", "tokenizers", "safetensors", "huggingface_hub"}
ONLY_IN_FUNCTIONS = {*IN_JUDGES, "ray"}
OPTIONAL = {*IN_JUDGES, "ray"} - {"torch"}


class Import(NamedTuple):
    importer: str
    imported: str
    in_function: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((ROOT / "judgekit").rglob("*.py"))}


def imports_of(module: str) -> list[Import]:
    return list(_imports(module, ast.parse(MODULES[module].read_text(encoding="utf-8")), in_function=False))


def _imports(module: str, node: ast.AST, *, in_function: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(module, alias.name, in_function)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{module} imports relatively"
            for alias in child.names:
                full = f"{child.module}.{alias.name}"
                yield Import(module, full if full in MODULES else str(child.module), in_function)
        deferred = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        only_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        yield from _imports(module, child, in_function=in_function or deferred or only_types)


def layer(module: str) -> str:
    first = module.split(".")[1]
    if first in PACKAGES:
        return first
    return "core" if first in CORE else "top" if first in TOP else "method"


OWN = [each for name in MODULES for each in imports_of(name) if each.imported.split(".")[0] == "judgekit"]
OTHERS = [
    each._replace(imported=each.imported.split(".")[0])
    for name in MODULES
    for each in imports_of(name)
    if each.imported.split(".")[0] not in {"judgekit", *sys.stdlib_module_names}
]


@pytest.mark.parametrize("module", [name for name in MODULES if name != "judgekit"])
def test_imports_go_downward(module):
    allowed = BELOW[layer(module)]
    upward = {
        each.imported
        for each in OWN
        if each.importer == module
        and each.imported != "judgekit"
        and each.imported not in allowed
        and layer(each.imported) not in allowed
    }
    assert upward == set()


def test_no_modules_import_each_other_in_a_circle():
    graph: dict[str, set[str]] = {}
    for each in OWN:
        if not each.in_function:
            graph.setdefault(each.importer, set()).add(each.imported)
    assert set(graphlib.TopologicalSorter(graph).static_order()) <= set(MODULES)


@pytest.mark.parametrize("module", [name for name in MODULES if name != "judgekit"])
def test_a_module_imports_only_its_layers_packages(module):
    allowed = ALLOWED[layer(module)] | BEYOND.get(module, set())
    if layer(module) == "judges":
        allowed = allowed | IN_JUDGES
    assert {each.imported for each in OTHERS if each.importer == module} <= allowed


def test_heavy_packages_are_imported_inside_functions_only():
    assert [each for each in OTHERS if not each.in_function and each.imported in ONLY_IN_FUNCTIONS] == []


def test_every_imported_package_is_a_declared_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {canonicalize_name(Requirement(line).name) for line in project["dependencies"]}
    provided = importlib.metadata.packages_distributions()
    undeclared = {
        each.imported
        for each in OTHERS
        if each.imported not in OPTIONAL
        and not declared & {canonicalize_name(name) for name in provided.get(each.imported, [])}
    }
    assert undeclared == set()


def test_importing_judgekit_imports_nothing_else():
    script = "import sys; before = set(sys.modules); import judgekit; print(set(sys.modules) - before)"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == "{'judgekit'}\n"
