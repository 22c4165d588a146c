"""Table model: the rows of one table given the rows to which they belong, with person-level noise.

The model is a forest. Every column of the table is drawn given one other column: of the same row,
or of a row above it, or given none. A column above may be the number of rows that it has here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import exponential_epsilon, gaussian_sigma
from quintain.data import Column, Schema, Table
from quintain.data.arrays import Floats, Ints, Mask
from quintain.randomness.noise import Noise
from quintain.sanitizers.people.shares import RowShares
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.synthetic.counted_columns import NOISE_ERROR, RARE, varying
from quintain.sanitizers.synthetic.mst import Pair, spanning_tree
from quintain.sanitizers.synthetic.pgm import (
    Domain,
    Levels,
    Measurement,
    estimate,
    estimate_total,
    nearest_counts,
)
from quintain.sanitizers.synthetic.pgm.rounding import draw_given

ALONE = ""
"""The other column of a pair, for a column that is drawn given none."""

CLEAR = 2.0
"""A tail of counts stands out if its sum is above so many standard deviations of the noise."""

SIZES = (2, 4, 8, 16)
"""Into how many groups the levels of a column may be merged where a pair is counted."""

CHOICE_SHARE = 0.1
"""The part of a table's budget for the choices; columns and pairs get half of the rest each."""

RAKES = 20
"""How often the rows and columns of a table are scaled in turn."""

