"""The weights with which a network had its smallest loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor


class BestWeights:
    """Remembers the weights with the smallest loss.

    Parameters
    ----------
    weights : leaf tensors; they are changed in place when the best are restored.

    Attributes
    ----------
    least : the smallest loss so far.
    """

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = weights
        self._best = [tensor.detach().clone() for tensor in weights]
        self.least = float(np.inf)

    def offer(self, loss: float) -> None:
        """Remember the current weights if their loss is the smallest so far."""
        if loss < self.least:
            self.least = loss
            _copy(self._weights, self._best)

    def restore(self) -> None:
        """Set the weights back to the best ones."""
        _copy(self._best, self._weights)


def _copy(source: Sequence[Tensor], into: Sequence[Tensor]) -> None:
    import torch

    with torch.no_grad():
        for tensor, copy in zip(source, into, strict=True):
            copy.copy_(tensor)
