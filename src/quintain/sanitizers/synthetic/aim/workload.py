"""Workload: the marginals that a release should preserve, and those worth measuring for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.sanitizers.synthetic.pgm import Domain

Marginal = tuple[str, ...]
"""The columns that are counted together."""

MOST_CANDIDATES = 20_000
"""The most candidates that are compared in every round."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The marginals that a round may choose from.

    Parameters
    ----------
    marginals : the columns of each, in the order of the domain.
    weights : how much each matters for the workload.
    cells : how many cells each has.
    wanted : how many marginals the workload has.
    """

    marginals: Sequence[Marginal]
    weights: Floats
    cells: Ints
    wanted: int

    @classmethod
    def of(cls, workload: Mapping[Marginal, float], domain: Domain) -> Candidates:
        """List all parts of the marginals of a workload.

        A candidate is weighted by the columns that it shares with each marginal of the workload,
        times the weight of this marginal.

        >>> domain = Domain.of({"a": 2, "b": 3, "c": 4})
        >>> found = Candidates.of({("a", "b"): 1.0, ("b", "c"): 2.0}, domain)
        >>> for marginal, weight in zip(found.marginals, found.weights):
        ...     print(marginal, weight)
        ('a',) 1.0
        ('b',) 3.0
        ('c',) 2.0
        ('a', 'b') 4.0
        ('b', 'c') 5.0
        """
        sorted_ = {domain.sort(marginal): weight for marginal, weight in workload.items()}
        parts = {part for marginal in sorted_ for part in _parts(marginal)}
        by_place = sorted(parts, key=lambda part: (len(part), [domain.place(c) for c in part]))
        column = dict.fromkeys(domain.names, 0.0)
        for marginal, weight in sorted_.items():
            for name in marginal:
                column[name] += weight
        weights = [sum(column[name] for name in part) for part in by_place]
        cells = [domain.cells(part) for part in by_place]
        return cls(by_place, np.array(weights), np.array(cells), len(sorted_))


def all_marginals(names: Sequence[str], ways: int) -> dict[Marginal, float]:
    """List all marginals of so many columns, each with weight one."""
    return dict.fromkeys(combinations(names, min(ways, len(names))), 1.0)


def fitting_ways(columns: int, ways: int) -> int:
    """Lower the number of ways until there are not too many candidates.

    >>> fitting_ways(15, 3), fitting_ways(100, 3)
    (3, 2)
    """
    while ways > 1 and sum(comb(columns, k) for k in range(1, ways + 1)) > MOST_CANDIDATES:
        ways -= 1
    return ways


def _parts(marginal: Marginal) -> chain[Marginal]:
    sizes = range(1, len(marginal) + 1)
    return chain.from_iterable(combinations(marginal, size) for size in sizes)
