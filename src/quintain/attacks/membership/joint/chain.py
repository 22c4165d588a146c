"""Chain of tables: the tables of a structure, and what they have in common.

Tables that share columns describe the same deviation several times. In a tree of two-way tables
the log likelihood of a record is the sum over the tables, less that of every column as often as it
is in more than one of them. In a network it is the sum over each column with its parents, less that
of the parents. So the evidence of a structure has several parts, and shadow runs say what each of
them is worth with a given sanitizer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from quintain.attacks.membership.joint.cells import Cells, Targets
from quintain.attacks.membership.joint.channel import Channel
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.releases import FocalPoint

Kind = Literal["counted", "given", "single"]
"""Tables that the sanitizer counts; those that it is given; and the columns one by one."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The tables of a structure by kind, and how often each column is in more than one."""

    tables: Mapping[Kind, tuple[tuple[str, ...], ...]]
    repeats: Mapping[str, int]

    @classmethod
    def of(cls, points: Sequence[FocalPoint], names: Sequence[str]) -> Chain:
        """List the tables of focal points; columns that no table has are left out."""
        counted = dict.fromkeys(tuple(sorted((*p.columns, *p.given))) for p in points)
        given = [tuple(sorted(p.given)) for p in points if len(p.given) > 1]
        times = Counter(name for columns in counted for name in columns)
        single = tuple((name,) for name in names if times[name])
        tables: dict[Kind, tuple[tuple[str, ...], ...]] = {
            "counted": tuple(counted),
            "given": tuple(given),
            "single": single,
        }
        return cls(tables, {name: times[name] - 1 for (name,) in single})

    def look(self, targets: Targets, release: Table, private: Table | None = None) -> Sight:
        """Count the cells of targets in all tables."""
        cells = {
            kind: [targets.look(columns, release, private) for columns in tables]
            for kind, tables in self.tables.items()
        }
        return Sight(self, cells, int(targets.owner.max()) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What a release shows of the cells of targets, in all tables of a chain."""

    chain: Chain
    cells: Mapping[Kind, list[Cells]]
    targets: int

    def evidence(self, channels: Mapping[Kind, Channel]) -> Floats:
        """Measure the parts of the evidence: one row per target, one column per part.

        The parts are the log likelihood ratios of counted tables, of given ones, of all columns,
        and of the columns that several tables share.
        """
        counted, given = (self._ratios(kind, channels).sum(axis=0) for kind in ("counted", "given"))
        single = self._ratios("single", channels)
        times = np.array([self.chain.repeats[name] for (name,) in self.chain.tables["single"]])
        return np.column_stack([counted, given, single.sum(axis=0), times @ single])

    def _ratios(self, kind: Kind, channels: Mapping[Kind, Channel]) -> Floats:
        """The log likelihood ratio of each target (columns) in each table (rows)."""
        ratios = [
            np.bincount(cells.owner, channels[kind].log_ratio(cells), self.targets)
            for cells in self.cells[kind]
        ]
        return np.reshape(ratios, (len(ratios), self.targets))


def learn_channels(sights: Sequence[Sight]) -> dict[Kind, Channel]:
    """Learn what the sanitizer does with counts of each kind of table, over all shadow runs."""
    kinds: tuple[Kind, ...] = get_args(Kind)
    cells = {kind: [one for sight in sights for one in sight.cells[kind]] for kind in kinds}
    # A kind that no shadow run has, but the release, is as the tables that the sanitizer counts.
    return {kind: Channel.learn(cells[kind] or cells["counted"]) for kind in kinds}
