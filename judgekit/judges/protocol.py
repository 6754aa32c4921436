"""Protocol records: prompt template x score support x read-out x order, versioned and hashed."""

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from judgekit.errors import InvalidInput
from judgekit.judges import prompts

KINDS = ("direct", "pairwise", "binary")
READ_OUTS = ("distribution", "hard", "sampled")
ORDERS = ("ab", "ba")
OPTIONAL_FIELDS = frozenset({"instruction", "reference"})
_BESIDE_DIGEST = frozenset({"name", "orders", "samples"})
_OWN_FIELDS = frozenset({"aspect", "criterion", "labels"})
_ENVIRONMENT = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
# Filling in is running: a template may divide by zero as well as misspell a name.
_TEMPLATE_FAULTS = (jinja2.TemplateError, SyntaxError, ValueError, ArithmeticError, RecursionError)

Message = dict[str, str]


@dataclass(frozen=True)
class Protocol:
    """One way of asking for a judgment and of reading the answer.

    Attributes
    ----------
    name : str
        What tables call it; not part of the digest.
    kind : str
        `direct` (a score), `pairwise` (which of two), `binary` (no or yes).
    template : str
        Jinja2 text of the user message. Item columns are its variables, beside `aspect`, `criterion` and
        `labels`; in pairwise prompts `first`, `second` are `response_a`, `response_b` in the given order.
    labels : tuple of str
        The answers a judge may write, in the order of `scores`.
    scores : tuple of float
        The score each label stands for, increasing.
    read_out : str
        `distribution` = exact label probabilities; `hard` = one greedy answer; `sampled` = `samples` answers.
    orders : tuple of str
        Presentation orders: `ab`, `ba`. Only pairwise protocols may have two.
    aspect, criterion, system : str
        Words put into the prompt.
    prefill : str
        Text that the answer is made to start with; the read-out begins behind it.
    rationale : bool
        Reasons first, the answer on a closing line; cannot be read as a distribution.
    samples, temperature, max_tokens : int, float, int
        Decoding of `hard` and `sampled` read-outs.
    version : int
        Version of the wording.
    """

    name: str
    kind: str
    template: str
    labels: tuple[str, ...]
    scores: tuple[float, ...]
    read_out: str = "distribution"
    orders: tuple[str, ...] = ("ab",)
    aspect: str = ""
    criterion: str = ""
    system: str = prompts.SYSTEM
    prefill: str = ""
    rationale: bool = False
    samples: int = 1
    temperature: float = 0.0
    max_tokens: int = 16
    version: int = prompts.VERSION

    def __post_init__(self) -> None:
        _require(bool(self.name.strip()), "protocol.name", "a text that is not empty", repr(self.name))
        _require(self.kind in KINDS, "protocol.kind", ", ".join(KINDS), self.kind)
        _require(self.read_out in READ_OUTS, "protocol.read_out", ", ".join(READ_OUTS), self.read_out)
        _require(len(self.labels) >= 2, "protocol.labels", "two labels or more", self.labels)
        _require(len(set(self.labels)) == len(self.labels), "protocol.labels", "distinct labels", self.labels)
        _require(
            all(label.strip() == label != "" for label in self.labels),
            "protocol.labels",
            "words",
            self.labels,
        )
        rising = all(a < b for a, b in zip(self.scores, self.scores[1:], strict=False))
        _require(
            len(self.scores) == len(self.labels) and rising,
            "protocol.scores",
            "one a label, rising",
            self.scores,
        )
        _require(all(map(math.isfinite, self.scores)), "protocol.scores", "finite numbers", self.scores)
        known = (
            bool(self.orders)
            and set(self.orders) <= set(ORDERS)
            and len(set(self.orders)) == len(self.orders)
        )
        _require(known, "protocol.orders", "ab, ba or both", self.orders)
        _require(
            self.kind == "pairwise" or self.orders == ("ab",),
            "protocol.orders",
            "ab unless pairwise",
            self.orders,
        )
        readable = not (self.rationale and self.read_out == "distribution")
        _require(readable, "protocol.rationale", "false where the read-out is distribution", self.rationale)
        _require(self.samples >= 1, "protocol.samples", "a number >= 1", self.samples)
        _require(
            self.samples == 1 or self.read_out == "sampled",
            "protocol.samples",
            "1 unless sampled",
            self.samples,
        )
        warm = self.temperature > 0 if self.read_out == "sampled" else self.temperature >= 0
        _require(
            warm, "protocol.temperature", "above 0 where answers are sampled, else >= 0", self.temperature
        )
        _require(self.max_tokens >= 1, "protocol.max_tokens", "a number >= 1", self.max_tokens)
        _check(self.template, self.kind)

    @property
    def digest(self) -> str:
        """Sha256 of every field that can change one answer or its reading.

        The name cannot; order and sample number stand beside the digest in an output's key, so that a second
        order or more samples leave the first ones as they are.
        """
        return _digest({key: value for key, value in self.record().items() if key not in _BESIDE_DIGEST})

    @property
    def fields(self) -> tuple[str, ...]:
        """Item columns that the prompt shows, sorted."""
        return _fields(self.template, self.kind)

    def record(self) -> dict[str, Any]:
        """All fields as plain values, as stored beside the outputs."""
        return dataclasses.asdict(self)

    def item_digest(self, item: Mapping[str, object]) -> str:
        """Sha256 of what this prompt shows of one item; raises InvalidInput on a missing or empty column."""
        return _digest(self._shown(item))

    def messages(self, item: Mapping[str, object], order: str = "ab") -> list[Message]:
        """Chat messages for one item in one order; raises InvalidInput on a missing or empty column."""
        _require(order in self.orders, "order", ", ".join(self.orders), order)
        shown: dict[str, str] = self._shown(item)
        if self.kind == "pairwise":
            pair = (shown.pop("response_a"), shown.pop("response_b"))
            shown["first"], shown["second"] = pair if order == "ab" else pair[::-1]
        own = {"aspect": self.aspect, "criterion": self.criterion, "labels": self.labels}
        try:
            text = _compiled(self.template).render({**shown, **own})
        except (*_TEMPLATE_FAULTS, TypeError, AttributeError, LookupError) as error:
            raise InvalidInput(
                f"protocol {self.name}.template", "a template that can be filled", error
            ) from error
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": text}]

    def _shown(self, item: Mapping[str, object]) -> dict[str, str]:
        shown = {}
        for field in self.fields:
            value = item.get(field)
            absent = value is None or (isinstance(value, float) and math.isnan(value))
            if absent and field not in OPTIONAL_FIELDS:
                raise InvalidInput(f"items.{field}", f"a text, which protocol {self.name} shows", "nothing")
            shown[field] = "" if absent else str(value)
        return shown


