"""Item similarity: which items the same people buy, in the original and in the release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats
from quintain.kernels.purchases import Purchases
from quintain.kernels.unit_rows import unit_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Norm = Literal["all_buyers", "co_buyers"]

BLOCK = 512
"""How many items are compared with all others at a time: a few tens of megabytes."""


def item_matrix(purchases: Purchases) -> csr_array:
    """Items x persons: how many of an item a person bought in total, without deleted rows."""
    from scipy.sparse import csr_array

    rows = purchases.live_rows()
    place = (rows.item, rows.person)
    shape = (len(rows.items), len(rows.persons))
    return csr_array((rows.quantity.astype(np.float64), place), shape=shape)


def small_only(matrix: csr_array, limit: int) -> csr_array:
    """The matrix with every quantity of ``limit`` or more set to zero."""
    small = matrix.copy()
    small.data[small.data >= limit] = 0
    small.eliminate_zeros()
    return small


def items_only(matrix: csr_array, items: npt.NDArray[np.int64]) -> csr_array:
    """The matrix with the rows of all other items set to zero."""
    from scipy.sparse import diags_array

    kept = np.zeros(matrix.shape[0])
    kept[items] = 1
    chosen = (diags_array(kept) @ matrix).tocsr()
    chosen.eliminate_zeros()
    return chosen


def top_items(purchases: Purchases, share: float) -> npt.NDArray[np.int64]:
    """The best-selling items by number of rows: this share of those sold, and at least one.

    Items with equally many rows are ordered by name.

    >>> from quintain.testing.examples import example
    >>> purchases = Purchases.of(example("transactions"))
    >>> np.bincount(purchases.item).tolist(), top_items(purchases, 0.4).tolist()
    ([67, 61, 72], [2])
    """
    rows = np.bincount(purchases.item[purchases.live], minlength=len(purchases.items))
    by_name = np.argsort(np.array(purchases.items), kind="stable")
    ranked = by_name[np.argsort(-rows[by_name], kind="stable")]
    count = int(share * np.count_nonzero(rows) + 1e-9)  # 0.29 of 100 is 29
    return ranked[: max(1, count)].astype(np.int64)


def similarity_distance(original: csr_array, release: csr_array, norm: Norm) -> float:
    """Summed differences of cosine similarities over summed similarities, at most 1.

    With ``all_buyers`` an item's length is computed over everybody who bought it. With
    ``co_buyers`` it is computed for each pair of items, over the people who bought both.
    """
    compare = _full_norm if norm == "all_buyers" else _co_buyers
    difference, total = compare(original, release)
    if total == 0:
        return 0.0 if difference == 0 else 1.0
    return min(1.0, difference / total)


def _full_norm(original: csr_array, release: csr_array) -> tuple[float, float]:
    """Compare similarities; one product of stacked, signed matrices gives their difference."""
    from scipy.sparse import hstack

    one, other = unit_rows(original), unit_rows(release)
    left, right = hstack([one, other]).tocsr(), hstack([one, -other]).tocsr()
    difference = sum(
        _symmetric_sum(np.abs(block.data), block.indices, part)
        for part, block in _half(left, right)
    )
    bought = np.asarray(one.sum(axis=0)).ravel()
    return float(difference), float(bought @ bought)


def _half(left: csr_array, right: csr_array) -> Iterator[tuple[int, csr_array]]:
    """The upper half of a symmetric product in blocks of rows, each with its number of rows."""
    for start in range(0, left.shape[0], BLOCK):
        part = left[start : start + BLOCK]
        yield part.shape[0], part @ right[start:].T.tocsr()


def _symmetric_sum(values: Floats, column: npt.NDArray[np.int32], part: int) -> float:
    """The sum over a block of the upper half and its mirror image."""
    return float(2 * values.sum() - values[column < part].sum())


def _co_buyers(original: csr_array, release: csr_array) -> tuple[float, float]:
    difference = total = 0.0
    for start in range(0, original.shape[0], BLOCK):
        one, other = (_co_buyer_block(matrix, start) for matrix in (original, release))
        part = one.shape[0]
        for weight, columns in ((1, slice(0, part)), (2, slice(part, None))):
            difference += weight * float(np.abs(one[:, columns] - other[:, columns]).sum())
            total += weight * float(one[:, columns].sum())
    return difference, total


def _co_buyer_block(matrix: csr_array, start: int) -> Floats:
    """Similarities of a block of items with themselves and all later ones."""
    part, rest = matrix[start : start + BLOCK], matrix[start:]
    bought, rest_bought = part.sign(), rest.sign()
    together = (part @ rest.T).toarray()
    part_squares = (part.multiply(part).tocsr() @ rest_bought.T).toarray()
    rest_squares = (bought @ rest.multiply(rest).tocsr().T).toarray()
    lengths = np.sqrt(part_squares * rest_squares)
    similar: Floats = np.divide(together, lengths, out=lengths, where=lengths > 0)
    return similar
