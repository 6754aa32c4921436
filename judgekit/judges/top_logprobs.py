"""Label probabilities from the few most likely first tokens a provider shows: what is seen, what is not."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Seen:
    """Label masses that a list of top tokens shows, and a bound on what it hides.

    Attributes
    ----------
    probs : float [labels]
        Mass seen on each label; a lower bound.
    unread : float
        Label mass that may be hidden at most: outside the list, or behind a token that could still become
        more than one label.
    """

    probs: np.ndarray
    unread: float


def read_top(labels: Sequence[str], tokens: Sequence[tuple[str, float]], *, whole: bool = False) -> Seen:
    """Masses of `labels` from (token text, natural log probability) of the first token of an answer.

    A token that is a label, and the start of no longer one, counts for it; bare and spaced spellings add up.
    A token that could become several labels ("1" on a scale up to 10) counts for none and is unread, unless
    `whole` says that the provider's tokenizer has every label as one token. A label outside the list is not
    zero: the mass that the list does not show, as far as it can hold labels, is unread too.
    """
    masses = np.zeros(len(labels))
    ambiguous, shown = 0.0, 0.0
    spaced: dict[str, float] = {}
    for text, logprob in tokens:
        spaced[text] = max(spaced.get(text, 0.0), math.exp(min(logprob, 0.0)))
    for text, mass in spaced.items():
        shown += mass
        word = text.strip()
        could_be = [place for place, label in enumerate(labels) if label.startswith(word)] if word else []
        exact = [place for place in could_be if labels[place] == word]
        if exact and (len(could_be) == 1 or whole):
            masses[exact[0]] += mass
        elif could_be or not word:
            # A token of blanks may be followed by any label.
            ambiguous += mass
    least = min(spaced.values(), default=1.0)
    forms = [form for label in labels for form in (label, " " + label)]
    openings = {form[:length] for form in forms for length in range(1, len(form) + 1)}
    hidden = min(max(1.0 - shown, 0.0), len(openings - set(spaced)) * least)
    return Seen(masses, ambiguous + hidden)


def first_token(choice: Mapping[str, object]) -> list[tuple[str, float]]:
    """(text, log probability) pairs of the first token of a chat choice; [] where the server shows none."""
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    if not isinstance(content, Sequence) or not content or not isinstance(content[0], Mapping):
        return []
    first = content[0]
    top = first.get("top_logprobs")
    entries = [*(top if isinstance(top, Sequence) else ()), first]
    return [(str(entry["token"]), float(entry["logprob"])) for entry in entries if isinstance(entry, Mapping)]
