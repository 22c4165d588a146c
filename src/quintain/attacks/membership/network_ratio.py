"""Network ratio: one likelihood ratio over all tables that a release seems to preserve.

The tables are those of a network: which columns depend on which in the release, beyond what chance
alone would show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats, Rows, number_values, occurrences
from quintain.kernels.associated_pairs import associated_pairs
from quintain.kernels.cells import CellCounts, cell_keys
from quintain.kernels.dummies import numbers
from quintain.kernels.value_classes import QuantileBins, bin_starts
from quintain.registry import register
from quintain.releases import FocalPoint

_LEARN = 50_000  # released records from which the attack learns the network
_MANY = 100  # numbers with more possible values are cut into bins
_FAR = 9.0  # no cell counts more than this many times its variance in the estimate of noise
_NOISE = 0.05, 300.0  # the least and the largest noise in the count of a cell
_HALVINGS = 25
_SHORT = 1 << 14

_CLEAR = 4.0  # standard deviations by which a dependence must exceed that of shuffled values


@register("network-ratio-v1")
class NetworkRatio(RecordScores):
    r"""Scores a record by one likelihood ratio over all tables that the release preserves.

    The tables are those of a network of dependences that the release itself shows: each column
    given up to ``parents`` others. For a cell with y released records where e are expected by the
    frequencies in the base data, a member changes e to e + 1, and with noise of variance a in a
    count the log likelihood ratio is about log (y + a) / (e + a). Tables of a network overlap in
    the parents of each column, so the score subtracts the ratio of the parents alone:

    $$ \sum_j \log \frac{y_{j,pa(j)} + a}{e_{j,pa(j)} + a} -
       \log \frac{y_{pa(j)} + a}{e_{pa(j)} + a} $$

    The noise a comes from the release, too: it is such that the deviations y - e of all cells have
    the variance e + a on average. The score of a target is the mean over its records.

    What it assumes: the attacker knows the base data, and neither the sanitizer nor any run of it.
    The release preserves counts of combinations of a few columns, as synthesizers with marginals
    or Bayesian networks do, and the base data are people like those in the private data. If the
    release follows a model with other errors, such as a neural network, the errors hide members.

    Numbers and times with more than 100 possible values are cut into 50 bins that are equally
    common in the release; a missing value is a value of its own.

    Parameters
    ----------
    parents : the most columns on which a column depends; 1 gives a tree.
    candidates : how many columns are compared as parents of a column.

    References
    ----------
    Chow and Liu, Approximating discrete probability distributions with dependence trees, IEEE
    Transactions on Information Theory 14 (1968). Golob et al., arXiv 2402.06699, use the tables
    that a known sanitizer chooses.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("network-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.81; chance is 0.50'
    """

    parents: Annotated[int, Field(ge=1, le=10)] = 4
    candidates: Annotated[int, Field(ge=1)] = 8

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Learn the network and the noise of the release, then add up the ratios."""
        bins = _coarse(release)
        release, base, records = (bins.encode(table) for table in (release, base, records))
        some = rng.choice(len(release), min(_LEARN, len(release)), replace=False)
        points = dependence_network(
            release.take(np.sort(some)), parents=self.parents, candidates=self.candidates, rng=rng
        )
        joint = [
            _NetworkCells.of((*point.given, *point.columns), release, base) for point in points
        ]
        shared = [_NetworkCells.of(point.given, release, base) for point in points if point.given]
        noise = _noise(joint)
        inside = sum((cells.ratios(records, noise) for cells in joint), np.zeros(len(records)))
        return inside - sum(cells.ratios(records, noise) for cells in shared)


def _coarse(release: Table) -> QuantileBins:
    """Bins for numbers with many possible values, which are rarely the same twice."""
    many = [c for c in release.schema.columns if not c.listed and c.size > _MANY]
    starts = {c.name: bin_starts(numbers(c, release), NetworkRatio.bins) for c in many}
    return QuantileBins(release.schema, starts)


@dataclass(frozen=True, slots=True, eq=False)
class _NetworkCells:
    """The cells of some columns, in the release and in the base data.

    Parameters
    ----------
    people, shown : how many records of the base data and of the release each cell has.
    sizes : how many records the base data and the release have.
    """

    columns: tuple[str, ...]
    people: CellCounts
    shown: CellCounts
    sizes: tuple[int, int]

    @classmethod
    def of(cls, columns: tuple[str, ...], release: Table, base: Table) -> _NetworkCells:
        """Count base data and release."""
        people, shown = (CellCounts.of(table, columns) for table in (base, release))
        return cls(columns, people, shown, (max(len(base), 1), len(release)))

    def in_inhabited_cells(self) -> tuple[Floats, Floats]:
        """The released and the expected records of each cell with people of the base data."""
        return self._at(self.people.cells)

    def ratios(self, records: Table, noise: float) -> Floats:
        """The log likelihood ratio of each record, from its cell alone."""
        observed, expected = self._at(cell_keys(records, self.columns))
        return np.asarray(np.log((observed + noise) / (expected + noise)))

    def _at(self, cells: Rows) -> tuple[Floats, Floats]:
        people, released = self.sizes
        return self.shown.at(cells), self.people.at(cells) * released / people


def _noise(tables: Sequence[_NetworkCells]) -> float:
    """The variance of noise in a count that explains the deviations in all tables together."""
    inhabited = zip(*(cells.in_inhabited_cells() for cells in tables), strict=True)
    observed, expected = (np.concatenate(each) for each in inhabited)
    squares = (observed - expected) ** 2
    low, high = _NOISE
    for _ in range(_HALVINGS):
        middle = float(np.sqrt(low * high))
        if len(squares) and np.minimum(squares / (expected + middle), _FAR).mean() > 1:
            low = middle
        else:
            high = middle
    return high


def dependence_network(
    release: Table, *, parents: int, candidates: int, rng: np.random.Generator
) -> tuple[FocalPoint, ...]:
    """Find a network of dependences: each column given some of those before it.

    The strength of a dependence is the log likelihood that it explains in the release, minus that
    for the same values in shuffled order. So columns with many rare values do not seem dependent
    just because their combinations are rare. A copied combination counts, even if the columns are
    independent in the population: that is what gives members away.

    Columns enter in the order of their strongest dependence on those before. Each one first gets
    that column as its parent. Then, again and again, it gets the column that explains most of the
    rest, among those on which it depends most, as long as chance does not explain as much.

    In a wide table, columns that hardly seem associated count as independent (see
    :func:`associated_pairs`).

    Parameters
    ----------
    release : discrete columns.
    parents : the most columns on which a column depends.
    candidates : how many columns are compared as parents of a column.
    """
    values = _Values.of(release, rng)
    names = release.schema.names
    strength = dict.fromkeys(permutations(names, 2), -math.inf)
    for first, second in associated_pairs(release):
        strength[first, second] = values.pair(first, second)
        strength[second, first] = values.pair(second, first)
    root = max(names, key=lambda a: max((strength[b, a] for b in names if b != a), default=0.0))
    inside, points = [root], [FocalPoint((root,))]
    nearest = {a: strength[a, root] for a in names if a != root}
    while nearest:
        child = max(nearest, key=nearest.__getitem__)
        ranked = sorted(inside, key=lambda b: -strength[child, b])
        given = values.parents(child, ranked[:candidates], parents)
        points.append(FocalPoint((child,), given))
        inside.append(child)
        del nearest[child]
        nearest = {a: max(known, strength[a, child]) for a, known in nearest.items()}
    return tuple(points)


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """Columns as numbers from 0, each also in shuffled order."""

    codes: dict[str, Rows]
    shuffled: dict[str, Rows]
    sizes: dict[str, int]
    rng: np.random.Generator

    @classmethod
    def of(cls, table: Table, rng: np.random.Generator) -> _Values:
        codes = {name: number_values(table.columns[name]) for name in table.schema.names}
        shuffled = {name: rng.permutation(column) for name, column in codes.items()}
        sizes = {name: int(column.max(initial=-1)) + 1 for name, column in codes.items()}
        return cls(codes, shuffled, sizes, rng)

    def pair(self, child: str, parent: str) -> float:
        """What a parent explains of a child, beyond chance, in nats."""
        key, size = self.codes[parent], self.sizes[child]
        true, chance = (key * size + x[child] for x in (self.codes, self.shuffled))
        return _weight(true) - _weight(chance)

    def parents(self, child: str, ranked: Sequence[str], most: int) -> tuple[str, ...]:
        """The first candidate, and then those that explain clearly more than chance would."""
        chosen, key = [ranked[0]], self.codes[ranked[0]]
        while len(chosen) < min(most, len(ranked)):
            left = [name for name in ranked if name not in chosen]
            strengths = self._gains(child, key, left)
            best = int(np.argmax([excess for excess, _ in strengths]))
            excess, chance = strengths[best]
            if excess <= _CLEAR * np.sqrt(chance + 1):
                break
            chosen.append(left[best])
            key = number_values(key * self.sizes[left[best]] + self.codes[left[best]])
        return tuple(chosen)

    def _gains(self, child: str, key: Rows, left: Sequence[str]) -> list[tuple[float, float]]:
        """What each further parent explains beyond chance, and what chance alone explains.

        Values of the child are shuffled among records with the same values of earlier parents.
        """
        size = self.sizes[child]
        true, chance = self.codes[child], _shuffled_within(key, self.codes[child], self.rng)
        explained = _weight(key * size + true)  # the same in any such order
        out = []
        for name in left:
            both = key * self.sizes[name] + self.codes[name]
            by_chance = _weight(both * size + chance)
            excess = _weight(both * size + true) - by_chance
            out.append((excess, max(by_chance - explained - _weight(both) + _weight(key), 0.0)))
        return out


def _shuffled_within(key: Rows, values: Rows, rng: np.random.Generator) -> Rows:
    """Shuffle values among the rows with the same key."""
    out = np.empty_like(values)
    out[np.argsort(key, kind="stable")] = values[np.lexsort((rng.random(len(key)), key))]
    return out


def _weight(keys: Rows) -> float:
    """The sum of c log c over the counts c of all keys: larger if fewer cells hold the records."""
    # A short list of all keys is quicker than one of those that occur.
    counts = np.bincount(keys) if keys.max(initial=0) < _SHORT else occurrences(keys)
    counts = counts[counts > 1].astype(np.float64)
    return float((counts * np.log(counts)).sum())
