"""The weights with which a network did best, to go back to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor


class BestWeights:
    """Remembers the weights that lost least.

    Parameters
    ----------
    weights : leaf tensors; they are changed in place when the best are restored.

    Attributes
    ----------
    least : what the best lost.
    """

    def __init__(self, weights: Sequence[Tensor]) -> None:
        self._weights = weights
        self._best = [held.detach().clone() for held in weights]
        self.least = float(np.inf)

    def offer(self, lost: float) -> None:
        """Remember the weights as they are, if these lost less than any before."""
        if lost < self.least:
            self.least = lost
            _copy(self._weights, self._best)

    def restore(self) -> None:
        """Go back to the best."""
        _copy(self._best, self._weights)


def _copy(source: Sequence[Tensor], into: Sequence[Tensor]) -> None:
    import torch

    with torch.no_grad():
        for held, copy in zip(source, into, strict=True):
            copy.copy_(held)
