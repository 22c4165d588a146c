"""Passages: what a release repeats of the texts of people, and how much that says about them.

A passage that everybody writes says nothing. So each word of a person counts by its surprise, in
bits: how improbable it is after the words before it, as far as the texts of all *other* people
tell. Labels play no part: people of the original and of the control are treated alike, so a
test by permuted labels is exact.

All counts are exact: passages are numbered by hash tables of Arrow, and no two share a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from quintain.audits.texts.words import NumberedWords
from quintain.data.arrays import Codes, Floats, Ints, Mask, Rows

CHANGED = 8
"""A passage is repeated if at most one word in so many is another one."""
ANCHORS = (4, 2, 1)
"""A passage is looked for from its most surprising four, two and one words in the release."""
REACH = 64
"""How many words before and after these are compared."""
_LONGEST = 4
_DOUBT = 0.1  # of a word that always followed before, so much is left to others
_NEW = 0.25  # a word that nobody else writes counts as a quarter of a word that somebody does
_BITS_PER_CHARACTER = np.log2(10)  # of a number; codes with letters say no less
_AT_ONCE = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """What a release repeats of each person; people without such words have zeros.

    Parameters
    ----------
    bits : the surprise of the passage that says most.
    start, end : its places in the words.
    changed : how many of its words the release has otherwise.
    own_words : how many names and numbers of nobody else are somewhere in the release.
    needed : from so many bits on, chance very probably repeats no passage of anybody.
    """

    bits: Floats
    start: Rows
    end: Rows
    changed: Ints
    own_words: Ints
    needed: float

    @property
    def passages(self) -> Mask:
        """Whose passages are repeated beyond chance."""
        return np.asarray(self.bits >= self.needed)

    @property
    def names(self) -> Mask:
        """Whose names and numbers are repeated; that may be chance."""
        return np.asarray(self.own_words > 0)


CHANCE = 1e-5
"""How many passages of all people together chance may repeat with the bits that are needed."""


def find_repeated(words: NumberedWords, person: Rows, people: int) -> Repeated:
    """Find for each person the passage that a release repeats and that surprises most.

    Parameters
    ----------
    words : the texts of people, and after them those of the release.
    person : for each text of people the number of its person. The other texts are the release's.

    >>> from quintain.audits.texts.words import number_words
    >>> notes = ["No fever.", "No fever, sister Olga Wren is a smith in Yarm.", "No fever today."]
    >>> words = number_words(pa.array([*notes, "No fever; sister olga wren was a smith in yarm"]))
    >>> repeated = find_repeated(words, np.arange(3), 3)
    >>> words.passage(repeated.start[1], repeated.end[1]), repeated.changed.tolist()
    ('No fever sister Olga Wren is a smith in Yarm', [0, 1, 0])
    >>> repeated.passages.tolist(), repeated.own_words.tolist()
    ([False, True, False], [0, 3, 0])
    """
    texts = len(person)
    cut = int(words.starts[texts])  # the places from here on are the release's
    grams = list(_grams(words))
    owner = person[words.text_of_place()[:cut]]
    sharing = [_sharing(gram[:cut], owner, people) for gram in grams]
    bits = _surprise([gram[:cut] for gram in grams], sharing, words)
    best = _Best.nothing(texts)
    for length in ANCHORS:
        first = _first_places(grams[length - 1], cut)
        best.take(_extend(words, bits, *_anchors(words, grams[length - 1], first, bits, length)))
    needed = float(np.log2(max(1, cut) * max(1, len(words) - cut) / CHANCE))
    own = _own_words(words, sharing[0], cut)
    return Repeated(
        *best.by_person(person, people), np.bincount(owner[own], minlength=people), needed
    )


def _grams(words: NumberedWords) -> Iterator[Codes]:
    """For one to four words, the number of the words from each place on; -1 beyond a text's end."""
    left = np.repeat(words.starts[1:], np.diff(words.starts)) - np.arange(len(words))
    gram = words.numbers
    yield gram
    width = int(words.numbers.max(initial=0)) + 1
    for length in range(2, _LONGEST + 1):
        inside = left >= length
        places = np.flatnonzero(inside)
        pairs = gram[places].astype(np.int64) * width + words.numbers[places + length - 1]
        gram = np.full(len(words), -1, np.int32)
        gram[places] = pa.array(pairs).dictionary_encode().indices.to_numpy()
        yield gram


