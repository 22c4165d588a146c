"""All pairs: the counts of every pair of columns in one square table, of records and of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np

from quintain.data.arrays import Array, Floats, Ints
from quintain.sanitizers.synthetic.pgm.domain import Domain
from quintain.sanitizers.synthetic.pgm.junction_tree import Clique, JunctionTree

MOST_PAIR_CELLS = 2**24
"""The most cells of a square table: 134 MB."""
_GROUP_CELLS = 2**8
"""How many cells neighbouring columns have that are counted as one."""


@dataclass(frozen=True, slots=True, eq=False)
class AllPairs:
    """The counts of all pairs of columns; rows and columns of the table are the levels of each.

    The table is symmetric. A column with itself has its own counts on the diagonal.

    >>> domain = Domain.of({"sex": 2, "ill": 2})
    >>> pairs = AllPairs.count(domain, {"sex": np.array([0, 0, 1]), "ill": np.array([0, 1, 1])})
    >>> pairs.table.tolist()
    [[2, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 2]]
    >>> pairs.counts(("sex", "ill")).tolist(), pairs.counts(("ill",)).tolist()
    ([[1, 1], [0, 1]], [1, 2])
    """

    domain: Domain
    table: Array

    @classmethod
    def count(cls, domain: Domain, codes: Mapping[str, Ints]) -> Self:
        """Count the records in every cell.

        Neighbouring columns with few levels are counted as one column. The table of two such groups
        has those of all their pairs in it, so there are fewer passes over the records.
        """
        starts = _starts(domain)
        table = np.zeros((starts[-1], starts[-1]), np.int64)
        groups = [_ColumnGroup.of(domain, names, codes) for names in _group_columns(domain)]
        for group in groups:
            own = np.bincount(group.cell, minlength=group.cells).reshape(group.shape)
            for axis, name in enumerate(group.names):
                place = _levels(domain, starts, name)
                levels = np.arange(place.start, place.stop)
                table[levels, levels] = _sum_to(own, (axis,))
                for other in range(axis + 1, len(group.names)):
                    there = _levels(domain, starts, group.names[other])
                    table[place, there] = _sum_to(own, (axis, other))
        for first, second in combinations(groups, 2):
            cell = first.cell.astype(np.int32)
            cell *= second.cells
            cell += second.cell
            both = np.bincount(cell, minlength=first.cells * second.cells)
            both = both.reshape(first.shape + second.shape)
            for axis, name in enumerate(first.names):
                place = _levels(domain, starts, name)
                for other, beside in enumerate(second.names, len(first.names)):
                    table[place, _levels(domain, starts, beside)] = _sum_to(both, (axis, other))
        return cls(domain, _mirror(table))

    @classmethod
    def of_model(cls, domain: Domain, tree: JunctionTree, tables: Sequence[Floats]) -> Self:
        """Compute the expected counts of every cell from the calibrated tables of the cliques.

        Columns in different places of the tree are independent given the separators between them.
        For each clique, one matrix holds the distribution of all levels below it given its
        separator. A product of two such matrices has the tables of all pairs between two branches.
        """
        branches = _Branches(domain, tree, tables)
        return cls(domain, branches.all_pairs())

    def counts(self, columns: Clique) -> Array:
        """The counts of one column or of two, in the order of the domain."""
        starts = _starts(self.domain)
        if len(columns) == 1:
            place = _levels(self.domain, starts, columns[0])
            return self.table.diagonal()[place]
        one, other = (_levels(self.domain, starts, name) for name in columns)
        return self.table[one, other]

    def gaps(self, other: AllPairs) -> Floats:
        """The L1 distance of each pair of columns, as a matrix; single columns on the diagonal."""
        starts = _starts(self.domain)[:-1]
        away = np.subtract(self.table, other.table, dtype=np.float64)
        np.abs(away, out=away)
        return np.asarray(np.add.reduceat(np.add.reduceat(away, starts, axis=0), starts, axis=1))


def _starts(domain: Domain) -> Ints:
    return np.cumsum([0, *domain.sizes])


def _levels(domain: Domain, starts: Ints, name: str) -> slice:
    place = domain.place(name)
    return slice(int(starts[place]), int(starts[place + 1]))


def _sum_to(table: Array, axes: tuple[int, ...]) -> Array:
    return np.asarray(table.sum(axis=tuple(n for n in range(table.ndim) if n not in axes)))


def _mirror(table: Array) -> Array:
    """Copy what is above the diagonal below it."""
    both = table + table.T
    np.fill_diagonal(both, table.diagonal())
    return np.asarray(both)


def _group_columns(domain: Domain) -> list[list[str]]:
    """Put neighbouring columns together while they have few cells."""
    groups: list[list[str]] = []
    for name in domain.names:
        if groups and domain.cells([*groups[-1], name]) <= _GROUP_CELLS:
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


@dataclass(frozen=True, slots=True, eq=False)
class _ColumnGroup:
    """Neighbouring columns as one.

    Parameters
    ----------
    cell : the cell of each record.
    """

    names: list[str]
    shape: tuple[int, ...]
    cells: int
    cell: Array

    @classmethod
    def of(cls, domain: Domain, names: list[str], codes: Mapping[str, Ints]) -> _ColumnGroup:
        cell = codes[names[0]]
        for name in names[1:]:
            cell = cell * domain.size(name) + codes[name]
        cells = domain.cells(names)
        return cls(names, domain.shape(names), cells, cell.astype(np.min_scalar_type(cells)))


@dataclass(frozen=True, slots=True, eq=False)
class _Fork:
    """The branches of a clique that share the same columns with it.

    Parameters
    ----------
    separator : these columns.
    branches : the first clique of each branch.
    levels : where their levels lie in the table.
    given : the distribution of these levels given each cell of the separator.
    """

    separator: Clique
    branches: tuple[int, ...]
    levels: slice
    given: Floats


class _Branches:
    """Every clique with its own new columns and what hangs from it, in one order of levels.

    A clique comes before its branches, and a branch is not interrupted. So all levels of a branch
    lie side by side. Of the table, what is right of the diagonal is filled.
    """

    def __init__(self, domain: Domain, tree: JunctionTree, tables: Sequence[Floats]) -> None:
        self.domain, self.tree, self.tables = domain, tree, tables
        self.new = [
            tuple(name for name in clique if name not in separator)
            for clique, separator in zip(tree.cliques, tree.separators, strict=True)
        ]
        self.order: list[int] = []
        self.own: dict[str, slice] = {}
        self.levels = [slice(0)] * len(tree.cliques)
        self.forks: list[list[_Fork]] = [[] for _ in tree.cliques]
        self._arrange()
        self.homes = {
            branch: fork for forks in self.forks for fork in forks for branch in fork.branches
        }

    def all_pairs(self) -> Floats:
        """The square table, with levels in the order of the domain."""
        for number in reversed(self.order[1:]):
            self._condition(number)
        root, levels = self.order[0], sum(self.domain.sizes)
        single = np.empty((1, levels))
        self._join(root, single)
        table = np.zeros((levels, levels))
        for number in self.order:
            self._fill(number, table)
        table = _mirror(np.triu(table, 1))
        np.fill_diagonal(table, single[0])
        places = [np.arange(self.own[n].start, self.own[n].stop) for n in self.domain.names]
        place = np.concatenate(places)
        return np.asarray(table[np.ix_(place, place)])

    def _arrange(self) -> None:
        """Give every new column its place, clique by clique, branches with one separator together.

        The tree may be deeper than calls can be, so the way is kept in a list.
        """
        children: list[dict[Clique, list[int]]] = [{} for _ in self.tree.cliques]
        for number, parent in enumerate(self.tree.parents):
            if parent >= 0:
                children[parent].setdefault(self.tree.separators[number], []).append(number)
        at = 0
        waiting, starts = [(0, False)], [0] * len(children)
        while waiting:
            number, done = waiting.pop()
            if done:
                self.levels[number] = slice(starts[number], at)
                self.forks[number] = [self._fork(*group) for group in children[number].items()]
                continue
            self.order.append(number)
            starts[number] = at
            for name in self.new[number]:
                self.own[name] = slice(at, at := at + self.domain.size(name))
            waiting.append((number, True))
            below = [branch for group in children[number].values() for branch in group]
            waiting += [(branch, False) for branch in reversed(below)]

    def _fork(self, separator: Clique, branches: list[int]) -> _Fork:
        levels = slice(self.levels[branches[0]].start, self.levels[branches[-1]].stop)
        given = np.empty((self.domain.cells(separator), levels.stop - levels.start))
        return _Fork(separator, tuple(branches), levels, given)

    def _condition(self, number: int) -> None:
        """Write the distribution of all levels of a branch given its separator."""
        fork, levels = self.homes[number], self.levels[number]
        given = fork.given[:, _within(levels, fork.levels)]
        self._join(number, given)
        whole = self._sum(number, fork.separator).reshape(-1, 1)
        given /= np.where(whole > 0, whole, 1.0)

    def _join(self, number: int, out: Floats) -> None:
        """Write the expected counts of the separator of a clique and of all levels below it."""
        separator, levels = self.tree.separators[number], self.levels[number]
        for name in self.new[number]:
            joint = self._sum(number, self.domain.sort((*separator, name)))
            joint = np.moveaxis(joint, self.domain.sort((*separator, name)).index(name), -1)
            out[:, _within(self.own[name], levels)] = joint.reshape(len(out), -1)
        for fork in self.forks[number]:
            out[:, _within(fork.levels, levels)] = self._carry(number, separator, fork)

    def _fill(self, number: int, table: Floats) -> None:
        """Write all pairs whose ways meet in a clique; deeper cliques write over it."""
        for first, second in combinations(self.new[number], 2):
            table[self.own[first], self.own[second]] = self._sum(number, (first, second))
        forks = self.forks[number]
        for name in self.new[number]:
            table[self.own[name], self.own[name]] = 0
            for fork in forks:
                table[self.own[name], fork.levels] = self._carry(number, (name,), fork)
        for fork, beside in combinations(forks, 2):
            joint = fork.given.T @ self._carry(number, fork.separator, beside)
            table[fork.levels, beside.levels] = joint
        for fork in forks:
            if len(fork.branches) > 1:
                whole = self._sum(number, fork.separator).reshape(-1, 1)
                table[fork.levels, fork.levels] = fork.given.T @ (whole * fork.given)

    def _carry(self, number: int, columns: Clique, fork: _Fork) -> Floats:
        """The expected counts of some columns of a clique and of all levels behind a fork."""
        separator = fork.separator
        both = self.domain.sort({*columns, *separator})
        shared = [name for name in columns if name in separator]
        alone = [name for name in columns if name not in separator]
        summed = [name for name in separator if name not in columns]
        joint = self._sum(number, both)
        joint = np.transpose(joint, [both.index(n) for n in (*shared, *alone, *summed)])
        sizes = [self.domain.cells(names) for names in (shared, alone, summed)]
        given = fork.given.reshape(*self.domain.shape(separator), -1)
        given = np.moveaxis(
            given, [separator.index(n) for n in (*shared, *summed)], range(len(separator))
        )
        out = joint.reshape(sizes) @ given.reshape(sizes[0], sizes[2], -1)
        out = out.reshape(*self.domain.shape((*shared, *alone)), -1)
        axes = [[*shared, *alone].index(name) for name in columns]
        return np.asarray(
            np.transpose(out, [*axes, len(axes)]).reshape(self.domain.cells(columns), -1)
        )

    def _sum(self, number: int, columns: Clique) -> Floats:
        """The expected counts of some columns of a clique, which are in the order of the domain."""
        clique = self.tree.cliques[number]
        return _sum_to(self.tables[number], tuple(clique.index(name) for name in columns))


def _within(inner: slice, outer: slice) -> slice:
    return slice(inner.start - outer.start, inner.stop - outer.start)