@dataclass(frozen=True)
class Asking:
    """How our own prompts are worded and read; fields as in `Protocol`."""

    read_out: str = "distribution"
    aspect: str = ""
    criterion: str = ""
    prefill: str = ""
    system: str = prompts.SYSTEM
    rationale: bool = False
    samples: int = 1
    temperature: float = 0.0
    max_tokens: int = 16


def direct_score(low: int, high: int, *, asking: Asking = Asking(), name: str = "") -> Protocol:
    """Direct score: one label for every whole number from `low` to `high`.

    Examples
    --------
    >>> direct_score(1, 5, asking=Asking(aspect="coherence")).name
    'direct_1_5_coherence'
    """
    _require(low < high, "protocol.low", "a whole number below high", f"{low} to {high}")
    scores = range(low, high + 1)
    labels = tuple(map(str, scores))
    return _own(
        name or f"direct_{low}_{high}", "direct", (labels, tuple(map(float, scores))), ("ab",), asking
    )


def pairwise(
    *, orders: tuple[str, ...] = ORDERS, tie: bool = False, asking: Asking = Asking(), name: str = ""
) -> Protocol:
    """Which of two responses is better: 1 = the one shown first (label A), 0 = the one shown second (B).

    With `tie`, the label C stands for 0.5.
    """
    labels, scores = (("B", "C", "A"), (0.0, 0.5, 1.0)) if tie else (("B", "A"), (0.0, 1.0))
    return _own(name or "pairwise", "pairwise", (labels, scores), orders, asking)


def binary(*, asking: Asking, name: str = "") -> Protocol:
    """No (0) or yes (1) to the question in `asking.criterion`."""
    _require(bool(asking.criterion), "protocol.criterion", "the question to answer with yes or no", "nothing")
    return _own(name or "binary", "binary", (("No", "Yes"), (0.0, 1.0)), ("ab",), asking)


def _own(
    name: str,
    kind: str,
    support: tuple[tuple[str, ...], tuple[float, ...]],
    orders: tuple[str, ...],
    asking: Asking,
) -> Protocol:
    labels, scores = support
    template = prompts.BODY[kind] + prompts.answer(kind, rationale=asking.rationale, tie=len(labels) == 3)
    full_name = "_".join([name, *asking.aspect.split()])
    return Protocol(full_name, kind, template, labels, scores, orders=orders, **dataclasses.asdict(asking))


@lru_cache(maxsize=256)
def _fields(template: str, kind: str) -> tuple[str, ...]:
    asked = meta.find_undeclared_variables(_ENVIRONMENT.parse(template)) - _OWN_FIELDS
    if kind == "pairwise":
        asked = (asked - {"first", "second"}) | {"response_a", "response_b"}
    return tuple(sorted(asked))


@lru_cache(maxsize=256)
def _compiled(template: str) -> jinja2.Template:
    return _ENVIRONMENT.from_string(template)


def _check(template: str, kind: str) -> None:
    try:
        _fields(template, kind)
        _compiled(template)
    except _TEMPLATE_FAULTS as error:
        raise InvalidInput("protocol.template", "a Jinja2 template", error) from error


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _require(condition: bool, field: str, allowed: str, given: object) -> None:
    if not condition:
        raise InvalidInput(field, allowed, given)
