"""Migrations: one history of the tables, on SQLite and PostgreSQL, that keeps every row."""

import datetime

import pytest
from sqlalchemy import JSON, LargeBinary, MetaData, insert, inspect, select
from sqlalchemy.types import Boolean, DateTime, Integer

from quintain_host.database.database import Database
from quintain_host.database.upgrade import differences, downgrade, newest, upgrade, version
from tests.host.conftest import DATABASES

MOMENT = datetime.datetime(2026, 5, 1, 12, 30, 15, 123456, tzinfo=datetime.UTC)


@pytest.fixture(params=DATABASES)
def empty(request, tmp_path):
    """A database without tables."""
    if request.param == "sqlite":
        database = Database.in_file(tmp_path / "site.db")
    else:
        server = request.getfixturevalue("postgres")
        database = Database(server.url(server.create()))
    yield database
    database.close()


def test_the_steps_lead_to_the_tables_of_the_program(empty):
    upgrade(empty)
    assert version(empty) == newest()
    assert differences(empty) == []


def test_a_difference_is_found(empty):
    upgrade(empty)
    with empty.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE news DROP COLUMN title")
    assert any("title" in one for one in differences(empty))


def test_every_step_can_be_undone_and_done_again(empty):
    upgrade(empty)
    downgrade(empty, "base")
    assert set(inspect(empty.engine).get_table_names()) <= {"alembic_version"}
    upgrade(empty)
    assert differences(empty) == []


def test_an_upgrade_from_the_first_version_keeps_every_row(empty):
    upgrade(empty, "0001")
    before = fill(empty)
    assert len(before) > 15
    upgrade(empty)
    assert differences(empty) == []
    after = rows(empty)
    for table, row in before.items():
        for column, value in row.items():
            assert after[table][column] == value, (table, column)


def test_a_way_back_to_the_first_version_keeps_its_rows(empty):
    upgrade(empty, "0001")
    before = fill(empty)
    upgrade(empty)
    downgrade(empty, "0001")
    assert rows(empty) == before


def test_an_upgrade_that_fails_changes_nothing(empty, monkeypatch):
    upgrade(empty, "0001")
    before = fill(empty)

    def stop(*_args, **_options):
        raise RuntimeError("the power failed")

    monkeypatch.setattr("alembic.runtime.migration.HeadMaintainer.update_to_step", stop)
    with pytest.raises(RuntimeError, match="power"):
        upgrade(empty)
    assert version(empty) == "0001"
    assert rows(empty) == before


def fill(database):
    """Write one row into every table that is there now; returns what was written."""
    tables, written = reflected(database), {}
    with database.engine.begin() as connection:
        for table in tables:
            row = {column.name: value_for(column, written) for column in table.columns}
            connection.execute(insert(table), row)
            written[table.name] = row
    return rows(database)


def rows(database):
    """The one row of every table that has one."""
    with database.engine.connect() as connection:
        first = {
            table.name: connection.execute(select(table)).first() for table in reflected(database)
        }
    return {name: dict(row._mapping) for name, row in first.items() if row is not None}


def reflected(database):
    metadata = MetaData()
    metadata.reflect(database.engine)
    return [table for table in metadata.sorted_tables if table.name != "alembic_version"]


def value_for(column, written):
    for key in column.foreign_keys:
        return written[key.column.table.name][key.column.name]
    samples = {
        JSON: {"name": ["ü", 1, None]},
        LargeBinary: b"\x00\xff",
        Boolean: True,
        DateTime: MOMENT,
        Integer: 7,
    }
    for kind, value in samples.items():
        if isinstance(column.type, kind):
            return value
    return f"{column.name} ü'\n"
