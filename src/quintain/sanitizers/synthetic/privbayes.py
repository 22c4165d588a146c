"""PrivBayes: a Bayesian network that is learned with differential privacy, then sampled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Floats, Ints
from quintain.errors import PartError
from quintain.jobs.progress import track
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel, Synthesizer
from quintain.sanitizers.synthetic.pgm import Domain, Measurement, estimate_total, nearest_counts
from quintain.sanitizers.synthetic.pgm.measurement import fuse
from quintain.sanitizers.synthetic.pgm.rounding import draw_given

# Choose a Bayesian network with privacy: the columns that each column depends on most.
#
# Columns are added one at a time. At every step, each column that is not yet in the network is
# offered with every largest set of parents whose table is still small enough. The exponential
# mechanism picks one of these offers by how far column and parents are from independence.
#
# The score. With c(x, p) records of child value x and parent values p, margins c(x) and c(p), and
# n records in all,
#
# $$ U = 1/2 sum_{x,p} |c(x, p) - c(x) c(p) / n| = sum_{x,p} max(0, c(x, p) - c(x) c(p) / n) $$
#
# This is n times the score R of Zhang et al. (2017). Counts are not divided by n, because n is
# secret where a record may be added or removed.
#
# Its sensitivity. Add one record to the cell (a, b), and let D be the difference from
# independence in each cell. Let r = c(a) and s = c(b) before, and w = (n - r)(n - s) / (n (n +
# 1)). Then the absolute changes of D are w in the cell (a, b), w in total over the rest of the
# row, w over the rest of the column, and w over all other cells: 4 w together. So U changes by at
# most 2 w < 2. No smaller bound holds: if all n records have the same values and the new record
# has another child value and other parent values, U goes from 0 to 2 n / (n + 1).


SENSITIVITY = 2.0
"""The largest change of the score when one record is added or removed."""

WORK = 3e8
"""The most records to read for scores, which takes some seconds. Where scoring all sets of parents
would take more, sets are drawn at random."""

OVERHEAD = 5000
"""The fixed cost of a score, counted in records read."""


@dataclass(frozen=True, slots=True)
class Network:
    """The columns in an order in which parents come first, with the parents of each column."""

    order: tuple[str, ...]
    parents: Mapping[str, tuple[str, ...]]

    def family(self, child: str) -> tuple[str, ...]:
        """List the columns that are counted together: the parents, then the column itself."""
        return (*self.parents[child], child)


def dependence(given: Ints, child: Ints, size: int) -> float:
    """Count the records that would have to change to make a column independent of its parents.

    Parameters
    ----------
    given : the combination of the parents' values in each record, as a number.
    child : the value of the column in each record.
    size : how many values the column has.

    >>> dependence(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), 2)
    2.0
    """
    if not len(child):
        return 0.0
    parents, children = np.bincount(given), np.bincount(child, minlength=size)
    cell = given * size + child
    if 2 * len(parents) * size <= len(child):
        counts = np.bincount(cell, minlength=len(parents) * size).reshape(-1, size)
        counts = counts - np.outer(parents, children / len(child))
        return float(np.maximum(counts, 0.0).sum())
    # With many parents most cells are empty, so it is quicker to go through the records: each of
    # the c(x, p) records in a cell adds its share of the cell's positive part.
    expected = parents[given] * (children / len(child))[child]
    return float(np.maximum(1.0 - expected / np.bincount(cell)[cell], 0.0).sum())


def any_pair_fits(domain: Domain, cells: int) -> bool:
    """Say whether two columns with more than one value fit into a table of so many cells."""
    sizes = sorted(size for size in domain.sizes if size > 1)
    return len(sizes) > 1 and sizes[0] * sizes[1] <= cells


def learn_network(
    columns: Mapping[str, Ints],
    domain: Domain,
    *,
    cells: int,
    records: int,
    epsilon: float,
    rng: np.random.Generator,
    noise: Noise,
) -> Network:
    """Choose a network; epsilon-private under adding or removing a record.

    The first column is the one with the fewest values, because it fits into most tables. This
    follows from the schema alone, not from the data. Columns with a single value are in no table.
    If no two columns fit into a table, there is no choice and no privacy is spent.

    Parameters
    ----------
    columns : the private data; every value is a number from 0.
    domain : the columns and how many values each has.
    cells : the most cells in a table of a column and its parents. A column with more values than
        this has no parents.
    records : about how many records there are; a public number that limits the work.
    epsilon : the privacy loss of all choices together.
    rng : draws sets of parents where there are too many, without reading the data.
    noise : makes the private choices.
    """
    varied = [name for name in domain.names if domain.size(name) > 1]
    fixed = [name for name in domain.names if domain.size(name) == 1]
    parents: dict[str, tuple[str, ...]] = dict.fromkeys(domain.names, ())
    if not any_pair_fits(domain, cells):
        return Network((*fixed, *varied), parents)
    picks = len(varied) - 1
    limit = max(1, int(WORK / ((records + OVERHEAD) * len(varied) * picks / 2)))
    search = _NetworkSearch(
        columns, {name: domain.size(name) for name in varied}, cells, limit, rng
    )
    newest = min(varied, key=domain.size)
    order = [*fixed, newest]
    for _ in track(range(picks), "choosing the network", picks):
        search.place(newest)
        offers = [(child, offer) for child, sets in search.waiting.items() for offer in sets]
        scores = [offer.score for _, offer in offers]
        newest, chosen = offers[noise.choose(scores, epsilon / picks, SENSITIVITY)]
        parents[newest] = domain.sort(chosen.parents)
        order.append(newest)
    return Network(tuple(order), parents)


class _Offer(NamedTuple):
    """A possible set of parents for one column."""

    parents: tuple[str, ...]
    combinations: int
    score: float


class _NetworkSearch:
    """The columns not yet in the network, each with every largest set of parents that fits."""

    def __init__(
        self,
        columns: Mapping[str, Ints],
        sizes: Mapping[str, int],
        cells: int,
        limit: int,
        rng: np.random.Generator,
    ) -> None:
        self.columns, self.sizes = columns, sizes
        self.cells, self.limit, self.rng = cells, limit, rng
        self.placed: list[str] = []
        self.waiting = {child: [_Offer((), 1, 0.0)] for child in sizes}

    def place(self, newest: str) -> None:
        """Make a column available as a parent.

        Only sets with the newest column are new. Such a set is largest exactly if its other members
        are a largest set for the room that the newest column leaves. An older set stays largest if
        the newest column does not fit into it.
        """
        del self.waiting[newest]
        width = self.sizes[newest]
        sets: dict[int, list[tuple[str, ...]]] = {}
        codes: dict[tuple[str, ...], Ints] = {}
        for child, known in self.waiting.items():
            room = self.cells // self.sizes[child]
            offers = [offer for offer in known if offer.combinations * width > room]
            left = room // width
            if left and left not in sets:
                sets[left] = self._sets(left)
            for others in sets.get(left, ()):
                if others not in codes:
                    codes[others] = self._combine((newest, *others))
                count = width * math.prod(self.sizes[name] for name in others)
                score = dependence(codes[others], self.columns[child], self.sizes[child])
                offers.append(_Offer((newest, *others), count, score))
            self.waiting[child] = offers
        self.placed.append(newest)

    def _sets(self, room: int) -> list[tuple[str, ...]]:
        complete = largest_sets(self.placed, self.sizes, room, limit=self.limit)
        if complete is not None:
            return complete
        drawn = (self._any_set(room) for _ in range(self.limit))
        return list(dict.fromkeys(drawn))

    def _any_set(self, room: int) -> tuple[str, ...]:
        """Fill the room with columns in a random order."""
        chosen, least = [], min(self.sizes[name] for name in self.placed)
        for place in self.rng.permutation(len(self.placed)):
            name = self.placed[place]
            if self.sizes[name] <= room:
                chosen.append(name)
                room //= self.sizes[name]
            if room < least:
                break
        return tuple(sorted(chosen))

    def _combine(self, names: Iterable[str]) -> Ints:
        return combine_codes(self.columns, self.sizes, names)


def combine_codes(
    columns: Mapping[str, Ints], sizes: Mapping[str, int], names: Iterable[str]
) -> Ints:
    """Number the combination of some columns in each record; the last column varies fastest."""
    first, *others = names
    code = columns[first]
    for name in others:
        code = code * sizes[name] + columns[name]
    return code


def largest_sets(
    names: Sequence[str], sizes: Mapping[str, int], room: int, *, limit: int
) -> list[tuple[str, ...]] | None:
    """List all sets of columns with at most ``room`` combinations that no further column fits into.

    Gives None if there are more than ``limit`` of them. Every size is at least two.

    >>> largest_sets(["a", "b", "c"], {"a": 5, "b": 3, "c": 2}, 10, limit=9)
    [('a', 'c'), ('b', 'c')]
    """
    order = sorted(names, key=lambda name: -sizes[name])
    rest = list(accumulate((sizes[name] for name in reversed(order)), mul, initial=1))[::-1]
    complete: list[tuple[str, ...]] = []
    # Place in the order, room left, size of the smallest column left out so far, columns chosen.
    stack: list[tuple[int, int, float, tuple[str, ...]]] = [(0, room, math.inf, ())]
    while stack:
        place, left, smallest, chosen = stack.pop()
        if smallest <= left // rest[place]:
            continue  # Even with all later columns in the set, a column left out would still fit.
        if place == len(order) or sizes[order[-1]] > left:
            complete.append(chosen)
            if len(complete) > limit:
                return None
            continue
        name = order[place]
        stack.append((place + 1, left, min(smallest, sizes[name]), chosen))
        if sizes[name] <= left:
            stack.append((place + 1, left // sizes[name], smallest, (*chosen, name)))
    return complete


# Count the tables of a Bayesian network with noise, and derive conditional distributions.
#
# Only :func:`measure` reads private data; the rest is post-processing of what it returns.


SWEEPS = 2
"""How often a table is fitted to the margins; more sweeps change nothing measurable."""

BACKING = 0.03
"""The weight of the estimate with one parent fewer, in units of the noise in a row of counts. On
the SNAKE data all values from 0.01 to 0.1 are equally good; 0 and 1 are worse."""


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """The distribution of one column, given the values of its parents.

    Parameters
    ----------
    parents : the parents; the last varies fastest in the rows of ``shares``.
    shares : one row per combination of the parents' values, one number per value of the column.
    """

    parents: tuple[str, ...]
    shares: Floats


def measure(
    columns: Mapping[str, Ints],
    domain: Domain,
    network: Network,
    *,
    epsilon: float,
    noise: Noise,
) -> list[Measurement]:
    """Count every column with its parents, with discrete Laplace noise; epsilon-private.

    A record is in one cell of each table, so a table with noise of scale b costs 1 / b under
    adding or removing a record, and the costs add up. The expected error of a table is b times
    its number of cells. The sum of the errors is smallest if each table gets epsilon in proportion
    to the root of its cells. Columns with a single value are not counted.
    """
    families = [network.family(child) for child in network.order if domain.size(child) > 1]
    cells = [domain.cells(family) for family in families]
    sizes = dict(zip(domain.names, domain.sizes, strict=True))
    roots = np.sqrt(cells)
    out = []
    for family, count, root in zip(families, cells, roots, strict=True):
        scale = float(roots.sum() / (root * epsilon))
        counts = np.bincount(combine_codes(columns, sizes, family), minlength=count)
        noisy = counts + noise.laplace(scale, count)
        out.append(Measurement.of(family, noisy.reshape(domain.shape(family)), 2 * scale**2))
    return out


def conditionals(
    measured: Sequence[Measurement], domain: Domain, total: float
) -> dict[str, Conditional]:
    """Give the distribution of every measured column, given its parents.

    Every column is in several tables. First their estimates of its one-way counts are averaged,
    weighted by precision. Then every table is made to agree with them: it is replaced by the
    nearest non-negative counts, and scaled to the margins by iterative proportional fitting.
    """
    margins = {
        m.columns[0]: nearest_counts(m.counts, m.variance, total)
        for m in fuse([margin for m in measured for margin in _margins(m)], domain)
    }
    out = {}
    for table in measured:
        flat = nearest_counts(table.counts.ravel(), table.variance.ravel(), total)
        counts = _fit(flat.reshape(table.counts.shape), table.columns, margins)
        scale = float(np.sqrt(table.variance.flat[0] / 2))
        child = table.columns[-1]
        out[child] = _back_off(counts, table.columns[:-1], margins[child], scale)
    return out


def _margins(table: Measurement) -> list[Measurement]:
    """Estimate the one-way counts of each column of a table."""
    out = []
    for axis, name in enumerate(table.columns):
        counts = _margin(table.counts, axis)
        variance = table.variance.flat[0] * (table.counts.size // len(counts))
        out.append(Measurement.of((name,), counts, variance))
    return out


def _margin(counts: Floats, *axes: int) -> Floats:
    """Sum over all axes except the given ones."""
    summed: Floats = counts.sum(axis=tuple(a for a in range(counts.ndim) if a not in axes))
    return summed


def _fit(counts: Floats, columns: Sequence[str], margins: Mapping[str, Floats]) -> Floats:
    for _ in range(SWEEPS if len(columns) > 1 else 1):
        for axis, name in enumerate(columns):
            margin = _margin(counts, axis)
            factor = np.divide(margins[name], margin, out=np.zeros_like(margin), where=margin > 0)
            counts = counts * factor.reshape([-1 if a == axis else 1 for a in range(counts.ndim)])
    return counts


def _back_off(counts: Floats, parents: Sequence[str], margin: Floats, scale: float) -> Conditional:
    """Turn counts into shares, each combination of parents supported by an estimate with fewer.

    Rare combinations of parents have few counts or none. They are mixed with the same table with
    one parent summed out, this one with the table with two summed out, and so on, down to the
    column alone. The parents that the column depends on least are summed out first. The weight of
    the support is proportional to the noise, so with little noise it only moves empty combinations.
    """
    size = len(margin)
    strength = [
        _distance_from_independence(_margin(counts, axis, counts.ndim - 1))
        for axis in range(len(parents))
    ]
    order = sorted(range(len(parents)), key=lambda axis: -strength[axis])
    counts = np.transpose(counts, [*order, len(parents)])
    shares = margin / margin.sum()
    weight = BACKING * scale * size
    for known in range(1, len(order) + 1):
        summed = counts.sum(axis=tuple(range(known, len(order))))
        backed = summed + weight * shares[..., None, :]
        shares = backed / backed.sum(axis=-1, keepdims=True)
    return Conditional(tuple(parents[axis] for axis in order), shares.reshape(-1, size))


def _distance_from_independence(pair: Floats) -> float:
    """Sum the differences between a two-way table and the one of independent columns."""
    # Under heavy noise a table and the margins may have no cell in common, and the sum is zero.
    total = pair.sum() or 1.0
    expected = np.outer(pair.sum(axis=1), pair.sum(axis=0)) / total
    return float(np.abs(pair - expected).sum())


# PrivBayes: learn a Bayesian network with differential privacy, and draw records from it.


COUNT_SHARE = 0.01
"""The part of epsilon that is spent on the number of records."""

MOST_CELLS = 1_500_000
"""The most cells in all tables with parents together; this bounds time and memory."""

MOST_VALUES = 5_000_000
"""The most possible values of all columns together."""

MOST_RECORDS = 10_000_000
"""The limit on the estimated number of records; with a tiny epsilon it is mostly noise."""


@dataclass(frozen=True, slots=True, eq=False)
class PrivBayesModel(FittedModel):
    """Columns in order, each with its distribution given some of the columns before it.

    A missing value counts as one more value, after those of the domain.
    """

    kind: ClassVar[str] = "privbayes"

    schema: Schema
    size: int
    conditionals: Mapping[str, Conditional]

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw column by column, given the values of the parents; counts are rounded, not drawn."""
        sizes = levels(self.schema)
        drawn: dict[str, Ints] = {}
        for child, conditional in self.conditionals.items():
            given = np.zeros(rows, np.int64)
            for parent in conditional.parents:
                given = given * sizes[parent] + drawn[parent]
            drawn[child] = draw_given(given, conditional.shares, rng)
        return Table(self.schema, {c.name: _decode(c, drawn[c.name]) for c in self.schema.columns})

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List every column with its parents: the tables that the model preserves."""
        return tuple(
            FocalPoint((child,), tuple(sorted(conditional.parents)))
            for child, conditional in self.conditionals.items()
        )

    def arrays(self) -> Arrays:
        """Give the order of the columns, and for each its parents (as places) and its shares."""
        place = {name: number for number, name in enumerate(self.schema.names)}
        out: Arrays = {"order": np.array([place[child] for child in self.conditionals])}
        for child, conditional in self.conditionals.items():
            parents = [place[parent] for parent in conditional.parents]
            out[f"parents{place[child]}"] = np.array(parents, np.int64)
            out[f"shares{place[child]}"] = conditional.shares
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> PrivBayesModel:
        """Make a model from what :meth:`arrays` gave."""
        conditionals = {}
        for number in arrays["order"].tolist():
            parents = tuple(schema.names[parent] for parent in arrays[f"parents{number}"])
            conditionals[schema.names[number]] = Conditional(parents, arrays[f"shares{number}"])
        return cls(schema, size, conditionals)


@register("privbayes-v1")
class PrivBayes(Synthesizer):
    r"""Draws synthetic records from a Bayesian network that was learned with privacy.

    The exponential mechanism chooses a few parents for each column, among the columns before it,
    by how strongly the column depends on them. The column is drawn from noisy counts, given the
    values of its parents. A larger epsilon allows more parents: a column and its parents may have
    m combinations of values only if

    $$ n / m \ge \theta d / \epsilon_{tables} $$

    that is, if an average count is at least theta times the noise that each of d tables would get
    with equal shares of epsilon (usefulness).

    One record more or less changes each table by one count, and the score of a choice by less
    than two. The number of records n costs 1 % of epsilon, the d - 1 choices of the network
    share ``network_share``, and the tables get the rest. The total is epsilon, under adding or
    removing a record. If no two columns fit into one table, there is no choice, and the tables get
    that part as well. Only the schema's domain is used; a missing value counts as one more value.

    Differences from the publication: records are added or removed rather than replaced, so n is
    not public; tables share epsilon in proportion to the roots of their cells; tables are made
    non-negative by projection and fitted to common margins; rare combinations of parents use the
    estimate with fewer parents instead of becoming uniform; counts are rounded rather than drawn.

    Parameters
    ----------
    epsilon : the total privacy loss.
    theta : the least ratio of an average count to the noise; a larger one means fewer parents.
    network_share : the part of epsilon for choosing the network. The publication uses 0.3 and
        SNAKE 0.5. On the SNAKE data 0.1 is clearly better up to epsilon 100 and equal at 1000,
        because the score is far less sensitive, relative to its size, than the counts are.

    The learned network of the example table, as parents by column:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> rng, noise = np.random.default_rng(1), q.Noise.for_test(1)
    >>> model = PrivBayes(epsilon=10).fit(people(example_table()), rng=rng, noise=noise)
    >>> {point.columns[0]: point.given for point in model.focal_points()}
    {'flag': (), 'colour': ('flag',), 'size': ('colour', 'flag')}
    >>> len(model.sample(50, rng=rng))
    50

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), "PrivBayes: private data release via
    Bayesian networks", ACM TODS 42(4). SNAKE 1 (2023).
    """

    most_values: ClassVar[int | None] = MOST_VALUES

    epsilon: Annotated[float, Field(gt=0, lt=1e6)] = 1.0
    theta: Annotated[float, Field(gt=0, le=1000)] = 4.0
    network_share: Annotated[float, Field(gt=0, le=0.9)] = 0.1

    def claim(self) -> Claim:
        """Claim pure differential privacy."""
        return Claim(epsilon=self.epsilon, neighbours="add-remove")

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> PrivBayesModel:
        """Count the records, choose the network, and count its tables, each with noise."""
        columns, domain = _encode_columns(self, data)
        spent = COUNT_SHARE * self.epsilon
        size, network = self._learn(columns, domain, len(data), rng=rng, noise=noise)
        if any_pair_fits(domain, self._cells(domain, size)):
            spent += self.network_share * self.epsilon
        measured = measure(columns, domain, network, epsilon=self.epsilon - spent, noise=noise)
        counted = Measurement.of((), size, 2 / (COUNT_SHARE * self.epsilon) ** 2)
        # Rounded, because a fraction would be spread over cells that are empty.
        total = min(round(estimate_total([counted, *measured])), MOST_RECORDS)
        varied = conditionals(measured, domain, total)
        constant = Conditional((), np.ones((1, 1)))
        ordered = {child: varied.get(child, constant) for child in network.order}
        return PrivBayesModel(data.schema, total, ordered)

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only the network that one run chooses: every column with its parents."""
        columns, domain = _encode_columns(self, data)
        rng = np.random.default_rng(int(noise.integers(2**63, 1)[0]))
        _, network = self._learn(columns, domain, len(data), rng=rng, noise=noise)
        return tuple(
            FocalPoint((child,), tuple(sorted(network.parents[child]))) for child in network.order
        )

    def _learn(
        self,
        columns: Mapping[str, Ints],
        domain: Domain,
        rows: int,
        *,
        rng: np.random.Generator,
        noise: Noise,
    ) -> tuple[int, Network]:
        """Estimate the number of records, and choose the network, each with noise."""
        size = max(1, int(rows + noise.laplace(1 / (COUNT_SHARE * self.epsilon), 1)[0]))
        network = learn_network(
            columns,
            domain,
            cells=self._cells(domain, size),
            records=size,
            epsilon=self.network_share * self.epsilon,
            rng=rng,
            noise=noise,
        )
        return size, network

    def _cells(self, domain: Domain, size: int) -> int:
        """Give the most cells that a table can have and still be useful."""
        tables = max(1, sum(values > 1 for values in domain.sizes))
        scale = tables / ((1 - COUNT_SHARE - self.network_share) * self.epsilon)
        return int(min(size / (self.theta * scale), MOST_CELLS // tables))


def levels(schema: Schema) -> dict[str, int]:
    """Count the possible values of each column; where it may be missing, that is one more."""
    return {column.name: column.size + column.nullable for column in schema.columns}


def _encode_columns(sanitizer: PrivBayes, data: Table) -> tuple[dict[str, Ints], Domain]:
    """Number the values of every column, or refuse a table with too many values."""
    domain = Domain.of(levels(data.schema))
    if sum(domain.sizes) > MOST_VALUES:
        raise PartError(
            f"{sanitizer.id}: the columns have {sum(domain.sizes):,} possible values in all; the "
            f"limit is {MOST_VALUES:,}; set groups, or drop a column"
        )
    return {column.name: _encode(column, data) for column in data.schema.columns}, domain


def _encode(column: Column, data: Table) -> Ints:
    codes = data.columns[column.name].astype(np.int64)
    missing = codes < 0
    if missing.any() and not column.nullable:
        raise PartError(f"column {column.name!r} has missing values, which its schema forbids")
    codes[missing] = column.size
    return codes


def _decode(column: Column, codes: Ints) -> Ints:
    return np.where(codes == column.size, -1, codes)
