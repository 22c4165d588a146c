"""Registration: people register a team for a contest, invite others, join, leave and hand over.

Places are counted in the transaction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from quintain.contests import Edition
from quintain.contests.ids import checked_id, checked_name, reserved_id
from quintain.errors import PhaseClosed, Refused
from quintain.journal.state import require_running
from quintain.wording.languages import say
from quintain_host.access import BadInput, Conflict, NotThere, Visitor
from quintain_host.accounts.links import NewLink, look_up, make_link, use_link, valid_links
from quintain_host.audit_log import log
from quintain_host.database.contests import (
    Description,
    HostedEdition,
    Insider,
    Member,
    Organiser,
    RegisteredTeam,
)
from quintain_host.database.people import Account, Link
from quintain_host.database.work import QueuedJob
from quintain_host.editions.shown import contest_state, edition_for, hosted_edition, shown_rules
from quintain_host.notices.inbox import notify, organisers
from quintain_host.notices.words import team_waits
from quintain_host.queue import UNFINISHED, enqueue
from quintain_host.site import Site

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
        if team.state == "waiting":
            notify(session, site, edition, organisers(session, edition), partial(team_waits, name))
        log(session, site, visitor, "team.register", edition, team=team.id, state=team.state)
    return team


def require_no_team(session: Session, edition: str, account: int) -> None:
    """Refuse a person who is in a team of the contest already."""
    member = session.get(Member, (edition, account))
    if member is not None:
        raise NoPlace(say("you are in team %(team)s already; leave it first", team=member.team))


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
        raise Refused(
            say("you organised this contest and know its secrets, so you cannot be in a team")
        )
    raise Refused(
        say(
            "you were in team %(team)s and know its data; you can only join it again",
            team=insider.team,
        )
    )


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
        raise PhaseClosed(say("registration is closed"))
    require_running(contest_state(site, edition))
    return account


def _affiliation(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > LONGEST_AFFILIATION:
        problem = say(
            "the affiliation has %(n)s characters; the limit is %(longest_affiliation)s",
            n=len(text),
            longest_affiliation=LONGEST_AFFILIATION,
        )
        raise BadInput(problem).about("affiliation")
    if not text.isprintable():
        problem = say("the affiliation has a character that cannot be printed")
        raise BadInput(problem).about("affiliation")
    return text


def _taken_by_rules(site: Site, edition: str) -> frozenset[str]:
    """The ids of baselines and entries, which no team may have."""
    try:
        rules: Edition = shown_rules(site, edition)
    except NotThere:
        return frozenset()
    players = {player.id for track in rules.track for player in track.baseline}
    return frozenset(players | {entry for track in rules.track for entry in track.entries})


def _require_place(
    edition: HostedEdition,
    team: RegisteredTeam,
    teams: Sequence[RegisteredTeam],
    names: frozenset[str],
) -> None:
    places = [known for known in teams if known.state != "refused"]
    if edition.max_teams is not None and len(places) >= edition.max_teams:
        raise NoPlace(
            say("all %(max_teams)s places of this contest are taken", max_teams=edition.max_teams)
        )
    seen = {skeleton(text): known.id for known in teams for text in (known.id, known.name)}
    seen |= {skeleton(name): name for name in names}
    for text in (team.id, team.name):
        other = seen.get(skeleton(text))
        if other is not None:
            problem = say(
                "%(text)r looks like %(other)r, which takes part; choose another name",
                text=text,
                other=other,
            )
            raise NoPlace(problem).about("name")


def _first_state(site: Site, session: Session, edition: HostedEdition, link: str) -> str:
    """What happens with a new team: the organisers look at it, or it takes part at once."""
    if link:
        use_link_of(session, site, "edition", link, edition.id)
        return "joining"
    if edition.registration == "invitation":
        raise Refused(say("only invited teams can register; use the link in your invitation"))
    return "joining" if edition.registration == "open" else "waiting"


def enqueue_joins(session: Session, site: Site, edition: str) -> int:
    """Let a worker join every team that is "joining" and has no job for it; returns how many.

    Before the contest is prepared there is nothing to draw from. The teams wait, and this is
    called again after ``prepare``.
    """
    if not contest_state(site, edition).prepared:
        return 0
    joining = select(RegisteredTeam.id).where(
        RegisteredTeam.edition == edition, RegisteredTeam.state == "joining"
    )
    queued = select(QueuedJob.team).where(
        QueuedJob.edition == edition,
        QueuedJob.kind == "join",
        QueuedJob.state.in_(UNFINISHED),
    )
    teams = sorted(set(session.scalars(joining)) - set(session.scalars(queued)))
    for team in teams:
        enqueue(session, edition, "intake", "join", now=site.clock.now(), team=team)
    return len(teams)


# --- links: a captain invites people with a secret text -------------------------------------------


MOST_LINKS = 20
"""How many links of one team can be valid at the same time."""
MOST_USES = 50


def make_team_link(site: Site, visitor: Visitor, edition: str, *, uses: int = 1) -> NewLink:
    """A link with which people join the captain's team; it is shown once and stored as a hash."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    if not 1 <= uses <= MOST_USES:
        raise BadInput(
            say("a link can be used 1 to %(most_uses)s times", most_uses=MOST_USES)
        ).about("uses")
    with site.database.writing(edition) as session:
        if len(_valid_links(session, site, edition, team)) >= MOST_LINKS:
            raise Refused(
                say(
                    "the team has %(most_links)s valid links; revoke one first",
                    most_links=MOST_LINKS,
                )
            )
        link = make_link(
            session, site, "team", account=visitor.account, edition=edition, team=team, uses=uses
        )
        log(session, site, visitor, "team.link", edition, team=team, link=link.number)
    return link


