"""The one interface of every backend: rendered prompts in, label probabilities or texts out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol as Interface
from typing import runtime_checkable

import numpy as np

from judgekit.judges.labels import Node
from judgekit.judges.protocol import Message, Protocol

FINISHES = ("stop", "length", "refusal", "timeout", "error")


@dataclass(frozen=True)
class Prompt:
    """One conversation as the model sees it.

    Attributes
    ----------
    messages : tuple of dict
        Chat messages before the chat template.
    text : str
        The text after the chat template, prefill included; "" where only the server knows it.
    ids : tuple of int
        Its token ids; empty where only the server knows them.
    """

    messages: tuple[Message, ...]
    text: str = ""
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Usage:
    """What one reading or one answer took: tokens sent, tokens made, requests, wall seconds."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Reading:
    """Label probabilities of one prompt.

    Attributes
    ----------
    probs : float [labels]
        Probability of every label; what they lack to one is `outside`, never shared out among them.
    outside : float
        Mass outside the labels.
    unread : float
        Upper bound on label mass that the backend could not see; part of `outside`. 0 for exact readings.
    method : str
        `exact` or `top_logprobs`.
    usage : Usage
        Tokens, calls and seconds.
    finish : str
        `stop`, or `timeout` or `error` where no reading was had (then `probs` is all NaN).
    note : str
        What went wrong, without secrets.
    """

    probs: np.ndarray
    outside: float
    unread: float = 0.0
    method: str = "exact"
    usage: Usage = field(default_factory=Usage)
    finish: str = "stop"
    note: str = ""


@dataclass(frozen=True)
class Completion:
    """One answer in words.

    Attributes
    ----------
    text : str
        What the model wrote, prompt and prefill excluded.
    finish : str
        `stop`, `length` (cut off), `refusal` (a content filter), `timeout` or `error`.
    usage : Usage
        Tokens, calls and seconds.
    note : str
        What went wrong, without secrets.
    """

    text: str
    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    note: str = ""


@dataclass(frozen=True)
class Decoding:
    """How answers are written: number of samples, temperature, tokens at most, seed of the first sample."""

    samples: int = 1
    temperature: float = 0.0
    max_tokens: int = 16
    seed: int = 0


@runtime_checkable
class Backend(Interface):
    """A loaded model, or a connection to one.

    Attributes
    ----------
    revision : str
        Model, its revision, its chat template and its precision in one string; part of every output's key, so
        that nothing recorded under another of them is ever reused.
    chat_template : str
        The chat template that `prompt` applies; "" where the server applies its own.
    """

    revision: str
    chat_template: str

    def prompt(self, messages: Sequence[Message], *, prefill: str = "") -> Prompt:
        """Chat template applied to one conversation."""
        ...

    def read(self, prompts: Sequence[Prompt], protocol: Protocol) -> list[Reading]:
        """Label probabilities of every prompt."""
        ...

    def write(self, prompts: Sequence[Prompt], decoding: Decoding) -> list[list[Completion]]:
        """`decoding.samples` answers to every prompt."""
        ...

    def close(self) -> None:
        """Free the memory; the backend is not used again."""
        ...


@runtime_checkable
class TokenModel(Interface):
    """A model that gives next-token probabilities of chosen ids: what exact label reading stands on."""

    def next_token_logprobs(
        self, prompts: Sequence[tuple[int, ...]], nodes: Sequence[Node], branches: Sequence[tuple[int, ...]]
    ) -> list[np.ndarray]:
        """Natural log probabilities, one array [prompts, wanted] a node; `branches` cover all node paths."""
        ...
