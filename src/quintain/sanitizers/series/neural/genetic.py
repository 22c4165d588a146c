"""Genetic noise: mixtures of people's series that predictors can still live with."""

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
    """Adds noise that a genetic algorithm grew, as much as some predictors put up with.

    By the Golden_Fleece team in Hide-and-Seek. Recurrent networks learn to predict features
    and the next row from the private data. Persons are put into clusters; for the most central one
    of each, children are bred that have the features of two parents and something of a random
    person's series. A child is fit if every network's error on it is within ``bound`` times that
    on the person it comes from, and of the fit the two farthest away go on. All persons of the
    cluster get the noise of the best.

    Values are completed and scaled, time too; the original worked on raw units with missing values
    as 0, took the noise with the wrong sign, and put the missing values back.

    The defaults are small, for a processor. As in 2020: predictors = 20, hidden = none, epochs =
    20, batch = 128, rate = 0.001; that wants a GPU.

    Parameters
    ----------
    predictors : how many features are predicted; the next row always is.
    bound : how many times the error on the person predictors put up with.
    population, rounds, failures : children of a round, rounds at most, and after how many rounds
        without a fit child a cluster is done.
    per_cluster : how many persons share a noise, on average.
    hidden : numbers of a state of a network; none for as many as there are columns.
    layers, epochs, batch, rate : of the networks and their training.
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
        """A tiny one; none where PyTorch is missing, since it could not run."""
        if not has_torch():
            return []
        return [cls(predictors=1, rounds=2, per_cluster=5, hidden=3, epochs=1, device="cpu")]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Train predictors, grow noise, add it."""
        series = as_series(data)
        prepared = prepare_timed(series, self.steps or longest(series))
        added = self._grown(prepared, rng=rng)
        real = np.arange(prepared.steps) < prepared.lengths[:, None]
        released = prepared.restored(prepared.values + added[real])
        methods = (
            Method(name="imputation", detail="next value, last value, median"),
            Method(
                name="noise addition",
                rows=len(prepared),
                detail=f"genetic, shared by about {self.per_cluster} persons, errors of "
                f"{self.predictors + 1} predictors within {self.bound:g} times those before",
            ),
        )
        return Sanitized(Release(in_random_order(released, noise), methods=methods))

    def _grown(self, prepared: Prepared, *, rng: np.random.Generator) -> Floats:
        """The noise of each person, persons x steps x columns."""
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
            some = Batch(everybody[central], data.real[central])
            found = evolution.run(judges, some, everybody, rng=rng)
            return np.asarray(found[labels].double().cpu().numpy())
