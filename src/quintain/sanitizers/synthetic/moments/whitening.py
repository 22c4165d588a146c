"""Linear maps that turn data with one covariance into data with another."""

from __future__ import annotations

from typing import Literal

import numpy as np

from quintain.data.arrays import Floats

Variant = Literal["svd", "zca"]


def colouring(start: Floats, target: Floats, variant: Variant) -> Floats:
    r"""Give the matrix $M$ with $M \Sigma_{start} M^T = \Sigma_{target}$.

    With $\Sigma = U \Lambda U^T$, "svd" is $U_t \Lambda_t^{1/2} \Lambda_s^{-1/2} U_s^T$: principal
    axes go to principal axes in the order of their variances. "zca" is
    $\Sigma_t^{1/2} \Sigma_s^{-1/2}$, which moves the data less. Directions that start without
    variance stay without variance.

    >>> colouring(np.diag([4.0, 1.0]), np.diag([9.0, 1.0]), "svd").tolist()
    [[1.5, 0.0], [0.0, 1.0]]
    """
    if not len(start):
        return np.zeros((0, 0))
    spread, axes = principal_axes(start)
    wanted, aims = principal_axes(target)
    inverse = np.divide(1.0, np.sqrt(spread), out=np.zeros_like(spread), where=spread > 0)
    whitened, coloured = (axes * inverse).T, aims * np.sqrt(wanted)
    turned = whitened if variant == "svd" else aims.T @ axes @ whitened
    mapped: Floats = coloured @ turned
    return mapped


def principal_axes(covariance: Floats) -> tuple[Floats, Floats]:
    """Give the variances along the principal axes, largest first, and the axes as columns.

    The sign of an axis is arbitrary, and libraries differ in it. Here its largest component (the
    first one, if several are equal) is positive. Variances that are 0 up to rounding become 0.
    """
    variances, axes = np.linalg.eigh(covariance)
    variances, axes = variances[::-1], axes[:, ::-1]
    # Rounded, so that components that should be equal do not decide by their last bits.
    largest = np.round(np.abs(axes), 9).argmax(axis=0)
    signs = np.where(np.take_along_axis(axes, largest[None], 0) < 0, -1.0, 1.0)
    noise = len(covariance) * np.finfo(np.float64).eps * variances.max(initial=0.0)
    return np.where(variances > noise, variances, 0.0), axes * signs
