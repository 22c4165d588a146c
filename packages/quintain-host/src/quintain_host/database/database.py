"""Database: connections and transactions of a host."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, DisconnectionError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from quintain.journal.transactions import lock_key, require_known, transaction

AWAY = (OperationalError, InterfaceError, PoolTimeout)
"""The errors of a database that does not answer, which pass when it is there again."""


class Database:
    """The database of a site.

    Parameters
    ----------
    url : of SQLAlchemy; ``sqlite:///FILE`` or ``postgresql+psycopg://USER@HOST/NAME``.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _engine(url)
        require_known(self.engine)

    @classmethod
    def in_file(cls, path: Path) -> Database:
        """The embedded database: one file of SQLite."""
        return cls(f"sqlite:///{path}")

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that changes nothing."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self, name: str) -> Iterator[Session]:
        """A session in one transaction; writers of the same name wait for each other.

        Parameters
        ----------
        name : what is changed: the id of an edition, "queue", "accounts" ... SQLite lets one
            writer in at a time whatever the name is.
        """
        with (
            transaction(self.engine, name) as connection,
            Session(connection, expire_on_commit=False) as session,
        ):
            yield session
            session.flush()

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Keep those who hold the same name out, on every machine, without a transaction.

        A server that restarts forgets who holds what. A file of SQLite is on one machine, where
        locks of files do the same.
        """
        if self.engine.dialect.name == "sqlite":
            yield
            return
        key = {"key": lock_key(f"holding {name}")}
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.execute(text("SELECT pg_advisory_lock(:key)"), key)
            try:
                yield
            finally:
                try:
                    connection.execute(text("SELECT pg_advisory_unlock(:key)"), key)
                except DBAPIError:
                    connection.invalidate()  # the lock has gone with the connection

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    # What is stored must not come into the log with the text of an error.
    options: dict[str, Any] = {"hide_parameters": True}
    if url != "sqlite://":  # each of the server's forty threads may wait for a lock
        options |= {"pool_size": 10, "max_overflow": 40}
    engine = create_engine(url, **options)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    else:
        _try_idle_connections(engine)
    return engine


_IDLE = 1.0
"""A connection that nobody used for so many seconds is tried first: a job takes one many times."""


def _try_idle_connections(engine: Engine) -> None:
    """Find out in time that an operator has restarted the database."""

    def note(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["used"] = time.monotonic()

    def try_out(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        if time.monotonic() - record.info.get("used", time.monotonic()) < _IDLE:
            return
        try:
            engine.dialect.do_ping(connection)
        except Exception as problem:
            raise DisconnectionError from problem  # the pool opens a new one

    event.listen(engine, "checkin", note)
    event.listen(engine, "checkout", try_out)


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA busy_timeout = 60000")
    cursor.close()
