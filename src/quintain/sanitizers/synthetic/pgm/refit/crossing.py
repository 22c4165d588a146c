"""Crossing: the marginal of columns that no clique of a model has together.

Between two cliques of a junction tree lie only the columns that they share, the separator. Given
these, what is on one side is independent of the other side. For columns in different places of the
tree there is a clique where their ways meet. From its table, the distribution of each column given
the separator on its way leads to the wanted marginal. These conditional distributions are shared
by many marginals, so they are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.sanitizers.synthetic.pgm.junction_tree import Clique
from quintain.sanitizers.synthetic.pgm.refit.calibration import Calibration

_HERE = -1


class Crossing:
    """All marginals of up to three columns of one calibrated model.

    Parameters
    ----------
    calibration : the junction tree.
    tables : the expected counts of each clique.
    """

    def __init__(self, calibration: Calibration, tables: Sequence[Floats]) -> None:
        self.domain, self.tree = calibration.domain, calibration.tree
        self.tables = tables
        self.total = float(tables[0].sum())
        self._ways = _ways(calibration)
        self._sums: dict[tuple[int, Clique], Floats] = {}
        self._given: dict[tuple[int, int, str], Floats] = {}

    def meetings(self, sets: Sequence[Clique]) -> Ints:
        """Find for each set of columns a clique where the ways of its columns meet; -1: none.

        A clique that contains all of them comes first, and the smallest of several.
        """
        cells = [self.domain.cells(clique) for clique in self.tree.cliques]
        order = np.argsort(cells, kind="stable")
        out = np.full(len(sets), -1)
        for width in {len(columns) for columns in sets}:
            which = np.flatnonzero([len(columns) == width for columns in sets])
            places = np.array([[self.domain.place(c) for c in sets[n]] for n in which.tolist()])
            ways = self._ways[order][:, places]
            inside = (ways == _HERE).sum(axis=2)
            meet = inside >= 0
            for one in range(width):
                for other in range(one):
                    meet &= (ways[..., one] != ways[..., other]) | (ways[..., one] == _HERE)
            best = np.where(meet, inside, -1).argmax(axis=0)
            meets = meet[best, np.arange(len(which))]
            out[which[meets]] = order[best[meets]]
        return out

    def counts(self, columns: Clique, meeting: int) -> Floats:
        """Compute the expected counts of some columns, which are in the order of the domain."""
        ways = [int(self._ways[meeting, self.domain.place(name)]) for name in columns]
        outside = [(n, way) for n, way in zip(columns, ways, strict=True) if way != _HERE]
        if not outside:
            return self._sum(meeting, columns)
        needed = {name for name, way in zip(columns, ways, strict=True) if way == _HERE}
        for _, way in outside:
            needed.update(self._separator(meeting, way))
        axes = self.domain.sort(needed)
        table = self._sum(meeting, axes)
        for number, (name, way) in enumerate(outside):
            later = [self._separator(meeting, w) for _, w in outside[number + 1 :]]
            wanted = {*columns}.union(*later)
            given = (*self._separator(meeting, way), name)
            kept = tuple(c for c in (*axes, name) if c in wanted)
            table = _contract(table, axes, self._conditional(meeting, way, name), given, kept)
            axes = kept
        return np.transpose(table, [axes.index(name) for name in columns])

    def _sum(self, clique: int, columns: Clique) -> Floats:
        key = clique, columns
        if key not in self._sums:
            names = self.tree.cliques[clique]
            axes = tuple(axis for axis, name in enumerate(names) if name not in columns)
            self._sums[key] = self.tables[clique].sum(axis=axes)
        return self._sums[key]

    def _separator(self, clique: int, way: int) -> Clique:
        child = clique if self.tree.parents[clique] == way else way
        return self.tree.separators[child]

    def _conditional(self, clique: int, way: int, name: str) -> Floats:
        """Give the distribution of a column that lies this way, given the separator there."""
        key = clique, way, name
        if key not in self._given:
            separator = self._separator(clique, way)
            onward = int(self._ways[way, self.domain.place(name)])
            axes: Clique = (*separator, name)
            if onward == _HERE:
                joint = self._sum(way, self.domain.sort(axes))
                joint = np.moveaxis(joint, self.domain.sort(axes).index(name), -1)
            else:
                next_ = self._separator(way, onward)
                both = self.domain.sort({*separator, *next_})
                given = self._conditional(way, onward, name)
                joint = _contract(self._sum(way, both), both, given, (*next_, name), axes)
            whole = joint.sum(axis=-1, keepdims=True)
            self._given[key] = joint / np.where(whole > 0, whole, 1.0)
        return self._given[key]


def _ways(calibration: Calibration) -> Ints:
    """Tell for each clique and column which neighbour leads there; -1 if the clique has it."""
    tree, domain = calibration.tree, calibration.domain
    has = np.zeros((len(tree.cliques), len(domain.names)), bool)
    for number, clique in enumerate(tree.cliques):
        has[number, [domain.place(name) for name in clique]] = True
    below = has.copy()
    ways = np.repeat(np.array(tree.parents)[:, None], has.shape[1], axis=1)
    for child in range(len(has) - 1, 0, -1):
        below[tree.parents[child]] |= below[child]
    for child in range(1, len(has)):
        parent = tree.parents[child]
        ways[parent, below[child] & ~has[parent]] = child
    ways[has] = _HERE
    return ways


def _contract(one: Floats, axes: Clique, other: Floats, given: Clique, kept: Clique) -> Floats:
    """Multiply two tables, and sum over all columns that are not kept."""
    batch = [c for c in axes if c in given and c in kept]
    summed = [c for c in axes if c in given and c not in kept]
    alone = [c for c in axes if c not in given]
    left = np.transpose(one, [axes.index(c) for c in (*batch, *alone, *summed)])
    new = [c for c in given if c not in axes]
    right = np.transpose(other, [given.index(c) for c in (*batch, *summed, *new)])
    heads, rest = left.shape[: len(batch)], left.shape[len(batch) :]
    sides, inner = rest[: len(alone)], math.prod(rest[len(alone) :])
    ends = right.shape[len(batch) + len(summed) :]
    product = left.reshape(*heads, -1, inner) @ right.reshape(*heads, inner, -1)
    order = (*batch, *alone, *new)
    return np.transpose(product.reshape(*heads, *sides, *ends), [order.index(c) for c in kept])
