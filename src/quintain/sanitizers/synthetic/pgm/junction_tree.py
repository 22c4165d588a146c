"""Junction tree: cliques of columns in a tree; messages along it give exact marginals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
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


def maximal_cliques(
    domain: Domain, cliques: Iterable[Clique], *, most_cells: int = MOST_CELLS
) -> list[Clique]:
    """List the largest cliques after the graph was made chordal, by least fill-in.

    Columns are removed one by one. The next one is the column whose neighbours lack the fewest
    links among each other; among equals, the one with the smallest table.
    """
    near: dict[str, set[str]] = {name: set() for name in domain.names}
    for clique in cliques:
        for one, other in combinations(set(clique), 2):
            near[one].add(other)
            near[other].add(one)

    def cost(name: str) -> tuple[int, int, int]:
        around = near[name]
        # Every link among the neighbours is counted from both of its ends.
        linked = sum(len(around & near[one]) for one in around)
        missing = (len(around) * (len(around) - 1) - linked) // 2
        return missing, domain.cells((name, *around)), domain.place(name)

    costs = {name: cost(name) for name in domain.names}
    largest: list[set[str]] = []
    cells = 0
    while costs:
        name = min(costs, key=costs.__getitem__)
        around = near.pop(name)
        del costs[name]
        clique_now = {name, *around}
        if not any(clique_now <= other for other in largest):
            largest.append(clique_now)
            cells += domain.cells(clique_now)
            _refuse_large(domain, clique_now, cells, most_cells)
        for one in around:
            near[one] |= around - {one}
            near[one].discard(name)
        # Only the columns next to a new or lost link can have changed their cost.
        for other in around.union(*(near[one] for one in around)):
            costs[other] = cost(other)
    return [domain.sort(clique) for clique in largest]


def _refuse_large(domain: Domain, clique: set[str], cells: int, most_cells: int) -> None:
    if cells > most_cells:
        raise PartError(
            f"the marginals join {', '.join(domain.sort(clique))} in one table, and the model "
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
