"""Series as the arrays that networks read: time scaled like a feature, rows from the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from quintain.data.series import Series
from quintain.kernels.series_preparation import Prepared, Scaling, prepare

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Series on the device of a network.

    Parameters
    ----------
    values : persons x steps x columns; 0 after a person's last row.
    real : persons x steps, 1 where a person has a row and 0 elsewhere.
    """

    values: Tensor
    real: Tensor

    def __len__(self) -> int:
        return len(self.values)

    def mean(self) -> Tensor:
        """The mean of each column over all rows."""
        return self.values.sum((0, 1)) / self.real.sum().clamp(min=1)

    def take(self, persons: Tensor) -> Batch:
        """The batch of some persons; their numbers may have any shape."""
        return Batch(self.values[persons], self.real[persons])


def prepare_timed(series: Series, steps: int, scaling: Scaling | None = None) -> Prepared:
    """Prepared series whose time is scaled too: the longest stay ends at 1.

    Unscaled, the hours would outweigh all features together in any error or distance.
    """
    if scaling is not None:
        return prepare(series, steps, scaling=scaling)
    prepared = prepare(series, steps)
    span = prepared.scaling.span.copy()
    span[0] = float(prepared.values[:, 0].max(initial=0.0)) or 1.0
    return prepared.rescaled(Scaling(prepared.scaling.low, span))


def as_batch(prepared: Prepared, device: torch.device) -> Batch:
    """Prepared series as tensors: each begins at the first step."""
    import torch

    real = np.arange(prepared.steps) < prepared.lengths[:, None]
    values = np.zeros((*real.shape, prepared.values.shape[1]), np.float32)
    values[real] = prepared.values
    flags = real.astype(np.float32)
    return Batch(torch.from_numpy(values).to(device), torch.from_numpy(flags).to(device))


def repeat_last_row(prepared: Prepared) -> npt.NDArray[np.float32]:
    """Persons x steps x columns; the last row of a person fills the steps after it."""
    place = np.minimum(np.arange(prepared.steps), np.maximum(prepared.lengths, 1)[:, None] - 1)
    rows = prepared.offsets[:-1, None] + place
    if len(prepared.values) == 0:
        return np.zeros((*rows.shape, prepared.values.shape[1]), np.float32)
    repeated: npt.NDArray[np.float32] = prepared.values.astype(np.float32)[
        np.minimum(rows, len(prepared.values) - 1)
    ]
    repeated[prepared.lengths == 0] = 0
    return repeated
