"""Protocol records: what they show, what their digests see, what they refuse."""

import dataclasses

import pytest

from judgekit.errors import InvalidInput
from judgekit.judges.protocol import Asking, Protocol, binary, direct_score, pairwise
from judgekit.judges.protocol_entry import protocol_from

ITEM = {
    "instruction": "Sum up.",
    "response": "Short.",
    "response_a": "first text",
    "response_b": "second text",
}


def test_the_digest_sees_every_field_that_changes_an_answer():
    base = direct_score(1, 5)
    changed = {
        "template": base.template + " ",
        "labels": ("1", "2", "3", "4", "five"),
        "scores": (1.0, 2.0, 3.0, 4.0, 6.0),
        "aspect": "fluency",
        "criterion": "Judge style.",
        "system": "",
        "prefill": "Score: ",
        "max_tokens": 4,
        "version": 2,
    }
    digests = {dataclasses.replace(base, **{field: value}).digest for field, value in changed.items()}
    assert len(digests | {base.digest}) == len(changed) + 1
    assert dataclasses.replace(base, name="other").digest == base.digest
    assert pairwise().digest == pairwise(orders=("ba",)).digest


def test_a_prompt_change_gives_another_digest_and_the_same_words_the_same():
    assert direct_score(1, 5).digest == direct_score(1, 5).digest != direct_score(1, 10).digest


def test_orders_swap_the_responses_and_nothing_else():
    protocol = pairwise()
    ab, ba = (protocol.messages(ITEM, order)[-1]["content"] for order in ("ab", "ba"))
    assert ab.index("first text") < ab.index("second text")
    assert ba.index("second text") < ba.index("first text")
    swapped = ba.replace("second text", "*").replace("first text", "second text").replace("*", "first text")
    assert swapped == ab
    assert ab.index("[Response A]") < ab.index("[Response B]")


def test_all_prompts_share_one_order_of_fields():
    item = {**ITEM, "reference": "Gold."}
    for protocol in (direct_score(1, 5), pairwise(), binary(asking=Asking(criterion="Right?"))):
        text = protocol.messages(item)[-1]["content"]
        places = [text.index(part) for part in ("[Task]", "[Reference]", "[Response", "Answer with")]
        assert places == sorted(places)


def test_braces_in_an_item_are_text():
    text = direct_score(1, 5).messages({**ITEM, "response": "{{ labels }} {% if x %}"})[-1]["content"]
    assert "{{ labels }} {% if x %}" in text


def test_item_digest_sees_only_what_the_prompt_shows():
    protocol = direct_score(1, 5)
    assert protocol.item_digest(ITEM) == protocol.item_digest({**ITEM, "label": 3})
    assert protocol.item_digest(ITEM) != protocol.item_digest({**ITEM, "response": "Longer."})


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"kind": "direct", "low": 5, "high": 1}, "low"),
        ({"kind": "direct", "low": 1}, "high"),
        ({"kind": "guess"}, "kind"),
        ({"kind": "binary"}, "criterion"),
        ({"kind": "direct", "low": 1, "high": 5, "scale": 3}, "scale"),
        ({"kind": "direct", "low": 1, "high": 5, "rationale": True}, "rationale"),
        ({"kind": "direct", "low": 1, "high": 5, "read_out": "sampled", "samples": 3}, "temperature"),
        ({"kind": "direct", "low": 1, "high": 5, "read_out": "soft"}, "read_out"),
        ({"kind": "pairwise", "orders": ["ab", "ab"]}, "orders"),
        (
            {
                "template": "{{ response",
                "name": "x",
                "kind": "direct",
                "labels": ["1", "2"],
                "scores": [1, 2],
            },
            "template",
        ),
        ({"template": "x", "name": "x", "kind": "direct", "labels": ["1", "1"], "scores": [1, 2]}, "labels"),
        ({"template": "x", "name": "x", "kind": "direct", "labels": ["1", "2"], "scores": [2, 1]}, "scores"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(record, field):
    with pytest.raises(InvalidInput, match=field):
        protocol_from(record)


def test_a_missing_item_column_is_named():
    with pytest.raises(InvalidInput, match=r"items\.response"):
        direct_score(1, 5).messages({"instruction": "x", "response": float("nan")})


def test_a_template_of_ones_own_is_taken():
    record = {
        "name": "mine",
        "kind": "direct",
        "template": "Q: {{ question }}",
        "labels": [0, 1],
        "scores": [0, 1],
    }
    protocol = protocol_from(record)
    assert isinstance(protocol, Protocol)
    assert protocol.fields == ("question",)
    assert protocol.messages({"question": "why?"})[-1]["content"] == "Q: why?"
