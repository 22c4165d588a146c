"""Matrix: one reading of every attacker on every entry of a track, with the names to show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.figures.format import places
from quintain.measures import BlindLaw, Direction, Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.reading_table import ReadingGrid

LEVEL = 0.05
"""A result that blind guessing reaches more often than this could be luck."""


@dataclass(frozen=True, slots=True)
class Chance:
    """What is known about the readings of blind guesses.

    Parameters
    ----------
    value : the expected reading of a blind guess if the measure defines it, else None.
    law : the law of blind guessing if it follows from the sizes of the contest, else None.
    blind : the readings of a blind attacker by entry, used if there is neither value nor law.
    blind_name : the name of that attacker.
    """

    value: float | None = None
    law: BlindLaw | None = None
    blind: Mapping[str, Reading] = field(default_factory=dict)
    blind_name: str = ""

    @property
    def expected(self) -> float | None:
        """The expected reading of a blind guess, by its definition or by the law; else None."""
        return self.law.expected if self.value is None and self.law is not None else self.value

    @property
    def known(self) -> bool:
        """Whether luck can be distinguished from success at all."""
        return self.value is not None or self.law is not None or bool(self.blind)

    def explains(self, entry: str, reading: Reading) -> bool:
        """Whether a reading could be luck; False also if chance is not known."""
        if not reading.measured:
            return False
        if self.law is not None:
            return _in_the_middle(self.law, reading.value)
        if self.value is not None:
            return reading.low <= self.value <= reading.high
        other = self.blind.get(entry)
        return other is not None and _may_be_equal(_span(reading), _span(other))

    def lucky_cells(self, entries: Sequence[str], grid: ReadingGrid) -> Mask:
        """Which cells of a grid could be luck; its rows are these entries."""
        measured = grid.measured
        if self.law is not None:
            values, places = np.unique(grid.value[measured], return_inverse=True)
            lucky = [_in_the_middle(self.law, value) for value in values.tolist()]
            out = np.zeros_like(measured)
            out[measured] = np.array(lucky, np.bool_)[places]
            return out
        if self.value is not None:
            within: Mask = measured & (grid.low <= self.value) & (self.value <= grid.high)
            return within
        return measured & np.array(
            [
                self._like_blind(entry, grid.value[i], grid.low[i], grid.high[i])
                for i, entry in enumerate(entries)
            ],
            np.bool_,
        ).reshape(measured.shape)

    def _like_blind(self, entry: str, *figures: Floats) -> list[bool]:
        """Which readings of an entry cannot be told from the blind attacker's."""
        other = self.blind.get(entry)
        if other is None:
            return [False] * len(figures[0])
        spans = zip(*(figure.tolist() for figure in figures), strict=True)
        return [_may_be_equal(span, _span(other)) for span in spans]

    def best_of(self, attackers: int, reading: Reading) -> float | None:
        """How likely the best of so many blind attackers reaches this reading, if that is known."""
        if self.law is None or not reading.measured:
            return None
        return self.law.at_least(reading.value, attackers)


def _in_the_middle(law: BlindLaw, value: float) -> bool:
    """Whether blind guessing reaches values this high, and values this low, often enough."""
    as_much, more = law.at_least(value), law.at_least(value + 1e-8)
    return min(as_much, 1 - more) > LEVEL / 2


def _span(reading: Reading) -> tuple[float, float, float]:
    return reading.value, reading.low, reading.high


