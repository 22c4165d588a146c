"""Shadow runs: an attacker runs the sanitizer on other samples to learn what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from quintain.attacks.threat import Knowledge
from quintain.data import Data, Table, as_table
from quintain.data.arrays import Rows
from quintain.guesses import MembershipQuestion
from quintain.releases import Release, Sanitized, Trace

D = TypeVar("D", bound=Data)


@dataclass(frozen=True, slots=True, eq=False)
class ShadowRun:
    """A sample that the attacker knows, and what the sanitizer made of it."""

    sample: Data
    made: Sanitized

    @property
    def release(self) -> Release:
        """The release that the attacker made."""
        return self.made.release

    @property
    def trace(self) -> Trace:
        """What the sanitizer remembers of this run."""
        return self.made.trace

    def encode(self, encode: Callable[[Table], Table]) -> ShadowRun:
        """The same run with numbers cut into bins, in the sample and in the release."""
        release = replace(self.release, data=encode(as_table(self.release.data)))
        return ShadowRun(encode(as_table(self.sample)), Sanitized(release, self.trace))


def shadow_runs(
    knowledge: Knowledge,
    samples: Iterable[Data],
    *,
    rng: np.random.Generator,
) -> Iterator[ShadowRun]:
    """Run the attacked sanitizer on known samples, each one only when the caller needs it.

    Parameters
    ----------
    samples : the private data of each run.
    """
    code = knowledge.sanitizer_code()
    for sample in samples:
        yield ShadowRun(sample, code(sample, rng=rng))


def random_samples(base: D, *, count: int, rows: int, rng: np.random.Generator) -> Iterator[D]:
    """Draw random samples of the base data, each with up to ``rows`` records."""
    for _ in range(count):
        yield base.take(np.sort(rng.choice(len(base), min(rows, len(base)), replace=False)))


def without_ids(table: Table) -> Table:
    """Drop the id columns, which sanitizers never see."""
    return table.select([column.name for column in table.schema.attributes])


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
        ids = [c.name for c in population.schema.columns if c.identifying]
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
