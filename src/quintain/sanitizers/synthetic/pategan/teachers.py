"""The teachers of PATE-GAN: classifiers on disjoint parts of the private records.

A teacher is a linear discriminant over levels and pairs of levels,

$$ f_j(x) = \\langle m_j - g,\\; \\phi(x) - g \\rangle, $$

with m_j the mean of its own real records and g the mean of the generator's. It votes "real" if x
looks more like its own records than an average generated record does.

All that a teacher computes is a sum over its own records, done element by element in their order,
so that not even a rounding error of one teacher depends on the records of another. A record more
or less therefore changes the votes of one teacher and no others.
"""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Ints
from quintain.sanitizers.synthetic.pategan.view import View

_CHUNK = 8
"""Queries looked at together: few, so that the numbers fit into the processor's cache."""


class Teachers:
    """Teachers, each with the records that fell to it.

    Parameters
    ----------
    records : levels of the private records.
    part : the teacher each record belongs to; must be drawn without looking at the records.
    count : how many teachers there are; some may have no record.
    """

    def __init__(self, records: Ints, part: Ints, count: int) -> None:
        self._records = records[np.argsort(part, kind="stable")]
        sizes = np.bincount(part, minlength=count)
        taught = np.flatnonzero(sizes)
        self._sizes = sizes[taught]
        self._starts = (np.cumsum(sizes) - sizes)[taught]
        # Teachers without records vote too, every second of them for real.
        self._idle_votes = int(np.count_nonzero(np.flatnonzero(sizes == 0) % 2))

    def votes(self, queries: Ints, view: View) -> Ints:
        """How many teachers hold each query for real; a record changes a count by one at most."""
        own = np.add.reduceat(view.familiar(self._records), self._starts) / self._sizes
        least = own - view.familiarity
        familiar = view.familiar(queries)
        counts = np.full(len(queries), self._idle_votes)
        for start in range(0, len(queries), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            alike = view.kernel(queries[chunk], self._records)
            mean = np.add.reduceat(alike, self._starts, axis=0) / self._sizes[:, None]
            counts[chunk] += (mean - familiar[chunk] > least[:, None]).sum(axis=0)
        return counts
