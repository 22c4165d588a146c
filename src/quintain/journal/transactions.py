"""Transactions: one writer at a time in a database, with its changes on the disk when it ends.

PostgreSQL locks by a name, so writers with other names need not wait. SQLite locks the whole file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quintain.errors import MissingExtra, QuintainError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_PATIENCE = 60_000
"""How many milliseconds a writer waits for another one to finish."""


@contextmanager
def transaction(engine: Engine, name: str) -> Iterator[Connection]:
    """A transaction that keeps other writers of the same name out until the block ends."""
    require_known(engine)
    begin = _TRANSACTIONS[engine.dialect.name]
    with engine.connect() as connection, begin(connection, name):
        yield connection


def require_known(engine: Engine) -> None:
    """Refuse a kind of database that nobody has tried."""
    if engine.dialect.name not in _TRANSACTIONS:
        available = ", ".join(sorted(_TRANSACTIONS))
        raise QuintainError(
            f"unknown kind of database {engine.dialect.name!r}; available: {available}"
        )


# A server may be set up to report rows as stored before they are on the disk.
_LOCK = """\
SELECT pg_advisory_xact_lock(:key),
       CASE current_setting('synchronous_commit')
       WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
"""


@contextmanager
def _postgresql(connection: Connection, name: str) -> Iterator[None]:
    """Lock by name; other writers need not wait."""
    # A stricter level would show the rows from before the wait for the lock.
    connection.execution_options(isolation_level="READ COMMITTED")
    with connection.begin():
        connection.execute(sqlalchemy().text(_LOCK), {"key": lock_key(name)})
        yield


def lock_key(name: str) -> int:
    """The number by which PostgreSQL knows a lock."""
    key = hashlib.sha256(f"quintain journal {name}".encode()).digest()[:8]
    return int.from_bytes(key, "big", signed=True)


@contextmanager
def _sqlite(connection: Connection, _name: str) -> Iterator[None]:
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


def sqlalchemy() -> Any:
    """The library, which is an extra."""
    try:
        import sqlalchemy
    except ImportError:
        raise MissingExtra("a journal in a database", "sqlalchemy", "database") from None
    return sqlalchemy