def team_links(site: Site, visitor: Visitor, edition: str) -> list[Link]:
    """The valid links of the captain's team; nobody can read their secrets again."""
    visitor.require_scope("read")
    team = visitor.require_captain(edition)
    with site.database.reading() as session:
        return _valid_links(session, site, edition, team)


def revoke_team_link(site: Site, visitor: Visitor, edition: str, link: int) -> None:
    """Revoke a link of the captain's team."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    with site.database.writing(edition) as session:
        row = session.get(Link, link) if 0 < link < 2**31 else None
        if row is None or (row.purpose, row.edition, row.team) != ("team", edition, team):
            raise NotThere(say("your team has no such link"))
        row.revoked = row.revoked or site.clock.now()
        log(session, site, visitor, "team.link.revoke", edition, team=team, link=link)


def use_link_of(session: Session, site: Site, purpose: str, secret: str, edition: str) -> Link:
    """Use a link once, in the transaction of the caller, if it is one of this contest."""
    link = use_link(session, site, purpose, secret)
    if link.edition != edition:
        raise NotThere(say("this link is for another contest"))
    return link


def contest_with_link(
    site: Site, visitor: Visitor, edition: str, purpose: str, secret: str
) -> HostedEdition:
    """A contest that the visitor may see, be it because of a valid link."""
    try:
        return edition_for(site, visitor, edition)
    except NotThere:
        with site.database.reading() as session:
            if not secret or look_up(session, site, purpose, secret).edition != edition:
                raise
        return hosted_edition(site, edition)


def _valid_links(session: Session, site: Site, edition: str, team: str) -> list[Link]:
    return [link for link in valid_links(session, site, "team", edition) if link.team == team]


# --- members --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Person:
    """A member of a team, as the other members see them."""

    account: int
    name: str
    captain: bool


def members_of(session: Session, edition: str, team: str) -> list[Person]:
    """The members of a team, the captain first."""
    rows = session.execute(
        select(Member.account, Account.name, Member.captain)
        .join(Account, Account.id == Member.account)
        .where(Member.edition == edition, Member.team == team)
        .order_by(Member.captain.desc(), Account.name, Account.id)
    )
    return [Person(*row) for row in rows]


def team_behind(site: Site, visitor: Visitor, edition: str, link: str) -> RegisteredTeam:
    """The team that a link is for, so that a person sees it before joining."""
    visitor.require_signed_in()
    with site.database.reading() as session:
        row = look_up(session, site, "team", link)
        if row.edition != edition:
            raise NotThere(say("this link is for another contest"))
        return session.get_one(RegisteredTeam, (edition, row.team))


def join_team(site: Site, visitor: Visitor, edition: str, link: str) -> str:
    """Join a team by its captain's link; returns the id of the team."""
    account = visitor.require_signed_in()
    visitor.require_scope("submit")
    require_running(contest_state(site, edition))
    with site.database.writing(edition) as session:
        leave_refused(session, edition, account)
        require_no_team(session, edition, account)
        team = str(use_link_of(session, site, "team", link, edition).team)
        require_outsider(session, edition, account, team)
        _require_room(session, edition, team)
        first = _size(session, edition, team) == 0  # a team of the rules has no captain yet
        session.add(Member(edition=edition, account=account, team=team, captain=first))
        log(session, site, visitor, "team.join", edition, team=team)
    return team


