"""Row keys: look up single known purchases in the release."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.linkage.evidence_assignment import Evidence
from quintain.attacks.linkage.view import LinkageAttack, LinkageView
from quintain.kernels.purchases import RowKeys, months_of
from quintain.registry import register


@register("row-key-v1")
class RowKey(LinkageAttack):
    """Looks up known purchases by a few attributes, and trusts the last published row that agrees.

    A dictionary maps the attributes of each published row to its pseudonym; later rows overwrite
    earlier ones. Then the attack looks up the known purchases in order. It guesses the pseudonym of
    the last purchase that it finds for a person and month. The baseline attacks of DARC work like
    this: F1 day, quantity; F2 item, price; F3 item, quantity; F4 item, day; F5 item, price,
    quantity; F6 item, day, quantity.

    Parameters
    ----------
    attributes : the attributes in which two purchases must agree.
    item_prefix : how many characters of an item's name the attacker knows; 0 means all of it.

    References
    ----------
    DARC 2019, rule 14. PWSCup 2017.

    >>> import numpy as np
    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> sample, release = experiment("transactions")
    >>> question, truth = q.part("goal/linkage", first="2011-01", months=3).ask(sample, release)
    >>> knowledge, rng = q.Knowledge(question, sample.population), np.random.default_rng(0)
    >>> guess = q.attacks.RowKey().infer(knowledge, release, rng=rng)
    >>> reading = q.measure("reidentification", guess, truth)["reid"]
    >>> f"finds {reading.value:.0%} of the pseudonyms"
    'finds 98% of the pseudonyms'
    """

    attributes: Annotated[tuple[Evidence, ...], Field(min_length=1, max_length=4)] = (
        "item",
        "day",
        "quantity",
    )
    item_prefix: Annotated[int, Field(ge=0)] = 2

    @classmethod
    def examples(cls) -> list[Self]:
        """F6 of the rules, and all attributes."""
        return [cls(), cls(attributes=("item", "day", "price", "quantity"), item_prefix=0)]

    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Build the dictionary of published rows, then look up the known purchases."""
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
