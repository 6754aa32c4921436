"""A tokenizer as the label tree needs it: text to ids, and the raw spelling of every token."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SPACE_MARKERS = ("\u0120", "\u2581", " ")


@dataclass(frozen=True)
class TokenView:
    """The two views of a tokenizer that label reading needs.

    Attributes
    ----------
    encode : callable
        Text to token ids, without special tokens added.
    spelling : mapping
        Token id to its raw spelling in the vocabulary (space markers kept, WordPiece's ## removed).
    unknown : int or None
        Id that stands for text outside the vocabulary.
    """

    encode: Callable[[str], list[int]]
    spelling: Mapping[int, str]
    unknown: int | None = None

    def spell(self, ids: tuple[int, ...]) -> str:
        """Raw text of a token sequence, its leading space marker removed."""
        text = "".join(self.spelling[token] for token in ids)
        for marker in SPACE_MARKERS:
            text = text.removeprefix(marker)
        return text

    def continue_from(self, context: str, form: str) -> tuple[int, ...]:
        """Ids that spell `form` behind `context`; where the two merge, those of `form` alone."""
        before = self.encode(context)
        whole = self.encode(context + form)
        if len(whole) > len(before) and whole[: len(before)] == before:
            return tuple(whole[len(before) :])
        return tuple(self.encode(form))


def view_of(tokenizer: Any) -> TokenView:
    """View of a Hugging Face tokenizer, slow or fast, of any family.

    Byte-level and SentencePiece vocabularies spell ASCII as itself and mark a leading space; WordPiece marks
    what continues a word by ##.
    """
    spelling = {int(token): str(raw).removeprefix("##") for raw, token in tokenizer.get_vocab().items()}

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    return TokenView(encode, spelling, tokenizer.unk_token_id)
