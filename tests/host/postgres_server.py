"""A real PostgreSQL for tests: its own data folder, its own socket, no port."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy import create_engine

OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c max_connections=200"
"""Nothing of a test has to survive a power failure."""


def programs() -> Path | None:
    """The folder with the programs of the newest PostgreSQL here; None if there is none."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: int(one.parent.name))
    on_path = shutil.which("initdb")
    places += [Path(on_path).resolve().parent] if on_path else []
    return places[-1] if places else None


class PostgresServer:
    """A server that runs until :meth:`stop`; PostgreSQL refuses to run as root."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self.root = Path(tempfile.mkdtemp(prefix="quintain-pg-"))
        self._number = 0
        if os.geteuid() == 0:
            shutil.chown(self.root, "postgres")
        self._run("initdb", "-D", self._data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "-N")
        self.start()

    @property
    def _data(self) -> str:
        return str(self.root / "data")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        log = str(self.root / "log")
        self._control("start", "-l", log, "-o", f"{OPTIONS} -k {self.root}")

    def stop(self) -> None:
        """Stop the server at once, and remove what it stored."""
        self._control("stop", "-m", "immediate")
        shutil.rmtree(self.root)

    def restart(self) -> None:
        """Restart the server as an operator would; open connections are lost."""
        self._control("restart", "-m", "fast")

    def url(self, name: str) -> str:
        """The URL of a database."""
        return f"postgresql+psycopg://postgres@/{name}?host={self.root}"

    def create(self, template: str = "template0") -> str:
        """Make a database as a copy of another one; returns its name."""
        self._number += 1
        name = f"test_{self._number}"
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        engine.dispose()
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever is connected to it."""
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        engine.dispose()

    def _control(self, action: str, *options: str) -> None:
        self._run("pg_ctl", action, "-D", self._data, "-w", "-t", "60", *options)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        # The server inherits the outputs; pipes would never end.
        with (self.root / f"{program}.log").open("ab") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log, cwd="/")
