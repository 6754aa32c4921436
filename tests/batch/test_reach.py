import pytest

from judgekit.batch.layout import Layout
from judgekit.batch.reach import Package

FILES = {
    "__init__.py": "",
    "errors.py": "",
    "plan.py": "from pk.errors import E\nimport numpy",
    "stats.py": "",
    "sources/__init__.py": "",
    "sources/recorded.py": 'from importlib import import_module\nimport_module(f"pk.sources.{name}")',
    "sources/llmbar.py": "from . import hard",
    "sources/hard.py": "from ..stats import t",
    "report/__init__.py": "from .outputs import x",
    "report/outputs.py": "",
    "report/site.py": "import pk.plan",
    "report/style.css": "",
    "studies/__init__.py": "",
    "studies/roles.py": "def f():\n    from pk import plan",
    "cli.py": "import pk.report.site",
}


@pytest.fixture
def reached(tmp_path):
    for name, text in FILES.items():
        (tmp_path / "pk" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pk" / name).write_text(text)
    package = Package(tmp_path, "pk")
    return lambda *sources: [
        path.relative_to(tmp_path / "pk").as_posix() for path in package.reached(sources)
    ]


def test_imports_are_followed_inside_functions_too(reached):
    found = ["__init__.py", "errors.py", "plan.py", "studies/__init__.py", "studies/roles.py"]
    assert reached("from pk.studies import roles") == found
    assert reached("import numpy", "import pk.studies.roles as r") == found


def test_import_by_a_name_built_at_run_time_pulls_in_the_folder(reached):
    found = reached("from pk.sources import recorded")
    assert found == [
        "__init__.py",
        *sorted(f"sources/{n}.py" for n in ("__init__", "hard", "llmbar", "recorded")),
        "stats.py",
    ]


def test_name_cut_at_a_dot_pulls_in_what_it_could_become(reached):
    assert "sources/llmbar.py" in reached('name = "llmbar"\nmodule = __import__(f"pk.sources.{name}")')


def test_module_named_in_text_counts(reached):
    assert "plan.py" in reached('module = "pk.plan"')


def test_data_files_beside_a_reached_module_count_but_not_its_neighbours(reached):
    assert reached("from pk.report import outputs") == [
        "__init__.py",
        "report/__init__.py",
        "report/outputs.py",
        "report/style.css",
    ]


def test_cell_that_is_no_plain_python_reaches_what_it_names(reached):
    assert reached("%time from pk.plan import x\n!ls") == ["__init__.py", "errors.py", "plan.py"]


def test_nothing_else_is_reached(reached):
    assert reached("import numpy as np\nfrom os import path") == []


def test_every_file_of_the_real_package_can_be_followed():
    package = Package(Layout.of_checkout().root)
    found = {path.name for path in package.reached(["from judgekit.sources import recorded"])}
    assert {"recorded.py", "llmbar.py", "recording.py", "errors.py"} <= found
    assert not found & {"cli.py", "rebuild.py", "site.py"}
