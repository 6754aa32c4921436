"""Which files of the package a notebook can reach through its imports, so that only they make it stale."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_DYNAMIC = {"import_module", "__import__", "iter_modules", "walk_packages"}


@dataclass(frozen=True)
class Package:
    """The source files of one importable package.

    Attributes
    ----------
    root : Path
        Folder that holds the package's folder.
    name : str
        Name of the package.
    """

    root: Path
    name: str = "judgekit"

    @cached_property
    def modules(self) -> dict[str, Path]:
        """File of every module, by dotted name."""
        found = {}
        for path in sorted((self.root / self.name).rglob("*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def _imports(self) -> dict[str, list[str]]:
        """What each module read so far can import: one batch asks for every notebook."""
        return {}

    def reached(self, sources: Iterable[str]) -> tuple[Path, ...]:
        """Files that code can import from this package, directly or through what it imports, sorted.

        A module that imports by a name built at run time pulls in its whole folder, and every folder reached
        brings the data files that lie in it. Imports inside functions count.

        Parameters
        ----------
        sources : iterable of str
            Code, such as that of a notebook's cells.
        """
        waiting = [name for source in sources for name in self._imported(source, "")]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self.modules:
                continue
            seen.add(name)
            if name not in self._imports:
                self._imports[name] = self._imported(self.modules[name].read_text(encoding="utf-8"), name)
            waiting += self._imports[name]
        files = {self.modules[name] for name in seen}
        beside = {
            path
            for folder in {file.parent for file in files}
            for path in folder.iterdir()
            if path.is_file() and path.suffix not in (".py", ".pyc") and not path.name.startswith(".")
        }
        return tuple(sorted(files | beside))

    def _imported(self, source: str, module: str) -> list[str]:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            # A cell with magics, or a file that cannot run anyway: whatever it names could be imported.
            return [name for name in self.modules if name in source]
        found: list[str] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(node, module)
                found += [base, *(f"{base}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                # A name cut at a dot is the start of one built at run time: f"judgekit.sources.{dataset}".
                stem = node.value if node.value.endswith(".") else None
                found += [node.value, *(name for name in self.modules if stem and name.startswith(stem))]
            elif isinstance(node, ast.Name | ast.Attribute) and module and _called(node) in _DYNAMIC:
                found += self._siblings(module)
        return [parent for name in found for parent in _with_parents(name) if parent in self.modules]

    def _absolute(self, node: ast.ImportFrom, module: str) -> str:
        if not node.level:
            return node.module or ""
        is_package = self.modules[module].name == "__init__.py" if module else False
        parts = module.split(".")
        kept = parts[: len(parts) - node.level + is_package]
        return ".".join([*kept, *([node.module] if node.module else [])])

    def _siblings(self, module: str) -> list[str]:
        folder = self.modules[module].parent
        return [name for name, path in self.modules.items() if path.parent == folder]


def _called(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[: length + 1]) for length in range(len(parts)))
