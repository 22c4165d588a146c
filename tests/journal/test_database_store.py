"""Database store: transactions, several journals in one table, and what cannot be used."""

import sys
from types import SimpleNamespace

import pytest
import sqlalchemy

from quintain.errors import MissingExtra, QuintainError
from quintain.journal.database_store import DatabaseStore

LINES = [b'{"number": %d, "team": "red"}' % number for number in range(1, 5)]


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'host.db'}"


def fill(store, lines):
    with store.locked():
        for line in lines:
            store.append(line)


def test_what_is_appended_before_an_error_is_dropped(url):
    store = DatabaseStore(url, "tiny")
    fill(store, LINES[:1])
    with pytest.raises(KeyError), store.locked():
        store.append(LINES[1])
        raise KeyError
    assert list(store.lines()) == LINES[:1]


def test_others_see_a_line_when_its_writer_is_done(url):
    store, other = DatabaseStore(url, "tiny"), DatabaseStore(url, "tiny")
    with store.locked():
        store.append(LINES[0])
        assert (store.size(), other.size()) == (1, 0)
    assert other.size() == 1


def test_one_table_keeps_journals_apart(url):
    one, two = DatabaseStore(url, "one"), DatabaseStore(url, "two")
    fill(one, LINES[:3])
    fill(two, LINES[3:])
    assert (list(one.lines()), list(two.lines())) == (LINES[:3], LINES[3:])
    assert (one.size(), two.last()) == (3, LINES[3])


def test_two_lines_cannot_have_the_same_number(url):
    fill(DatabaseStore(url, "tiny"), LINES)
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection, pytest.raises(sqlalchemy.exc.IntegrityError):
        connection.exec_driver_sql(
            "INSERT INTO quintain_journal (journal, number, line) VALUES ('tiny', 4, '{}')"
        )


def test_an_engine_of_the_caller_keeps_its_connections_and_its_settings(url):
    engine = sqlalchemy.create_engine(url)
    store = DatabaseStore(engine, "tiny")
    for line in LINES:
        fill(store, [line])
        assert store.last() == line
    with engine.connect() as connection:  # a transaction of the caller ends as it always does
        connection.exec_driver_sql("DELETE FROM quintain_journal")
        connection.rollback()
    assert list(store.lines()) == LINES
    engine.dispose()


def test_a_database_of_another_kind_is_refused_in_words():
    engine = SimpleNamespace(dialect=SimpleNamespace(name="mysql"))
    with pytest.raises(QuintainError, match="'mysql'; available: postgresql, sqlite"):
        DatabaseStore(engine, "tiny")


def test_a_missing_package_is_named(url, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtra, match=r"needs sqlalchemy: pip install 'quintain\[database\]'"):
        DatabaseStore(url, "tiny")
