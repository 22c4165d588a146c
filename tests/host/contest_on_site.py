"""Contests on a site for tests: accounts, editions, teams and what they submit.

Everything goes through the doors of the product where there is one; the rest are rows. A whole
contest in a few lines::

    edition = prepared(site)                        # rules fixed, samples drawn
    red = team(site, edition, "red")                # a visitor: the captain of a team that joined
    take(site, red, edition, release(site, edition, "red"))
    drain(site)                                     # the workers do everything that waits
"""

import io
import zipfile
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from quintain.jobs.files import write_file
from quintain_host.access import Visitor
from quintain_host.accounts.passwords import hash_secret, new_secret
from quintain_host.accounts.sessions import visitor_with_cookie
from quintain_host.database.contests import HostedEdition, Member, Organiser, RegisteredTeam
from quintain_host.database.people import Account, SignIn
from quintain_host.database.work import QueuedJob, Upload
from quintain_host.queue import enqueue
from quintain_host.site import Site
from quintain_host.work.worker import Worker

PHASES = """\
[[phase]]
id = "anonymize"
submit = "release"
opens = 2026-05-01T00:00:00Z
closes = 2026-05-10T00:00:00Z

[[phase]]
id = "attack"
submit = "guess"
opens = 2026-05-11T00:00:00Z
closes = 2026-05-20T00:00:00Z
"""
"""Teams release from day 1 to 9 and guess from day 11 to 19."""

ROUNDS = (
    """\
id = "rounds"
title = "Everybody sanitizes, everybody attacks"
goal = { use = "membership-set", guesses = 5 }
dataset = { use = "adult", rows = 120 }
sample = { use = "subset", rows = 30 }
utility = ["marginals"]
privacy = ["hit-rate"]
knowledge = { gives = ["base"] }

[[baseline]]
id = "nearest"
attack = { use = "nearest" }

[[board]]
id = "anonymizers"
title = "Anonymizers"
use = "defence"
measure = "hit_rate"

[[board]]
id = "attackers"
title = "Attackers"
use = "mean"
measure = "hit_rate"

"""
    + PHASES
)
"""Teams release in the first phase and guess in the second; scoring takes part of a second."""

TINY = """\
include = "tiny"
id = "small"
repeats = 2
dataset = { rows = 400 }
sample = { targets = 20, background = 60 }
"""
"""Teams guess who was in releases of the organisers; without dates."""


def at(day: int, hour: float = 12) -> datetime:
    """A moment of the contest ``ROUNDS``: day 1 to 9 for releases, 11 to 19 for guesses."""
    return datetime(2026, 5, 1, tzinfo=UTC) + timedelta(days=day - 1, hours=hour)


def account(site: Site, name: str, *, operator: bool = False) -> int:
    """An account with a password that nobody knows; its e-mail address is NAME@example.org."""
    with site.database.writing("accounts") as session:
        row = Account(
            email=f"{name}@example.org",
            name=name.title(),
            password="!",
            operator=operator,
            created=site.clock.now(),
        )
        session.add(row)
        session.flush()
        return row.id


def account_of(site: Site, name: str) -> int:
    """The account of a person, which is made if it is missing."""
    with site.database.reading() as session:
        known = session.scalar(select(Account.id).where(Account.email == f"{name}@example.org"))
    return account(site, name) if known is None else known


def cookie(site: Site, number: int, *, second_factor: bool = True) -> str:
    """Sign a person in; returns the secret of the cookie."""
    secret, now = new_secret(), site.clock.now()
    with site.database.writing("accounts") as session:
        session.add(
            SignIn(
                hash=hash_secret(secret),
                account=number,
                csrf=new_secret(),
                second_factor=second_factor,
                created=now,
                expires=now + timedelta(days=365),
            )
        )
    return secret


def visitor(site: Site, name: str) -> Visitor:
    """A person who is signed in, with all that the person may do now."""
    return visitor_with_cookie(site, cookie(site, account_of(site, name)))


