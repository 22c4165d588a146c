"""Publication: put a release into an order that reveals nothing about the private data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from quintain.data import Data, Series, Transactions
from quintain.data.arrays import Rows
from quintain.releases.sanitized import origins_through


@dataclass(frozen=True, slots=True, eq=False)
class Publication:
    """The records that attackers get, and the secret of where each of them came from.

    Parameters
    ----------
    data : the published records, in their published order.
    origins : for every published record the row of the private record that it was made from, -1 for
        a record that was made up; None if nobody knows.
    """

    data: Data
    origins: Rows | None = None


def publish(data: Data, *, rng: np.random.Generator) -> Data:
    """Prepare a release for attackers by hiding the order of the private data.

    A plain table is sorted by content. Transactions lose their deleted rows; the other rows are
    shuffled, because they are in the order of the original. Series are shuffled person by person,
    and the persons get new numbers.
    """
    return publication(data, None, rng=rng).data


def publication(data: Data, origins: Rows | None, *, rng: np.random.Generator) -> Publication:
    """Publish a release, and follow the origins of its records to their published places.

    Records of a plain table that are equal get their places at random. So the place of a record
    among its equals tells nothing about its origin.
    """
    rows = _published_order(data, rng)
    shown = data.take(rows)
    if isinstance(shown, Series):
        shown = replace(shown, ids=np.arange(len(shown)))
    return Publication(shown, origins_through(origins, rows))


def _published_order(data: Data, rng: np.random.Generator) -> Rows:
    """For every published record its row in the release."""
    if isinstance(data, Transactions):
        kept = np.flatnonzero(~data.deleted_rows())
        return kept[rng.permutation(len(kept))]
    shuffled = rng.permutation(len(data))
    return shuffled if isinstance(data, Series) else shuffled[data.take(shuffled).order()]