_FAINT = 1e-6
"""The weight of a column's own distribution where a model has seen nobody."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownColumn:
    """What noisy counts say about a column; it is not private any more.

    Parameters
    ----------
    expected : about how many people have each level.
    groupings : ways to merge the levels where a pair is counted: the group of each level.
    """

    expected: Floats
    groupings: tuple[Ints, ...]

    @classmethod
    def of(cls, expected: Floats, *, ordered: bool) -> KnownColumn:
        """A column whose levels are merged into groups of about equal size, if they have an order.

        If not, the most frequent levels stay alone, and all others are one group.

        >>> KnownColumn.of(np.array([9.0, 1, 1, 1, 9, 9]), ordered=True).groupings[1].tolist()
        [0, 0, 0, 0, 1, 1]
        >>> KnownColumn.of(np.array([9.0, 1, 1, 1, 9, 9]), ordered=False).groupings[2].tolist()
        [0, 3, 3, 3, 1, 2]
        """
        groupings = [np.arange(len(expected))]
        middles = (np.cumsum(expected) - expected / 2) / max(float(expected.sum()), 1e-300)
        ranks = np.argsort(np.argsort(-expected, kind="stable"), kind="stable")
        for size in SIZES:
            if len(expected) > size:
                group = middles * size if ordered else np.minimum(ranks, size - 1)
                whole = np.clip(group.astype(np.int64), 0, size - 1)
                groupings.append(np.unique(whole, return_inverse=True)[1])
        return cls(expected, tuple(groupings))

    def scale(self, counts: Floats, total: float) -> KnownColumn:
        """The same column among other people: counts in proportion, with this total."""
        shares = counts if counts.sum() > 0 else np.ones(len(counts))
        return KnownColumn(shares * (total / shares.sum()), self.groupings)


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """How one column is drawn.

    Parameters
    ----------
    given : the column given which it is drawn, or :data:`ALONE`.
    name : the column.
    groups : the group of each level of the given column.
    weights : for each of these groups, the weights of the levels of this column.
    """

    given: str
    name: str
    groups: Ints
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TableModel:
    """A model of one table.

    Parameters
    ----------
    schema : the columns of the table, all discrete.
    total : about how many people have a row in it.
    levels : the levels of each column that varies.
    columns : what is known of these columns.
    draws : how each of them is drawn, in this order.
    """

    schema: Schema
    total: float
    levels: Mapping[str, Levels]
    columns: Mapping[str, KnownColumn]
    draws: tuple[Draw, ...]

    def draw(
        self, rows: int, above: Mapping[str, Ints], rng: np.random.Generator
    ) -> dict[str, Ints]:
        """Draw the levels of rows that belong to rows with the levels ``above``."""
        levels = {**above, ALONE: np.zeros(rows, np.int64)}
        for draw in self.draws:
            levels[draw.name] = draw_given(draw.groups[levels[draw.given]], draw.weights, rng)
        return {name: levels[name] for name in self.levels}

    def expand(self, rows: int, levels: Mapping[str, Ints], rng: np.random.Generator) -> Table:
        """Turn levels into values; a column with a single possible value gets that value."""
        columns: dict[str, Ints] = {}
        for column in self.schema.columns:
            codes = np.zeros(rows, np.int64)
            if column.name in levels:
                codes = self.levels[column.name].expand(levels[column.name], rng)
            columns[column.name] = np.where(codes == column.size, -1, codes)
        return Table(self.schema, columns)

    def merge(self, codes: Table) -> dict[str, Ints]:
        """The levels of the rows of a table."""
        return _merge(codes, self.levels)

    def some_rows(self, number: str, levels: Mapping[str, Ints]) -> Mask:
        """Where a number of rows, given as levels, is not zero."""
        column = self.schema[number]
        if number not in self.levels:
            return np.full(len(next(iter(levels.values()))), column.high != 0)
        zero = self.levels[number].merge(np.zeros(1, np.int64))
        some: Mask = (levels[number] != zero) | (column.low != 0)
        return some


def fit_table(
    sanitizer: Sanitizer,
    codes: Table,
    shares: RowShares,
    *,
    numbers: Collection[str],
    above: Mapping[str, Ints],
    known: Mapping[str, KnownColumn],
    rho: float,
    noise: Noise,
) -> TableModel:
    """Fit a model to one table; this costs ``rho`` in zCDP, per person.

    First every column is counted, and rare values are merged. Then each column gets the column
    given which it is drawn (exponential mechanism), and both may be merged into groups. The score
    of a choice is the L1 distance between the counts of the pair and those of independent columns,
    less the distance that the noise would bring; one person moves it by at most one. Last, the
    chosen pairs are counted. The choices cost a tenth, and both kinds of counts half of the rest.

    Parameters
    ----------
    sanitizer : who fits, for error messages.
    codes : the rows, all columns discrete; private data.
    shares : the parts of the rows in their persons.
    numbers : the columns with numbers of rows. A number above those that stand out from the noise
        counts as the largest of them. Otherwise noise would give many rows to people.
    above : for the columns of rows above, the level of each row; private data.
    known : what is known of these columns.
    """
    columns = varying(sanitizer, codes.schema)
    if not columns:
        return TableModel(codes.schema, 0.0, {}, {}, ())
    budget = Budget(rho)
    sigma = gaussian_sigma((1 - CHOICE_SHARE) / 2 * rho / len(columns))
    levels: dict[str, Levels] = {}
    single: dict[str, Measurement] = {}
    for column in columns:
        values = _values(codes, column.name)
        size = column.size + column.nullable
        noisy = shares.count_with_noise([values], (size,), sigma, budget, noise)
        if column.name in numbers:
            noisy = noisy[: _clear_end(noisy, sigma)]
        levels[column.name] = Levels.of(noisy, RARE * sigma)
        single[column.name] = levels[column.name].merge_counts(column.name, noisy, sigma**2)
    total = estimate_total(single.values())
    own = {c.name: _know_column(c, single[c.name], total) for c in columns}
    alone = KnownColumn(np.array([total]), (np.zeros(1, np.int64),))
    around = {name: column.scale(column.expected, total) for name, column in known.items()}
    pairs = _Pairs(
        {**above, **_merge(codes, levels), ALONE: np.zeros(len(shares.parts), np.int64)},
        {**around, **own, ALONE: alone},
        single,
        shares,
        total,
    )
    joined = (*above, ALONE)
    choices = pairs.choices([*combinations(own, 2), *product(own, joined)])
    scores = pairs.scores(choices, sigma)
    epsilon = exponential_epsilon(CHOICE_SHARE * rho / len(columns))
    names = [(choice.one, choice.other) for choice in choices]
    places = spanning_tree(names, scores, epsilon, budget, noise, joined=joined)
    chosen = _in_order([choices[place] for place in places], joined)
    draws = tuple(pairs.draw(choice, sigma, budget, noise) for choice in chosen)
    return TableModel(codes.schema, total, levels, own, draws)


class _Choice(NamedTuple):
    """A pair of columns, and how the levels of both are merged."""

    one: str
    other: str
    one_groups: Ints
    other_groups: Ints

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.one_groups.max()) + 1, int(self.other_groups.max()) + 1

    def turn(self) -> _Choice:
        return _Choice(self.other, self.one, self.other_groups, self.one_groups)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of columns: their private counts, and what is known of them without."""

    levels: Mapping[str, Ints]
    columns: Mapping[str, KnownColumn]
    single: Mapping[str, Measurement]
    shares: RowShares
    total: float

    def choices(self, pairs: Sequence[Pair]) -> list[_Choice]:
        """Every pair with every way to merge its levels."""
        return [
            _Choice(*pair, *groups)
            for pair in pairs
            for groups in product(*(self.columns[name].groupings for name in pair))
        ]

    def scores(self, choices: Sequence[_Choice], sigma: float) -> Floats:
        """How far the counts are from those of independent columns, beyond the noise."""
        scores = np.empty(len(choices))
        pair, gaps = None, np.zeros((0, 0))
        for number, choice in enumerate(choices):
            if pair != (choice.one, choice.other):
                pair = choice.one, choice.other
                one, other = (self.columns[name].expected for name in pair)
                codes = [self.levels[name] for name in pair]
                counts = self.shares.count(codes, (len(one), len(other)))
                gaps = counts - np.outer(one, other / self.total)
            merged = _merge_cells(gaps, choice)
            scores[number] = np.abs(merged).sum() - NOISE_ERROR * sigma * merged.size
        return scores

    def draw(self, choice: _Choice, sigma: float, budget: Budget, noise: Noise) -> Draw:
        """Count a pair with noise, and draw its second column given the first."""
        given, name, before, groups = choice
        codes = [before[self.levels[given]], groups[self.levels[name]]]
        noisy = self.shares.count_with_noise(codes, choice.shape, sigma, budget, noise)
        measured = [Measurement.of((given, name), noisy, sigma**2)]
        measured += [
            _merge_levels(self.single[column], merged)
            for column, merged in ((given, before), (name, groups))
            if column in self.single
        ]
        domain = Domain.of({given: choice.shape[0], name: choice.shape[1]})
        counts = estimate(measured, domain, total=self.total).marginal((given, name))
        expected = _sum_by(before, self.columns[given].expected)
        raked = _rake(counts, expected, counts.sum(axis=0))
        return Draw(given, name, before, _weights(raked, groups, self.columns[name].expected))


