"""Shopping baselines: simple attacks that every release of transactions must withstand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.kernels.purchases import Purchases
from quintain.kernels.row_keys import Attribute, RowKeys
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.measure import About, Readings
from quintain.measures.privacy.linkage._basket_links import basket_share
from quintain.measures.privacy.linkage._row_links import expected_share
from quintain.measures.reading import Direction, Reading
from quintain.registry import register
from quintain.releases.pseudonyms import pseudonym_table

ATTACKS: dict[str, tuple[Attribute, ...]] = {
    "F1": ("day", "quantity"),
    "F2": ("item", "price"),
    "F3": ("item", "quantity"),
    "F4": ("item", "day"),
    "F5": ("item", "price", "quantity"),
    "F6": ("item", "day", "quantity"),
}


@register("shopping-baselines-v1")
class ShoppingBaselines(AlignedMeasure):
    """How many pseudonyms simple look-ups of known rows reveal, in the best of seven ways.

    The attackers know every row of the original. F1 to F6 look up single rows by two or three
    attributes; S7 compares a month's baskets of items. A reading is a share: of the person-months
    with a published pseudonym, those for which the attack guesses it. ``reid`` is the largest. The
    published order is random, and the readings are expectations over it, so no seed is needed.
    Lower is better for people.

    DARC's rules 1.4 are the defaults. The contest of 2019 as it ran: ``item_prefix = 0``,
    ``sixth = "price"``, ``basket = "counted"``, ``months = 12``.

    Parameters
    ----------
    item_prefix : how many characters of an item's name are known; 0 is all of it.
    sixth : what F6 looks up besides item and day.
    basket : whether S7 is "counted" for reid, only "shown", or "left_out".
    months : how many months are scored, from the first one on; all if not given.

    References
    ----------
    DARC rules 1.4 (2019), rules 12 and 14. PWSCup 2017.

    Examples
    --------
    New names alone do not protect: looking up item, price and quantity (F5) links nearly all.

    >>> import quintain as q
    >>> from quintain.testing import experiment
    >>> sample, renamed = experiment("transactions")
    >>> readings = q.measure("shopping-baselines", sample.private, renamed)
    >>> print(readings["F3"], readings["F5"], readings["reid"])
    0.1 0.9878 0.9878
    """

    about: ClassVar[About] = "privacy"

    item_prefix: Annotated[int, Field(ge=0)] = 2
    sixth: Literal["quantity", "price"] = "quantity"
    basket: Literal["counted", "shown", "left_out"] = "shown"
    months: Annotated[int, Field(ge=1)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """DARC's rules, the same without S7, and the contest of 2019 as it ran."""
        ran = cls(item_prefix=0, sixth="price", basket="counted", months=12)
        return [cls(), cls(basket="left_out"), ran]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """F1 to F6, perhaps S7, and reid; lower is better for people."""
        names = (*ATTACKS, *(() if self.basket == "left_out" else ("S7",)), "reid")
        return dict.fromkeys(names, "lower")

    @property
    def captions(self) -> Mapping[str, str]:
        """What each attack looks up."""
        looked_up = {
            name: f"Person-months linked by looking up single rows by {_listed(attributes)}."
            for name, attributes in self._attacks().items()
        }
        best = "F1 to F6 and S7" if self.basket == "counted" else "F1 to F6"
        others = {
            "S7": "Person-months linked by comparing a month's baskets of items.",
            "reid": f"Person-months linked by the best of {best}.",
        }
        return {name: text for name, text in (looked_up | others).items() if name in self.reads}

    def _attacks(self) -> dict[str, tuple[Attribute, ...]]:
        return {**ATTACKS, "F6": ("item", "day", self.sixth)}

    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Run every attack; the best one gives ``reid``."""
        truth = pseudonym_table(original, release)
        if self.months is not None:
            truth = truth.until(self.months)
        live_cells = int(np.count_nonzero(truth.live))
        if not live_cells:
            note = "no month of any person has a published pseudonym"
            return {name: Reading.missing("lower", note) for name in self.reads}
        published = release.live_rows()
        keys = RowKeys.of(original, published, self.item_prefix or None)
        cell = truth.cell_of_row(original)
        shares = {
            name: expected_share(truth, cell, keys.keys(attributes), published.person)
            for name, attributes in self._attacks().items()
        }
        best = max(shares.values())
        if self.basket != "left_out":
            shares["S7"] = basket_share(truth, original, published)
        shares["reid"] = max(best, shares["S7"]) if self.basket == "counted" else best
        return {name: Reading.exact(share, live_cells, "lower") for name, share in shares.items()}


def _listed(attributes: tuple[Attribute, ...]) -> str:
    return f"{', '.join(attributes[:-1])} and {attributes[-1]}"
