"""Chat templates, revisions, and readings that are refused."""

import numpy as np
import pytest

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.protocol import direct_score
from judgekit.judges.reading import Conversation, finite, load_tokenizer, revision_of

MESSAGES = [{"role": "system", "content": "Judge."}, {"role": "user", "content": "Rate: 10"}]
NO_SYSTEM = """{% for message in messages %}\
{% if message.role == 'system' %}{{ raise_exception('no system') }}{% endif %}\
<{{ message.role }}>{{ message.content }}{% endfor %}<answer>"""


@pytest.fixture(scope="module")
def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<unk>", "Judge", "Rate", "1", "0", ".", ":", "<", ">", "user", "answer", "system", "5"]
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>")


def test_without_a_template_the_messages_stand_one_after_the_other(tokenizer):
    tokenizer.chat_template = None
    prompt = Conversation(tokenizer).prompt(MESSAGES, prefill="Score:")
    assert prompt.text == "Judge.\n\nRate: 10\n\nScore:"


def test_a_template_without_a_system_role_gets_its_text_in_the_user_turn(tokenizer):
    tokenizer.chat_template = NO_SYSTEM
    conversation = Conversation(tokenizer)
    assert conversation.prompt(MESSAGES).text == "<user>Judge.\n\nRate: 10<answer>"
    assert conversation.chat_template == NO_SYSTEM
    with pytest.raises(InvalidInput, match="chat_template"):
        conversation.prompt(MESSAGES[:1])


def test_labels_the_model_does_not_know_are_named(tokenizer):
    tokenizer.chat_template = NO_SYSTEM
    with pytest.raises(InvalidInput, match="'7'"):
        Conversation(tokenizer).tree(("5", "7"), "<answer>")


def test_a_tree_is_built_once_for_a_set_of_labels(tokenizer):
    tokenizer.chat_template = NO_SYSTEM
    conversation = Conversation(tokenizer)
    assert conversation.tree(("1", "10"), "<answer>") is conversation.tree(("1", "10"), "<answer>")


def test_the_revision_sees_template_and_precision():
    found = {revision_of("m@1", text, precision=kind) for text in ("a", "b") for kind in ("x", "y")}
    assert len(found) == 4


def test_a_model_changed_in_place_is_another_model(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    before = load_tokenizer(str(tmp_path))[1]
    assert load_tokenizer(str(tmp_path))[1] == before
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert load_tokenizer(str(tmp_path))[1] != before
    assert str(tmp_path.parent) not in before


def test_an_absent_model_says_what_to_type(tmp_path):
    with pytest.raises(MissingData, match="hf download"):
        load_tokenizer(str(tmp_path / "nothing"))


@pytest.mark.parametrize("value", [np.nan, 0.5])
def test_broken_probabilities_are_refused(value):
    with pytest.raises(InvalidInput, match="log probabilities"):
        finite([np.array([[-1.0, value]])])


def test_a_direct_score_on_a_wide_range_is_one_label_a_number():
    assert direct_score(0, 100).labels[-1] == "100"
