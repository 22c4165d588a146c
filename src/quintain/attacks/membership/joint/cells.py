"""Cells of targets: how often they are expected in a release, and how often they are in it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Floats, Rows
from quintain.kernels.cells import CellCounts, cell_keys

COIN = 0.5
"""The chance that a target is a member, before any evidence."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of one table in which targets are, once per target.

    Parameters
    ----------
    owner : the target.
    added : how many records of the target are in the cell.
    expected : the count that a release would have if the target were not a member.
    shown : the count in the release.
    private : the count in the private data, scaled to the size of the release. None if unknown.
    """

    owner: Rows
    added: Floats
    expected: Floats
    shown: Floats
    private: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CellPopulation:
    """The base data, whose tables are counted only once each."""

    base: Table
    counted: dict[tuple[str, ...], CellCounts] = field(default_factory=dict)

    def histogram(self, columns: tuple[str, ...]) -> CellCounts:
        """Count the base data by some columns."""
        if columns not in self.counted:
            self.counted[columns] = CellCounts.of(self.base, columns)
        return self.counted[columns]


@dataclass(frozen=True, slots=True, eq=False)
class CellTargets:
    """The targets beside the base data.

    A private sample has about half of the targets, and for the rest other people of the base data.
    So the records of targets are not counted among the other people, unless the base data lack
    them.
    """

    population: CellPopulation
    records: Table
    owner: Rows
    known: Floats

    @classmethod
    def of(cls, population: CellPopulation, records: Table, owner: Rows) -> CellTargets:
        """Find out which records of the targets are in the base data."""
        names = tuple(records.schema.names)
        known = population.histogram(names).at(cell_keys(records, names)) > 0
        return cls(population, records, owner, known.astype(np.float64))

    def look(self, columns: tuple[str, ...], release: Table, private: Table | None = None) -> Cells:
        """Count the cells of the targets in one table.

        Parameters
        ----------
        columns : the columns of the table.
        release : where the cells are counted.
        private : the private data, where the attacker knows them.
        """
        keys, place = np.unique(cell_keys(self.records, columns), return_inverse=True)
        pairs, added = np.unique(self.owner * len(keys) + place, return_counts=True)
        owner, cell = pairs // len(keys), pairs % len(keys)
        records = np.bincount(place, minlength=len(keys))
        others = self.population.histogram(columns).at(keys) - np.bincount(place, self.known)
        crowd = max(1.0, len(self.population.base) - float(self.known.sum()))
        # A sample has about half of the records of all targets, then others up to its size.
        members = COIN * len(self.records)
        filler = max(0.0, len(release) - members)
        count = filler * np.maximum(others, 0.0)[cell] / crowd + COIN * (records[cell] - added)
        shown = CellCounts.of(release, columns).at(keys)[cell]
        expected = count * len(release) / (filler + members)
        if private is None:
            return Cells(owner, added.astype(np.float64), expected, shown)
        inside = CellCounts.of(private, columns).at(keys)[cell] * len(release) / len(private)
        return Cells(owner, added.astype(np.float64), expected, shown, inside)
