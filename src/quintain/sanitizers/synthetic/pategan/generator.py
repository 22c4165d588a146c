"""The generator of PATE-GAN: a small network from latent noise to shares of levels.

Given its latent noise, a record's columns are drawn independently from softmax shares; all
dependence between columns comes through the latent noise. Because the student compares levels and
pairs of levels, its expected score over the records drawn is its score at the shares themselves:
no relaxation of the draw is needed, and gradients are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from quintain.data.arrays import Floats, Ints, Singles
from quintain.errors import MissingExtra
from quintain.sanitizers.synthesizer import Arrays
from quintain.sanitizers.synthetic.pategan.encoding import draw_levels
from quintain.sanitizers.synthetic.pategan.view import RIDGE, View

if TYPE_CHECKING:
    from torch import Tensor

LATENT = 16
HIDDEN = 128
_RATE = 3e-3
_DECAYS = 0.9, 0.999
_BATCH = 512
_LOOK = 4000
"""Latent points by which the generator's own moments are told."""
_LEAST_SHARE = 1e-6
_BOUND = 30.0
"""Scores of levels are kept within, so that their exponentials can be summed up as they are."""


def require_torch() -> None:
    """Refuse with the line that installs it, if PyTorch is not there."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtra("PATE-GAN", "torch", "torch") from None


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread inside this block, so that sums come out the same every time."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(threads)


def first_weights(shares: Floats, *, rng: np.random.Generator) -> Arrays:
    """Weights to train from: random, around the given shares of levels."""

    def layer(rows: int, columns: int) -> Singles:
        return rng.standard_normal((rows, columns), np.float32) / np.float32(np.sqrt(rows))

    return {
        "w1": layer(LATENT, HIDDEN),
        "b1": np.zeros(HIDDEN, np.float32),
        "w2": layer(HIDDEN, HIDDEN),
        "b2": np.zeros(HIDDEN, np.float32),
        "w3": layer(HIDDEN, len(shares)),
        "b3": np.log(np.maximum(shares, _LEAST_SHARE)).astype(np.float32),
    }


def latent(count: int, *, rng: np.random.Generator) -> Singles:
    """Points of the latent noise."""
    return rng.standard_normal((count, LATENT), dtype=np.float32)


def level_shares(weights: Arrays, sizes: Sequence[int], points: Singles) -> Floats:
    """The shares of levels at latent points, without PyTorch."""
    held = np.maximum(points @ weights["w1"] + weights["b1"], 0)
    held = np.maximum(held @ weights["w2"] + weights["b2"], 0)
    scores = np.clip(held @ weights["w3"] + weights["b3"], -_BOUND, _BOUND)
    shares: Floats = np.exp(scores.astype(np.float64))
    starts = np.cumsum([0, *sizes[:-1]])
    shares /= np.repeat(np.add.reduceat(shares, starts, axis=1), sizes, axis=1)
    return shares


class Adam:
    """Steps downhill, each weight at its own pace (Kingma and Ba 2015).

    PyTorch's own loads a compiler, which takes longer than a small training.
    """

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = [held.requires_grad_() for held in weights]
        self._means = [held.detach() * 0 for held in weights]
        self._squares = [held.detach() * 0 for held in weights]
        self._steps = 0

    def step(self, loss: Tensor, rate: float) -> None:
        """One step against the gradient of a loss."""
        import torch

        self._steps += 1
        fast, slow = (1 - decay**self._steps for decay in _DECAYS)
        with torch.no_grad():
            gradients = torch.autograd.grad(loss, self._weights)
            held = zip(self._weights, gradients, self._means, self._squares, strict=True)
            for weight, gradient, mean, square in held:
                mean.lerp_(gradient, 1 - _DECAYS[0])
                square.lerp_(gradient**2, 1 - _DECAYS[1])
                weight -= rate / fast * mean / ((square / slow).sqrt() + 1e-8)


class Generator:
    """A generator in training.

    Parameters
    ----------
    sizes : how many levels each column has.
    shares : the shares of levels to begin with.
    rng : public randomness, for the first weights and for latent noise.
    """

    def __init__(self, sizes: Sequence[int], shares: Floats, *, rng: np.random.Generator) -> None:
        import torch

        self._sizes, self._shares, self._rng = list(sizes), shares, rng
        first = first_weights(shares, rng=rng)
        self._weights = {name: torch.from_numpy(held) for name, held in first.items()}
        self._adam = Adam([held for name, held in self._weights.items() if name != "b3"])
        column = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(self._sizes))
        self._members = torch.nn.functional.one_hot(column).float()
        self._pairs = (column[:, None] < column).float()

    @property
    def weights(self) -> Arrays:
        """The weights as arrays."""
        return {name: held.detach().numpy().copy() for name, held in self._weights.items()}

    def view(self, *, pairs: bool) -> View:
        """What the generator produces at present: its shares, and covariances between columns."""
        found = level_shares(self.weights, self._sizes, latent(_LOOK, rng=self._rng))
        gap = found - self._shares
        moments = gap.T @ gap / len(gap) * self._pairs.numpy()
        return View(self._sizes, self._shares, moments, pairs)

    def draw(self, count: int) -> Ints:
        """Levels of generated records."""
        found = level_shares(self.weights, self._sizes, latent(count, rng=self._rng))
        return draw_levels(found, self._sizes, rng=self._rng)

    def train(self, shares: Floats, moments: Floats, steps: int, *, last: bool) -> None:
        """Become harder to tell from real records for a student with these shares and moments.

        The student's score is linear in the generator's own moments, so the generator that
        leaves it nothing to tell is the one whose moments are the student's.
        """
        import torch

        self._shares = np.maximum(shares, _LEAST_SHARE)
        centre = torch.from_numpy(self._shares).float()
        aim = torch.from_numpy(moments).float()
        root = (centre + RIDGE).rsqrt()
        weigh = self._pairs * root[:, None] * root
        self._fit_shares(centre)
        for step in range(steps):
            gap = self._forward(self._latent(_BATCH)) - centre
            apart = (gap.T @ gap / _BATCH - aim) * weigh
            loss = (apart**2).sum() + ((gap.mean(0) * root) ** 2).sum()
            self._adam.step(loss, _RATE * (1 - step / steps) if last else _RATE)
            if step % 10 == 9:
                self._fit_shares(centre)
        self._fit_shares(centre, _BATCH * min(32, 2 + steps // 8), 12 if last else 4)

    def _fit_shares(self, shares: Tensor, count: int = 2 * _BATCH, turns: int = 2) -> None:
        """Move the biases of the output so that each column has its shares."""
        import torch

        with torch.no_grad():
            points = self._latent(count)
            for _ in range(turns):
                found = self._forward(points).mean(0)
                self._weights["b3"] += torch.log(shares) - torch.log(found.clamp_min(1e-7))

    def _latent(self, count: int) -> Tensor:
        import torch

        return torch.from_numpy(latent(count, rng=self._rng))

    def _forward(self, points: Tensor) -> Tensor:
        """The same as :func:`level_shares`, so that it can be differentiated."""
        import torch

        held = torch.relu(points @ self._weights["w1"] + self._weights["b1"])
        held = torch.relu(held @ self._weights["w2"] + self._weights["b2"])
        scores = held @ self._weights["w3"] + self._weights["b3"]
        shares = torch.exp(scores.clamp(-_BOUND, _BOUND))
        return shares / (shares @ self._members @ self._members.T)
