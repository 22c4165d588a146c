"""K-way marginals: how far the distributions of sets of columns are off, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, as_table
from quintain.data.arrays import Codes, Floats, Ints
from quintain.kernels.tables.value_classes import ValueClasses
from quintain.measures.jackknife import groups_of, jackknife
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("k-way-marginals-v1")
class KWayMarginals(ReleaseMeasure):
    r"""How far the shares of combinations of values are off, on average over sets of columns.

    $$ TV = 1/2 sum_v |p_{original}(v) - p_{release}(v)| $$

    0 means equal distributions, 1 means nothing in common; lower is better. Every column is put
    into at most ``classes`` classes that are about equally common in the original: bins of numbers
    and times, the most common categories and the rest. A missing value is a class of its own. The
    reading is the mean over all sets of ``ways`` columns, or over ``sets`` of them, drawn at
    random, if there are more. Two samples of the same population never have equal shares, so
    compare the reading with that of a fresh sample.

    The interval says how far the reading would vary with other people from the same population: a
    jackknife that leaves out each of ten groups of records.

    Parameters
    ----------
    ways : how many columns are compared at a time.
    classes : into how many classes a column is put at most.
    sets : how many sets of columns are compared at most.

    References
    ----------
    NIST, 2018 Differential Privacy Synthetic Data Challenge: its k-marginal score compares random
    sets of three columns. Wolter, Introduction to Variance Estimation (2007): the jackknife over
    groups of records.

    Examples
    --------
    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> original, fresh = (people(example_table(rows=500, seed=s)) for s in (0, 1))
    >>> print(q.measure("k-way-marginals", original, original)["marginals3"])
    0 [0, 0.04308]
    >>> round(q.measure("k-way-marginals", original, fresh)["marginals3"].value, 3)
    0.152
    """

    about: ClassVar[About] = "utility"
    within: ClassVar[tuple[float, float]] = (0.0, 1.0)

    ways: Annotated[int, Field(ge=1, le=4)] = 3
    classes: Annotated[int, Field(ge=2, le=100)] = 10
    sets: Annotated[int, Field(ge=1, le=100_000)] = 200

    @classmethod
    def examples(cls) -> list[Self]:
        """Single columns, and triples of columns."""
        return [cls(ways=1), cls()]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading, such as marginals3; lower is better."""
        return {f"marginals{self.ways}": "lower"}

    @property
    def captions(self) -> Mapping[str, str]:
        """Say how many columns are compared at a time."""
        what = "single columns" if self.ways == 1 else f"sets of {self.ways} columns"
        return dict.fromkeys(self.reads, f"Mean distance between the distributions of {what}.")

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Average the distances over sets of columns, with all records and without each group."""
        (name,) = self.reads
        # Sorted, so that the groups do not depend on the order of the rows.
        original, release = (t.take(t.order()) for t in (as_table(original), as_table(release)))
        if min(len(original), len(release)) == 0:
            return {name: Reading.missing("lower", "a table has no records")}
        columns = [c.name for c in original.schema.attributes]
        if len(columns) < self.ways:
            return {name: Reading.missing("lower", f"the table has fewer than {self.ways} columns")}
        by_column = [ValueClasses.of(original, column, self.classes) for column in columns]
        coded = [np.stack([c.encode(t) for c in by_column]) for t in (original, release)]
        sizes = [c.size for c in by_column]
        chosen = _sets(len(columns), self.ways, self.sets, rng=rng)
        groups = [groups_of(len(t), rng=rng) for t in (original, release)]
        distances = [_distances(coded, groups, sizes, one) for one in chosen]
        whole, *parts = np.mean(distances, axis=0).tolist()
        n = len(original) + len(release)
        return {name: jackknife(whole, parts, n, "lower", within=self.within)}


def _sets(columns: int, ways: int, most: int, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """All sets of so many columns, or as many of them as allowed, drawn at random."""
    if math.comb(columns, ways) <= most:
        return list(combinations(range(columns), ways))
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < most:
        drawn.add(tuple(sorted(rng.choice(columns, ways, replace=False).tolist())))
    return sorted(drawn)


def _distances(
    coded: list[Codes], groups: list[Ints], sizes: list[int], chosen: tuple[int, ...]
) -> Floats:
    """The distance with all records, and without each group of records."""
    first, second = (
        _counts(codes, group, sizes, chosen) for codes, group in zip(coded, groups, strict=True)
    )
    p, q = (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) for counts in (first, second))
    return np.asarray(np.abs(p - q).sum(axis=1) / 2)


def _counts(codes: Codes, group: Ints, sizes: list[int], chosen: tuple[int, ...]) -> Ints:
    """Counts of all combinations: in the first row of all records, then without each group."""
    cell = np.zeros(codes.shape[1], np.int64)
    for column in chosen:
        cell = cell * sizes[column] + codes[column]
    cells, most = math.prod(sizes[c] for c in chosen), int(group.max()) + 1
    by_group = np.bincount(group * cells + cell, minlength=most * cells).reshape(most, cells)
    total = by_group.sum(axis=0)
    return np.concatenate([total[None], total - by_group])
