"""Publication: put a release in an order that reveals nothing about its input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quintain.data import Data, Series, Transactions


def publish(data: Data, *, rng: np.random.Generator) -> Data:
    """A release as attackers get it.

    A plain table is sorted by content. Transactions lose their deleted rows and are shuffled row
    by row, because their order is that of the original. Series are shuffled person by person, and
    persons are numbered anew.
    """
    if isinstance(data, Transactions):
        kept = data.take(np.flatnonzero(~data.deleted()))
        return kept.take(rng.permutation(len(kept)))
    if isinstance(data, Series):
        shuffled = data.take(rng.permutation(len(data)))
        return replace(shuffled, ids=np.arange(len(data)))
    return data.take(data.order())
