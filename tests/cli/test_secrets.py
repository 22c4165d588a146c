"""Passwords of databases: in no output of a command, in no file, in no process it starts."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from quintain.cli.main import main
from tests.core.test_database_address import ADDRESSES, SECRET
from tests.data.own_files.test_postgres import SCRIPT
from tests.host.postgres_server import PostgresServer, programs

COMMANDS = {
    "original": "audit release --original ADDRESS --release t.csv --control t.csv --workers 1",
    "release": "audit release --original t.csv --release ADDRESS --control t.csv --workers 1",
    "control": "audit release --original t.csv --release t.csv --control ADDRESS --workers 1",
    "release, schema": "audit release --original t.csv --release t.csv --schema ADDRESS",
    "release, folds": "audit release --original ADDRESS --release t.csv --folds 3",
    "everybody": "audit everybody rr --data ADDRESS --release t.csv",
    "sanitizer": "audit sanitizer rr --data ADDRESS",
    "split": "audit split --data ADDRESS --out parts",
    "learn": "schema learn ADDRESS",
    "sanitize": "sanitize ADDRESS --with people-marginals --out made",
    "attack": "attack ADDRESS --with nearest --targets t.csv --out made.csv",
    "compare": "compare rr ADDRESS --data t.csv --control t.csv",
    "named": "compare rr 'theirs: ADDRESS' --data t.csv --control t.csv",
    "measure": "measure tiny --original ADDRESS --release t.csv",
    "play": "play ADDRESS",
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(
        "".join(["age,sex\n", *(f"{40 + i % 9},{'mf'[i % 2]}\n" for i in range(40))])
    )
    return tmp_path


def run(capfd, command, address):
    """What a command prints, whatever its code is."""
    words = [word.replace("ADDRESS", address) for word in shlex.split(command)]
    try:
        main(words)
    except SystemExit as end:
        code = end.code or 0
    else:
        code = 0
    out, err = capfd.readouterr()
    return code, out + err


def contents(place):
    return b"".join(file.read_bytes() for file in place.rglob("*") if file.is_file())


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_no_command_shows_a_password_of_an_address_that_nobody_answers(command, place, capfd):
    for name, address in ADDRESSES.items():
        code, said = run(capfd, command, address)
        assert code != 0 and said, name
        assert SECRET not in said and "Traceback" not in said, (name, said)
        assert SECRET.encode() not in contents(place), name


@pytest.mark.slow
def test_no_output_repeats_the_password_of_a_program(place, capfd):
    """A command of another maker gets its address as a word, or as a parameter."""
    tool = f"sh -c 'cp {{input}} {{output}}' postgresql://eve:{SECRET}@server/db {{password}}"
    options = f"--runs 10 --set password={SECRET} --workers 1 --seed 1"
    audit = f"audit sanitizer {shlex.quote(tool)} --data t.csv {options} --out report"
    code, said = run(capfd, audit, "")
    assert code == 0, said
    broken = shlex.quote(tool.replace("cp {input}", "cp /nowhere/{input}"))
    code, more = run(capfd, f"audit sanitizer {broken} --data t.csv {options}", "")
    assert code != 0
    assert SECRET not in said + more and SECRET.encode() not in contents(place)


@pytest.fixture(scope="module")
def server():
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed")
    server = PostgresServer(folder)
    try:
        name = server.create()
        engine = sa.create_engine(server.url(name))
        with engine.begin() as connection:
            connection.execute(sa.text(SCRIPT))
            connection.execute(sa.text(f"CREATE ROLE eve LOGIN SUPERUSER PASSWORD '{SECRET}'"))
        engine.dispose()
        rules = server.root / "data" / "pg_hba.conf"
        rules.write_text("local all eve scram-sha-256\n" + rules.read_text())
        server.restart()
        yield server, name
    finally:
        server.stop()


AUDIT = (
    "audit release --original ADDRESS --release ADDRESS --workers 1 --out report "
    "--dossier dossier.html --show-exposed 2"
)


def test_no_output_about_a_database_has_its_password(server, place, capfd):
    """In the form without the name of a database, which then is that of the user."""
    root, name = server[0].root, server[1]
    address = f"postgresql://eve:{SECRET}@/{name}?host={root}#clinic.*"
    said = ""
    for command in (
        "schema learn ADDRESS",
        "audit split --data ADDRESS --out parts",
        AUDIT,
        "audit release --original parts/to-sanitize --release ADDRESS --control parts/control "
        "--workers 1 --json --out again",
        "sanitize ADDRESS --with people-marginals --set epsilon=1 --out made",
    ):
        code, words = run(capfd, command, address)
        assert code == 0, words
        said += words
    assert SECRET not in said and "eve@" not in said and "eve:" not in said
    written = contents(place)
    assert SECRET.encode() not in written and len(written) > 100_000
    assert f"postgresql://.../{name}".encode() in written


@pytest.mark.parametrize("way", ["PGPASSWORD", ".pgpass"])
def test_the_password_can_stay_off_the_command_line(server, place, way):
    """Then no list of processes has it."""
    root, name = server[0].root, server[1]
    environment = {**os.environ, "HOME": str(place)}
    if way == "PGPASSWORD":
        environment["PGPASSWORD"] = SECRET
    else:
        file = place / ".pgpass"
        file.write_text(f"*:*:*:eve:{SECRET}\n")
        file.chmod(0o600)
        environment["PGPASSFILE"] = str(file)
    address = f"postgresql://eve@/{name}?host={root}#clinic.*"
    done = subprocess.run(
        [sys.executable, "-m", "quintain", "schema", "learn", address],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr
