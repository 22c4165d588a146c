"""Board words: what rankings write into published standings, in the language of the reader.

Standings are files, so their notes are English for everybody. The beginning of a note tells which
one it is; what follows are numbers and names.
"""

from __future__ import annotations

from quintain.wording.languages import in_context, say, say_words, to_say

BEGINNINGS = {
    "mean ": to_say("mean %(rest)s"),
    "no score on ": to_say("no score on %(rest)s"),
    "ranks ": to_say("ranks %(rest)s"),
}
"""The notes and units that go on with numbers or names, by how they begin."""

METHODS = (
    to_say("bootstrap over targets"),
    in_context("an interval", "exact"),
    to_say("from the wins that are certain to the wins that are possible"),
    to_say("interval arithmetic"),
    to_say("largest of the attackers' intervals"),
    to_say("mean of the attackers' intervals"),
    to_say("mean of the entries' intervals"),
    to_say("normal interval over cells"),
    to_say("normal interval over people"),
    to_say("weighted sum of the intervals"),
)
"""How intervals are made; methods that have the name of a person keep it."""


def board_words(text: str) -> str:
    """A note, a unit or a method of a board in the language that is spoken now.

    >>> board_words("ranks 1 + 2"), board_words("Clopper-Pearson")
    ('ranks 1 + 2', 'Clopper-Pearson')
    """
    if text in METHODS:
        return say_words(text)
    for beginning, whole in BEGINNINGS.items():
        if text.startswith(beginning):
            return say(whole, rest=text.removeprefix(beginning))
    return say_words(text) if text else ""
