"""Playable: the pool and the release as goals and attacks accept them, whatever their columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.audits.pool import Pool
from quintain.data import Column, Schema, Table, as_table
from quintain.data.arrays import Rows
from quintain.releases import Release

RESERVED = frozenset({"target", "member", "half"})
"""Names that questions and truths give to columns of their own."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, eq=False)
class Playable:
    """A pool and a release under names that no question uses itself.

    A table of a user may have a column named "member". Inside the audit such a column has another
    name; the findings use the user's names.

    Parameters
    ----------
    pool : the people of whom some columns are in the release, too.
    released : the released records, with the columns of the pool in the same order.
    names : for each name inside, the name that the user knows.

    >>> schema = Schema(columns=(Column(name="member", kind="category", values=("no", "yes")),))
    >>> table = Table.of(schema, {"member": ["no", "yes", "no"]})
    >>> pool = Pool.of(table, table, rng=np.random.default_rng(0))
    >>> play = Playable.of(pool, Release(table))
    >>> play.pool.records.schema.names, dict(play.names)
    (('member_',), {'member_': 'member'})
    """

    pool: Pool
    released: Table
    names: Mapping[str, str]

    @classmethod
    def of(cls, pool: Pool, release: Release) -> Playable:
        """Keep the columns that pool and release share; rename those that would collide."""
        table = as_table(release.data)
        shared = [c.name for c in pool.records.schema.attributes if c.name in table.schema]
        safe = _safe_names(shared)
        records = _renamed(pool.records.select(shared), safe)
        names = dict(zip(safe, shared, strict=True))
        return cls(
            Pool(records, pool.members, pool.rows), _renamed(table.select(shared), safe), names
        )

    @property
    def release(self) -> Release:
        """The release as attacks see it: no claim and no method is on its card."""
        return Release(self.released)

    @property
    def inside(self) -> dict[str, str]:
        """For each name that the user knows, the name inside."""
        return {name: safe for safe, name in self.names.items()}

    def at(self, rows: Rows) -> Playable:
        """The same release beside some people of the pool."""
        part = Pool(self.pool.records.take(rows), self.pool.members[rows], self.pool.rows[rows])
        return Playable(part, self.released, self.names)

    def bounded(self, name: str) -> Playable:
        """The same data with bounds for one number, as wide as what pool and release contain."""
        column = self.released.schema[name]
        if column.kind not in ("integer", "real") or None not in (column.low, column.high):
            return self
        tables = self.pool.records, self.released
        values = np.concatenate([table.numbers(name) for table in tables])
        values = values[np.isfinite(values)]
        ends = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
        low, high = (
            b if e is None else e for e, b in zip((column.low, column.high), ends, strict=True)
        )
        wide = Column.model_validate({**column.model_dump(), "low": min(low, high), "high": high})
        records, released = (_with_column(table, wide) for table in tables)
        pool = Pool(records, self.pool.members, self.pool.rows)
        return Playable(pool, released, self.names)


def _safe_names(names: Sequence[str]) -> list[str]:
    """Names without control characters that differ from each other and from reserved ones."""
    used = RESERVED | {name for name in names if not _CONTROL.search(name)}
    out = []
    for name in names:
        safe = _CONTROL.sub("_", name) or "_"  # questions have no column without a name
        while safe in used and (safe != name or name in RESERVED):
            safe += "_"
        used |= {safe}
        out.append(safe)
    return out


def _renamed(table: Table, names: Sequence[str]) -> Table:
    pairs = list(zip(table.schema.columns, names, strict=True))
    columns = tuple(column.model_copy(update={"name": name}) for column, name in pairs)
    return Table(Schema(columns=columns), {name: table.columns[c.name] for c, name in pairs})


def _with_column(table: Table, column: Column) -> Table:
    """The table with other bounds for a column, whose codes count from the lower one."""
    before = table.schema[column.name]
    columns = tuple(column if c.name == column.name else c for c in table.schema.columns)
    stored = table.columns[column.name] + (before.offset - column.offset)
    return Table(Schema(columns=columns), {**table.columns, column.name: stored})
