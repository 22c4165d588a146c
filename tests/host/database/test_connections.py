"""Connections to PostgreSQL: nothing is lost by careless settings, and a restart goes unnoticed."""

import pytest
from sqlalchemy import text

from quintain_host.database import database as connections
from quintain_host.database.database import Database


@pytest.fixture
def database(postgres):
    opened = Database(postgres.url(postgres.create()))
    yield opened
    opened.close()


def answer(database, query):
    with database.reading() as session:
        return session.scalar(text(query))


def test_what_is_written_is_on_the_disk_whatever_the_server_is_set_up_to_do(database):
    name = answer(database, "SELECT current_database()")
    with database.writing("setting") as session:
        session.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    database.close()  # new connections have the new setting
    assert answer(database, "SHOW synchronous_commit") == "off"
    with database.writing("anything") as session:
        assert session.scalar(text("SHOW synchronous_commit")) == "on"
    assert answer(database, "SHOW synchronous_commit") == "off", "it was for the transaction only"


def test_a_connection_that_was_idle_during_a_restart_is_replaced(database, postgres, monkeypatch):
    monkeypatch.setattr(connections, "_IDLE", 0.0)
    before = answer(database, "SELECT pg_backend_pid()")
    assert answer(database, "SELECT pg_backend_pid()") == before
    postgres.restart()
    assert answer(database, "SELECT pg_backend_pid()") != before
