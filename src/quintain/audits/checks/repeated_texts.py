"""Repeated texts: does a release say words of people of the original that nobody else says?

Attacks compare attributes, and a note is none. Here the audit looks for passages of people's notes
in the released ones, and for their names and numbers. People of the control are looked for in the
same way. If the release does not depend on who is in the original, it repeats both alike, and the
number of those who are in the original has a hypergeometric law.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from quintain.audits.checks.identities import FEWEST_PEOPLE
from quintain.audits.checks.made_with_control import coin_sign
from quintain.audits.reading.units import Units
from quintain.audits.results import ControlSign, RepeatedPassage, RepeatedText
from quintain.audits.texts.notes import Notes, SearchedNotes, search_notes
from quintain.data.arrays import Mask, Rows
from quintain.figures.format import listed
from quintain.measures.intervals import difference, proportion
from quintain.measures.pooled.joint_test import chance_of_hits

PASSAGES, NAMES = "passages", "names and numbers"
LEVELS = {PASSAGES: 0.02, NAMES: 0.005}
"""How probable a false alarm of each search is at most; beside the joint test, which has 0.05."""
PROOF_LEVEL = 0.001
"""The same for the verdict "unsafe"."""
_SIDES = ("release", "original")
STRIKING = 2.0
"""A passage is striking if it has so many times the bits that it needs."""
_WORDS = {
    PASSAGES: ("repeats passages", "word by word, or with at most one word in eight changed"),
    NAMES: ("has names or numbers", "capitalised words, or at least three digits"),
}
STRIKING_WORDS = (
    "The passage is so improbable by the words of everybody else that luck hardly explains it."
)
NO_CONTROL = (
    "Without a control nobody can tell whether these people wrote the passages themselves or took "
    "them from where the release has them, too."
)


@dataclass(frozen=True, slots=True)
class TextSearch:
    """What was found in the released notes.

    Parameters
    ----------
    searches : the numbers of both searches; empty if the tables have no notes.
    proofs : why the release is unsafe, in sentences.
    traces : why it leaks a little, in sentences.
    notes : what the reader should look at although it proves nothing.
    signs : whether the release was made with the control, if it repeats many of its people.
    """

    searches: tuple[RepeatedText, ...] = ()
    proofs: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signs: tuple[ControlSign, ...] = ()


def join_searches(searches: Iterable[TextSearch]) -> TextSearch:
    """What was found in several tables."""
    every = list(searches)
    return TextSearch(
        *(tuple(entry for own in every for entry in getattr(own, part)) for part in _PARTS)
    )


_PARTS = ("searches", "proofs", "traces", "notes", "signs")


def search_texts(
    notes: Notes | None,
    units: Units | None = None,
    *,
    rng: np.random.Generator,
    show: int = 0,
) -> TextSearch:
    """Look for the words of the original, and of the control, in the released notes.

    Parameters
    ----------
    units : whose row each one is; None if every row is a person.
    rng : draws as many notes of the release as of other people, where the two are compared.
    show : how many of the repeated passages to list.
    """
    if notes is None:
        return TextSearch()
    sides = [role for role in ("original", "control") if role in notes.cells]
    numbers = [_persons(notes, units, role) for role in sides]
    searched = search_notes([notes.texts(role) for role in sides], numbers, notes.texts("release"))
    masks = {PASSAGES: searched.repeated.passages, NAMES: searched.repeated.names}
    searches = [_count(name, mask, searched, notes.columns) for name, mask in masks.items()]
    if show:
        shown = tuple(_show(searched, notes, show))
        searches[0] = searches[0].model_copy(update={"shown": shown})
    if len(sides) == 1:
        return _without_control(searches[0], notes, numbers[0], rng)
    signs: tuple[ControlSign, ...] = ()
    if int(masks[PASSAGES][searched.people[0] :].sum()) >= FEWEST_PEOPLE:
        size = min(notes.rows("release"), notes.rows("original"))
        drawn = [notes.texts(role, _draw(notes.rows(role), size, rng)) for role in _SIDES]
        signs = (_compare(notes.texts("control"), numbers[1], *drawn),)
    by_p = sorted(searches, key=lambda text: text.p or 0.0)  # the clearest first
    reasons = [(text, _reason(text)) for text in by_p]
    return TextSearch(
        tuple(searches),
        tuple(f"{text.says} {why}" for text, why in reasons if why and _is_proof(text)),
        tuple(f"{text.says} {why}" for text, why in reasons if why and not _is_proof(text)),
        () if any(sign.alarm for sign in signs) else tuple(_remark(searches[0])),
        signs,
    )


def _draw(count: int, size: int, rng: np.random.Generator) -> Rows:
    return np.sort(rng.choice(count, size, replace=False))


def _persons(notes: Notes, units: Units | None, role: str) -> Rows:
    """For each row of a table the number of its person."""
    own = None if units is None else units.original if role == "original" else units.control
    return np.arange(notes.rows(role)) if own is None else own


def _count(name: str, mask: Mask, searched: SearchedNotes, columns: Sequence[str]) -> RepeatedText:
    """How many people of each table the release repeats, and how probable that is by chance."""
    inside, outside = searched.people[0], sum(searched.people[1:])
    hits, false = int(mask[:inside].sum()), int(mask[inside:].sum())
    does, how = _WORDS[name]
    where = listed([repr(column) for column in columns])
    says = f"In {where}, the release {does} of {hits:,} of {inside:,} people of the original"
    control = excess = p = None
    if len(searched.people) > 1:
        says += f" and of {false:,} of {outside:,} people of the control"
        control = proportion(false, outside, "lower")
        excess = difference(hits, inside, false, outside, "lower")
        p = chance_of_hits(hits, false, inside, outside)
    whole = np.flatnonzero(mask[:inside])
    striking = searched.repeated.bits[whole] >= STRIKING * searched.repeated.needed
    lengths = (searched.repeated.end - searched.repeated.start)[whole]
    return RepeatedText(
        name=name,
        says=f"{says}, which nobody else has: {how}.",
        columns=tuple(columns),
        share=proportion(hits, inside, "lower"),
        control=control,
        excess=excess,
        p=p,
        level=LEVELS[name],
        alarm=p is not None and p <= LEVELS[name],
        smallest_detectable=_fewest(inside, outside, LEVELS[name]) if outside else None,
        striking=int(striking.sum()) if name == PASSAGES else None,
        longest=int(lengths.max(initial=0)) if name == PASSAGES else None,
        changed=int((searched.repeated.changed[whole] > 0).sum()) if name == PASSAGES else None,
    )


def _fewest(inside: int, outside: int, level: float) -> int | None:
    """How many people of the original raise the alarm if nobody of the control is repeated."""
    few = range(1, inside + 1)
    place = bisect_left(few, -level, key=lambda hits: -chance_of_hits(hits, 0, inside, outside))
    return few[place] if place < inside else None


def _is_proof(text: RepeatedText) -> bool:
    """Whether enough people of the original are repeated beyond the share in the control."""
    assert text.excess is not None and text.p is not None  # there is a control
    return text.p <= PROOF_LEVEL and round(text.excess.value * text.share.n, 6) >= FEWEST_PEOPLE


def _reason(text: RepeatedText) -> str:
    """Why a search is more than luck; empty if it may be luck.

    Few people are too few for a test by labels. But a passage with twice the bits that it needs is
    hardly chance, if not even a shorter one of anybody in a large control is repeated.
    """
    if text.alarm:
        return (
            "If the release did not depend on who is in the original, so many more of them would "
            f"be rare (p = {text.p:.2g})."
        )
    assert text.control is not None  # there is a control
    alone = text.control.value == 0 and 2 * text.control.n >= text.share.n
    return STRIKING_WORDS if text.striking and alone else ""


def _remark(text: RepeatedText) -> Iterator[str]:
    """A sentence if passages are repeated and nothing says that it is more than luck."""
    if text.share.value > 0 and not _reason(text):
        yield f"{text.says} That may be luck: such passages may come from elsewhere."


def _without_control(
    text: RepeatedText, notes: Notes, numbers: Rows, rng: np.random.Generator
) -> TextSearch:
    """Passages alone; one half of the people stand for strangers.

    If the release did not know the people of the first half, it would repeat as many of them as the
    notes of the other half do. Which names agree by chance cannot be said.
    """
    if not text.share.value:
        return TextSearch((text,))
    sentence = f"{text.says} {NO_CONTROL}"
    _, person = np.unique(numbers, return_inverse=True)
    first = (rng.permutation(int(person.max()) + 1) % 2 == 0)[person]
    rows, others = np.flatnonzero(first), np.flatnonzero(~first)
    size = min(len(others), notes.rows("release"))
    sides = [
        notes.texts("release", _draw(notes.rows("release"), size, rng)),
        notes.texts("original", others[_draw(len(others), size, rng)]),
    ]
    sign = _compare(notes.texts("original", rows), numbers[rows], *sides)
    more = (sign.only_release or 0) - (sign.only_original or 0)
    if sign.p > PROOF_LEVEL or more < FEWEST_PEOPLE:
        return TextSearch((text,), notes=(sentence,))
    proof = (
        f"{text.says} Of {sign.people:,} of them, only the release has passages of "
        f"{sign.only_release:,}, and only as many notes of other people of the original have "
        f"passages of {sign.only_original:,}."
    )
    return TextSearch((text,), (proof,))


def _compare(people: pa.Array, numbers: Rows, release: pa.Array, others: pa.Array) -> ControlSign:
    """Whether the release repeats more of these people than as many notes of others do."""
    repeated = [
        search_notes([people], [numbers], texts).repeated.passages for texts in (release, others)
    ]
    gained, lost = repeated[0] & ~repeated[1], repeated[1] & ~repeated[0]
    words = "passages of their notes"
    return coin_sign(PASSAGES, words, int(gained.sum()), int(lost.sum()), len(gained))


def _show(searched: SearchedNotes, notes: Notes, count: int) -> Iterator[RepeatedPassage]:
    """The passages of the original that say most, the most surprising first."""
    repeated, inside = searched.repeated, searched.people[0]
    people = np.flatnonzero(repeated.passages[:inside])
    for person in people[np.argsort(-repeated.bits[people], kind="stable")][:count]:
        start, end = int(repeated.start[person]), int(repeated.end[person])
        text = int(np.searchsorted(searched.words.starts, start, side="right")) - 1
        yield RepeatedPassage(
            row=int(searched.rows[text]),
            column=notes.columns[text // max(1, notes.rows("original"))],
            passage=searched.words.passage(start, end),
            words=end - start,
            changed=int(repeated.changed[person]),
            bits=round(float(repeated.bits[person]), 1),
        )
