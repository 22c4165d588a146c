"""Genetic noise: mix people's series as far as predictors still work."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Data
from quintain.data.arrays import Floats
from quintain.kernels.networks.arrays import Batch, as_batch, prepare_timed, repeat_last_row
from quintain.kernels.networks.device import computing, has_torch
from quintain.kernels.networks.forecasters import Task, Training
from quintain.kernels.series_preparation import Prepared, as_series, longest
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.series.gaussian import in_random_order
from quintain.sanitizers.series.neural.clusters import k_means, most_central
from quintain.sanitizers.series.neural.evolution import Evolution
from quintain.sanitizers.series.neural.neural_sanitizer import NeuralSanitizer


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
        released = prepared.restored(prepared.values + added[real])
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

    def _evolve_noise(self, prepared: Prepared, *, rng: np.random.Generator) -> Floats:
        """The noise of each person, an array of persons x steps x columns."""
        columns = prepared.values.shape[1]
        chosen = rng.choice(columns, min(self.predictors, columns), replace=False)
        tasks = [*(Task(int(column)) for column in np.sort(chosen)), Task()]
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
