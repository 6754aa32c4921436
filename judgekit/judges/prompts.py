"""The wording of our own prompts: one skeleton, one order of fields, one closing instruction a task."""

SYSTEM = "You are a careful judge of written text. You follow the output format exactly."

_QUESTION = """\
{% if instruction %}[Task]
{{ instruction }}

{% endif %}"""

_REFERENCE = """\
{% if reference %}[Reference]
{{ reference }}

{% endif %}"""

DIRECT = (
    """\
Rate the response below{% if aspect %} for {{ aspect }}{% endif %} on a scale from {{ labels[0] }} (worst) \
to {{ labels[-1] }} (best).{% if criterion %} {{ criterion }}{% endif %}

"""
    + _QUESTION
    + _REFERENCE
    + """\
[Response]
{{ response }}

"""
)

PAIRWISE = (
    """\
Compare the two responses below{% if aspect %} for {{ aspect }}{% endif %} and say which is better.\
{% if criterion %} {{ criterion }}{% endif %}

"""
    + _QUESTION
    + _REFERENCE
    + """\
[Response {{ labels[-1] }}]
{{ first }}

[Response {{ labels[0] }}]
{{ second }}

"""
)

BINARY = (
    """\
Answer a question about the response below{% if aspect %}, looking only at its {{ aspect }}{% endif %}.

"""
    + _QUESTION
    + _REFERENCE
    + """\
[Response]
{{ response }}

[Question]
{{ criterion }}

"""
)

BODY = {"direct": DIRECT, "pairwise": PAIRWISE, "binary": BINARY}

VERSION = 1

_LABEL_ALONE = {
    "direct": "Answer with the score alone, a number from {{ labels[0] }} to {{ labels[-1] }}.",
    "pairwise": "Answer with the letter alone, {{ labels[-1] }} or {{ labels[0] }}.",
    "pairwise_tie": "Answer with one letter: {{ labels[-1] }}, {{ labels[0] }}, or {{ labels[1] }} (tie).",
    "binary": "Answer with the word alone, {{ labels[-1] }} or {{ labels[0] }}.",
}
_REASONS_FIRST = "Give your reasons in a few sentences. Then close with one line of the form"
_CLOSING = {"direct": "Score: NUMBER", "pairwise": "Verdict: LETTER", "binary": "Verdict: WORD"}


def answer(kind: str, *, rationale: bool, tie: bool) -> str:
    """The closing instruction: a label alone, or reasons and then a line that holds the label."""
    if rationale:
        either = "" if kind == "direct" else "\nLabels: {{ labels | join(', ') }}."
        return f"{_REASONS_FIRST}\n{_CLOSING[kind]}{either}"
    return _LABEL_ALONE["pairwise_tie" if kind == "pairwise" and tie else kind]
