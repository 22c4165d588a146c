"""Safety: the check of a deployment names what is wrong and how to mend it."""

import os
from datetime import timedelta

import pytest
from sqlalchemy import update

from quintain_host.accounts.administration import add_account
from quintain_host.database.people import Account
from quintain_host.database.work import LogLine, WorkerRow
from quintain_host.serving import checking
from quintain_host.serving.checking import findings
from quintain_host.settings import Settings
from quintain_host.site import Site


@pytest.fixture
def safe(one_site, monkeypatch):
    """A site where nothing is to be mended."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(checking, "_database_time", lambda _session: None)
    monkeypatch.setattr(checking, "ROOM", 0)
    now = one_site.clock.now()
    with one_site.database.writing("workers") as session:
        both = {"started": now, "seen": now, "able": True}
        session.add(WorkerRow(name="one", lanes=["intake", "scoring", "program"], **both))
    add_account(one_site, None, "ada@example.org", "Ada", operator=True)
    with one_site.database.writing("accounts") as session:
        session.execute(update(Account).values(totp="x"))
    return one_site


def change(site, statement):
    with site.database.writing("accounts") as session:
        session.execute(statement)


def the_finding(site, text):
    (sentence,) = findings(site)
    assert text in sentence, sentence


def test_nothing_to_mend(safe):
    assert findings(safe) == []


def test_a_folder_that_others_can_read(safe):
    secret = safe.root / "editions/amic/secret"
    secret.mkdir(parents=True)
    secret.chmod(0o755)
    the_finding(safe, f"run: chmod -R o= {secret}")
    secret.chmod(0o750)
    assert findings(safe) == []


def test_no_second_factor(safe):
    change(safe, update(Account).values(totp=None))
    the_finding(safe, "no second factor: accounts 1, which organise or operate")
    change(safe, update(Account).values(disabled=safe.clock.now()))
    assert findings(safe) == []


def test_workers_that_are_away(safe):
    safe.clock.wait(minutes=3)
    intake, scoring = findings(safe)
    assert "intake" in intake and "scoring" in scoring


def test_a_worker_that_is_not_able(safe):
    change(safe, update(WorkerRow).values(able=False, why="no user namespaces"))
    the_finding(safe, "worker one runs no programs of teams: no user namespaces; run quintain doc")


def test_a_clock_that_was_set_back(safe):
    safe.clock.wait(seconds=-60)
    the_finding(safe, "the clock was set back")


def test_a_database_with_another_clock(safe, monkeypatch):
    later = safe.clock.now() + timedelta(seconds=9)
    monkeypatch.setattr(checking, "_database_time", lambda _session: later)
    the_finding(safe, "9 s apart")


def test_a_full_disk(safe, monkeypatch):
    monkeypatch.setattr(checking, "ROOM", 2**60)
    the_finding(safe, "MiB are free")


def test_a_log_that_somebody_changed(safe):
    change(safe, update(LogLine).values(account=77))
    the_finding(safe, "line 1 of the audit log was changed: somebody changed the database")


def test_a_root_user_and_no_second_factor_at_all(safe, monkeypatch):
    settings = Settings(second_factor=False)
    other = Site(safe.root, settings=settings, database=safe.database.url, clock=safe.clock)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    first, second = findings(other)
    other.close()
    assert "you are root" in first and "second_factor is false" in second


def test_a_well_known_password_of_the_database(safe):
    safe.database.url = "postgresql+psycopg://quintain:quintain@localhost/x"
    the_finding(safe, "the password of the database")


def test_the_clock_of_postgresql(postgres_site):
    with postgres_site.database.reading() as session:
        assert checking._database_time(session).tzinfo is not None
