"""Matrix: one reading of every attacker on every entry of a track, with the names to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from quintain.figures.chance import LEVEL, Chance
from quintain.figures.format import places
from quintain.measures import Direction, Reading
from quintain.rankings import Contestant, Entry, Results

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
        return self.results.cells.get((entry.id, attacker.id), {}).get(self.name)

    @cached_property
    def measured(self) -> tuple[tuple[Entry, Contestant, Reading], ...]:
        """The cells with a measured reading."""
        pairs = ((entry, attacker) for entry in self.entries for attacker in self.attackers)
        cells = ((*pair, self.reading(*pair)) for pair in pairs)
        return tuple((e, a, r) for e, a, r in cells if r is not None and r.measured)

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
        worst_attacks = {entry.id: self._find_worst(entry) for entry in self.entries}
        return {entry: worst for entry, worst in worst_attacks.items() if worst is not None}

    def _find_worst(self, entry: Entry) -> Worst | None:
        column = self.results.column(entry.id, self.name)
        if not column:
            return None
        most = max(map(self.leak, column.values()))
        first = {name: r for name, r in column.items() if self.leak(r) == most}
        reading = next(iter(first.values()))
        names = tuple(self.names[name] for name in first)
        p = self.chance.best_of(len(column), reading)
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
