"""Databases: tables that lie in a database, read through SQLAlchemy and never written.

An address is ``sqlite:///hospital.db`` or ``postgresql://user@server/hospital``. Names behind ``#``
choose some of the tables: ``sqlite:///hospital.db#patients,visits``. Where tables lie in schemas,
``#clinic.visits`` is a table of one, and ``#clinic.*`` all of its tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from quintain.data.own_files.declared import DeclaredLinks
from quintain.data.own_files.memory import RAISE, memory_allowance
from quintain.data.sources.database_address import address_name, hide, require_plain, secrets_of
from quintain.errors import DataError, Fault, MissingExtra
from quintain.wording.suggestion import suggestion

if TYPE_CHECKING:
    from sqlalchemy import Connection, Inspector, Result

_LONGEST_CELL = 1_000_000
"""How many characters a cell may have."""
_AT_ONCE = 50_000
"""So many rows are fetched at a time."""


@contextmanager
def open_database(address: str) -> Iterator[dict[str, tuple[pa.Table, DeclaredLinks]]]:
    """The tables of a database with their keys and references, in one read-only transaction.

    Tables of the system are not among them, nor views unless the address names them.
    """
    try:
        import sqlalchemy as sa
    except ImportError:
        raise MissingExtra("a table in a database", "sqlalchemy", "database") from None
    require_plain(address)
    place, _, chosen = address.partition("#")
    wanted = [name.strip() for name in chosen.split(",") if name.strip()]
    try:
        with _connect(_read_only_address(place)) as connection:
            _forbid_writing(connection)
            inspector = sa.inspect(connection)
            tables = _choose_tables(inspector, wanted, address)
            yield {table.name: _read(connection, inspector, table) for table in tables}
            connection.rollback()
    except (sa.exc.NoSuchModuleError, ModuleNotFoundError) as problem:
        driver = getattr(problem, "name", None)
        message = "no driver for this kind of database is installed; expected sqlite or postgresql"
        if driver:
            message += f", or the package that has the module {driver}"
        raise DataError([Fault(message, address_name(place))]) from None
    except (sa.exc.SQLAlchemyError, _Refusal) as problem:
        words = str(getattr(problem, "orig", None) or problem).splitlines()[0]
        words = hide(words, secrets_of(address))
        raise DataError([Fault(f"cannot be read: {words}", address_name(place))]) from None


class _Refusal(Exception):
    """A driver does not know what to do with the options of an address."""


def _connect(address: str) -> Connection:
    import sqlalchemy as sa

    try:
        return sa.create_engine(address, poolclass=sa.pool.NullPool).connect()
    except (TypeError, ValueError) as problem:
        raise _Refusal(str(problem) or type(problem).__name__) from None


def _read_only_address(address: str) -> str:
    """The address with its driver; a file of SQLite is opened so that nothing can be written."""
    if address.startswith(("postgresql://", "postgres://")):
        return f"postgresql+psycopg://{address.partition('://')[2]}"
    kind, _, path = address.partition(":///")
    file = path.partition("?")[0]
    if kind.split("+")[0] != "sqlite" or not file or file == ":memory:":
        return address
    if not Path(file).is_file():
        raise DataError([Fault("there is no such database file", address_name(address))])
    return f"sqlite:///file:{Path(file).absolute().as_posix()}?mode=ro&uri=true"


def _forbid_writing(connection: Connection) -> None:
    """Begin a transaction in which the database itself refuses to change anything."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    elif connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA query_only = ON")
        connection.exec_driver_sql("BEGIN")
    elif connection.dialect.name in ("mysql", "mariadb"):
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")


@dataclass(frozen=True, slots=True)
class _TablePlace:
    """A table of a database, and the schema of it; None is the one that the database looks at."""

    name: str
    schema: str | None = None


