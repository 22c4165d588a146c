"""Adam: gradient descent with a step size of its own for each weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

_DECAYS = 0.9, 0.999
_TINY = 1e-8


class Adam:
    """Adam of Kingma and Ba (2015), over all weights in one long vector.

    PyTorch's own version loads a compiler, which takes longer than a small training. Every weight
    has its own step size, so models stacked along an axis train as if each were alone.

    Parameters
    ----------
    weights : leaf tensors; they are changed in place.
    rate : the length of a step.
    """

    def __init__(self, weights: Sequence[Tensor], rate: float = 1e-3) -> None:
        import torch

        self._weights = [tensor.requires_grad_() for tensor in weights]
        self._sizes = [tensor.numel() for tensor in weights]
        self._rate = rate
        self._mean = torch.zeros(sum(self._sizes), device=weights[0].device)
        self._square = torch.zeros_like(self._mean)
        self._steps = 0

    def step(self, loss: Tensor) -> None:
        """Move the weights one step against the gradient of a loss."""
        import torch

        gradients = torch.autograd.grad(loss, self._weights)
        with torch.no_grad():
            gradient = torch.cat([tensor.reshape(-1) for tensor in gradients])
            self._steps += 1
            fast, slow = (1 - decay**self._steps for decay in _DECAYS)
            self._mean.lerp_(gradient, 1 - _DECAYS[0])
            self._square.lerp_(gradient.square_(), 1 - _DECAYS[1])
            move = (self._square / slow).sqrt_().add_(_TINY).reciprocal_().mul_(self._mean)
            for weight, part in zip(self._weights, torch.split(move, self._sizes), strict=True):
                weight.sub_(part.view_as(weight), alpha=self._rate / fast)
