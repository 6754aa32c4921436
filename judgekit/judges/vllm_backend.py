"""The vLLM backend, offline: exact reading of chosen tokens from one engine in this process."""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.backend import Completion, Decoding, Prompt, Reading, Usage
from judgekit.judges.labels import Node, Path
from judgekit.judges.protocol import Message, Protocol
from judgekit.judges.reading import Conversation, finite, load_tokenizer, read_exactly, revision_of

_MOST_IDS = 128


@dataclass(frozen=True)
class VllmSettings:
    """How the engine is started.

    Attributes
    ----------
    revision : str
        Commit of the model repository.
    dtype : str
        `bfloat16`, `float16` or `float32`.
    float32_head : bool
        Compute the last layer in float32, which halves the error of 16-bit weights.
    max_model_len : int
        Longest prompt and answer, in tokens.
    memory_share : float
        Share of the device's memory that the engine takes.
    block_size : int
        Tokens of a block of the prefix cache; 0 = the engine's own. On a CPU 32: its default loses half of a
        shared prefix.
    tensor_parallel_size : int
        GPUs that one model is spread over.
    eager : bool
        Start at once, without compiling: for short runs.
    """

    revision: str = ""
    dtype: str = "bfloat16"
    float32_head: bool = True
    max_model_len: int = 8192
    memory_share: float = 0.9
    block_size: int = 0
    tensor_parallel_size: int = 1
    eager: bool = False


class VllmBackend:
    """One model in one engine.

    Parameters
    ----------
    start : callable
        Gives the `vllm.LLM`.
    tokenizer : transformers tokenizer
        Of the model.
    name : str
        Model and its revision, for the revision string.
    settings : VllmSettings
        As the engine was started.
    """

    def __init__(
        self, start: Callable[[], Any], tokenizer: Any, *, name: str, settings: VllmSettings
    ) -> None:
        self._start = start
        self._engine: Any = None
        self.settings = settings
        self.conversation = Conversation(tokenizer)
        self.chat_template = self.conversation.chat_template
        head = ".head32" if settings.float32_head and settings.dtype != "float32" else ""
        self.revision = revision_of(name, self.chat_template, precision=f"vllm.{settings.dtype}{head}")

    @property
    def engine(self) -> Any:
        """The engine, started when first used."""
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    def prompt(self, messages: Sequence[Message], *, prefill: str = "") -> Prompt:
        """Chat template applied to one conversation."""
        return self.conversation.prompt(messages, prefill=prefill)

    def read(self, prompts: Sequence[Prompt], protocol: Protocol) -> list[Reading]:
        """Exact label probabilities of every prompt."""
        return read_exactly(self, self.conversation, prompts, protocol.labels, call_a_node=True)

    def next_token_logprobs(
        self, prompts: Sequence[Path], nodes: Sequence[Node], branches: Sequence[Path]
    ) -> list[np.ndarray]:
        """Log probabilities [prompts, wanted] a node; all nodes of all prompts go to the engine at once.

        The engine keeps the prompts' cache, so that a node behind the root costs its own few tokens.
        """
        from vllm import SamplingParams

        asked, params, places = [], [], []
        for number, node in enumerate(nodes):
            for start in range(0, len(node.wanted), _MOST_IDS):
                ids = list(node.wanted[start : start + _MOST_IDS])
                one = SamplingParams(temperature=0, max_tokens=1, logprob_token_ids=ids, detokenize=False)
                for row, prompt in enumerate(prompts):
                    asked.append({"prompt_token_ids": [*prompt, *node.path]})
                    params.append(one)
                    places.append((number, row, start, ids))
        blocks = [np.full((len(prompts), len(node.wanted)), np.nan) for node in nodes]
        outputs = self.engine.generate(asked, params, use_tqdm=False)
        for (number, row, start, ids), output in zip(places, outputs, strict=True):
            shown = output.outputs[0].logprobs[0]
            blocks[number][row, start : start + len(ids)] = [shown[token].logprob for token in ids]
        return finite(blocks)

    def write(self, prompts: Sequence[Prompt], decoding: Decoding) -> list[list[Completion]]:
        """Answers in words: greedy at temperature 0, else sampled from the seed."""
        from vllm import SamplingParams

        started = time.perf_counter()
        params = SamplingParams(
            n=decoding.samples,
            temperature=decoding.temperature,
            max_tokens=decoding.max_tokens,
            seed=decoding.seed if decoding.temperature > 0 else None,
        )
        asked = [{"prompt_token_ids": list(prompt.ids)} for prompt in prompts]
        outputs = self.engine.generate(asked, params, use_tqdm=False)
        seconds = (time.perf_counter() - started) / (len(prompts) * decoding.samples)
        return [
            [
                Completion(
                    answer.text,
                    "length" if answer.finish_reason == "length" else "stop",
                    Usage(len(prompt.ids), len(answer.token_ids), 1, seconds),
                )
                for answer in output.outputs
            ]
            for prompt, output in zip(prompts, outputs, strict=True)
        ]

    def close(self) -> None:
        """Shut the engine down and free the device."""
        import torch

        if self._engine is not None:
            core = getattr(self._engine.llm_engine, "engine_core", None)
            if core is not None:
                core.shutdown()
            self._engine = None
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def load_vllm(model: str, *, settings: VllmSettings) -> VllmBackend:
    """Backend for a model folder or hub name; MissingData without vLLM or the model."""
    try:
        from vllm import LLM
    except ImportError as error:
        raise MissingData("vLLM", "pip install -e '.[gpu]'") from error
    if not 0 < settings.memory_share <= 1:
        raise InvalidInput("settings.memory_share", "above 0 and at most 1", settings.memory_share)
    tokenizer, name = load_tokenizer(model, revision=settings.revision)

    def start() -> Any:
        options: dict[str, Any] = {"block_size": settings.block_size} if settings.block_size else {}
        if settings.float32_head and settings.dtype != "float32":
            options["hf_overrides"] = {"head_dtype": "float32"}
        return LLM(
            model=model,
            revision=settings.revision or None,
            dtype=settings.dtype,
            max_model_len=settings.max_model_len,
            gpu_memory_utilization=settings.memory_share,
            tensor_parallel_size=settings.tensor_parallel_size,
            enable_prefix_caching=True,
            enforce_eager=settings.eager,
            max_logprobs=_MOST_IDS,
            **options,
        )

    return VllmBackend(start, tokenizer, name=name, settings=settings)
