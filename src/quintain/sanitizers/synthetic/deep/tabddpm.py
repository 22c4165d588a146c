"""TabDDPM: diffusion with normal noise for numbers and random replacement for categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Table
from quintain.kernels.mixed_columns import Encoded, MixedCoding, Normalisation
from quintain.kernels.networks import Adam
from quintain.kernels.perceptrons import (
    as_encoded,
    as_tensors,
    batches,
    off_device,
    torch_generator,
)
from quintain.kernels.table_diffusion import TableDiffusion, draw_diffusion
from quintain.registry import register
from quintain.sanitizers.synthetic.deep.deep_generator import DeepGenerator, DeepModel, Hidden

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, eq=False)
class TabDdpmModel(DeepModel):
    """The network that takes noise out of records."""

    kind: ClassVar[str] = "tabddpm"

    def draw(self, rows: int, device: torch.device, *, rng: np.random.Generator) -> Encoded:
        """Start from noise, and take it out step by step."""
        network = TableDiffusion(self.weights, self.coding.sizes, self.steps, device)
        return as_encoded(*network.sample(rows, torch_generator(device, rng=rng)))


@register("tabddpm-v1")
class TabDdpm(DeepGenerator):
    """Learns to take noise out of records, and makes records from pure noise (TabDDPM).

    A number becomes the normal score of its place in the order of its column, and gets normal
    noise. A category is replaced by a random value more and more often. A network sees a noisy
    record and the step of noise, and learns what the record was. New records start as noise, and
    the network goes back step by step. Whether a value is missing is a category of its own.

    Differences from the publication: records with the same number are spread over its places at
    random, and the label is a column like any other, not a condition.

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
    hidden : the units of each hidden layer.
    noise_steps : how many steps of noise there are.

    References
    ----------
    Kotelnikov, Baranchuk, Rubachev and Babenko (2023), TabDDPM: modelling tabular data with
    diffusion models.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=60))
    >>> short = {"steps": 5, "batch": 20, "hidden": (16,), "device": "cpu"}
    >>> release = q.sanitize("tabddpm", table, **short, seed=1)
    >>> len(release.data), release.data.schema == table.schema, release.claim is None
    (60, True, True)
    """

    normalisation: ClassVar[Normalisation] = "quantiles"

    steps: Annotated[int, Field(ge=1, le=1_000_000)] = 4000
    batch: Annotated[int, Field(ge=2, le=100_000)] = 1024
    rate: Annotated[float, Field(gt=0, le=0.1)] = 2e-3
    hidden: Hidden = (256, 256)
    noise_steps: Annotated[int, Field(ge=2, le=10_000)] = 100

    def train(
        self, data: Table, coding: MixedCoding, device: torch.device, *, rng: np.random.Generator
    ) -> TabDdpmModel:
        """Minimise the loss at random steps of noise."""
        import torch

        numbers, codes = as_tensors(coding.encode(data, rng=rng), device)
        first = draw_diffusion(coding.width, coding.sizes, self.hidden, rng=rng)
        network = TableDiffusion(first, coding.sizes, self.noise_steps, device)
        adam = Adam([*network.weights.values()], self.rate)
        generator = torch_generator(device, rng=rng)
        for done, batch in enumerate(
            batches(len(data), self.batch, self.steps, "TabDDPM", generator)
        ):
            adam.rate = self.rate * (1 - done / self.steps)
            step = torch.randint(
                self.noise_steps, (len(batch),), generator=generator, device=device
            )
            noise = network.noise(len(batch), generator)
            losses = network.losses(numbers[batch], codes[batch], step, *noise)
            adam.step(network.mean_loss(losses).mean())
        weights = off_device(network.weights)
        steps = self.noise_steps
        return TabDdpmModel(data.schema, len(data), coding, weights, steps, self.device)
