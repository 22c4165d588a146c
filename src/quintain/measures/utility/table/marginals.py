"""Marginals: how far the counts of single columns and of sets of columns are off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.data.arrays import Floats
from quintain.kernels.cells import cell_keys
from quintain.kernels.value_classes import binned_tables
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.measures.utility.table.jackknife import GROUPS, CodedTables, GroupedCodes, jackknife
from quintain.registry import register
from quintain.wording.languages import say, write_number

Counts = npt.NDArray[np.int64]

_MOST_CELLS = 1 << 24  # tables of counts with more cells than this are not laid out in memory


@register("marginals-v1")
class Marginals(ReleaseMeasure):
    r"""The mean total variation distance between marginals of original and release.

    $$ TV = 1/2 sum_v |p_{original}(v) - p_{release}(v)| $$

    0 means equal distributions, 1 means nothing in common; lower is better. The mean is over all
    sets of ``ways`` columns. Numbers and times without a finite domain are cut into ``bins``
    bins that are equally common in the original; a missing value is a value of its own.

    Parameters
    ----------
    ways : how many columns are compared at a time.
    bins : into how many bins a number without a finite domain is cut.

    Examples
    --------
    A quarter of the ages moved, and no sex. Together they are further off than on average:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"]})
    >>> release = pa.table({"age": [30, 30, 30, 40], "sex": ["f", "m", "f", "m"]})
    >>> print(q.measure("marginals", original, release, ways=1)["tv1"])
    0.125
    >>> print(q.measure("marginals", original, release, ways=2)["tv2"])
    0.25
    """

    about: ClassVar[About] = "utility"

    ways: Literal[1, 2] = 1
    bins: Annotated[int, Field(ge=2, le=10_000)] = 20

    @classmethod
    def examples(cls) -> list[Self]:
        """Single columns, and pairs of columns."""
        return [cls(ways=1), cls(ways=2)]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading, tv1 or tv2; lower is better."""
        return {f"tv{self.ways}": "lower"}

    @property
    def captions(self) -> Mapping[str, str]:
        """Say whether columns or pairs of columns are compared."""
        if self.ways == 1:
            caption = say("Mean distance between the distributions of single columns.")
        else:
            caption = say("Mean distance between the distributions of pairs of columns.")
        return {f"tv{self.ways}": caption}

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Average the distances over all sets of columns."""
        original, release = binned_tables(as_table(original), as_table(release), self.bins)
        names = [c.name for c in original.schema.columns if c.discrete]
        distances = [
            total_variation(*cells(original, release, chosen))
            for chosen in combinations(names, self.ways)
        ]
        if not distances:
            note = f"fewer than {self.ways} columns have a finite domain"
            return {f"tv{self.ways}": Reading.missing("lower", note)}
        value = float(np.mean(distances))
        return {f"tv{self.ways}": Reading.exact(value, len(original), "lower")}


def cells(original: Table, release: Table, names: tuple[str, ...]) -> tuple[Counts, Counts]:
    """Count the combinations of values in both tables; of very many, only those that occur."""
    if math.prod(original.schema[name].size + 1 for name in names) <= _MOST_CELLS:
        return marginal(original, names).ravel(), marginal(release, names).ravel()
    keys = [cell_keys(table, names) for table in (original, release)]
    _, cell = np.unique(np.concatenate(keys), return_inverse=True)
    size, rows = int(cell.max(initial=0)) + 1, len(original)
    return np.bincount(cell[:rows], minlength=size), np.bincount(cell[rows:], minlength=size)


def marginal(table: Table, names: tuple[str, ...]) -> Counts:
    """Count the values of one or two columns; a missing value is one more value."""
    sizes = [table.schema[name].size + 1 for name in names]
    cell = np.zeros(len(table), np.int64)
    for name, size in zip(names, sizes, strict=True):
        cell = cell * size + (table.columns[name] + 1)
    return np.bincount(cell, minlength=int(np.prod(sizes))).reshape(sizes)


def total_variation(a: Counts, b: Counts) -> float:
    """The total variation distance between two tables of counts, from 0 to 1.

    >>> total_variation(np.array([1, 1]), np.array([3, 1]))
    0.25
    """
    if a.sum() == 0 or b.sum() == 0:
        return 0.0 if a.sum() == b.sum() else 1.0
    return float(np.abs(a / a.sum() - b / b.sum()).sum() / 2)


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
    sets: Annotated[int, Field(ge=1, le=100_000)] = 300

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
        if self.ways == 1:
            caption = say("Mean distance between the distributions of single columns.")
        else:
            caption = say(
                "Mean distance between the distributions of sets of %(n)s columns.",
                n=write_number(self.ways),
            )
        return dict.fromkeys(self.reads, caption)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Average the distances over sets of columns, with all records and without each group."""
        (name,) = self.reads
        if min(len(original), len(release)) < GROUPS:
            return {name: Reading.missing("lower", f"a table has fewer than {GROUPS} records")}
        columns = len(as_table(original).schema.attributes)
        if columns < self.ways:
            return {name: Reading.missing("lower", f"the table has fewer than {self.ways} columns")}
        tables = CodedTables.of(original, release, self.classes)
        chosen = _sets(columns, self.ways, self.sets, rng=rng)
        pair = tables.group(rng=rng)
        distances = [_distances(*pair, columns) for columns in chosen]
        whole, *parts = np.mean(distances, axis=0).tolist()
        return {name: jackknife(whole, parts, tables.n, "lower", within=self.within)}


