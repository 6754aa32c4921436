"""What nbconfig/settings declares, checked for being what its reader takes it for."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from judgekit.errors import InvalidInput

SETTINGS = Path(__file__).parents[2] / "nbconfig" / "settings"
_KINDS: Mapping[type, str] = {dict: "mapping", list: "list", float: "number"}


def declarations(name: str, parts: Mapping[str, type]) -> dict[str, Any]:
    """What NAME.yaml declares, with all of `parts`, each of its type; read anew once the file changes.

    Raises
    ------
    InvalidInput
        A file that is not here or is not YAML, or a part that is missing or of another type.
    """
    path = SETTINGS / f"{name}.yaml"
    try:
        content = _content(path, path.stat().st_mtime_ns)
    except (OSError, yaml.YAMLError) as error:
        raise InvalidInput(f"settings/{path.name}", "a YAML file", error) from error
    for part, kind in parts.items():
        if not isinstance(content, dict) or not isinstance(content.get(part), kind):
            given = type(content.get(part) if isinstance(content, dict) else content).__name__
            raise InvalidInput(f"settings/{path.name}", f"a mapping with `{part}`, a {_KINDS[kind]}", given)
    return dict(content)


@lru_cache(maxsize=16)
def _content(path: Path, changed: int) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
