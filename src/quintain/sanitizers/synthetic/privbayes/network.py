"""Choose a Bayesian network with privacy: the columns that each column depends on most.

Columns are added one at a time. At every step, each column that is not yet in the network is
offered with every largest set of parents whose table is still small enough. The exponential
mechanism picks one of these offers by how far column and parents are from independence.

The score. With c(x, p) records of child value x and parent values p, margins c(x) and c(p), and
n records in all,

$$ U = 1/2 sum_{x,p} |c(x, p) - c(x) c(p) / n| = sum_{x,p} max(0, c(x, p) - c(x) c(p) / n) $$

This is n times the score R of Zhang et al. (2017). Counts are not divided by n, because n is secret
where a record may be added or removed.

Its sensitivity. Add one record to the cell (a, b), and let D be the difference from independence
in each cell. Let r = c(a) and s = c(b) before, and w = (n - r)(n - s) / (n (n + 1)). Then the
absolute changes of D are w in the cell (a, b), w in total over the rest of the row, w over the rest
of the column, and w over all other cells: 4 w together. So U changes by at most 2 w < 2. No smaller
bound holds: if all n records have the same values and the new record has another child value and
other parent values, U goes from 0 to 2 n / (n + 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import NamedTuple

import numpy as np

from quintain.data.arrays import Ints
from quintain.noise import Noise
from quintain.progress import track
from quintain.sanitizers.synthetic.pgm import Domain

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
    search = _Search(columns, {name: domain.size(name) for name in varied}, cells, limit, rng)
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


class _Search:
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
                    codes[others] = self._combined((newest, *others))
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

    def _combined(self, names: Iterable[str]) -> Ints:
        return combined(self.columns, self.sizes, names)


def combined(columns: Mapping[str, Ints], sizes: Mapping[str, int], names: Iterable[str]) -> Ints:
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
