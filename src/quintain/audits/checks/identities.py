"""Identities: does a release say who is in it, in plain words or in codes that anybody can make?

Attacks leave ids and names out, since they are no attributes. Here every id, name, date and text of
the original is looked for in the release: as it is, in other spellings, two and three of them
joined, in the usual codes and hashes, and in codes within codes. Then come traces that no code
explains. People of the control are looked for in the same way. If the release does not depend on
who is in the original, it names both alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.audits.checks.identity_traces import ShownTexts, search_traces
from quintain.audits.checks.made_with_control import coin_sign
from quintain.audits.identities.decimals import digits_behind
from quintain.audits.identities.forms import (
    ALONE,
    AS_IT_IS,
    DIGESTS,
    FREQUENT,
    TURNED,
    Form,
    Written,
    joined_forms,
    single_forms,
    squeeze,
    usual_digests,
)
from quintain.audits.identities.layers import WRAPPERS, layers
from quintain.audits.identities.shown import PLAIN, SHORTEST_PLAIN, ShownCells, looks
from quintain.audits.results import ControlSign, FoundIdentity
from quintain.data.own_files.spelling import MISSING
from quintain.figures.format import listed
from quintain.measures.pooled.joint_test import chance_of_hits

FEWEST_PEOPLE = 10
"""From so many people on whom a release names beyond chance, it is unsafe."""
_LEVEL = 0.001
"""How probable such a proof is at most, if the release does not depend on who is in the original;
of all forms that are found at all."""
_MOST_COLUMNS = 8
"""So many columns, the most different ones, are joined with each other."""
_FEW_DIFFERENT = 20
"""A column with fewer different texts names nobody."""
_SINGLES, _PAIRS = 2_000, 50
"""With how many people of each side single columns, and joined ones, are tried first."""
_MOST_CONFIRMED = 12
"""So many forms, found most often among these, are counted over everybody."""
_WORDS_OF_A_TEXT = 5
_READ_AS = " (read as "
"""Stands between the name of a column and that of the code in which it is read."""
_DECIMALS = r"^-?\d*[.,]\d+$"

Columns = Mapping[str, pa.ChunkedArray]
"""The cells of some columns, by name."""


@dataclass(frozen=True, slots=True)
class IdentitySearch:
    """What a release says about who people are.

    Parameters
    ----------
    sources : the columns of people that were looked for.
    searched : the columns of the release in which they were looked for.
    finds : the forms that were found.
    proofs : why the release is unsafe, in sentences.
    notes : what the reader should look at although it proves nothing, in sentences.
    doubtful : columns of the release that may be a mere numbering, or may name people.
    signs : whether the release was made with the control.
    finer : columns that attacks compare, whose released numbers have digits that nothing explains.
    """

    sources: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    finds: tuple[FoundIdentity, ...] = ()
    proofs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    signs: tuple[ControlSign, ...] = ()
    finer: tuple[str, ...] = ()

    def limits(self) -> tuple[str, ...]:
        """What was looked for, and what such a search cannot see, in sentences."""
        if not self.searched or not self.sources:
            return ()
        return (
            f"In {_names(self.searched)} of the release the audit looked for "
            f"{_names(self.sources)} of the people: as they are, in other spellings, in twos and "
            "threes, in unsalted codes and hashes, by rare parts, moved by a constant, and in the "
            "order of the rows. A code with a secret key or a salt, or one of other columns, "
            "cannot be seen in this way.",
        )


NOT_SEARCHED: IdentitySearch = IdentitySearch()
"""Of tables in which there is nothing to look for, or nowhere to look."""


def join_identities(searches: Iterable[IdentitySearch]) -> IdentitySearch:
    """What was found of several tables of people."""
    every = list(searches)
    joined: dict[str, tuple[Any, ...]] = {}
    for part in (field.name for field in fields(IdentitySearch)):
        entries = [entry for own in every for entry in getattr(own, part)]
        joined[part] = tuple(entries if part in ("finds", "signs") else dict.fromkeys(entries))
    return IdentitySearch(**joined)


def search_identities(
    original: Columns,
    release: Columns,
    control: Columns | None = None,
    *,
    compared: Collection[str] = (),
    alike: Callable[[str], bool] | None = None,
) -> IdentitySearch:
    """Look for the people of the original, and of the control, in the columns of a release.

    Parameters
    ----------
    original, control : all columns of people.
    release : all columns of the release.
    compared : columns of the release that attacks compare, where equal values are no codes.
    alike : whether the released rows have the ids, by column, of rows of the original that are like
        them. Without it, ids that count from one may be a mere numbering.

    >>> inside, outside, codes = (
    ...     pa.chunked_array([[f"{part}{number:04}" for number in range(40)]])
    ...     for part in ("a", "b", "A - ")
    ... )
    >>> searched = search_identities({"id": inside}, {"key": codes}, {"id": outside})
    >>> [len(searched.proofs), searched.finds[0].people, searched.finds[0].others]
    [1, 40, 0]
    """
    ends = _digits_behind(original, release, control, compared)
    shared = list(original) if control is None else [name for name in original if name in control]
    search = partial(_search, compared=compared, ends=ends, alike=alike)
    searches = [search(original, release, control, shared)]
    rest = [name for name in original if name not in shared]
    if rest:
        searches.append(search(original, release, None, rest))
    return replace(join_identities(searches), finer=tuple(ends))


def _digits_behind(
    original: Columns, release: Columns, control: Columns | None, compared: Collection[str]
) -> dict[str, list[str]]:
    """Of columns that attacks compare, the released digits behind those of people."""
    out = {}
    for name in compared:
        if name not in original or name not in release or not _has_decimals(release[name]):
            continue
        sides = [original, *([control] if control is not None and name in control else [])]
        known = [text for side in sides for text in _texts(side[name]) or []]
        ends = digits_behind(_texts(release[name]) or [], known)
        if ends is not None:
            out[name] = ends
    return out


def _has_decimals(cells: pa.ChunkedArray) -> bool:
    """Whether some of the first cells have more decimals than one."""
    try:
        there = pc.match_substring_regex(cells.slice(0, 500), r"^-?\d+[.,]\d\d")
        return bool(pc.any(there).as_py())
    except pa.ArrowException:
        return False


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """The identities of people: a text for each row of each column.

    Parameters
    ----------
    sides : the columns of the original, and those of the control if there is one.
    singles : the columns that name people alone.
    several : those that may name them together.
    """

    sides: tuple[dict[str, list[str]], ...]
    singles: tuple[str, ...]
    several: tuple[str, ...]

    def some(self, names: Sequence[str], most: int) -> list[dict[str, list[str]]]:
        """The cells of some rows of each side, evenly spread."""
        out: list[dict[str, list[str]]] = []
        for side in self.sides:
            count = len(next(iter(side.values())))
            rows = np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))
            out.append({name: [side[name][row] for row in rows] for name in names})
        return out


def _search(
    original: Columns,
    release: Columns,
    control: Columns | None,
    names: Sequence[str],
    *,
    compared: Collection[str],
    ends: Mapping[str, Sequence[str]],
    alike: Callable[[str], bool] | None,
) -> IdentitySearch:
    hidden = {name for name, cells in release.items() if name in ends or _has_many_digits(cells)}
    if not hidden and all(name in compared for name in release):
        return NOT_SEARCHED
    sides = [original] if control is None else [original, control]
    people = _identities(sides, names, compared)
    if not people.several or not all(len(next(iter(side.values()))) for side in people.sides):
        return NOT_SEARCHED
    shown = _shown_texts(release, compared, ends)
    columns = _cut_release(shown, people)
    if not columns:
        return IdentitySearch(people.singles)
    search = _IdentityLookup(people, columns, alike)
    searched = tuple(name for name in columns if name not in compared)
    result = IdentitySearch(people.singles or people.several, searched)
    judged = search.judge(result, search.singles())
    if judged.proofs or any(sign.alarm for sign in judged.signs):
        return judged
    traces = search_traces(people.sides, people.singles, shown, _LEVEL)
    if traces:
        return replace(
            judged,
            finds=(*judged.finds, *(trace.identity() for trace in traces)),
            proofs=tuple(trace.words for trace in traces),
        )
    return search.judge(result, search.every())


def _identities(
    sides: Sequence[Columns], names: Sequence[str], compared: Collection[str]
) -> _People:
    """The columns of people that name them, alone or together.

    Ids repeat where people have several rows; an attribute names nobody if people share it.
    """
    texts: list[dict[str, list[str]]] = [{} for _ in sides]
    different: dict[str, int] = {}
    singles = []
    for name in names:
        first = _texts(sides[0][name])
        if first is None:
            continue
        filled = [text for text in first if text]
        count = len(set(filled))
        if count < 2 or _is_text(filled) or _is_decimal(sides[0][name]):
            continue
        others = [_texts(side[name]) for side in sides[1:]]
        if any(other is None for other in others):
            continue
        for side, own in zip(texts, (first, *others), strict=True):
            side[name] = own or []
        different[name] = count
        if count >= _FEW_DIFFERENT and (name not in compared or 2 * count >= len(filled)):
            singles.append(name)
    several = sorted(different, key=lambda name: -different[name])[:_MOST_COLUMNS]
    kept = [name for name in different if name in several or name in singles]
    sides_kept = tuple({name: side[name] for name in kept} for side in texts)
    return _People(sides_kept, tuple(singles), tuple(n for n in different if n in several))


def _texts(cells: pa.ChunkedArray) -> list[str] | None:
    """The text of each cell, empty for those without one; None if the cells are no texts."""
    try:
        trimmed = pc.utf8_trim_whitespace(cells.cast(pa.string()))
    except pa.ArrowException:  # nested cells are no identities
        return None
    return ["" if text is None or text in MISSING else text for text in trimmed.to_pylist()]


def _is_text(texts: Sequence[str]) -> bool:
    some = texts[:200]
    return sum(text.count(" ") + 1 for text in some) > _WORDS_OF_A_TEXT * len(some)


def _is_decimal(cells: pa.ChunkedArray) -> bool:
    """Whether the cells are measured numbers: most of them have decimals."""
    filled = cells.drop_null()
    decimals = pc.sum(pc.match_substring_regex(filled, _DECIMALS)).as_py() or 0
    whole = pc.sum(pc.match_substring_regex(filled, r"^-?\d+[.,]0+$")).as_py() or 0
    return bool(2 * (decimals - whole) > len(filled))


def _has_many_digits(cells: pa.ChunkedArray) -> bool:
    """Whether the cells could have an id behind their own digits."""
    try:
        marks = pc.match_substring_regex(cells.slice(0, 100), rf"(?:\d\D*){{{2 * SHORTEST_PLAIN}}}")
    except pa.ArrowException:
        return False
    return bool(pc.any(marks).as_py())


def _shown_texts(
    release: Columns, compared: Collection[str], ends: Mapping[str, Sequence[str]]
) -> ShownTexts:
    """The texts of those columns of the release that may name somebody."""
    cells: dict[str, list[str]] = {}
    whole: dict[str, list[str]] = {}
    for name, column in release.items():
        texts = None if name in compared and not _may_hide(name, column, ends) else _texts(column)
        if texts is not None and len({*texts}) >= FEWEST_PEOPLE:
            (whole if name in compared else cells)[name] = texts
    read = {(name, code): own for name, texts in cells.items() for code, own in layers(texts)}
    return ShownTexts(cells, read, ends, whole)


def _may_hide(name: str, cells: pa.ChunkedArray, ends: Mapping[str, Sequence[str]]) -> bool:
    return name in ends or _has_many_digits(cells)


def _cut_release(shown: ShownTexts, people: _People) -> dict[str, ShownCells]:
    """What stands in those columns, cut in the ways in which identities are written.

    Attacks compare whole values, so of columns that they see only what hides behind digits is left.
    """
    first = people.sides[0]
    lengths = {
        len(squeeze(text))
        for name in people.singles
        for text in first[name][:50]
        if squeeze(text).isdecimal()
    }
    windows = sorted(size for size in lengths if size >= SHORTEST_PLAIN)[:_MOST_COLUMNS]
    out = {name: ShownCells.of({*texts} - {""}, windows) for name, texts in shown.cells.items()}
    for (name, code), texts in shown.layers.items():
        own = ShownCells.of({*texts} - {""}, windows)
        plain = code.partition(" in ")[0] not in WRAPPERS
        out[f"{name}{_READ_AS}{code})"] = ShownCells(own.cells, own.parts) if plain else own
    for name, cells in shown.whole.items():
        long = {text for text in cells if sum(map(str.isdecimal, text)) >= 2 * SHORTEST_PLAIN}
        long |= {end for end in shown.ends.get(name, ()) if len(end) >= SHORTEST_PLAIN}
        if len(long) >= FEWEST_PEOPLE and windows:
            parts = ShownCells.of(long, windows).parts
            out[name] = ShownCells(parts=parts - {*cells})
    return out


@dataclass(frozen=True, slots=True)
class _Count:
    """How often one form was found over everybody.

    Parameters
    ----------
    hits, false : how many texts of only the original, and of only the control, are there.
    inside, outside : of how many.
    lost : how many texts are not there that both sides have, or several people of the only side.
    where : the columns of the release.
    numbering : whether the texts that are there may be a mere numbering.
    """

    form: Form
    code: str
    hits: int
    false: int
    inside: int
    outside: int
    lost: int
    where: tuple[str, ...]
    numbering: bool

    @property
    def beyond(self) -> float:
        """How many people are named beyond the share of others."""
        return self.hits - self.false * self.inside / max(1, self.outside)

    @property
    def coded(self) -> bool:
        """Whether the texts stand in a code, and not as they are."""
        return self.code != PLAIN or all(_READ_AS in place for place in self.where)


class _IdentityLookup:
    """Looks for all forms of people's identities in a release."""

    def __init__(
        self,
        people: _People,
        columns: Mapping[str, ShownCells],
        alike: Callable[[str], bool] | None,
    ) -> None:
        every = ShownCells()
        for own in columns.values():
            every.merge(own)
        self._people, self._looks, self._columns, self._alike = people, looks(every), columns, alike
        # The others do not heed how words are joined, and which letters are capitals.
        self._exact = {c: look for c, look in self._looks.items() if c not in (PLAIN, *TURNED)}
        self._written = [Written(side) for side in people.sides]
        self._singles: list[_Count] = []

    def singles(self) -> list[_Count]:
        """The counts of the forms of single columns that some people are found under."""
        people = self._people
        if people.singles:
            forms = single_forms(people.some(people.singles, 200)[0])
            some = people.some(people.singles, _SINGLES)
            self._singles = self._count_all(self._candidates(forms, some))
        return self._singles

    def every(self) -> list[_Count]:
        """The same with forms of joined columns."""
        some = self._people.some(self._people.several, _PAIRS)
        rare = [name for name in DIGESTS if name not in FREQUENT]
        partly = [code for code in rare if code in self._exact and not self._whole(code)]
        partly += [code for code in self._exact if code.partition(" of ")[2] in DIGESTS]
        self._exact = {code: look for code, look in self._exact.items() if code not in partly}
        return [*self._singles, *self._count_all(self._candidates(joined_forms(some[0]), some))]

    def _whole(self, name: str) -> bool:
        """Whether the release has codes with all digits of this hash."""
        return any(
            name in usual_digests(length) != DIGESTS
            for shown in self._columns.values()
            for length in shown.lengths
        )

    def _candidates(
        self, forms: Iterable[Form], sides: Sequence[Mapping[str, list[str]]]
    ) -> list[tuple[Form, str]]:
        """The forms that people are found under, members or not; the most frequent first."""
        written, seen = [Written(side) for side in sides], dict[tuple[Form, str], int]()
        for form in forms:
            once = form.case == AS_IT_IS and not form.separator and ALONE.isdisjoint(form.spellings)
            tried = self._looks if once else self._exact
            texts = {text for side in written for text in side.texts(form) if text} if tried else ()
            for code, look in tried.items():
                count = sum(map(look, texts))
                if count:
                    seen[form, code] = count
                if 4 * count >= len(texts) > 0 and code != PLAIN:
                    return [(form, code)]
        return sorted(seen, key=lambda key: -seen[key])[:_MOST_CONFIRMED]

    def _count_all(self, candidates: Sequence[tuple[Form, str]]) -> list[_Count]:
        counts = [self._count(form, code) for form, code in candidates]
        return [own for own in counts if own.hits + own.false]

    def _count(self, form: Form, code: str) -> _Count:
        """How many people of each side are found under a form, of all people."""
        sides = [side.texts(form) for side in self._written]
        inside = {text for text in sides[0] if text}
        outside: set[str] = set()
        if len(sides) == 2:
            outside = {text for text in sides[1] if text}
            shared = inside & outside
        else:
            shared = {text for text, number in Counter(sides[0]).items() if text and number > 1}
        look = self._looks[code]
        there = {text for text in inside | outside if look(text)}
        hits, false = (inside - shared) & there, (outside - shared) & there
        some = sorted(hits or false)[:20]
        where = [
            name
            for name, shown in self._columns.items()
            if code in (own := looks(shown)) and any(map(own[code], some))
        ]
        return _Count(
            form,
            code,
            len(hits),
            len(false),
            len(inside - shared),
            len(outside - shared),
            len(shared - there),
            tuple(where),
            _may_number(there, inside | outside),
        )

    def judge(self, result: IdentitySearch, counts: Sequence[_Count]) -> IdentitySearch:
        """What the counts mean, the clearest one for each place."""
        level = _LEVEL / max(1, len(counts))
        clearest: dict[tuple[str, ...], _Count] = {}
        for own in sorted(counts, key=lambda own: (-own.beyond, len(own.form.columns))):
            clearest.setdefault(own.where, own)
        parts: dict[str, list[Any]] = {
            name: [] for name in ("finds", "proofs", "notes", "doubtful")
        }
        signs = []
        alone = len(self._people.sides) == 1
        for own in clearest.values():
            p = _chance(own, alone)
            proof = p <= level and own.beyond >= FEWEST_PEOPLE
            if alone:
                proof = proof and own.hits - own.lost >= FEWEST_PEOPLE and own.coded
            numbers = own.numbering and not self._are_alike(own)
            if own.hits < FEWEST_PEOPLE and own.false < FEWEST_PEOPLE:
                continue
            parts["finds"].append(_describe(own, p, proof and not numbers))
            if own.beyond < FEWEST_PEOPLE and own.false < FEWEST_PEOPLE:
                continue
            if numbers:
                parts["notes"].append(_numbering_words(own))
                places = own.where if own.coded else ()
                parts["doubtful"] += [place.partition(_READ_AS)[0] for place in places]
            elif proof:
                parts["proofs"].append(_words(own, alone))
            elif alone:
                parts["notes"].append(_words_alone(own))
            if own.false >= FEWEST_PEOPLE and not own.numbering:
                what = f"{_what(own)} of the person"
                signs.append(
                    coin_sign("identities", what, own.false, own.lost, own.outside + own.lost)
                )
        return replace(
            result, signs=tuple(signs), **{name: tuple(entries) for name, entries in parts.items()}
        )

    def _are_alike(self, own: _Count) -> bool:
        column = own.form.columns[0]
        return self._alike is not None and own.code == PLAIN and self._alike(column)


