"""The generator of PATE-GAN: a small network that turns latent noise into shares of levels.

Given its latent noise, a record's columns are drawn independently from softmax shares. All
dependence between columns comes from the latent noise. The student compares levels and pairs of
levels, so its expected score over drawn records equals its score at the shares. Gradients are
therefore exact, and the draw needs no relaxation.
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
"""How many latent points are used to compute the generator's own moments."""
_LEAST_SHARE = 1e-6
_BOUND = 30.0
"""The bound on scores of levels; their exponentials can then be summed without overflow."""


def require_torch() -> None:
    """Raise an error with the install command if PyTorch is missing."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtra("PATE-GAN", "torch", "torch") from None


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread inside this block, so that sums are the same every time."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(threads)


def first_weights(shares: Floats, *, rng: np.random.Generator) -> Arrays:
    """Draw the weights to train from, such that levels start near the given shares."""

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
    """Draw points of the latent noise."""
    return rng.standard_normal((count, LATENT), dtype=np.float32)


def level_shares(weights: Arrays, sizes: Sequence[int], points: Singles) -> Floats:
    """Compute the shares of levels at latent points, without PyTorch."""
    hidden = np.maximum(points @ weights["w1"] + weights["b1"], 0)
    hidden = np.maximum(hidden @ weights["w2"] + weights["b2"], 0)
    scores = np.clip(hidden @ weights["w3"] + weights["b3"], -_BOUND, _BOUND)
    shares: Floats = np.exp(scores.astype(np.float64))
    starts = np.cumsum([0, *sizes[:-1]])
    shares /= np.repeat(np.add.reduceat(shares, starts, axis=1), sizes, axis=1)
    return shares


class GeneratorAdam:
    """An optimiser that adapts the step of each weight (Kingma and Ba 2015, Adam).

    PyTorch's own version loads a compiler, which takes longer than a small training.
    """

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = [weight.requires_grad_() for weight in weights]
        self._means = [weight.detach() * 0 for weight in weights]
        self._squares = [weight.detach() * 0 for weight in weights]
        self._steps = 0

    def step(self, loss: Tensor, rate: float) -> None:
        """Take one step against the gradient of a loss."""
        import torch

        self._steps += 1
        fast, slow = (1 - decay**self._steps for decay in _DECAYS)
        with torch.no_grad():
            gradients = torch.autograd.grad(loss, self._weights)
            state = zip(self._weights, gradients, self._means, self._squares, strict=True)
            for weight, gradient, mean, square in state:
                mean.lerp_(gradient, 1 - _DECAYS[0])
                square.lerp_(gradient**2, 1 - _DECAYS[1])
                weight -= rate / fast * mean / ((square / slow).sqrt() + 1e-8)


class Generator:
    """The generator while it is trained: it draws records and learns from the student.

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
        self._weights = {name: torch.from_numpy(weight) for name, weight in first.items()}
        self._adam = GeneratorAdam(
            [weight for name, weight in self._weights.items() if name != "b3"]
        )
        column = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(self._sizes))
        self._members = torch.nn.functional.one_hot(column).float()
        self._pairs = (column[:, None] < column).float()

    @property
    def weights(self) -> Arrays:
        """Copy the present weights into arrays."""
        return {name: weight.detach().numpy().copy() for name, weight in self._weights.items()}

    def view(self, *, pairs: bool) -> View:
        """Describe what the generator makes at present: shares, and covariances between columns."""
        shares = level_shares(self.weights, self._sizes, latent(_LOOK, rng=self._rng))
        gap = shares - self._shares
        moments = gap.T @ gap / len(gap) * self._pairs.numpy()
        return View(self._sizes, self._shares, moments, pairs)

    def draw(self, count: int) -> Ints:
        """Draw generated records, as levels."""
        shares = level_shares(self.weights, self._sizes, latent(count, rng=self._rng))
        return draw_levels(shares, self._sizes, rng=self._rng)

    def train(self, shares: Floats, moments: Floats, steps: int, *, last: bool) -> None:
        """Train until a student with these shares and moments cannot separate generated records.

        The student's score is linear in the generator's own moments. So the student sees no
        difference if the generator's moments equal the moments that the student has learned.
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
        """Adjust the biases of the output so that each column has its shares."""
        import torch

        with torch.no_grad():
            points = self._latent(count)
            for _ in range(turns):
                current = self._forward(points).mean(0)
                self._weights["b3"] += torch.log(shares) - torch.log(current.clamp_min(1e-7))

    def _latent(self, count: int) -> Tensor:
        import torch

        return torch.from_numpy(latent(count, rng=self._rng))

    def _forward(self, points: Tensor) -> Tensor:
        """Compute the same as :func:`level_shares`, in a form that PyTorch can differentiate."""
        import torch

        hidden = torch.relu(points @ self._weights["w1"] + self._weights["b1"])
        hidden = torch.relu(hidden @ self._weights["w2"] + self._weights["b2"])
        scores = hidden @ self._weights["w3"] + self._weights["b3"]
        shares = torch.exp(scores.clamp(-_BOUND, _BOUND))
        return shares / (shares @ self._members @ self._members.T)
