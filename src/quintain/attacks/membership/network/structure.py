"""Structure: which columns depend on which in a release, beyond what chance alone would show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.releases import FocalPoint

_CLEAR = 4.0  # standard deviations by which a dependence must exceed that of shuffled values
_MOST_CELLS = 1 << 18  # larger tables of counts are not laid out in memory


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

    Parameters
    ----------
    release : discrete columns.
    parents : the most columns on which a column depends.
    candidates : how many columns are compared as parents of a column.
    """
    values = _Values.of(release, rng)
    names = release.schema.names
    strength = {pair: values.pair(*pair) for pair in permutations(names, 2)}
    first = max(names, key=lambda a: max((strength[b, a] for b in names if b != a), default=0.0))
    inside, points = [first], [FocalPoint((first,))]
    while len(inside) < len(names):
        nearest = {a: max(strength[a, b] for b in inside) for a in names if a not in inside}
        child = max(nearest, key=nearest.__getitem__)
        ranked = sorted(inside, key=lambda b: -strength[child, b])
        given = values.parents(child, ranked[:candidates], parents)
        points.append(FocalPoint((child,), given))
        inside.append(child)
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
        codes = {name: _numbered(table.columns[name]) for name in table.schema.names}
        shuffled = {name: rng.permutation(column) for name, column in codes.items()}
        sizes = {name: int(column.max(initial=-1)) + 1 for name, column in codes.items()}
        return cls(codes, shuffled, sizes, rng)

    def pair(self, child: str, parent: str) -> float:
        """What a parent explains of a child, beyond chance, in nats."""
        key, size = self.codes[parent], self.sizes[child]
        cells = self.sizes[parent] * size
        true, chance = (key * size + x[child] for x in (self.codes, self.shuffled))
        return _weight(true, cells) - _weight(chance, cells)

    def parents(self, child: str, ranked: Sequence[str], most: int) -> tuple[str, ...]:
        """The first candidate, and then those that explain clearly more than chance would."""
        chosen, key = [ranked[0]], self.codes[ranked[0]]
        while len(chosen) < min(most, len(ranked)):
            left = [name for name in ranked if name not in chosen]
            strengths = self._added(child, key, left)
            best = int(np.argmax([excess for excess, _ in strengths]))
            excess, chance = strengths[best]
            if excess <= _CLEAR * np.sqrt(chance + 1):
                break
            chosen.append(left[best])
            key = _numbered(key * self.sizes[left[best]] + self.codes[left[best]])
        return tuple(chosen)

    def _added(self, child: str, key: Rows, left: Sequence[str]) -> list[tuple[float, float]]:
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


def _numbered(values: Rows) -> Rows:
    """The same values as numbers 0, 1, 2 ..."""
    numbers: Rows = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return numbers


def _shuffled_within(key: Rows, values: Rows, rng: np.random.Generator) -> Rows:
    """Shuffle values among the rows with the same key."""
    out = np.empty_like(values)
    out[np.argsort(key, kind="stable")] = values[np.lexsort((rng.random(len(key)), key))]
    return out


def _weight(keys: Rows, cells: int = 0) -> float:
    """The sum of c log c over the counts c of all keys: larger if fewer cells hold the records."""
    few = 0 < cells <= _MOST_CELLS
    counts = np.bincount(keys) if few else np.unique(keys, return_counts=True)[1]
    counts = counts[counts > 1].astype(np.float64)
    return float((counts * np.log(counts)).sum())