def _choose_tables(inspector: Inspector, wanted: Sequence[str], address: str) -> list[_TablePlace]:
    own = sorted(inspector.get_table_names())
    if not wanted and own:
        return [_TablePlace(name) for name in own]
    # A table may have a dot in its name, so that is looked for first.
    known = {
        name: _TablePlace(name) for name in (*own, *(inspector.get_view_names() if wanted else ()))
    }
    chosen: list[_TablePlace] = []
    faults = []
    for name in wanted:
        places = [known[name]] if name in known else _of_schema(inspector, name)
        chosen += places
        if not places:
            faults.append(f"has no table {name!r}{suggestion(name, list(known))}")
    if not wanted:
        faults.append("has no table")
    if faults:
        faults[-1] += _say_schemas(inspector)
    names = [place.name for place in chosen]
    faults += [
        f"has the table {name!r} in several of the schemas that the address names"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    if faults:
        raise DataError([Fault(message, address_name(address)) for message in faults])
    return chosen


def _of_schema(inspector: Inspector, name: str) -> list[_TablePlace]:
    """The table ``visits`` of ``clinic.visits``, or all tables of ``clinic.*``."""
    schema, _, table = name.partition(".")
    if not table or schema not in inspector.get_schema_names():
        return []
    names = sorted(inspector.get_table_names(schema))
    if table == "*":
        return [_TablePlace(own, schema) for own in names]
    known = table in (*names, *inspector.get_view_names(schema))
    return [_TablePlace(table, schema)] if known else []


def _say_schemas(inspector: Inspector) -> str:
    """Which other schemas have tables, and how to name them."""
    others = [
        name
        for name in inspector.get_schema_names()
        if name not in ("information_schema", inspector.default_schema_name)
        and inspector.get_table_names(name)
    ]
    if not others:
        return ""
    return (
        f"; tables are in the schemas {', '.join(others)} of this database: put #{others[0]}.* "
        "behind the address for all tables of one"
    )


def _read(
    connection: Connection, inspector: Inspector, place: _TablePlace
) -> tuple[pa.Table, DeclaredLinks]:
    """The rows of a table as the driver gives them, and its keys of one column."""
    from sqlalchemy import column, select, table

    name, schema = place.name, place.schema
    columns = [str(own["name"]) for own in inspector.get_columns(name, schema)]
    # Columns without a kind: the cells come as the driver has them, and nothing is lost.
    memory = memory_allowance().memory
    _limit_cells(connection)
    rows: Result[Any] = connection.execution_options(stream_results=True).execute(
        select(*map(column, columns)).select_from(table(name, schema=schema))
    )
    # No step may fetch more than a quarter of the memory, however long the cells are.
    longest = 4 * _LONGEST_CELL * max(1, len(columns))
    at_once = min(_AT_ONCE, max(1, memory // longest))
    size, batches, waiting = 0, [], list[Any]()
    for part in rows.partitions(at_once):
        size += sum(map(_cell_bytes, chain.from_iterable(part)))
        if size > memory:
            message = f"has more than {memory / 1e9:g} GB in its cells; {RAISE}"
            raise DataError([Fault(message, name)])
        waiting += part
        if len(waiting) >= _AT_ONCE:
            batches.append(_arrow(columns, waiting))
            waiting = []
    batches.append(_arrow(columns, waiting))
    cells = _join(columns, batches)
    key = inspector.get_pk_constraint(name, schema).get("constrained_columns") or []
    references = {
        str(foreign["constrained_columns"][0]): (
            str(foreign["referred_table"]),
            str(foreign["referred_columns"][0]),
        )
        for foreign in inspector.get_foreign_keys(name, schema)
        if len(foreign["constrained_columns"]) == 1 and foreign["referred_table"] != name
    }
    return cells, DeclaredLinks("the database", key[0] if len(key) == 1 else None, references)


def _limit_cells(connection: Connection) -> None:
    """Let SQLite refuse longer cells: its file may compute a cell of any length when it is read."""
    if connection.dialect.name == "sqlite":
        own = connection.connection.driver_connection
        assert own is not None  # it is open
        own.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)


def _cell_bytes(cell: object) -> int:
    return 16 + (len(cell) if isinstance(cell, str | bytes) else 0)


def _arrow(columns: Sequence[str], rows: Sequence[Any]) -> list[pa.Array]:
    return [_cells([row[place] for row in rows]) for place in range(len(columns))]


def _cells(values: list[Any]) -> pa.Array:
    """The cells of a column; what Arrow does not know, or mixes kinds, becomes text."""
    plain = [_plain(value) for value in values]
    try:
        cells = pa.array(plain)
        if pa.types.is_timestamp(cells.type):
            cells = cells.cast(pa.timestamp("s", cells.type.tz), safe=False)
        return cells
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array([None if value is None else str(value) for value in plain], pa.string())


def _plain(value: Any) -> Any:
    """A number, a text or a time; whatever else a database has, such as a UUID, as text."""
    if isinstance(value, Decimal):
        return float(value)
    return (
        value if value is None or isinstance(value, int | float | str | date | time) else str(value)
    )


def _join(columns: Sequence[str], batches: Sequence[Sequence[pa.Array]]) -> pa.Table:
    """One table; where the kinds of batches differ, all cells of the column are text."""
    contents = {}
    for place, name in enumerate(columns):
        parts = [batch[place] for batch in batches]
        kinds = {part.type for part in parts if not pa.types.is_null(part.type)}
        kind = kinds.pop() if len(kinds) == 1 else pa.string()
        contents[name] = pa.chunked_array([part.cast(kind) for part in parts], kind)
    return pa.table(contents)
