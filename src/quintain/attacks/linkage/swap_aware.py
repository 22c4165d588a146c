"""Swap-aware: link pseudonyms to persons where whole customers were swapped."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.linkage.profile_assignment import item_similarity
from quintain.attacks.linkage.view import LinkageAttack, LinkageView, Month, assign, matched
from quintain.data.arrays import Floats, Rows
from quintain.registry import register

IMPOSSIBLE = -1e9
MISFIT = 100.0
"""What a row too many or too few costs, in places of the order by size."""


@register("swap-aware-v1")
class SwapAware(LinkageAttack):
    """Finds whose purchases a pseudonym publishes, and guesses that it stands for somebody else.

    Made against the swap of whole customers of about the same size. Whose purchases a pseudonym
    publishes is decided by the most similar baskets, and by most of its months. It stands for
    another person, who had about as many rows that month: rows that do not fit are deleted, so
    there are as many rows as the smaller of the two has.

    Parameters
    ----------
    block : how far apart the two may be when a month's persons are ordered by number of rows.
    """

    block: Annotated[int, Field(ge=2)] = 8

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and pairs."""
        return [cls(), cls(block=2)]

    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Find the sources of all pseudonyms, then match with others month by month."""
        months = list(view.months())
        source = sources(months, view)
        pseudonym_of = view.nothing()
        for month in months:
            score = self._score(month, source[month.shown.everyone])
            assign(month, score + rng.random(score.shape), pseudonym_of)
        return pseudonym_of

    def _score(self, month: Month, source: Rows) -> Floats:
        """Pseudonyms x persons: who could hold the purchases of the source, by number of rows."""
        size, shown = month.known.sizes(), month.shown.sizes()
        place = np.searchsorted(month.known.everyone, source)
        place = np.minimum(place, len(size) - 1)
        here = month.known.everyone[place] == source  # the source bought something this month
        expected = np.where(here, size[place], shown)
        misfit = np.abs(np.minimum(size, expected[:, None]) - shown[:, None])
        order = np.sort(size)
        low, high = np.searchsorted(order, size), np.searchsorted(order, size, side="right")
        first, last = (
            np.searchsorted(order, expected),
            np.searchsorted(order, expected, side="right"),
        )
        apart = np.maximum(low - last[:, None], first[:, None] - high)
        near = np.clip(1 - np.maximum(apart, 0) / self.block, 1e-6, 1)
        score: Floats = np.log(near) - MISFIT * misfit
        score[np.flatnonzero(here), place[here]] = IMPOSSIBLE
        return score


def sources(months: list[Month], view: LinkageView) -> Rows:
    """For every pseudonym the known person whose purchases it publishes in most months, or -1."""
    persons = len(view.known.persons)
    votes = []
    for month in months:
        owner = matched(item_similarity(month))
        named = month.shown.everyone[owner >= 0]
        votes.append(named * persons + month.known.everyone[owner[owner >= 0]])
    pair, count = np.unique(np.concatenate(votes), return_counts=True)
    order = np.argsort(count, kind="stable")
    source = np.full(len(view.shown.persons), -1)
    source[pair[order] // persons] = pair[order] % persons  # the most frequent comes last
    return source