def _may_be_equal(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether the interval of the difference, built from both intervals (MOVER), includes 0.

    Both are given as value, low and high.
    """
    (value, low, high), (other_value, other_low, other_high) = one, other
    if not all(map(math.isfinite, (low, high, other_low, other_high))):
        return low <= other_high and other_low <= high
    gap = value - other_value
    if gap >= 0:
        reach = math.hypot(value - low, other_high - other_value)
    else:
        reach = math.hypot(high - value, other_value - other_low)
    return abs(gap) <= reach


_MOST_LABELS = 14
_LONGEST_LABEL = 22


@dataclass(frozen=True, slots=True)
class Worst:
    """The attack that was worst for an entry, with its attackers; several if they are equal.

    Parameters
    ----------
    p : how likely the best of as many blind attackers does as well, if that is known.
    luck : whether it could be luck; ``p`` decides if it is known, else the reading alone.
    """

    entry: Entry
    attackers: tuple[str, ...]
    reading: Reading
    luck: bool
    p: float | None = None


@dataclass(frozen=True)
class Matrix:
    """One privacy reading of every attacker on every entry.

    Parameters
    ----------
    summary : what the reading means, in a sentence.
    names : the names of teams, by id.
    """

    name: str
    better: Direction
    summary: str
    results: Results
    attackers: tuple[Contestant, ...]
    chance: Chance
    names: Mapping[str, str]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the track, all of them under attack."""
        return self.results.entries

    def reading(self, entry: Entry, attacker: Contestant) -> Reading | None:
        """The reading of one cell; None if there was no attack."""
        return self.results.table.reading(entry.id, attacker.id, self.name)

    def refusal(self, entry: Entry, attacker: Contestant) -> str:
        """Why the attacker refused the entry; empty if it did not."""
        return self.results.refused.attacks.get((entry.id, attacker.id), "")

    @cached_property
    def grid(self) -> ReadingGrid:
        """All cells as arrays: rows are entries, columns are attackers."""
        attackers = [attacker.id for attacker in self.attackers]
        return self.results.table.grid(self.name, [entry.id for entry in self.entries], attackers)

    @cached_property
    def lucky(self) -> Mask:
        """Which cells could be luck."""
        return self.chance.lucky_cells([entry.id for entry in self.entries], self.grid)

    @cached_property
    def leaks(self) -> Floats:
        """Values that are the higher, the worse they are; NaN where nothing was measured."""
        return self.grid.value if self.better == "lower" else -self.grid.value

    def luck(self, entry: Entry, reading: Reading) -> bool:
        """Whether the reading of a cell could be luck."""
        return self.chance.explains(entry.id, reading)

    def leak(self, reading: Reading) -> float:
        """How bad a reading is for the people in the data; higher is worse."""
        return reading.value if self.better == "lower" else -reading.value

    def worst(self, entry: Entry) -> Worst | None:
        """The worst attack on an entry; None if there was no attack."""
        return self._worst.get(entry.id)

    def worsts(self) -> list[Worst]:
        """The worst attack on every entry that was attacked."""
        return list(self._worst.values())

    @cached_property
    def _worst(self) -> dict[str, Worst]:
        attacks = ((entry.id, self._find_worst(i, entry)) for i, entry in enumerate(self.entries))
        return {entry: worst for entry, worst in attacks if worst is not None}

    def _find_worst(self, row: int, entry: Entry) -> Worst | None:
        attacked = self.grid.measured[row]
        if not attacked.any():
            return None
        leaks = self.leaks[row]
        first = [self.attackers[i] for i in np.flatnonzero(leaks == leaks[attacked].max())]
        reading = self.reading(entry, first[0])
        assert reading is not None  # it was measured
        names = tuple(self.names[attacker.id] for attacker in first)
        p = self.chance.best_of(int(attacked.sum()), reading)
        luck = self.luck(entry, reading) if p is None else p > LEVEL
        return Worst(entry, names, reading, luck, p)


def names_of(results: Results) -> dict[str, str]:
    """The names of teams by id; a team without a name is called by its id."""
    return {c.id: c.name or c.id for c in results.contestants}


def entry_name(entry: Entry, names: Mapping[str, str]) -> str:
    """The name of an entry: a team's release has the team's name, others have their id."""
    if entry.owner is None:
        return entry.id
    owner = names.get(entry.owner, entry.owner)
    return owner if entry.id == entry.owner else f"{entry.id} ({owner})"


def short_labels(entries: Sequence[Entry], known: Mapping[str, str]) -> dict[str, str]:
    """Labels that fit beside a point, by entry: names, else ids, else numbers from 1."""
    names = {entry.id: entry_name(entry, known) for entry in entries}
    if len(names) <= _MOST_LABELS:
        for labels in (names, {key: key for key in names}):
            if all(places(label) <= _LONGEST_LABEL for label in labels.values()):
                return labels
    return {key: str(i) for i, key in enumerate(names, start=1)}
