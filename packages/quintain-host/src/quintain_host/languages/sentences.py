"""Sentences: what the engine says in a few words, as a page shows it."""

from __future__ import annotations

from quintain.wording.languages import say

_ENDS = (".", "?", "!", "。", "？", "！")


def as_sentence(text: str) -> str:
    """A text with a capital and a full stop, in the way of the language that is spoken.

    >>> as_sentence("sign in first"), as_sentence("Who are you?")
    ('Sign in first.', 'Who are you?')
    """
    text = f"{text[:1].upper()}{text[1:]}"
    return text if text.endswith(_ENDS) else say("%(sentence)s.", sentence=text)
