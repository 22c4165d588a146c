"""What the neural sanitizers have in common: series in, a device to compute on."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from quintain.data.schema import Shape
from quintain.kernels.networks.device import Device
from quintain.sanitizers.sanitizer import Sanitizer


class NeuralSanitizer(Sanitizer):
    """Sanitizes time series with networks it trains.

    Parameters
    ----------
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU,
        "auto" takes one if there is one.
    steps : a longer series is cut to its first rows, this many; if not given, the longest one of
        the data says how many there are.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("series",)

    device: Device = "auto"
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None
