"""Neighbour vote: the released records most like a target vote on its hidden values."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.attacks.reconstruction.rebuilding import Rebuilding, RebuildingAttack, normalise
from quintain.data.arrays import Floats
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import k_nearest
from quintain.registry import register

_BEYOND = 0.5  # the weight of the whole release beside the neighbours


@register("neighbour-vote-v1")
class NeighbourVote(RebuildingAttack):
    """Lets the nearest released records vote on each hidden column; nearer ones count more.

    Distances are those of Gower over the known columns. A record at distance d has the weight
    exp(-2 d / h), where h is the mean distance of the farthest voters. The release as a whole has
    half a vote.

    Parameters
    ----------
    k : how many records vote.

    References
    ----------
    Fix and Hodges, Discriminatory analysis (1951). Gower, A general coefficient of similarity,
    Biometrics 27 (1971).

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"age": [20, 21, 60, 61], "ill": ["no", "no", "yes", "yes"]})
    >>> targets = pa.table({"age": [59, 22]})
    >>> guess = q.attack("neighbour-vote", release, targets=targets, secret="ill", k=2, seed=0)
    >>> [record["ill"] for record in guess.table.records()]
    ['yes', 'no']
    """

    k: Annotated[int, Field(ge=1, le=1000)] = 15

    @classmethod
    def examples(cls) -> list[Self]:
        """A crowd of neighbours, and a single one that should tell rare values."""
        return [cls(), cls(k=1, rarity=1.0)]

    def believe(self, task: Rebuilding, *, rng: np.random.Generator) -> list[Floats]:
        """Add up the weights of the voters for each value."""
        metric = gower(task.known.schema, [task.shown, task.known])
        away, rows = k_nearest(task.known, task.shown, min(self.k, len(task.shown)), metric)
        reach = float(away[:, -1].mean()) or 1.0
        weights = np.exp(-2 * away / reach)
        people = np.arange(len(rows))[:, None]
        out = []
        for column in task.hidden:
            votes = np.tile(_BEYOND * column.prior(), (len(rows), 1))
            np.add.at(votes, (np.broadcast_to(people, rows.shape), column.codes[rows]), weights)
            out.append(normalise(votes))
        return out
