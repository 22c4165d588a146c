"""Opening: the folder and the database of a site, made on first use and upgraded later."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from quintain.errors import QuintainError
from quintain.jobs.files import make_folder, write_file
from quintain_host.database.database import Database
from quintain_host.database.people import Account
from quintain_host.database.upgrade import OutOfDate, newest, upgrade, version
from quintain_host.settings import read_settings
from quintain_host.site import ADDRESS, SETTINGS, Site


class DatabaseAway(QuintainError):
    """The database of a site does not answer."""

    status = 503


def open_site(root: Path, database: str = "") -> Site:
    """The site in a folder; a folder that is missing is made, for its owner alone."""
    make_folder(root)
    return Site(root, database=database)


def remember_address(site: Site, host: str, port: int) -> None:
    """Let links lead to where the server listens, unless the settings say where people reach it.

    Commands on this machine make links as well, so the address is in the folder of the site.
    """
    if "url" in read_settings(site.root / SETTINGS).model_fields_set:
        return
    url = f"http://{_reachable(host)}:{port}"
    with suppress(OSError):  # a web user may have no right to write here
        write_file(site.root / ADDRESS, f"{url}\n".encode())
    site.settings = site.settings.model_copy(update={"url": url})


def _reachable(host: str) -> str:
    """A host as it stands in a link; a server that listens everywhere is at least here."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1"
    return f"[{address}]" if address.version == 6 else str(address)


def bring_up_to_date(database: Database) -> str:
    """Make the tables or change them to the newest version; returns a note if that was needed.

    Raises if the database was made by a newer version of this program.
    """
    before, needed = version_of(database), newest()
    if before is not None and before > needed:
        raise QuintainError(
            f"the database has version {before} and this program knows {needed}: it was used by a "
            "newer quintain; install that one, or restore a backup"
        )
    if before == needed:
        return ""
    upgrade(database)
    if before is None:
        return f"made the tables of the database, version {needed}"
    return f"upgraded the database from version {before} to {needed}"


def version_of(database: Database) -> str | None:
    """The version of the tables; raises a sentence if the database cannot be reached."""
    try:
        return version(database)
    except OperationalError as problem:
        reason = str(problem.orig).strip().splitlines()[0]
        raise DatabaseAway(f"the database does not answer: {reason}") from None


def has_operator(site: Site) -> bool:
    """Whether somebody can make contests; a new site has nobody."""
    with site.database.reading() as session:
        operators = select(func.count()).select_from(Account).where(Account.operator)
        return bool(session.scalar(operators))


def require_tables(database: Database) -> None:
    """Refuse a database of another version: a worker never changes the tables itself."""
    now, needed = version_of(database), newest()
    if now != needed:
        raise OutOfDate(
            f"the database has version {now or 'none'} and this program needs {needed}: run "
            "quintain host upgrade first, or start quintain serve"
        )
