"""Opening: the folder and the database of a site, made on first use and upgraded later."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from quintain.errors import QuintainError
from quintain.host.database.contests import HostedEdition
from quintain.host.database.database import Database
from quintain.host.database.people import Account
from quintain.host.database.sharing import SharedFile
from quintain.host.database.upgrade import newest, upgrade, version
from quintain.host.settings import read_settings
from quintain.host.sharing.contents import content_name
from quintain.host.sharing.working_copy import is_closed
from quintain.host.site import ADDRESS, SETTINGS, Site
from quintain.jobs.files import make_folder, write_file
from quintain.runs.folder import paths


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


def require_own_contests(site: Site) -> None:
    """Refuse a database whose contests are not here: it belongs to another folder, or store.

    A worker with the wrong folder would take the jobs of the right one, and fail them.
    """
    with site.database.reading() as session:
        live = select(HostedEdition.id).where(HostedEdition.state == "live")
        editions = sorted(session.scalars(live))
    if not editions or any(_is_here(site, edition) for edition in editions):
        return
    place = f"the store {site.settings.store}" if site.contents else f"{site.root}/editions"
    raise QuintainError(
        f"the database has the contests {', '.join(editions)}, and none of them is in {place}: is "
        "this the database of another site, or was only half of a backup restored? Each site needs "
        "a database of its own (QUINTAIN_DATABASE, --database, or database in site.toml)"
    )


def _is_here(site: Site, edition: str) -> bool:
    """Whether the files of a contest are in the folder of the site, or in its store."""
    path = f"editions/{edition}/{paths.EDITION}"
    if site.contents is None:
        return (site.root / path).is_file()
    with site.database.reading() as session:
        shared = session.get(SharedFile, path)
    if shared is None or shared.digest is None:
        return False
    try:
        return site.contents.has(content_name(shared.digest, closed=is_closed(path)))
    except OSError:
        return True  # a store that is away says nothing


def has_operator(site: Site) -> bool:
    """Whether somebody can make contests; a new site has nobody."""
    with site.database.reading() as session:
        operators = select(func.count()).select_from(Account).where(Account.operator)
        return bool(session.scalar(operators))


def require_newest(database: Database) -> None:
    """Refuse a database of another version: a worker never changes the tables itself."""
    now, needed = version_of(database), newest()
    if now != needed:
        raise QuintainError(
            f"the database has version {now or 'none'} and this program needs {needed}: run "
            "quintain host upgrade first, or start quintain serve"
        )
