"""Moving: sanitizers that leave everybody's times and change the places."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from quintain.data import Data, Trajectories
from quintain.data.arrays import Ints
from quintain.randomness.noise import Noise
from quintain.releases import ClaimedModel, Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer


class PlaceChange(Sanitizer):
    """Gives points other places, or none; the ids of a release still say for whom they stand.

    Attributes
    ----------
    method : the name of the method in a questionnaire.
    """

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)
    method: ClassVar[str]

    @abstractmethod
    def change(self, traces: Trajectories, *, noise: Noise) -> Ints:
        """The new cell of each point, -1 for none."""

    @abstractmethod
    def detail(self) -> str:
        """The parameters in words."""

    def models(self, traces: Trajectories) -> tuple[ClaimedModel, ...]:
        """What is claimed for the release, other than differential privacy."""
        return ()

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change the places, and count the people for whom something changed."""
        traces: Trajectories = self.see(data)
        before, after = traces.cells(), self.change(traces, noise=noise)
        changed = traces.person_of_point()[before != after]
        method = Method(
            name=self.method,
            columns=traces.grid.columns,
            rows=len(np.unique(changed)),
            detail=self.detail(),
        )
        released = Release(traces.with_cells(after), methods=(method,), models=self.models(traces))
        return Sanitized(released)
