"""Record linkage: find the record from which each released record was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.attacks.membership.tree_ratio import spanning_tree, tree_density
from quintain.data import Table
from quintain.data.arrays import Floats, Rows
from quintain.registry import register

_BINS = 41  # bins of the distribution of a number's changes, at most
_LEARN = 2000  # released records from which the attack learns what the sanitizer does
_FLOOR = 1e-3  # no habit of the sanitizer is certain


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

    Numbers and times without a finite domain are cut into 200 classes that are equally common in
    the release, so their changes are changes of rank. A missing value is a value of its own.

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

    classes: ClassVar[int] = 200

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
            habits = habits.learned(learning, learning.weights(habits), len(lesson))
        linked = Pairs.of(release, pool, candidates, no_source, habits)
        unlinked = np.log1p(-np.minimum(linked.weights(habits), 1 - 1e-12))
        return np.asarray(np.bincount(candidates[1], -unlinked, len(pool))[: len(records)])


def likely_pairs(release: Table, pool: Table, differ: int, crowd: int) -> tuple[Rows, Rows]:
    """Find pairs of a released record and one of the pool that agree in all but some columns.

    The exceptions are any ``differ`` columns, or all numbers.
    """
    names = release.schema.names
    sizes = [release.schema[name].size + 1 for name in names]
    numeric = tuple(n for n in names if release.schema[n].kind != "category")
    exceptions = [set(columns) for columns in combinations(names, min(differ, len(names)))]
    if len(numeric) > differ:
        exceptions.append(set(numeric))
    joined = []
    for left_out in exceptions:
        release_keys, pool_keys = (np.zeros(len(table), np.int64) for table in (release, pool))
        for name, size in zip(names, sizes, strict=True):
            if name not in left_out:
                # In a very wide schema this overflows, and a few pairs agree in too few columns;
                # such pairs get low weights.
                release_keys = release_keys * size + release.columns[name]
                pool_keys = pool_keys * size + pool.columns[name]
        joined.append(_join(release_keys, pool_keys, crowd))
    pairs = np.unique(np.concatenate(joined))
    released, source = np.divmod(pairs, len(pool))
    return released, source


def _join(release_keys: Rows, pool_keys: Rows, crowd: int) -> Rows:
    """Join rows with equal keys, each pair as one number, except keys that too many rows have."""
    order = np.argsort(pool_keys, kind="stable")
    arranged = pool_keys[order]
    start = np.searchsorted(arranged, release_keys, "left")
    count = np.searchsorted(arranged, release_keys, "right") - start
    count[count > crowd] = 0
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    other = order[np.repeat(start, count) + within]
    released = np.repeat(np.arange(len(release_keys)), count)
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
            far = 0 if column.kind == "category" else max(1, round(reach * column.size))
            step = 0 if not far else -(-(2 * far + 1) // _BINS)
            bins = 1 if not far else 2 * (far // step) + 1
            guess = np.full(bins, 0.3 / bins)
            guess[bins // 2] += 0.5
            width.append(step)
            change.append(guess)
        return cls(release.schema.names, tuple(width), tuple(change), tuple(frequency), 0.5)

    def learned(self, pairs: Pairs, weights: Floats, released: int) -> Habits:
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
    bins: Sequence[npt.NDArray[np.int64]]
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
                bins.append(np.where(np.abs(step) <= middle, step + middle, -1))
            else:
                bins.append(np.where(shift == 0, 0, -1))
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
