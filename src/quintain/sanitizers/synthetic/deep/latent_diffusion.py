"""Latent diffusion: an autoencoder of tables, and diffusion over its latent vectors (TabSyn)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Table
from quintain.kernels.mixed_columns import Encoded, MixedCoding, Normalisation
from quintain.kernels.networks import Adam
from quintain.kernels.perceptrons import (
    Blocks,
    Weights,
    as_encoded,
    as_tensors,
    batches,
    draw_layers,
    off_device,
    on_device,
    run_layers,
    torch_generator,
)
from quintain.registry import register
from quintain.sanitizers.synthetic.deep.deep_generator import (
    DeepGenerator,
    DeepModel,
    Hidden,
    Width,
)

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_PRICES = 1e-2, 1e-5
"""What the distance of latent vectors from normal noise costs, at the first and the last step."""
_LOG_NOISE = -1.2, 1.2
"""The mean and the spread of the logarithm of the noise in training."""
_LEAST_NOISE, _MOST_NOISE, _CURVE = 0.002, 80.0, 7
"""The noise of the last and the first step of drawing, and how unevenly steps are spread."""
_FREQUENCIES = 16


@dataclass(frozen=True, slots=True, eq=False)
class LatentDiffusionModel(DeepModel):
    """The decoder, and the network that takes noise out of latent vectors."""

    kind: ClassVar[str] = "latent-diffusion"

    def draw(self, rows: int, device: torch.device, *, rng: np.random.Generator) -> Encoded:
        """Take the noise out of latent vectors with steps of second order, and decode them."""
        import torch

        weights, generator = on_device(self.weights, device), torch_generator(device, rng=rng)
        width, blocks = weights["middle"].shape[0], Blocks(self.coding.sizes, device)
        ends = _MOST_NOISE ** (1 / _CURVE), _LEAST_NOISE ** (1 / _CURVE)
        noises = [*(np.linspace(*ends, self.steps) ** _CURVE), 0.0]
        vectors = torch.randn(rows, width, generator=generator, device=device) * noises[0]
        for noise, after in pairwise(noises):
            slope = (vectors - _denoise(weights, vectors, noise)) / noise
            ahead = vectors + (after - noise) * slope
            if after:
                there = (ahead - _denoise(weights, ahead, after)) / after
                ahead = vectors + (after - noise) * (slope + there) / 2
            vectors = ahead
        out = run_layers(weights, "decoder", vectors * weights["spread"] + weights["middle"])
        numbers = self.coding.width
        uniform = torch.rand(rows, blocks.width, generator=generator, device=device)
        codes = blocks.draw(blocks.log_shares(out[:, numbers:]), uniform)
        return as_encoded(out[:, :numbers], codes)


def _denoise(weights: Weights, vectors: Tensor, noise: float | Tensor) -> Tensor:
    """What noisy latent vectors of unit variance were before the noise."""
    import torch

    level = torch.as_tensor(noise, dtype=vectors.dtype, device=vectors.device).reshape(-1, 1)
    scale = (level**2 + 1).sqrt()
    rates = torch.arange(_FREQUENCIES, device=vectors.device) + 1.0
    angle = (level.log() / 4 * rates).expand(len(vectors), -1)
    inputs = torch.cat([vectors / scale, angle.cos(), angle.sin()], 1)
    return vectors / scale**2 + level / scale * run_layers(weights, "denoiser", inputs)


@register("latent-diffusion-v1")
class LatentDiffusion(DeepGenerator):
    """Learns an autoencoder of the records, and diffusion over its latent vectors (as TabSyn).

    A number becomes the normal score of its place in the order of its column, a category one of its
    values, and whether a value is missing is a category of its own. First, an encoder and a decoder
    learn to give back each record by way of a short vector; what the distance of the vectors from
    normal noise costs falls while they learn. Then a network learns to take normal noise of all
    sizes out of these vectors. New records start as noise, become vectors, and are decoded.

    Differences from the publication: encoder and decoder are dense layers over the whole record,
    not transformers over columns; that price falls at a fixed pace; and a decoded category is drawn
    by its shares.

    The part claims no privacy.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.
    steps : how many training steps, first of the autoencoder, then as many of the diffusion.
    batch : how many records each step reads.
    rate : the length of the first steps; later ones are shorter.
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU, "auto"
        uses a GPU if the machine has one.
    publish_model : whether the release carries the trained model, as a safetensors file.
    hidden : the units of each hidden layer.
    latent : the length of a latent vector; if not given, four numbers per column.
    noise_steps : in how many steps noise is taken out when records are drawn.

    References
    ----------
    Zhang and others (2024), Mixed-type tabular data synthesis with score-based diffusion in latent
    space. Karras, Aittala, Aila and Laine (2022), Elucidating the design space of diffusion-based
    generative models.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=60))
    >>> short = {"steps": 5, "batch": 20, "hidden": (16,), "device": "cpu"}
    >>> release = q.sanitize("latent-diffusion", table, **short, seed=1)
    >>> len(release.data), release.data.schema == table.schema, release.claim is None
    (60, True, True)
    """

    normalisation: ClassVar[Normalisation] = "quantiles"

    hidden: Hidden = (256, 256)
    latent: Width | None = None
    noise_steps: Annotated[int, Field(ge=2, le=1000)] = 50

    def train(
        self, data: Table, coding: MixedCoding, device: torch.device, *, rng: np.random.Generator
    ) -> LatentDiffusionModel:
        """Train the autoencoder, then the diffusion over its vectors."""

        generator = torch_generator(device, rng=rng)
        encoded, latent = coding.encode(data, rng=rng), self.latent or 4 * len(coding.columns)
        inputs = coding.width + sum(coding.sizes)
        weights = on_device(
            {
                **draw_layers("encoder", [inputs, *self.hidden, 2 * latent], rng=rng),
                **draw_layers("decoder", [latent, *self.hidden[::-1], inputs], rng=rng),
            },
            device,
        )
        vectors = self._train_autoencoder(weights, encoded, coding, generator)
        middle, spread = vectors.mean(0), vectors.std(0, unbiased=False).clamp_min(1e-3)
        sizes = [latent + 2 * _FREQUENCIES, *self.hidden, latent]
        denoiser = on_device(draw_layers("denoiser", sizes, rng=rng), device)
        self._train_denoiser(denoiser, (vectors - middle) / spread, generator)
        kept = {n: w for n, w in weights.items() if n.startswith("decoder")} | denoiser
        kept |= {"middle": middle, "spread": spread}
        arrays = off_device(kept)
        return LatentDiffusionModel(
            data.schema, len(data), coding, arrays, self.noise_steps, self.device
        )

    def _train_autoencoder(
        self, weights: Weights, encoded: Encoded, coding: MixedCoding, generator: torch.Generator
    ) -> Tensor:
        """Learn to give back records; returns the latent vector of each record."""
        import torch

        device, width = generator.device, coding.width
        numbers, codes = as_tensors(encoded, device)
        blocks, adam = Blocks(coding.sizes, device), Adam([*weights.values()], self.rate)
        rows, first, last = len(numbers), *np.log(_PRICES)
        for done, batch in enumerate(
            batches(rows, self.batch, self.steps, "autoencoder", generator)
        ):
            share = done / self.steps
            adam.rate = self.rate * (1 - share)
            number, code = numbers[batch], blocks.hot(codes[batch])
            out = run_layers(weights, "encoder", torch.cat([number, code], 1))
            middle, log_variance = out.chunk(2, 1)
            noise = torch.randn(middle.shape, generator=generator, device=device)
            out = run_layers(weights, "decoder", middle + (log_variance / 2).exp() * noise)
            missed = ((number - out[:, :width]) ** 2).sum(1)
            missed = missed - (code * blocks.log_shares(out[:, width:])).sum(1)
            price = (log_variance.exp() + middle**2 - 1 - log_variance).sum(1) / 2
            adam.step((missed + np.exp(first + share * (last - first)) * price).mean())
        with torch.no_grad():
            every = torch.cat([numbers, blocks.hot(codes)], 1)
            return run_layers(weights, "encoder", every).chunk(2, 1)[0]

    def _train_denoiser(
        self, weights: Weights, vectors: Tensor, generator: torch.Generator
    ) -> None:
        """Learn to take normal noise of random size out of latent vectors."""
        import torch

        adam, (mean, spread) = Adam([*weights.values()], self.rate), _LOG_NOISE
        for done, batch in enumerate(
            batches(len(vectors), self.batch, self.steps, "latent diffusion", generator)
        ):
            adam.rate = self.rate * (1 - done / self.steps)
            clean = vectors[batch]
            size = torch.randn(len(clean), 1, generator=generator, device=clean.device)
            level = (mean + spread * size).exp()
            noise = torch.randn(clean.shape, generator=generator, device=clean.device)
            apart = _denoise(weights, clean + level * noise, level) - clean
            adam.step(((1 + 1 / level**2) * apart**2).mean())
