"""Stand-in people from published shares: a chain of small conditional tables, sampled in order.

A parameter file holds nothing but shares of ten thousand, quantised, in tables with a few parents
each. Draws are whole numbers all the way, so a seed gives the same people on every machine.
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
"""Every row of every table adds up to this many parts."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One attribute given a few others: which table row applies, and the shares in it.

    Parameters
    ----------
    name : the attribute that is drawn.
    parents : what it depends on: ``age``, a coarser view ``age/band``, or ``head.age`` of another.
    sizes : how many values each parent has.
    index : the row of ``shares`` for every combination of parents, the last parent fastest.
    shares : one row a distribution, in parts of ten thousand.
    """

    name: str
    parents: tuple[str, ...]
    sizes: tuple[int, ...]
    index: Array
    shares: Array

    def draw(self, parents: list[Array], count: int, rng: np.random.Generator) -> Array:
        """Values for ``count`` people whose parent values are given."""
        which = np.zeros(count, np.int64)
        for codes, size in zip(parents, self.sizes, strict=True):
            which = which * size + codes
        row = self.index[which]
        # All rows end to end on one ruler: one search finds the value in everybody's own row.
        ruler = np.cumsum(self.shares.ravel())
        mark = row * SHARES + rng.integers(SHARES, size=count)
        value: Array = np.searchsorted(ruler, mark, side="right") - row * self.shares.shape[1]
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Attributes in an order in which each depends on earlier ones only.

    >>> toss = Node("coin", (), (), np.zeros(1, int), np.array([[5_000, 5_000]]))
    >>> echo = Node("echo", ("coin",), (2,), np.arange(2), np.array([[10_000, 0], [0, 10_000]]))
    >>> drawn = Network((toss, echo), {}).sample(100, np.random.default_rng(1), {})
    >>> sorted(drawn), bool((drawn["coin"] == drawn["echo"]).all())
    (['coin', 'echo'], True)
    """

    nodes: tuple[Node, ...]
    views: Mapping[str, Array]

    def sample(
        self, count: int, rng: np.random.Generator, given: Mapping[str, Array]
    ) -> dict[str, Array]:
        """The drawn attributes of ``count`` people, given what is known of them already."""
        known = dict(given)
        for node in self.nodes:
            parents = [self._coded(name, known) for name in node.parents]
            known[node.name] = node.draw(parents, count, rng)
        return {node.name: known[node.name] for node in self.nodes}

    def _coded(self, name: str, known: Mapping[str, Array]) -> Array:
        if name in known:
            return known[name]
        attribute, _, _ = name.partition("/")
        # "head.age/band" is the view "age/band" of the head's age.
        return self.views[name.rpartition(".")[2]][known[attribute]]


@cache
def read_networks(file: str) -> Mapping[str, Network]:
    """The networks of a parameter file that ships beside this module, by name."""
    packed = files(__package__).joinpath(file).read_bytes()
    return from_document(json.loads(gzip.decompress(packed)))


def from_document(document: Mapping[str, Any]) -> dict[str, Network]:
    """Networks from the plain data of a parameter file."""
    if document["format"] != FORMAT:
        raise ValueError(f"parameters in format {document['format']!r}, expected {FORMAT!r}")
    views = {name: np.array(codes, np.int64) for name, codes in document["views"].items()}
    return {
        name: Network(tuple(_node(node) for node in nodes), views)
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
