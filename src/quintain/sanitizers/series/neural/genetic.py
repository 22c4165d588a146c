"""Genetic noise: mix people's series as far as predictors still work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, as_series
from quintain.data.arrays import Floats
from quintain.jobs.progress import track
from quintain.kernels.networks import (
    Batch,
    Forecasters,
    LearningTask,
    Training,
    as_batch,
    computing,
    has_torch,
    prepare_timed,
    repeat_last_row,
)
from quintain.kernels.series import PreparedSeries, longest
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.series.neural.neural_sanitizer import NeuralSanitizer
from quintain.sanitizers.series.noise import in_random_order

if TYPE_CHECKING:
    from torch import Tensor


# Evolution of noise: let noise grow while predictors still work, many persons at once.


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


# Clusters of points that are close together: k-means, on the device of the points.


_TURNS = 25


def k_means(points: Tensor, count: int, *, rng: np.random.Generator) -> Tensor:
    """The cluster of each point: at most ``count`` clusters, none of them empty.

    Lloyd's method starts at random points. It assigns each point to the nearest centre, moves each
    centre to the mean of its points, and repeats this.
    """
    import torch

    start = np.sort(rng.choice(len(points), min(count, len(points)), replace=False))
    centres = points[torch.from_numpy(start).to(points.device)]
    labels = torch.full((len(points),), -1, device=points.device)
    for _ in range(_TURNS):
        apart = centres.square().sum(1) - 2 * points @ centres.T
        nearest = apart.argmin(1)
        if torch.equal(nearest, labels):
            break
        labels = nearest
        total = torch.zeros_like(centres).index_add_(0, labels, points)
        size = torch.bincount(labels, minlength=len(centres))[:, None]
        centres = torch.where(size > 0, total / size.clamp(min=1), centres)
    _, dense = torch.unique(labels, return_inverse=True)
    return torch.as_tensor(dense)


def most_central(points: Tensor, labels: Tensor) -> Tensor:
    """For each cluster the number of the point nearest to the mean of its points."""
    import torch

    count = int(labels.max()) + 1
    total = torch.zeros(count, points.shape[1], device=points.device).index_add_(0, labels, points)
    middle = total / torch.bincount(labels, minlength=count)[:, None]
    apart = (points - middle[labels]).square().sum(1)
    order = torch.argsort(apart, stable=True)
    order = order[torch.argsort(labels[order], stable=True)]
    first = torch.searchsorted(labels[order], torch.arange(count, device=labels.device))
    return order[first]


@register("genetic-v1")
class Genetic(NeuralSanitizer):
    """Adds the largest noise under which prediction networks still work, by a genetic algorithm.

    The Golden_Fleece team made this for Hide-and-Seek. Recurrent networks learn to predict features
    and the next row from the private data. Similar persons form clusters. For the most central
    person of each cluster, the algorithm breeds children: mixtures of two parents and the series of
    a random person. A child is fit if the error of every network on it is at most ``bound`` times
    the error on the central person. The two fit children farthest away become parents. All persons
    of the cluster get the noise of the best child.

    Missing values are filled in, and all columns are scaled, time included. The original program
    worked on raw units with missing values as 0, used the noise with the wrong sign, and put the
    missing values back.

    The defaults are small enough for a CPU. In 2020 the team used predictors = 20, hidden = none,
    epochs = 20, batch = 128 and rate = 0.001, which needs a GPU.

    >>> import quintain as q
    >>> small = q.sanitizers.Genetic(predictors=2, rounds=3, hidden=4, epochs=1, device="cpu")
    >>> small.spec()
    {'use': 'sanitizer/genetic-v1', 'device': 'cpu', ..., 'predictors': 2, 'bound': 4.5, ...}

    Parameters
    ----------
    predictors : the number of features that are predicted; the next row is always predicted.
    bound : the largest error of a predictor, as a multiple of its error on the central person.
    population, rounds, failures : children per round, largest number of rounds, and the number of
        rounds without a fit child after which a cluster is finished.
    per_cluster : the average number of persons who share the same noise.
    hidden : the size of a network's state; if none, the number of columns.
    layers, epochs, batch, rate : the size of the networks, and the parameters of their training.
    device, steps : as for every neural sanitizer.

    References
    ----------
    The team's solution to the NeurIPS 2020 Hide-and-Seek Privacy Challenge. Alzantot, Balaji and
    Srivastava (2018), Did you hear that? Adversarial examples against automatic speech recognition.
    """

    predictors: Annotated[int, Field(ge=1, le=1000)] = 5
    bound: Annotated[float, Field(ge=1, le=1000)] = 4.5
    population: Annotated[int, Field(ge=1, le=10_000)] = 5
    rounds: Annotated[int, Field(ge=0, le=100_000)] = 10
    failures: Annotated[int, Field(ge=1, le=100_000)] = 5
    per_cluster: Annotated[int, Field(ge=1, le=1_000_000)] = 20
    hidden: Annotated[int, Field(ge=1, le=4096)] | None = 16
    layers: Annotated[int, Field(ge=1, le=10)] = 3
    epochs: Annotated[int, Field(ge=1, le=100_000)] = 5
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 32
    rate: Annotated[float, Field(gt=0, le=1)] = 3e-3

    @classmethod
    def examples(cls) -> list[Self]:
        """Tiny networks; no example without PyTorch, because it could not run."""
        if not has_torch():
            return []
        return [cls(predictors=1, rounds=2, per_cluster=5, hidden=3, epochs=1, device="cpu")]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Train the predictors, grow the noise, and add it to the series."""
        series = as_series(data)
        prepared = prepare_timed(series, self.steps or longest(series))
        added = self._evolve_noise(prepared, rng=rng)
        real = np.arange(prepared.steps) < prepared.lengths[:, None]
        released = prepared.restore(prepared.values + added[real])
        methods = (
            Method(name="imputation", detail="next value, last value, median"),
            Method(
                name="noise addition",
                rows=len(prepared),
                detail=f"genetic, shared by about {self.per_cluster} persons, errors of "
                f"{self.predictors + 1} predictors at most {self.bound:g} times those before",
            ),
        )
        return Sanitized(Release(in_random_order(released, noise), methods=methods))

    def _evolve_noise(self, prepared: PreparedSeries, *, rng: np.random.Generator) -> Floats:
        """The noise of each person, an array of persons x steps x columns."""
        columns = prepared.values.shape[1]
        chosen = rng.choice(columns, min(self.predictors, columns), replace=False)
        tasks = [*(LearningTask(int(column)) for column in np.sort(chosen)), LearningTask()]
        training = Training(
            hidden=self.hidden or columns,
            layers=self.layers,
            epochs=self.epochs,
            batch=self.batch,
            rate=self.rate,
        )
        evolution = Evolution(self.population, self.rounds, self.failures, self.bound)
        with computing(self.device, "genetic noise") as device:
            import torch

            data = as_batch(prepared, device)
            judges = training.run(data, tasks, [int(rng.integers(2**62))])
            everybody = torch.from_numpy(repeat_last_row(prepared)).to(device)
            flat = everybody.flatten(1)
            labels = k_means(flat, max(1, len(prepared) // self.per_cluster), rng=rng)
            central = most_central(flat, labels)
            persons = Batch(everybody[central], data.real[central])
            noise_of_cluster = evolution.run(judges, persons, everybody, rng=rng)
            return np.asarray(noise_of_cluster[labels].double().cpu().numpy())
