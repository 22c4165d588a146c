"""Adversarial noise: a small change that makes a person look like somebody far away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quintain.kernels.networks.adam import Adam
from quintain.sanitizers.series.neural.embedding import Embedding

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_START = 0.0075
"""The noise begins as this share of the other person's image."""


@dataclass(frozen=True, slots=True)
class Dragging:
    r"""How noise is trained.

    The noise $\delta$ of an image x goes downhill on

    $$ ||F(x + \delta) - F(t)|| + p ||\delta||, $$

    where F is the embedding and t the image of somebody else.

    Parameters
    ----------
    steps, rate : of the descent.
    penalty : p.
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
        """The noise of each image, dragged towards its other; many images at once."""
        import torch

        size = embedding.look
        parts = zip(torch.split(images, size), torch.split(others, size), strict=True)
        return torch.cat([self._some(embedding, *part, dice) for part in parts])

    def _some(
        self, embedding: Embedding, images: Tensor, others: Tensor, dice: torch.Generator | None
    ) -> Tensor:
        goal = embedding.points(others, dice)
        delta = _START * others
        adam = Adam([delta], self.rate)
        for _ in range(self.steps):
            apart = _length(embedding(images + delta, dice) - goal)
            adam.step((apart + self.penalty * _length(delta)).sum())
        return delta.detach()


def _length(held: Tensor) -> Tensor:
    """The length of each row; a little is added, since the root has no slope at 0."""
    return (held.flatten(1).square().sum(1) + 1e-12).sqrt()
