"""Listing: the editions that a visitor may see."""

from __future__ import annotations

from sqlalchemy import select

from quintain.host.access import NotThere, Visitor
from quintain.host.database.contests import HostedEdition
from quintain.host.site import Site


def editions_for(site: Site, visitor: Visitor) -> list[HostedEdition]:
    """The visible editions, and those in which the visitor has a part; the newest first."""
    with site.database.reading() as session:
        every = session.scalars(select(HostedEdition).order_by(HostedEdition.created.desc()))
        return [one for one in every if _may_see(visitor, one)]


def edition_for(site: Site, visitor: Visitor, edition: str) -> HostedEdition:
    """One edition; raises ``NotThere`` if there is none, or the visitor may not see it."""
    row = hosted_edition(site, edition)
    if not _may_see(visitor, row):
        raise NotThere(f"there is no contest {edition!r} here")
    return row


def hosted_edition(site: Site, edition: str) -> HostedEdition:
    """One edition; the caller knows that the visitor may see it."""
    row = None
    if "\x00" not in edition:  # PostgreSQL has no such texts
        with site.database.reading() as session:
            row = session.get(HostedEdition, edition)
    if row is None:
        raise NotThere(f"there is no contest {edition!r} here")
    return row


def _may_see(visitor: Visitor, edition: HostedEdition) -> bool:
    """Whether everybody may see an edition, or the visitor organises it or is in a team of it."""
    part = visitor.organises_edition(edition.id) or edition.id in visitor.teams
    return edition.visible or part
