"""Registration: a person registers a team for a contest; places are counted in the transaction."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.contests import Edition
from quintain.contests.ids import checked_id, checked_name, reserved_id
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
from quintain.journal.state import require_running

# Names of teams: an id from a name, and whether two names look the same to people.


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
            "no id can be made from this name; choose an id with at least "
            f"{_SHORTEST} of the letters a to z and digits"
        )
    try:
        checked_id(made)
    except ValueError as problem:
        raise BadInput(f"{made!r} cannot be the id of a team: {problem}") from None
    reason = reserved_id(made)
    if reason is not None:
        raise BadInput(reason)
    return made


def clean_name(name: str) -> str:
    """A name without space around it and in one spelling; raises if no table could show it."""
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text:
        raise BadInput("a team needs a name")
    try:
        checked_name(text)
    except ValueError as problem:
        raise BadInput(f"a team cannot have this name: {problem}") from None
    if any(unicodedata.category(char) in ("Cf", "Co", "Cn") for char in text):
        raise BadInput("the name has a character that cannot be seen; use letters and digits")
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