def edition(site: Site, text: str = ROUNDS, *, organiser: str = "olga", **fields) -> str:
    """An edition that is not prepared yet, with its organiser; returns its id."""
    import tomllib

    facts = tomllib.loads(text)
    name = str(facts["id"])
    values = {"visible": True, "registration": "open", "title": facts.get("title", name), **fields}
    person = account_of(site, organiser)
    with site.database.writing(name) as session:
        session.add(HostedEdition(id=name, toml=text, created=site.clock.now(), **values))
        session.flush()
        session.add(Organiser(edition=name, account=person))
    write_file(site.edition_root(name) / "edition.toml", text.encode())
    return name


def prepared(site: Site, text: str = ROUNDS, *, seed: int = 3, **fields) -> str:
    """An edition whose rules are fixed and whose samples are drawn."""
    name = edition(site, text, **fields)
    request(site, name, "scoring", "prepare", arguments={"seed": seed})
    drain(site)
    with site.database.writing(name) as session:
        session.get_one(HostedEdition, name).state = "live"
    return name


def request(site: Site, edition: str, lane: str, kind: str, **fields) -> int:
    """Put a job into the queue; returns its number."""
    with site.database.writing(edition) as session:
        return enqueue(session, edition, lane, kind, now=site.clock.now(), **fields).id


def team(site: Site, edition: str, name: str, *, members: tuple[str, ...] = ()) -> Visitor:
    """A team that has joined; its captain, who is returned, has the name of the team."""
    register(site, edition, name, members=members)
    drain(site)
    return visitor(site, name)


def register(site: Site, edition: str, name: str, *, members: tuple[str, ...] = ()) -> None:
    """A team that joins as soon as a worker looks."""
    people = [account_of(site, person) for person in (name, *members)]
    with site.database.writing(edition) as session:
        session.add(
            RegisteredTeam(
                edition=edition,
                id=name,
                name=name.title(),
                state="joining",
                created=site.clock.now(),
            )
        )
        session.flush()
        for number, person in enumerate(people):
            session.add(Member(edition=edition, account=person, team=name, captain=number == 0))
    request(site, edition, "intake", "join", team=name)


def release(site: Site, edition: str, team: str, rows: int = 20) -> dict[str, bytes]:
    """A release of a team: the first rows of its own sample, valid and easy to attack."""
    sample = site.edition_root(edition) / "teams" / team / "main" / "private.csv"
    lines = sample.read_bytes().splitlines(keepends=True)
    return {"release.csv": b"".join(lines[: rows + 1])}


def guess(site: Site, edition: str, team: str, first: int = 0) -> dict[str, bytes]:
    """Guesses of a team for every release of others: five rows of the population."""
    folder = site.folder(edition)
    rows = b"".join(b"%d\n" % (first + number) for number in range(5))
    tasks = folder.read(folder.edition().track[0]).tasks_for(team)
    return {f"{task.name}.csv": b"row\n" + rows for task in tasks}


def zipped(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files as one upload."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return {"submission.zip": content.getvalue()}


def drain(site: Site, *lanes: str, most: int = 1000) -> int:
    """Do all jobs, by default of intake and scoring, until nothing is left; returns how many."""
    worker = Worker(site, "drain", lanes or ("intake", "scoring"))
    before = _faulty(site)
    for number in range(most):
        if not any(worker.work_once(lane) for lane in worker.lanes):
            # A bug in a handler is no failure that people meet; a test must not overlook it.
            assert _faulty(site) <= before
            return number
    raise AssertionError(f"{most} jobs were done and there are still more")


def _faulty(site: Site) -> set[tuple[int, str, str]]:
    reasons = {(job.id, job.kind, job.reason) for job in jobs(site)}
    return {one for one in reasons if one[2].startswith("a fault of the host")}


def jobs(site: Site, kind: str = "") -> list[QueuedJob]:
    """The jobs of a kind, or all."""
    with site.database.reading() as session:
        every = session.scalars(select(QueuedJob).order_by(QueuedJob.id)).all()
    return [job for job in every if kind in ("", job.kind)]


def upload(site: Site, number: int) -> Upload:
    """An upload as it is now."""
    with site.database.reading() as session:
        return session.get_one(Upload, number)


def uploads(site: Site, state: str) -> int:
    """How many uploads are in a state."""
    with site.database.reading() as session:
        return session.scalar(select(func.count()).where(Upload.state == state)) or 0