def _merge_levels(single: Measurement, groups: Ints) -> Measurement:
    """A measurement of groups of levels."""
    merged = (_sum_by(groups, numbers) for numbers in (single.counts, single.variance))
    return Measurement.of(single.columns, *merged)


def _rake(counts: Floats, rows: Floats, columns: Floats) -> Floats:
    """Scale the rows and columns of a table in turn until they have these sums, about."""
    for _ in range(RAKES):
        counts = counts * _ratio(rows, counts.sum(axis=1))[:, None]
        counts = counts * _ratio(columns, counts.sum(axis=0))
    return counts


def _ratio(wanted: Floats, sums: Floats) -> Floats:
    return np.divide(wanted, sums, out=np.ones(len(sums)), where=sums > 0)


def _sum_by(groups: Ints, numbers: Floats) -> Floats:
    """The sums of numbers by group; every group has a number."""
    return np.bincount(groups, numbers).astype(np.float64)


def _merge_cells(table: Floats, choice: _Choice) -> Floats:
    """The sums of a table over groups."""
    shape = choice.shape
    cell = choice.one_groups[:, None] * shape[1] + choice.other_groups
    return _sum_by(cell.ravel(), table.ravel()).reshape(shape)


def _weights(counts: Floats, groups: Ints, expected: Floats) -> Floats:
    """Divide the counts of groups among their levels, in proportion to what is expected."""
    sums = _sum_by(groups, expected)[groups]
    even = 1 / np.bincount(groups)[groups]
    share = np.divide(expected, sums, out=even, where=sums > 0)
    return counts[:, groups] * share + _FAINT * share


def _know_column(column: Column, single: Measurement, total: float) -> KnownColumn:
    counts = nearest_counts(single.counts, single.variance, total)
    return KnownColumn.of(counts, ordered=not column.listed or column.ordered)


def _values(codes: Table, name: str) -> Ints:
    """The codes of a column; a missing value has the code after the last."""
    values = codes.columns[name].astype(np.int64)
    values[values < 0] = codes.schema[name].size
    return values


def _merge(codes: Table, levels: Mapping[str, Levels]) -> dict[str, Ints]:
    """The level of every row in each column; codes beyond the last level belong to it."""
    last = {name: len(level.kept) + len(level.rare) - 1 for name, level in levels.items()}
    return {
        name: level.merge(np.minimum(_values(codes, name), last[name]))
        for name, level in levels.items()
    }


def _clear_end(noisy: Floats, sigma: float) -> int:
    """Where the tail of noisy counts begins that does not stand out from the noise.

    >>> _clear_end(np.array([90.0, 40.0, 3.0, -2.0, 4.0, -1.0]), 5.0)
    2
    """
    tails = np.cumsum(noisy[::-1])[::-1]
    lengths = np.arange(len(noisy), 0, -1)
    clear = np.flatnonzero(tails > CLEAR * sigma * np.sqrt(lengths))
    return int(clear[-1]) + 1 if len(clear) else 1


def _in_order(choices: Sequence[_Choice], joined: Collection[str]) -> list[_Choice]:
    """The choices from the columns that are known to the others; first what is given."""
    known, left, order = set(joined), list(choices), []
    while left:
        place = next(i for i, c in enumerate(left) if c.one in known or c.other in known)
        choice = left.pop(place)
        order.append(choice if choice.one in known else choice.turn())
        known.add(order[-1].other)
    return order
