"""Exposed records: the people of the original whom attacks tell most easily from strangers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.audits.panel import Evidence
from quintain.audits.pool import Pool
from quintain.audits.release_audit import ExposedRecord
from quintain.measures.pooled.nameable import Nameable


def exposed_records(
    pool: Pool, evidence: Sequence[Evidence], names: Nameable, count: int
) -> tuple[ExposedRecord, ...]:
    """The members with the smallest p-values, the most exposed first; equal ones by their row."""
    members = np.flatnonzero(pool.members & (names.attacks >= 0))
    order = np.lexsort([pool.rows[members], names.p[members]])
    rows = members[order[:count]]
    values = pool.records.take(rows).records()
    return tuple(
        ExposedRecord(
            row=int(pool.rows[row]),
            p=float(names.p[row]),
            attack=evidence[int(names.attacks[row])].attack,
            values={name: _plain(value) for name, value in record.items()},
        )
        for row, record in zip(rows.tolist(), values, strict=True)
    )


def _plain(value: object) -> object:
    """A value as JSON can hold it: times become text."""
    return value if isinstance(value, str | int | float | None) else str(value)
