"""Row keys: look single known purchases up in the release."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.linkage.view import LinkageAttack, LinkageView
from quintain.data.purchases import Purchases, months_of
from quintain.data.table import Array, Rows
from quintain.registry import register

Attribute = Literal["item", "day", "price", "quantity"]


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

    attributes: Annotated[tuple[Attribute, ...], Field(min_length=1, max_length=4)] = (
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
        known, shown = self._keys(view.known, view.shown)
        entry = np.full(int(max(known.max(initial=-1), shown.max(initial=-1))) + 1, -1)
        entry[shown] = view.shown.person
        first = int(np.datetime64(view.question.months[0], "M").astype(np.int64))
        month = months_of(view.known.day) - first
        found = view.nothing()
        rows = np.flatnonzero((entry[known] >= 0) & (month >= 0) & (month < found.shape[1]))
        found[view.known.person[rows], month[rows]] = entry[known[rows]]
        return found

    def _keys(self, known: Purchases, shown: Purchases) -> tuple[Rows, Rows]:
        """Numbers for rows, equal ones where all attributes are equal."""
        key = np.zeros(len(known) + len(shown), np.int64)
        for name in self.attributes:
            value = np.concatenate([self._values(side, name) for side in (known, shown)])
            _, code = np.unique(value, return_inverse=True)
            _, key = np.unique(key * (code.max(initial=0) + 1) + code, return_inverse=True)
        return key[: len(known)], key[len(known) :]

    def _values(self, side: Purchases, name: Attribute) -> Array:
        if name != "item":
            values: Array = getattr(side, name)
            return values
        known = [item[: self.item_prefix or None] for item in side.items]
        return np.unique(known, return_inverse=True)[1][side.item]