def leave_team(site: Site, visitor: Visitor, edition: str) -> None:
    """Leave a team. The last member withdraws it, as long as it does not take part yet."""
    account, team = visitor.require_signed_in(), visitor.team_in(edition)
    visitor.require_scope("submit")
    with site.database.writing(edition) as session:
        member = _member(session, edition, team, account)
        others = _size(session, edition, team) - 1
        if member.captain and others:
            raise Refused(say("hand over to another captain first, then leave"))
        row = session.get_one(RegisteredTeam, (edition, team))
        if not others and row.state in ("joining", "joined"):
            raise Refused(
                say("you are the only member; a team that takes part cannot be without one")
            )
        _remove(session, row, account)
        if not others and row.state == "waiting":
            _withdraw(session, row)
        log(session, site, visitor, "team.leave", edition, team=team)


def remove_member(site: Site, visitor: Visitor, edition: str, account: int) -> None:
    """The captain takes a member out of the team."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    if account == visitor.account:
        raise Refused(say("hand over to another captain first, then leave"))
    with site.database.writing(edition) as session:
        _require_captain_still(session, edition, team, visitor)
        _member(session, edition, team, account)
        _remove(session, session.get_one(RegisteredTeam, (edition, team)), account)
        log(session, site, visitor, "team.remove", edition, team=team, member=account)


def hand_over_captaincy(site: Site, visitor: Visitor, edition: str, account: int) -> None:
    """The captain makes another member the captain."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    with site.database.writing(edition) as session:
        _require_captain_still(session, edition, team, visitor)
        next_captain = _member(session, edition, team, account)
        _member(session, edition, team, visitor.require_signed_in()).captain = False
        next_captain.captain = True
        log(session, site, visitor, "team.captain", edition, team=team, member=account)


def _require_captain_still(session: Session, edition: str, team: str, visitor: Visitor) -> None:
    """A request may have come before the captain handed over."""
    if not _member(session, edition, team, visitor.require_signed_in()).captain:
        raise Refused(say("only the captain of team %(team)s can do this", team=team))


def _member(session: Session, edition: str, team: str, account: int) -> Member:
    member = session.get(Member, (edition, account))
    if member is None or member.team != team:
        raise NotThere(say("team %(team)s has no such member", team=team))
    return member


def _require_room(session: Session, edition: str, team: str) -> None:
    row = session.get_one(RegisteredTeam, (edition, team))
    if row.state == "refused":
        raise Refused(say("team %(name)s was refused", name=row.name))
    most = session.get_one(HostedEdition, edition).team_size
    if most is not None and _size(session, edition, team) >= most:
        raise NoPlace(
            say(
                "team %(name)s has %(most)s members, and no more are allowed",
                name=row.name,
                most=most,
            )
        )


