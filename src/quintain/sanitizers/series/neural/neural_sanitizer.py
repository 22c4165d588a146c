"""The base of the neural sanitizers: they read series and choose a device."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from quintain.kernels.networks import Device
from quintain.sanitizers.sanitizer import Sanitizer


class NeuralSanitizer(Sanitizer):
    """A sanitizer of time series that trains neural networks.

    Parameters
    ----------
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU,
        "auto" uses a GPU if the machine has one.
    steps : the largest number of rows of a series; later rows are cut off. If not given, the
        longest series of the data sets it.
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)

    device: Device = "auto"
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None
