"""People in a real PostgreSQL: its own kinds of cells, its keys, and nothing is written."""

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain.data.people_files import read_people
from quintain.errors import DataError
from tests.host.postgres_server import PostgresServer, programs

SCRIPT = """
CREATE TYPE sexes AS ENUM ('f', 'm');
CREATE TABLE patients (id uuid PRIMARY KEY, sex sexes, born date, weight numeric(5, 2),
    smoker boolean, tags text[]);
CREATE TABLE visits (visit bigserial PRIMARY KEY, patient uuid REFERENCES patients (id),
    at timestamptz, code char(5), price money, note jsonb);
INSERT INTO patients SELECT gen_random_uuid(), (ARRAY['f', 'm'])[1 + mod(i, 2)]::sexes,
    date '1940-01-01' + i * 37, 50 + i / 3.0, mod(i, 3) = 0, ARRAY['a', 'b']
    FROM generate_series(1, 60) i;
INSERT INTO visits (patient, at, code, price, note)
    SELECT id, timestamptz '2024-01-01 00:00+02' + i * interval '1 day', 'C' || mod(i, 4), 12.5,
    '{"a": 1}' FROM patients, generate_series(1, 5) i;
CREATE SCHEMA clinic;
CREATE TABLE clinic.people AS SELECT id, sex FROM patients;
CREATE TABLE clinic.stays AS SELECT patient, at, code FROM visits;
"""


@pytest.fixture(scope="module")
def address():
    place = programs()
    if place is None:
        pytest.skip("PostgreSQL is not installed")
    server = PostgresServer(place)
    try:
        name = server.create()
        engine = sa.create_engine(server.url(name))
        with engine.begin() as connection:
            connection.execute(sa.text(SCRIPT))
        engine.dispose()
        yield server.url(name)
    finally:
        server.stop()


@pytest.mark.parametrize("kind", ["postgresql+psycopg", "postgresql", "postgres"])
def test_people_of_a_database_are_read_by_its_own_keys(address, kind):
    people = read_people(address.replace("postgresql+psycopg", kind))
    assert people.size == 60
    assert [len(people.tables[name]) for name in ("patients", "visits")] == [60, 300]
    patients = people.tables["patients"].rows.schema
    assert (patients["sex"].kind, patients["born"].kind) == ("category", "time")
    assert patients["weight"].kind in ("integer", "real")


def test_a_database_that_is_not_there_is_named_without_its_password(address):
    with pytest.raises(DataError) as refused:
        read_people(address.replace("postgres@", "eve:secret@").replace("test_", "no_"))
    assert "cannot be read" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_commands_read_a_database(address, tmp_path):
    plain = address.replace("postgresql+psycopg", "postgresql")
    run = CliRunner().invoke(cli, ["schema", "learn", plain])
    assert run.exit_code == 0 and "patients: 60 rows" in run.stderr
    split = ["audit", "split", "--data", plain, "--out", str(tmp_path / "parts")]
    assert CliRunner().invoke(cli, split).exit_code == 0
    assert len((tmp_path / "parts" / "control" / "visits.csv").read_text().splitlines()) == 151
    parts = [f"--{role}={tmp_path / 'parts' / place}" for role, place in SIDES.items()]
    audit = ["audit", "release", *parts, "--release", plain, "--workers", "1", "--json"]
    run = CliRunner().invoke(cli, audit)
    assert run.exit_code == 0, run.output
    assert '"verdict": "unsafe"' in run.stdout  # it has everybody with their own ids


SIDES = {"original": "to-sanitize", "control": "control"}


def test_tables_lie_in_schemas(address):
    assert read_people(f"{address}#clinic.*", person="people.id,stays.patient").size == 60
    assert read_people(f"{address}#clinic.stays", person="patient").size == 60
    assert set(read_people(f"{address}#patients,visits").tables) == {"patients", "visits"}
    with pytest.raises(DataError, match=r"schemas clinic of this database: put #clinic\.\*"):
        read_people(f"{address}#stays")
    with pytest.raises(DataError, match="'visits' in several of the schemas"):
        read_people(f"{address}#visits,public.visits")