def _sharing(gram: Codes, owner: Rows, people: int) -> Ints:
    """For each number of some words how many people write them."""
    known = gram >= 0
    pairs = np.sort(gram[known].astype(np.int64) * people + owner[known])
    new = np.concatenate([[True], pairs[1:] != pairs[:-1]])[: len(pairs)]
    return np.bincount(pairs[new] // max(1, people), minlength=int(gram.max(initial=0)) + 1)


def _surprise(grams: list[Codes], sharing: list[Ints], words: NumberedWords) -> Floats:
    """The bits of the word at each place, by what other people write.

    The word may be expected by itself, or after the one, two or three words before it. The highest
    of these probabilities counts, so a passage that somebody else writes has hardly any bits.
    """
    total = float(sharing[0].sum())
    others = sharing[0] - 1.0
    codes = words.lengths[: len(others)]
    new = np.minimum(_NEW, total * 2.0 ** (-_BITS_PER_CHARACTER * np.minimum(codes, 300)))
    alone = np.maximum((others + np.where(codes > 0, new, _NEW)) / (total + 1), 1e-300)
    chance = alone[grams[0]]
    for length in range(2, len(grams) + 1):
        places = np.flatnonzero(grams[length - 1] >= 0)
        together = sharing[length - 1][grams[length - 1][places]] - 1.0
        before = sharing[length - 2][grams[length - 2][places]] - 1.0
        np.maximum.at(chance, places + length - 1, together / (before + _DOUBT))
    return np.asarray(-np.log2(np.minimum(chance, 1.0)))


def _first_places(gram: Codes, cut: int) -> Rows:
    """For each number of some words the first place in the release that has them; -1 if none."""
    first = np.full(int(gram.max(initial=0)) + 1, -1, np.int64)
    places = np.arange(len(gram) - 1, cut - 1, -1)
    known = gram[places] >= 0
    first[gram[places][known]] = places[known]
    return first


def _anchors(
    words: NumberedWords, gram: Codes, first: Rows, bits: Floats, length: int
) -> tuple[Rows, Rows, int]:
    """For each text its most surprising words that the release has, and where the release does."""
    cut = len(bits)
    there = np.where(gram[:cut] >= 0, first[gram[:cut]], -1)
    total = np.concatenate([[0.0], np.cumsum(bits)])
    weight = np.full(cut, -1.0)
    places = np.flatnonzero(there >= 0)
    weight[places] = total[places + length] - total[places]
    filled = np.flatnonzero(np.diff(words.starts) > 0)
    filled = filled[words.starts[filled] < cut]
    if not len(places) or not len(filled):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), length
    highest = np.maximum.reduceat(weight, words.starts[filled])
    text = words.text_of_place()[:cut]
    level = np.full(len(words.starts), np.inf)
    level[filled] = highest
    at = np.flatnonzero((weight >= level[text]) & (weight >= 0))
    at = at[np.concatenate([[True], text[at][1:] != text[at][:-1]])[: len(at)]]
    return at, there[at], length


