"""Planar Laplace: move every place by noise, so that near places cannot be told apart."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Trajectories
from quintain.data.arrays import Ints
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import ClaimedModel
from quintain.sanitizers.trajectories.moving import PlaceChange

GEO = "geo-indistinguishability per point, epsilon per cell"


@register("planar-laplace-v1")
class PlanarLaplace(PlaceChange):
    r"""Moves each place by planar Laplace noise and so keeps geo-indistinguishability.

    The noise is a step of whole cells z with a probability proportional to exp(-epsilon |z|), where
    |z| is the Euclidean length. For two cells at a distance d, the probabilities of every released
    cell differ at most by the factor exp(epsilon d). A place that leaves the grid is moved to the
    nearest cell of the grid, which costs nothing. This is a claim about single points: somebody who
    sees n points of a person has a bound of n epsilon d, which for whole trajectories means little.
    It does not give differential privacy of people, and missing places stay missing.

    Parameters
    ----------
    epsilon : the privacy loss per point and per distance of one cell; lower is more private. The
        mean step is about 2 / epsilon cells long.

    References
    ----------
    Andres, Bordenabe, Chatzikokolakis and Palamidessi, Geo-indistinguishability, CCS 2013. They
    draw real numbers and round them; here the noise lies on the grid from the start.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> print(q.sanitize("planar-laplace", example("trajectories"), epsilon=1, seed=1).facts())
    claimed: geo-indistinguishability per point, epsilon per cell with value = 1 of x, y; a test
    that protects nobody
    """

    method: ClassVar[str] = "noise addition"

    epsilon: Annotated[float, Field(gt=0, le=100)] = 1.0

    def change(self, traces: Trajectories, *, noise: Noise) -> Ints:
        """Add a step to each place, and stay on the grid."""
        cells, grid = traces.cells(), traces.grid
        there = np.flatnonzero(cells >= 0)
        step = planar_steps(self.epsilon, len(there), noise)
        x = np.clip(cells[there] % grid.width + step[:, 0], 0, grid.width - 1)
        y = np.clip(cells[there] // grid.width + step[:, 1], 0, grid.height - 1)
        out = cells.copy()
        out[there] = y * grid.width + x
        return out

    def detail(self) -> str:
        """What epsilon means, in words."""
        return f"planar Laplace, epsilon {self.epsilon:g} per point and cell of distance"

    def models(self, traces: Trajectories) -> tuple[ClaimedModel, ...]:
        """Geo-indistinguishability of single points."""
        return (ClaimedModel(name=GEO, value=self.epsilon, columns=traces.grid.columns),)


def planar_steps(epsilon: float, size: int, noise: Noise) -> Ints:
    """Steps z of whole cells, with probabilities proportional to exp(-epsilon |z|).

    Both parts of a proposal are discrete Laplace noise. As |z| is at least the sum of both parts,
    divided by the root of 2, a proposal can be accepted with the probability that is still missing.
    """
    steps = np.zeros((size, 2), np.int64)
    todo = np.arange(size)
    while len(todo):
        proposal = noise.laplace(math.sqrt(2) / epsilon, 2 * len(todo)).reshape(-1, 2)
        excess = np.hypot(*proposal.T) - np.abs(proposal).sum(axis=1) / math.sqrt(2)
        kept = noise.bernoulli(np.exp(-epsilon * np.maximum(excess, 0)), len(todo))
        steps[todo[kept]] = proposal[kept]
        todo = todo[~kept]
    return steps
