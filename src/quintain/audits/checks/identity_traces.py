"""Identity traces: what tells who a released row is about although no code explains it.

Rare pieces that a row shares with one person, ids that were moved by a constant, and the order of
the rows. People of the control leave the same traces in a release that does not depend on who is in
the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from quintain.audits.identities.aligned import PLACE, AlignedRows, aligned_rows
from quintain.audits.identities.likeness import (
    MOST_PEOPLE,
    MOST_ROWS,
    likeness,
    pieces,
    pieces_of_person,
)
from quintain.audits.identities.numbers import MovedNumbers, moved_numbers
from quintain.audits.results import FoundIdentity
from quintain.figures.format import listed

Cells = Mapping[str, Sequence[str]]
"""The texts of some columns, one for each row."""
_FEWEST_PEOPLE = 10
_MOST_MOVED, _MOST_RELEASED = 5_000, 20_000
"""So many numbers of each side are compared with so many released ones."""
_ONE_ROW = 0.5
"""Where a column that names people has fewer different texts per row, people have several rows."""


@dataclass(frozen=True, slots=True)
class ShownTexts:
    """What stands in the columns of a release that may name somebody.

    Parameters
    ----------
    cells : the texts of each column that no attack compares.
    layers : the same, read in a code, by column and code.
    ends : the digits behind those of the original, of columns that attacks compare.
    whole : all texts of these columns.
    """

    cells: Cells
    layers: Mapping[tuple[str, str], Sequence[str]]
    ends: Cells
    whole: Cells


@dataclass(frozen=True, slots=True)
class IdentityTrace:
    """One kind of trace, and whom it tells from others.

    Parameters
    ----------
    columns, where : the columns of people, and those of the release.
    says : what the release has, in words.
    hits, false : how many people of the original, and of the control, it tells from others.
    inside, outside : of how many.
    p : how probable so many people of the original are by chance.
    words : why the release is unsafe, in a sentence.
    """

    columns: tuple[str, ...]
    where: tuple[str, ...]
    says: str
    hits: int
    false: int
    inside: int
    outside: int
    p: float
    words: str

    def identity(self) -> FoundIdentity:
        """The entry in the audit."""
        return FoundIdentity(
            columns=self.columns,
            says=self.says,
            where=self.where,
            people=self.hits,
            of_people=self.inside,
            others=self.false,
            of_others=self.outside,
            p=self.p,
            proof=True,
        )


def search_traces(
    sides: Sequence[Cells], names: Sequence[str], shown: ShownTexts, level: float
) -> list[IdentityTrace]:
    """The traces that prove that a release tells who is in the original; needs a control.

    Parameters
    ----------
    sides : the columns of the original, and those of the control if there is one.
    names : the columns that name people.
    level : how probable a proof is at most if the release does not depend on who is in the
        original.

    >>> people, others = (
    ...     [f"Ana {a}{b}" for a in first for b in "olm"] for first in ("bcdf", "ghjk"))
    >>> notes = ShownTexts({"by": [f"{name[4:]}/a" for name in people]}, {}, {}, {})
    >>> search_traces([{"name": people}, {"name": others}], ["name"], notes, 0.01)[0].hits
    12
    """
    if len(sides) < 2 or not names:
        return []
    kinds = (_find_moved, _find_alike, _find_aligned)
    traces = (trace for kind in kinds for trace in kind(sides, names, shown))
    part = level / len(kinds)
    return [own for own in traces if own.p <= part and own.hits - own.false >= _FEWEST_PEOPLE][:1]


def _find_alike(
    sides: Sequence[Cells], names: Sequence[str], shown: ShownTexts
) -> Iterator[IdentityTrace]:
    """People whom rare pieces of released rows name."""
    people = [[pieces_of_person(row) for row in _rows_of_people(side, names)] for side in sides]
    if min(map(len, people)) < _FEWEST_PEOPLE:
        return
    for where, rows in _row_pieces(shown):
        named = likeness(people[0], people[1], rows)
        if named.hits < _FEWEST_PEOPLE:
            continue
        says = f"rare parts of {_quote(names)}"
        yield IdentityTrace(
            tuple(names),
            where,
            says,
            named.hits,
            named.false,
            named.inside,
            named.outside,
            named.p,
            f"In {_quote(where)}, the release has {says} (words, sounds, initials, digits), by "
            f"which an attacker picks a row for {named.hits:,} of {named.inside:,} people of the "
            f"original, and for {named.false:,} of {named.outside:,} others.",
        )


def _rows_of_people(side: Cells, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of some people, one row of each."""
    rows = list(zip(*(side[name] for name in names), strict=True))
    for place in range(len(names)):
        different = {row[place] for row in rows if row[place]}
        if len(different) < _ONE_ROW * len(rows):
            rows = list({row[place]: row for row in reversed(rows)}.values())
    rows = list(dict.fromkeys(rows))
    return [rows[place] for place in _spread(len(rows), MOST_PEOPLE)]


