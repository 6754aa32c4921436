"""The HTTP backend: any OpenAI-compatible server, exact on a vLLM server, marked where it cannot be."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from judgekit.errors import InvalidInput, JudgekitError
from judgekit.judges.backend import Completion, Decoding, Prompt, Reading, Usage
from judgekit.judges.http_client import Client, Patience, Reply
from judgekit.judges.labels import Node, Path
from judgekit.judges.protocol import Message, Protocol
from judgekit.judges.reading import Conversation, finite, load_tokenizer, read_exactly, revision_of
from judgekit.judges.top_logprobs import first_token, read_top

MODES = ("exact", "top_logprobs", "text")
_Q = TypeVar("_Q")
_A = TypeVar("_A")


@dataclass(frozen=True)
class HttpSettings:
    """How a server is asked.

    Attributes
    ----------
    url : str
        Base address, up to and including /v1.
    mode : str
        `exact` = a vLLM server, which gives the probabilities of chosen tokens (needs `tokenizer`);
        `top_logprobs` = a provider that shows the most likely tokens; `text` = answers in words alone, for
        `hard` and `sampled` protocols.
    api_key_env : str
        Environment variable that holds the key; never the key.
    tokenizer : str
        Folder or hub name of the model's tokenizer, for `exact`.
    revision : str
        What the server runs, as far as one knows.
    top : int
        Most likely tokens to ask for.
    whole_labels : bool
        The provider's tokenizer has every label as one token, "10" included.
    concurrency : int
        Requests under way at once.
    attempts, timeout, requests_per_minute : int, float, float
        As in `Patience`.
    """

    url: str
    mode: str = "text"
    api_key_env: str = ""
    tokenizer: str = ""
    revision: str = ""
    top: int = 20
    whole_labels: bool = False
    concurrency: int = 8
    attempts: int = 6
    timeout: float = 120.0
    requests_per_minute: float = 0.0

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidInput("settings.mode", ", ".join(MODES), self.mode)
        if self.mode == "exact" and not self.tokenizer:
            raise InvalidInput("settings.tokenizer", "a tokenizer, for mode exact", "nothing")
        for name in ("concurrency", "attempts"):
            if getattr(self, name) < 1:
                raise InvalidInput(f"settings.{name}", "a whole number >= 1", getattr(self, name))


class HttpBackend:
    """One model of one server.

    Parameters
    ----------
    model : str
        Its name there.
    settings : HttpSettings
        Address, mode, retries.
    sleep : callable
        How to wait between tries.
    """

    def __init__(
        self, model: str, *, settings: HttpSettings, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.model = model
        self.settings = settings
        patience = Patience(
            settings.attempts, settings.timeout, requests_per_minute=settings.requests_per_minute
        )
        self.client = Client(settings.url, key_variable=settings.api_key_env, patience=patience, sleep=sleep)
        self._workers = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="judge")
        self.conversation: Conversation | None = None
        self.chat_template = ""
        named = f"{model}@{settings.revision or 'unpinned'}"
        if settings.mode == "exact":
            tokenizer, found = load_tokenizer(settings.tokenizer, revision=settings.revision)
            self.conversation = Conversation(tokenizer)
            self.chat_template = self.conversation.chat_template
            named = f"{model}@{found}"
        self.revision = revision_of(named, self.chat_template, precision=f"http.{settings.mode}")

    def prompt(self, messages: Sequence[Message], *, prefill: str = "") -> Prompt:
        """The messages; in mode `exact` rendered and encoded here, so that the server adds nothing."""
        if self.conversation is not None:
            return self.conversation.prompt(messages, prefill=prefill)
        if prefill:
            raise InvalidInput("protocol.prefill", "nothing, unless mode is exact", prefill)
        return Prompt(tuple(messages), "\n".join(message["content"] for message in messages))

    def read(self, prompts: Sequence[Prompt], protocol: Protocol) -> list[Reading]:
        """Label probabilities: exact, or as far as the most likely tokens show them."""
        if self.conversation is not None:
            try:
                return read_exactly(self, self.conversation, prompts, protocol.labels, call_a_node=True)
            except _NoAnswer as error:
                return [_failed(error.reply, protocol, "exact") for _ in prompts]
        if self.settings.mode == "text":
            raise InvalidInput(
                f"protocol {protocol.name}",
                "read-out hard or sampled for a server of mode text",
                protocol.read_out,
            )
        return self._each(lambda prompt: self._read_top(prompt, protocol), prompts)

    def write(self, prompts: Sequence[Prompt], decoding: Decoding) -> list[list[Completion]]:
        """Answers in words, one request an answer."""
        asked = [(prompt, decoding.seed + number) for prompt in prompts for number in range(decoding.samples)]
        answers = self._each(lambda pair: self._write_one(*pair, decoding), asked)
        width = decoding.samples
        return [answers[place * width : (place + 1) * width] for place in range(len(prompts))]

    def next_token_logprobs(
        self, prompts: Sequence[Path], nodes: Sequence[Node], branches: Sequence[Path]
    ) -> list[np.ndarray]:
        """Log probabilities [prompts, wanted] a node, one request a node for all prompts (vLLM servers)."""
        return finite(self._each(lambda node: self._read_node(prompts, node), nodes))

    def close(self) -> None:
        """Let the worker threads go."""
        self._workers.shutdown(wait=True, cancel_futures=True)

    def _each(self, work: Callable[[_Q], _A], over: Sequence[_Q]) -> list[_A]:
        return list(self._workers.map(work, over))

    def _read_node(self, prompts: Sequence[Path], node: Node) -> np.ndarray:
        block = np.full((len(prompts), len(node.wanted)), np.nan)
        for start in range(0, len(node.wanted), 128):
            ids = node.wanted[start : start + 128]
            reply = self.client.post(
                "/completions",
                {
                    "model": self.model,
                    "prompt": [[*prompt, *node.path] for prompt in prompts],
                    "max_tokens": 1,
                    "temperature": 0,
                    "logprobs": 1,
                    "logprob_token_ids": list(ids),
                    "return_tokens_as_token_ids": True,
                },
            )
            if reply.body is None:
                raise _NoAnswer(reply)
            for choice in reply.body["choices"]:
                shown = choice["logprobs"]["top_logprobs"][0]
                row = [shown[f"token_id:{token}"] for token in ids]
                block[choice["index"], start : start + len(ids)] = row
        return block

    def _read_top(self, prompt: Prompt, protocol: Protocol) -> Reading:
        reply = self.client.post(
            "/chat/completions",
            {
                "model": self.model,
                "messages": list(prompt.messages),
                "max_tokens": 1,
                "temperature": 0,
                "logprobs": True,
                "top_logprobs": self.settings.top,
            },
        )
        tokens = [] if reply.body is None else first_token(_choice(reply.body))
        if not tokens:
            return _failed(reply, protocol, "top_logprobs")
        seen = read_top(protocol.labels, tokens, whole=self.settings.whole_labels)
        outside = max(1.0 - float(seen.probs.sum()), 0.0)
        return Reading(seen.probs, outside, min(seen.unread, outside), "top_logprobs", _usage(reply))

    def _write_one(self, prompt: Prompt, seed: int, decoding: Decoding) -> Completion:
        content = {
            "model": self.model,
            "max_tokens": decoding.max_tokens,
            "temperature": decoding.temperature,
        }
        if decoding.temperature > 0:
            content["seed"] = seed
        if self.conversation is not None:
            reply = self.client.post("/completions", content | {"prompt": list(prompt.ids)})
        else:
            reply = self.client.post("/chat/completions", content | {"messages": list(prompt.messages)})
        if reply.body is None:
            return Completion("", reply.finish, _usage(reply), reply.note)
        choice = _choice(reply.body)
        message = choice.get("message") or {}
        text = choice.get("text") if self.conversation is not None else message.get("content")
        finish = {"length": "length", "content_filter": "refusal"}.get(
            str(choice.get("finish_reason")), "stop"
        )
        if message.get("refusal"):
            text, finish = message["refusal"], "refusal"
        return Completion(str(text or ""), finish, _usage(reply))


class _NoAnswer(JudgekitError):
    """A request of an exact reading that got no answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.finish}: {reply.note}")
        self.reply = reply


def _failed(reply: Reply, protocol: Protocol, method: str) -> Reading:
    blank = np.full(len(protocol.labels), np.nan)
    if reply.body is None:
        return Reading(blank, np.nan, np.nan, method, _usage(reply), reply.finish, reply.note)
    note = "the server shows no log probabilities: use mode text and a sampled protocol"
    return Reading(blank, np.nan, np.nan, method, _usage(reply), "error", note)


def _choice(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}


def _usage(reply: Reply) -> Usage:
    used = (reply.body or {}).get("usage") or {}
    sent, made = int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
    return Usage(sent, made, reply.calls, reply.seconds)
