"""Shopping utility: what a shop can still learn from released transactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.kernels.purchases import Purchases
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.measure import About, Readings
from quintain.measures.reading import Direction, Reading
from quintain.measures.utility.transactions._item_similarity import (
    Norm,
    item_matrix,
    items_only,
    similarity_distance,
    small_only,
    top_items,
)
from quintain.registry import register

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
