"""Belief propagation: hidden columns inform each other over the pairs that the release shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from quintain.attacks.reconstruction.column_models import forest_beliefs
from quintain.attacks.reconstruction.rebuilding import (
    HiddenClasses,
    Rebuilding,
    RebuildingAttack,
    log_loss,
    normalise,
)
from quintain.data.arrays import Floats, Rows
from quintain.kernels.pair_tables import PairTables
from quintain.registry import register

_SMOOTH = 5.0  # how many records of independence a pair of columns gets
_STRENGTHS = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)  # of known columns, which repeat each other
_EDGES = (0.0, 0.15, 0.3, 0.5, 0.75, 1.0)  # of hidden columns on each other
_TRIED = 1_000  # released records on which both are chosen


@register("belief-propagation-v1")
class BeliefPropagation(RebuildingAttack):
    r"""Rebuilds all hidden columns together, over a tree of pairs that the release shows.

    Each hidden column h begins with what the known columns say of it. With ``nodes`` = "pairs" that
    is $p(v) \prod_x (p(v, x) / p(v) p(x))^s$ over the known values x, with marginals of the release
    alone; with "forest" it is what random trees say. Then the hidden columns send each other
    messages along the tree of the pairs that depend most on each other, each with the factor
    $(p(v, w) / p(v) p(w))^t$. The strengths s and t are those under which released records, with
    their hidden columns hidden, are least surprising.

    Parameters
    ----------
    nodes : where the beliefs about single columns come from.
    trees : how many trees a forest has.

    References
    ----------
    Pearl, Probabilistic reasoning in intelligent systems (1988). Chow and Liu, Approximating
    discrete probability distributions with dependence trees (1968). arXiv:2606.08372, whose
    strongest attack joins models of single columns by belief propagation.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> jobs = {"job": ["nurse", "smith"] * 10, "ill": ["no", "yes"] * 10}
    >>> release = pa.table({"sex": ["f", "m"] * 10, **jobs})
    >>> given = {"targets": pa.table({"sex": ["m", "f"]}), "secret": ["job", "ill"]}
    >>> guess = q.attack("belief-propagation", release, **given, seed=0)
    >>> [(record["job"], record["ill"]) for record in guess.table.records()]
    [('smith', 'yes'), ('nurse', 'no')]
    """

    nodes: Literal["pairs", "forest"] = "pairs"
    trees: Annotated[int, Field(ge=1, le=10_000)] = 50

    @classmethod
    def examples(cls) -> list[Self]:
        """Marginals alone, and a few trees."""
        return [cls(), cls(nodes="forest", trees=5, rarity=1.0)]

    def believe(self, task: Rebuilding, *, rng: np.random.Generator) -> list[Floats]:
        """Begin with single columns, choose the strength of the edges, and send messages."""
        tried = rng.permutation(len(task.shown))[:_TRIED]
        if self.nodes == "forest":
            of_people, own = forest_beliefs(task, self.trees, rng=rng)
        else:
            of_people, own = pair_beliefs(task, tried)
        own = [shares if len(shares) == len(tried) else shares[tried] for shares in own]
        tree = HiddenTree.of(task.hidden)
        truths = [column.codes[tried] for column in task.hidden]
        strength = min(_EDGES, key=lambda t: _surprise(tree.spread(own, t), truths))
        return tree.spread(of_people, strength)


def _surprise(beliefs: Sequence[Floats], truths: Sequence[Rows]) -> float:
    return sum(log_loss(shares, codes) for shares, codes in zip(beliefs, truths, strict=True))


def pair_beliefs(task: Rebuilding, tried: Rows) -> tuple[list[Floats], list[Floats]]:
    """What pairs of a known and a hidden column say: of people, and of some released records."""
    shown, known, sizes = task.encode()
    of_people, own = [], []
    for column in task.hidden:
        tables = [
            _log_ratio(column.codes, codes, column.size, size)
            for codes, size in zip(shown, sizes, strict=True)
        ]
        start = np.log(np.maximum(column.prior(), 1e-9))
        evidence = [
            np.sum([table[:, codes] for table, codes in zip(tables, side, strict=True)], axis=0).T
            for side in (known, shown[:, tried])
        ]
        truth = column.codes[tried]
        options = [_softmax(start + strength * evidence[1]) for strength in _STRENGTHS]
        best = int(np.argmin([log_loss(shares, truth) for shares in options]))
        of_people.append(_softmax(start + _STRENGTHS[best] * evidence[0]))
        own.append(options[best])
    return of_people, own


def _log_ratio(first: Rows, second: Rows, rows: int, columns: int) -> Floats:
    """log p(v, w) / p(v) p(w) of two coded columns, drawn to independence where records are few."""
    counts = np.bincount(first * columns + second, minlength=rows * columns)
    joint = counts.reshape(rows, columns).astype(np.float64)
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / max(1, len(first))
    smooth = _SMOOTH * np.maximum(joint.sum(axis=0), 1) / max(1, len(first))
    scale = 1 + _SMOOTH / np.maximum(joint.sum(axis=1), 1)[:, None]
    return np.asarray(np.log((joint + smooth) / (np.maximum(expected, 1e-9) * scale + 1e-9)))


def _softmax(scores: Floats) -> Floats:
    return normalise(np.exp(scores - scores.max(axis=1, keepdims=True)))


@dataclass(frozen=True, slots=True, eq=False)
class HiddenTree:
    """The tree over hidden columns, from its root outwards.

    Parameters
    ----------
    order : the columns, each after the one it hangs from.
    parents : for each column the one it hangs from; -1 for the root.
    ratios : for each column but the root, log p(v, w) / p(v) p(w) of its parent and itself.
    """

    order: tuple[int, ...]
    parents: dict[int, int]
    ratios: dict[int, Floats]

    @classmethod
    def of(cls, hidden: Sequence[HiddenClasses]) -> HiddenTree:
        """The tree of the pairs that depend most on each other in the release."""
        tables = PairTables.of(
            [column.codes for column in hidden], [column.size for column in hidden]
        )
        edges = [tables.layout.pairs[place] for place in tables.spanning_tree()]
        order, parents = [0], {0: -1}
        for node in order:  # the list grows while it is read
            for pair in edges:
                if node in pair:
                    other = pair[0] + pair[1] - node
                    if other not in parents:
                        parents[other] = node
                        order.append(other)
        ratios = {}
        for node in order[1:]:
            parent, child = hidden[parents[node]], hidden[node]
            ratios[node] = _log_ratio(parent.codes, child.codes, parent.size, child.size)
        return cls(tuple(order), parents, ratios)

    def spread(self, beliefs: Sequence[Floats], strength: float) -> list[Floats]:
        """The beliefs about each column after all messages; one row per person.

        >>> codes = np.array([0, 0, 1, 1] * 50)
        >>> tree = HiddenTree.of([HiddenClasses(np.arange(2), codes)] * 2)
        >>> sure, unsure = np.array([[0.99, 0.01]]), np.array([[0.5, 0.5]])
        >>> bool(tree.spread([sure, unsure], 1.0)[1][0, 0] > 0.9)
        True
        """
        factors = {node: np.exp(strength * ratio) for node, ratio in self.ratios.items()}
        inward = [np.asarray(shares) for shares in beliefs]
        sent: dict[int, Floats] = {}
        for node in reversed(self.order[1:]):
            sent[node] = normalise(inward[node] @ factors[node].T)
            parent = self.parents[node]
            inward[parent] = normalise(inward[parent] * sent[node])
        for node in self.order[1:]:
            rest = normalise(inward[self.parents[node]] / np.maximum(sent[node], 1e-12))
            inward[node] = normalise(inward[node] * (rest @ factors[node]))
        return inward
