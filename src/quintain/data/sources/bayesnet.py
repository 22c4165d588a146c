"""Bayesnet: draws people who do not exist from published shares.

Each attribute has a small table of shares, given a few other attributes, its parents. The
attributes are drawn one after the other. A parameter file has nothing but such tables, with shares
rounded to parts of ten thousand. All draws use whole numbers only, so the same seed gives the same
people on every machine.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from quintain.data.arrays import Array

FORMAT = "quintain.shares/1"
SHARES = 10_000
"""The sum of every row of every table."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One attribute given a few others, its parents: a table with the shares of its values.

    Parameters
    ----------
    name : the attribute that is drawn.
    parents : the attributes it depends on: ``age``, a coarser view such as ``age/band``, or
        ``head.age``, the age of the head of the household.
    sizes : how many values each parent has.
    index : the row of ``shares`` for every combination of values of the parents; the last parent
        varies fastest.
    shares : one row per distribution, in parts of ten thousand.
    """

    name: str
    parents: tuple[str, ...]
    sizes: tuple[int, ...]
    index: Array
    shares: Array

    def draw(self, parents: list[Array], count: int, rng: np.random.Generator) -> Array:
        """Draw values for ``count`` people, given the values of the parents."""
        which = np.zeros(count, np.int64)
        for codes, size in zip(parents, self.sizes, strict=True):
            which = which * size + codes
        row = self.index[which]
        # All rows follow each other on one scale, so one search draws from every person's own row.
        ruler = np.cumsum(self.shares.ravel())
        mark = row * SHARES + rng.integers(SHARES, size=count)
        value: Array = np.searchsorted(ruler, mark, side="right") - row * self.shares.shape[1]
        return value


@dataclass(frozen=True, slots=True, eq=False)
class SourceNetwork:
    """Attributes in an order in which each depends only on earlier ones.

    >>> toss = Node("coin", (), (), np.zeros(1, int), np.array([[5_000, 5_000]]))
    >>> echo = Node("echo", ("coin",), (2,), np.arange(2), np.array([[10_000, 0], [0, 10_000]]))
    >>> drawn = SourceNetwork((toss, echo), {}).sample(100, np.random.default_rng(1), {})
    >>> sorted(drawn), bool((drawn["coin"] == drawn["echo"]).all())
    (['coin', 'echo'], True)
    """

    nodes: tuple[Node, ...]
    views: Mapping[str, Array]

    def sample(
        self, count: int, rng: np.random.Generator, given: Mapping[str, Array]
    ) -> dict[str, Array]:
        """Draw the attributes of ``count`` people, given those that are known already."""
        known = dict(given)
        for node in self.nodes:
            parents = [self._codes_of(name, known) for name in node.parents]
            known[node.name] = node.draw(parents, count, rng)
        return {node.name: known[node.name] for node in self.nodes}

    def _codes_of(self, name: str, known: Mapping[str, Array]) -> Array:
        if name in known:
            return known[name]
        attribute, _, _ = name.partition("/")
        # "head.age/band" is the view "age/band" of the head's age.
        return self.views[name.rpartition(".")[2]][known[attribute]]


@cache
def read_networks(file: str) -> Mapping[str, SourceNetwork]:
    """The networks of a parameter file that is installed beside this module, by name."""
    packed = files(__package__).joinpath(file).read_bytes()
    return from_document(json.loads(gzip.decompress(packed)))


def from_document(document: Mapping[str, Any]) -> dict[str, SourceNetwork]:
    """Networks from the plain data of a parameter file."""
    if document["format"] != FORMAT:
        raise ValueError(f"the parameters have the format {document['format']!r}, not {FORMAT!r}")
    views = {name: np.array(codes, np.int64) for name, codes in document["views"].items()}
    return {
        name: SourceNetwork(tuple(_node(node) for node in nodes), views)
        for name, nodes in document["networks"].items()
    }


def _node(plain: Mapping[str, Any]) -> Node:
    return Node(
        name=plain["name"],
        parents=tuple(plain["parents"]),
        sizes=tuple(plain["sizes"]),
        index=np.array(plain["index"], np.int64),
        shares=np.array(plain["shares"], np.int64),
    )
