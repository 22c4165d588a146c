"""Trials: shadow runs in which coins decide which targets are members."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.guesses import MembershipQuestion


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """The private data of a shadow run: its rows, its targets, and which of them are members."""

    rows: Rows
    target_rows: Rows
    target_of: Rows
    members: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TrialUnits:
    """Possible targets: rows of the base data, or households if the targets are households."""

    rows: list[Rows]
    size: int

    @classmethod
    def like(cls, question: MembershipQuestion, population: Table) -> TrialUnits:
        """Find units that have at least as many records as the smallest target of the question."""
        least = int(np.bincount(question.target_of_row()).min())
        ids = [c.name for c in population.schema.columns if c.kind == "id"]
        if least < 2 or not ids:
            return cls([np.array([row]) for row in range(len(population))], len(population))
        _, unit = np.unique(population.columns[ids[0]], return_inverse=True)
        split = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1])
        return cls([rows for rows in split if len(rows) >= least], len(population))

    def trial(self, targets: int, size: int, rng: np.random.Generator) -> Trial:
        """Draw targets, toss a coin for each, and fill up to ``size`` rows with other people."""
        count = min(targets, len(self.rows) // 2)
        chosen = [self.rows[i] for i in rng.choice(len(self.rows), count, replace=False)]
        members = rng.integers(2, size=count).astype(bool)
        rows = np.concatenate(chosen)
        owner = np.repeat(np.arange(count), [len(unit) for unit in chosen])
        inside = rows[members[owner]]
        free = np.ones(self.size, bool)
        free[rows] = False
        others = np.flatnonzero(free)
        wanted = min(max(size - len(inside), 0), len(others))
        filler = rng.choice(others, wanted, replace=False)
        return Trial(np.concatenate([inside, filler]), rows, owner, members)
