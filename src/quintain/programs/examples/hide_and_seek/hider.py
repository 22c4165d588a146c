"""A hider to start from: it adds a little noise to every measured value."""

from typing import Any

import numpy as np


def hider(input_dict: dict[str, Any]) -> tuple[Any, Any]:
    """Return a noisy copy of the data, and the mask of its padding."""
    data, padding = input_dict["data"], input_dict["padding_mask"]
    rng = np.random.default_rng(input_dict["seed"])
    spread = np.nanstd(np.where(padding, np.nan, data), axis=(0, 1))
    noisy = data + 0.1 * spread * rng.standard_normal(data.shape)
    return np.where(padding, -1.0, noisy), padding
