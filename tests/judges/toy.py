"""A small tokenizer and a small causal model, for tests that need every probability."""

import itertools

import numpy as np

from judgekit.judges.tokens import TokenView

PIECES = [" ", "0", "1", "2", "A", "B", "10", "un", "safe", "x"]


def greedy_view(pieces=tuple(PIECES), *, lower=False):
    """Longest piece first, as a byte-pair tokenizer with these merges would cut plain text."""
    ids = {piece: number for number, piece in enumerate(pieces)}
    unknown = len(pieces)

    def encode(text):
        text = text.lower() if lower else text
        found = []
        while text:
            piece = next((p for p in sorted(ids, key=len, reverse=True) if text.startswith(p)), None)
            found.append(unknown if piece is None else ids[piece])
            text = text[len(piece) if piece else 1 :]
        return found

    spelling = {number: piece for piece, number in ids.items()} | {unknown: "<unk>"}
    return TokenView(encode, spelling, unknown)


class ToyModel:
    """Next-token probabilities that depend on all tokens so far, drawn once a sequence from a seed."""

    def __init__(self, vocabulary, seed=0):
        self.vocabulary = vocabulary
        self.seed = seed

    def row(self, tokens):
        rng = np.random.default_rng([self.seed, len(tokens), *tokens])
        scores = rng.normal(size=self.vocabulary) * 2
        return np.exp(scores - np.logaddexp.reduce(scores))

    def blocks(self, prompts, nodes):
        return [
            np.log(np.array([self.row((*prompt, *node.path))[list(node.wanted)] for prompt in prompts]))
            for node in nodes
        ]

    def sequences(self, prompt, length):
        """Every token sequence of a length, with its probability."""
        rows = {}
        for tokens in itertools.product(range(self.vocabulary), repeat=length):
            probability = 1.0
            for depth, token in enumerate(tokens):
                before = tokens[:depth]
                if before not in rows:
                    rows[before] = self.row((*prompt, *before))
                probability *= rows[before][token]
            yield tokens, probability
