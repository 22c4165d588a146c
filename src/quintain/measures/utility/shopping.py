"""Shopping utility: what a shop can still learn from released transactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Floats
from quintain.kernels.purchases import Purchases, unit_rows
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.measure import About, Readings
from quintain.measures.reading import Direction, Reading
from quintain.registry import register

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# Item similarity: which items the same people buy, in the original and in the release.


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


LONGEST_MONTH = 31


@register("shopping-utility-v1")
class ShoppingUtility(AlignedMeasure):
    r"""What the release lost in item similarities, dates, prices and rows; U is the largest loss.

    $$ E_1 = sum_{ij} |M_{ij} - M'_{ij}| / sum_{ij} M_{ij} $$

    M holds the cosine similarities of items, by the quantities that people bought of them. E2 is
    the same for quantities below ``small``, E3 for the best-selling items. E4 is the mean shift
    of dates in months of 31 days, E5 the mean relative change of prices, E6 the share of deleted
    rows. 0 means no loss; lower is better. E1 to E3 are at most 1; E4 can be larger if dates leave
    their month.

    The defaults are DARC's rules 1.4, but for the norm: the rules use ``co_buyers``. The contest
    of 2019 as it ran: ``small = 0`` and ``lists = "each"``.

    Parameters
    ----------
    norm : who counts in an item's length: "all_buyers" of it, or for each pair of items the
        "co_buyers" of both.
    small : E2 leaves out quantities of this size or more; 0 switches E2 off (it reads 0).
    lists : which best-selling items count in E3: "original" uses the original's for both tables,
        "each" uses each table's own; then E3 is at least the Jaccard distance of the two lists.
    top : the share of items that count as best-selling, ranked by rows, then by name.

    References
    ----------
    DARC rules 1.4 (2019), rule 10.

    Examples
    --------
    New names for every month change who buys what together (E1), but no date (E4):

    >>> import quintain as q
    >>> from quintain.testing import experiment
    >>> sample, renamed = experiment("transactions")
    >>> readings = q.measure("shopping-utility", sample.private, renamed)
    >>> print(readings["E1"], readings["E4"], readings["U"])
    0.4378 0 0.4378
    """

    about: ClassVar[About] = "utility"
    reads: ClassVar[Mapping[str, Direction]] = dict.fromkeys(
        ("E1", "E2", "E3", "E4", "E5", "E6", "U"), "lower"
    )
    captions: ClassVar[Mapping[str, str]] = {
        "E1": "Change of the similarities between items, by the people who buy them.",
        "E2": "Change of the similarities between items, small quantities only.",
        "E3": "Change of the similarities between the best-selling items.",
        "E4": "Mean shift of dates, in months of 31 days.",
        "E5": "Mean relative change of prices.",
        "E6": "Share of deleted rows.",
        "U": "The largest of the losses E1 to E6.",
    }

    norm: Norm = "all_buyers"
    small: Annotated[int, Field(ge=0)] = 6
    lists: Literal["original", "each"] = "original"
    top: Annotated[float, Field(gt=0, le=1)] = 0.05

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, DARC's rules to the letter, and the contest of 2019 as it ran."""
        return [cls(), cls(norm="co_buyers"), cls(small=0, lists="each")]

    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Compute six losses and the largest of them."""
        one, other = item_matrix(original), item_matrix(release)
        losses = {"E1": similarity_distance(one, other, self.norm), "E2": 0.0}
        if self.small:
            small_original, small_release = (
                small_only(one, self.small),
                small_only(other, self.small),
            )
            losses["E2"] = similarity_distance(small_original, small_release, self.norm)
        best = top_items(original, self.top)
        released_best = top_items(release, self.top) if self.lists == "each" else best
        losses["E3"] = max(
            similarity_distance(items_only(one, best), items_only(other, released_best), self.norm),
            _jaccard_distance(set(best.tolist()), set(released_best.tolist())),
        )
        losses["E4"] = date_loss(original, release)
        losses["E5"] = price_loss(original, release)
        losses["E6"] = 1 - float(np.count_nonzero(release.live)) / len(original)
        losses["U"] = max(losses.values())
        return {name: Reading.exact(loss, len(original), "lower") for name, loss in losses.items()}


def date_loss(original: Purchases, release: Purchases) -> float:
    """The summed shift of days over 31 times the number of rows; deleted rows add nothing."""
    live = release.live
    shift = np.abs(original.day[live].astype(np.int64) - release.day[live])
    return float(shift.sum()) / (LONGEST_MONTH * len(original))


def price_loss(original: Purchases, release: Purchases) -> float:
    """The summed relative change 1 - min/max of prices over the number of rows.

    Deleted rows and equal prices, also of zero, add nothing.
    """
    one, other = original.price[release.live], release.price[release.live]
    low, high = np.minimum(one, other), np.maximum(one, other)
    ratio = np.divide(low, high, out=np.ones_like(high), where=high > 0)
    return float((1 - ratio).sum()) / len(original)


def _jaccard_distance(one: set[int], other: set[int]) -> float:
    return 1 - len(one & other) / len(one | other) if one | other else 0.0
