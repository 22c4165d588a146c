"""A shallow tree over blocks of similar records, with a box around each block and node.

A box stores the lowest and the highest number of its records, and the category bits that none of
them has. The cost from a record to a box is a lower bound on its cost to every record in the box.
Rounding preserves order, so the bound also holds for computed costs, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quintain.data.arrays import Array, Floats, Ints
from quintain.kernels.distances import Bits, Layout, Points

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

    def grouped(self, fan: int) -> Level:
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

    def __init__(self, layout: Layout, points: Points, features: list[Array]) -> None:
        self._layout = layout
        self.order, block = _order(layout, features)
        bits, values = points.take(self.order)
        bits[:, self.order < 0] = 0
        values[:, self.order < 0] = np.inf
        level = Level(~bits, values, None).grouped(block)
        levels = [level]
        while len(levels) == 1 or level.low.shape[1] > 1:
            count = level.low.shape[1]
            level = level.boxes().grouped(_FAN if count > _TOP else count)
            levels.append(level)
        self.levels = levels[::-1]

    def costs(self, level: Level, points: Points, query: Ints, node: Ints) -> Floats:
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
