"""Board words: what rankings write into published standings, in the language of the reader.

Standings are files, so their notes are English for everybody. A note is one of the texts below with
its values filled in; what it is tells how the reader's language says it.
"""

from __future__ import annotations

import re
from functools import cache

from quintain.wording.languages import VALUE, in_context, say, say_words, to_say

NOTES = (
    to_say("%(name)s is %(value)s, must be at least %(bound)s (off by %(gap)s)"),
    to_say("%(name)s is %(value)s, must be at most %(bound)s (off by %(gap)s)"),
    to_say("%(name)s could not be measured: %(note)s"),
    to_say("mean %(rest)s"),
    to_say("no score on %(rest)s"),
    to_say("ranks %(rest)s"),
)
"""The notes and units that have values."""

_METHODS = (
    to_say("bootstrap over targets"),
    to_say("from the wins that are certain to the wins that are possible"),
    to_say("interval arithmetic"),
    to_say("largest of the attackers' intervals"),
    to_say("mean of the attackers' intervals"),
    to_say("mean of the entries' intervals"),
    to_say("normal interval over cells"),
    to_say("normal interval over people"),
    to_say("weighted sum of the intervals"),
)
METHODS = {"exact": in_context("an interval", "exact")} | {text: text for text in _METHODS}
"""How intervals are made; methods that have the name of a person keep it."""

_LISTED = "; "
"""What stands between several notes."""


def board_words(text: str) -> str:
    """Notes, a unit or methods of a board in the language that is spoken now.

    >>> board_words("ranks 1 + 2"), board_words("Clopper-Pearson")
    ('ranks 1 + 2', 'Clopper-Pearson')
    """
    return _LISTED.join(map(_say_note, text.split(_LISTED)))


def _say_note(text: str) -> str:
    if text in METHODS:
        return say(METHODS[text])
    for note in NOTES:
        if match := _pattern(note).fullmatch(text):
            return say(note, **match.groupdict())
    return say_words(text) if text else ""


@cache
def _pattern(note: str) -> re.Pattern[str]:
    """What a note looks like with any values."""
    pieces = VALUE.split(note)  # texts and names take turns
    return re.compile(
        "".join(f"(?P<{piece}>.+)" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))
    )
