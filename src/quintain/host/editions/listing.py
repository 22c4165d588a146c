"""Listing: the editions that a visitor may see."""

from __future__ import annotations

from sqlalchemy import select

from quintain.host.access import NotThere, Visitor
from quintain.host.database.contests import HostedEdition
from quintain.host.site import Site


def editions_for(site: Site, visitor: Visitor) -> list[HostedEdition]:
    """The visible editions, and those that the visitor organises; the newest first."""
    with site.database.reading() as session:
        every = session.scalars(select(HostedEdition).order_by(HostedEdition.created.desc()))
        return [one for one in every if one.visible or visitor.organises_edition(one.id)]


def edition_for(site: Site, visitor: Visitor, edition: str) -> HostedEdition:
    """One edition; raises ``NotThere`` if there is none, or the visitor may not see it."""
    with site.database.reading() as session:
        edition_row = session.get(HostedEdition, edition)
    if edition_row is None or not (edition_row.visible or visitor.organises_edition(edition)):
        raise NotThere(f"there is no contest {edition!r} here")
    return edition_row
