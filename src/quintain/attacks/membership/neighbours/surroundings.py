"""Surroundings: how near each record is to the release, and to the other people of the base data.

Several attacks read the same distances. Searching for them takes most of the time of each attack,
so the latest results are remembered by the content of the tables. They are small: a few numbers per
record.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

import numpy as np

from quintain.attacks.bounds import gower
from quintain.data import Table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.kernels.distances import Distance
from quintain.kernels.neighbours import Neighbours

NEAREST = 5
"""How many nearest records are searched for at least, so that attacks can share them."""

_REMEMBERED = 4  # searches: two per release, for a pair of releases

_lock = Lock()
_known: OrderedDict[tuple[str, str, str, int], tuple[Floats, Rows]] = OrderedDict()


class Surroundings(NamedTuple):
    """What is near each record; distances are sums over columns, each between 0 and 1.

    Parameters
    ----------
    released : the distances to the nearest released records, in order.
    rows : the rows of these released records, if the release is sorted by content.
    others : the distances to the nearest other people of the base data, in order. A record that
        is in the base data is not its own neighbour: one record equal to it is left out.
    inside : which records are in the base data.
    """

    released: Floats
    rows: Rows
    others: Floats
    inside: Mask


def surroundings(release: Table, base: Table, records: Table, k: int) -> Surroundings:
    """The k nearest released records and the k nearest other people of each record.

    If there are fewer than k of either, all of them are given.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=100),))
    >>> release, base = (Table.of(schema, {"age": ages}) for ages in ([30, 80], [30, 31, 90]))
    >>> near = surroundings(release, base, base, 1)
    >>> near.released.tolist(), near.others.tolist()
    ([[0.0], [0.01], [0.1]], [[0.01], [0.01], [0.59]])
    """
    release = sorted_by_content(release)
    metric = gower(records.schema, [release, base, records])
    width = len(records.schema.attributes)
    released, rows = search(records, release, k, metric)
    away, _ = search(records, base, k + 1, metric)
    inside = away[:, 0] == 0
    # Of k + 1 neighbours leave out the record itself, or else the farthest.
    others = np.where(inside[:, None], away[:, 1:], away[:, :-1])
    if away.shape[1] <= k and not inside.any():
        others = away  # the whole base data are fewer than k + 1 other people
    return Surroundings(released * width, rows, others * width, inside)


def sorted_by_content(table: Table) -> Table:
    """The same records, so that of equally near ones the choice does not depend on their order."""
    return table.take(table.order())


def search(queries: Table, base: Table, k: int, metric: Distance) -> tuple[Floats, Rows]:
    """Find the k nearest base records of each query, or all if there are fewer."""
    searched = min(max(k, NEAREST + 1), len(base))
    key = queries.digest(), base.digest(), str(sorted(metric.weights.items())), searched
    with _lock:
        known = _known.get(key)
    if known is None:
        known = Neighbours(base, metric).k_nearest(queries, searched)
        with _lock:
            _known[key] = known
            while len(_known) > _REMEMBERED:
                _known.popitem(last=False)
    return known[0][:, :k], known[1][:, :k]