def _size(session: Session, edition: str, team: str) -> int:
    size = select(func.count()).where(Member.edition == edition, Member.team == team)
    return int(session.scalar(size) or 0)


def _remove(session: Session, team: RegisteredTeam, account: int) -> None:
    """Take a person out of a team; who could see its data stays out of all others."""
    same = (Member.edition == team.edition, Member.account == account)
    session.execute(delete(Member).where(*same))
    if team.state == "joined":
        remember_insider(session, team.edition, account, team.id)


def _withdraw(session: Session, team: RegisteredTeam) -> None:
    same = (Description.edition == team.edition, Description.team == team.id)
    session.execute(delete(Description).where(*same))
    session.execute(delete(Link).where(Link.edition == team.edition, Link.team == team.id))
    session.delete(team)


# --- names: an id from a name, and whether two names look the same to people ----------------------


_SHORTEST = 2


_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
"""Two letters that look like one in many fonts."""


_LOOKALIKES = {
    "a": "\u0430\u03b1",
    "b": "\u0432\u03b2",
    "c": "\u0441",
    "d": "\u0501",
    "e": "\u0435\u03b5",
    "g": "\u0261",
    "h": "\u043d",
    "j": "\u0458",
    "k": "\u043a\u03ba",
    "l": "1|i\u0456\u03b9\u0131\u04cf",
    "m": "\u043c",
    "n": "\u03b7",
    "o": "0\u043e\u03bf",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "s": "\u0455",
    "t": "\u0442\u03c4",
    "u": "\u03c5",
    "v": "\u03bd",
    "w": "\u051d",
    "x": "\u0445\u03c7",
    "y": "\u0443",
}
"""Characters of other scripts, and digits, that look like a Latin letter in lower case."""


_ALIKE = str.maketrans(
    {other: letter for letter, others in _LOOKALIKES.items() for other in others}
)


def team_id(name: str, wished: str = "") -> str:
    """The id of a team: the one it wishes, or one made from its name.

    >>> team_id("Équipe Rouge 2!")
    'equipe-rouge-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = wished.strip() or re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-")
    if len(made) < _SHORTEST:
        raise BadInput(
            say(
                "no id can be made from this name; choose an id with at least %(shortest)s of the "
                "letters a to z and digits",
                shortest=_SHORTEST,
            )
        ).about("id")
    try:
        checked_id(made)
    except ValueError as problem:
        raise BadInput(
            say("%(made)r cannot be the id of a team: %(problem)s", made=made, problem=problem)
        ).about("id") from None
    reason = reserved_id(made)
    if reason is not None:
        raise BadInput(reason).about("id")
    return made


def clean_name(name: str) -> str:
    """A name without space around it and in one spelling; raises if no table could show it."""
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text:
        raise BadInput(say("a team needs a name")).about("name")
    try:
        checked_name(text)
    except ValueError as problem:
        raise BadInput(say("a team cannot have this name: %(problem)s", problem=problem)).about(
            "name"
        ) from None
    if any(unicodedata.category(char) in ("Cf", "Co", "Cn") for char in text):
        unseen = "the name has a character that cannot be seen; use letters and digits"
        raise BadInput(unseen).about("name")
    return text


def skeleton(text: str) -> str:
    """What people see of a name; two names with the same skeleton can be mistaken for each other.

    >>> skeleton("R\u0435d T\u0435am") == skeleton("red team") == skeleton("Red-Tearn")
    True
    >>> skeleton("red") == skeleton("blue")
    False
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(char for char in folded if not unicodedata.combining(char))
    alike = letters.translate(_ALIKE)
    seen = "".join(char for char in alike if char.isalnum())
    for pair, single in _PAIRS:
        seen = seen.replace(pair, single)
    return seen or letters
