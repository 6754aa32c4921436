"""The score that a judge wrote in words: "Final score: 4/5", "a four out of five", "3 stars", "D"."""

import math
import re

_WORDS = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}
_LETTERS = {"A": 1.0, "B": 2.0, "C": 3.0, "D": 4.0, "E": 5.0}

# A digit from 1 to 5, halves included, that is no part of "15", "2-1", "87th", "4,000" or "1 %".
_DIGIT = r"[1-5](?:\.\d)?(?![\d\-–%\w]|\.\d|,\d)"
_NUMBER = rf"(?<![\d.\-–\n])\b({'|'.join(_WORDS)}|{_DIGIT})\b"
_FINAL = re.compile(rf"\bfinal score\b[^\d\n]{{0,30}}?{_NUMBER}", re.IGNORECASE)
_PHRASE = re.compile(rf"\b(?:score|scores|scoring|rate|rating)\b[^\d\n.;]{{0,60}}?{_NUMBER}", re.IGNORECASE)
_OUT_OF = re.compile(rf"{_NUMBER}\s*(?:/|out of)\s*(?:5|five)\b", re.IGNORECASE)
_AT_END = re.compile(rf"(?<![\d.\-–])({_DIGIT})[\s.\"')\]]*$")
_ANYWHERE = re.compile(rf"(?<![\d.\-–])({_DIGIT})")
_STARS = re.compile(r"\b(one|two|three|four|five|[1-5])[- ]stars?\b", re.IGNORECASE)


def reasoned_score(text: str) -> float:
    """Overall score in a reason followed by a score, 1 to 5 with halves; NaN where there is none.

    In this order: what follows "final score"; the first of a number after "score", "scoring", "rate" or
    "rating" and a number "out of 5"; a number that ends the text; the first number. Later ones score parts,
    or repeat.

    Examples
    --------
    >>> reasoned_score("They won 2-1 in the 87th minute. Score: 4.")
    4.0
    >>> reasoned_score("It reads well, scoring a one out of five.")
    1.0
    """
    found = (
        _FINAL.search(text)
        or _first(_PHRASE.search(text), _OUT_OF.search(text))
        or _AT_END.search(text)
        or _ANYWHERE.search(text)
    )
    return _value(found[1]) if found else math.nan


def star_score(text: str) -> float:
    """Number of stars, in digits or words; NaN where there is none.

    Examples
    --------
    >>> star_score("Three stars. The summary is accurate.")
    3.0
    """
    found = _STARS.search(text)
    return _value(found[1]) if found else math.nan


def choice_score(text: str) -> float:
    """Score of a choice among A (1) to E (5); NaN for any other text.

    Examples
    --------
    >>> choice_score("D")
    4.0
    """
    return _LETTERS.get(text.strip(), math.nan)


def _first(*matches: re.Match[str] | None) -> re.Match[str] | None:
    return min((match for match in matches if match), key=lambda match: match.start(1), default=None)


def _value(text: str) -> float:
    return _WORDS.get(text.lower()) or float(text)
