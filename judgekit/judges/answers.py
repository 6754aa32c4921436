"""What an answer in words says: a score of the support, or the reason why it says none."""

import json
import re
from dataclasses import dataclass

from judgekit.judges.backend import Completion
from judgekit.judges.protocol import Protocol

OK = "ok"
OUTCOMES = (OK, "parse_failure", "off_support", "refusal", "truncated", "timeout", "error")
RETRIABLE = ("timeout", "error")

_FENCE = re.compile(r"```[a-zA-Z]*\s*(.*?)```", re.DOTALL)
_CLOSING = re.compile(r"^(?:final )?(?:score|verdict|rating|answer)\s*[:=]\s*(.+)$", re.IGNORECASE)
_DECORATION = "*_`\"'()[]. \t"
_NUMBER = re.compile(r"^[-+]?\d+(?:\.\d+)?$")
_ALONE = re.compile(r"^[-+]?\d+(?:\.\d+)?(?:\s*/\s*\d+)?$")
_REFUSAL = re.compile(
    r"^(?:i'?m sorry|sorry|i apologi[sz]e|i can(?:no|')t|i am (?:unable|not able)|i'?m (?:unable|not able)|"
    r"as an ai)\b",
    re.IGNORECASE,
)
_KEYS = ("score", "verdict", "rating", "answer")


@dataclass(frozen=True)
class Verdict:
    """Outcome of one answer, and its score where the outcome is `ok` (else None)."""

    outcome: str
    score: float | None = None


def verdict_of(completion: Completion, protocol: Protocol) -> Verdict:
    """Score that an answer states, read by a strict grammar; never a number found somewhere in its prose.

    Accepted are a JSON object with a key score, verdict, rating or answer (fenced or bare); a last line of
    the form "Score: LABEL"; and, where no reasons were asked for, a first line that is the label alone. A
    number off the support is `off_support`, not the nearest score.
    """
    if completion.finish in ("timeout", "error", "refusal"):
        return Verdict(completion.finish)
    text = completion.text.replace("\u2019", "'").strip()
    stated = _stated(text, protocol, complete=completion.finish != "length")
    if stated is not None:
        return _score(stated, protocol)
    if _REFUSAL.match(text):
        return Verdict("refusal")
    return Verdict("truncated" if completion.finish == "length" else "parse_failure")


def _stated(text: str, protocol: Protocol, *, complete: bool) -> str | None:
    """The part of an answer that states the label, or None."""
    for candidate in [text, *(match.strip() for match in _FENCE.findall(text)[-1:])]:
        found = _from_json(candidate)
        if found is not None:
            return found
    lines = [line.strip().strip("*_` ") for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    closing = _CLOSING.match(lines[-1])
    if closing and (complete or not protocol.rationale):
        return closing[1]
    alone = lines[0].strip(_DECORATION)
    stands_alone = _is_label(alone, protocol) or _ALONE.match(lines[0].strip("*_`\"'. "))
    return alone if stands_alone and not protocol.rationale else None


def _from_json(text: str) -> str | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    lowered = {str(key).lower(): found for key, found in value.items()}
    found = next((lowered[key] for key in _KEYS if key in lowered), None)
    return None if found is None or isinstance(found, bool | dict | list) else str(found)


def _is_label(text: str, protocol: Protocol) -> bool:
    return text.casefold() in {label.casefold() for label in protocol.labels}


def _score(stated: str, protocol: Protocol) -> Verdict:
    text = stated.strip().strip("*_`\"' ").removesuffix(".").strip("*_`\"' ")
    labels = {label.casefold(): score for label, score in zip(protocol.labels, protocol.scores, strict=True)}
    if text.casefold() in labels:
        return Verdict(OK, labels[text.casefold()])
    if protocol.kind != "direct":
        return Verdict("parse_failure")
    share, _, whole = text.partition("/")
    if whole and whole.strip() != protocol.labels[-1]:
        return Verdict("parse_failure")
    if not _NUMBER.match(share.strip()):
        return Verdict("parse_failure")
    value = float(share)
    return Verdict(OK, value) if value in protocol.scores else Verdict("off_support")
