"""Perturbation: a small change that makes a network see a person as somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quintain.kernels.networks.adam import Adam
from quintain.sanitizers.series.neural.embedding import Embedding

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_START = 0.0075
"""The noise starts as this share of the other person's image."""


@dataclass(frozen=True, slots=True)
class Dragging:
    r"""The training of adversarial noise by gradient descent.

    The noise $\delta$ of an image x minimises

    $$ ||F(x + \delta) - F(t)|| + p ||\delta||, $$

    where F is the embedding and t the image of somebody else.

    Parameters
    ----------
    steps, rate : the number of steps and the learning rate of the descent.
    penalty : the weight p of the size of the noise.
    """

    steps: int
    rate: float
    penalty: float

    def run(
        self,
        embedding: Embedding,
        images: Tensor,
        others: Tensor,
        dice: torch.Generator | None = None,
    ) -> Tensor:
        """The noise that drags each image towards its other image; many images at once."""
        import torch

        size = embedding.look
        parts = zip(torch.split(images, size), torch.split(others, size), strict=True)
        return torch.cat([self._drag_part(embedding, *part, dice) for part in parts])

    def _drag_part(
        self, embedding: Embedding, images: Tensor, others: Tensor, dice: torch.Generator | None
    ) -> Tensor:
        goal = embedding.points(others, dice)
        delta = _START * others
        adam = Adam([delta], self.rate)
        for _ in range(self.steps):
            apart = _length(embedding(images + delta, dice) - goal)
            adam.step((apart + self.penalty * _length(delta)).sum())
        return delta.detach()


def _length(change: Tensor) -> Tensor:
    """The length of each row; a small number is added, because the root has no slope at 0."""
    return (change.flatten(1).square().sum(1) + 1e-12).sqrt()
