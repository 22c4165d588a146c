"""Evolution of noise: let noise grow while predictors still work, many persons at once."""

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
    """The genetic algorithm that grows the noise.

    Parameters
    ----------
    population : children per round.
    rounds : the largest number of rounds.
    failures : a person is finished after this many rounds without a fit child.
    bound : a child is fit if the error of every predictor on it is at most this many times the
        error on the person it comes from.
    """

    population: int
    rounds: int
    failures: int
    bound: float

    def run(
        self,
        judges: Forecasters,
        persons: Batch,
        everybody: Tensor,
        *,
        rng: np.random.Generator,
    ) -> Tensor:
        """Grow the noise of each person; the result is persons x steps x columns.

        Parameters
        ----------
        judges : the predictors.
        persons : the series; a person's last row is repeated after its end.
        everybody : the series that are mixed in, extended in the same way.
        """
        import torch

        start, device = persons.values, persons.values.device
        limits = self.bound * root_errors(judges, persons)
        kept = start[:, None].repeat(1, _PARENTS, 1, 1)
        scale = torch.full((len(start),), _START, device=device)
        failed = torch.zeros(len(start), dtype=torch.long, device=device)
        for _ in track(range(self.rounds), "evolving noise", self.rounds):
            children = self._children(kept, scale, everybody, rng)
            alive = (failed < self.failures)[:, None]
            fit = _within(limits, judges, children, persons.real) & alive
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
        """Each child takes every feature from one of two parents, and adds a random series."""
        import torch

        persons, _, _, columns = kept.shape
        coins = rng.random((persons, self.population, 1, columns)) < 0.5
        mixed = rng.integers(len(everybody), size=(persons, self.population))
        device = kept.device
        halves = torch.where(torch.from_numpy(coins).to(device), kept[:, :1], kept[:, 1:])
        return halves + scale[:, None, None, None] * everybody[torch.from_numpy(mixed).to(device)]


def _within(limits: Tensor, judges: Forecasters, children: Tensor, real: Tensor) -> Tensor:
    """Which children are fit: all predictors stay within the limits; persons x population."""
    persons, population = children.shape[:2]
    candidates = Batch(children.flatten(0, 1), real.repeat_interleave(population, 0))
    errors = root_errors(judges, candidates).view(-1, persons, population)
    return (errors <= limits[:, :, None]).all(0)


def root_errors(judges: Forecasters, data: Batch) -> Tensor:
    """The root mean square error of each predictor on each person, models x persons."""
    missed, counts = judges.squares(data)
    return (missed.sum(2) / (counts * judges.outputs[:, None]).clamp(min=1)).sqrt()
