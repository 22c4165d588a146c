"""Fixtures of the host's tests: empty sites on SQLite and on a real PostgreSQL.

``site`` runs a test on every database, ``one_site`` only on the first: take it where the database
does not matter and the test is slow. ``QUINTAIN_TEST_DATABASES=postgresql`` runs every test on
PostgreSQL. ``new_site`` is for fixtures that a whole module shares; tests that would change what
they share take a ``site_copy`` of it.
"""

import os
import shutil
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from quintain.programs.choice import ability
from quintain_host.accounts import passwords
from quintain_host.database.database import Database
from quintain_host.database.upgrade import upgrade
from quintain_host.settings import Settings
from quintain_host.site import DATABASE, Site
from tests.host.clocks import TestClock
from tests.host.postgres_server import PostgresServer, programs

DATABASES = os.environ.get("QUINTAIN_TEST_DATABASES", "sqlite,postgresql").split(",")


@pytest.fixture(scope="session")
def able():
    """Skip where this machine cannot contain programs of strangers."""
    here = ability(trust=False)
    if not here.able:
        pytest.skip(here.why)


@pytest.fixture(scope="session", autouse=True)
def quick_hashes():
    """Hash passwords quickly: hundreds of sign-ins would spend their time on it."""
    with pytest.MonkeyPatch.context() as patch:
        quick = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
        patch.setattr(passwords, "_HASHER", quick)
        patch.setattr(passwords, "_UNKNOWN", quick.hash("the password of nobody"))
        yield


@pytest.fixture(scope="session")
def postgres():
    """A server of PostgreSQL, one for each process that runs tests."""
    place = programs()
    if place is None:
        pytest.skip("there is no PostgreSQL: run scripts/postgres.sh as root")
    server = PostgresServer(place)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_template(postgres):
    """The name of a database of PostgreSQL with empty tables; copies of it are made quickly."""
    name = postgres.create()
    _upgraded(postgres.url(name))
    return name


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A file of SQLite with empty tables."""
    path = tmp_path_factory.mktemp("template") / DATABASE
    _upgraded(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def new_site(request):
    """A function that makes an empty site in a folder: ``new_site(folder, "postgresql")``.

    Close the site in the end. Without a kind of database, it is the first one.
    """

    def made(folder: Path, kind: str = DATABASES[0], **settings) -> Site:
        url = ""
        if kind == "postgresql":
            server = request.getfixturevalue("postgres")
            url = server.url(server.create(request.getfixturevalue("postgres_template")))
        else:
            shutil.copy(request.getfixturevalue("sqlite_template"), folder / DATABASE)
        settings = {"page_seconds": 0} | settings  # tests look at once at what they changed
        return Site(folder, settings=Settings(**settings), database=url, clock=TestClock())

    return made


@pytest.fixture(scope="session")
def site_copy(request):
    """A function that copies a site that is closed: ``site_copy(site, folder)``.

    Close the copy in the end. Its clock starts with the time of the site.
    """

    def made(site: Site, folder: Path) -> Site:
        shutil.copytree(site.root, folder)
        url = ""
        if not (site.root / DATABASE).exists():
            server = request.getfixturevalue("postgres")
            url = server.url(server.create(site.database.engine.url.database))
        clock = TestClock(site.clock.now())
        return Site(folder, settings=site.settings, database=url, clock=clock)

    return made


@pytest.fixture(params=DATABASES)
def site(request, new_site, tmp_path):
    """An empty site, once on each database."""
    yield from _closed(new_site(tmp_path, request.param))


@pytest.fixture
def one_site(new_site, tmp_path):
    """An empty site on the first database."""
    yield from _closed(new_site(tmp_path))


@pytest.fixture
def sqlite_site(new_site, tmp_path):
    """An empty site on SQLite, for what is special about it."""
    yield from _closed(new_site(tmp_path, "sqlite"))


@pytest.fixture
def postgres_site(new_site, tmp_path):
    """An empty site on PostgreSQL, for what is special about it."""
    yield from _closed(new_site(tmp_path, "postgresql"))


def _closed(site):
    yield site
    site.close()


def _upgraded(url):
    database = Database(url)
    upgrade(database)
    database.close()
