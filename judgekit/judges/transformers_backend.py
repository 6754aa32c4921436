"""The transformers backend: any causal model on a CPU or a GPU, with the shared prefix computed once."""

import copy
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgekit.errors import InvalidInput
from judgekit.judges.backend import Completion, Decoding, Prompt, Reading, Usage
from judgekit.judges.labels import Node, Path
from judgekit.judges.protocol import Message, Protocol
from judgekit.judges.reading import Conversation, finite, load_tokenizer, read_exactly, revision_of

_SHORTEST_PREFIX = 8


@dataclass(frozen=True)
class TransformersSettings:
    """How a model is loaded and run.

    Attributes
    ----------
    revision : str
        Commit of the model repository, or what a local folder was made from.
    dtype : str
        `float32`, `bfloat16` or `float16`.
    device : str
        `cpu`, `cuda`, `cuda:1`, ...
    threads : int
        CPU threads; 0 leaves torch's own number.
    matmul_precision : str
        torch's float32 matmul precision while this backend computes: `highest`, `high` or `medium`.
    reuse_prefix : bool
        Compute the tokens that all prompts of a batch share once.
    """

    revision: str = ""
    dtype: str = "float32"
    device: str = "cpu"
    threads: int = 0
    matmul_precision: str = "highest"
    reuse_prefix: bool = True


