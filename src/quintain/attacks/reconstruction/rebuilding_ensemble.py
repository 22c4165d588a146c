"""Rebuilding ensemble: several attacks, weighed by what they say of released records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.attacks.reconstruction.column_models import ColumnModels
from quintain.attacks.reconstruction.neighbour_vote import NeighbourVote
from quintain.attacks.reconstruction.rebuilding import (
    Rebuilding,
    RebuildingAttack,
    normalise,
)
from quintain.data.arrays import Floats, Rows
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import k_nearest
from quintain.registry import register

_ASKED = 2_000  # released records that are held out at most
_PARTS = 4  # of the release, of which one is held out at a time
_COMPARED = 1_000  # released records that are compared with each other at most
_LEAST = 50  # with fewer records, all attacks count the same
_EQUAL = 20  # records by which equal weights count
_ROUNDS = 100  # of the search for weights
_BINS = 10  # of the distances between released records
_TIES = 8  # records as near as the nearest one that share its vote, at most


@register("rebuilding-ensemble-v1")
class RebuildingEnsemble(RebuildingAttack):
    r"""Weighs several attacks by what they say of released records, and looks for copies.

    A quarter of the release at a time is held out, and ``neighbour-vote`` and three kinds of
    ``column-models`` (random trees, logistic regression and naive Bayes) rebuild it from the rest.
    The weights of their beliefs, column by column, are those under which the held-out values are
    least surprising. Then all of them learn from the whole release.

    Held-out records show what a release teaches, not whom it copies. So the attack also compares
    how near targets are to the release with how near released records are to each other. Among
    targets at some distance, copies make up the share

    $$ c = \max(0, 1 - Pr[d | released] / Pr[d | target]) $$

    which falls with the distance. The nearest records then count c together, the attacks 1 - c.

    Parameters
    ----------
    trees : how many trees the forests have.
    copies : whether to look for copies.

    References
    ----------
    Wolpert, Stacked generalization, Neural Networks 5 (1992). arXiv:2606.08372, where ensembles of
    several attacks are compared.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"age": [20, 61, 22, 63] * 20, "ill": ["no", "yes"] * 40})
    >>> targets = pa.table({"age": [60, 24]})
    >>> guess = q.attack("rebuilding-ensemble", release, targets=targets, secret="ill", seed=0)
    >>> [record["ill"] for record in guess.table.records()]
    ['yes', 'no']
    """

    trees: Annotated[int, Field(ge=1, le=10_000)] = 50
    copies: bool = True

    @classmethod
    def examples(cls) -> list[Self]:
        """A few trees, with and without copies."""
        return [cls(trees=5), cls(trees=5, copies=False, rarity=1.0)]

    def believe(self, task: Rebuilding, *, rng: np.random.Generator) -> list[Floats]:
        """Choose weights on held-out records, learn from all, and mix in the nearest record."""
        experts: tuple[RebuildingAttack, ...] = (
            NeighbourVote(),
            ColumnModels(trees=self.trees),
            ColumnModels(model="logistic"),
            ColumnModels(model="naive-bayes"),
        )
        weights = self._weights(task, experts, rng)
        beliefs = [expert.believe(task, rng=rng) for expert in experts]
        out = [
            mix(several, w) for several, w in zip(zip(*beliefs, strict=True), weights, strict=True)
        ]
        if not self.copies or not len(task.known):
            return out
        copied, rows, votes = copied_shares(task, rng=rng)
        people = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
        for column, shares in zip(task.hidden, out, strict=True):
            shares *= 1 - copied[:, None]
            np.add.at(shares, (people, column.codes[rows]), copied[:, None] * votes)
        return out

    def _weights(
        self, task: Rebuilding, experts: tuple[RebuildingAttack, ...], rng: np.random.Generator
    ) -> list[Floats]:
        """For each hidden column, how much each attack counts."""
        if len(task.shown) < _LEAST:
            return [np.full(len(experts), 1 / len(experts)) for _ in task.hidden]
        likely = [list[Floats]() for _ in task.hidden]
        for learn, ask in held_out(len(task.shown), rng=rng):
            inner = task.within(learn, ask)
            beliefs = [expert.believe(inner, rng=rng) for expert in experts]
            for place, column in enumerate(task.hidden):
                true = np.arange(len(ask)), column.codes[ask]
                likely[place].append(np.array([belief[place][true] for belief in beliefs]))
        return [mixture_weights(np.concatenate(parts, axis=1)) for parts in likely]


def held_out(count: int, *, rng: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """Records to learn from, and others to ask about, until enough were asked about.

    >>> [len(ask) for _, ask in held_out(9, rng=np.random.default_rng(0))]
    [3, 2, 2, 2]
    >>> [len(ask) for _, ask in held_out(10_000, rng=np.random.default_rng(0))]
    [2000]
    """
    count_asked = 0
    for part in np.array_split(rng.permutation(count), _PARTS):
        if count_asked < _ASKED:
            yield np.setdiff1d(np.arange(count), part), part[:_ASKED]
            count_asked += len(part)


def mixture_weights(likely: Floats) -> Floats:
    """The weights of a mixture that is least surprised, drawn a little to equal ones.

    Parameters
    ----------
    likely : how probable each expert thought what turned out to be true: experts x records.

    >>> mixture_weights(np.array([[0.9] * 500, [0.1] * 500])).round(2).tolist()
    [0.96, 0.04]
    """
    experts = len(likely)
    weights = np.full(experts, 1 / experts)
    for _ in range(_ROUNDS):  # expectation maximisation; each round surprises less than the last
        shares = weights[:, None] * np.maximum(likely, 1e-9)
        weights = (shares / shares.sum(axis=0)).sum(axis=1) + _EQUAL
        weights /= weights.sum()
    return np.asarray(weights)


def mix(beliefs: tuple[Floats, ...] | list[Floats], weights: Floats) -> Floats:
    """The weighted mean of several beliefs."""
    pairs = zip(beliefs, weights, strict=True)
    return normalise(np.sum([weight * shares for shares, weight in pairs], axis=0))


def copied_shares(task: Rebuilding, *, rng: np.random.Generator) -> tuple[Floats, Rows, Floats]:
    """For each person how likely a copy is among the nearest released records.

    Then these records, and the vote of each: those that are as near as the nearest share it.
    """
    metric = gower(task.known.schema, [task.shown, task.known])
    away, rows = k_nearest(task.known, task.shown, min(_TIES, len(task.shown)), metric)
    votes = normalise((away <= away[:, :1]).astype(np.float64))
    if len(task.shown) < _LEAST:
        return np.zeros(len(rows)), rows, votes
    some = task.shown.take(rng.permutation(len(task.shown))[:_COMPARED])
    usual = k_nearest(some, task.shown, 2, metric)[0][:, 1]
    edges = np.unique(np.append(0.0, np.quantile(usual, np.linspace(0, 1, _BINS + 1)[1:-1])))
    own, other = (np.searchsorted(edges, d, "left") for d in (away[:, 0], usual))
    bins = len(edges) + 1
    targets, released = (np.bincount(side, minlength=bins) + 0.5 for side in (own, other))
    shares = np.maximum(0, 1 - (released / released.sum()) / (targets / targets.sum()))
    return np.asarray(np.minimum.accumulate(shares)[own]), rows, votes
