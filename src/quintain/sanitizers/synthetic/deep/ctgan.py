"""CTGAN: two networks play against each other, one makes records and the other judges them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Table
from quintain.data.arrays import Array
from quintain.jobs.progress import track
from quintain.kernels.mixed_columns import Encoded, MixedCoding, Normalisation
from quintain.kernels.networks import Adam
from quintain.kernels.perceptrons import (
    Blocks,
    Weights,
    as_encoded,
    as_tensors,
    draw_layers,
    gumbel,
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

_DECAYS = 0.5, 0.9
_PENALTY = 10.0
"""The weight of the penalty on the slope of the judge, as in the publication."""
_SHARPNESS = 0.2
"""The temperature at which shares of codes become nearly zeros and ones."""
_MEMORY = 0.1
"""How much of the running averages a step replaces."""


@dataclass(frozen=True, slots=True, eq=False)
class CtganModel(DeepModel):
    """The network that makes records, and the frequencies from which conditions are drawn."""

    kind: ClassVar[str] = "ctgan"

    def draw(self, rows: int, device: torch.device, *, rng: np.random.Generator) -> Encoded:
        """Draw conditions as often as they occur, and a record for each."""
        import torch

        weights, generator = on_device(self.weights, device), torch_generator(device, rng=rng)
        maker = Maker(weights, self.coding, device)
        log_shares = weights["frequency"].clamp_min(1e-30).log()
        given, _, _ = maker.conditions(rows, log_shares, generator)
        uniform = torch.rand(rows, maker.blocks.width, generator=generator, device=device)
        numbers, scores = maker(given, generator, learning=False)
        return as_encoded(numbers, maker.blocks.draw(maker.blocks.log_shares(scores), uniform))


class Maker:
    """The network that makes records from noise and a condition: layers that also see all before.

    Parameters
    ----------
    weights : by name; running averages are updated in place while it learns.
    """

    def __init__(self, weights: Weights, coding: MixedCoding, device: torch.device) -> None:
        import torch

        self.weights, self.device = weights, device
        self.blocks, self._numbers = Blocks(coding.sizes, device), coding.width
        self._categories = torch.tensor(coding.category_codes, dtype=torch.long, device=device)

    @property
    def trainable(self) -> list[Tensor]:
        """The tensors that training changes."""
        return [w for n, w in self.weights.items() if n.startswith(("maker", "scale"))]

    def conditions(
        self, rows: int, log_shares: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Draw a category for each record, and a value of it; all three are empty without one.

        Returns zeros and ones over all codes, the code that is chosen, and its value.
        """
        import torch

        count = len(self._categories)
        if not count:
            none = torch.zeros(rows, dtype=torch.long, device=self.device)
            return torch.zeros(rows, self.blocks.width, device=self.device), none, none
        place = torch.randint(count, (rows,), generator=generator, device=self.device)
        chosen = self._categories[place]
        uniform = torch.rand(rows, self.blocks.width, generator=generator, device=self.device)
        codes = self.blocks.draw(log_shares.expand(rows, -1), uniform)
        only = torch.nn.functional.one_hot(chosen, len(self.blocks.sizes)).float()
        given = self.blocks.hot(codes) * self.blocks.spread(only)
        return given, chosen, codes.gather(1, chosen[:, None])[:, 0]

    def __call__(
        self, given: Tensor, generator: torch.Generator, *, learning: bool
    ) -> tuple[Tensor, Tensor]:
        """The numbers and the scores of codes of a record for each condition."""
        import torch

        latent = self.weights["maker.0.weight"].shape[1] - given.shape[1]
        noise = torch.randn(len(given), latent, generator=generator, device=self.device)
        out, layer = torch.cat([noise, given], 1), 0
        while f"scale.{layer}" in self.weights:
            weight, bias = (self.weights[f"maker.{layer}.{part}"] for part in ("weight", "bias"))
            units = torch.nn.functional.linear(out, weight, bias)
            units = self._normalise(units, layer, learning) * self.weights[f"scale.{layer}"]
            out = torch.cat([torch.relu(units + self.weights[f"scale.{layer}.shift"]), out], 1)
            layer += 1
        weight, bias = (self.weights[f"maker.{layer}.{part}"] for part in ("weight", "bias"))
        out = torch.nn.functional.linear(out, weight, bias)
        return out[:, : self._numbers].tanh(), out[:, self._numbers :]

    def _normalise(self, units: Tensor, layer: int, learning: bool) -> Tensor:
        """Units with mean 0 and variance 1: over the batch, or as it was on average."""
        mean, variance = (self.weights[f"running.{layer}.{p}"] for p in ("mean", "variance"))
        if learning:
            now = units.mean(0), units.var(0, unbiased=False)
            mean.lerp_(now[0].detach(), _MEMORY)
            variance.lerp_(now[1].detach(), _MEMORY)
            mean, variance = now
        return (units - mean) / (variance + 1e-5).sqrt()


