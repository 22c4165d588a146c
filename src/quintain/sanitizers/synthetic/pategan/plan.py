"""How PATE-GAN spends its budget, decided from public facts before any record is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from quintain.accounting.pate import least_scale, most_answers, with_more

_COUNT_SHARE = 0.01
"""The part of epsilon that the number of records costs where no histograms are bought."""
_LOUDEST = 0.5
"""Noise of a scale above this part of the teachers is not worth a query."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a budget is spent.

    Parameters
    ----------
    counts : how many histograms are counted before the first vote; where none is bought, one, of
        a single cell: the number of records.
    count_scale : the noise of each of them.
    queries : how many generated records the teachers label.
    vote_scale : the noise of each count of votes.
    """

    counts: int
    count_scale: float
    queries: int
    vote_scale: float

    def spent(self) -> dict[float, int]:
        """Everything that will be answered, for an account of it."""
        return with_more({self.count_scale: self.counts}, self.vote_scale, self.queries)


@lru_cache(maxsize=64)
def make_plan(
    epsilon: float, delta: float, *, share: float, columns: int, teachers: int, queries: int
) -> Plan:
    """Histograms for a share of epsilon, then as many queries as the rest allows.

    Noise up to half of the teachers is put up with; if all queries fit with less, it is less.
    """
    counts = columns if share else 1
    count_scale = least_scale(epsilon * (share or _COUNT_SHARE), delta, {}, counts)
    spent, scale = {count_scale: counts}, _LOUDEST * teachers
    number = most_answers(epsilon, delta, spent, scale, queries)
    if number:
        scale = min(scale, least_scale(epsilon, delta, spent, number))
    return Plan(counts, count_scale, number, scale)
