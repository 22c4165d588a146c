"""Dropping points: a share of the places is not published."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Trajectories
from quintain.data.arrays import Ints
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.trajectories.moving import PlaceChange


@register("drop-points-v1")
class DropPoints(PlaceChange):
    """Leaves out the places of random points; their times stay, so that everybody keeps points.

    Parameters
    ----------
    share : the probability with which the place of a point is left out.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> release = q.sanitize("drop-points", example("trajectories"), share=0.5, seed=1)
    >>> f"{(release.data.cells() < 0).mean():.2f}"
    '0.51'
    """

    method: ClassVar[str] = "suppression"

    share: Annotated[float, Field(ge=0, le=1)] = 0.5

    def change(self, traces: Trajectories, *, noise: Noise) -> Ints:
        """A coin for each point."""
        cells = traces.cells()
        return np.where(noise.bernoulli(self.share, len(cells)), -1, cells)

    def detail(self) -> str:
        """The share in words."""
        return f"{100 * self.share:g} % of the places left out at random"
