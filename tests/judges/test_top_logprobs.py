"""What the most likely first tokens show of a set of labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.judges.top_logprobs import first_token, read_top

TEN = tuple(map(str, range(1, 11)))


def test_one_may_become_ten_and_is_unread_unless_labels_are_whole():
    tokens = [("1", np.log(0.5)), ("2", np.log(0.4)), ("x", np.log(0.1))]
    seen = read_top(TEN, tokens)
    assert seen.probs[0] == 0
    assert seen.unread == pytest.approx(0.5)
    whole = read_top(TEN, [*tokens, ("10", np.log(0.05))], whole=True)
    assert whole.probs[[0, 1, 9]] == pytest.approx([0.5, 0.4, 0.05])


def test_bare_and_spaced_forms_add_up():
    seen = read_top(("A", "B"), [("A", np.log(0.3)), (" A", np.log(0.2)), ("B", np.log(0.1))])
    assert seen.probs == pytest.approx([0.5, 0.1])


def test_a_part_of_a_label_is_unread():
    seen = read_top(("safe", "unsafe"), [("un", np.log(0.7)), ("safe", np.log(0.3))])
    assert seen.probs == pytest.approx([0.3, 0.0])
    assert seen.unread == pytest.approx(0.7)


@settings(max_examples=50)
@given(st.lists(st.floats(0.001, 1), min_size=25, max_size=25), st.integers(1, 20))
def test_the_truth_lies_between_what_is_seen_and_what_may_be_hidden(weights, top):
    labels = ("1", "2", "3", "4", "5")
    texts = [form for label in labels for form in (label, " " + label)] + [f"w{n}" for n in range(15)]
    mass = np.array(weights) / sum(weights)
    truth = mass[0:10:2] + mass[1:10:2]
    order = np.argsort(-mass)[:top]
    seen = read_top(labels, [(texts[n], float(np.log(mass[n]))) for n in order])
    assert (seen.probs <= truth + 1e-12).all()
    assert truth.sum() <= seen.probs.sum() + seen.unread + 1e-9


def test_the_sampled_token_counts_once():
    entry = {"token": "4", "logprob": -0.1}
    tokens = first_token({"logprobs": {"content": [entry | {"top_logprobs": [entry]}]}})
    assert read_top(("4", "5"), tokens).probs[0] == pytest.approx(np.exp(-0.1))
    assert first_token({"logprobs": None}) == first_token({}) == []
