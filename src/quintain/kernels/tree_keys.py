"""Tree keys: whose rows are the same, all of them together?

A person is a tree of rows. Two people are equal if every table has the same rows of both, in
whatever order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Rows
from quintain.data.people import People

_Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class TreeKeys:
    """Numbers that are the same for equal rows, and for equal people, on two sides.

    Parameters
    ----------
    known, shown : a number for each person.
    rows : for each table the numbers of the rows on both sides.
    """

    known: Rows
    shown: Rows
    rows: dict[str, tuple[Rows, Rows]]


def tree_keys(known: People, shown: People) -> TreeKeys:
    """Number the rows and the people of two sides with the same tables and columns.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="code", kind="integer", low=0, high=9),))
    >>> rows = Table(schema, {"code": [1, 2, 3, 2, 1]})
    >>> people = People.of_rows(rows, np.array([0, 0, 1, 2, 2]), 3)
    >>> keys = tree_keys(people, people.take([1]))
    >>> keys.known.tolist(), np.isin(keys.known, keys.shown).tolist()
    ([1, 0, 1], [False, True, False])
    """
    sums = [np.zeros((side.size, len(known.tables)), np.uint64) for side in (known, shown)]
    rows: dict[str, tuple[Rows, Rows]] = {}
    for place, (name, table) in enumerate(known.tables.items()):
        other = shown.tables[name]
        numbers = table.rows.concat(other.rows).row_keys()
        rows[name] = numbers[: len(table)], numbers[len(table) :]
        for side, branch, keys in zip(sums, (table, other), rows[name], strict=True):
            there = branch.person >= 0
            # The sum of a person's rows does not depend on their order.
            np.add.at(side[:, place], branch.person[there], _scatter(keys[there]))
    everybody = np.unique(np.concatenate(sums), axis=0, return_inverse=True)[1].reshape(-1)
    return TreeKeys(everybody[: known.size], everybody[known.size :], rows)


def _scatter(keys: Rows) -> _Hashes:
    """Spread numbers over 64 bits, so that sums of different ones are different (splitmix64)."""
    mixed = (keys.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
