"""Distance ratio: is a record nearer to the release than to other people?"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.neighbours.surroundings import surroundings
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.registry import register


@register("dcr-difference-v1")
class DcrDifference(RecordScores):
    r"""Scores a record by how much nearer a released record is than the nearest other person.

    $$ d(x, base) - d(x, release) $$

    The distance to the closest record (DCR) alone is small for everybody with common values. The
    distance to other people of the population corrects for that. Distances are sums over columns
    of mixed kinds, each between 0 and 1 (Gower). A record of the base data is not its own
    neighbour.

    References
    ----------
    Gower, A general coefficient of similarity and some of its properties, Biometrics 27 (1971).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("dcr-difference", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.69; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the distances to the nearest released record and the nearest other person."""
        released, others = closest(release, base, records)
        return others - released


@register("dcr-ratio-v1")
class DcrRatio(RecordScores):
    r"""Scores a record by how many times nearer a released record is than the nearest other person.

    $$ log (d(x, base) + c) - log (d(x, release) + c) $$

    So a person whom nobody resembles, and whose record is almost in the release, gets the highest
    score. Distances are sums over columns of mixed kinds, each between 0 and 1 (Gower). A record
    of the base data is not its own neighbour.

    Parameters
    ----------
    smoothing : the c, in columns; with less of it, exact copies count more.

    References
    ----------
    Gower, A general coefficient of similarity and some of its properties, Biometrics 27 (1971).

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("dcr-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.69; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    smoothing: Annotated[float, Field(gt=0)] = 0.025

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the logarithms of the two distances."""
        released, others = (d + self.smoothing for d in closest(release, base, records))
        return np.asarray(np.log(others) - np.log(released))


def closest(release: Table, base: Table, records: Table) -> tuple[Floats, Floats]:
    """The distances of each record to the release and to other people of the base data.

    Where there is nothing to compare with, the distance is the number of columns, the largest
    there is.
    """
    farthest = np.full((len(records), 1), float(len(records.schema.attributes)))
    if not len(release) or not len(base):
        return farthest[:, 0], farthest[:, 0]
    near = surroundings(release, base, records, 1)
    return near.released[:, 0], np.hstack([near.others, farthest])[:, 0]
