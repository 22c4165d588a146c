"""Leftovers: files that were sent and count for nothing.

A refused upload and a trial leave their files behind, so that a team and its organisers can talk
about them. After some days the site removes them: otherwise anybody in a team could fill its disk.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.errors import QuotaUsed
from quintain.host.database.contests import DraftFile
from quintain.host.database.work import Upload
from quintain.host.site import Site

LOG = logging.getLogger("quintain.host.worker")

MOST_A_DAY = 16
"""How many of the largest uploads a team can send in a day for nothing."""

_FOR_NOTHING = ("refused", "valid", "invalid")
_NEEDED = ("waiting", "trying", "accepted")


def require_few_leftovers(
    session: Session, site: Site, edition: str, team: str, now: datetime
) -> None:
    """Refuse a team that sent very much in the last day that counts for nothing."""
    sent = session.scalar(
        select(func.sum(Upload.size)).where(
            Upload.edition == edition,
            Upload.team == team,
            Upload.state.in_(_FOR_NOTHING),
            Upload.arrived > now - timedelta(days=1),
        )
    )
    if int(sent or 0) > MOST_A_DAY * site.settings.upload_bytes:
        raise QuotaUsed(
            f"team {team} sent {sent} bytes in the last day that count for nothing; wait a day, "
            "and use quintain check with the kit"
        )


def remove_leftovers(site: Site) -> int:
    """Remove files that no upload and no draft needs, after some days; returns how many."""
    if any(site.root.glob(".backup-*")):
        return 0  # a backup reads the files
    limit = (site.clock.now() - timedelta(days=site.settings.leftover_days)).timestamp()
    old = {path.name for path in _files(site.uploads.root) if _is_older(path, limit)}
    if not old:
        return 0
    # Who needs a file stored it first, so it is too young to be in the list by then.
    needed = _needed(site)
    removed = sum(site.uploads.remove(digest, limit) for digest in sorted(old - needed))
    if removed:
        LOG.info("files of refused uploads were removed", extra={"files": removed})
    return removed


def _files(root: Path) -> Iterator[Path]:
    return root.glob("[0-9a-f][0-9a-f]/*")


def _is_older(path: Path, limit: float) -> bool:
    try:
        return path.stat().st_mtime < limit
    except FileNotFoundError:
        return False


def _needed(site: Site) -> set[str]:
    with site.database.reading() as session:
        sent = session.scalars(select(Upload.files).where(Upload.state.in_(_NEEDED)))
        digests = {str(digest) for files in sent for digest in files.values()}
        return digests | set(session.scalars(select(DraftFile.digest)))
