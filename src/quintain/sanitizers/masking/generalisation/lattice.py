"""Lattice search: the best level for each column, the same for all records (global recoding).

A node of the lattice names one level for each column. If a node satisfies the models after at most
the allowed number of deletions, so does every node above it. The search uses that in one direction:
a node that fails rules out all nodes below it. What the levels of a node lose by themselves is a
lower bound of its loss, so nodes whose bound is not below the best loss are left out. The search
ends when every node is ruled out, left out or tried. So it finds a node of minimal loss.

With t-closeness and deletions this is only almost so: deletions change the distribution that
classes are compared with. The node that is found always satisfies the model, but a better one may
exist.

References
----------
El Emam et al., A globally optimal k-anonymity method for the de-identification of health data,
JAMIA 16 (2009). Kohlmayer et al., Flash: efficient, stable and optimal k-anonymity, PASSAT (2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Mask, Rows
from quintain.errors import PartError
from quintain.sanitizers.masking.generalisation.classes import Classes, number_rows
from quintain.sanitizers.masking.generalisation.models import (
    Close,
    Generalised,
    RecodingTask,
    all_hold,
)

LARGEST = 1_000_000
"""The largest number of nodes that is searched."""

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose product with a key spreads the key over all bits."""

Node = tuple[int, ...]


def recode_globally(part: str, task: RecodingTask) -> Generalised:
    """Generalise every column to one level, so that the records lose as little as possible."""
    nodes = math.prod(hierarchy.top + 1 for hierarchy in task.hierarchies)
    if nodes > LARGEST:
        raise PartError(
            f"{part}: the hierarchies have {nodes:,} combinations of levels; the limit of the "
            f"exact search is {LARGEST:,}: name fewer columns, give fewer levels, or set "
            'method = "local"'
        )
    search = Search(task)
    node = search.best()
    kept = search.keep(node)
    codes = tuple(_recode(task, number, level, kept) for number, level in enumerate(node))
    levels = ", ".join(
        f"{values.column.name} {level} of {hierarchy.top}"
        for values, hierarchy, level in zip(task.columns, task.hierarchies, node, strict=True)
    )
    return Generalised(codes, np.flatnonzero(kept), f"levels: {levels}")


def _recode(task: RecodingTask, number: int, level: int, kept: Mask) -> Rows:
    """The codes of one column at a level: for each group the value that stands for it."""
    values, hierarchy = task.columns[number], task.hierarchies[number]
    if level == 0:
        return values.codes
    if level == hierarchy.top and values.column.nullable:
        return np.full(len(task), len(values.values))
    groups = hierarchy.levels[level][values.codes]
    _, label = np.unique(groups[kept], return_inverse=True)
    out = values.codes.copy()
    out[kept] = values.part(kept).representatives(label, int(label.max()) + 1)[label]
    return out


