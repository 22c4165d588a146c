"""A seeker to start from: stays close to a released series are guessed to be members."""

from typing import Any

import numpy as np


def seeker(input_dict: dict[str, Any]) -> Any:
    """Return 1 for each stay that seems to be in the private data, 0 for the others."""
    released, stays = input_dict["generated_data"], input_dict["enlarged_data"]
    spread = np.nanstd(stays, axis=(0, 1)) + 1e-9
    flat = [np.nan_to_num(side / spread).reshape(len(side), -1) for side in (released, stays)]
    distance = np.array([np.linalg.norm(flat[0] - stay, axis=1).min() for stay in flat[1]])
    nearest = np.argsort(distance)[: len(released)]
    return np.isin(np.arange(len(stays)), nearest).astype(int)
