"""Record linkage: from which record was each released record made?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.attacks.membership.tree_ratio import spanning_tree, tree_density
from quintain.data import Table
from quintain.data.arrays import Floats, Rows
from quintain.registry import register

_BINS = 41  # bins of the distribution of a number's changes, at most
_LEARN = 2000  # released records the habits of the sanitizer are learned from
_FLOOR = 1e-3  # no habit is ever certain


@register("record-linkage-v1")
class RecordLinkage(RecordScores):
    r"""Learns how records were changed, then links each released record to its likely source.

    A released record d made from a record b has

    $$ p(d | b) = prod_j (m_j [d_j = b_j] + (1 - m_j) q_j(d_j)) $$

    where a category is kept with probability m_j, or else drawn from the released frequencies
    q_j. A number has the same with its own distribution of changes d_j - b_j in place of "kept". A
    record may also have no source among the pairs looked at; then it follows the release, taken for
    a tree of pairwise dependence. How often values are kept, which changes numbers see and how many
    records have no source is learned from release and population alone, by expectation maximisation
    over pairs of records that agree in all but a few columns. A record is scored by the probability
    that at least one released record was made from it.

    So rare values count more than common ones, and ages that are all off by three to five years
    are as good as true ones. Where no record is released unchanged, looking for the nearest
    record finds the wrong people; this does not.

    Parameters
    ----------
    differ : in how many columns a record may differ from its source, or else in its numbers only.
    reach : how far numbers may have been moved, as a share of their domain.
    crowd : of more records than this that agree so far with a released record, none is linked.
    rounds : how many rounds of learning.

    References
    ----------
    Fellegi and Sunter, A theory for record linkage, JASA 64 (1969). Winkler, Using the EM algorithm
    for weight computation in the Fellegi-Sunter model of record linkage (1988).
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
        some = rng.choice(len(release), min(_LEARN, len(release)), replace=False)
        nowhere = tree_density(release, spanning_tree(release), release, 0.5)
        alike = likely_pairs(release, pool, self.differ, self.crowd)
        chosen = np.isin(alike[0], some)
        habits = Habits.before_looking(release, self.reach)
        learning = Pairs.of(release, pool, (alike[0][chosen], alike[1][chosen]), nowhere, habits)
        for _ in range(self.rounds):
            habits = habits.learned(learning, learning.weights(habits), len(some))
        linked = Pairs.of(release, pool, alike, nowhere, habits)
        unlinked = np.log1p(-np.minimum(linked.weights(habits), 1 - 1e-12))
        return np.asarray(np.bincount(alike[1], -unlinked, len(pool))[: len(records)])


def likely_pairs(release: Table, pool: Table, differ: int, crowd: int) -> tuple[Rows, Rows]:
    """Pairs of a released record and one of the pool that agree in all but some columns.

    The exceptions are any ``differ`` columns, or all numbers.
    """
    names = release.schema.names
    sizes = [release.schema[name].size + 1 for name in names]
    numeric = tuple(n for n in names if release.schema[n].kind != "category")
    exceptions = [set(some) for some in combinations(names, min(differ, len(names)))]
    if len(numeric) > differ:
        exceptions.append(set(numeric))
    joined = []
    for left_out in exceptions:
        here, there = (np.zeros(len(table), np.int64) for table in (release, pool))
        for name, size in zip(names, sizes, strict=True):
            if name not in left_out:
                # In a very wide schema this overflows and a few pairs agree in less than they
                # should, which their weights will tell.
                here = here * size + release.columns[name]
                there = there * size + pool.columns[name]
        joined.append(_join(here, there, crowd))
    pairs = np.unique(np.concatenate(joined))
    released, source = np.divmod(pairs, len(pool))
    return released, source


