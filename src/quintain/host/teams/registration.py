"""Registration: a person registers a team for a contest; places are counted in the transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.contests import Edition
from quintain.errors import PhaseClosed, Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import (
    HostedEdition,
    Insider,
    Member,
    Organiser,
    RegisteredTeam,
)
from quintain.host.editions.shown_rules import contest_state, shown_rules
from quintain.host.refusals import BadInput, Conflict
from quintain.host.site import Site
from quintain.host.teams.joining import enqueue_joins
from quintain.host.teams.links import contest_with_link, use_link_of
from quintain.host.teams.names import clean_name, skeleton, team_id
from quintain.journal.state import require_running

LONGEST_AFFILIATION = 200
ORGANISES = "you organise this contest; organisers see secrets and cannot be in a team"


class NoPlace(Conflict):
    """All places of a contest or a team are taken, or the name is."""


def register(
    site: Site,
    visitor: Visitor,
    edition: str,
    name: str,
    *,
    wished_id: str = "",
    affiliation: str = "",
    link: str = "",
) -> RegisteredTeam:
    """Register a team; the visitor becomes its captain.

    Parameters
    ----------
    wished_id : the id of the team; by default one is made from its name.
    link : an invitation of the organisers, where only invited teams can register.
    """
    account = _require_person(site, visitor, edition, link)
    name = clean_name(name)
    team = RegisteredTeam(
        edition=edition,
        id=team_id(name, wished_id),
        name=name,
        affiliation=_affiliation(affiliation),
        created=site.clock.now(),
    )
    names = _taken_by_rules(site, edition)
    with site.database.writing(edition) as session:
        row = session.get_one(HostedEdition, edition)
        leave_refused(session, edition, account)
        require_no_team(session, edition, account)
        require_outsider(session, edition, account)
        teams = session.scalars(select(RegisteredTeam).where(RegisteredTeam.edition == edition))
        _require_place(row, team, list(teams), names)
        team.state = _first_state(site, session, row, link)
        session.add(team)
        session.flush()
        session.add(Member(edition=edition, account=account, team=team.id, captain=True))
        session.flush()
        enqueue_joins(session, site, edition)
        log(session, site, visitor, "team.register", edition, team=team.id, state=team.state)
    return team


def require_no_team(session: Session, edition: str, account: int) -> None:
    """Refuse a person who is in a team of the contest already."""
    member = session.get(Member, (edition, account))
    if member is not None:
        raise NoPlace(f"you are in team {member.team} already; leave it first")


def require_outsider(session: Session, edition: str, account: int, team: str | None = None) -> None:
    """Refuse a person who knows secrets of the contest, or data of another team.

    The rows decide: an organiser who has not given the second factor knows the secrets, too.

    Parameters
    ----------
    team : the team that the person wants to join; None is a new one.
    """
    insider = session.get(Insider, (edition, account))
    if session.get(Organiser, (edition, account)) is not None:
        raise Refused(ORGANISES)
    if insider is None or (insider.team is not None and insider.team == team):
        return
    if insider.team is None:
        raise Refused("you organised this contest and know its secrets, so you cannot be in a team")
    raise Refused(f"you were in team {insider.team} and know its data; you can only join it again")


def remember_insider(session: Session, edition: str, account: int, team: str | None) -> None:
    """Note that a person knows the data of a team, or as an organiser all secrets."""
    known = session.get(Insider, (edition, account))
    if known is None:
        session.add(Insider(edition=edition, account=account, team=team))
    elif team is None:
        known.team = None


def leave_refused(session: Session, edition: str, account: int) -> None:
    """A person whose team was refused may register another one."""
    member = session.get(Member, (edition, account))
    if member is None:
        return
    team = session.get_one(RegisteredTeam, (edition, member.team))
    if team.state == "refused":
        session.delete(member)
        session.flush()


def _require_person(site: Site, visitor: Visitor, edition: str, link: str) -> int:
    account = visitor.require_signed_in()
    visitor.require_scope("submit")
    row = contest_with_link(site, visitor, edition, "edition", link)
    if row.registration == "closed":
        raise PhaseClosed("registration is closed")
    require_running(contest_state(site, edition))
    return account


def _affiliation(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > LONGEST_AFFILIATION:
        raise BadInput(
            f"the affiliation has {len(text)} characters; the limit is {LONGEST_AFFILIATION}"
        )
    if not text.isprintable():
        raise BadInput("the affiliation has a character that cannot be printed")
    return text


def _taken_by_rules(site: Site, edition: str) -> frozenset[str]:
    """The ids of baselines and entries, which no team may have."""
    try:
        rules: Edition = shown_rules(site, edition)
    except NotThere:
        return frozenset()
    players = {one.id for track in rules.track for one in track.baseline}
    return frozenset(players | {entry for track in rules.track for entry in track.entries})


def _require_place(
    edition: HostedEdition,
    team: RegisteredTeam,
    teams: Sequence[RegisteredTeam],
    names: frozenset[str],
) -> None:
    places = [one for one in teams if one.state != "refused"]
    if edition.max_teams is not None and len(places) >= edition.max_teams:
        raise NoPlace(f"all {edition.max_teams} places of this contest are taken")
    seen = {skeleton(text): one.id for one in teams for text in (one.id, one.name)}
    seen |= {skeleton(name): name for name in names}
    for text in (team.id, team.name):
        other = seen.get(skeleton(text))
        if other is not None:
            raise NoPlace(f"{text!r} looks like {other!r}, which takes part; choose another name")


def _first_state(site: Site, session: Session, edition: HostedEdition, link: str) -> str:
    """What happens with a new team: the organisers look at it, or it takes part at once."""
    if link:
        use_link_of(session, site, "edition", link, edition.id)
        return "joining"
    if edition.registration == "invitation":
        raise Refused("only invited teams can register; use the link in your invitation")
    return "joining" if edition.registration == "open" else "waiting"
