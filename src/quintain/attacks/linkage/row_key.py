"""Row keys: look single known purchases up in the release."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.linkage.row_traits import Evidence
from quintain.attacks.linkage.view import LinkageAttack, LinkageView
from quintain.kernels.purchases import months_of
from quintain.kernels.row_keys import RowKeys
from quintain.registry import register


@register("row-key-v1")
class RowKey(LinkageAttack):
    """Looks up known purchases by a few attributes and believes the last row that is found.

    A published row enters its pseudonym under its attributes, later rows overwrite earlier ones.
    Then the known purchases are read in order, and the pseudonym that a purchase finds is guessed
    for that person and month, again the last one. That is how the baseline attacks of DARC work:
    F1 day, quantity; F2 item, price; F3 item, quantity; F4 item, day; F5 item, price, quantity; F6
    item, day, quantity.

    Parameters
    ----------
    attributes : what is looked up.
    item_prefix : how many characters of an item's name are known; 0 is all of it.

    References: DARC 2019, rule 14. PWSCup 2017.
    """

    attributes: Annotated[tuple[Evidence, ...], Field(min_length=1, max_length=4)] = (
        "item",
        "day",
        "quantity",
    )
    item_prefix: Annotated[int, Field(ge=0)] = 2

    @classmethod
    def examples(cls) -> list[Self]:
        """F6 of the rules, and everything known."""
        return [cls(), cls(attributes=("item", "day", "price", "quantity"), item_prefix=0)]

    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Build the dictionary and read it."""
        keys = RowKeys.of(view.known, view.shown, self.item_prefix or None)
        known, shown = keys.keys(self.attributes)
        entry = np.full(int(max(known.max(initial=-1), shown.max(initial=-1))) + 1, -1)
        entry[shown] = view.shown.person
        first = int(np.datetime64(view.question.months[0], "M").astype(np.int64))
        month = months_of(view.known.day) - first
        pseudonym_of = view.nothing()
        rows = np.flatnonzero((entry[known] >= 0) & (month >= 0) & (month < pseudonym_of.shape[1]))
        pseudonym_of[view.known.person[rows], month[rows]] = entry[known[rows]]
        return pseudonym_of
