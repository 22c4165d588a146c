"""Steps of a contest: each is a job, because it draws, scores or publishes something."""

from __future__ import annotations

from sqlalchemy.orm import Session

from quintain.contests import Phase
from quintain.errors import PhaseClosed, Refused
from quintain.figures.format import minute
from quintain.host.access import Visitor
from quintain.host.accounts.second_factor import WrongCode, accept_code
from quintain.host.database.contests import HostedEdition
from quintain.host.database.people import Account
from quintain.host.editions.shown_rules import contest_state, shown_rules
from quintain.host.organising.drafting.draft_check import checked
from quintain.host.organising.drafting.drafts import draft
from quintain.host.organising.requests import request
from quintain.host.refusals import Conflict
from quintain.host.site import Site
from quintain.journal.state import require_running
from quintain.runs.disclosure import disclosures
from quintain.runs.organising.amend import checked_beacon, checked_reason
from quintain.runs.organising.freeze import unfinished_phases


def lint(site: Site, visitor: Visitor, edition: str) -> int:
    """Look for faults that real contests had; the findings are the result of the job."""
    return request(site, visitor, edition, "scoring", "lint", once=True)


def preview(site: Site, visitor: Visitor, edition: str) -> int:
    """Prepare a copy of the draft with a pretend team, to see what a team would see."""
    if draft(site, visitor, edition).edition.state != "draft":
        raise Conflict("the contest is prepared; look at its pages themselves")
    return request(site, visitor, edition, "scoring", "preview", once=True)


def prepare(
    site: Site,
    visitor: Visitor,
    edition: str,
    *,
    beacon: str = "",
    tracks: tuple[str, ...] = (),
    seed: int | None = None,
) -> int:
    """Fix the rules and draw the data; if the rules announce a beacon, in two steps.

    Parameters
    ----------
    seed : a public seed makes a rehearsal: anybody can compute its secrets.
    """
    written = draft(site, visitor, edition)
    beacon = checked_beacon(beacon)
    if written.edition.state == "draft":
        if beacon:
            raise Refused("first prepare without the beacon: that fixes the rules and the keys")
        checked(site, written.edition.toml, written.digests())
    else:
        require_running(contest_state(site, edition))
    arguments = {"beacon": beacon, "tracks": list(tracks), "seed": seed}
    return request(site, visitor, edition, "scoring", "prepare", arguments=arguments, once=True)


def hand_over(site: Site, visitor: Visitor, edition: str, track: str | None = None) -> int:
    """Give the releases of a track to the attackers."""
    _require_live(site, visitor, edition)
    for name, phase in _unfinished(site, edition):
        if phase.submit == "release" and track in (None, "", name) and phase.closes is not None:
            raise PhaseClosed(f"phase {phase.id} is open until {minute(phase.closes)}; wait for it")
    arguments = {"track": track or None}
    return request(site, visitor, edition, "scoring", "hand-over", arguments=arguments, once=True)


def score(site: Site, visitor: Visitor, edition: str) -> int:
    """Score now, although nothing new happened."""
    _require_live(site, visitor, edition, over=True)
    return request(site, visitor, edition, "scoring", "score")


def freeze(site: Site, visitor: Visitor, edition: str, reason: str = "") -> int:
    """End the contest; before the end of a phase only with a reason."""
    _require_live(site, visitor, edition)
    ends = [phase for _, phase in _unfinished(site, edition) if phase.closes is not None]
    if ends and not reason.strip():
        names = ", ".join(f"{one.id} until {minute(one.closes)}" for one in ends if one.closes)
        raise PhaseClosed(f"phases are not over yet: {names}; give a reason to end them now")
    arguments = {"reason": checked_reason(reason) if reason.strip() else ""}
    return request(site, visitor, edition, "scoring", "freeze", arguments=arguments, once=True)


def reveal(
    site: Site,
    visitor: Visitor,
    edition: str,
    confirmed: str,
    code: str = "",
    *,
    publish_data: bool = False,
) -> int:
    """Publish every secret. It cannot be taken back, so the visitor types the id of the contest.

    Parameters
    ----------
    code : of the second factor; needed if the account has one.
    publish_data : whether the visitor agrees that data of the organisers' own become public; needed
        if the contest has such data.
    """
    _require_live(site, visitor, edition, over=True)
    if confirmed.strip() != edition:
        raise Refused(f"type the id of the contest, {edition}, to reveal its secrets")
    own_data = disclosures(shown_rules(site, edition))
    if own_data and not publish_data:
        raise Refused(f"the reveal publishes your data; agree to it first. {' '.join(own_data)}")
    if contest_state(site, edition).frozen is None and _unfinished(site, edition):
        raise PhaseClosed("the contest is not over: freeze it first, with a reason")

    def require_code(session: Session) -> None:
        account = session.get_one(Account, visitor.require_signed_in())
        if account.totp is not None and not accept_code(session, site, account, code):
            raise WrongCode("this code is not valid now; type the newest one")

    return request(site, visitor, edition, "scoring", "reveal", once=True, before=require_code)


def _unfinished(site: Site, edition: str) -> list[tuple[str, Phase]]:
    """The phases that are not over, each with the id of its track."""
    rules, state = shown_rules(site, edition), contest_state(site, edition)
    return [(track.id, phase) for track, phase in unfinished_phases(rules, state, site.clock.now())]


def _require_live(site: Site, visitor: Visitor, edition: str, *, over: bool = False) -> None:
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        require_fixed(session, edition)
    if not over:
        require_running(contest_state(site, edition))


def require_fixed(session: Session, edition: str) -> HostedEdition:
    """The row of an edition whose rules are fixed."""
    row = session.get_one(HostedEdition, edition)
    if row.state == "draft":
        raise Conflict("the rules are not fixed yet: prepare the contest first")
    return row
