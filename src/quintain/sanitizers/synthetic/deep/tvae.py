"""TVAE: an autoencoder of tables whose middle is normal noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Array
from quintain.kernels.mixed_columns import Encoded, MixedCoding, Normalisation
from quintain.kernels.networks import Adam
from quintain.kernels.perceptrons import (
    Blocks,
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

_FACTOR = 2.0
"""How many times the error of reconstruction counts, as in the publication."""
_SPREADS = 0.01, 1.0
"""The bounds of the spread of a number around what the decoder says."""


@dataclass(frozen=True, slots=True, eq=False)
class TvaeModel(DeepModel):
    """The decoder, and the spread of each number around what it says."""

    kind: ClassVar[str] = "tvae"

    def draw(self, rows: int, device: torch.device, *, rng: np.random.Generator) -> Encoded:
        """Decode normal noise."""
        import torch

        weights, generator = on_device(self.weights, device), torch_generator(device, rng=rng)
        blocks, width = Blocks(self.coding.sizes, device), self.coding.width
        latent = weights["decoder.0.weight"].shape[1]
        noise = torch.randn(rows, latent, generator=generator, device=device)
        out = run_layers(weights, "decoder", noise)
        normal = torch.randn(rows, width, generator=generator, device=device)
        spread = weights["spread"].clamp(*_SPREADS) if width else normal
        numbers = (out[:, :width].tanh() + spread * normal).clamp(-1, 1)
        uniform = torch.rand(rows, blocks.width, generator=generator, device=device)
        return as_encoded(numbers, blocks.draw(blocks.log_shares(out[:, width:]), uniform))


@register("tvae-v1")
class Tvae(DeepGenerator):
    """Learns a variational autoencoder of the records, and decodes normal noise (TVAE).

    A number becomes one of up to ten modes of its column and a place within the mode; a category
    becomes one of its values. An encoder turns a record into a normal distribution over a latent
    vector, a decoder turns a vector into a distribution over records, and both learn to give back
    each record while the vectors stay close to standard normal noise. A missing value is one more
    mode, or one more value.

    The part claims no privacy.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.
    steps : how many training steps.
    batch : how many records each step reads.
    rate : the length of the first steps; later ones are shorter.
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU, "auto"
        uses a GPU if the machine has one.
    publish_model : whether the release carries the trained model, as a safetensors file.
    hidden : the units of each hidden layer of encoder and decoder.
    latent : the length of the latent vector.

    References
    ----------
    Xu, Skoularidou, Cuesta-Infante and Veeramachaneni (2019), Modeling tabular data using
    conditional GAN.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=60))
    >>> short = {"steps": 5, "batch": 20, "hidden": (16,), "device": "cpu"}
    >>> release = q.sanitize("tvae", table, **short, seed=1)
    >>> len(release.data), release.data.schema == table.schema, release.claim is None
    (60, True, True)
    """

    normalisation: ClassVar[Normalisation] = "modes"

    hidden: Hidden = (128, 128)
    latent: Width = 64

    def train(
        self, data: Table, coding: MixedCoding, device: torch.device, *, rng: np.random.Generator
    ) -> TvaeModel:
        """Maximise the bound on the likelihood of records."""
        import torch

        numbers, codes = as_tensors(coding.encode(data, rng=rng), device)
        blocks, width = Blocks(coding.sizes, device), coding.width
        inputs = width + blocks.width
        first: dict[str, Array] = {
            **draw_layers("encoder", [inputs, *self.hidden, 2 * self.latent], rng=rng),
            **draw_layers("decoder", [self.latent, *self.hidden[::-1], inputs], rng=rng),
            "spread": np.full(max(width, 1), 0.1, np.float32),
        }
        weights = on_device(first, device)
        adam, generator = Adam([*weights.values()], self.rate), torch_generator(device, rng=rng)
        for done, batch in enumerate(batches(len(data), self.batch, self.steps, "TVAE", generator)):
            adam.rate = self.rate * (1 - done / self.steps)
            number, code = numbers[batch], blocks.hot(codes[batch])
            encoded = run_layers(weights, "encoder", torch.cat([number, code], 1))
            middle, log_variance = encoded.chunk(2, 1)
            noise = torch.randn(middle.shape, generator=generator, device=device)
            latent = middle + (log_variance / 2).clamp(-10, 10).exp() * noise
            out = run_layers(weights, "decoder", latent)
            spread = weights["spread"][:width].clamp(*_SPREADS)
            apart = (number - out[:, :width].tanh()) / spread
            missed = (apart**2 / 2 + spread.log()).sum(1)
            missed = missed - (code * blocks.log_shares(out[:, width:])).sum(1)
            price = (log_variance.exp() + middle**2 - 1 - log_variance).sum(1) / 2
            adam.step((_FACTOR * missed + price).mean())
        kept = {n: w for n, w in off_device(weights).items() if not n.startswith("encoder")}
        return TvaeModel(data.schema, len(data), coding, kept, device=self.device)