@dataclass(eq=False)
class Search:
    """One search: records with equal values are one row, and nodes that were tried are kept.

    Parameters
    ----------
    task : what to generalise.
    free_deletions : whether deleted records cost nothing; by default each costs all its bits.
    """

    task: RecodingTask
    free_deletions: bool = False
    row_of: Rows = field(init=False)

    def __post_init__(self) -> None:
        columns = [values.codes for values in self.task.columns]
        sizes = [values.size for values in self.task.columns]
        sensitive = [int(codes.max(initial=0)) + 1 for codes in self.task.sensitive]
        self.row_of, rows = number_rows([*columns, *self.task.sensitive], [*sizes, *sensitive])
        first = np.empty(rows, np.int64)
        first[self.row_of] = np.arange(len(self.task))
        self._weight = np.bincount(self.row_of, minlength=rows)
        self._codes = [codes[first] for codes in columns]
        self._sensitive = tuple(codes[first] for codes in self.task.sensitive)
        pairs = zip(self.task.hierarchies, self.task.columns, strict=True)
        self._lost = [hierarchy.bits_lost(values.counts()) for hierarchy, values in pairs]
        self._grouped: dict[tuple[int, int], Rows] = {}
        self._losses: dict[Node, float | None] = {}

    def loss(self, node: Node) -> float | None:
        """The bits that are lost at a node; None if it does not satisfy the models."""
        if node not in self._losses:
            self._losses[node] = self._evaluate(node)
        return self._losses[node]

    def keep(self, node: Node) -> Mask:
        """The records that stay at a node."""
        label, count = number_rows(*self._at(node))
        return lasting(self.task, self._classes(label, count))[label][self.row_of]

    def _at(self, node: Node) -> tuple[list[Rows], list[int]]:
        """The groups of every row at a node, column by column, and how many groups there are."""
        groups = [self._groups(number, level) for number, level in enumerate(node)]
        levels = [hierarchy.levels for hierarchy in self.task.hierarchies]
        return groups, [int(levels[n][level].max()) + 1 for n, level in enumerate(node)]

    def _classes(self, label: Rows, count: int) -> Classes:
        return Classes(label, count, self._weight, self._sensitive)

    def _evaluate(self, node: Node) -> float | None:
        groups, sizes = self._at(node)
        if self._surely_fails(groups, sizes):
            return None
        label, count = number_rows(groups, sizes)
        classes = self._classes(label, count)
        good = lasting(self.task, classes)
        deleted = len(self.task) - int(classes.sizes[good].sum())
        if deleted > self.task.suppress or not good.any():
            return None
        return self._bits(node) + self._bits_of_deleted(groups, good[label])

    def _groups(self, number: int, level: int) -> Rows:
        """The group of every row in one column, in a small type because nodes share it."""
        if (number, level) not in self._grouped:
            groups = self.task.hierarchies[number].levels[level]
            small = groups.astype(np.min_scalar_type(int(groups.max())))
            self._grouped[number, level] = small[self._codes[number]]
        return self._grouped[number, level]

    def _surely_fails(self, groups: list[Rows], sizes: list[int]) -> bool:
        """Whether small classes have too many records, even if some classes are counted as one.

        Classes get one of few numbers, so that counting them needs no sorting. Two classes with the
        same number can only look larger than they are.
        """
        keys = np.zeros(len(self._weight), np.uint64)
        for group, size in zip(groups, sizes, strict=True):
            keys *= np.uint64(size)  # wraps around
            keys += group
        bits = len(keys).bit_length()  # about as many numbers as rows
        if math.prod(sizes) > 1 << bits:
            keys *= _MIX
            keys >>= np.uint64(64 - bits)
        weights = None if len(keys) == len(self.task) else self._weight
        counts = np.bincount(keys.astype(np.int64), weights)
        return bool(counts[counts < self.task.least].sum() > self.task.suppress)

    def _bits(self, node: Node) -> float:
        return float(sum(bits[level] for bits, level in zip(self._lost, node, strict=True)))

    def _bits_of_deleted(self, groups: list[Rows], kept: Mask) -> float:
        """What deleted records still knew at this node: log2 of all records by group size."""
        if self.free_deletions or kept.all():
            return 0.0
        deleted, total = ~kept, 0.0
        for group in groups:
            sizes = np.bincount(group, self._weight)
            total += float(self._weight[deleted] @ np.log2(len(self.task) / sizes[group[deleted]]))
        return total

    def best(self) -> Node:
        """A node of minimal loss among those that satisfy the models."""
        tops = [hierarchy.top for hierarchy in self.task.hierarchies]
        levels = np.indices([top + 1 for top in tops], np.int8).reshape(len(tops), -1).T
        bounds = np.zeros(len(levels))
        for number, bits in enumerate(self._lost):
            bounds += bits[levels[:, number]]
        order = np.lexsort((levels.sum(axis=1, dtype=np.int64), bounds))
        levels, bounds = levels[order], bounds[order]
        decided = np.zeros(len(levels), bool)
        best, least, place = tuple(tops), math.inf, len(levels) - 1
        while place >= 0:
            start = tuple(int(level) for level in levels[place])
            decided[place] = True
            for node in self._way_down(start, levels, decided):
                loss = self.loss(node)
                if loss is not None and loss < least:
                    best, least = node, loss
            # Of the nodes that may be better, the one of the largest bound rules out most.
            open_nodes = np.flatnonzero(~decided[: np.searchsorted(bounds, least)])
            place = int(open_nodes[-1]) if len(open_nodes) else -1
        return best

    def _way_down(self, start: Node, levels: npt.NDArray[np.int8], decided: Mask) -> list[Node]:
        """The satisfying nodes that were tried on the way down from a node.

        Each step lowers the column that gains most by it. Halving finds the last node on the way
        that satisfies the models. A failing node decides all nodes below it: they fail, too.
        """
        if not self._decide(start, levels, decided):
            return []
        way, good = self._steps_down(start), [start]
        low, high = 1, len(way) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._decide(way[middle], levels, decided):
                good.append(way[middle])
                low = middle + 1
            else:
                high = middle - 1
        return good

    def _decide(self, node: Node, levels: npt.NDArray[np.int8], decided: Mask) -> bool:
        if self.loss(node) is not None:
            return True
        decided |= (levels <= np.array(node, np.int8)).all(axis=1)
        return False

    def _steps_down(self, start: Node) -> list[Node]:
        way = [start]
        while any(way[-1]):
            _, lowered = max(
                (self._lost[number][level] - self._lost[number][level - 1], number)
                for number, level in enumerate(way[-1])
                if level > 0
            )
            way.append(tuple(level - (n == lowered) for n, level in enumerate(way[-1])))
        return way


def lasting(task: RecodingTask, classes: Classes) -> Mask:
    """The classes that satisfy the models after all other classes are deleted.

    Deleting classes changes the distribution that t-closeness compares with, so this repeats until
    the classes that are left satisfy the models among themselves.
    """
    good = all_hold(task.models, classes)
    compares = any(isinstance(model, Close) for model in task.models)
    while compares and good.any():
        again = all_hold(task.models, classes.only(good))
        if again.all():
            break
        good[np.flatnonzero(good)[~again]] = False
    return good
