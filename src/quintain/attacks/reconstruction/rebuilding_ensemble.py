"""Rebuilding ensemble: several attacks, weighed by what they say of released records."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.attacks.reconstruction.belief_propagation import BeliefPropagation
from quintain.attacks.reconstruction.column_models import ColumnModels
from quintain.attacks.reconstruction.neighbour_vote import NeighbourVote
from quintain.attacks.reconstruction.rebuilding import (
    Rebuilding,
    RebuildingAttack,
    log_loss,
    normalise,
)
from quintain.data.arrays import Floats, Rows
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import k_nearest
from quintain.registry import register

_ASKED = 1_000  # released records that are held out at most, and compared with each other
_LEAST = 50  # with fewer records, all attacks count the same
_STEPS = 4  # weights are multiples of one over this
_BINS = 10  # of the distances between released records
_TIES = 8  # records as near as the nearest one that share its vote, at most


@register("rebuilding-ensemble-v1")
class RebuildingEnsemble(RebuildingAttack):
    r"""Weighs several attacks by what they say of released records, and looks for copies.

    A part of the release is held out, and ``neighbour-vote``, ``column-models`` and
    ``belief-propagation`` rebuild it from the rest. The weights of their beliefs, column by column,
    are those under which the held-out values are least surprising. Then all three learn from the
    whole release.

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
            BeliefPropagation(nodes="forest", trees=self.trees),
            BeliefPropagation(),
        )
        weights = self._weights(task, experts, rng)
        beliefs = [expert.believe(task, rng=rng) for expert in experts]
        out = [mix(own, w) for own, w in zip(zip(*beliefs, strict=True), weights, strict=True)]
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
        count = len(task.shown)
        if count < _LEAST:
            return [np.full(len(experts), 1 / len(experts)) for _ in task.hidden]
        ask, learn = np.split(rng.permutation(count), [min(_ASKED, count // 4)])
        inner = task.within(learn, ask)
        beliefs = [expert.believe(inner, rng=rng) for expert in experts]
        grid = [np.array(w) / _STEPS for w in product(range(_STEPS + 1), repeat=len(experts))]
        grid = [w for w in grid if w.sum() == 1]
        out = []
        for place, column in enumerate(task.hidden):
            own, truth = [shares[place] for shares in beliefs], column.codes[ask]
            out.append(min(grid, key=lambda w: log_loss(mix(own, w), truth)))
        return out


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
    some = task.shown.take(rng.permutation(len(task.shown))[:_ASKED])
    usual = k_nearest(some, task.shown, 2, metric)[0][:, 1]
    edges = np.unique(np.append(0.0, np.quantile(usual, np.linspace(0, 1, _BINS + 1)[1:-1])))
    own, other = (np.searchsorted(edges, d, "left") for d in (away[:, 0], usual))
    bins = len(edges) + 1
    targets, released = (np.bincount(side, minlength=bins) + 0.5 for side in (own, other))
    shares = np.maximum(0, 1 - (released / released.sum()) / (targets / targets.sum()))
    return np.asarray(np.minimum.accumulate(shares)[own]), rows, votes
