"""The teachers of PATE-GAN: classifiers, each with its own part of the private records.

A teacher is a linear discriminant over levels and pairs of levels,

$$ f_j(x) = \\langle m_j - g,\\; \\phi(x) - g \\rangle, $$

where m_j is the mean of its own real records and g the mean of the generator's records. It votes
"real" if x looks more like its own records than an average generated record does.

A teacher only computes sums over its own records, element by element and in their order. So not
even a rounding error of one teacher depends on the records of another. One record more or less
therefore changes the votes of one teacher only.
"""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Ints
from quintain.sanitizers.synthetic.pategan.view import View

_CHUNK = 8
"""How many queries are processed at once; few enough for the processor's cache."""


class Teachers:
    """All teachers, each with the private records that were assigned to it.

    Parameters
    ----------
    records : levels of the private records.
    part : the teacher of each record; it must be drawn without reading the records.
    count : how many teachers there are; some may have no records.
    """

    def __init__(self, records: Ints, part: Ints, count: int) -> None:
        self._records = records[np.argsort(part, kind="stable")]
        sizes = np.bincount(part, minlength=count)
        busy = np.flatnonzero(sizes)
        self._sizes = sizes[busy]
        self._starts = (np.cumsum(sizes) - sizes)[busy]
        # Teachers without records vote too; every second one of them votes "real".
        self._idle_votes = int(np.count_nonzero(np.flatnonzero(sizes == 0) % 2))

    def votes(self, queries: Ints, view: View) -> Ints:
        """Count the teachers that vote "real"; one record changes each count by one at most."""
        own = np.add.reduceat(view.mean_similarity(self._records), self._starts) / self._sizes
        least = own - view.own_similarity
        expected = view.mean_similarity(queries)
        counts = np.full(len(queries), self._idle_votes)
        for start in range(0, len(queries), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            similarity = view.kernel(queries[chunk], self._records)
            mean = np.add.reduceat(similarity, self._starts, axis=0) / self._sizes[:, None]
            counts[chunk] += (mean - expected[chunk] > least[:, None]).sum(axis=0)
        return counts
