"""Contest row: the contest that the pages of a team are about."""

from __future__ import annotations

from quintain.host.database.contests import HostedEdition
from quintain.host.site import Site


def contest_row(site: Site, edition: str) -> HostedEdition:
    """The contest; the caller has checked that the visitor is in a team of it."""
    with site.database.reading() as session:
        return session.get_one(HostedEdition, edition)
