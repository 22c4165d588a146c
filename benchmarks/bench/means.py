"""Means with their uncertainty, as tables print them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats


def mean_and_error(values: Sequence[float] | Floats, digits: int = 3, sign: str = "") -> str:
    """The mean and its standard error; the mean alone where there is a single value."""
    return _shown(np.asarray(values), 1.0, digits, sign)


def mean_and_reach(values: Sequence[float] | Floats, digits: int = 3) -> str:
    """The mean and half the width of its 95 % interval (Student's t)."""
    from scipy.special import stdtrit

    quantile = float(stdtrit(len(values) - 1, 0.975)) if len(values) > 1 else 0.0
    return _shown(np.asarray(values), quantile, digits)


def _shown(values: Floats, times: float, digits: int, sign: str = "") -> str:
    mean = f"{values.mean():{sign}.{digits}f}"
    if len(values) < 2:
        return mean
    return f"{mean} ± {times * values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"
