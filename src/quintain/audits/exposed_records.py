"""Exposed records: the people of the original whom attacks tell most easily from strangers."""

from __future__ import annotations

import numpy as np

from quintain.audits.people import People
from quintain.audits.pool import Pool
from quintain.audits.release_audit import ExposedRecord
from quintain.measures.pooled.nameable import Nameable


def exposed_records(
    pool: Pool, people: People, names: Nameable, count: int
) -> tuple[ExposedRecord, ...]:
    """The members with the smallest p-values, the most exposed first; equal ones by their row.

    Of somebody with several rows, the row that gives them away most clearly is listed.
    """
    members = np.flatnonzero(people.members & (names.attacks >= 0))
    rows = np.array([people.records[names.attacks[who]][who] for who in members], np.int64)
    order = np.lexsort([pool.rows[rows], names.p[members]])[:count]
    values = pool.records.take(rows[order]).records()
    return tuple(
        ExposedRecord(
            row=int(pool.rows[row]),
            p=float(names.p[who]),
            attack=people.evidence[int(names.attacks[who])].attack,
            values={name: _plain(value) for name, value in record.items()},
        )
        for who, row, record in zip(members[order], rows[order], values, strict=True)
    )


def _plain(value: object) -> object:
    """A value as JSON can hold it: times become text."""
    return value if isinstance(value, str | int | float | None) else str(value)
