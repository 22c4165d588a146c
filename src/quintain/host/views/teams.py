"""Teams: who takes part, and after the end what teams say about their methods."""

from __future__ import annotations

from pydantic import BaseModel
from sqlalchemy import select

from quintain.host.database.contests import Description, RegisteredTeam
from quintain.host.site import Site
from quintain.host.views.contest import Contest


class TeamView(BaseModel):
    """A team that takes part.

    Parameters
    ----------
    competing : whether the team gets a rank.
    disqualified : why it was disqualified; empty if it was not.
    description, code, licence : what the team says about its method, after the reveal.
    """

    id: str
    name: str
    affiliation: str = ""
    competing: bool = True
    built_in: bool = False
    joined: str = ""
    disqualified: str = ""
    description: str = ""
    code: str = ""
    licence: str = ""


def teams(site: Site, contest: Contest) -> list[TeamView]:
    """The teams of a contest, in the order in which they joined; nobody who only registered."""
    with site.database.reading() as session:
        rows = session.scalars(select(RegisteredTeam).where(RegisteredTeam.edition == contest.id))
        affiliations = {row.id: row.affiliation for row in rows}
        listed = select(Description).where(Description.edition == contest.id)
        texts = {one.team: one for one in session.scalars(listed)} if contest.revealed else {}
    views = []
    for entrant in contest.state.roster.entrants:
        words = texts.get(entrant.id)
        views.append(
            TeamView(
                id=entrant.id,
                name=entrant.name or entrant.id,
                affiliation=affiliations.get(entrant.id, ""),
                competing=entrant.competing,
                built_in=entrant.built_in,
                joined=contest.state.joined[entrant.id].time,
                disqualified=contest.state.excluded(entrant.id),
                description="" if words is None else words.text,
                code="" if words is None else words.code,
                licence="" if words is None else words.licence,
            )
        )
    return views
