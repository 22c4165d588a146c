"""Statistics of a release: what is computed from counts, for targets and for the whole release."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Floats, Ints
from quintain.kernels.queries.superset_sums import set_sizes

Singles = npt.NDArray[np.float32]

SMOOTHING = 0.5
KERNELS = (1, 3, 9)
"""How many times more a record counts for each further column in which it agrees."""


def log_counts(counts: Ints) -> Singles:
    """The logarithm of each count plus a half; looking it up is faster than computing it.

    >>> log_counts(np.array([0, 2])).round(2).tolist()
    [-0.6899999976158142, 0.9200000166893005]
    """
    most = int(counts.max(initial=0))
    return np.asarray(_logarithms(1 << most.bit_length()).take(counts))


@lru_cache(maxsize=4)
def _logarithms(size: int) -> Singles:
    return np.asarray(np.log(np.arange(size) + SMOOTHING), np.float32)


def densities(exact: Ints) -> Floats:
    """Log kernel densities: each further column of agreement multiplies a record's weight.

    Parameters
    ----------
    exact : for each target, how many records agree with it in exactly each set of columns.
    """
    weights = _kernel_weights(exact.shape[1].bit_length() - 1)
    return np.asarray(np.log(exact.astype(np.float64) @ weights + SMOOTHING))


@lru_cache(maxsize=8)
def _kernel_weights(columns: int) -> Floats:
    """The weight of a record that agrees in each set of columns, one column per kernel."""
    agree = set_sizes(columns)
    return np.stack([float(1 + k) ** agree for k in KERNELS], axis=1)


def means_by_size(answers: Singles) -> Singles:
    """For each target, the mean answer to the queries about each number of columns."""
    return np.asarray(answers @ _size_means(answers.shape[1].bit_length() - 1))


@lru_cache(maxsize=8)
def _size_means(columns: int) -> Singles:
    """A matrix that averages over all sets with the same number of columns."""
    sizes = set_sizes(columns)
    groups = (sizes[:, None] == np.arange(columns + 1)).astype(np.float64)
    return np.asarray(groups / groups.sum(axis=0), np.float32)


def whole_release(columns: Sequence[Array], counts: Sequence[Ints]) -> Singles:
    """What knows no target: the shares of every value, and the correlations of the codes.

    Parameters
    ----------
    counts : for each column, how often each value occurs.
    """
    rows = max(1, len(columns[0]))
    shares = np.concatenate(counts) / rows
    if len(columns) < 2 or rows < 2:
        return shares.astype(np.float32)
    codes = np.empty((len(columns), rows), np.float32)
    for place, values in enumerate(columns):
        codes[place] = values
    middle = [count @ np.arange(len(count)) / rows for count in counts]
    codes -= np.array(middle, np.float32)[:, None]
    products = codes @ codes.T
    spread = np.sqrt(np.diagonal(products))
    matrix = products / np.maximum(np.outer(spread, spread), 1e-6)
    pairs = matrix[np.triu_indices(len(columns), 1)]
    return np.concatenate([shares, pairs]).astype(np.float32)
