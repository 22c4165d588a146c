"""Wanted: whether a site has a contest in which teams submit programs."""

from __future__ import annotations

from sqlalchemy import select

from quintain.host.database.contests import HostedEdition
from quintain.host.editions.shown_rules import contest_state, shown_rules
from quintain.host.site import Site


def wants_programs(site: Site) -> bool:
    """Whether some contest that is not over takes programs; testing a sandbox costs seconds."""
    with site.database.reading() as session:
        live = session.scalars(select(HostedEdition.id).where(HostedEdition.state == "live")).all()
    return any(
        phase.contract is not None
        for edition in live
        if contest_state(site, edition).revealed is None
        for track in shown_rules(site, edition).track
        for phase in track.phase
    )
