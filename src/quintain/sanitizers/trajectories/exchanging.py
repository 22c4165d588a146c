"""Exchanging: people get the trajectories, or single places, of others."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Trajectories
from quintain.data.arrays import Ints
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import permutation, random_subset
from quintain.sanitizers.trajectories.moving import PlaceChange


@register("trace-swap-v1")
class TraceSwap(Sanitizer):
    """Exchanges whole trajectories between random people, and publishes them unchanged.

    Who recognises a trajectory names the wrong person, so the release looks safe where only names
    count. But it has everybody's trajectory as it is: it hides nothing of where people were.

    Parameters
    ----------
    share : the share of people who exchange their trajectories.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407, where it
    is the example of a release that is safe for names and unsafe for places.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> traces = example("trajectories")
    >>> release = q.sanitize("trace-swap", traces, seed=1)
    >>> sorted(release.data.cells().tolist()) == sorted(traces.cells().tolist())
    True
    """

    shapes: ClassVar[tuple[str, ...]] = ("trajectories",)

    share: Annotated[float, Field(ge=0, le=1)] = 1.0

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Give each of the drawn people the trajectory of another one of them."""
        traces: Trajectories = self.see(data)
        chosen = random_subset(round(self.share * len(traces)), len(traces), noise)
        order = np.arange(len(traces))
        order[chosen] = chosen[permutation(len(chosen), noise)]
        names = traces.ids.copy()
        place = np.argsort(order)
        method = Method(
            name="data swapping",
            columns=traces.grid.columns,
            rows=int((order != np.arange(len(order))).sum()),
            detail=f"whole trajectories of {100 * self.share:g} % of the people",
        )
        released = traces.take(place).with_ids(names)
        return Sanitized(Release(released, methods=(method,)))


@register("place-swap-v1")
class PlaceSwap(PlaceChange):
    """Exchanges places between people who have a point at the same time.

    At every time the same places are occupied as before, so counts of cells stay exact. Nobody's
    trajectory is left if all places are exchanged.

    Parameters
    ----------
    share : the probability with which a place takes part.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> traces = example("trajectories")
    >>> release = q.sanitize("place-swap", traces, share=0.5, seed=1)
    >>> sorted(release.data.cells().tolist()) == sorted(traces.cells().tolist())
    True
    """

    method: ClassVar[str] = "data swapping"

    share: Annotated[float, Field(ge=0, le=1)] = 0.5

    def change(self, traces: Trajectories, *, noise: Noise) -> Ints:
        """Shuffle the chosen places of each time."""
        cells, times = traces.cells(), traces.times()
        takes_part = (cells >= 0) & noise.bernoulli(self.share, len(cells))
        points = np.flatnonzero(takes_part)
        in_order = points[np.argsort(times[points], kind="stable")]
        mixed = points[permutation(len(points), noise)]
        mixed = mixed[np.argsort(times[mixed], kind="stable")]
        out = cells.copy()
        out[in_order] = cells[mixed]
        return out

    def detail(self) -> str:
        """The share in words."""
        return f"{100 * self.share:g} % of the places, among people of the same time"