class TransformersBackend:
    """One causal language model in this process.

    Parameters
    ----------
    load : callable
        Gives the transformers model.
    tokenizer : transformers tokenizer
        With or without a chat template.
    name : str
        Model and its revision, for the revision string.
    settings : TransformersSettings
        Device, threads, precision.
    """

    def __init__(
        self, load: Callable[[], Any], tokenizer: Any, *, name: str, settings: TransformersSettings
    ) -> None:
        self._load = load
        self._model: Any = None
        self.settings = settings
        self.conversation = Conversation(tokenizer)
        self.chat_template = self.conversation.chat_template
        precision = f"{settings.dtype}.{settings.matmul_precision}"
        self.revision = revision_of(name, self.chat_template, precision=precision)
        self._prefix: tuple[Path, Any] | None = None

    @property
    def model(self) -> Any:
        """The model, loaded when first used: a judge whose outputs are all stored costs no loading."""
        if self._model is None:
            self._model = self._load().eval()
        return self._model

    @property
    def _reuses(self) -> bool:
        kinds = getattr(self.model.config.get_text_config(), "layer_types", None) or ["full_attention"]
        return self.settings.reuse_prefix and set(kinds) == {"full_attention"}

    def prompt(self, messages: Sequence[Message], *, prefill: str = "") -> Prompt:
        """Chat template applied to one conversation."""
        return self.conversation.prompt(messages, prefill=prefill)

    def read(self, prompts: Sequence[Prompt], protocol: Protocol) -> list[Reading]:
        """Exact label probabilities of every prompt."""
        return read_exactly(self, self.conversation, prompts, protocol.labels)

    def next_token_logprobs(
        self, prompts: Sequence[tuple[int, ...]], nodes: Sequence[Node], branches: Sequence[Path]
    ) -> list[np.ndarray]:
        """Log probabilities [prompts, wanted] a node, from one forward pass a branch.

        The first branch rides on the prompts' own pass; each further one is a pass over its few tokens, where
        the prompts' keys and values are kept. Models with sliding-window layers compute every pass in full.
        """
        blocks: dict[Path, np.ndarray] = {}
        with self._computing():
            kept: tuple[Any, Any] | None = None
            for branch in branches:
                if kept is None or not self._reuses:
                    logits, kept = self._prompt_pass(prompts, branch)
                else:
                    logits = self._branch_pass(kept, branch)
                for node in nodes:
                    depth = len(node.path)
                    if node.path not in blocks and branch[:depth] == node.path:
                        blocks[node.path] = _logprobs(logits[:, depth], node.wanted)
        return finite([blocks[node.path] for node in nodes])

    def write(self, prompts: Sequence[Prompt], decoding: Decoding) -> list[list[Completion]]:
        """Answers in words: greedy at temperature 0, else sampled from the seed."""
        import torch

        started = time.perf_counter()
        tokenizer = self.conversation.tokenizer
        ids, mask = self._padded([prompt.ids for prompt in prompts], pad=_pad_of(tokenizer))
        sampling = {"do_sample": True, "temperature": decoding.temperature, "top_k": 0, "top_p": 1.0}
        with self._computing(), torch.random.fork_rng():
            torch.manual_seed(decoding.seed)
            made = self.model.generate(
                input_ids=ids,
                attention_mask=mask,
                max_new_tokens=decoding.max_tokens,
                num_return_sequences=decoding.samples,
                pad_token_id=_pad_of(tokenizer),
                **(sampling if decoding.temperature > 0 else {"do_sample": False}),
            )
        rows = made[:, ids.shape[1] :].reshape(len(prompts), decoding.samples, -1).tolist()
        seconds = (time.perf_counter() - started) / (len(prompts) * decoding.samples)
        ends = _ends_of(self.model, tokenizer)
        return [
            [self._completion(prompt, row, ends, seconds) for row in answers]
            for prompt, answers in zip(prompts, rows, strict=True)
        ]

    def close(self) -> None:
        """Drop the model and the kept prefix, and give cached device memory back."""
        import gc

        import torch

        self._model = None
        self._prefix = None
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _completion(self, prompt: Prompt, row: list[int], ends: set[int], seconds: float) -> Completion:
        stop = next((place for place, token in enumerate(row) if token in ends), None)
        words = row if stop is None else row[:stop]
        usage = Usage(len(prompt.ids), len(words) + (stop is not None), 1, seconds)
        text = self.conversation.tokenizer.decode(words, skip_special_tokens=True)
        return Completion(text, "stop" if stop is not None else "length", usage)

    @contextmanager
    def _computing(self) -> Iterator[None]:
        import torch

        before = torch.get_float32_matmul_precision(), torch.get_num_threads()
        torch.set_float32_matmul_precision(self.settings.matmul_precision)
        if self.settings.threads:
            torch.set_num_threads(self.settings.threads)
        try:
            with torch.inference_mode():
                yield
        finally:
            torch.set_float32_matmul_precision(before[0])
            torch.set_num_threads(before[1])

    def _prompt_pass(self, prompts: Sequence[Path], branch: Path) -> tuple[Any, tuple[Any, Any]]:
        """Logits [prompts, 1 + branch, vocabulary] behind the prompts, and the cache with its mask."""
        import torch

        shared = self._shared(prompts) if self._reuses else ()
        ids, own = self._padded([(*prompt[len(shared) :], *branch) for prompt in prompts])
        mask = torch.cat([own.new_ones(len(prompts), len(shared)), own], dim=1)
        places = (mask.cumsum(1) - 1).clamp(min=0)[:, len(shared) :]
        cache = self._cache_of(shared, len(prompts)) if self._reuses else None
        output = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=places,
            use_cache=self._reuses,
            logits_to_keep=1 + len(branch),
            **self._with(cache),
        )
        ahead = mask.clone()
        if branch:
            ahead[:, -len(branch) :] = 0
        return output.logits, (cache, ahead)

    def _branch_pass(self, kept: tuple[Any, Any], branch: Path) -> Any:
        """Logits [prompts, 1 + branch, vocabulary]; place 0, the root, belongs to the first branch."""
        import torch

        cache, ahead = kept
        rows = ahead.shape[0]
        grown = ahead.new_zeros(rows, cache.get_seq_length() - ahead.shape[1])
        mask = torch.cat([ahead, grown, ahead.new_ones(rows, len(branch))], dim=1)
        places = ahead.sum(1, keepdim=True) + torch.arange(len(branch), device=ahead.device)
        ids = torch.tensor([branch] * rows, device=ahead.device)
        output = self.model(
            input_ids=ids, attention_mask=mask, position_ids=places, use_cache=True, **self._with(cache)
        )
        blank = output.logits.new_full((rows, 1, output.logits.shape[-1]), float("nan"))
        return torch.cat([blank, output.logits], dim=1)

    def _shared(self, prompts: Sequence[Path]) -> Path:
        """Tokens that all prompts start with, or the kept prefix where that is nearly as long."""
        shortest = min(map(len, prompts))
        low, high = min(prompts), max(prompts)
        same = next((i for i in range(shortest - 1) if low[i] != high[i]), shortest - 1)
        if self._prefix is not None:
            old = self._prefix[0]
            if same >= len(old) >= 0.8 * same and low[: len(old)] == old:
                return old
        return low[:same] if same >= _SHORTEST_PREFIX else ()

    def _cache_of(self, shared: Path, rows: int) -> Any:
        import torch
        from transformers import DynamicCache

        if not shared:
            return DynamicCache(config=self.model.config)
        if self._prefix is None or self._prefix[0] != shared:
            ids = torch.tensor([shared], device=self.settings.device)
            cache = DynamicCache(config=self.model.config)
            self.model(input_ids=ids, use_cache=True, logits_to_keep=1, **self._with(cache))
            self._prefix = (shared, cache)
        cache = copy.deepcopy(self._prefix[1])
        cache.batch_repeat_interleave(rows)
        return cache

    def _with(self, cache: Any) -> dict[str, Any]:
        # Releases before 5.24 call it past_key_values; later ones warn about that name.
        named = "cache" in inspect.signature(self.model.forward).parameters
        return {"cache" if named else "past_key_values": cache}

    def _padded(self, rows: Sequence[Path], pad: int = 0) -> tuple[Any, Any]:
        import torch

        longest = max(map(len, rows))
        ids = [[pad] * (longest - len(row)) + list(row) for row in rows]
        mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
        device = self.settings.device
        return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def load_transformers(model: str, *, settings: TransformersSettings) -> TransformersBackend:
    """Backend for a model folder or a hub name; MissingData where neither the disk nor the hub has it."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    # Its bar for loading weights would run into our lines.
    logging.disable_progress_bar()
    if settings.device.startswith("cuda") and not torch.cuda.is_available():
        raise InvalidInput("device", "cpu where no GPU is present", settings.device)
    tokenizer, name = load_tokenizer(model, revision=settings.revision)

    def load() -> Any:
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            model, revision=settings.revision or "main", dtype=getattr(torch, settings.dtype)
        )
        return loaded.to(settings.device)

    return TransformersBackend(load, tokenizer, name=name, settings=settings)


def _logprobs(logits: Any, wanted: tuple[int, ...]) -> np.ndarray:
    import torch

    scores = torch.log_softmax(logits.float(), dim=-1)
    return scores[:, torch.tensor(wanted, device=scores.device)].cpu().double().numpy()


def _pad_of(tokenizer: Any) -> int:
    return int(tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id)


def _ends_of(model: Any, tokenizer: Any) -> set[int]:
    ends = model.generation_config.eos_token_id
    found = set(ends) if isinstance(ends, list) else {ends}
    return {int(end) for end in found | {tokenizer.eos_token_id} if end is not None}
