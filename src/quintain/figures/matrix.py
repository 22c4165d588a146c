"""Matrix: one reading of every attacker on every entry of a track, with the names to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.figures.chance import LEVEL, Chance
from quintain.figures.format import places
from quintain.measures import Direction, Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.reading_table import Grid

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
    bounds : its gates, each with its text.
    names : the names of teams, by id.
    """

    name: str
    better: Direction
    summary: str
    bounds: tuple[tuple[str, float], ...]
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
    def grid(self) -> Grid:
        """All cells as arrays: rows are entries, columns are attackers."""
        attackers = [attacker.id for attacker in self.attackers]
        return self.results.table.grid(self.name, [entry.id for entry in self.entries], attackers)

    @cached_property
    def lucky(self) -> Mask:
        """Which cells could be luck."""
        return self.chance.explained([entry.id for entry in self.entries], self.grid)

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


def short_labels(matrix: Matrix) -> dict[str, str]:
    """Labels that fit beside a point, by entry: names, else ids, else numbers from 1."""
    names = {entry.id: entry_name(entry, matrix.names) for entry in matrix.entries}
    if len(names) <= _MOST_LABELS:
        for labels in (names, {key: key for key in names}):
            if all(places(label) <= _LONGEST_LABEL for label in labels.values()):
                return labels
    return {key: str(i) for i, key in enumerate(names, start=1)}
