"""Upgrade: bring a database to the newest version of its tables, step by step.

The steps are in ``migrations/versions``, the same for SQLite and PostgreSQL. A new step is written
with ``python -m quintain_host.database.upgrade "what changes"``, and read before it is committed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, text
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.journal.transactions import transaction
from quintain_host.database.database import Database
from quintain_host.database.tables import Base

_MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(database: Database, version: str = "head") -> None:
    """Make the tables, or change them to a later version; two processes take turns."""
    with _changing(database) as connection:
        command.upgrade(_config(connection), version)


def downgrade(database: Database, version: str) -> None:
    """Change the tables to an earlier version; what that version does not know is lost."""
    with _changing(database) as connection:
        command.downgrade(_config(connection), version)


def differences(database: Database) -> list[str]:
    """How the tables differ from those that this program expects; nothing, if all is well."""
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return [str(difference) for difference in compare_metadata(context, Base.metadata)]


@contextmanager
def _changing(database: Database) -> Iterator[Connection]:
    """A connection that may change tables, in one transaction: all steps are done, or none."""
    # SQLite changes a table by making another one; rows that refer to it must not mind meanwhile.
    engine = create_engine(database.url, poolclass=NullPool, hide_parameters=True)
    with transaction(engine, "upgrade") as connection:
        yield connection
        if engine.dialect.name == "sqlite":
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
            if broken:
                raise QuintainError(f"the upgrade would leave rows alone: {broken[:3]}")


def version(database: Database) -> str | None:
    """The version of the tables; None if there are none."""
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@cache
def newest() -> str:
    """The version that this program needs."""
    return str(ScriptDirectory(str(_MIGRATIONS)).get_current_head())


class OutOfDate(QuintainError):
    """The tables are not those of this program."""

    status = 503


def require_newest(session: Session) -> None:
    """Refuse tables of another version; one short question, for a process that asks often."""
    now = session.scalar(text("SELECT version_num FROM alembic_version"))
    if now != newest():
        raise OutOfDate(
            f"the database was upgraded: it has version {now} and this process knows {newest()}; "
            "start the quintain that upgraded it"
        )


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def _write_step(message: str) -> None:
    """Write the step from the newest version to the tables as they are in the code."""
    database = Database("sqlite://")
    with database.engine.connect() as connection:
        config = _config(connection)
        command.upgrade(config, "head")
        number = len(list((_MIGRATIONS / "versions").glob("[0-9]*.py"))) + 1
        command.revision(config, message, autogenerate=True, rev_id=f"{number:04d}")


if __name__ == "__main__":
    _write_step(sys.argv[1])