def _sets(columns: int, ways: int, most: int, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """All sets of so many columns, or as many of them as allowed, drawn at random."""
    if math.comb(columns, ways) <= most:
        return list(combinations(range(columns), ways))
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < most:
        drawn.add(tuple(sorted(rng.choice(columns, ways, replace=False).tolist())))
    return sorted(drawn)


def _distances(original: GroupedCodes, release: GroupedCodes, chosen: tuple[int, ...]) -> Floats:
    """The distance with all records, and without each group of records."""
    p, q = (
        counts / counts.sum(axis=1, keepdims=True)
        for counts in (original.counts(chosen), release.counts(chosen))
    )
    return np.asarray(np.abs(p - q).sum(axis=1) / 2)


@register("histogram-v1")
class Histogram(ReleaseMeasure):
    r"""How well the counts of values agree, one attribute at a time.

    $$ 1 - 1/2 sum_v |n_{release}(v) - n_{original}(v)| / n_{original} $$

    1 means equal histograms; higher is better. The measure compares counts, not shares: a release
    of another size loses, and a much larger one reads below 0. Numbers and times without a finite
    domain are cut into ``bins`` intervals that are equally common in the original. Any other value
    has its own bin, and a missing value is a value.

    Parameters
    ----------
    each : read the worst attribute instead of the mean over all of them.
    bins : into how many bins a number without a finite domain is cut.

    References
    ----------
    AMIC 2020, "Utility Measure: Histogram".

    Examples
    --------
    One of four wages moved from one class to another, and no sex. The mean of 0.75 and 1 is read:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"wage": [1.5, 2.5, 3.5, 4.5], "sex": ["f", "m", "f", "m"]})
    >>> release = pa.table({"wage": [1.7, 4.2, 3.9, 4.4], "sex": ["f", "m", "f", "m"]})
    >>> print(q.measure("histogram", original, release, bins=2)["histogram"])
    0.875
    """

    about: ClassVar[About] = "utility"

    each: bool = False
    bins: Annotated[int, Field(ge=2, le=10_000)] = 20

    @classmethod
    def examples(cls) -> list[Self]:
        """The mean over attributes, and the worst attribute."""
        return [cls(), cls(each=True)]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading, histogram or histogram_worst; higher is better."""
        return {"histogram_worst" if self.each else "histogram": "higher"}

    @property
    def captions(self) -> Mapping[str, str]:
        """Say whether the mean or the worst attribute counts."""
        if self.each:
            caption = say("How well the counts of values agree; the worst attribute.")
        else:
            caption = say("How well the counts of values agree; the mean over attributes.")
        return dict.fromkeys(self.reads, caption)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare the counts of every attribute."""
        original, release = binned_tables(as_table(original), as_table(release), self.bins)
        (name,) = self.reads
        if len(original) == 0:
            return {name: Reading.missing("higher", "the original has no records")}
        agreement = 1 - histogram_errors(original, release)
        value = float(agreement.min() if self.each else agreement.mean())
        return {name: Reading.exact(value, len(original), "higher")}


def histogram_errors(original: Table, release: Table) -> npt.NDArray[np.float64]:
    """For each attribute, half of the summed differences of counts over the original's size.

    >>> from quintain.testing import example_table
    >>> table = example_table(rows=10)
    >>> histogram_errors(table, table.take(range(8))).round(3).tolist()
    [0.1, 0.1, 0.1]
    """
    errors = []
    for column in original.schema.attributes:
        one, other = original.columns[column.name], release.columns[column.name]
        if column.discrete:
            counts = [np.bincount(codes + 1, minlength=column.size + 1) for codes in (one, other)]
        else:
            _, code = np.unique(np.concatenate([one, other]), return_inverse=True)
            counts = [
                np.bincount(codes, minlength=code.max(initial=0) + 1)
                for codes in (code[: len(one)], code[len(one) :])
            ]
        errors.append(np.abs(counts[0] - counts[1]).sum() / (2 * len(original)))
    return np.array(errors)
