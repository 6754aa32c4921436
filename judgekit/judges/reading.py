"""Exact reading on any model that gives next-token probabilities: one label tree a protocol, kept."""

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import TemplateError

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.backend import Prompt, Reading, TokenModel, Usage
from judgekit.judges.labels import LabelTree, label_tree
from judgekit.judges.protocol import Message
from judgekit.judges.tokens import TokenView, view_of


class Conversation:
    """Chat template and label trees of one tokenizer.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerBase
        With or without a chat template; without one, the messages are joined by blank lines.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.chat_template = str(tokenizer.chat_template or "")
        self._view: TokenView | None = None
        self._trees: dict[tuple[str, ...], LabelTree] = {}

    def prompt(self, messages: Sequence[Message], *, prefill: str = "") -> Prompt:
        """Rendered and encoded; where a template knows no system role, the user turn opens with its text."""
        if not self.chat_template:
            text = "\n\n".join(message["content"] for message in messages) + "\n\n" + prefill
            return Prompt(tuple(messages), text, tuple(self.tokenizer.encode(text, add_special_tokens=True)))
        text = self._applied(list(messages)) + prefill
        return Prompt(tuple(messages), text, tuple(self.tokenizer.encode(text, add_special_tokens=False)))

    def tree(self, labels: tuple[str, ...], context: str) -> LabelTree:
        """Tree of `labels` behind `context`; made once, as what a template ends with never changes."""
        if labels not in self._trees:
            self._view = self._view or view_of(self.tokenizer)
            self._trees[labels] = label_tree(self._view, labels, context=context)
        return self._trees[labels]

    def _applied(self, messages: list[Message]) -> str:
        try:
            return self._rendered(messages)
        except TemplateError as error:
            if messages[0]["role"] != "system" or len(messages) < 2:
                raise InvalidInput("chat_template", "a template for these messages", error) from error
            joined = messages[0]["content"] + "\n\n" + messages[1]["content"]
            return self._rendered([{"role": messages[1]["role"], "content": joined}, *messages[2:]])

    def _rendered(self, messages: list[Message]) -> str:
        return str(self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def read_exactly(
    model: TokenModel,
    conversation: Conversation,
    prompts: Sequence[Prompt],
    labels: tuple[str, ...],
    *,
    call_a_node: bool = False,
) -> list[Reading]:
    """Exact label probabilities of a batch; its seconds are shared out evenly over its prompts.

    The tokens counted are those of the prompt and of the label paths behind it, each once: engines keep a
    prompt's cache between the nodes. The calls are forward passes, or requests where each node is one.
    """
    started = time.perf_counter()
    tree = conversation.tree(labels, prompts[0].text)
    blocks = model.next_token_logprobs([prompt.ids for prompt in prompts], tree.nodes, tree.branches)
    probs, outside = tree.probabilities(blocks)
    seconds = (time.perf_counter() - started) / len(prompts)
    extra = sum(len(branch) for branch in tree.branches)
    calls = len(tree.nodes if call_a_node else tree.branches)
    return [
        Reading(row, float(rest), usage=Usage(len(prompt.ids) + extra, 0, calls, seconds))
        for prompt, row, rest in zip(prompts, probs, outside, strict=True)
    ]


def revision_of(model: str, chat_template: str, *, precision: str) -> str:
    """All that can change an output besides the prompt: model and revision, chat template, precision."""
    template = hashlib.sha256(chat_template.encode()).hexdigest()[:12]
    return f"{model}+template.{template}+{precision}"


def load_tokenizer(model: str, *, revision: str = "") -> tuple[Any, str]:
    """Tokenizer of a model folder or hub name, and the model's name with the revision that was found.

    A folder's revision is a digest of its files' names, sizes and times: a model changed in place is another
    model. A hub name's is the commit. Raises MissingData where the model cannot be had.
    """
    from transformers import AutoTokenizer

    folder = Path(model)
    try:
        tokenizer = AutoTokenizer.from_pretrained(model, revision=revision or "main")
    except (OSError, ValueError) as error:
        raise MissingData(
            f"model {folder.name if folder.is_absolute() else model}", f"hf download {model}"
        ) from error
    if folder.is_dir():
        files = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(folder.iterdir())]
        return tokenizer, f"{folder.name}@files.{hashlib.sha256(repr(files).encode()).hexdigest()[:12]}"
    commit = revision or tokenizer.init_kwargs.get("_commit_hash") or _commit_of(model)
    return tokenizer, f"{model}@{commit}"


def _commit_of(model: str) -> str:
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(model, "config.json")
    return Path(found).parent.name if isinstance(found, str) else "unpinned"


def finite(blocks: list[np.ndarray]) -> list[np.ndarray]:
    """The blocks, or InvalidInput where a model gave NaN or infinite log probabilities above zero."""
    for block in blocks:
        if np.isnan(block).any() or (block > 1e-3).any():
            raise InvalidInput(
                "log probabilities", "numbers <= 0", "NaN or above 0: a broken model or precision"
            )
    return blocks