def _join(here: Rows, there: Rows, crowd: int) -> Rows:
    """Pairs with equal keys, each as one number; none for keys that too many have."""
    order = np.argsort(there, kind="stable")
    arranged = there[order]
    start = np.searchsorted(arranged, here, "left")
    count = np.searchsorted(arranged, here, "right") - start
    count[count > crowd] = 0
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    other = order[np.repeat(start, count) + within]
    return np.asarray(np.repeat(np.arange(len(here)), count) * len(there) + other)


@dataclass(frozen=True, slots=True, eq=False)
class Habits:
    """What a sanitizer does to each column: how often it keeps, and which changes it makes.

    ``change`` has for each column the chance of every bin of changes; a category has the single
    bin "kept". What is missing to one is the chance that the value is drawn anew. ``width`` is how
    many values a bin of changes takes, 0 for a category.
    """

    names: tuple[str, ...]
    width: tuple[int, ...]
    change: tuple[Floats, ...]
    frequency: tuple[Floats, ...]
    nowhere: float

    @classmethod
    def before_looking(cls, release: Table, reach: float) -> Habits:
        """Half is kept, and some of the rest is moved by anything within reach."""
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
        """The habits that explain the links best."""
        links = max(float(weights.sum()), 1e-9)
        change = []
        for j, old in enumerate(self.change):
            same, anew = pairs.chances(self, j)
            share = np.divide(same, same + anew, out=np.zeros_like(same), where=same > 0)
            bins = pairs.bins[j]
            inside = bins >= 0
            seen = np.bincount(bins[inside], (weights * share)[inside], len(old)) / links
            spread = (1 - _FLOOR) * seen + _FLOOR / (2 * len(old))
            change.append(spread / max(1.0, spread.sum() / (1 - _FLOOR)))
        nowhere = float(np.clip(1 - weights.sum() / released, _FLOOR, 1 - _FLOOR))
        return Habits(self.names, self.width, tuple(change), self.frequency, nowhere)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of a released record and a possible source, as far as habits look at them.

    ``bins`` has for each column the bin of the change, -1 where it is out of reach; ``anew`` is the
    frequency of the released value, and ``nowhere`` the log density of a released record that
    has no source.
    """

    released: Rows
    pool: int
    bins: Sequence[npt.NDArray[np.int64]]
    anew: Sequence[Floats]
    nowhere: Floats

    @classmethod
    def of(
        cls,
        release: Table,
        pool: Table,
        pairs: tuple[Rows, Rows],
        nowhere: Floats,
        habits: Habits,
    ) -> Pairs:
        """Look at the pairs, column by column."""
        bins, anew = [], []
        for j, name in enumerate(habits.names):
            here = release.columns[name][pairs[0]].astype(np.int64)
            shift = here - pool.columns[name][pairs[1]]
            if habits.width[j]:
                middle = len(habits.change[j]) // 2
                step = np.rint(shift / habits.width[j]).astype(np.int64)
                bins.append(np.where(np.abs(step) <= middle, step + middle, -1))
            else:
                bins.append(np.where(shift == 0, 0, -1))
            anew.append(habits.frequency[j][here + 1])
        return cls(pairs[0], len(pool), bins, anew, nowhere)

    def chances(self, habits: Habits, j: int) -> tuple[Floats, Floats]:
        """The chances of a released value by a habitual change, and by being drawn anew."""
        change = np.append(habits.change[j] / max(1, habits.width[j]), 0.0)
        return change[self.bins[j]], (1 - habits.change[j].sum()) * self.anew[j]

    def weights(self, habits: Habits) -> Floats:
        """The probability that each pair is a record and its source."""
        log = np.full(len(self.released), np.log((1 - habits.nowhere) / self.pool))
        for j in range(len(habits.names)):
            log += np.log(np.add(*self.chances(habits, j)))
        none = np.log(habits.nowhere) + self.nowhere
        top = none.copy()
        np.maximum.at(top, self.released, log)
        each = np.exp(log - top[self.released])
        total = np.bincount(self.released, each, len(none)) + np.exp(none - top)
        return np.asarray(each / total[self.released])
