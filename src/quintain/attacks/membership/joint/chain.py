"""Chain of tables: the tables of a structure, and what they have in common.

Tables that share columns describe the same deviation several times. In a tree of two-way tables
the log likelihood of a record is the sum over the tables, less that of every column as often as it
is in more than one of them. In a network it is the sum over each column with its parents, less that
of the parents. This is exact for counts without noise. Noise makes some parts of the sum worth more
than others; shadow runs with the given sanitizer say how much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from quintain.attacks.membership.joint.cells import Cells, CellTargets
from quintain.attacks.membership.joint.channel import Channel
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.releases import FocalPoint

SIZES = np.array([0.5, 4.0, 32.0])
"""Cells with expected counts between two of these are one part of the evidence."""

Kind = Literal["counted", "given", "single"]
"""Tables that the sanitizer counts; those that it is given; and the columns one by one."""


@dataclass(frozen=True, slots=True)
class CellChain:
    """The tables of a structure by kind, and how often each column is repeated.

    A column is repeated in all tables but one that have it, where no other columns are given.
    """

    tables: Mapping[Kind, tuple[tuple[str, ...], ...]]
    repeats: Mapping[str, int]

    @classmethod
    def of(cls, points: Sequence[FocalPoint], names: Sequence[str]) -> CellChain:
        """List the tables of focal points; columns that no table has are left out."""
        counted = dict.fromkeys(tuple(sorted((*p.columns, *p.given))) for p in points)
        given = [tuple(sorted(point.given)) for point in points if point.given]
        inside = {name for columns in counted for name in columns}
        times = Counter(name for point in points if not point.given for name in point.columns)
        single = tuple((name,) for name in names if name in inside)
        tables: dict[Kind, tuple[tuple[str, ...], ...]] = {
            "counted": tuple(counted),
            "given": tuple(given),
            "single": single,
        }
        return cls(tables, {name: max(0, times[name] - 1) for (name,) in single})

    def look(self, targets: CellTargets, release: Table, private: Table | None = None) -> Sight:
        """Count the cells of targets in all tables."""
        cells = {
            kind: [targets.look(columns, release, private) for columns in tables]
            for kind, tables in self.tables.items()
        }
        return Sight(self, cells, int(targets.owner.max()) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What a release shows of the cells of targets, in all tables of a chain."""

    chain: CellChain
    cells: Mapping[Kind, list[Cells]]
    targets: int

    def evidence(self, channels: Mapping[Kind, Channel]) -> Floats:
        """Measure the evidence, one row per target.

        The first column is the log likelihood ratio of the chain. The others are parts of it: the
        given tables, the single columns, the repeated columns, and the counted tables by the
        expected count of their cells.
        """
        given, single = (self._by_table(kind, channels[kind]) for kind in ("given", "single"))
        times = [self.chain.repeats[name] for (name,) in self.chain.tables["single"]]
        repeated = np.array(times) @ single
        counted = self._by_size(channels["counted"])
        chain = counted.sum(axis=0) - given.sum(axis=0) - repeated
        parts = [given.sum(axis=0), single.sum(axis=0), repeated]
        return np.column_stack([chain, *parts, *counted])

    def _by_table(self, kind: Kind, channel: Channel) -> Floats:
        """The log likelihood ratio of each target (columns) in each table (rows)."""
        ratios = [self._sums(cells, channel.log_ratio(cells)) for cells in self.cells[kind]]
        return np.reshape(ratios, (len(ratios), self.targets))

    def _by_size(self, channel: Channel) -> Floats:
        """The ratio of each target (columns) in all counted tables, by expected count (rows)."""
        out = np.zeros((len(SIZES) + 1, self.targets))
        for cells in self.cells["counted"]:
            ratio, size = channel.log_ratio(cells), np.searchsorted(SIZES, cells.expected)
            for number in range(len(out)):
                out[number] += self._sums(cells, np.where(size == number, ratio, 0.0))
        return out

    def _sums(self, cells: Cells, values: Floats) -> Floats:
        return np.bincount(cells.owner, values, self.targets).astype(np.float64)


def learn_channels(sights: Sequence[Sight]) -> dict[Kind, Channel]:
    """Learn what the sanitizer does with counts of each kind of table, over all shadow runs."""
    kinds: tuple[Kind, ...] = get_args(Kind)
    cells = {kind: [one for sight in sights for one in sight.cells[kind]] for kind in kinds}
    # A kind that no shadow run has, but the release, is as the tables that the sanitizer counts.
    return {kind: Channel.learn(cells[kind] or cells["counted"]) for kind in kinds}


def penalties(evidence: Floats, ridge: float) -> Floats:
    """How strongly a regression pulls the weight of each column of evidence towards zero.

    The ratio of the chain gets nearly any weight; its parts only correct it.
    """
    return np.append(1.0, np.full(evidence.shape[1] - 1, ridge))
