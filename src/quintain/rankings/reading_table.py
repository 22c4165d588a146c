"""Reading table: the privacy readings of all cells of a track, stored as arrays.

A contest of 200 teams and 200 entries has 120,000 readings. As arrays they are loaded and ranked in
milliseconds; an object is made only of a reading that somebody looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from quintain.data.arrays import Codes, Floats, Ints, Mask
from quintain.measures import Direction, Kind, Reading, Readings

_FIGURES = ("value", "low", "high", "level")
_ABSENT = -1


class Words(NamedTuple):
    """What a reading states in words; many readings share them."""

    better: Direction
    method: str
    note: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class ReadingGrid:
    """One reading of every contestant on every entry: rows are entries, columns contestants.

    Parameters
    ----------
    value, low, high : NaN where there is no reading.
    n : how many observations a reading rests on; 0 where there is none.
    attacked : whether there is a reading, measured or not.
    """

    value: Floats
    low: Floats
    high: Floats
    n: Ints
    attacked: Mask

    @property
    def measured(self) -> Mask:
        """Where there is a value."""
        measured: Mask = ~np.isnan(self.value)
        return measured


@dataclass(frozen=True, eq=False)
class ReadingTable(Mapping[tuple[str, str], Readings]):
    """Readings by entry and attacker.

    Parameters
    ----------
    present : by attacker and entry, whether the cell is there.
    words : the words that readings use.
    code : by attacker, entry and name, the number of the reading's words; -1 if it is not there.
    figures : value, low, high and level, each by attacker, entry and name.
    n : the observations, by attacker, entry and name.
    """

    entries: tuple[str, ...]
    attackers: tuple[str, ...]
    names: tuple[str, ...]
    words: tuple[Words, ...]
    present: Mask
    code: Codes
    figures: Floats
    n: Ints

    @classmethod
    def of(cls, cells: Mapping[tuple[str, str], Readings]) -> ReadingTable:
        """The table of some cells."""
        if isinstance(cells, ReadingTable):
            return cells
        entries = tuple(dict.fromkeys(entry for entry, _ in cells))
        attackers = tuple(dict.fromkeys(attacker for _, attacker in cells))
        return empty_table((), ()).change(entries, attackers, cells)

    def change(
        self,
        entries: Sequence[str],
        attackers: Sequence[str],
        cells: Mapping[tuple[str, str], Readings],
    ) -> ReadingTable:
        """A table of these entries and attackers: new cells first, others as they are here."""
        names = tuple(dict.fromkeys([*self.names, *(n for cell in cells.values() for n in cell)]))
        table = self._copy(tuple(entries), tuple(attackers), names)
        words = dict(zip(self.words, range(len(self.words)), strict=True))
        for (entry, attacker), readings in cells.items():
            table._put(table.place(entry, attacker), readings, words)
        return table._with_words(tuple(words))

    def _copy(
        self, entries: tuple[str, ...], attackers: tuple[str, ...], names: tuple[str, ...]
    ) -> ReadingTable:
        """A table that can be written to; the first names are those of this one."""
        if (entries, attackers, names) == (self.entries, self.attackers, self.names):
            return replace(
                self,
                present=self.present.copy(),
                code=self.code.copy(),
                figures=self.figures.copy(),
                n=self.n.copy(),
            )
        table = empty_table(entries, attackers, names)
        to_a, from_a = shared_places(attackers, self.attackers)
        to_e, from_e = shared_places(entries, self.entries)
        known = range(len(self.names))
        table.present[np.ix_(to_a, to_e)] = self.present[np.ix_(from_a, from_e)]
        to, source = np.ix_(to_a, to_e, known), np.ix_(from_a, from_e, known)
        table.code[to] = self.code[source]
        table.n[to] = self.n[source]
        for new, old in zip(table.figures, self.figures, strict=True):
            new[to] = old[source]
        return table

    def where(self, present: Mask) -> ReadingTable:
        """The table with these cells alone."""
        if np.array_equal(present, self.present):
            return self
        code = np.where(present[:, :, None], self.code, np.int32(_ABSENT))
        return replace(self, present=present & self.present, code=code)

    def _put(self, at: tuple[int, int], readings: Readings, words: dict[Words, int]) -> None:
        """Fill one cell of a table that is being made."""
        self.present[at] = True
        self.code[at] = _ABSENT
        for name, reading in readings.items():
            place = (*at, self._name_places[name])
            reading_words = Words(reading.better, reading.method, reading.note, reading.kind)
            self.code[place] = words.setdefault(reading_words, len(words))
            self.n[place] = reading.n
            for figure, key in zip(self.figures, _FIGURES, strict=True):
                figure[place] = getattr(reading, key)

    def _with_words(self, words: tuple[Words, ...]) -> ReadingTable:
        """The table with the words that its readings still use."""
        used = np.flatnonzero(np.bincount(self.code.ravel() + 1, minlength=1)[1:])
        if len(used) == len(words):
            return replace(self, words=words)
        numbers = np.full(len(words) + 1, _ABSENT, np.int32)  # the last one is for what is absent
        numbers[used] = np.arange(len(used), dtype=np.int32)
        kept = tuple(words[i] for i in used)
        return replace(self, words=kept, code=numbers[self.code])

    def __getitem__(self, pair: tuple[str, str]) -> Readings:
        at = self.place(*pair)
        if not self.present[at]:
            raise KeyError(pair)
        readings = {name: self._reading((*at, i)) for i, name in enumerate(self.names)}
        return {name: reading for name, reading in readings.items() if reading is not None}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for attacker, entry in zip(*np.nonzero(self.present), strict=True):
            yield self.entries[entry], self.attackers[attacker]

    def __len__(self) -> int:
        return int(self.present.sum())

    def reading(self, entry: str, attacker: str, name: str) -> Reading | None:
        """One reading; None if it is not there."""
        known = entry in self._entry_places and attacker in self._attacker_places
        if not known or name not in self._name_places:
            return None
        return self._reading((*self.place(entry, attacker), self._name_places[name]))

    def grid(self, name: str, entries: Sequence[str], contestants: Sequence[str]) -> ReadingGrid:
        """One reading as arrays, for these entries and contestants."""
        shape = len(entries), len(contestants)
        grid = ReadingGrid(
            np.full(shape, np.nan),
            np.full(shape, np.nan),
            np.full(shape, np.nan),
            np.zeros(shape, np.int64),
            np.zeros(shape, np.bool_),
        )
        if name in self._name_places:
            i = self._name_places[name]
            to_a, from_a = shared_places(contestants, self.attackers)
            to_e, from_e = shared_places(entries, self.entries)
            to, source = np.ix_(to_e, to_a), np.ix_(from_a, from_e, [i])
            for new, old in zip((grid.value, grid.low, grid.high), self.figures, strict=False):
                new[to] = old[source][:, :, 0].T
            grid.n[to] = self.n[source][:, :, 0].T
            grid.attacked[to] = self.code[source][:, :, 0].T != _ABSENT
        return grid

    def _reading(self, at: tuple[int, int, int]) -> Reading | None:
        code = self.code[at]
        if code == _ABSENT:
            return None
        figures = {key: float(f[at]) for key, f in zip(_FIGURES, self.figures, strict=True)}
        return Reading(n=int(self.n[at]), **figures, **self.words[code]._asdict())

    def place(self, entry: str, attacker: str) -> tuple[int, int]:
        """Where a cell is in the arrays."""
        try:
            return self._attacker_places[attacker], self._entry_places[entry]
        except KeyError:
            raise KeyError((entry, attacker)) from None

    @cached_property
    def _entry_places(self) -> dict[str, int]:
        return _places(self.entries)

    @cached_property
    def _attacker_places(self) -> dict[str, int]:
        return _places(self.attackers)

    @cached_property
    def _name_places(self) -> dict[str, int]:
        return _places(self.names)


def empty_table(
    entries: Sequence[str], attackers: Sequence[str], names: Sequence[str] = ()
) -> ReadingTable:
    """A table without a reading."""
    shape = len(attackers), len(entries), len(names)
    return ReadingTable(
        tuple(entries),
        tuple(attackers),
        tuple(names),
        (),
        np.zeros(shape[:2], np.bool_),
        np.full(shape, _ABSENT, np.int32),
        np.full((len(_FIGURES), *shape), np.nan),
        np.zeros(shape, np.int64),
    )


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(names)}


def shared_places(wanted: Sequence[str], known: Sequence[str]) -> tuple[list[int], list[int]]:
    """The places, in both lists, of the names that both have."""
    places = _places(known)
    pairs = [(i, places[name]) for i, name in enumerate(wanted) if name in places]
    return [i for i, _ in pairs], [j for _, j in pairs]
