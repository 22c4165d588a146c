"""How PATE-GAN spends its budget; the plan depends on public facts alone, never on records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from quintain.accounting.pate import least_scale, most_answers, with_more

_COUNT_SHARE = 0.01
"""The part of epsilon spent on the number of records, if there are no histograms."""
_LOUDEST = 0.5
"""The largest scale of vote noise that is useful, as a part of the number of teachers."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of noisy answers of each kind, and the scale of their noise.

    Parameters
    ----------
    counts : how many histograms are counted before the first vote; at least one, which may have a
        single cell: the number of records.
    count_scale : the scale of the noise in each histogram.
    queries : how many generated records the teachers label.
    vote_scale : the scale of the noise in each count of votes.
    """

    counts: int
    count_scale: float
    queries: int
    vote_scale: float

    def answers(self) -> dict[float, int]:
        """Count all answers of the plan by the scale of their noise, for the privacy account."""
        return with_more({self.count_scale: self.counts}, self.vote_scale, self.queries)


@lru_cache(maxsize=64)
def make_plan(
    epsilon: float, delta: float, *, share: float, columns: int, teachers: int, queries: int
) -> Plan:
    """Plan histograms for a share of epsilon, then as many queries as the rest allows.

    The scale of the vote noise is at most half the number of teachers. If all queries fit with less
    noise, the plan uses less.

    >>> plan = make_plan(1.0, 1e-5, share=0.5, columns=3, teachers=2000, queries=10_000)
    >>> plan.queries, round(plan.vote_scale)
    (10000, 613)
    """
    counts = columns if share else 1
    count_scale = least_scale(epsilon * (share or _COUNT_SHARE), delta, {}, counts)
    histograms, scale = {count_scale: counts}, _LOUDEST * teachers
    number = most_answers(epsilon, delta, histograms, scale, queries)
    if number:
        scale = min(scale, least_scale(epsilon, delta, histograms, number))
    return Plan(counts, count_scale, number, scale)
