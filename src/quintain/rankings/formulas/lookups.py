"""Lookups: what the names of a formula mean for a release, an anonymizer, an attacker or a team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from quintain.data.arrays import Ints, Mask
from quintain.measures import Reading
from quintain.rankings.board import Board
from quintain.rankings.formulas.quantity import (
    Item,
    Missing,
    Quantity,
    quantity_of,
)
from quintain.rankings.formulas.reading_list import reading_list
from quintain.rankings.formulas.vector import Value, Vector
from quintain.rankings.reading_table import ReadingGrid
from quintain.rankings.results import Entry, EntryFinds, Results, unpack_finds

COUNTS = ("teams", "attackers", "entries")
"""Names of numbers that every ranking formula can use."""
FOUND_BY = "found_by"
"""The name of the list that has, for each record that was found, how many attackers found it."""


def found_at(name: str) -> str | None:
    """The goal whose finds a name stands for; None if it is the name of something else.

    >>> found_at("found_by"), found_at("member.found_by"), found_at("member.auc")
    ('', 'member', None)
    """
    goal, _, last = name.rpartition(".")
    return goal if last == FOUND_BY else None


@dataclass(frozen=True)
class ReleaseLookup:
    """The readings of one release."""

    readings: Mapping[str, Reading]

    def reading(self, name: str) -> Value:
        """A reading of the release."""
        reading = self.readings.get(name)
        return (
            Missing(f"{name} was not measured") if reading is None else quantity_of(name, reading)
        )

    def score(self, board: str) -> Item:
        """A release is measured before there is any board."""
        return Missing(f"there is no board {board} yet")

    def rank(self, board: str) -> Item:
        """A release is measured before there is any board."""
        return self.score(board)

    def first_places(self, board: str) -> Sequence[Sequence[str]]:
        """A release is measured before there is any board."""
        return ()


@dataclass(frozen=True)
class ContestValues:
    """Results and earlier boards, with what several contestants need of them.

    Parameters
    ----------
    missing : the value of an entry that an attacker did not attack.
    """

    results: Results
    boards: Mapping[str, Board]
    missing: float = 0.0
    _grids: dict[str, ReadingGrid] = field(default_factory=dict)

    def grid(self, name: str) -> ReadingGrid:
        """One reading of all cells as arrays."""
        if name not in self._grids:
            self._grids[name] = self.results.grid(name)
        return self._grids[name]

    def finds(self, entry: str, goal: str = "") -> EntryFinds:
        """Which records of an entry each attacker found."""
        return self._finds_by_entry.get((entry, goal), EntryFinds())

    @cached_property
    def _finds_by_entry(self) -> Mapping[tuple[str, str], EntryFinds]:
        masks: dict[tuple[str, str], dict[str, Mask]] = {}
        for (entry, attacker, *goal), content in self.results.finds.items():
            masks.setdefault((entry, "".join(goal)), {})[attacker] = unpack_finds(content)
        return {entry: EntryFinds(by_attacker) for entry, by_attacker in masks.items()}

    @cached_property
    def attackers(self) -> frozenset[str]:
        """The contestants who attacked at least one entry."""
        return frozenset(one.id for one in self.results.attackers())

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many competing teams, attackers and entries there are."""
        teams = sum(one.competing for one in self.results.contestants)
        numbers = (teams, len(self.attackers), len(self.results.entries))
        return dict(zip(COUNTS, numbers, strict=True))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the readings of guesses."""
        return frozenset(self.results.table.names)

    @cached_property
    def columns(self) -> Mapping[str, int]:
        """The place of each contestant in a grid."""
        return {one.id: i for i, one in enumerate(self.results.contestants)}

    def places(self, board: str) -> list[tuple[str, str | None]]:
        """Team and entry of every ranked place of a board, best first."""
        known = self.boards[board].places if board in self.boards else ()
        return [(place.team, place.entry) for place in known if place.rank is not None]


@dataclass(frozen=True)
class TeamLookup:
    """What a formula sees of one team: its scores and ranks on earlier boards, and counts."""

    contest: ContestValues
    team: str
    _known: dict[str, Value] = field(default_factory=dict, kw_only=True)

    def reading(self, name: str) -> Value:
        """A reading or a count; what a name stands for is looked up once."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Value:
        """A count; a team as such has no readings."""
        count = self.contest.counts.get(name)
        return Missing(f"{name} was not measured") if count is None else Quantity.exact(count)

    def score(self, board: str) -> Item:
        """The score on an earlier board."""
        reading = self.contest.boards[board].score_of(self.team)
        if reading is None:
            return Missing(f"no score on {board}")
        return quantity_of(f"the score on {board}", reading)

    def rank(self, board: str) -> Item:
        """The rank on an earlier board."""
        rank = self.contest.boards[board].rank_of(self.team)
        return Missing(f"no rank on {board}") if rank is None else Quantity.exact(rank)

    def first_places(self, board: str) -> Sequence[Sequence[str]]:
        """The teams of a board, best first."""
        return [[team] for team, _ in self.contest.places(board)]


