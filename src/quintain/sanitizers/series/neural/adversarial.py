"""Adversarial noise: people dragged towards somebody else's place in a network's eyes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Series
from quintain.data.arrays import Floats
from quintain.kernels.networks.device import computing, has_torch
from quintain.kernels.series_preparation import as_series, complete, longest, within_bounds
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.series.gaussian import in_random_order
from quintain.sanitizers.series.neural.clusters import k_means, most_central
from quintain.sanitizers.series.neural.embedding import Embedding, PairTraining
from quintain.sanitizers.series.neural.neural_sanitizer import NeuralSanitizer
from quintain.sanitizers.series.neural.perturbation import Dragging

if TYPE_CHECKING:
    from torch import Tensor


@register("adversarial-v1")
class Adversarial(NeuralSanitizer):
    """Adds noise that makes a network which knows people take them for somebody else.

    The method with which the Golden_Fleece team came second in Hide-and-Seek. Each person's columns
    are scaled to 0..1 over time, padding of -1 among them; a convolutional network learns to know
    persons again; persons it puts close to each other share a cluster, and the noise of the
    cluster drags its most central person towards somebody whom the network finds far away. All
    persons of the cluster get that noise. Missing values are completed.

    The noise is small, so series can still be matched one to one: it fools the network and not a
    patient attack. What went to the contest differed: rows came out in the order of the clusters
    and were scaled back with the range, the length and the missing values of another person, and it
    is this mistake that hid people from the attacks of 2020; the missing values, put back where
    they had been, would have given everybody away. ``as_shipped`` does all that.

    The defaults are small, for a processor. As in 2020: width = 64, iterations = 30000; that wants
    a GPU.

    Parameters
    ----------
    as_shipped : as it went to the contest in 2020: missing values are 0 and put back afterwards,
        rows are mixed up, dropout stays on, and the penalty has no slope.
    width : channels of the first two convolutions of the network; the third has twice as many.
    iterations, batch : of its training, batch in pairs.
    per_cluster : how many persons share a noise, on average.
    candidates : how many random others the one farthest away is chosen from.
    noise_steps, noise_rate : of the training of the noise.
    penalty : how much the size of the noise counts.
    device, steps : as for every neural sanitizer.

    References
    ----------
    Wang, Wang and Srivastava, Protecting User Data Privacy with Adversarial Perturbations (2021),
    and the team's solution to the NeurIPS 2020 Hide-and-Seek Privacy Challenge. Shan et al. (2020),
    Fawkes: Protecting Privacy against Unauthorized Deep Learning Models.
    """

    as_shipped: bool = False
    width: Annotated[int, Field(ge=1, le=1024)] = 8
    iterations: Annotated[int, Field(ge=1, le=10_000_000)] = 300
    batch: Annotated[int, Field(ge=1, le=100_000)] = 64
    per_cluster: Annotated[int, Field(ge=1, le=1_000_000)] = 25
    candidates: Annotated[int, Field(ge=1, le=1_000_000)] = 30
    noise_steps: Annotated[int, Field(ge=0, le=1_000_000)] = 200
    noise_rate: Annotated[float, Field(gt=0, le=1)] = 1e-4
    penalty: Annotated[float, Field(ge=0, le=1000)] = 0.18

    @classmethod
    def examples(cls) -> list[Self]:
        """Tiny networks; none where PyTorch is missing, since they could not run."""
        if not has_torch():
            return []
        small = cls(width=1, iterations=2, batch=4, per_cluster=5, noise_steps=2, device="cpu")
        return [small, small.model_copy(update={"as_shipped": True})]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Scale each person, train network and noise, scale back."""
        series = as_series(data)
        steps = self.steps or longest(series)
        series = series.head(steps)
        filled = np.nan_to_num(series.values, nan=0.0) if self.as_shipped else complete(series)
        held = Series(series.schema, series.ids, series.offsets, filled)
        images, padding = held.padded(steps)
        low = images.min(axis=1, keepdims=True)
        span = images.max(axis=1, keepdims=True) - low
        span[span == 0] = 1.0
        images -= low
        images /= span
        images = self._hidden(images, rng=rng)
        images *= span
        images += low
        values = within_bounds(images[~padding], series.schema)
        if self.as_shipped:
            missing = np.isnan(series.values)
            values[missing] = series.values[missing]
        released = Series(series.schema, series.ids, series.offsets, values)
        return Sanitized(Release(in_random_order(released, noise), methods=self._methods(series)))

    def _hidden(self, images: Floats, *, rng: np.random.Generator) -> Floats:
        """Scaled persons with their noise."""
        with computing(self.device, "adversarial noise") as device:
            import torch

            seen = torch.from_numpy(images.astype(np.float32)).to(device)
            training = PairTraining(self.width, self.iterations, self.batch)
            embedding = training.run(seen, rng=rng)
            labels, noise = self._noise(embedding, seen, rng=rng)
            drawn, moved = labels.cpu().numpy(), noise.cpu().numpy()
        if self.as_shipped:
            # Cluster after cluster, while the caller goes on with the old order.
            order = np.argsort(drawn, kind="stable")
            return np.asarray(images[order] + moved[drawn[order]])
        return np.asarray(images + moved[drawn])

    def _noise(
        self, embedding: Embedding, seen: Tensor, *, rng: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """The cluster of each person, and the noise of each cluster."""
        import torch

        dice = None
        if self.as_shipped:
            dice = torch.Generator(seen.device).manual_seed(int(rng.integers(2**62)))
        points = embedding.points(seen, dice)
        labels = k_means(points, max(1, len(seen) // self.per_cluster), rng=rng)
        central = most_central(seen.flatten(1), labels)
        drawn = rng.integers(len(seen), size=(len(central), self.candidates))
        others = torch.from_numpy(drawn).to(seen.device)
        apart = (points[others] - points[central][:, None]).square().sum(2)
        target = others.gather(1, apart.argmax(1, keepdim=True))[:, 0]
        penalty = 0.0 if self.as_shipped else self.penalty
        dragging = Dragging(self.noise_steps, self.noise_rate, penalty)
        return labels, dragging.run(embedding, seen[central], seen[target], dice)

    def _methods(self, series: Series) -> tuple[Method, ...]:
        detail = f"adversarial, shared by about {self.per_cluster} persons, "
        detail += f"{self.noise_steps} steps of {self.noise_rate:g} of a person's range"
        added = Method(name="noise addition", rows=len(series), detail=detail)
        if not self.as_shipped:
            return (Method(name="imputation", detail="next value, last value, median"), added)
        mixed = "rows with the range, length and missing values of another person"
        return (added, Method(name="shuffling", rows=len(series), detail=mixed))
