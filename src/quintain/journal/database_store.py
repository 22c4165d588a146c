"""Database store: journals as rows of one table, for a host that many teams use at once.

The lines are the same bytes as in a file. PostgreSQL and SQLite can be used; both let one writer in
at a time and have a line on the disk when the transaction of its writer ends.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from quintain.journal.store import already_locked, fields_of, not_locked
from quintain.journal.transactions import require_known, sqlalchemy, transaction

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, MetaData, Select, Table

_PAGE = 500
"""How many lines are read at a time: a reader that stops halfway must not block a writer."""


class DatabaseStore:
    """The lines of one journal in a database.

    Parameters
    ----------
    database : a URL, or an engine of SQLAlchemy, which is faster because it keeps its connections
        open. The table is made if it is missing.
    journal : the name of the journal; one table has many.
    """

    def __init__(self, database: str | Engine, journal: str) -> None:
        self._engine = _engine(database) if isinstance(database, str) else database
        require_known(self._engine)
        self.journal = journal
        self._writing = threading.local()
        if self._engine not in _READY:
            _make_table(self._engine)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out until the block ends; what it appended is then on the disk."""
        if self._own_connection() is not None:
            raise already_locked()
        with (
            transaction(self._engine, self.journal) as connection,
            self.within(connection),
        ):
            yield

    @contextmanager
    def within(self, connection: Connection) -> Iterator[None]:
        """Read and append in a transaction that somebody else began, and ends."""
        self._writing.connection = connection
        try:
            yield
        finally:
            self._writing.connection = None

    def append(self, line: bytes) -> None:
        """Add a line; it is on the disk when the block of ``locked()`` ends."""
        connection = self._own_connection()
        if connection is None:
            raise not_locked()
        fields = fields_of(line)
        row = {
            "journal": self.journal,
            "number": self.size() + 1,
            "event": _text(fields.get("event")),
            "team": _text(fields.get("team")),
            "line": line.decode(),
        }
        connection.execute(_table().insert(), row)

    def lines(
        self,
        *,
        start: int = 0,
        event: str | None = None,
        team: str | None = None,
        without: str | None = None,
    ) -> Iterator[bytes]:
        """The lines, in order; see :class:`quintain.journal.store.Store`."""
        columns = _table().c
        query = self._select(columns.number, columns.line)
        for column, value in ((columns.event, event), (columns.team, team)):
            if value is not None:
                query = query.where(column == value)
        if without is not None:
            query = query.where(columns.event.is_distinct_from(without))
        query = query.order_by(columns.number).limit(_PAGE)
        rows = self._rows(query.where(columns.number > start))
        while rows:
            yield from (line.encode() for _, line in rows)
            rows = self._rows(query.where(columns.number > rows[-1][0]))

    def last(self) -> bytes | None:
        """The line that was appended last, or None if there is none."""
        columns = _table().c
        rows = self._rows(self._select(columns.line).order_by(columns.number.desc()).limit(1))
        return rows[0][0].encode() if rows else None

    def size(self) -> int:
        """How many lines there are: the number of the last one."""
        columns = _table().c
        rows = self._rows(self._select(columns.number).order_by(columns.number.desc()).limit(1))
        return int(rows[0][0]) if rows else 0

    def _select(self, *columns: Any) -> Select[Any]:
        query: Select[Any] = sqlalchemy().select(*columns)
        return query.where(_table().c.journal == self.journal)

    def _rows(self, query: Select[Any]) -> list[Any]:
        """What a query gives; a writer sees what it has appended itself."""
        own = self._own_connection()
        if own is not None:
            return list(own.execute(query))
        with self._engine.connect() as connection:
            return list(connection.execute(query))

    def _own_connection(self) -> Connection | None:
        """The connection of the transaction in which this thread writes."""
        return getattr(self._writing, "connection", None)


def _engine(url: str) -> Engine:
    """An engine that leaves no connection open, so nobody has to close it."""
    sa = sqlalchemy()
    engine: Engine = sa.create_engine(url, poolclass=sa.NullPool)
    return engine


_READY: WeakSet[Engine] = WeakSet()
"""The databases that have the table. Who asks again needs no second connection to them."""


def _make_table(engine: Engine) -> None:
    if not sqlalchemy().inspect(engine).has_table(_table().name):
        with transaction(engine, "") as connection:  # every journal is in this table
            _table().metadata.create_all(connection)
    _READY.add(engine)


@cache
def _table() -> Table:
    return journal_table(sqlalchemy().MetaData())


def journal_table(metadata: MetaData) -> Table:
    """The one table; event and team are copies of fields of the line, to search for them."""
    sa = sqlalchemy()
    table: Table = sa.Table(
        "quintain_journal",
        metadata,
        sa.Column("journal", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("event", sa.Text),
        sa.Column("team", sa.Text),
        sa.Column("line", sa.Text, nullable=False),
    )
    sa.Index("quintain_journal_team", table.c.journal, table.c.team, table.c.number)
    sa.Index("quintain_journal_event", table.c.journal, table.c.event, table.c.number)
    return table


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
