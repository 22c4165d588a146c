"""Steps: from the check of a draft to the reveal; each is a job."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from quintain.host.organising import changes, steps
from quintain.host.web.api.organise.fields import EditionId, Line, RequestBody, Started, Text
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.limiting import limit_codes
from quintain.runs.organising.decide import Decision

STEPS = APIRouter(prefix="/editions/{edition}/organise")


class Preparing(RequestBody):
    """How to prepare: the beacon if the rules announced one, and which rounds."""

    beacon: Line = ""
    tracks: tuple[Line, ...] = ()
    seed: Annotated[int | None, Field(ge=0, le=2**31 - 1)] = None


class OneTrack(RequestBody):
    """The track that a step is about; null if there is only one."""

    track: Line | None = None


class WithReason(RequestBody):
    """A reason that everybody can read."""

    reason: Line = ""


class Revealing(RequestBody):
    """The id of the contest, typed again, and a code of the second factor.

    Where the contest has data of the organisers' own, ``publish_data`` says that they agree: the
    reveal publishes the columns that the draft lists in ``disclosures``.
    """

    confirmed: Line
    code: Line = ""
    publish_data: bool = False


class Extending(RequestBody):
    """When a phase closes now, in UTC, and why."""

    track: Line
    phase: Line
    until: Line
    reason: Line


class Deciding(RequestBody):
    """A decision on a team, or on one of its releases."""

    decision: Decision
    team: Line
    reason: Line
    track: Line | None = None
    entry: Line | None = None


class Amending(RequestBody):
    """Other rules as an edition file, and why."""

    toml: Text
    reason: Line


@STEPS.post("/lint", status_code=202)
def lint(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Look for faults that real contests had."""
    return Started(job=steps.lint(site, visitor, edition))


@STEPS.post("/preview", status_code=202)
def preview(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Prepare a copy of the draft with a pretend team."""
    return Started(job=steps.preview(site, visitor, edition))


@STEPS.post("/prepare", status_code=202)
def prepare(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Preparing) -> Started:
    """Fix the rules and draw the data, or prepare the next round."""
    job = steps.prepare(
        site, visitor, edition, beacon=given.beacon.strip(), tracks=given.tracks, seed=given.seed
    )
    return Started(job=job)


@STEPS.post("/hand-over", status_code=202)
def hand_over(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: OneTrack) -> Started:
    """Give the releases of a track to the attackers."""
    return Started(job=steps.hand_over(site, visitor, edition, given.track))


@STEPS.post("/score", status_code=202)
def score(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Score now, although nothing new happened."""
    return Started(job=steps.score(site, visitor, edition))


@STEPS.post("/freeze", status_code=202)
def freeze(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: WithReason) -> Started:
    """End the contest."""
    return Started(job=steps.freeze(site, visitor, edition, given.reason))


@STEPS.post("/reveal", status_code=202)
def reveal(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Revealing
) -> Started:
    """Publish every secret."""
    limit_codes(request, visitor.require_organiser(edition))
    job = steps.reveal(
        site, visitor, edition, given.confirmed, given.code, publish_data=given.publish_data
    )
    return Started(job=job)


@STEPS.post("/extensions", status_code=202)
def extend(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Extending) -> Started:
    """Let a phase close later."""
    until = changes.utc_time(given.until)
    what = (given.track, given.phase, until, given.reason)
    return Started(job=changes.extend(site, visitor, edition, *what))


@STEPS.post("/decisions", status_code=202)
def decide(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Deciding) -> Started:
    """Disqualify a team or a release, or reinstate it."""
    what = (given.decision, given.team, given.reason)
    job = changes.decide(site, visitor, edition, *what, track=given.track, entry=given.entry)
    return Started(job=job)


@STEPS.post("/amendments", status_code=202)
def amend(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Amending) -> Started:
    """Put other rules in force."""
    return Started(job=changes.amend(site, visitor, edition, given.toml, given.reason))
