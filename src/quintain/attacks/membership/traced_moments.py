"""Traced moments: how records become variables, their means, and what of these reaches a release.

The attacks of moment_tracing.py and value_tracing.py share this: variables are the values of a
record, and in moment_tracing.py also the products of its numbers and categories; statistics are
their means over a table, beside those of the population; the transmission says how much of a
deviation of the private data reaches the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from quintain.data import Schema, Table
from quintain.data.arrays import Floats, Rows
from quintain.errors import PartError

_SAMPLE = 40_000
"""How many records of the population are enough for covariances."""

_CLASSES = 6
"""Into how many classes the statistics of a kind are cut, from rare to common."""
_SMALL = 10
"""A class has about this many statistics or more."""
_PRIOR = 10.0
"""How many shadow runs the mean of a class counts for."""

_CHUNK = 2_000
"""How many records are described at once: little memory, and fast."""

_MOST_NUMBERS = 60
"""More numbers have too many products for a matrix of all their covariances."""

KINDS = ("category", "code", "product", "slope")
"""Kinds of variables: has this category; has this number; a number or the product of two numbers; a
number times a category."""

Kinds = npt.NDArray[np.int64]
"""For each variable the place of its kind in ``KINDS``."""


class LinearVariables(Protocol):
    """What statistics need of variables, however a record becomes numbers."""

    def means(self, table: Table) -> Floats:
        """The mean of each variable over the records of a table."""

    def covariance(self, table: Table, mean: Floats) -> Floats:
        """The mean product of two variables over a table, less what ``mean`` explains."""

    def weighted_gaps(self, table: Table, mean: Floats, weights: Floats) -> Floats:
        """How far the variables of each record are from ``mean``, summed with weights."""


def require_few_numbers(part: str, schema: Schema) -> None:
    """Refuse so many numbers that the covariances of their products fill the memory."""
    count = sum(not column.listed for column in schema.attributes)
    if count > _MOST_NUMBERS:
        raise PartError(
            f"{part} multiplies all pairs of {count} numbers and times; the limit is "
            f"{_MOST_NUMBERS}: leave some columns out"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """How a record becomes numbers.

    Numbers are standardised, and categories are centred before they are multiplied. So a product
    repeats little of what the single columns say. A missing number counts as the mean.

    Parameters
    ----------
    categories, numbers : for each column, the codes that have a variable.
    shares : how common each of these categories is.
    centre, scale : mean and standard deviation of each number.
    """

    categories: Mapping[str, Rows]
    numbers: Mapping[str, Rows]
    shares: Floats
    centre: Mapping[str, float]
    scale: Mapping[str, float]

    @classmethod
    def of(cls, base: Table, least: float, most: int) -> Variables:
        """Choose variables for a population: of values with a share of ``least`` or more.

        If there are more than ``most``, the rarest values have none.
        """
        columns = base.schema.attributes
        counts = {c.name: np.unique(base.columns[c.name], return_counts=True) for c in columns}
        numeric = [c.name for c in columns if not c.listed]
        shares = {
            name: dict(zip(codes.tolist(), (count / len(base)).tolist(), strict=True))
            for name, (codes, count) in counts.items()
        }
        # A category has one variable of its own and one more for each number.
        weight = {name: 1 if name in numeric else 1 + len(numeric) for name in shares}
        ranked = sorted((-p, n, v) for n, part in shares.items() for v, p in part.items())
        total = np.cumsum([weight[name] for _, name, _ in ranked])
        chosen = [
            (n, v)
            for (p, n, v), used in zip(ranked, total, strict=True)
            if -p >= least and used <= most
        ]
        codes = {n: np.array(sorted(v for m, v in chosen if m == n), np.int64) for n in shares}
        categories = {n: part for n, part in codes.items() if n not in numeric}
        values = {n: base.columns[n][base.columns[n] >= 0] for n in numeric}
        return cls(
            categories,
            {n: codes[n] for n in numeric},
            np.array([shares[n][v] for n, part in categories.items() for v in part.tolist()]),
            {n: float(v.mean()) if len(v) else 0.0 for n, v in values.items()},
            {n: (float(v.std()) if len(v) else 0.0) or 1.0 for n, v in values.items()},
        )

    @property
    def kinds(self) -> Kinds:
        """The place in ``KINDS`` of each variable's kind."""
        count = len(self.numbers)
        sizes = (
            len(self.shares),
            sum(len(part) for part in self.numbers.values()),
            count + count * (count + 1) // 2,
            len(self.shares) * count,
        )
        return np.repeat(np.arange(len(KINDS)), sizes)

    def describe(self, table: Table) -> Iterator[Floats]:
        """Yield the variables of some records at a time, one row per record."""
        for first in range(0, len(table), _CHUNK):
            yield self._block(table.take(np.arange(first, min(first + _CHUNK, len(table)))))

    def means(self, table: Table) -> Floats:
        """The mean of each variable over the records of a table."""
        return np.asarray(sum(block.sum(axis=0) for block in self.describe(table)) / len(table))

    def covariance(self, table: Table, mean: Floats) -> Floats:
        """The mean product of two variables over a table, less what ``mean`` explains."""
        products = np.zeros((len(mean), len(mean)))
        for block in self.describe(table):
            centred = block - mean
            products += centred.T @ centred
        return np.asarray(products / len(table))

    def weighted_gaps(self, table: Table, mean: Floats, weights: Floats) -> Floats:
        """How far the variables of each record are from ``mean``, summed with weights."""
        parts = [(block - mean) @ weights for block in self.describe(table)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _block(self, table: Table) -> Floats:
        present = _indicators(table, self.categories)
        numbers = [
            np.where(codes < 0, 0.0, (codes - self.centre[n]) / self.scale[n])[:, None]
            for n, codes in ((n, table.columns[n]) for n in self.numbers)
        ]
        products = [x * y for i, x in enumerate(numbers) for y in numbers[i:]]
        slopes = [(present - self.shares) * z for z in numbers]
        codes = _indicators(table, self.numbers)
        return np.concatenate([present, codes, *numbers, *products, *slopes], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The statistics of a population, and how far a sample of ``size`` records may be from them.

    Parameters
    ----------
    variables : how a record becomes numbers; a statistic is the mean of one variable.
    mean, spread : mean and standard deviation of each variable over the population.
    correlation : the correlations of the variables.
    error : the standard deviation of each statistic over samples.
    """

    variables: LinearVariables
    mean: Floats
    spread: Floats
    correlation: Floats
    error: Floats

    @classmethod
    def of(
        cls, base: Table, variables: LinearVariables, size: int, *, rng: np.random.Generator
    ) -> Statistics:
        """Compute means from all records of a population, covariances from some of them."""
        mean = variables.means(base)
        some = base.take(rng.permutation(len(base))[:_SAMPLE])
        covariance = variables.covariance(some, mean)
        spread = np.sqrt(np.diag(covariance))
        spread[spread < 1e-9] = np.inf  # constant: whatever is divided by it becomes 0
        kept = max(1 - size / len(base), 0.01)  # a sample of everybody has no error
        return cls(
            variables,
            mean,
            spread,
            covariance / np.outer(spread, spread),
            spread * np.sqrt(kept / size),
        )

    def deviation(self, table: Table) -> Floats:
        """Say how far a table is from the population, in standard errors of a sample."""
        return np.asarray((self.variables.means(table) - self.mean) / self.error)

    def scores(self, records: Table, weights: Floats) -> Floats:
        """Sum the standardised variables of each record with weights."""
        return self.variables.weighted_gaps(records, self.mean, weights / self.spread)


@dataclass(frozen=True, slots=True, eq=False)
class Transmission:
    """A released deviation is ``offset`` + ``gain`` times the private one + noise.

    All of them are in standard errors of a sample.
    """

    offset: Floats
    gain: Floats
    variance: Floats

    @classmethod
    def learn(
        cls, statistics: Statistics, kinds: Kinds, private: Floats, released: Floats
    ) -> Transmission:
        """Learn from shadow runs: one row of deviations for each run.

        Few runs cannot tell much about one statistic. So gain and variance are pulled towards the
        mean over statistics of the same kind that are about equally common.
        """
        runs, offset = len(private), released.mean(axis=0)
        x, y = private - private.mean(axis=0), released - offset
        alike = _classes(statistics, kinds)
        inner, outer = (x * y).sum(axis=0), (x**2).sum(axis=0)
        usual = _mean(alike, inner) / np.maximum(_mean(alike, outer), 1e-9)
        gain = np.clip((inner + _PRIOR * usual) / (outer + _PRIOR), 0.0, 1.2)
        rest = ((y - gain * x) ** 2).sum(axis=0)
        freedom = max(runs - 2, 1)
        variance = (rest + _PRIOR * _mean(alike, rest) / freedom) / (freedom + _PRIOR)
        # The offset is a mean over few runs, too.
        return cls(offset, gain, variance * (1 + 1 / runs))

    def scores(
        self, statistics: Statistics, release: Table, records: Table, *, ridge: float
    ) -> Floats:
        """Score records by the best linear test of membership, given what a release shows."""
        covariance = statistics.correlation * np.outer(self.gain, self.gain)
        covariance[np.diag_indices_from(covariance)] += self.variance + ridge
        explained = np.linalg.solve(covariance, statistics.deviation(release) - self.offset)
        return statistics.scores(records, self.gain * explained)


def _classes(statistics: Statistics, kinds: Kinds) -> npt.NDArray[np.int64]:
    """Number the classes of statistics: of one kind, and about equally common."""
    out, number = np.zeros(len(statistics.mean), np.int64), 0
    for kind in np.unique(kinds):
        places = np.flatnonzero(kinds == kind)
        order = places[np.argsort(statistics.spread[places], kind="stable")]
        for part in np.array_split(order, min(_CLASSES, max(1, len(places) // _SMALL))):
            out[part], number = number, number + 1
    return out


def _mean(alike: npt.NDArray[np.int64], values: Floats) -> Floats:
    """Give each statistic the mean over its class."""
    return np.asarray((np.bincount(alike, values) / np.bincount(alike))[alike])


def records_with(table: Table, codes: Mapping[str, Rows]) -> Iterator[tuple[Rows, Rows]]:
    """For each column the records that have one of its listed codes, and the places of these.

    The places count through the lists of all columns.
    """
    start = 0
    for name, part in codes.items():
        if len(part):
            place = np.minimum(np.searchsorted(part, table.columns[name]), len(part) - 1)
            rows = np.flatnonzero(part[place] == table.columns[name])
            yield rows, start + place[rows]
        start += len(part)


def _indicators(table: Table, codes: Mapping[str, Rows]) -> Floats:
    """Say for each record which of the listed codes it has: 1 or 0."""
    out = np.zeros((len(table), sum(len(part) for part in codes.values())))
    for rows, places in records_with(table, codes):
        out[rows, places] = 1.0
    return out
