"""Profile assignment: link pseudonyms to persons by the items they bought."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from quintain.attacks.linkage.view import LinkageAttack, LinkageView, Month, assign
from quintain.data.arrays import Floats
from quintain.kernels.unit_rows import unit_rows
from quintain.registry import register

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@register("profile-assignment-v1")
class ProfileAssignment(LinkageAttack):
    """Compares the items under each pseudonym with everybody's, and matches all of a month at once.

    Similarity is the cosine of numbers of rows by item, an item weighing more the fewer people
    bought it that month (tf-idf). Of all ways to give each person a pseudonym of their own the one
    with the largest sum of similarities is guessed. Dates, prices and quantities are not looked at.

    References
    ----------
    Sparck Jones, A statistical interpretation of term specificity, J. Documentation 28 (1972).
    Kuhn, The Hungarian method for the assignment problem (1955).
    """

    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Match month by month."""
        pseudonym_of = view.nothing()
        for month in view.months():
            assign(month, item_similarity(month), pseudonym_of)
        return pseudonym_of


def item_similarity(month: Month) -> Floats:
    """Pseudonyms x persons: how alike the items are that they bought in a month."""
    size = len(month.known.bought.items)
    known, shown = (side.count(side.bought.item, size) for side in (month.known, month.shown))
    buyers = np.bincount(known.indices, minlength=size)
    rarity = np.log((known.shape[0] + 1) / np.maximum(buyers, 1))
    similar: Floats = (_weighted(shown, rarity) @ _weighted(known, rarity).T).toarray()
    return similar


def _weighted(count: csr_array, weight: Floats) -> csr_array:
    """Rows of weighted counts, of length 1."""
    from scipy.sparse import diags_array

    count.sum_duplicates()
    return unit_rows((count @ diags_array(weight)).tocsr())
