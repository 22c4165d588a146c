"""Claiming: a database belongs to one site, from its first start on.

The row of :class:`SiteClaim` names the site: its store, where machines share one; else the text in
the file ``identity`` of its folder, which the first process of the site makes.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.jobs.files import write_file
from quintain.runs.folder import paths
from quintain_host.database.contests import HostedEdition
from quintain_host.database.sharing import SharedFile, SiteClaim
from quintain_host.sharing.contents import content_name
from quintain_host.sharing.working_copy import is_closed
from quintain_host.site import IDENTITY, Site

_OWN = (
    "each site needs a database of its own (QUINTAIN_DATABASE, --database, or database in "
    "site.toml)"
)


class AnotherSite(QuintainError):
    """The database belongs to another site."""

    status = 409


def require_own_database(site: Site) -> None:
    """Take the database for this site, or refuse it: it belongs to another folder, or store.

    A worker with the wrong folder would take the jobs of the right one, and fail them. The files of
    a contest prove that a site is the one that the database knows, wherever it was moved to.
    """
    editions = _live_editions(site)
    if editions and not any(_is_here(site, edition) for edition in editions):
        raise AnotherSite(
            f"the database has the contests {', '.join(editions)}, and none of them is in "
            f"{_place(site)}: is this the database of another site, or was only half of a backup "
            f"restored? {_OWN[0].upper()}{_OWN[1:]}"
        )
    with site.database.writing("claim") as session:
        other = _claim_of_another(site, session)
        if other is None or editions:
            _write_claim(site, session)
            return
    raise AnotherSite(_sentence(site, other))


def claim_database(site: Site) -> None:
    """Take the database for this site from any other: the operator says that the site moved."""
    with site.database.writing("claim") as session:
        _write_claim(site, session)


def claim_fault(site: Site) -> str:
    """A sentence about a database of another site; empty if it is ours, or nobody's yet."""
    with site.database.reading() as session:
        other = _claim_of_another(site, session)
    return "" if other is None else _sentence(site, other)


class _Claim(NamedTuple):
    place: str
    since: datetime


def _claim_of_another(site: Site, session: Session) -> _Claim | None:
    claim = session.scalars(select(SiteClaim)).first()
    if claim is None or claim.site == _identity(site):
        return None
    return _Claim(claim.place, claim.since)


def _write_claim(site: Site, session: Session) -> None:
    """Write whose the database is; a process that may not write to its folder leaves it open."""
    name = _identity(site) or _new_identity(site)
    if not name:
        return
    claim = session.scalars(select(SiteClaim)).first()
    if claim is None:
        claim = SiteClaim(id=1, site=name, place=_place(site), since=site.clock.now())
        session.add(claim)
    elif claim.site != name:
        claim.site, claim.place, claim.since = name, _place(site), site.clock.now()


def _identity(site: Site) -> str:
    """What tells this site from others; empty if it was never started."""
    if site.contents is not None:
        return site.settings.store.rstrip("/")
    with suppress(FileNotFoundError):
        return (site.root / IDENTITY).read_text().strip()
    return ""


def _new_identity(site: Site) -> str:
    """Make the file; the caller holds the lock of the claim, so nobody else does."""
    name = secrets.token_hex(16)
    with suppress(OSError):  # a web user may have no right to write here; the worker has
        write_file(site.root / IDENTITY, f"{name}\n".encode(), public=True)
        return name
    return ""


def _place(site: Site) -> str:
    if site.contents is not None:
        return f"the store {site.settings.store}"
    return f"{site.root.resolve()}/editions"


def _sentence(site: Site, other: _Claim) -> str:
    return (
        f"the database belongs to another site since {other.since:%Y-%m-%d}, with its files in "
        f"{other.place}, and this site has them in {_place(site)}: {_OWN}. If it is the same site "
        f"and was moved, run: quintain host claim {site.root}"
    )


def _live_editions(site: Site) -> list[str]:
    """The contests of the database that must have files, by id."""
    live = select(HostedEdition.id).where(HostedEdition.state == "live")
    with site.database.reading() as session:
        return sorted(session.scalars(live))


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
