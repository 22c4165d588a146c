"""Database store: journals as rows of one table, for a host that many teams use at once.

The lines are the same bytes as in a file. PostgreSQL and SQLite can be used; both let one writer in
at a time and have a line on the disk when the transaction of its writer ends.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from quintain.errors import MissingExtra, QuintainError
from quintain.journal.store import already_locked, fields_of, not_locked

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Select, Table

_PAGE = 500
"""How many lines are read at a time: a reader that stops halfway must not block a writer."""

_PATIENCE = 60_000
"""How many milliseconds a writer waits for another one to finish."""


class DatabaseStore:
    """The lines of one journal in a database.

    Parameters
    ----------
    database : a URL, or an engine of SQLAlchemy, which is faster because it keeps its connections
        open. The table is made if it is missing.
    journal : the name of the journal; one table has many.
    """

    def __init__(self, database: str | Engine, journal: str) -> None:
        sqlalchemy = _sqlalchemy()
        self._engine = _engine(database) if isinstance(database, str) else database
        if self._engine.dialect.name not in _TRANSACTIONS:
            available = ", ".join(sorted(_TRANSACTIONS))
            raise QuintainError(
                f"unknown kind of database {self._engine.dialect.name!r}; available: {available}"
            )
        self.journal = journal
        self._writing = threading.local()
        if not sqlalchemy.inspect(self._engine).has_table(_table().name):
            with self._transaction("") as connection:  # every journal is in this table
                _table().metadata.create_all(connection)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out until the block ends; what it appended is then on the disk."""
        if self._own_connection() is not None:
            raise already_locked()
        with self._transaction(self.journal) as connection:
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
        query: Select[Any] = _sqlalchemy().select(*columns)
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

    @contextmanager
    def _transaction(self, journal: str) -> Iterator[Connection]:
        """A transaction that keeps other writers of a journal out."""
        kind = self._engine.dialect.name
        with self._engine.connect() as connection, _TRANSACTIONS[kind](connection, journal):
            yield connection


@contextmanager
def _postgresql(connection: Connection, journal: str) -> Iterator[None]:
    """Lock by the name of the journal; the writers of other journals need not wait."""
    # A stricter level would show the lines from before the wait for the lock.
    connection.execution_options(isolation_level="READ COMMITTED")
    key = hashlib.sha256(f"quintain journal {journal}".encode()).digest()[:8]
    with connection.begin():
        connection.execute(
            _sqlalchemy().text("SELECT pg_advisory_xact_lock(:key)"),
            {"key": int.from_bytes(key, "big", signed=True)},
        )
        # A server may be set up to report lines as stored before they are on the disk.
        connection.exec_driver_sql(
            "SELECT set_config('synchronous_commit', 'on', true) "
            "WHERE current_setting('synchronous_commit') = 'off'"
        )
        yield


@contextmanager
def _sqlite(connection: Connection, _journal: str) -> Iterator[None]:
    """Lock the whole file; the driver by itself would begin too late, at the first change."""
    connection.execution_options(isolation_level="AUTOCOMMIT")
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {_PATIENCE}")
    # Also sync the folder: without that, a power failure can undo the last transaction.
    connection.exec_driver_sql("PRAGMA synchronous = EXTRA")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")


_TRANSACTIONS = {"postgresql": _postgresql, "sqlite": _sqlite}


def _engine(url: str) -> Engine:
    """An engine that leaves no connection open, so nobody has to close it."""
    sa = _sqlalchemy()
    engine: Engine = sa.create_engine(url, poolclass=sa.NullPool)
    return engine


@cache
def _table() -> Table:
    """The one table; event and team are copies of fields of the line, to search for them."""
    sa = _sqlalchemy()
    table: Table = sa.Table(
        "quintain_journal",
        sa.MetaData(),
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


def _sqlalchemy() -> Any:
    try:
        import sqlalchemy
    except ImportError:
        raise MissingExtra("a journal in a database", "sqlalchemy", "database") from None
    return sqlalchemy
