"""Swap-aware: link pseudonyms to persons although customers swapped their purchases."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.linkage.profile_assignment import item_similarity
from quintain.attacks.linkage.view import LinkageAttack, LinkageView, Month, assign, best_owners
from quintain.data.arrays import Floats, Rows
from quintain.registry import register

IMPOSSIBLE = -1e9
MISFIT = 100.0
"""The penalty for each row too many or too few, in places of the order by size."""


@register("swap-aware-v1")
class SwapAware(LinkageAttack):
    """Finds the owner of the purchases under a pseudonym, and guesses that it stands for another.

    This attack is for releases in which customers with about the same number of rows swapped all
    their purchases. First it finds the source: the person with the most similar items in most
    months of the pseudonym. Then it guesses a different person with about as many rows that month.
    The swap deletes rows that do not fit, so the smaller of the two customers decides how many
    rows there are.

    Parameters
    ----------
    block : how far apart the two may be when a month's persons are ordered by number of rows.

    >>> import numpy as np
    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> sample, release = experiment("transactions")
    >>> release = q.sanitize("customer-swap", sample.population, seed=1)
    >>> question, truth = q.part("goal/linkage", first="2011-01", months=3).ask(sample, release)
    >>> knowledge, rng = q.Knowledge(question, sample.population), np.random.default_rng(0)
    >>> guess = q.attacks.SwapAware().infer(knowledge, release, rng=rng)
    >>> reading = q.measure("reidentification", guess, truth)["reid"]
    >>> f"finds {reading.value:.0%} of the pseudonyms"
    'finds 8% of the pseudonyms'
    """

    block: Annotated[int, Field(ge=2)] = 8

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples for the test battery: the defaults, and pairs."""
        return [cls(), cls(block=2)]

    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Find the sources of all pseudonyms, then match them with other persons month by month."""
        months = list(view.months())
        source = sources(months, view)
        pseudonym_of = view.nothing()
        for month in months:
            score = self._score(month, source[month.shown.everyone])
            assign(month, score + rng.random(score.shape), pseudonym_of)
        return pseudonym_of

    def _score(self, month: Month, source: Rows) -> Floats:
        """Pseudonyms x persons: who could have swapped with the source, by number of rows."""
        size, shown = month.known.sizes(), month.shown.sizes()
        place = np.searchsorted(month.known.everyone, source)
        place = np.minimum(place, len(size) - 1)
        present = month.known.everyone[place] == source  # the source bought something this month
        expected = np.where(present, size[place], shown)
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
        score[np.flatnonzero(present), place[present]] = IMPOSSIBLE
        return score


def sources(months: list[Month], view: LinkageView) -> Rows:
    """Find the person whose purchases each pseudonym publishes in most months, or -1."""
    persons = len(view.known.persons)
    votes = [np.zeros(0, np.int64)]  # a release may have no row
    for month in months:
        owner = best_owners(item_similarity(month))
        named = month.shown.everyone[owner >= 0]
        votes.append(named * persons + month.known.everyone[owner[owner >= 0]])
    pair, count = np.unique(np.concatenate(votes), return_counts=True)
    order = np.argsort(count, kind="stable")
    source = np.full(len(view.shown.persons), -1)
    source[pair[order] // persons] = pair[order] % persons  # the most frequent comes last
    return source