def _chance(own: _Count, alone: bool) -> float:
    """How probable so many hits are if the release does not know who is in the original."""
    if not alone:
        return chance_of_hits(own.hits, own.false, own.inside, own.outside)
    from scipy.stats import binom

    return float(binom.sf(own.hits - 1, own.hits + own.lost, 0.5)) if own.hits else 1.0


def _may_number(there: Collection[str], known: Collection[str]) -> bool:
    """Whether the texts that are there are the first whole numbers, as anybody counts rows."""
    if not there or not all(text.isascii() and text.isdecimal() for text in there):
        return False
    numbers = {int(text) for text in known if text.isascii() and text.isdecimal()}
    last = max(map(int, there))
    return last <= 2 * len(known) and sum(n <= last for n in numbers) <= 1.05 * len(there)


def _what(own: _Count) -> str:
    """What the release has, for a sentence."""
    form = own.form
    columns = listed([repr(name) for name in form.columns])
    words = columns if own.code == PLAIN else f"{own.code} of {columns}"
    if form.separator:
        words += f", joined by {form.separator!r}"
    spelled = [own for own in dict.fromkeys((*form.spellings, form.case)) if own != AS_IT_IS]
    return words + (f" ({', '.join(spelled)})" if spelled else "")


def _words(own: _Count, alone: bool) -> str:
    form = own.form
    if not own.coded and len(form.columns) == 1 and {*form.spellings} == {AS_IT_IS}:
        return (
            f"The release has {own.hits:,} texts of the column {form.columns[0]!r} which only "
            "people of the original have."
        )
    others = "" if alone else f", and {own.false:,} of {own.outside:,} of others"
    return (
        f"In {_names(own.where)}, the release has {_what(own)} for {own.hits:,} of {own.inside:,} "
        f"people of the original{others}. Anybody who has a list of people can find them there."
    )


