"""Evolution of noise: as much as some predictors put up with, many persons at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.kernels.networks.arrays import Batch
from quintain.kernels.networks.forecasters import Forecasters
from quintain.progress import track

if TYPE_CHECKING:
    from torch import Tensor

_PARENTS = 2
_START = 0.2
_RISE = 0.2


@dataclass(frozen=True, slots=True)
class Evolution:
    """How noise evolves.

    Parameters
    ----------
    population : children of each round.
    rounds : how many rounds there are at most.
    failures : after so many rounds without a fit child, a person is done.
    bound : a child is fit if no predictor's error on it is more than this many times that on the
        person it comes from.
    """

    population: int
    rounds: int
    failures: int
    bound: float

    def run(
        self,
        judges: Forecasters,
        some: Batch,
        everybody: Tensor,
        *,
        rng: np.random.Generator,
    ) -> Tensor:
        """The noise that was found for some persons, persons x steps x columns.

        Parameters
        ----------
        judges : the predictors.
        some : the persons; the last row goes on after a person's end.
        everybody : persons whose series are mixed in, likewise.
        """
        import torch

        start, device = some.values, some.values.device
        limits = self.bound * root_errors(judges, some)
        kept = start[:, None].repeat(1, _PARENTS, 1, 1)
        scale = torch.full((len(start),), _START, device=device)
        failed = torch.zeros(len(start), dtype=torch.long, device=device)
        for _ in track(range(self.rounds), "evolving noise", self.rounds):
            children = self._children(kept, scale, everybody, rng)
            alive = (failed < self.failures)[:, None]
            fit = _within(limits, judges, children, some.real) & alive
            everyone = torch.cat([kept, children], dim=1)
            size = (everyone - start[:, None]).square().sum((2, 3))
            size[:, _PARENTS:] = torch.where(fit, size[:, _PARENTS:], -1.0)
            best = size.topk(_PARENTS, dim=1).indices
            kept = everyone[torch.arange(len(start), device=device)[:, None], best]
            scale = torch.where(fit.any(1), scale + _RISE, scale / 2)
            failed += ~fit.any(1)
            if bool((failed >= self.failures).all()):
                break
        return kept[:, 0] - start

    def _children(
        self, kept: Tensor, scale: Tensor, everybody: Tensor, rng: np.random.Generator
    ) -> Tensor:
        """Each has the features of one parent or the other, and something of somebody's series."""
        import torch

        persons, _, _, columns = kept.shape
        coins = rng.random((persons, self.population, 1, columns)) < 0.5
        mixed = rng.integers(len(everybody), size=(persons, self.population))
        device = kept.device
        halves = torch.where(torch.from_numpy(coins).to(device), kept[:, :1], kept[:, 1:])
        return halves + scale[:, None, None, None] * everybody[torch.from_numpy(mixed).to(device)]


def _within(limits: Tensor, judges: Forecasters, children: Tensor, real: Tensor) -> Tensor:
    """Which children no predictor finds too far off, persons x population."""
    persons, population = children.shape[:2]
    asked = Batch(children.flatten(0, 1), real.repeat_interleave(population, 0))
    errors = root_errors(judges, asked).view(-1, persons, population)
    return (errors <= limits[:, :, None]).all(0)


def root_errors(judges: Forecasters, data: Batch) -> Tensor:
    """The root mean square error of each predictor on each person, models x persons."""
    missed, told = judges.squares(data)
    return (missed.sum(2) / (told * judges.outputs[:, None]).clamp(min=1)).sqrt()
