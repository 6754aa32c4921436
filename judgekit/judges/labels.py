"""Exact label probabilities: a prefix tree of label tokenizations, read by the chain rule."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from judgekit.errors import InvalidInput
from judgekit.judges.tokens import TokenView

Path = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """One place in the answer where next-token probabilities are needed.

    Attributes
    ----------
    path : tuple of int
        Tokens of the answer so far; () is the first token.
    wanted : tuple of int
        Ids whose probability is needed there, sorted.
    """

    path: Path
    wanted: tuple[int, ...]


@dataclass(frozen=True)
class LabelTree:
    """The tokenizations of a set of labels, merged into a prefix tree.

    The probability of a label is the probability that the answer starts with one of its tokenizations (bare
    or behind one space, as the tokenizer writes them) and does not go on to a longer label: on a scale from 1
    to 10 the answer "10" counts for 10 and never for 1. What is left over is the mass outside the labels.

    Attributes
    ----------
    labels : tuple of str
        The labels, in the order of the protocol.
    nodes : tuple of Node
        Places to read, shortest path first; the root is `nodes[0]`.
    ends : tuple of (int, path)
        Label index and token sequence, one entry a tokenization.
    leaving : dict of path to tuple of int
        Behind a complete label: the ids that go on to a longer label.
    """

    labels: tuple[str, ...]
    nodes: tuple[Node, ...]
    ends: tuple[tuple[int, Path], ...]
    leaving: dict[Path, tuple[int, ...]]

    @property
    def branches(self) -> tuple[Path, ...]:
        """Fewest token paths that pass every node (those that no other path continues), longest first."""
        paths = [node.path for node in self.nodes]
        kept = [path for path in paths if not any(_continues(other, path) for other in paths)]
        return tuple(sorted(kept, key=lambda path: (-len(path), path)))

    def probabilities(
        self, logprobs: Sequence[Float[np.ndarray, "items _"]]
    ) -> tuple[Float[np.ndarray, "items labels"], Float[np.ndarray, " items"]]:
        """Label probabilities and the mass outside the labels; together they sum to one.

        Parameters
        ----------
        logprobs : sequence of float [items, wanted]
            For every node, in order: natural log probabilities of its wanted ids.
        """
        read = {
            node.path: dict(zip(node.wanted, np.exp(np.asarray(block, dtype=np.float64)).T, strict=True))
            for node, block in zip(self.nodes, logprobs, strict=True)
        }
        items = len(logprobs[0])
        probs = np.zeros((items, len(self.labels)))
        for label, path in self.ends:
            reached = np.ones(items)
            for depth, token in enumerate(path):
                reached = reached * read[path[:depth]][token]
            going_on = sum((read[path][token] for token in self.leaving.get(path, ())), np.zeros(items))
            probs[:, label] += reached * np.maximum(1.0 - going_on, 0.0)
        return probs, np.maximum(1.0 - probs.sum(axis=1), 0.0)


def label_tree(tokens: TokenView, labels: Sequence[str], *, context: str = "") -> LabelTree:
    """Prefix tree of `labels` as `tokens` writes them behind `context`, the text that the answer follows.

    Raises InvalidInput naming the labels where two of them are the same token sequence, or where one has a
    part that the tokenizer does not know.
    """
    owners: dict[Path, int] = {}
    for index, label in enumerate(labels):
        for path in _tokenizations(tokens, label, context):
            if tokens.unknown is not None and tokens.unknown in path:
                raise InvalidInput("labels", "labels made of tokens the model knows", f"{label!r}")
            other = owners.setdefault(path, index)
            if other != index:
                raise InvalidInput(
                    "labels", "labels the tokenizer can tell apart", f"{labels[other]!r} and {label!r}"
                )
    leaving = _leaving(tokens, owners)
    wanted: dict[Path, set[int]] = {path: set(ids) for path, ids in leaving.items()}
    for path in owners:
        for depth, token in enumerate(path):
            wanted.setdefault(path[:depth], set()).add(token)
    nodes = tuple(
        Node(path, tuple(sorted(wanted[path]))) for path in sorted(wanted, key=lambda p: (len(p), p))
    )
    ends = tuple((index, path) for path, index in owners.items())
    return LabelTree(tuple(labels), nodes, ends, leaving)


def _tokenizations(tokens: TokenView, label: str, context: str) -> list[Path]:
    """Distinct canonical sequences of a label: bare and behind one space, in context and by itself."""
    forms = (label, " " + label)
    found = [tokens.continue_from(context, form) for form in forms]
    found += [tuple(tokens.encode(form)) for form in forms]
    plain = tokens.spell(found[0])
    same = [path for path in dict.fromkeys(found) if path and tokens.spell(path) == plain]
    if not same:
        raise InvalidInput("labels", "labels that give at least one token", f"{label!r}")
    return same


def _leaving(tokens: TokenView, owners: dict[Path, int]) -> dict[Path, tuple[int, ...]]:
    """For each tokenization that starts a longer label: the ids that go on to it, however it is cut."""
    spelled = {path: tokens.spell(path) for path in owners}
    rests: dict[Path, set[str]] = {}
    for path, text in spelled.items():
        longer = {spelled[other] for other, index in owners.items() if index != owners[path]}
        found = {other[len(text) :] for other in longer if other.startswith(text) and other != text}
        if found:
            rests[path] = found
    pieces = [(token, raw) for token, raw in tokens.spelling.items() if raw] if rests else []
    first = {rest[0] for found in rests.values() for rest in found}
    pieces = [(token, raw) for token, raw in pieces if raw[0] in first]
    return {
        path: tuple(sorted(t for t, raw in pieces if any(_goes_on(raw, rest) for rest in found)))
        for path, found in rests.items()
    }


def _goes_on(raw: str, rest: str) -> bool:
    return raw.startswith(rest) or rest.startswith(raw)


def _continues(longer: Path, path: Path) -> bool:
    return len(longer) > len(path) and longer[: len(path)] == path
