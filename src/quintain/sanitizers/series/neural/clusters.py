"""Clusters of points that are close together: k-means, on the device of the points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

_TURNS = 25


def k_means(points: Tensor, count: int, *, rng: np.random.Generator) -> Tensor:
    """The cluster of each point: at most ``count`` clusters, none of them empty.

    Lloyd's method starts at random points. It assigns each point to the nearest centre, moves each
    centre to the mean of its points, and repeats this.
    """
    import torch

    start = np.sort(rng.choice(len(points), min(count, len(points)), replace=False))
    centres = points[torch.from_numpy(start).to(points.device)]
    labels = torch.full((len(points),), -1, device=points.device)
    for _ in range(_TURNS):
        apart = centres.square().sum(1) - 2 * points @ centres.T
        nearest = apart.argmin(1)
        if torch.equal(nearest, labels):
            break
        labels = nearest
        total = torch.zeros_like(centres).index_add_(0, labels, points)
        size = torch.bincount(labels, minlength=len(centres))[:, None]
        centres = torch.where(size > 0, total / size.clamp(min=1), centres)
    _, dense = torch.unique(labels, return_inverse=True)
    return torch.as_tensor(dense)


def most_central(points: Tensor, labels: Tensor) -> Tensor:
    """For each cluster the number of the point nearest to the mean of its points."""
    import torch

    count = int(labels.max()) + 1
    total = torch.zeros(count, points.shape[1], device=points.device).index_add_(0, labels, points)
    middle = total / torch.bincount(labels, minlength=count)[:, None]
    apart = (points - middle[labels]).square().sum(1)
    order = torch.argsort(apart, stable=True)
    order = order[torch.argsort(labels[order], stable=True)]
    first = torch.searchsorted(labels[order], torch.arange(count, device=labels.device))
    return order[first]
