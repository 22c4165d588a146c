"""Unit rows: sparse vectors of length 1, whose products are cosines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def row_lengths(matrix: csr_array) -> npt.NDArray[np.float64]:
    """The length of every row of a matrix."""
    lengths: npt.NDArray[np.float64] = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return lengths


def unit_rows(matrix: csr_array) -> csr_array:
    """Divide each row of a matrix by its length; a row of zeros stays unchanged.

    >>> from scipy.sparse import csr_array
    >>> unit_rows(csr_array([[3.0, 4.0], [0.0, 0.0]])).toarray().round(9).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    from scipy.sparse import diags_array

    length = row_lengths(matrix)
    return (diags_array(1 / np.where(length == 0, 1, length)) @ matrix).tocsr()