def _words_alone(own: _Count) -> str:
    if not own.coded and len(own.form.columns) == 1:
        return (
            f"The release has {own.hits:,} of the {own.inside:,} texts of the column "
            f"{own.form.columns[0]!r} of the original. If they are no mere row numbers, they tell "
            "who these people are."
        )
    return (
        f"In {_names(own.where)}, the release has {_what(own)} for {own.hits:,} of "
        f"{own.inside:,} people of the original. Without a control nobody can tell whether "
        "others have the same."
    )


def _numbering_words(own: _Count) -> str:
    column = own.form.columns[0]
    count = own.hits + own.false
    if own.code == PLAIN:
        return (
            f"The column {column!r} of the release counts from 1 to {count:,}, as anybody would "
            "number its rows anew. The original has these numbers, too, but rows with the same "
            "number are not alike. If they are no mere numbering, they tell who these people are."
        )
    return (
        f"In {_names(own.where)}, the release has {_what(own)} for the first {count:,} numbers. "
        "If somebody numbered the rows anew, that says nothing; if not, it tells who these people "
        "are."
    )


def _describe(own: _Count, p: float, proof: bool) -> FoundIdentity:
    return FoundIdentity(
        columns=own.form.columns,
        says=_what(own),
        where=own.where,
        people=own.hits,
        of_people=own.inside,
        others=own.false if own.outside else None,
        of_others=own.outside or None,
        p=p,
        proof=proof,
    )


def _names(names: Sequence[str]) -> str:
    """Names for a sentence, the first ones if there are many."""
    quoted = [repr(name) for name in names]
    if len(quoted) > 8:
        quoted = [*quoted[:8], f"{len(quoted) - 8} more"]
    return listed(quoted)
