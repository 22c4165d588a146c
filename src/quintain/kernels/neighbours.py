"""Nearest records: for each row of one table, the most similar rows of another, exactly.

The distinct rows of the base are stored in a shallow tree over blocks of about 30 similar rows. A
query searches only the blocks that are no farther away than its best row so far. About a thousand
queries walk down the tree together, so that NumPy does the work. Where the first queries had to
look at many rows, the others are compared with every row in single precision first (``scan.py``).
Either way the result is exact, and the same to the last bit.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from quintain.data.arrays import Array, Floats, Ints
from quintain.data.table import Table
from quintain.kernels.distances import Bits, Distance, Layout, RecordPoints
from quintain.kernels.scan import Scan

__all__ = ["EUCLIDEAN", "Distance", "Neighbours", "k_nearest", "nearest", "nearest_but_one"]


# A shallow tree over blocks of similar records, with a box around each block and node.
#
# A box stores the lowest and the highest number of its records, and the category bits that none of
# them has. The cost from a record to a box is a lower bound on its cost to every record in the box.
# Rounding preserves order, so the bound also holds for computed costs, to the last bit.


BLOCK = 32  # the largest block: larger ones prune less, smaller ones need more calls
_FAN = 32  # children of a node
_TOP = 128  # the largest number of children of the root
_SAMPLE = 32  # pairs of records that decide in which column a node is widest
_LAST = (1 << 31) - 1  # the rank of padding, after all others


class Level(NamedTuple):
    """The children of every node of one level: arrays of columns x nodes x children.

    At the lowest level the children are records: ``low`` holds their values and ``high`` nothing.
    """

    absent: Bits
    low: Floats
    high: Floats | None

    def boxes(self) -> Level:
        """One box around all children of each node."""
        high = self.high
        if high is None:
            high = np.where(np.isposinf(self.low), -np.inf, self.low)  # padding is in no box
        absent = np.bitwise_and.reduce(self.absent, axis=2)
        return Level(absent, self.low.min(axis=2), high.max(axis=2))

    def group(self, fan: int) -> Level:
        """Boxes side by side as the children of fewer nodes."""
        high = None if self.high is None else self.high.reshape(len(self.high), -1, fan)
        low = self.low.reshape(len(self.low), -1, fan)
        return Level(self.absent.reshape(len(self.absent), low.shape[1], fan), low, high)


class BlockTree:
    """Records under a layout, ready to be compared block by block.

    Attributes
    ----------
    order : the records in the order of the lowest level, -1 for padding.
    levels : from the root down.
    """

    def __init__(self, layout: Layout, points: RecordPoints, features: list[Array]) -> None:
        self._layout = layout
        self.order, block = _order(layout, features)
        bits, values = points.take(self.order)
        bits[:, self.order < 0] = 0
        values[:, self.order < 0] = np.inf
        level = Level(~bits, values, None).group(block)
        levels = [level]
        while len(levels) == 1 or level.low.shape[1] > 1:
            count = level.low.shape[1]
            level = level.boxes().group(_FAN if count > _TOP else count)
            levels.append(level)
        self.levels = levels[::-1]

    def costs(self, level: Level, points: RecordPoints, query: Ints, node: Ints) -> Floats:
        """For pairs of a record and a node, the least cost to anything in each child."""
        layout, shape = self._layout, (len(node), level.low.shape[2])
        differing: Array = np.zeros(shape, np.uint8 if len(layout.columns) < 256 else np.uint16)
        for bits, absent in zip(points.bits, level.absent, strict=True):
            lacking = absent.take(node, axis=0)
            lacking &= bits[query][:, None]
            differing += np.bitwise_count(lacking)
        for row in range(len(layout.numbers), len(points.values)):
            differing += _gap(level, row, points.values[row][query][:, None], node) > 0
        total: Floats = layout.distance.mismatch * differing
        for row in range(len(layout.numbers)):
            gap = _gap(level, row, points.values[row][query][:, None], node)
            total += layout.price(row, gap)
        return total


def _gap(level: Level, row: int, value: Floats, node: Ints) -> Floats:
    """How far a value is outside of each child."""
    gap: Floats = level.low[row].take(node, axis=0)
    gap -= value
    if level.high is None:
        return np.abs(gap, out=gap)
    np.maximum(gap, value - level.high[row].take(node, axis=0), out=gap)
    return np.maximum(gap, 0, out=gap)


def _order(layout: Layout, features: list[Array]) -> tuple[Ints, int]:
    """An order of the records that puts similar ones together, and the size of a block.

    All nodes of a depth are halved at once, each in the column in which its records are farthest
    apart. Padding goes to the end.
    """
    size = len(features[0])
    depth = max(0, (-(-size // BLOCK) - 1).bit_length())
    block = -(-size // (1 << depth))
    order = np.arange(block << depth)
    ranks = np.full((len(features), len(order)), _LAST, np.int32)
    for row, feature in enumerate(features):
        ranks[row, :size] = _ranks(feature)
    for level in range(depth):
        nodes = order.reshape(1 << level, -1)
        widest = _widest(layout, features, np.minimum(nodes, size - 1))
        keys = (ranks[widest[:, None], nodes].astype(np.int64) << 32) | nodes
        keys.partition(nodes.shape[1] // 2, axis=1)
        order = (keys & 0xFFFFFFFF).ravel()
    return np.where(order < size, order, -1), block


def _ranks(feature: Array) -> Array:
    """Integers in the order of the values; missing numbers go first."""
    low, high = np.fmin.reduce(feature), np.fmax.reduce(feature)
    share = (feature - low) / ((high - low) or 1.0)
    ranks: Array = (np.nan_to_num(share) * (_LAST - 1)).astype(np.int32)
    return ranks


def _widest(layout: Layout, features: list[Array], nodes: Ints) -> Ints:
    """For each node the column in which pairs of its records cost most, from a few pairs."""
    half = nodes.shape[1] // 2
    step = -(-half // _SAMPLE)
    left, right = nodes[:, :half:step], nodes[:, half::step]
    spread = np.empty((len(features), len(nodes)))
    for row, feature in enumerate(features):
        one, other = feature[left], feature[right]
        if row < len(layout.numbers):
            spread[row] = layout.price(row, np.abs(one - other)).sum(axis=1)
        else:
            spread[row] = layout.distance.mismatch * (one != other).sum(axis=1)
    widest: Ints = np.argmax(spread, axis=0)
    return widest


EUCLIDEAN = Distance()

_BEAM = 4  # blocks that a query searches before it starts to prune
_QUERIES = 1024  # the largest number of queries that walk together
_FIRST = 128  # queries that walk before it is known how many rows the tree leaves out
_MOST_COMPARED = 0.1  # the share of the rows from which on a scan is quicker than the tree
_SLICE = 1 << 13  # pairs of a query and a node that are expanded at a time: fits the cache
_PAIRS = 1 << 23  # the largest number of such pairs in memory at a time
_MOST_PAIRS = 1_000_000  # pairs that may be nearest without a column, before the nearest are kept
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number with well-mixed bits


def nearest(queries: Table, base: Table, distance: Distance = EUCLIDEAN) -> tuple[Floats, Ints]:
    """Find the most similar base row of each query: the distances and the row numbers.

    Among equally near rows (before the square root) the one with the lowest number wins.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="sex", kind="category", values=("f", "m")),
    ...                          Column(name="age", kind="integer", low=17, high=90)))
    >>> base = Table.of(schema, {"sex": ["f", "m", "f"], "age": [40, 17, 90]})
    >>> nearest(Table.of(schema, {"sex": ["m"], "age": [38]}), base, Distance("manhattan"))
    (array([3.]), array([0]))
    """
    return Neighbours(base, distance).nearest(queries)


def k_nearest(
    queries: Table, base: Table, k: int, distance: Distance = EUCLIDEAN
) -> tuple[Floats, Ints]:
    """Find the k most similar base rows of each query, by distance, then row number: n x k."""
    return Neighbours(base, distance).k_nearest(queries, k)


def nearest_but_one(queries: Table, base: Table, distance: Distance = EUCLIDEAN) -> dict[str, Ints]:
    """For each column the most similar base row of each query by all other columns.

    It is as if each column were left out in turn of both tables, and takes a small part of the
    time: the others are compared once.

    >>> from quintain.data import Column, Schema, Table
    >>> columns = (Column(name=name, kind="integer", low=0, high=9) for name in "ab")
    >>> base = Table.of(Schema(columns=tuple(columns)), {"a": [1, 5], "b": [9, 2]})
    >>> query = Table.of(base.schema, {"a": [1], "b": [2]})
    >>> rows = nearest_but_one(query, base)
    >>> rows["a"].tolist(), rows["b"].tolist()
    ([1], [0])
    """
    layout = Layout(base.schema, distance)
    points, others = layout.encode(queries), layout.encode(base)
    scan, names = Scan(layout, others), [column.name for column in layout.columns]
    metrics = {name: _without(distance, name) for name in names}
    if not scan.holds(points) or not len(queries) or len(names) < 2:
        return {
            name: nearest(_drop(queries, name), _drop(base, name), metrics[name])[1]
            for name in names
        }
    rows = {name: np.zeros(len(queries), np.int64) for name in names}

    def settle(name: str, pairs: list[tuple[Ints, Ints]]) -> None:
        query, record = (np.concatenate(side) for side in zip(*pairs, strict=True))
        reduced = Layout(_drop(base, name).schema, metrics[name])
        sides = (_drop(queries.take(query), name), _drop(base.take(record), name))
        costs = reduced.costs(*(reduced.encode(side) for side in sides))
        best = _keep_best(_Candidates(query, costs, record), len(queries), 1)
        rows[name][best.query] = best.row

    waiting: dict[str, list[tuple[Ints, Ints]]] = {name: [] for name in names}
    queued = dict.fromkeys(names, 0)
    for place, near in scan.near_but_one(points):
        name = names[place]
        waiting[name].append(near)  # all that may be nearest to some queries, nothing of others
        queued[name] += len(near[0])
        if queued[name] > _MOST_PAIRS:
            settle(name, waiting[name])
            waiting[name], queued[name] = [], 0
    for name, pairs in waiting.items():
        if pairs:
            settle(name, pairs)
    return rows


def _drop(table: Table, name: str) -> Table:
    return table.select([column.name for column in table.schema.attributes if column.name != name])


def _without(distance: Distance, name: str) -> Distance:
    weights = {column: weight for column, weight in distance.weights.items() if column != name}
    return Distance(distance.kind, weights)


class _Candidates(NamedTuple):
    """Rows (or nodes, on the way down) that may be nearest to a query, with their cost."""

    query: Ints
    cost: Floats
    row: Ints

    def take(self, chosen: Ints | slice) -> _Candidates:
        return _Candidates(self.query[chosen], self.cost[chosen], self.row[chosen])


class _Groups(NamedTuple):
    """Equal records: the first of each group, each record's group, and a hash of each group.

    Groups are in the order of their hashes. If different records share a hash, a group may be split
    into two parts; then the groups are not ``keyed``.
    """

    first: Ints
    of: Ints
    keys: Bits

    @property
    def keyed(self) -> bool:
        return bool((self.keys[1:] != self.keys[:-1]).all())


class Neighbours:
    """A base table prepared for many searches."""

    def __init__(self, base: Table, distance: Distance = EUCLIDEAN) -> None:
        if len(base) == 0:
            raise ValueError("the base has no rows, so there is no nearest row")
        self._layout = Layout(base.schema, distance)
        points = self._layout.encode(base)
        # Equal rows would tie in every search, so the tree stores only the first of them.
        self._groups = _groups(points)
        self._first = self._groups.first
        self._points = points.take(self._first)
        features = [feature[self._first] for feature in self._layout.features(base)]
        self._tree = BlockTree(self._layout, self._points, features)
        self._compared = 0  # how many pairs of a query and a row the tree could not leave out

    def nearest(self, queries: Table) -> tuple[Floats, Ints]:
        """Find the most similar row of each query: the distances and the row numbers."""
        costs, rows = self._search(queries, 1)
        return self._layout.finish(costs[:, 0]), rows[:, 0]

    def k_nearest(self, queries: Table, k: int) -> tuple[Floats, Ints]:
        """Find the k most similar rows of each query, by distance, then row number."""
        if not 1 <= k <= len(self._groups.of):
            raise ValueError(f"k={k}: expected 1..{len(self._groups.of)}, the number of base rows")
        costs, rows = self._search(queries, k)
        return self._layout.finish(costs), rows

    def _search(self, queries: Table, k: int) -> tuple[Floats, Ints]:
        """Costs and numbers of the k nearest rows of every query, in order."""
        points = self._layout.encode(queries)
        groups = _groups(points)
        points = points.take(groups.first)
        costs, rows = np.zeros((len(groups.first), k)), np.zeros((len(groups.first), k), np.int64)
        todo = np.arange(len(groups.first))
        if k == 1 and self._layout.separates and self._groups.keyed:
            equal = self._equal(points, groups.keys)
            rows[:, 0], todo = self._first[equal], np.flatnonzero(equal < 0)
        step = max(1, min(_QUERIES, _PAIRS // max(k * k, len(self._tree.order) // BLOCK)))
        first, search = min(step, _FIRST), self._walk
        for part in filter(len, np.split(todo, range(first, len(todo), step))):
            best = search(points.take(part), k)
            costs[part], rows[part] = best.cost.reshape(-1, k), best.row.reshape(-1, k)
            if len(part) == first and self._is_crowded(first) and self._scan.holds(points):
                search = self._compare
        return costs[groups.of], rows[groups.of]

    def _is_crowded(self, queries: int) -> bool:
        """Whether the tree left out so few rows for these queries that a scan is quicker."""
        crowded = self._compared > _MOST_COMPARED * queries * len(self._first)
        self._compared = 0
        return crowded

    @cached_property
    def _scan(self) -> Scan:
        return Scan(self._layout, self._points)

    def _compare(self, points: RecordPoints, k: int) -> _Candidates:
        """The k nearest rows of some queries, in order, among those that a scan leaves."""
        distinct, parts = min(k, len(self._first)), []
        for query, record in self._scan.near(points, distinct):
            costs = self._layout.costs(points.take(query), self._points.take(record))
            near = _Candidates(query, costs, self._first[record])
            parts.append(_keep_best(near, points.values.shape[1], distinct))
        best = _join(parts)
        return best if k == 1 else self._copies(best, points.values.shape[1], k)

    def _equal(self, points: RecordPoints, keys: Bits) -> Ints:
        """The group of base rows that equal each query; -1 where no row does."""
        group = np.minimum(np.searchsorted(self._groups.keys, keys), len(self._first) - 1)
        same = self._groups.keys[group] == keys
        for column, base in zip(points.columns, self._points.columns, strict=True):
            same &= column == base[group]
        return np.where(same, group, -1)

    def _walk(self, points: RecordPoints, k: int) -> _Candidates:
        """The k nearest rows of some queries, in order."""
        root, *levels, rows = self._tree.levels
        count, distinct = points.values.shape[1], min(k, len(self._first))
        query = np.arange(count)
        costs = self._tree.costs(root, points, query, np.zeros_like(query))
        limit = self._probe(points, costs, distinct)
        pairs = _near(costs, limit, query, np.zeros_like(query))
        for level in levels:
            pairs = self._expand(level, points, limit, pairs)
        pairs = pairs.take(np.argsort(pairs.cost))  # near blocks lower the limit for the others
        best = pairs.take(slice(0))
        for at in range(0, len(pairs.query), _SLICE):
            block = pairs.take(slice(at, at + _SLICE))
            block = block.take(np.flatnonzero(block.cost <= limit[block.query]))
            self._compared += rows.low.shape[2] * len(block.query)
            more = self._expand(rows, points, limit, block)
            more = more._replace(row=self._first[self._tree.order[more.row]])
            best = _keep_best(_join([best, more]), count, distinct)
            _lower(limit, best, distinct)
        return best if k == 1 else self._copies(best, count, k)

    def _expand(
        self, level: Level, points: RecordPoints, limit: Floats, pairs: _Candidates
    ) -> _Candidates:
        """The children of nodes that are near enough to their query."""
        parts = []
        for at in range(0, max(1, len(pairs.query)), _SLICE):
            query, _, node = pairs.take(slice(at, at + _SLICE))
            parts.append(_near(self._tree.costs(level, points, query, node), limit, query, node))
        return _join(parts)

    def _probe(self, points: RecordPoints, costs: Floats, k: int) -> Floats:
        """For each query a cost that its k-th nearest row does not exceed.

        Follows the nodes that look nearest down to a few blocks.
        """
        count = len(costs)
        beam = max(_BEAM, -(-2 * k // BLOCK))
        node = np.zeros((count, 1), np.int64)
        for level in self._tree.levels[1:]:
            fan = costs.shape[1] // node.shape[1]
            near = _lowest(costs, beam)
            node = np.take_along_axis(node, near // fan, axis=1) * fan + near % fan
            query = np.repeat(np.arange(count), node.shape[1])
            costs = self._tree.costs(level, points, query, node.ravel()).reshape(count, -1)
        if costs.shape[1] < k:
            return np.full(count, np.inf)
        return np.partition(costs, k - 1, axis=1)[:, k - 1]

    def _copies(self, best: _Candidates, count: int, k: int) -> _Candidates:
        """Replace the first of equal rows by all of them, and keep the k nearest."""
        rows, starts, sizes = self._members
        group = self._groups.of[best.row]
        times = np.minimum(sizes[group], k)
        within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        row = rows[np.repeat(starts[group], times) + within]
        copied = _Candidates(np.repeat(best.query, times), np.repeat(best.cost, times), row)
        return _keep_best(copied, count, k)

    @cached_property
    def _members(self) -> tuple[Ints, Ints, Ints]:
        """Rows sorted by the group of equal rows they are in; where groups start; their sizes."""
        sizes = np.bincount(self._groups.of)
        return np.argsort(self._groups.of, kind="stable"), np.cumsum(sizes) - sizes, sizes


def _near(costs: Floats, limit: Floats, query: Ints, node: Ints) -> _Candidates:
    """The children of nodes whose cost is within the limit of their query."""
    flat = np.flatnonzero(costs <= limit[query][:, None])
    pair, child = np.divmod(flat, costs.shape[1])
    return _Candidates(query[pair], costs.ravel()[flat], node[pair] * costs.shape[1] + child)


def _join(parts: list[_Candidates]) -> _Candidates:
    if len(parts) == 1:
        return parts[0]
    return _Candidates(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _lowest(costs: Floats, count: int) -> Ints:
    """The positions of the lowest costs in each line, in any order."""
    if count >= costs.shape[1]:
        return np.broadcast_to(np.arange(costs.shape[1]), costs.shape)
    return np.argpartition(costs, count - 1, axis=1)[:, :count]


def _lower(limit: Floats, best: _Candidates, k: int) -> None:
    """Set the limit of every query with k known rows to the cost of the last of them."""
    kth = best.take(slice(k - 1, None))
    full = kth.query == best.query[: len(kth.query)]
    limit[kth.query[full]] = kth.cost[full]


def _keep_best(best: _Candidates, count: int, k: int) -> _Candidates:
    """The k best rows of each query by cost, then row number, in order."""
    query, cost, row = best
    if k == 1:  # no sorting: with few categories there are many ties
        least = np.full(count, np.inf)
        np.minimum.at(least, query, cost)
        ties = np.flatnonzero(cost == least[query])
        first = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(first, query[ties], row[ties])
        known = np.flatnonzero(least < np.inf)
        return _Candidates(known, least[known], first[known])
    best = best.take(np.lexsort((row, cost, query)))
    place = np.arange(len(query)) - np.searchsorted(best.query, best.query)
    return best.take(np.flatnonzero(place < k))


def _groups(points: RecordPoints) -> _Groups:
    """Find equal records by sorting their hashes."""
    mixed = np.zeros(points.values.shape[1], np.uint64)
    for column in points.columns:
        mixed = (mixed ^ column.view(np.uint64)) * _MIX
        mixed ^= mixed >> np.uint64(32)
    order = np.argsort(mixed)
    new = np.ones(len(order), bool)
    new[1:] = False
    for column in points.columns:
        arranged = column.view(np.uint64)[order]
        new[1:] |= arranged[1:] != arranged[:-1]
    of = np.empty(len(order), np.int64)
    of[order] = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    first = np.minimum.reduceat(order, starts) if len(starts) else starts
    return _Groups(first, of, mixed[order][starts])