def _some(cells: Sequence[str], most: int) -> list[str]:
    return [cells[place] for place in _spread(len(cells), most)]


def _spread(count: int, most: int) -> list[int]:
    places = np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))
    return [int(place) for place in places]


def _row_pieces(shown: ShownTexts) -> Iterator[tuple[tuple[str, ...], list[set[str]]]]:
    """The pieces of each row, for columns that are of one table."""
    columns = {**shown.cells, **shown.ends}
    for size in sorted({len(cells) for cells in columns.values()}):
        names = tuple(name for name, cells in columns.items() if len(cells) == size)
        rows = _spread(size, MOST_ROWS)
        every = [_even(columns[name]) for name in names]
        out = [pieces(" ".join(cells[row] for cells in every)) for row in rows]
        for (name, _), texts in shown.layers.items():
            if name in names:
                for own, row in zip(out, rows, strict=True):
                    own |= pieces(texts[row])
        yield names, out


def _even(cells: Sequence[str]) -> Sequence[str]:
    """Whole numbers with the zeros that a spreadsheet leaves out before them."""
    width = max(map(len, cells), default=0)
    if width > 12 or not all(cell.isdecimal() for cell in cells if cell):
        return cells
    return [cell.zfill(width) if cell else "" for cell in cells]


def _find_moved(
    sides: Sequence[Cells], names: Sequence[str], shown: ShownTexts
) -> Iterator[IdentityTrace]:
    """People whose ids or dates were moved by a constant, or are in another unit."""
    released = [*shown.cells.items(), *shown.ends.items(), *shown.whole.items()]
    released += [(name, texts) for (name, _), texts in shown.layers.items()]
    tries = len(released) * len(names)
    known = {name: [_some(side[name], _MOST_MOVED) for side in sides] for name in names}
    some = [(where, _some(cells, _MOST_RELEASED)) for where, cells in released]
    for (where, cells), name in product(some, names):
        for own in moved_numbers(known[name][0], known[name][1], cells):
            yield _trace_of_moved(own, name, where, tries)


def _trace_of_moved(own: MovedNumbers, name: str, where: str, tries: int) -> IdentityTrace:
    says = f"the number {name!r}, {own.says}," if "moved" in own.says else f"{name!r} {own.says}"
    return IdentityTrace(
        (name,),
        (where,),
        says,
        own.hits,
        own.false,
        own.inside,
        own.outside,
        min(1.0, own.p * tries),
        f"In {where!r}, the release has {says} for {own.hits:,} of {own.inside:,} people of the "
        f"original, and for {own.false:,} of {own.outside:,} others. Anybody who knows one person "
        "finds the constant, and with it everybody.",
    )


def _find_aligned(
    sides: Sequence[Cells], names: Sequence[str], shown: ShownTexts
) -> Iterator[IdentityTrace]:
    """People whom the places of the rows name."""
    del names  # attributes tell the order, too
    count = len(next(iter(sides[0].values())))
    cells = {name: own for name, own in shown.cells.items() if len(own) == count}
    own = aligned_rows(sides[0], cells, sides[1])
    if own is not None:
        yield _trace_of_aligned(own)


def _trace_of_aligned(own: AlignedRows) -> IdentityTrace:
    there = f"sorted by {own.release_order!r}" if own.release_order else "as they are"
    here = f"sorted by {own.original_order!r}" if own.original_order else "as it is in its file"
    released, known = (name if name == PLACE else f"{name!r}" for name in (own.released, own.known))
    says = f"the order of the original, {here}"
    return IdentityTrace(
        (own.known,),
        (own.released,),
        says,
        own.hits,
        own.moved,
        own.rows,
        own.rows,
        own.p,
        f"The rows of the release, {there}, stand in {says}: {released} agrees with {known} in "
        f"{own.hits:,} of {own.rows:,} rows, and in at most {own.moved:,} if it is moved by a few "
        "rows. The place of a row tells whose it is: shuffle the rows, and number them anew.",
    )


def _quote(names: Sequence[str]) -> str:
    return listed([repr(name) for name in names])
