"""A backend without a model, for tests: answers drawn from a hash of the prompt, faults on demand."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from judgekit.errors import JudgekitError
from judgekit.judges.backend import Completion, Decoding, Prompt, Reading, Usage
from judgekit.judges.protocol import Message, Protocol
from judgekit.judges.reading import revision_of


@dataclass(frozen=True)
class FakeSettings:
    """What the fake does.

    Attributes
    ----------
    revision : str
        Part of the revision string, as of a real model.
    seed : int
        Another seed is another judge.
    mass : float
        Mass on the labels.
    delay : float
        Seconds a batch takes.
    answer : str
        What it writes; "" = a label drawn from the hash.
    fails_on, times_out_on : str
        Prompts with this text give `error` or `timeout`; "" = none.
    breaks_on : str
        A batch with this text raises; "" = none.
    """

    revision: str = "1"
    seed: int = 0
    mass: float = 0.8
    delay: float = 0.0
    answer: str = ""
    fails_on: str = ""
    times_out_on: str = ""
    breaks_on: str = ""


class FakeBackend:
    """A judge whose verdicts are a function of the prompt text, its name and its seed.

    Parameters
    ----------
    name : str
        Model name.
    settings : FakeSettings
        Faults and speed.
    """

    def __init__(self, name: str, *, settings: FakeSettings) -> None:
        self.name = name
        self.settings = settings
        self.chat_template = "{{ messages }}"
        named = f"{name}@{settings.revision}"
        self.revision = revision_of(named, self.chat_template, precision=f"seed{settings.seed}")
        self.closed = False

    def prompt(self, messages: Sequence[Message], *, prefill: str = "") -> Prompt:
        """Messages joined by newlines."""
        text = "\n".join(message["content"] for message in messages) + prefill
        return Prompt(tuple(messages), text, tuple(range(len(text.split()))))

    def read(self, prompts: Sequence[Prompt], protocol: Protocol) -> list[Reading]:
        """Probabilities drawn from the prompt's hash."""
        self._work(prompts)
        readings = []
        for prompt in prompts:
            probs = self.settings.mass * self._rng(prompt, 0).dirichlet(np.ones(len(protocol.labels)))
            usage = Usage(len(prompt.ids), 0, 1, self.settings.delay / len(prompts))
            reading = Reading(probs, 1.0 - float(probs.sum()), usage=usage)
            finish = self._fault(prompt)
            if finish != "stop":
                blank = np.full(len(protocol.labels), np.nan)
                reading = replace(reading, probs=blank, outside=np.nan, finish=finish, note="asked to fail")
            readings.append(reading)
        return readings

    def write(self, prompts: Sequence[Prompt], decoding: Decoding) -> list[list[Completion]]:
        """The settings' answer, or a whole number from 1 to 5 drawn from hash and sample number."""
        self._work(prompts)
        return [
            [self._completion(prompt, decoding.seed + sample) for sample in range(decoding.samples)]
            for prompt in prompts
        ]

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    def _completion(self, prompt: Prompt, sample: int) -> Completion:
        text = self.settings.answer or str(self._rng(prompt, sample).integers(1, 6))
        usage = Usage(len(prompt.ids), len(text.split()), 1, self.settings.delay)
        return Completion(text, self._fault(prompt), usage)

    def _work(self, prompts: Sequence[Prompt]) -> None:
        broken = self.settings.breaks_on
        if broken and any(broken in prompt.text for prompt in prompts):
            raise JudgekitError(f"{self.name}: asked to break on {broken!r}")
        time.sleep(self.settings.delay)

    def _fault(self, prompt: Prompt) -> str:
        for text, finish in ((self.settings.fails_on, "error"), (self.settings.times_out_on, "timeout")):
            if text and text in prompt.text:
                return finish
        return "stop"

    def _rng(self, prompt: Prompt, sample: int) -> np.random.Generator:
        key = f"{self.name}|{self.settings.seed}|{sample}|{prompt.text}"
        return np.random.default_rng(list(hashlib.sha256(key.encode()).digest()))