@dataclass(slots=True, eq=False)
class _Best:
    """The best passage of each text so far."""

    bits: Floats
    start: Rows
    end: Rows
    changed: Ints

    @classmethod
    def nothing(cls, texts: int) -> _Best:
        return cls(np.zeros(texts), *(np.zeros(texts, np.int64) for _ in range(3)))

    def take(self, candidates: Iterator[tuple[Rows, Floats, Rows, Rows, Ints]]) -> None:
        """Keep what says more than before."""
        for text, bits, start, end, changed in candidates:
            more = bits > self.bits[text]
            rows = text[more]
            self.bits[rows], self.start[rows] = bits[more], start[more]
            self.end[rows], self.changed[rows] = end[more], changed[more]

    def by_person(self, person: Rows, people: int) -> tuple[Floats, Rows, Rows, Ints]:
        """The best passage of each person's texts."""
        order = np.lexsort((-np.arange(len(person)), self.bits, person))
        last = np.flatnonzero(np.diff(person[order], append=-1))
        own = order[last]
        out = _Best.nothing(people)
        who = person[own]
        out.bits[who], out.start[who] = self.bits[own], self.start[own]
        out.end[who], out.changed[who] = self.end[own], self.changed[own]
        return out.bits, out.start, out.end, out.changed


def _extend(
    words: NumberedWords, bits: Floats, own_places: Rows, released_places: Rows, length: int
) -> Iterator[tuple[Rows, Floats, Rows, Rows, Ints]]:
    """The longest passages around words that a text and the release have in common."""
    text = words.text_of_place()
    total = np.concatenate([[0.0], np.cumsum(bits)])
    for begin in range(0, len(own_places), _AT_ONCE):
        here, there = (
            own_places[begin : begin + _AT_ONCE],
            released_places[begin : begin + _AT_ONCE],
        )
        starts = [words.starts[text[places]] for places in (here, there)]
        ends = [words.starts[text[places] + 1] for places in (here, there)]
        after = np.minimum(ends[0] - here, ends[1] - there) - length
        on = _one_way(words, bits, (here + length, there + length), after, 1, length)
        credit = length + on.count - CHANGED * on.changed
        before = np.minimum(here - starts[0], there - starts[1])
        back = _one_way(words, bits, (here - 1, there - 1), before, -1, credit)
        yield (
            text[here],
            total[here + length] - total[here] + on.bits + back.bits,
            here - back.count,
            here + length + on.count,
            on.changed + back.changed,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """How many words each passage goes on in one direction, their bits, and how many differ."""

    count: Rows
    bits: Floats
    changed: Ints


def _one_way(
    words: NumberedWords,
    bits: Floats,
    places: tuple[Rows, Rows],
    most: Rows,
    step: int,
    credit: Ints | int,
) -> _Way:
    """Go on to the last word that is the same while at most one in eight of all is not.

    Parameters
    ----------
    places : where to start in the texts of people and in the release.
    most : how many words are left in the shorter of the two texts.
    credit : the words that are the same so far, less seven for each that is not.
    """
    offsets = np.arange(min(REACH, max(0, int(most.max(initial=0)))))
    inside = offsets < most[:, None]
    own, released = (np.where(inside, start[:, None] + step * offsets, 0) for start in places)
    same = inside & (words.numbers[own] == words.numbers[released])
    balance = np.cumsum(np.where(same, 1, 1 - CHANGED), axis=1) + np.reshape(credit, (-1, 1))
    count = np.max(np.where(same & (balance >= 0), offsets + 1, 0), axis=1, initial=0)
    passed = offsets < count[:, None]
    counted = np.where(passed & same, bits[np.minimum(own, len(bits) - 1)], 0.0).sum(axis=1)
    return _Way(count, counted, (passed & ~same).sum(axis=1))


def _own_words(words: NumberedWords, sharing: Ints, cut: int) -> Rows:
    """The places of names and numbers that one person alone writes and that the release has."""
    released = np.zeros(int(words.numbers.max(initial=0)) + 1, bool)
    released[words.numbers[cut:]] = True
    here = words.numbers[:cut]
    own = (sharing[here] == 1) & released[here] & words.telling[words.spelled[:cut]]
    return np.flatnonzero(own)
