"""Publication: put a release into an order that reveals nothing about the private data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quintain.data import Data, Series, Transactions


def publish(data: Data, *, rng: np.random.Generator) -> Data:
    """Prepare a release for attackers by hiding the order of the private data.

    A plain table is sorted by content. Transactions lose their deleted rows; the other rows are
    shuffled, because they are in the order of the original. Series are shuffled person by person,
    and the persons get new numbers.
    """
    if isinstance(data, Transactions):
        kept = data.take(np.flatnonzero(~data.deleted()))
        return kept.take(rng.permutation(len(kept)))
    if isinstance(data, Series):
        shuffled = data.take(rng.permutation(len(data)))
        return replace(shuffled, ids=np.arange(len(data)))
    return data.take(data.order())
