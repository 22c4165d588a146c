"""Checking: what an operator should change so that people and secrets of a site are safe.

Every finding says what is wrong and how to mend it. Nothing of the site is changed.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from ipaddress import ip_address

from sqlalchemy import func, make_url, select
from sqlalchemy.orm import Session

from quintain_host.claiming import claim_fault
from quintain_host.database.contests import Organiser
from quintain_host.database.notices import Letter
from quintain_host.database.people import Account
from quintain_host.database.upgrade import newest, version
from quintain_host.database.work import LogLine, Upload, WorkerRow
from quintain_host.serving.opening import DatabaseAway, has_operator, version_of
from quintain_host.serving.records import compare_records, lacks_timestamps
from quintain_host.site import SETTINGS, Site

_OTHERS = 0o007
"""The rights of every user of this machine."""


def check_site(site: Site, host: str) -> list[str]:
    """Sentences about what is unsafe or wrong; none if nothing is."""
    return [*_address(site, host), *_files(site), *_database(site)]


def _address(site: Site, host: str) -> list[str]:
    findings = []
    if not is_loopback(host):
        findings.append(
            f"--host {host}: anybody on the network can reach the server without TLS; listen on "
            "127.0.0.1 and let a reverse proxy answer"
        )
    if not site.settings.secure:
        findings.append(f"{SETTINGS}: url is {site.settings.url}; people need an https:// address")
    elif site.settings.proxies == 0:
        findings.append(
            f"{SETTINGS}: proxies is 0, but only a proxy can offer {site.settings.url}; all "
            "visitors would share one limit on sign-ins"
        )
    return findings


def _files(site: Site) -> list[str]:
    private = [site.root, site.root / SETTINGS, *site.root.glob("site.db*")]
    return [
        f"{path}: other users of this machine can read it; run: chmod o= {path}"
        for path in private
        if path.exists() and path.stat().st_mode & _OTHERS
    ]


def _database(site: Site) -> list[str]:
    try:
        if version_of(site.database) is None:
            return ["the database has no tables; quintain serve makes them"]
    except DatabaseAway as problem:
        return [str(problem)]
    nobody = [] if has_operator(site) else ["nobody can make a contest: quintain host account add"]
    return [*nobody, *findings(site)]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


ROOM = 2**30
"""How many bytes should be free on the disk at least, beside what uploads may need."""

ASTRAY = timedelta(seconds=5)
"""How far the clocks of the site and of its database may be apart."""

SILENT = timedelta(minutes=2)
"""After how long without a sign of life a worker counts as away."""

_WELL_KNOWN = {"", "admin", "change-me", "changeme", "password", "postgres", "quintain", "secret"}


def findings(site: Site) -> list[str]:
    """Sentences about what is unsafe, for a site whose database answers."""
    if version(site.database) != newest():
        return [
            f"the database has version {version(site.database)} and this program needs {newest()}; "
            "run: quintain host upgrade"
        ]
    return [
        *([fault] if (fault := claim_fault(site)) else []),
        *_database_password(site),
        *_secrets(site),
        *_people(site),
        *_workers(site),
        *_letters(site),
        *clock_faults(site),
        *_disk(site),
        *_store(site),
        *lacks_timestamps(site),
        *compare_records(site),
        *_debugging(),
    ]


def _database_password(site: Site) -> Iterator[str]:
    url = make_url(site.database.url)
    if url.password is not None and str(url.password).casefold() in _WELL_KNOWN:
        yield "the password of the database is one that everybody tries first; choose a random one"


def _secrets(site: Site) -> Iterator[str]:
    places = [site.root / name for name in ("uploads", "kits", "rejudged")]
    for path in [*places, *site.root.glob("editions/*/secret")]:
        if path.exists() and path.stat().st_mode & 0o007:
            yield f"{path}: other users of this machine can read it; run: chmod -R o= {path}"
    if os.geteuid() == 0:
        yield "you are root: run the server and its workers as users of their own"


def _people(site: Site) -> Iterator[str]:
    if not site.settings.second_factor:
        yield (
            f"{SETTINGS}: second_factor is false: a stolen password is enough to change a contest; "
            "set it to true"
        )
    with site.database.reading() as session:
        organisers = select(Organiser.account)
        trusted = Account.operator | Account.id.in_(organisers)
        rows = select(Account.id).where(trusted, Account.totp.is_(None), Account.disabled.is_(None))
        numbers = ", ".join(map(str, session.scalars(rows.order_by(Account.id))))
    if numbers:
        yield (
            f"no second factor: accounts {numbers}, which organise or operate; ask their owners to "
            "open /account/second-factor"
        )


def _workers(site: Site) -> Iterator[str]:
    since = site.clock.now() - SILENT
    with site.database.reading() as session:
        awake = session.scalars(select(WorkerRow).where(WorkerRow.seen >= since)).all()
    lanes = {str(lane) for worker in awake for lane in worker.lanes}
    for lane in ("intake", "scoring"):
        if lane not in lanes:
            yield f"no worker does the jobs of the {lane}; start quintain serve or quintain worker"
    unable = [worker for worker in awake if "program" in worker.lanes and not worker.able]
    for worker in unable:
        yield (
            f"worker {worker.name} runs no programs of teams: "
            f"{worker.why or 'it did not say why'}; run quintain doctor there"
        )


def _letters(site: Site) -> Iterator[str]:
    mail = site.settings.mail
    if mail is not None and mail.tls == "none" and not is_loopback(mail.host):
        yield (
            f"{SETTINGS}: mail goes to {mail.host} without TLS, and others can read links for "
            'passwords in it; set tls = "starttls" in [mail]'
        )
    with site.database.reading() as session:
        unsent = select(Letter).where(Letter.reason != "", Letter.state.in_(("waiting", "failed")))
        last = session.scalars(unsent.order_by(Letter.id.desc()).limit(1)).first()
    if last is not None:
        yield f"letters could not be delivered by {last.channel}; the last reason: {last.reason}"


def clock_faults(site: Site) -> Iterator[str]:
    """Sentences about clocks that cannot be right."""
    now = site.clock.now()
    with site.database.reading() as session:
        other = _database_time(session)
        dated = {
            "the audit log has a line": session.scalar(select(func.max(LogLine.time))),
            "the newest upload is": session.scalar(select(func.max(Upload.arrived))),
        }
    if other is not None and abs(other - now) > ASTRAY:
        yield (
            f"the clocks of the site and of its database are {abs(other - now).total_seconds():.0f}"
            " s apart; deadlines need right clocks: use NTP on both"
        )
    for what, last in dated.items():
        if last is not None and last - now > ASTRAY:
            yield f"the clock was set back: {what} of {last.isoformat()}; use NTP"


def _database_time(session: Session) -> datetime | None:
    """The time of a database on a machine of its own; SQLite has the clock of this one."""
    if session.connection().dialect.name != "postgresql":
        return None
    return session.scalar(select(func.clock_timestamp()))


def _disk(site: Site) -> Iterator[str]:
    free = shutil.disk_usage(site.root).free
    needed = ROOM + 20 * site.settings.upload_bytes
    if free < needed:
        yield (
            f"{site.root}: {free // 2**20} MiB are free, and {needed // 2**20} MiB should be; make "
            "room, or uploads will be refused"
        )


def _store(site: Site) -> Iterator[str]:
    """Whether this process may write, read and remove in the store; what it writes goes again."""
    if site.contents is None:
        return
    name = f"calls/check-{secrets.token_hex(8)}"
    try:
        site.contents.write(name, b"check")
        b"".join(site.contents.chunks(name))
        site.contents.remove(name)
    except OSError as problem:
        yield f"{site.settings.store}: {problem.strerror or problem}"


def _debugging() -> Iterator[str]:
    if sys.flags.dev_mode or os.environ.get("PYTHONASYNCIODEBUG"):
        yield "Python runs in its development mode; unset PYTHONDEVMODE and PYTHONASYNCIODEBUG"
