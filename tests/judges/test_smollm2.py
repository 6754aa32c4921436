"""The demonstration model against transformers' reading of the same file, and label masses by brute force."""

import numpy as np
import pytest
import torch

from judgekit.judges import smollm2 as module
from judgekit.judges.protocol import Asking, binary, direct_score, pairwise
from judgekit.judges.transformers_backend import TransformersBackend, TransformersSettings

pytestmark = pytest.mark.needs("smollm2")

ITEM = {
    "instruction": "Name three rivers.",
    "response": "The 1st is the Nile, the 2nd the Amazon, the 10th the Rhine.",
    "response_a": "Nile, Amazon, Rhine.",
    "response_b": "I do not know.",
}
PROTOCOLS = [
    direct_score(1, 10),
    pairwise(),
    binary(asking=Asking(criterion="Is it right?")),
]


def next_token(model, ids):
    with torch.inference_mode():
        return torch.softmax(model(torch.tensor([ids])).logits[0, -1].double(), -1).numpy()


def brute_force(backend, ids, labels):
    """Mass of each label over all answers whose opening tokens spell it, from uncached single passes.

    Every token of the vocabulary is followed where it opens a label; all other answers are outside whatever
    they go on to. A continuation belongs to a longer label if its text, in any cut, is part of its rest.
    """
    tokenizer, model = backend.conversation.tokenizer, backend.model
    vocabulary = [tokenizer.decode([token]) for token in range(model.config.vocab_size)]
    forms = {tuple(tokenizer.encode(f)): i for i, label in enumerate(labels) for f in (label, " " + label)}
    mass, seen = np.zeros(len(labels)), 0.0

    def follow(path, probability):
        nonlocal seen
        for token, share in enumerate(next_token(model, [*ids, *path])):
            longer = (*path, token)
            reached = probability * share
            opened = [f for f in forms if len(f) > len(longer) and f[: len(longer)] == longer]
            if longer in forms:
                label = labels[forms[longer]]
                rests = [
                    other[len(label) :] for other in labels if other != label and other.startswith(label)
                ]
                if rests:
                    after = next_token(model, [*ids, *longer])
                    gone = [
                        t for t, text in enumerate(vocabulary)
                        if text and any(text.startswith(rest) or rest.startswith(text) for rest in rests)
                    ]  # fmt: skip
                    mass[forms[longer]] += reached * (1 - after[gone].sum())
                else:
                    mass[forms[longer]] += reached
            if opened:
                follow(longer, reached)
            elif longer not in forms:
                seen += reached

    follow((), 1.0)
    return mass, seen


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_label_masses_equal_brute_force_enumeration(smollm2, protocol):
    prompt = smollm2.prompt(protocol.messages(ITEM))
    other = smollm2.prompt(protocol.messages({**ITEM, "response": "x", "response_a": "Rhine."}))
    reading = smollm2.read([prompt, other], protocol)[0]
    expected, _ = brute_force(smollm2, list(prompt.ids), protocol.labels)
    np.testing.assert_allclose(reading.probs, expected, atol=1e-5)
    assert reading.outside == pytest.approx(1 - expected.sum(), abs=5e-5)


def test_ten_is_two_tokens_and_is_split_from_one(smollm2):
    tokenizer = smollm2.conversation.tokenizer
    assert [len(tokenizer.encode(text)) for text in ("10", " 1", "unsafe", "1")] == [2, 2, 2, 1]
    prompt = smollm2.prompt(direct_score(1, 10).messages(ITEM))
    on_ten = smollm2.read([prompt], direct_score(1, 10))[0].probs
    tree = smollm2.conversation.tree(tuple("123456789"), prompt.text)
    alone, _ = tree.probabilities(smollm2.next_token_logprobs([prompt.ids], tree.nodes, tree.branches))
    assert alone[0, 0] == pytest.approx(on_ten[0] + on_ten[9], abs=1e-6)
    assert on_ten[9] > 1e-4


@pytest.mark.parametrize("protocol", PROTOCOLS[:1], ids=lambda protocol: protocol.name)
def test_keeping_the_shared_prefix_changes_no_probability(smollm2, protocol):
    plain = TransformersBackend(
        lambda: smollm2.model,
        smollm2.conversation.tokenizer,
        name="plain",
        settings=TransformersSettings(threads=2, reuse_prefix=False),
    )
    items = [{**ITEM, "response": "word " * length} for length in (3, 40, 11)]
    prompts = [smollm2.prompt(protocol.messages(item)) for item in items]
    kept = np.array([reading.probs for reading in smollm2.read(prompts, protocol)])
    full = np.array([reading.probs for reading in plain.read(prompts, protocol)])
    np.testing.assert_allclose(kept, full, atol=1e-5)


def test_the_checkpoint_is_made_once(smollm2_folder):
    before = (smollm2_folder / "model.safetensors").stat().st_mtime_ns
    assert module.checkpoint(smollm2_folder.parent) == smollm2_folder
    assert (smollm2_folder / "model.safetensors").stat().st_mtime_ns == before


def test_the_tokenizer_cuts_text_as_transformers_reading_of_the_file_does(smollm2):
    from transformers import AutoTokenizer

    source = module.gguf_file()
    theirs = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    text = "Rate 10 of 1234: don't  stop.\n\n\tx = 3;  Ünïcödé 12.5% 日本<|im_end|>ok"
    assert smollm2.conversation.tokenizer.encode(text) == theirs.encode(text)
    assert smollm2.conversation.tokenizer.decode(theirs.encode(text)) == text


def test_greedy_answers_repeat_and_samples_follow_the_seed(smollm2):
    from judgekit.judges.backend import Decoding

    prompts = [smollm2.prompt(direct_score(1, 5).messages(ITEM))]
    greedy = [smollm2.write(prompts, Decoding(max_tokens=4))[0][0].text for _ in range(2)]
    assert greedy[0] == greedy[1]
    warm = Decoding(samples=3, temperature=1.0, max_tokens=4, seed=5)
    first, again = (smollm2.write(prompts, warm)[0] for _ in range(2))
    assert [answer.text for answer in first] == [answer.text for answer in again]
    assert len({answer.text for answer in first}) > 1
