"""From an entry of a pool file to a protocol."""

import dataclasses
from collections.abc import Callable
from typing import Any

from judgekit.errors import InvalidInput
from judgekit.judges.fields import list_of, made, mapping_of, name_of, typed, whole_number
from judgekit.judges.protocol import KINDS, Asking, Protocol, binary, direct_score, pairwise

WIDEST = 1000
_OWN = {"direct": {"low", "high"}, "pairwise": {"orders", "tie"}, "binary": set[str]()}
_MAKERS: dict[str, Callable[..., Protocol]] = {"direct": direct_score, "pairwise": pairwise, "binary": binary}
_PROTOCOL = {field.name for field in dataclasses.fields(Protocol)}
_ASKING = {field.name for field in dataclasses.fields(Asking)}


def protocol_from(record: object) -> Protocol:
    """Protocol of one entry of a pool file.

    An entry with `template` gives every field of `Protocol` itself; one without names a `kind` of ours, its
    range (`low`, `high`) and any field of `Asking`. Raises InvalidInput on a field that is unknown or wrong.
    """
    given = mapping_of(record, "protocol", fields={*_PROTOCOL, *_ASKING, *set[str]().union(*_OWN.values())})
    if "name" in given:
        name_of(given["name"], "protocol.name")
    return _written(given) if "template" in given else _ours(given)


def _written(given: dict[str, Any]) -> Protocol:
    labels = list_of(given.get("labels"), "protocol.labels", "texts")
    # Scores are their own labels, as in [1, 2, 3]; true and false are mostly an unquoted yes and no.
    plain = [str(label) if type(label) in (int, float) else label for label in labels]
    found: Protocol = made(Protocol, given | ({"labels": plain} if "labels" in given else {}), "protocol")
    return found


def _ours(given: dict[str, Any]) -> Protocol:
    kind = typed(given.pop("kind", ""), str, "protocol.kind")
    if kind not in KINDS:
        raise InvalidInput("protocol.kind", ", ".join(KINDS), kind or "nothing")
    asking = made(Asking, {key: given.pop(key) for key in _ASKING & given.keys()}, "protocol")
    own = _OWN[kind] | {"name"}
    mapping_of(given, f"protocol of kind {kind}", fields=own | _ASKING | {"kind"})
    scale: tuple[int, ...] = ()
    if kind == "direct":
        low, high = scale = tuple(
            whole_number(given.pop(key, None), f"protocol.{key}") for key in ("low", "high")
        )
        if high - low > WIDEST:
            raise InvalidInput("protocol.high", f"at most {WIDEST} above low, {low}", high)
    types = {"orders": tuple[str, ...], "tie": bool}
    for key in types.keys() & given.keys():
        given[key] = typed(given[key], types[key], f"protocol.{key}")
    return _MAKERS[kind](*scale, asking=asking, **given)