@register("ctgan-v1")
class Ctgan(DeepGenerator):
    """Trains a network that makes records against one that tells them from private ones (CTGAN).

    A number becomes one of up to ten modes of its column and a place within the mode; a category
    becomes one of its values. Each record is made for a condition: a value of one category. In
    training, rare values are conditions more often than they occur (by the logarithm of their
    count), and real records with the same value stand beside. The judge sees ``pack`` records at a
    time, and its slope is kept near 1. A missing value is one more mode, or one more value.

    Differences from the publication: without weight decay; averages over training steps replace
    those over a batch when records are drawn.

    The part claims no privacy.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.
    steps : how many training steps.
    batch : how many records each step reads.
    rate : the length of a step.
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU, "auto"
        uses a GPU if the machine has one.
    publish_model : whether the release carries the trained model, as a safetensors file.
    hidden : the units of each hidden layer of both networks.
    latent : the length of the noise that a record is made from.
    pack : how many records the judge sees at a time.

    References
    ----------
    Xu, Skoularidou, Cuesta-Infante and Veeramachaneni (2019), Modeling tabular data using
    conditional GAN. Gulrajani and others (2017), Improved training of Wasserstein GANs.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=60))
    >>> short = {"steps": 5, "batch": 20, "hidden": (16,), "device": "cpu"}
    >>> release = q.sanitize("ctgan", table, **short, seed=1)
    >>> len(release.data), release.data.schema == table.schema, release.claim is None
    (60, True, True)
    """

    normalisation: ClassVar[Normalisation] = "modes"

    rate: Annotated[float, Field(gt=0, le=0.1)] = 2e-4
    hidden: Hidden = (256, 256)
    latent: Width = 128
    pack: Annotated[int, Field(ge=1, le=100)] = 10

    def train(
        self, data: Table, coding: MixedCoding, device: torch.device, *, rng: np.random.Generator
    ) -> CtganModel:
        """Let both networks learn in turns."""
        import torch

        blocks = Blocks(coding.sizes, device)
        rows = max(1, self.batch // self.pack) * self.pack
        width = coding.width + blocks.width
        records = Conditioned(coding.encode(data, rng=rng), blocks, device)
        weights = on_device(self._first(coding, width, rng=rng), device)
        weights["frequency"] = records.frequency
        maker = Maker(weights, coding, device)
        sizes = [self.pack * (width + blocks.width), *self.hidden, 1]
        judge = on_device(draw_layers("judge", sizes, rng=rng), device)
        make_adam = Adam(maker.trainable, self.rate, _DECAYS)
        judge_adam = Adam([*judge.values()], self.rate, _DECAYS)
        generator = torch_generator(device, rng=rng)
        log_counts = (records.frequency * len(data) + 1).log().clamp_min(1e-6).log()
        for _ in track(range(self.steps), "CTGAN", self.steps):
            given, chosen, value = maker.conditions(rows, log_counts, generator)
            real = records.take(chosen, value, generator)
            numbers, scores = maker(given, generator, learning=True)
            made = self._soften(numbers, scores, blocks, generator)
            false, true = (torch.cat([part, given], 1) for part in (made.detach(), real))
            judge_adam.step(self._judge_loss(judge, false, true, generator))
            given, chosen, value = maker.conditions(rows, log_counts, generator)
            numbers, scores = maker(given, generator, learning=True)
            made = self._soften(numbers, scores, blocks, generator)
            verdict = self._judge(judge, torch.cat([made, given], 1), generator)
            missed = -(given * blocks.log_shares(scores)).sum(1)
            make_adam.step(missed.mean() - verdict.mean())
        kept = off_device(weights)
        return CtganModel(data.schema, len(data), coding, kept, device=self.device)

    def _first(
        self, coding: MixedCoding, width: int, *, rng: np.random.Generator
    ) -> dict[str, Array]:
        """The first weights of the network that makes records."""
        first: dict[str, Array] = {}
        inputs = self.latent + sum(coding.sizes)
        for layer, units in enumerate((*self.hidden, width)):
            drawn = draw_layers("layer", [inputs, units], rng=rng)
            first |= {n.replace("layer.0", f"maker.{layer}"): w for n, w in drawn.items()}
            inputs += units
            if layer < len(self.hidden):
                first[f"scale.{layer}"] = np.ones(units, np.float32)
                first[f"scale.{layer}.shift"] = np.zeros(units, np.float32)
                first[f"running.{layer}.mean"] = np.zeros(units, np.float32)
                first[f"running.{layer}.variance"] = np.ones(units, np.float32)
        return first

    @staticmethod
    def _soften(
        numbers: Tensor, scores: Tensor, blocks: Blocks, generator: torch.Generator
    ) -> Tensor:
        """Records whose codes are nearly zeros and ones, so that gradients pass through."""
        import torch

        uniform = torch.rand(scores.shape, generator=generator, device=scores.device)
        noisy = (blocks.log_shares(scores) + gumbel(uniform)) / _SHARPNESS
        return torch.cat([numbers, blocks.log_shares(noisy).exp()], 1)

    def _judge(self, judge: Weights, records: Tensor, generator: torch.Generator) -> Tensor:
        """How real packs of records look; half of the hidden units are left out at random."""
        packs = records.reshape(len(records) // self.pack, -1)
        return run_layers(judge, "judge", packs, slope=0.2, left_out=generator)

    def _judge_loss(
        self, judge: Weights, made: Tensor, real: Tensor, generator: torch.Generator
    ) -> Tensor:
        """How much more real the made records look, and how far its slope is from 1."""
        import torch

        packs = len(made) // self.pack
        mix = torch.rand(packs, 1, 1, generator=generator, device=made.device)
        shape = packs, self.pack, -1
        between = real.reshape(shape) * mix + made.reshape(shape) * (1 - mix)
        between.requires_grad_()
        verdict = self._judge(judge, between.reshape(len(made), -1), generator)
        (slope,) = torch.autograd.grad(verdict.sum(), between, create_graph=True)
        steep = slope.reshape(packs, -1).norm(dim=1)
        looks = [self._judge(judge, part, generator).mean() for part in (made, real)]
        loss: Tensor = looks[0] - looks[1] + _PENALTY * ((steep - 1) ** 2).mean()
        return loss


class Conditioned:
    """Private records by the value of each code, so that one with a given value can be drawn.

    Attributes
    ----------
    frequency : the share of each value of each code.
    """

    def __init__(self, encoded: Encoded, blocks: Blocks, device: torch.device) -> None:
        import torch

        self._numbers, codes = as_tensors(encoded, device)
        self._hot = blocks.hot(codes)
        self.frequency = self._hot.mean(0)
        most = max([*blocks.sizes, 1])
        self._order = torch.argsort(codes, dim=0, stable=True)
        counts = [torch.bincount(code, minlength=most) for code in codes.T]
        self._count = torch.stack(counts) if counts else torch.zeros((0, most), device=device)
        self._begin = self._count.cumsum(1) - self._count
        self._rows = len(codes)

    def take(self, chosen: Tensor, value: Tensor, generator: torch.Generator) -> Tensor:
        """A random record for each condition, as numbers and zeros and ones."""
        import torch

        place = torch.rand(len(chosen), generator=generator, device=chosen.device)
        if len(self._count):
            count = self._count[chosen, value]
            at = self._begin[chosen, value] + (place * count).long().clamp_max(count - 1)
            rows = self._order[at.clamp_min(0), chosen]
        else:
            rows = (place * self._rows).long().clamp_max(self._rows - 1)
        return torch.cat([self._numbers[rows], self._hot[rows]], 1)
