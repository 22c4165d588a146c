"""Perceptrons over mixed columns, in PyTorch: dense layers, codes as zeros and ones, batches.

All networks over tables share these pieces. Weights are tensors by name, drawn with NumPy, so that
they are the same on every device, and can be saved as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from quintain.data.arrays import Array, Singles
from quintain.jobs.progress import track
from quintain.kernels.mixed_columns import Encoded

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Weights = dict[str, "Tensor"]


def draw_layers(name: str, sizes: Sequence[int], *, rng: np.random.Generator) -> dict[str, Singles]:
    """The first weights of dense layers: uniform, smaller where a unit has more inputs.

    >>> layers = draw_layers("net", [3, 8, 2], rng=np.random.default_rng(0))
    >>> {name: weight.shape for name, weight in layers.items()}
    {'net.0.weight': (8, 3), 'net.0.bias': (8,), 'net.1.weight': (2, 8), 'net.1.bias': (2,)}
    """
    layers: dict[str, Singles] = {}
    for number, (before, after) in enumerate(pairwise(sizes)):
        bound = 1 / np.sqrt(max(before, 1))
        for part, shape in (("weight", (after, before)), ("bias", (after,))):
            drawn = rng.uniform(-bound, bound, shape).astype(np.float32)
            layers[f"{name}.{number}.{part}"] = drawn
    return layers


def run_layers(
    weights: Mapping[str, Tensor],
    name: str,
    inputs: Tensor,
    *,
    slope: float = 0.0,
    left_out: torch.Generator | None = None,
) -> Tensor:
    """The outputs of dense layers, with rectifiers between them.

    Parameters
    ----------
    slope : of the rectifiers below 0.
    left_out : random numbers with which half of the units between layers are left out (dropout).
    """
    import torch

    number = 0
    while f"{name}.{number}.weight" in weights:
        if number:
            inputs = torch.nn.functional.leaky_relu(inputs, slope)
            if left_out is not None:
                coins = torch.rand(inputs.shape, generator=left_out, device=inputs.device)
                inputs = inputs * 2 * (coins < 0.5)
        layer = f"{name}.{number}"
        inputs = torch.nn.functional.linear(
            inputs, weights[f"{layer}.weight"], weights[f"{layer}.bias"]
        )
        number += 1
    return inputs


def on_device(arrays: Mapping[str, Array], device: torch.device) -> Weights:
    """Arrays as tensors of 32 bits on a device, each a copy."""
    import torch

    return {
        name: torch.tensor(array.astype(np.float32), device=device)
        for name, array in arrays.items()
    }


def off_device(weights: Mapping[str, Tensor]) -> dict[str, Array]:
    """Tensors as arrays."""
    return {name: weight.detach().cpu().numpy().copy() for name, weight in weights.items()}


def gumbel(uniform: Tensor) -> Tensor:
    """Noise with which the likeliest value is a draw by the shares, from uniform noise."""
    return -(-uniform.clamp(1e-12, 1 - 1e-7).log()).log()


class Blocks:
    """Codes side by side as blocks of zeros and ones, and shares over each block.

    Parameters
    ----------
    sizes : how many values each code can have.
    """

    def __init__(self, sizes: Sequence[int], device: torch.device) -> None:
        import torch

        self.sizes, self.width = list(sizes), sum(sizes)
        starts = np.cumsum([0, *sizes])[:-1].astype(np.int64)
        self._starts = torch.from_numpy(starts).to(device)
        of_block = np.repeat(np.arange(len(sizes)), sizes)
        self._block = torch.from_numpy(of_block.astype(np.int64)).to(device)[None]
        members = (of_block[:, None] == np.arange(len(sizes))).astype(np.float32)
        self.members = torch.from_numpy(members).to(device)

    def hot(self, codes: Tensor) -> Tensor:
        """Codes as zeros and ones."""
        out = self.members.new_zeros(len(codes), self.width)
        return out.scatter_(1, codes + self._starts, 1.0)

    def spread(self, per_block: Tensor) -> Tensor:
        """A number of each block, at each place of the block."""
        return per_block @ self.members.T

    def log_shares(self, scores: Tensor) -> Tensor:
        """The logarithms of the shares of each value in its block, from any scores."""
        import torch

        least = scores.new_full((len(scores), len(self.sizes)), -torch.inf)
        block = self._block.expand(len(scores), -1)
        most = least.scatter_reduce(1, block, scores.detach(), "amax")
        scores = scores - self.spread(most)  # exponentials must not overflow
        return scores - self.spread((scores.exp() @ self.members).log())

    def draw(self, log_shares: Tensor, uniform: Tensor) -> Tensor:
        """Draw a code of each block by its shares, with uniform noise for each value."""
        return self.likeliest(log_shares + gumbel(uniform))

    def likeliest(self, scores: Tensor) -> Tensor:
        """The code of each block with the highest score."""
        import torch

        best = (
            [block.argmax(1) for block in torch.split(scores, self.sizes, 1)] if self.sizes else []
        )
        empty = torch.zeros((len(scores), 0), dtype=torch.long, device=scores.device)
        return torch.stack(best, 1) if best else empty


def torch_generator(device: torch.device, *, rng: np.random.Generator) -> torch.Generator:
    """Random numbers of PyTorch on a device, which follow from ``rng``."""
    import torch

    return torch.Generator(device).manual_seed(int(rng.integers(2**62)))


def as_tensors(encoded: Encoded, device: torch.device) -> tuple[Tensor, Tensor]:
    """The numbers and the codes of records on a device."""
    import torch

    numbers, codes = (torch.from_numpy(np.ascontiguousarray(part)) for part in encoded)
    return numbers.to(device), codes.to(device)


def as_encoded(numbers: Tensor, codes: Tensor) -> Encoded:
    """Tensors as the numbers and codes of records."""
    return Encoded(numbers.detach().cpu().numpy(), codes.cpu().numpy())


def batches(
    rows: int, size: int, steps: int, label: str, generator: torch.Generator
) -> Iterator[Tensor]:
    """The records of each training step; every record comes once before any comes again."""
    import torch

    size, at = min(size, rows), rows
    for _ in track(range(steps), label, steps):
        if at + size > rows:
            order = torch.randperm(rows, generator=generator, device=generator.device)
            at = 0
        yield order[at : at + size]
        at += size
