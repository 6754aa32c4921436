"""Fields of a pool file: each of the type that it has to be, or one line that names it."""

import dataclasses
from collections.abc import Mapping, Set
from typing import Any

from judgekit.errors import InvalidInput

# Beyond it floats skip whole numbers, and nothing that a pool file counts is as large.
LARGEST = 1e15


def mapping_of(value: object, where: str, *, fields: Set[str]) -> dict[str, Any]:
    """Mapping with some of the known `fields`; nothing counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(where, f"a mapping with fields {_listed(fields)}", value)
    unknown = {str(key) for key in value if key not in fields}
    if unknown:
        raise InvalidInput(where, f"fields {_listed(fields)}", _listed(unknown))
    return dict(value)


def list_of(value: object, where: str, what: str) -> list[Any]:
    """List of a field; nothing counts as an empty one."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise InvalidInput(where, f"a list of {what}", value)
    return list(value)


def name_of(value: object, where: str) -> str:
    """Text of at least one character."""
    found: str = typed(value, str, where)
    if not found.strip():
        raise InvalidInput(where, "a text that is not empty", repr(found))
    return found


def whole_number(value: object, where: str) -> int:
    """Whole number of either sign."""
    return int(_number(value, where, "a whole number", whole=True))


def made(kind: Any, content: object, where: str) -> Any:
    """Dataclass `kind` of a mapping of its fields; InvalidInput on one that is unknown, lacking or wrong."""
    known = {field.name: field for field in dataclasses.fields(kind)}
    given = mapping_of(content, where, fields=known.keys())
    for name, field in known.items():
        if name not in given and field.default is field.default_factory is dataclasses.MISSING:
            raise InvalidInput(f"{where}.{name}", "a value", "nothing")
    return kind(**{name: typed(value, known[name].type, f"{where}.{name}") for name, value in given.items()})


def typed(value: Any, kind: Any, where: str) -> Any:
    """Value of a field of type `kind`: bool, str, a number >= 0, or a tuple of texts or of any numbers."""
    if kind is bool:
        if not isinstance(value, bool):
            raise InvalidInput(where, "true or false", value)
        return value
    if kind is str:
        return _text(value, where)
    if kind == tuple[str, ...]:
        return tuple(_text(each, where) for each in list_of(value, where, "texts"))
    if kind == tuple[float, ...]:
        return tuple(_number(each, where, "numbers") for each in list_of(value, where, "numbers"))
    words = f"a {'whole ' if kind is int else ''}number >= 0"
    return kind(_number(value, where, words, whole=kind is int, least=0.0))


def _text(value: object, where: str) -> str:
    # YAML reads 1e5 as a number and no as false: only quotes tell what was meant.
    if not isinstance(value, str):
        raise InvalidInput(where, "a text (in quotes where it looks like something else)", value)
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidInput(where, "a text in Unicode", ascii(value))
    return value


def _number(
    value: object, where: str, words: str, *, whole: bool = False, least: float = -LARGEST
) -> int | float:
    number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not number or not least <= value <= LARGEST:  # type: ignore[operator]
        large = number and abs(value) > LARGEST  # type: ignore[arg-type]
        raise InvalidInput(where, f"{words}, 1e15 at most" if large else words, value)
    return value if whole else float(value)  # type: ignore[return-value, arg-type]


def _listed(names: Set[str]) -> str:
    return ", ".join(sorted(names))
