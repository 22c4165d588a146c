"""Sanitized: the result of one run of a sanitizer, a release and a secret trace.

Attackers get a release in an order that reveals nothing about the private data.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quintain.data import Data, shape_of
from quintain.data.arrays import Rows
from quintain.releases.release import Release


@dataclass(frozen=True, slots=True, order=True)
class FocalPoint:
    """A statistic of the private data that a sanitizer chose to preserve: p(columns | given).

    >>> str(FocalPoint(("income",), given=("age", "sex")))
    'p(income | age, sex)'
    """

    columns: tuple[str, ...]
    given: tuple[str, ...] = ()

    def __str__(self) -> str:
        given = f" | {', '.join(self.given)}" if self.given else ""
        return f"p({', '.join(self.columns)}{given})"


@dataclass(frozen=True, slots=True)
class Trace:
    """The facts that a sanitizer remembers of one run.

    A trace depends on the private data, and no claim covers it. So it stays with the person who
    ran the sanitizer. An attacker who runs the sanitizer on their own data has the traces of those
    runs.

    Parameters
    ----------
    focal_points : the statistics that the sanitizer chose to preserve, such as the edges of a tree
        or the parents in a network.
    origins : for every released record the row of the private record that it was made from, -1 for
        a record that was made up. No private record appears twice. None if released records are not
        made from single private records, as with synthetic data.
    """

    focal_points: tuple[FocalPoint, ...] = ()
    origins: Rows | None = field(default=None, compare=False)


def origins_through(first: Rows | None, second: Rows | None) -> Rows | None:
    """The origins after two steps, where the second step started from the records of the first.

    >>> origins_through(np.array([4, -1, 2]), np.array([2, 1, -1, 0])).tolist()
    [2, -1, -1, 4]
    """
    if first is None or second is None:
        return None
    return np.where(second >= 0, first[second], -1)


@dataclass(frozen=True, slots=True, eq=False)
class Sanitized:
    """The result of one run of a sanitizer: a release to publish, and a trace to keep secret."""

    release: Release
    trace: Trace = Trace()


@dataclass(frozen=True, slots=True, eq=False)
class Publication:
    """The records that attackers get, and the secret of where each of them came from.

    Parameters
    ----------
    data : the published records, in their published order.
    origins : for every published record the row of the private record that it was made from, -1 for
        a record that was made up; None if nobody knows.
    records : for every published record its number in the release before it was published; None if
        they are the same.
    """

    data: Data
    origins: Rows | None = None
    records: Rows | None = None


def publish(data: Data, *, rng: np.random.Generator) -> Data:
    """Prepare a release for attackers by hiding the order of the private data.

    The shape says how. A plain table is sorted by content. Transactions lose their deleted rows;
    the other rows are shuffled, because they are in the order of the original. Series are shuffled
    person by person, and the persons get new numbers.
    """
    return publication(data, None, rng=rng).data


def publication(data: Data, origins: Rows | None, *, rng: np.random.Generator) -> Publication:
    """Publish a release, and follow the origins of its records to their published places.

    Records of a plain table that are equal get their places at random. So the place of a record
    among its equals tells nothing about its origin.
    """
    shown, records = shape_of(data).publish(data, rng=rng)
    return Publication(shown, origins_through(origins, records), records)
