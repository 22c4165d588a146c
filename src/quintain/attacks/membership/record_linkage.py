"""Record linkage: find the record from which each released record was made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.attacks.membership.tree_ratio import spanning_tree, tree_density
from quintain.data import Table
from quintain.data.arrays import Array, Floats, Rows
from quintain.kernels.associated_pairs import MANY_COLUMNS
from quintain.kernels.shared_keys import rows_that_may_meet
from quintain.registry import register

_BINS = 41  # bins of the distribution of a number's changes, at most
_LEARN = 2000  # released records from which the attack learns what the sanitizer does
_FLOOR = 1e-3  # no habit of the sanitizer is certain
_PAIRS = 1 << 22  # pairs in memory before repeated ones are dropped


@register("record-linkage-v1")
class RecordLinkage(RecordScores):
    r"""Learns how records were changed, then links each released record to its likely source.

    A released record d made from a record b has

    $$ p(d | b) = prod_j (m_j [d_j = b_j] + (1 - m_j) q_j(d_j)) $$

    where the sanitizer keeps a category with probability m_j, or else draws it from the released
    frequencies q_j. For a number, a distribution of changes d_j - b_j stands in place of "kept". A
    released record may also have no source among the compared pairs; then it follows a tree of
    pairwise dependence of the release. From release and population alone, by expectation
    maximisation over pairs of records that agree in all but a few columns, the attack learns how
    often values are kept, how numbers change and how many records have no source. The score of a
    record is the probability that at least one released record was made from it.

    So rare values count more than common ones. If all ages are wrong by three to five years, they
    count as much as true ones. If no record is released unchanged, a search for the nearest record
    finds the wrong people; this attack does not.

    Of more than 100 columns, neighbouring ones are compared as one at this step.

    Numbers and times without a finite domain are cut into 50 bins that are equally common in
    the release, so their changes are changes of rank. A missing number is the step below the lowest
    one, a missing category is a category of its own.

    Parameters
    ----------
    differ : in how many columns a record may differ from its source, or else in numbers alone.
    reach : how far the sanitizer may move numbers, as a share of their domain.
    crowd : if more records than this agree with a released record, the attack links none of them.
    rounds : how many rounds of learning.

    References
    ----------
    Fellegi and Sunter, A theory for record linkage, JASA 64 (1969). Winkler, Using the EM algorithm
    for weight computation in the Fellegi-Sunter model of record linkage (1988).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("record-linkage", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.85; chance is 0.50'
    """

    differ: Annotated[int, Field(ge=1, le=3)] = 2
    reach: Annotated[float, Field(gt=0, le=1)] = 0.15
    crowd: Annotated[int, Field(ge=1, le=10_000)] = 100
    rounds: Annotated[int, Field(ge=1, le=200)] = 20

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Learn from some released records, then link all of them."""
        pool = base if records is base else records.concat(base)
        lesson = rng.choice(len(release), min(_LEARN, len(release)), replace=False)
        no_source = tree_density(release, spanning_tree(release), release, 0.5)
        candidates = likely_pairs(release, pool, self.differ, self.crowd)
        chosen = np.isin(candidates[0], lesson)
        habits = Habits.before_looking(release, self.reach)
        lessons = candidates[0][chosen], candidates[1][chosen]
        learning = Pairs.of(release, pool, lessons, no_source, habits)
        for _ in range(self.rounds):
            habits = habits.learn(learning, learning.weights(habits), len(lesson))
        linked = Pairs.of(release, pool, candidates, no_source, habits)
        unlinked = np.log1p(-np.minimum(linked.weights(habits), 1 - 1e-12))
        return np.asarray(np.bincount(candidates[1], -unlinked, len(pool))[: len(records)])


def likely_pairs(release: Table, pool: Table, differ: int, crowd: int) -> tuple[Rows, Rows]:
    """Find pairs of a released record and one of the pool that agree in all but some columns.

    The exceptions are any ``differ`` columns, or all numbers. In a wide table they are any
    ``differ`` blocks of neighbouring columns: more pairs agree so far, and far fewer choices are
    gone through.
    """
    names = release.schema.names
    numeric = {n for n in names if not release.schema[n].listed}
    both = LinkageKeys.of(release, pool, names)
    keys = both.leaving_out(min(differ, len(names)))
    if len(numeric) > differ:
        keys = chain(keys, LinkageKeys.of(release, pool, set(names) - numeric).leaving_out(0))
    pairs: Rows = np.zeros(0, np.int64)
    joined: list[Rows] = []
    waiting = 0
    for key in keys:
        joined.append(_join(key[: len(release)], key[len(release) :], crowd))
        waiting += len(joined[-1])
        if waiting > _PAIRS:  # the same pairs come back again and again
            pairs, joined, waiting = _distinct(np.concatenate([pairs, *joined])), [], 0
    pairs = _distinct(np.concatenate([pairs, *joined]))
    released, source = np.divmod(pairs, len(pool))
    return released, source


def _distinct(pairs: Rows) -> Rows:
    """The distinct numbers in order; with millions of them, quicker than ``np.unique``."""
    pairs.sort()
    new = np.ones(len(pairs), bool)
    np.not_equal(pairs[1:], pairs[:-1], out=new[1:])
    return pairs[new]


@dataclass(frozen=True, slots=True, eq=False)
class LinkageKeys:
    """Numbers for the rows of two tables, equal if rows agree in all columns but a few.

    In a very wide schema the numbers overflow, and a few pairs agree in too few columns; such pairs
    get low weights.

    Parameters
    ----------
    columns : the codes of each column: those of the first table, then those of the second. In a
        wide schema some neighbouring columns are one.
    sizes : the number of values of each column.
    tails : for each position, the number of the columns from there on.
    scales : for each position, the factor that makes room for these columns, modulo 2**64.
    """

    columns: Sequence[Array]
    sizes: Sequence[int]
    tails: Sequence[Rows]
    scales: Sequence[np.int64]

    @classmethod
    def of(cls, one: Table, other: Table, names: Collection[str]) -> LinkageKeys:
        """Number the rows of two tables with the same schema by some of their columns."""
        chosen = [name for name in one.schema.names if name in names]
        cells = [np.concatenate([one.columns[n], other.columns[n]]) for n in chosen]
        columns, sizes = _blocks(cells, [one.schema[name].size + 1 for name in chosen])
        tails, scales = [np.zeros(len(one) + len(other), np.int64)], [np.int64(1)]
        for column, size in zip(reversed(columns), reversed(sizes), strict=True):
            tails.append(column * scales[-1] + tails[-1])
            scales.append(_wrap(int(scales[-1]) * size))
        return cls(columns, sizes, tails[::-1], scales[::-1])

    def leaving_out(self, count: int, start: int = 0, key: Rows | None = None) -> Iterator[Rows]:
        """The numbers for every choice of ``count`` columns, from ``start`` on, that do not count.

        ``key`` is the number of the columns before.
        """
        before = np.zeros_like(self.tails[0]) if key is None else key
        if count == 0:
            yield before * self.scales[start] + self.tails[start]
            return
        for left_out in range(start, len(self.columns) - count + 1):
            yield from self.leaving_out(count - 1, left_out + 1, before)
            before = before * self.sizes[left_out] + self.columns[left_out]


def _blocks(
    columns: Sequence[Array], sizes: Sequence[int]
) -> tuple[Sequence[Array], Sequence[int]]:
    """Neighbouring columns as one, so that at most ``MANY_COLUMNS`` are left."""
    width = -(-len(columns) // MANY_COLUMNS)
    if width <= 1:
        return columns, sizes
    blocks, products = [], []
    for first in range(0, len(columns), width):
        key, product = np.zeros(len(columns[0]), np.int64), 1
        for column, size in zip(columns[first : first + width], sizes[first:], strict=False):
            key, product = key * size + column, product * size
        blocks.append(key)
        products.append(int(_wrap(product)))
    return blocks, products


def _wrap(number: int) -> np.int64:
    """A whole number as 64 bits, modulo 2**64."""
    return np.int64((number + 2**63) % 2**64 - 2**63)


def _join(release_keys: Rows, pool_keys: Rows, crowd: int) -> Rows:
    """Join rows with equal keys, each pair as one number, except keys that too many rows have.

    In a wide schema hardly any key is on both sides, so few rows are sorted.
    """
    released_rows, pool_rows = rows_that_may_meet(release_keys, pool_keys)
    order = pool_rows[np.argsort(pool_keys[pool_rows])]
    wanted = released_rows[np.argsort(release_keys[released_rows])]
    arranged, keys = pool_keys[order], release_keys[wanted]  # sorted keys are found much faster
    start = np.searchsorted(arranged, keys, "left")
    count = np.searchsorted(arranged, keys, "right") - start
    count[count > crowd] = 0
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    other = order[np.repeat(start, count) + within]
    released = np.repeat(wanted, count)
    return np.asarray(released * len(pool_keys) + other)


@dataclass(frozen=True, slots=True, eq=False)
class Habits:
    """What a sanitizer does to each column: how often it keeps values, and how it changes them.

    For each column, ``change`` has the chance of every bin of changes; a category has the single
    bin "kept". With the rest of the probability, the sanitizer draws a new value. ``width`` is the
    number of values per bin of changes, 0 for a category.
    """

    names: tuple[str, ...]
    width: tuple[int, ...]
    change: tuple[Floats, ...]
    frequency: tuple[Floats, ...]
    no_source: float

    @classmethod
    def before_looking(cls, release: Table, reach: float) -> Habits:
        """Start with half of the values kept, and three in ten moved by anything within reach."""
        width, change, frequency = [], [], []
        for column in release.schema.columns:
            codes = release.columns[column.name]
            counts = np.bincount(codes + 1, minlength=column.size + 1) + 0.5
            frequency.append(counts / counts.sum())
            far = 0 if column.listed else max(1, round(reach * column.size))
            step = 0 if not far else -(-(2 * far + 1) // _BINS)
            bins = 1 if not far else 2 * (far // step) + 1
            guess = np.full(bins, 0.3 / bins)
            guess[bins // 2] += 0.5
            width.append(step)
            change.append(guess)
        return cls(release.schema.names, tuple(width), tuple(change), tuple(frequency), 0.5)

    def learn(self, pairs: Pairs, weights: Floats, released: int) -> Habits:
        """Estimate the habits that explain the links best."""
        links = max(float(weights.sum()), 1e-9)
        change = []
        for j, old in enumerate(self.change):
            same, new = pairs.chances(self, j)
            share = np.divide(same, same + new, out=np.zeros_like(same), where=same > 0)
            bins = pairs.bins[j]
            inside = bins >= 0
            observed = np.bincount(bins[inside], (weights * share)[inside], len(old)) / links
            spread = (1 - _FLOOR) * observed + _FLOOR / (2 * len(old))
            change.append(spread / max(1.0, spread.sum() / (1 - _FLOOR)))
        no_source = float(np.clip(1 - weights.sum() / released, _FLOOR, 1 - _FLOOR))
        return Habits(self.names, self.width, tuple(change), self.frequency, no_source)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of a released record and a possible source, described column by column.

    For each column, ``bins`` has the bin of the change, or -1 if it is out of reach, and
    ``value_shares`` has the frequency of the released value. ``no_source`` is the log density of a
    released record that has no source.
    """

    released: Rows
    pool: int
    bins: Sequence[npt.NDArray[np.int32]]
    value_shares: Sequence[Floats]
    no_source: Floats

    @classmethod
    def of(
        cls,
        release: Table,
        pool: Table,
        pairs: tuple[Rows, Rows],
        no_source: Floats,
        habits: Habits,
    ) -> Pairs:
        """Describe the pairs, column by column."""
        bins, value_shares = [], []
        for j, name in enumerate(habits.names):
            codes = release.columns[name][pairs[0]].astype(np.int64)
            shift = codes - pool.columns[name][pairs[1]]
            if habits.width[j]:
                middle = len(habits.change[j]) // 2
                step = np.rint(shift / habits.width[j]).astype(np.int64)
                bin_of = np.where(np.abs(step) <= middle, step + middle, -1)
            else:
                bin_of = np.where(shift == 0, 0, -1)
            bins.append(bin_of.astype(np.int32))  # there may be millions of pairs
            value_shares.append(habits.frequency[j][codes + 1])
        return cls(pairs[0], len(pool), bins, value_shares, no_source)

    def chances(self, habits: Habits, j: int) -> tuple[Floats, Floats]:
        """The chances of a released value by a usual change, and by a new draw."""
        change = np.append(habits.change[j] / max(1, habits.width[j]), 0.0)
        return change[self.bins[j]], (1 - habits.change[j].sum()) * self.value_shares[j]

    def weights(self, habits: Habits) -> Floats:
        """The probability that a pair is a released record and its source."""
        log = np.full(len(self.released), np.log((1 - habits.no_source) / self.pool))
        for j in range(len(habits.names)):
            log += np.log(np.add(*self.chances(habits, j)))
        none = np.log(habits.no_source) + self.no_source
        top = none.copy()
        np.maximum.at(top, self.released, log)
        each = np.exp(log - top[self.released])
        total = np.bincount(self.released, each, len(none)) + np.exp(none - top)
        return np.asarray(each / total[self.released])
