"""Shown pool: the people and the released records that an attack gets, and the question to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.audits.pool import Pool
from quintain.data import Table, as_table
from quintain.data.arrays import Floats, Rows
from quintain.guesses import Goal, Question, Truth
from quintain.releases import Release
from quintain.seeds import SeedTree


@dataclass(frozen=True, slots=True, eq=False)
class ShownPool:
    """A pool as attacks see it, or a random part of a large one.

    Parameters
    ----------
    pool : the people.
    rows : their rows in the whole pool, in order.
    release : the released records without any card.
    question, truth : one target per person, named so that the targets are in the order of rows.
    limits : what was left out to save time, in a sentence; empty if nothing.
    """

    pool: Pool
    rows: Rows
    release: Release
    question: Question
    truth: Truth
    limits: str

    @classmethod
    def of(
        cls, goal: Goal, pool: Pool, release: Release, most: int | None, seeds: SeedTree
    ) -> ShownPool:
        """Draw at most so many people and released records, without looking at labels."""
        data = as_table(release.data)
        rows = _part(len(pool), most, seeds.rng("people", most or 0))
        kept = _part(len(data), most, seeds.rng("released", most or 0))
        seen = pool if len(rows) == len(pool) else _cut(pool, rows)
        shown = Release(data if len(kept) == len(data) else data.take(kept))
        question, truth = goal.ask(seen.sample(), shown)
        question = goal.question(_named(question.table), data.schema)
        limits = _limits((len(rows), len(pool)), (len(kept), len(data)))
        return cls(seen, rows, shown, question, Truth(_named(truth.table)), limits)

    def spread(self, scores: Floats, people: int) -> Floats:
        """Scores for the whole pool, NaN for people who were left out."""
        out = np.full(people, np.nan)
        out[self.rows] = scores
        return out


def _named(table: Table) -> Table:
    """Give targets names of equal length, which sort like their numbers."""
    numbers = table.columns["target"].astype(np.str_)
    width = max((len(number) for number in numbers[-1:]), default=1)
    names = np.char.zfill(numbers, max(width, len(str(len(table)))))
    return Table(table.schema, {**table.columns, "target": names})


def _part(size: int, most: int | None, rng: np.random.Generator) -> Rows:
    """The rows that an attack gets, in order: all, or a random part."""
    if most is None or size <= most:
        return np.arange(size)
    return np.sort(rng.choice(size, most, replace=False))


def _cut(pool: Pool, rows: Rows) -> Pool:
    """A pool of some of the people."""
    return Pool(pool.records.take(rows), pool.members[rows], pool.rows[rows])


def _limits(people: tuple[int, int], records: tuple[int, int]) -> str:
    """Say how much of the pool and of the release an attack saw, if it was not all."""
    named = ((people, "people"), (records, "released records"))
    parts = [f"{part:,} of {whole:,} {word}" for (part, whole), word in named if part < whole]
    if not parts:
        return ""
    return f"To save time, the attack compares a random part: {' and '.join(parts)}."
