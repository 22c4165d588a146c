"""Junction tree: cliques of columns in a tree; messages along it give exact marginals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import combinations

import numpy as np

from quintain.errors import PartError
from quintain.sanitizers.synthetic.pgm.domain import Domain

MOST_CELLS = 2**24
"""The most cells of all tables of a model. A fit stores a dozen such sets, or 1.6 GB."""

Clique = tuple[str, ...]
"""Columns that share one table."""


@dataclass(frozen=True)
class JunctionTree:
    """Cliques of columns, where each one except the first has a parent before it.

    All columns that two cliques share are in every clique on the path between them (the running
    intersection property). Parts that share no columns are also joined, by an empty separator.

    Parameters
    ----------
    cliques : the cliques, parents before children.
    parents : for each clique the number of its parent; -1 for the root, which is the first.
    """

    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]

    @classmethod
    def build(
        cls, domain: Domain, cliques: Iterable[Clique], *, most_cells: int = MOST_CELLS
    ) -> JunctionTree:
        """Build a tree in which some clique contains every given clique, and every column."""
        wanted = [*cliques, *((name,) for name in domain.names)]
        return _hang(domain, maximal_cliques(domain, wanted, most_cells=most_cells))

    @cached_property
    def separators(self) -> tuple[Clique, ...]:
        """List the columns that each clique shares with its parent."""
        return tuple(
            tuple(name for name in clique if parent >= 0 and name in self.cliques[parent])
            for clique, parent in zip(self.cliques, self.parents, strict=True)
        )

    def home(self, columns: Iterable[str]) -> int:
        """Find the first clique with all these columns; -1 if there is none."""
        wanted = set(columns)
        for number, clique in enumerate(self.cliques):
            if wanted.issubset(clique):
                return number
        return -1


class CliqueSearch:
    """Finds the largest cliques of a growing graph, after it was made chordal by least fill-in.

    Columns are removed one by one. The next one is the column whose neighbours lack the fewest
    links among each other; among equals, the one with the smallest table. A set of columns is a
    whole number with one bit for each, and what a link changes is changed at once: a search over
    many columns is repeated for thousands of candidates.

    >>> domain = Domain.of({"a": 2, "b": 2, "c": 2, "d": 3})
    >>> search = CliqueSearch(domain, [("a", "b"), ("b", "c"), ("c", "d")])
    >>> search.cliques()
    [('a', 'b'), ('b', 'c'), ('c', 'd')]
    >>> [search.cells_with(pair, most_cells=100) for pair in [("a", "b"), ("a", "c"), ("a", "d")]]
    [14, 14, 20]
    """

    def __init__(self, domain: Domain, cliques: Iterable[Clique]) -> None:
        self.domain = domain
        count = len(domain.names)
        self._graph = _Graph([0] * count, [0] * count, list(domain.sizes), domain.sizes)
        for clique in cliques:
            self.add(clique)

    def add(self, clique: Clique) -> None:
        """Link some columns."""
        self._graph.link(clique, self.domain)

    def cliques(self, *, most_cells: int = MOST_CELLS) -> list[Clique]:
        """List the largest cliques; refuse them if they have too many cells."""
        largest, cells = self._graph.copy().remove_all(most_cells)
        named = [self.domain.sort(self.domain.names[n] for n in _places(mask)) for mask in largest]
        if cells > most_cells:
            _refuse_large(named[-1], cells, most_cells)
        return named

    def cells_with(self, clique: Clique, *, most_cells: int) -> int:
        """Count the cells of the largest cliques if these columns were linked, too.

        The count ends where it exceeds the most cells.
        """
        graph = self._graph.copy()
        graph.link(clique, self.domain)
        return graph.remove_all(most_cells)[1]


def maximal_cliques(
    domain: Domain, cliques: Iterable[Clique], *, most_cells: int = MOST_CELLS
) -> list[Clique]:
    """List the largest cliques after the graph was made chordal, by least fill-in."""
    return CliqueSearch(domain, cliques).cliques(most_cells=most_cells)


@dataclass(frozen=True, slots=True)
class _Graph:
    """Links between columns, and what it costs to remove each column.

    Parameters
    ----------
    near : the neighbours of each column, one bit for each.
    missing : how many links its neighbours lack among each other.
    cells : the cells of a table over a column and its neighbours.
    sizes : the values of each column.
    """

    near: list[int]
    missing: list[int]
    cells: list[int]
    sizes: tuple[int, ...]

    def copy(self) -> _Graph:
        return _Graph([*self.near], [*self.missing], [*self.cells], self.sizes)

    def link(self, clique: Clique, domain: Domain) -> None:
        for one, other in combinations({domain.place(name) for name in clique}, 2):
            if not self.near[one] >> other & 1:
                self._join(one, other)

    def remove_all(self, most_cells: int) -> tuple[list[int], int]:
        """Remove all columns; give the cliques and their cells, until there are too many."""
        waiting = [(m, c, n) for n, (m, c) in enumerate(zip(self.missing, self.cells, strict=True))]
        heapify(waiting)
        largest: list[int] = []
        homes: list[list[int]] = [[] for _ in waiting]
        removed, total = 0, 0
        while waiting:
            missing, cells, place = heappop(waiting)
            if removed >> place & 1 or (missing, cells) != (self.missing[place], self.cells[place]):
                continue
            around = self.near[place]
            clique = around | 1 << place
            if not any(clique & ~other == 0 for other in homes[place]):
                largest.append(clique)
                for column in _places(clique):
                    homes[column].append(clique)
                total += cells
                if total > most_cells:
                    break
            removed |= 1 << place
            changed = self._remove(place, missing)
            for column in _places(changed & ~removed):
                heappush(waiting, (self.missing[column], self.cells[column], column))
        return largest, total

    def _join(self, one: int, other: int) -> int:
        """Link two columns; give the columns whose cost changed."""
        near, missing = self.near, self.missing
        both = near[one] & near[other]
        for place in _places(both):
            missing[place] -= 1
        missing[one] += (near[one] & ~near[other]).bit_count()
        missing[other] += (near[other] & ~near[one]).bit_count()
        near[one] |= 1 << other
        near[other] |= 1 << one
        self.cells[one] *= self.sizes[other]
        self.cells[other] *= self.sizes[one]
        return both | 1 << one | 1 << other

    def _remove(self, place: int, missing: int) -> int:
        """Link all neighbours of a column, and remove it; give the columns whose cost changed."""
        near = self.near
        around = changed = near[place]
        if missing:
            for neighbour in _places(around):
                for other in _places(around & ~near[neighbour] & -(2 << neighbour)):
                    changed |= self._join(neighbour, other)
        for neighbour in _places(around):
            near[neighbour] ^= 1 << place
            self.missing[neighbour] -= (near[neighbour] & ~around).bit_count()
            self.cells[neighbour] //= self.sizes[place]
        return changed


def _places(mask: int) -> Iterator[int]:
    """List the places of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _refuse_large(clique: Clique, cells: int, most_cells: int) -> None:
    raise PartError(
        f"the marginals join {', '.join(clique)} in one table, and the model "
        f"needs {cells:,} cells or more; the limit is {most_cells:,}; measure fewer or smaller "
        "marginals"
    )


def _hang(domain: Domain, cliques: list[Clique]) -> JunctionTree:
    """Join cliques that share most (Prim's algorithm); chordal cliques give a junction tree.

    The result depends on the set of cliques only, not on their order.
    """
    cliques = sorted(cliques, key=lambda clique: [domain.place(name) for name in clique])
    has = np.zeros((len(cliques), len(domain.names)), np.float32)
    for number, clique in enumerate(cliques):
        has[number, [domain.place(name) for name in clique]] = 1
    order, parents = [0], [-1]
    shared, best = has @ has[0], np.zeros(len(cliques), np.int64)
    shared[0] = -1
    while len(order) < len(cliques):
        chosen = int(shared.argmax())
        order.append(chosen)
        parents.append(order.index(int(best[chosen])))
        now = has @ has[chosen]
        better = (now > shared) & (shared >= 0)
        shared[better], best[better] = now[better], chosen
        shared[chosen] = -1
    return JunctionTree(tuple(cliques[number] for number in order), tuple(parents))