@dataclass(frozen=True)
class AnonymizerLookup(TeamLookup):
    """What a formula sees of one entry: its own readings, and one reading per attacker.

    The team's attack on its own entry is left out.
    """

    entry: Entry
    row: int

    def _find(self, name: str) -> Value:
        """A reading of the entry, one reading per attacker, or a count."""
        goal = found_at(name)
        if goal is not None:
            return self._found_by(goal)
        if name in self.contest.names:
            return self._attacks(name)
        if name in self.entry.readings:
            return quantity_of(name, self.entry.readings[name])
        return TeamLookup._find(self, name)

    def _found_by(self, goal: str) -> Value:
        """For each record that another team found, how many of them found it."""
        finds = self.contest.finds(self.entry.id, goal)
        if not finds.by_attacker.keys() - {self.team}:
            return Missing("it is not known who found which record")
        counts = finds.without(self.team)
        return _small_numbers(counts[counts > 0])

    def _attacks(self, name: str) -> Vector:
        grid, own = self.contest.grid(name), self.contest.columns.get(self.team)
        columns = [i for i in range(grid.value.shape[1]) if i != own]
        rows = np.full(len(columns), self.row)
        labels = tuple(self.contest.results.contestants[i].id for i in columns)
        attacks = self.team in self.contest.attackers
        places = rows, np.array(columns, np.int64)
        return reading_list(name, grid, places, labels, (self.team,) if attacks else ())


@dataclass(frozen=True)
class AttackerLookup(TeamLookup):
    """What a formula sees of one attacker: one reading per entry of others."""

    def _find(self, name: str) -> Value:
        """One reading per entry, or a count."""
        if name in self.contest.counts:
            return TeamLookup._find(self, name)
        goal = found_at(name)
        if goal is not None:
            return self._found_by(goal)
        entries = self.contest.results.entries
        faces = self.contest.results.faces
        others = [i for i, entry in enumerate(entries) if faces(self.team, entry)]
        counts = self.contest.results.counts
        own = tuple(e.id for e in entries if e.owner == self.team and counts(e))
        if not others:
            return Missing("there is nothing to attack")
        labels = tuple(entries[i].id for i in others)
        if name in self.contest.names:
            column = np.full(len(others), self.contest.columns[self.team])
            grid, places = self.contest.grid(name), (np.array(others, np.int64), column)
            return reading_list(name, grid, places, labels, own, instead=self.contest.missing)
        return Vector(tuple(_of_entry(name, entries[i]) for i in others), labels, own)

    def _found_by(self, goal: str) -> Value:
        """For each record that this attacker found, how many attackers found it."""
        results = self.contest.results
        others = [entry for entry in results.entries if results.faces(self.team, entry)]
        all_finds = [(one.owner, self.contest.finds(one.id, goal)) for one in others]
        attacked = [(owner, one) for owner, one in all_finds if self.team in one.by_attacker]
        if not attacked:
            return Missing("it is not known who found which record")
        counts = [one.without(owner)[one.by_attacker[self.team]] for owner, one in attacked]
        return _small_numbers(np.concatenate(counts))

    def first_places(self, board: str) -> Sequence[Sequence[str]]:
        """The entries of a board, best first; a place without an entry stands for all of a team."""
        results = self.contest.results
        counted = [entry for entry in results.entries if results.counts(entry)]
        return [
            [one.id for one in counted if one.owner == team] if entry is None else [entry]
            for team, entry in self.contest.places(board)
        ]


def _of_entry(name: str, entry: Entry) -> Item:
    """A reading of one of several entries."""
    reading = entry.readings.get(name)
    if reading is None:
        return Missing(f"{name} of {entry.id} was not measured")
    return quantity_of(f"{name} of {entry.id}", reading)


def _small_numbers(counts: Ints) -> Vector:
    """A list of counts without names; equal counts are one object, which is computed once."""
    numbers = {count: Quantity.exact(count) for count in np.unique(counts).tolist()}
    return Vector(tuple(numbers[count] for count in counts.tolist()))
