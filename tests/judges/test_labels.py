"""Label trees against enumeration of every answer, on tokenizers that cut labels in awkward places."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidInput
from judgekit.judges.labels import label_tree
from judgekit.judges.tokens import TokenView

from .toy import PIECES, ToyModel, greedy_view

SCALE = ("1", "2", "10")


def enumerated(view, labels, probabilities):
    """Mass of each label over all answers of three tokens: the longest label whose tokens open the answer."""
    forms = {
        tuple(view.encode(form)): index for index, label in enumerate(labels) for form in (label, " " + label)
    }
    mass = np.zeros(len(labels))
    for tokens, probability in probabilities:
        opened = [form for form in forms if tokens[: len(form)] == form]
        if not opened:
            continue
        form = max(opened, key=len)
        label = labels[forms[form]]
        spelled = "".join(view.spelling[token] for token in tokens[len(form) :][:1])
        rests = [
            longer.removeprefix(label) for longer in labels if longer != label and longer.startswith(label)
        ]
        goes_on = spelled and any(r.startswith(spelled) or spelled.startswith(r) for r in rests)
        if not goes_on:
            mass[forms[form]] += probability
    return mass


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    joined=st.booleans(),
    labels=st.sampled_from([SCALE, ("A", "B"), ("safe", "unsafe")]),
)
def test_label_masses_equal_enumeration_of_every_answer(seed, joined, labels):
    pieces = [piece for piece in PIECES if joined or piece != "10"]
    view = greedy_view(tuple(pieces))
    model = ToyModel(len(pieces), seed)
    tree = label_tree(view, labels)
    probs, outside = tree.probabilities(model.blocks([(3,)], tree.nodes))
    expected = enumerated(view, labels, model.sequences((3,), 3))
    np.testing.assert_allclose(probs[0], expected, atol=1e-12)
    np.testing.assert_allclose(outside[0], 1 - expected.sum(), atol=1e-12)


@pytest.mark.parametrize("pieces", [("1", "0", "2", " "), ("1", "0", "2", " ", "10")])
def test_ten_is_never_counted_as_one(pieces):
    view = greedy_view(pieces)
    tree = label_tree(view, SCALE)
    sure = {(): {"1": 0.6, "10": 0.3, "2": 0.1}, ("1",): {"0": 0.5}}
    blocks = []
    for node in tree.nodes:
        at = sure.get(tuple(view.spelling[token] for token in node.path), {})
        blocks.append(np.log([[at.get(view.spelling[token], 1e-30) for token in node.wanted]]))
    probs, outside = tree.probabilities(blocks)
    assert probs[0, 0] == pytest.approx(0.3)
    assert probs[0, 2] == pytest.approx(0.3)
    assert probs[0].sum() + outside[0] == pytest.approx(1.0)


def test_bare_and_spaced_forms_are_merged():
    view = greedy_view()
    tree = label_tree(view, ("A", "B"))
    space, a, b = (view.encode(text)[0] for text in (" ", "A", "B"))
    values = {(): {a: 0.2, b: 0.1, space: 0.5}, (space,): {a: 0.4, b: 0.4}}
    blocks = [np.log([[values[node.path][token] for token in node.wanted]]) for node in tree.nodes]
    probs, outside = tree.probabilities(blocks)
    np.testing.assert_allclose(probs[0], [0.2 + 0.2, 0.1 + 0.2])
    assert outside[0] == pytest.approx(0.3)


def test_mass_outside_the_labels_is_not_renormalised_away():
    view = greedy_view()
    tree = label_tree(view, ("A", "B"))
    blocks = [np.log(np.full((2, len(node.wanted)), 1e-3)) for node in tree.nodes]
    probs, outside = tree.probabilities(blocks)
    assert probs.sum(axis=1) == pytest.approx(2 * (1e-3 + 1e-6))
    assert outside == pytest.approx(1 - probs.sum(axis=1))


def test_branches_cover_every_node_with_the_fewest_paths():
    view = greedy_view(("1", "0", "2", " "))
    tree = label_tree(view, SCALE)
    spelled = {"".join(view.spelling[token] for token in path) for path in tree.branches}
    assert spelled == {" 1", "1"}
    assert all(any(b[: len(n.path)] == n.path for b in tree.branches) for n in tree.nodes)


@pytest.mark.parametrize(
    ("view", "labels"),
    [
        (greedy_view(lower=True, pieces=("a", "b", " ")), ("a", "A")),
        (greedy_view(("x",)), ("B", "x")),
    ],
    ids=["same tokens", "unknown token"],
)
def test_labels_a_tokenizer_cannot_tell_apart_are_named(view, labels):
    with pytest.raises(InvalidInput, match=r"'B'|'a' and 'A'"):
        label_tree(view, labels)


def test_merging_with_the_text_before_falls_back_to_the_label_alone():
    merged = {":1": 0, ":": 1, "1": 2, "2": 3, " ": 4}

    def encode(text):
        found = []
        while text:
            piece = next(p for p in merged if text.startswith(p))
            found.append(merged[piece])
            text = text[len(piece) :]
        return found

    view = TokenView(encode, {number: piece for piece, number in merged.items()})
    assert view.continue_from("2:", "1") == (2,)
    assert label_tree(view, ("1", "2"), context="2:").nodes[0].wanted == (2, 3, 4)


def test_a_context_token_is_not_counted():
    view = greedy_view()
    model = ToyModel(len(PIECES), 4)
    context = "A B A x"
    tree = label_tree(view, ("A", "B"), context=context)
    prompt = tuple(view.encode(context))
    probs, _ = tree.probabilities(model.blocks([prompt], tree.nodes))
    expected = enumerated(view, ("A", "B"), model.sequences(prompt, 2))
    np.testing.assert_allclose(probs[0], expected, atol=1e-12)
    assert tree.nodes == label_tree(view, ("A", "B")).nodes
