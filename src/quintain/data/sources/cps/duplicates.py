"""Duplicates: households that the file has more than once, under different numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Rows, distinct
from quintain.data.table import Table

STABLE = (
    "female", "age", "citistat", "wbhaom", "statefips", "gradeatn", "married", "mocc10", "mind16",
)  # fmt: skip
"""Attributes that rarely change between interviews; people equal in all of them are the same."""

SHARED = 3
"""Households with this many people in common count as the same household."""

TARGET_SIZE = 5
"""A household with at least this many members can be a target in SNAKE."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """How many people and households a table repeats.

    Parameters
    ----------
    rows : people whose record appears earlier in the table with the same attributes.
    copied : households with exactly the same members as another household.
    linked : households that share three or more people with another household.
    eligible : households with five or more members, which can be targets in SNAKE.
    eligible_linked : eligible households that are linked.
    dropped : households to leave out so that one of each cluster remains.
    """

    rows: int
    copied: int
    linked: int
    eligible: int
    eligible_linked: int
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The report, and for every row of the table whether it stays."""

    report: Duplicates
    kept: Array


def find_duplicates(table: Table) -> Findings:
    """Find copies and overlaps of households, and which household of each cluster to keep.

    The largest household of a cluster stays; if several are largest, the one with the lowest
    number.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    _, household = np.unique(table.columns["hhid"], return_inverse=True)
    size = np.bincount(household)
    record = table.drop("hhid").row_keys()
    person = table.select(STABLE).row_keys()
    copy_of = _first_copy(household, record, size)
    left, right = _overlapping(household, person, len(size))
    copies = np.flatnonzero(copy_of != np.arange(len(size)))
    start, end = np.r_[left, copies], np.r_[right, copy_of[copies]]
    ones = np.ones(len(start), np.int8)
    graph = coo_matrix((ones, (start, end)), shape=(len(size), len(size)))
    _, cluster = connected_components(graph, directed=False)
    order = np.lexsort((np.arange(len(size)), -size, cluster))
    kept = order[np.flatnonzero(np.diff(cluster[order], prepend=-1))]
    linked = distinct(np.r_[left, right])
    report = Duplicates(
        rows=len(record) - len(distinct(record)),
        copied=len(distinct(np.r_[copies, copy_of[copies]])),
        linked=len(linked),
        eligible=int((size >= TARGET_SIZE).sum()),
        eligible_linked=int((size[linked] >= TARGET_SIZE).sum()),
        dropped=len(size) - len(kept),
    )
    return Findings(report, np.isin(household, kept))


def _first_copy(household: Rows, record: Rows, size: Rows) -> Rows:
    """For every household, the first household with exactly the same members; it may be itself."""
    order = np.lexsort((record, household))
    start = np.cumsum(size) - size
    key = size.astype(np.int64)
    # Compare the members in a fixed order, one at a time: households equal so far share a key.
    for place in range(int(size.max(initial=0))):
        has = size > place
        member = np.zeros(len(size), np.int64)
        member[has] = record[order[start[has] + place]] + 1
        _, key = np.unique(key * (len(record) + 1) + member, return_inverse=True)
    _, first, copy = np.unique(key, return_index=True, return_inverse=True)
    result: Rows = first[copy]
    return result


def _overlapping(household: Rows, person: Rows, households: int) -> tuple[Rows, Rows]:
    """Pairs of households that have at least ``SHARED`` people in common."""
    order = np.lexsort((household, person))
    person, household = person[order], household[order]
    twin = _run_position(person * households + household)
    # If a household has two equal people, the second matches only the second one elsewhere.
    _, identity = np.unique(person * (int(twin.max(initial=0)) + 1) + twin, return_inverse=True)
    order = np.lexsort((household, identity))
    identity, household = identity[order], household[order]
    pairs = [np.empty(0, np.int64)]
    for step in range(1, int(np.bincount(identity).max(initial=0))):
        same = identity[step:] == identity[:-step]
        pairs.append(household[:-step][same] * households + household[step:][same])
    pair, common = np.unique(np.concatenate(pairs), return_counts=True)
    strong = pair[common >= SHARED]
    return strong // households, strong % households


def _run_position(values: Rows) -> Rows:
    """The position of every element within its run of equal neighbours."""
    starts = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    lengths = np.diff(np.r_[starts, len(values)])
    return np.arange(len(values)) - np.repeat(starts, lengths)
