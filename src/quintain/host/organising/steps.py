"""Steps of a contest: each is a job, because it draws, scores or publishes something."""

from __future__ import annotations

from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.host.access import NotAllowed, Visitor
from quintain.host.database.contests import HostedEdition
from quintain.host.editions.shown_rules import contest_state
from quintain.host.organising.drafting.draft_check import checked
from quintain.host.organising.drafting.drafts import Conflict, draft
from quintain.host.organising.requests import request
from quintain.host.site import Site
from quintain.journal.state import require_running
from quintain.runs.organising.reasons import checked_beacon, checked_reason


def lint(site: Site, visitor: Visitor, edition: str) -> int:
    """Look for faults that real contests had; the findings are the result of the job."""
    return request(site, visitor, edition, "bench", "lint", once=True)


def preview(site: Site, visitor: Visitor, edition: str) -> int:
    """Prepare a copy of the draft with a pretend team, to see what a team would see."""
    if draft(site, visitor, edition).edition.state != "draft":
        raise Conflict("the contest is prepared; look at its pages themselves")
    return request(site, visitor, edition, "bench", "preview", once=True)


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
        checked(site, written.edition.toml, {file.name: file.digest for file in written.files})
    else:
        require_running(contest_state(site, edition))
    arguments = {"beacon": beacon, "tracks": list(tracks), "seed": seed}
    return request(site, visitor, edition, "bench", "prepare", arguments=arguments, once=True)


def hand_over(site: Site, visitor: Visitor, edition: str, track: str | None = None) -> int:
    """Give the releases of a track to the attackers."""
    _require_live(site, visitor, edition)
    arguments = {"track": track or None}
    return request(site, visitor, edition, "bench", "hand-over", arguments=arguments, once=True)


def score(site: Site, visitor: Visitor, edition: str) -> int:
    """Score now, although nothing new happened."""
    _require_live(site, visitor, edition, over=True)
    return request(site, visitor, edition, "bench", "score")


def freeze(site: Site, visitor: Visitor, edition: str, reason: str = "") -> int:
    """End the contest; before the end of a phase only with a reason."""
    _require_live(site, visitor, edition)
    arguments = {"reason": checked_reason(reason) if reason.strip() else ""}
    return request(site, visitor, edition, "bench", "freeze", arguments=arguments, once=True)


def reveal(site: Site, visitor: Visitor, edition: str, confirmed: str) -> int:
    """Publish every secret; it cannot be taken back, so the visitor types the id of the contest."""
    _require_live(site, visitor, edition, over=True)
    if visitor.scopes is not None:
        raise NotAllowed("a person reveals a contest, in a browser; no token can do it")
    if confirmed.strip() != edition:
        raise Refused(f"type the id of the contest, {edition}, to reveal its secrets")
    return request(site, visitor, edition, "bench", "reveal", once=True)


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
